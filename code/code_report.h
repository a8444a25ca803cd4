// The report on code, in words: which calls pass for which numbers of ranks, what was tried, and what wasn't.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/code_run.h"
#include "code/trials.h"
#include "live/live_report.h"

namespace onceover::code {

/// Which numbers of ranks pass and which don't, then the smallest that doesn't with what is wrong. With `full`, or if
/// there is only one number of ranks, a line for each call. The calls of one number are neighbours.
std::string code_text(std::span<const live::LiveRun> runs, bool full);

/// What became known of the code by the trials.
struct KnownOfCode {
  std::string buffering = {};  // "relies on buffering: ring.c:41"
  std::optional<std::string> in_place =
      {};  // where it takes MPI_IN_PLACE for a buffer, so that it isn't judged in place
};

KnownOfCode known_of(std::span<const CodeRun> runs);

/// What was tried, in words: "p = 2..8; counts 0, 1, ..; in place and not; ..".
std::string scope_text(const Asked& asked, const live::Options& options, std::span<const Rank> ranks,
                       const KnownOfCode& known);

/// What a user may want to know that it wasn't tried, with the option that tries it.
std::vector<std::string> not_tried(const Asked& asked, const live::Options& options, const KnownOfCode& known);

}  // namespace onceover::code
