// InputKind: a kind of file that is judged, in one table that recognises a file's kind. Each kind but the schedule file
// has a source of its own in kinds/, with its row and its Judgeable.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/result.h"
#include "base/source_text.h"
#include "formats/foreign_formats.h"
#include "formats/msccl_profile.h"
#include "formats/plan.h"
#include "schedules/schedule.h"

namespace onceover::subjects {

class Judgeable;
using JudgeablePtr = std::shared_ptr<const Judgeable>;

/// The content of a file: a schedule, or what is judged and isn't one. The other is null.
struct FileContent {
  SchedulePtr schedule = {};
  JudgeablePtr program = {};
};

/// Options of `verify` that only some kinds take: those that a kind takes, or those that are given.
struct SpecialOptions {
  bool fifo = false;
  bool profile = false;
  bool sizes = false;
  bool reading = false;
  bool without_data = false;  // --collective none
  bool ranks = false;         // --p, instead of what the file says
};

/// A row; messages use its words.
struct InputKind {
  std::string_view name;      // "MSCCL++"
  std::string_view language;  // "an MSCCL++ plan": the word for such a text where a schedule is expected
  std::string_view what;      // "a plan of MSCCL++", in "this is .."
  std::string_view example;   // the beginning of such a file, for users who gave something else; empty: it isn't read
  std::string_view ending =
      "";                    // of the names of all its files, and of no other tool's: ".goal"; empty if there is none
  bool holds_program;        // is it read as a Judgeable, not as a schedule?
  std::string_view read_by;  // for programs: the commands that read it
  bool describes_gpus;       // are its ranks GPUs, which are linked with each other unless the user says otherwise?
  SpecialOptions takes;
  bool folds = false;  // can a picture of what waits for what draw once what is alike?

  /// Does the text begin like this kind? Asked only if it doesn't look like one of the rows above.
  bool (*looks_like)(std::string_view text);

  /// Is a text that looks like it probably meant to be one? Asked of files of folders, which nobody named.
  bool (*is_likely)(std::string_view text);

  /// Reads the text of a file called `name`.
  tl::expected<FileContent, SourceError> (*read)(std::string_view name, std::string_view text);

  /// Does the verdict depend on other files, which it names?
  bool names_files = false;
};

/// The kinds; all but the last have a Judgeable. A text is of the first that it looks like: any that begins with { or [
/// looks like a schedule file. So another kind in JSON comes before it and looks for a key of its own, as must TOML
/// whose first table it may begin with.
///
/// Some kinds need more than a row: JSON its key in `is_our_object` (formats/foreign_formats.cpp), an ending a word in
/// .pre-commit-hooks.yaml; properties of its own are a Form (required.h), options a row of `special_options`
/// (input_kind.cpp), and what runtimes refuse is a linter (cli/lint_command.cpp).
extern const InputKind msccl_xml_kind;
extern const InputKind goal_kind;
extern const InputKind plan_kind;
extern const InputKind gpu_launch_kind;
extern const InputKind schedule_file_kind;
inline constexpr std::array input_kinds{&msccl_xml_kind, &goal_kind, &plan_kind, &gpu_launch_kind, &schedule_file_kind};

/// The first kind that the text looks like, or null.
const InputKind* input_kind_of(std::string_view text);

/// Is it a file that we read, by its outermost names, or a damaged one, by its own name? Stricter than the readers: a
/// JSON object without "format" isn't taken for a schedule file.
bool is_likely_ours(const Beginning& file);

/// Refuses options that are given and that the kind doesn't take: "--profile is about MSCCL XML; this is GOAL". Of
/// `without_data` and `ranks` nothing is said.
Result<void> refuse_special(const InputKind& kind, const SpecialOptions& given);

/// "MSCCL XML or GOAL": the kinds that hold programs, with `last` before the last one.
std::string program_kind_names(std::string_view last);

/// The beginnings of files of all kinds, for users who gave something else: "a JSON object {..} or MSCCL XML, <algo
/// ..>".
std::string input_kind_examples();

/// Parses --profile of `verify`, a runtime of MSCCL XML.
Result<const MscclProfile*> parse_profile(const std::string& text);

/// A runtime whose loader lint knows: of MSCCL XML, or that of plans of MSCCL++.
struct LintProfile {
  const MscclProfile* msccl = nullptr;  // null: that of plans
};

/// Parses --profile of `verify lint`.
Result<LintProfile> parse_lint_profile(const std::string& text);

/// Parses --reading, of plans of MSCCL++.
Result<PlanReading> parse_reading(const std::string& text);

}  // namespace onceover::subjects
