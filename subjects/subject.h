// Subject: what a command is about, from the catalogue, a file, a program or a formula.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "schedules/peer_schedule.h"
#include "schedules/schedule.h"
#include "subjects/input_kind.h"
#include "subjects/option_values.h"

namespace onceover::subjects {

/// How long a user's program may run and how much it may print.
using GeneratorLimits = ProcessLimits;

/// The exit code by which a command says that it has no schedule for these ranks; automake's for a test that is
/// skipped.
inline constexpr int not_for_these = 77;

/// What a command said: a text, or that it has no schedule for these ranks.
struct Generated {
  std::string text;
  std::optional<std::string> why_not = {};  // the end of its standard error
};

/// Runs a shell command, which gets no standard input, and whose standard output is the text. Any end with another exit
/// code than 0 and `not_for_these` is `malformed`, an exceeded limit is `unknown`; either message quotes the end of the
/// command's standard error.
Result<Generated> run_generator(const std::string& command, const GeneratorLimits& limits);

/// The options that name a subject. What wasn't given is empty.
struct SubjectOptions {
  std::vector<const Algorithm*> algorithms = {};
  std::string file = {};
  std::string command = {};  // a program that prints a schedule
  std::optional<Formula> peer = {};
  std::optional<Formula> steps = {};
  std::optional<OddRanks> odd = {};
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  std::optional<Lanes> lanes = {};
  AskedCollective collective = {};
  std::optional<Rank> root = {};
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

/// Something to know about how a schedule was made. Notes of one kind say the same about different schedules.
struct Note {
  std::string_view kind;
  std::string text;
};

/// A schedule, with notes on how it was made.
struct Made {
  SchedulePtr schedule;  // null if a command says that it has none for these ranks
  std::vector<Note> notes = {};
  std::string as = {};       // which of several readings it is, for a verdict's scope: "odd p as written"
  std::string why_not = {};  // without a schedule: what the command says
};

/// What was asked for and not judged, and why: "p = 3", "it needs an even p".
struct LeftOut {
  std::string what;
  std::string why;
};

/// A schedule to be made when its turn comes.
struct Subject {
  Origin origin;
  std::vector<Rank> shape;
  Rank ranks;
  std::function<Result<Made>()> attempt;  // may be called on any thread
  Header known = {};                      // what the schedule's header will say, as far as that is known
  std::map<std::string, std::string, std::less<>> settings = {};  // of a row of the catalogue, as the user gave them
  std::optional<PeerRule> rule = {};                              // of a formula

  /// The schedule; that a command has none is a Failure.
  Result<Made> make() const;
};

/// The formula that options name, with all that is said about it.
std::optional<PeerRule> rule_of(const SubjectOptions& options);

/// Can a formula for the peers make this collective?
bool can_be_by_formula(Collective collective);

/// Parses the text of a file called `name`, of any of our kinds.
Result<FileContent> parse_file(const std::string& name, const std::string& text);

/// Parses the text of a schedule file called `name`. If it is a program, the error names the command that reads it.
Result<SchedulePtr> parse_schedule(const std::string& name, const std::string& text);

/// What options name: schedules in ascending order of ranks, those of one algorithm after those of another; or the
/// program in a file.
struct Named {
  std::vector<Subject> schedules = {};  // empty exactly if it is a program
  JudgeablePtr program = {};
};

/// May --torus be given with a program? For the commands that arrange its ranks.
enum class ProgramsOnTori : bool { no, yes };

/// Resolves the options. All names, ranges and files are checked here, and a file is read once. Generators run, and
/// formulas are evaluated, only when a schedule is made.
Result<Named> resolve(const SubjectOptions& options, ProgramsOnTori tori = ProgramsOnTori::no);

/// The same for a command that takes only schedules; for a program, the error names the command that reads it.
Result<std::vector<Subject>> resolve_schedules(const SubjectOptions& options);

/// The only subject; several are a usage error of the command: "draw shows one schedule".
Result<Subject> single(std::vector<Subject> subjects, std::string_view what_the_command_does);

}  // namespace onceover::subjects
