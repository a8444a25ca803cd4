// A judged subject, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "formats/goal_file.h"
#include "formats/program.h"
#include "proofs/theorem.h"
#include "schedules/schedule.h"
#include "subjects/limit.h"
#include "subjects/subject.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// One schedule and what the verifier said of it.
struct Verification {
  Origin origin;
  Header header;  // without owners
  Report report;
  std::vector<Note> notes = {};
  std::optional<Runtime> runtime = {};  // for which a program of MSCCL XML was judged
  std::optional<Failure> failure = {};  // there is no schedule to judge, for this reason
  std::vector<JudgedLimit> limits = {};

  /// The report's, and the limits': fail if anything required fails, else unknown if something is unknown.
  Verdict verdict() const;
};

/// What the verifier says of a program.
Verification judged(const Program& program, const std::string& file, const VerifyOptions& options);

/// The same of a GOAL file.
Verification judged(const GoalFile& goal, const std::string& file, const VerifyOptions& options);

/// What is said of a program's size in place of a schedule's.
std::string program_headline(const Verification& run);
std::string program_metrics_text(const Verification& run);
Json program_json(const Verification& run);

/// "swing allreduce", "s.json (swing allreduce)": what a run is about, without its number of ranks.
std::string subject_text(const Verification& run);

/// A run of a subject for which no schedule could be made: everything about it is unknown.
Verification failed_run(const Subject& subject, Failure failure);

/// A run of a subject that a limit on time or memory cut off, with the reason: everything about it is unknown.
Verification unfinished_run(const Subject& subject, const std::string& why);

/// "exactly-once: rank 0 ends without ..": what is told first of a property.
std::string headline(const PropertyResult& property);

/// The theorem about what passed here, for more than this; null where there is none. It is found by the names of row
/// and torus: nothing compares the run's transfers with those that the theorem speaks of.
const Theorem* theorem_about(const Verification& run);

/// The verdict over all runs: fail if one fails, else unknown if one is unknown.
Verdict overall(std::span<const Verification> runs);

/// How a command ends with that verdict.
ExitCode exit_code(Verdict verdict);

/// The report that a person reads: what was judged, the failure with the fewest ranks and how many more there are,
/// and the verdict last; `full`: with all properties and metrics of every run. `runs` isn't empty and sorted by ranks;
/// those of several algorithms of the catalogue are sorted for each, one after the other, and reported so.
std::string text_report(const std::vector<Verification>& runs, bool full);

/// The JSON document of docs/schema/run.schema.json.
Json json_report(const std::vector<Verification>& runs);

/// A property's verdict, without its evidence.
Json property_json(const PropertyResult& property);

/// The text of a document that is printed.
std::string dump(const Json& json);

}  // namespace onceover::subjects
