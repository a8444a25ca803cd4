// The sections of the report.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/second_subject.h"
#include "subjects/network_plan.h"
#include "subjects/run.h"
#include "subjects/subject.h"
#include "verifier/blocking.h"
#include "viz/report.h"

namespace onceover::cli {

struct ReportCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  Bounds bounds = {};
  std::uint64_t budget = 0;              // at most, each: block transfers judged, links crossed by messages
  std::string output = {};               // "-": standard output
  std::string beside = {};               // another algorithm or file on the same page
  std::vector<CallOrder> blocking = {};  // orders of blocking calls to judge, too
};

/// The subject of the page.
struct Reported {
  Verification run;
  const Schedule& schedule;  // of a program: its messages as steps
  NetworkPlan plan;
  Bounds bounds = {};             // those that were judged; the network's are in `plan`, too
  std::uint64_t block_bytes = 0;  // of a block that stands for bytes of messages; 0: it is a part of the vector
  bool has_deficiencies = true;   // on a network that nobody told, those of a program would mean nothing
};

/// The loads of the network's links, or why they aren't known.
struct ReportedLoads {
  Network network;
  std::optional<Contention> found;
  std::string why = {};
};

Result<ReportedLoads> loads_of(const Reported& reported, const ReportCommand& command);

/// The second subject of the page, on the same network.
struct ReportedBeside {
  Second second;
  ReportedLoads loads;
};

/// That of --beside; nothing without it.
Result<std::optional<ReportedBeside>> beside_of(const Reported& reported, const ReportCommand& command);

/// How the page's schedules are judged.
VerifyOptions judging(const ReportCommand& command, const Bounds& bounds);

/// "swing allreduce, torus 4x4, 4 lanes".
std::string headline(const Verification& run);

/// A verdict in a line, for the top of the page.
std::string banner_html(Verdict verdict, std::string_view why);

/// That of a subject.
std::string banner_html(const Verification& run);

/// The verdict with its scope, and the finding on each property.
ReportSection verdict_section(const Reported& reported);

/// The player; if the schedule is too large, why there is none. `about` is a paragraph before it, or empty.
ReportSection player_section(const Drawn<Player>& player, const Header& header, std::string_view about = "");

/// Verdicts, amounts and loads of both subjects side by side, with a mark where they differ.
Result<ReportSection> beside_section(const Reported& reported, const ReportedLoads& loads,
                                     const ReportedBeside& beside);

/// The picture of the counterexample; none if it has no place in the steps.
std::optional<ReportSection> counterexample_section(const Reported& reported);

/// The schedule as code with blocking calls in the orders that the user asks for, and the picture of a deadlock.
struct ReportedCalls {
  ReportSection section;
  std::string deadlock;  // which orders deadlock, and what the schedule does without; empty: none
};

/// Nothing if the user asks for none; an error if the schedule can't be run so.
Result<std::optional<ReportedCalls>> blocking_section(const Reported& reported, const ReportCommand& command);

/// What waits for what in a program.
ReportSection waits_section(const Drawn<Picture>& picture);

/// The sum that a rank ends with, or the sums of two ranks if they differ.
ReportSection sums_section(const Reported& reported);

/// How much each link carries, and how far that is from the optimum.
Result<ReportSection> contention_section(const Reported& reported, const ReportedLoads& loads);

/// Time over the vector's size, beside other algorithms for the same collective on the same network.
ReportSection time_section(const Reported& reported, const ReportCommand& command);

/// The theorems that cover the schedule, proved now.
ReportSection proofs_section(const Reported& reported);

/// The commands that give the same results, and the run as JSON.
ReportSection reproduction_section(const Reported& reported, const ReportCommand& command);

/// A picture for the page, or why there is none.
std::string picture_html(const Drawn<Picture>& picture, std::string_view label);

}  // namespace onceover::cli
