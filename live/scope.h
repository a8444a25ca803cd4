// What a verdict on calls rests on, in words: the last line of a report says what was tried, and one before it what was
// not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "live/live_report.h"
#include "live/match.h"
#include "live/options.h"

namespace onceover::live {

/// "root 0", "every root": which roots of collectives that have one were tried for these numbers of ranks.
std::string roots_text(const Options& options, std::span<const Rank> ranks);

/// "an operator that commutes": which operators reductions were called with.
std::string operators_text(const Options& options);

/// Do the operators of all calls commute?
bool all_commute(const Options& options);

/// "p = 2..9; counts 0, 1, ..; in place and not; ..": what verify-mpi tries.
std::string scope_text(const Options& options, std::span<const Rank> ranks);

/// What a user may want to know that verify-mpi didn't try.
std::vector<std::string> not_tried(const Options& options);

/// What holds if calls of these collectives pass: "every element of every result is right".
std::string holds_text(std::span<const LiveCall> calls, const std::vector<std::string>& waived);

/// The ending of a report on calls of a library.
Ending ending_of(const Options& options, std::span<const Rank> ranks);

/// The lines at the end of a report: "not required: ..", "not tried: ..", and the verdict.
std::string ending_text(const Ending& ending, std::span<const LiveRun> runs);

/// The result of one part of a larger run, for the process that started it.
struct RanksPart {
  Verdict verdict = Verdict::pass;
  std::vector<std::string> blamed = {};        // the properties that don't pass, and "fault"
  std::vector<std::string> not_required = {};  // properties that fail without being required
};

RanksPart part_of(std::span<const LiveRun> runs);

std::optional<RanksPart> parse_ranks_part(const std::string& text);

/// The same of parts, each with its number of ranks.
std::string ending_text(const Ending& ending, std::span<const std::pair<Rank, RanksPart>> parts);

/// The result of a call that was made several times, as the options ask.
LiveRun judged_run(const LiveCall& call, const ElementFormat& format, const Values& values,
                   const std::vector<CallOutcome>& repeats, const Options& options, Matcher& matcher);

/// Prints the report of verify-mpi: the library, a line for each run or, if they are many, for each collective, what
/// failed, and the ending. A part of a larger run has no ending, and its result goes to a file that is there, which may
/// be one in memory.
ExitCode give_runs(const std::string& library, std::span<const LiveRun> runs, const Options& options);

}  // namespace onceover::live
