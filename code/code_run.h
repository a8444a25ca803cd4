// Judges code under test: runs it, and says what its calls left and why.
#pragma once

#include <functional>
#include <vector>

#include "code/recovery.h"
#include "code/simulator.h"
#include "live/live_report.h"
#include "live/options.h"

namespace onceover::code {

/// A call as it was judged.
struct CodeRun {
  live::LiveRun judged;
  std::optional<tl::expected<Recovered, std::string>> schedule = {};  // if it was asked for, or the call failed
  SourceLine place = {};  // the first that the report on a failing call names; without a file: none
};

/// How each call is made, besides what the call says.
struct Tries {
  std::vector<Communicator> communicators = {Communicator::world};  // on each as often as the options repeat a call
  int orders = 0;  // so many times more, with ranks that begin at other times; the same times in every run
};

/// Makes the calls of `options` on a machine, in one process as long as none of them ends it, and judges each. With
/// `recovers`, each call gets its schedule. A call that hangs ends the run: those after it are unknown.
Result<std::vector<CodeRun>> run_code(const Executable& program, const Machine& machine, const live::Options& options,
                                      const Tries& tries, bool recovers);

}  // namespace onceover::code
