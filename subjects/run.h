// Verification: a judged subject, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "formats/program.h"
#include "gpu/judged_pointer.h"
#include "proofs/theorem.h"
#include "schedules/schedule.h"
#include "subjects/citation.h"
#include "subjects/limit.h"
#include "subjects/subject.h"
#include "verifier/repair/repair.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// The change that makes the schedule right, and what else there is to say of it: lines, the first with "repair: ".
std::string repair_text(const Repair& repair);

/// A schedule or program, and the verifier's report on it.
struct Verification {
  Origin origin;
  Header header;  // without owners
  Report report;
  std::vector<Note> notes = {};
  std::string as = {};                  // see Made
  std::optional<Runtime> runtime = {};  // of MSCCL XML: the one for which the program was judged
  std::optional<Failure> failure = {};  // why there is no schedule to judge
  std::vector<JudgedLimit> limits = {};
  std::optional<Repair> repair = {};      // of a schedule that isn't exactly once
  std::optional<Citation> citation = {};  // of what passed: the kernel's theorem about it
  /// Of a description of GPU launches: each by itself. `report` joins them.
  gpu::JudgedPointer launches = {};

  /// The verdict of the report and the limits: fail if anything required fails, else unknown if anything is unknown.
  Verdict verdict() const;
};

/// The size of a program, where a schedule's would be shown.
std::string program_headline(const Verification& run);
std::string program_metrics_text(const Verification& run);
Json program_json(const Verification& run);

/// "swing allreduce", "s.json (swing allreduce)": what a run is about, without its number of ranks.
std::string subject_text(const Verification& run);

/// What the verdict rests on: "every block; odd p as written".
std::string scope_of(const Verification& run);

/// The run of a subject whose schedule couldn't be made: everything about it is unknown.
Verification failed_run(const Subject& subject, Failure failure);

/// The run of a subject that a limit on time or memory cut off, with the reason: everything about it is unknown.
Verification unfinished_run(const Subject& subject, const std::string& why);

/// "exactly-once: rank 0 ends without ..": the first line about a property.
std::string headline(const PropertyResult& property);

/// If the run passed and its schedule is of the catalogue, compares the schedule with the function of the kernel's
/// theorem about its row.
void cite(Verification& run, const Schedule& schedule, const Subject& subject, int threads);

/// The solver's theorem about what passed here, where the kernel has none; null if there is none either. It is found by
/// the names of row and torus: nothing compares the run's transfers with those that it speaks of.
const Theorem* solver_theorem(const Verification& run);

/// "p = 7", or "torus 4x6, 4 lanes".
std::string shape_of(const Verification& run);

/// What holds, and what the verdict rests on: "each rank's contribution reaches every rank exactly once (every block)".
std::string pass_text(const Verification& run);

/// The ids of the properties that the user doesn't require of some run, though they are by default.
std::vector<std::string_view> waived_in(std::span<const Verification> runs);

/// A line for each theorem about the runs, and for each run whose transfers aren't the theorem's.
std::string theorems_text(std::span<const Verification> runs);

/// The verdict over all runs: fail if one fails, else unknown if one is unknown.
Verdict overall(std::span<const Verification> runs);

/// The exit code for the verdict.
ExitCode exit_code(Verdict verdict);

/// "not tried: p = 3, p = 5 (it needs an even p); x.txt", with at most some names for each reason.
std::string left_out_text(std::span<const LeftOut> left_out);

/// The same for JSON: a list of objects.
Json left_out_json(std::span<const LeftOut> left_out);

/// The report for people: what was judged, the failure with the fewest ranks and how many more there are, and the
/// verdict last. With `full`, it has all properties and metrics of every run. `runs` isn't empty and is sorted by
/// ranks. Runs of several algorithms of the catalogue are grouped by algorithm, each group is sorted, and each is
/// reported separately. What was left out is named before the verdict.
std::string text_report(const std::vector<Verification>& runs, bool full, std::span<const LeftOut> left_out = {});

/// The JSON document of docs/schema/run.schema.json.
Json json_report(const std::vector<Verification>& runs);

/// A property's verdict, without its evidence.
Json property_json(const PropertyResult& property);

/// A JSON document as it is printed.
std::string dump(const Json& json);

}  // namespace onceover::subjects
