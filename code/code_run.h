// Judges code under test: runs it, and says what its calls left and why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "code/recovery.h"
#include "code/trials.h"
#include "live/live_report.h"
#include "live/options.h"

namespace onceover::code {

/// A call as it was judged.
struct CodeRun {
  live::LiveRun judged;
  std::optional<tl::expected<Recovered, std::string>> schedule = {};  // if it was asked for, or the call failed
  SourceLine place = {};  // the first that the report on a failing call names; without a file: none
  std::optional<SourceLine> unbuffered_wait = {};   // of a call that ends only if sends are buffered: the send
  std::optional<SourceLine> refuses_in_place = {};  // where a call after this one took MPI_IN_PLACE for a buffer, which
                                                    // ended the trial, and isn't judged
};

/// Makes the calls of a trial, in one process as long as none of them ends it, and judges each. With `recovers`, each
/// call gets its schedule. A call that hangs ends the run: those after it are unknown.
Result<std::vector<CodeRun>> run_code(const Executable& program, const CodeTrial& trial, const live::Options& options,
                                      bool recovers);

/// The same for all trials, in their order, up to the first that doesn't pass. The first begins with the calls that the
/// options list; only its schedules are recovered. Where no call has an element, what would pass is unknown.
Result<std::vector<CodeRun>> run_code(const Executable& program, std::span<const CodeTrial> trials,
                                      const live::Options& options, bool recovers);

}  // namespace onceover::code
