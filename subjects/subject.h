// What the command is about: schedules, from the catalogue, a file, a program or a formula.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/exit_code.h"
#include "formats/file_format.h"
#include "schedules/peer_schedule.h"
#include "schedules/schedule.h"
#include "subjects/generator.h"
#include "subjects/option_values.h"

namespace onceover::subjects {

/// The options that name a subject. Texts are empty where not given, and a row is null.
struct SubjectOptions {
  const Algorithm* algorithm = nullptr;
  std::string file = {};
  std::string command = {};  // a program that prints a schedule
  std::optional<Formula> peer = {};
  std::optional<Formula> steps = {};
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  std::optional<Lanes> lanes = {};
  std::optional<Collective> collective = {};
  std::vector<Setting> settings = {};
  GeneratorLimits generator = {};
};

/// Where a schedule comes from.
struct Origin {
  enum class Kind { catalogue, file, command, formula };

  explicit Origin(Kind of, std::string in_words = "") : kind(of), text(std::move(in_words)) {}

  Kind kind;
  std::string text;  // the file's name, the command, the formula
};

/// Something to know of how a schedule came about. Notes of one kind say the same of different schedules.
struct Note {
  std::string_view kind;
  std::string text;
};

/// A schedule, and what its reader should know of how it came about.
struct Made {
  SchedulePtr schedule;
  std::vector<Note> notes = {};
};

/// A schedule to be made when its turn comes.
struct Subject {
  Origin origin;
  std::vector<Rank> shape;
  Rank ranks;
  std::function<Result<Made>()> make;  // may be called on any thread
  Header known = {};                   // what the schedule's header will say, as far as that is known
};

/// May a formula for the peers make it?
bool can_be_by_formula(Collective collective);

/// Reads the text of a file called `name`, which may be in any format.
Result<FileContent> parse_file(const std::string& name, const std::string& text);

/// Reads the text of a schedule file called `name`; of a program, it says which command reads that.
Result<SchedulePtr> parse_schedule(const std::string& name, const std::string& text);

/// What options name: schedules by growing number of ranks, or the program that a file holds.
using Named = std::variant<std::vector<Subject>, Program, GoalFile>;

/// Whether --torus may stand beside a program, for the commands that lay its ranks out.
enum class ProgramsOnTori : bool { no, yes };

/// What the options name. All names, ranges and files are checked here, and a file is read once; generators run and
/// formulas are evaluated only when a schedule is made.
Result<Named> resolve(const SubjectOptions& options, ProgramsOnTori tori = ProgramsOnTori::no);

/// The same for a command that is about schedules alone; of a program it says which command reads that.
Result<std::vector<Subject>> resolve_schedules(const SubjectOptions& options);

/// The schedule of the one subject; several are a usage error of the command: "draw shows one schedule".
Result<SchedulePtr> single(const std::vector<Subject>& subjects, std::string_view what_the_command_does);

}  // namespace onceover::subjects
