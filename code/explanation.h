// Why a call of code under test is wrong, in the words of the code: with the lines that sent and received.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "code/executable.h"
#include "code/recovery.h"
#include "code/result_elements.h"
#include "code/simulator.h"

namespace onceover::code {

/// Lines about a call, and the first place in the source that they name; without a file if they name none.
struct Notes {
  std::vector<std::string> lines = {};
  SourceLine place = {};
  SourceLine buffered = {};  // of a deadlock: a send that waits for its receive; else the same as `place`
};

/// What is wrong with a call that came to its end, whatever it left: messages that nobody received, buffers that were
/// changed while they were sent, and what the harness found.
Notes faults_of(const CallRecord& made, const Record& record, const Executable& program);

/// Which defects of the simulator a call met, and where; each once.
Notes met_text(const CallRecord& made, const Record& record, const Executable& program);

/// How a call ended that didn't come to its end, and where ranks were. `made` may be null.
Notes end_text(const Ended& end, const CallRecord* made, const Record& record, const Executable& program);

/// Where a wrong element, if one is given, first went wrong; then the simplest counterexample of the schedule that the
/// call is, and the lines of the messages in it. Without a schedule: why there is none, which message brought the wrong
/// element, and the lines that send.
Notes explanation(const tl::expected<Recovered, std::string>& recovered, std::optional<ResultElement> wrong,
                  const live::LiveCall& call, const CallRecord& made, const Record& record, const Executable& program);

}  // namespace onceover::code
