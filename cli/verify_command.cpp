// `verify` itself: from what the options name to verdicts, outputs and the exit code.
//
// A file is read and recognised once. It holds schedules or a program; each has its own options, and options of the
// other are refused. A Sweep judges schedules. Results stay in the order of the subjects, so the output doesn't depend
// on the threads. If there are several algorithms, the subjects of one come after those of another.
//
// A violation outweighs a file that can't be read, which outweighs an unknown. The names of outputs are checked before
// anything is judged; the verdict stands with or without a picture.

#include "cli/verify_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "cli/colors.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/schedule_sweep.h"
#include "cli/suggested_formulas.h"
#include "formats/schedule_file.h"
#include "schedules/catalogue.h"
#include "subjects/judgeable.h"
#include "subjects/required.h"
#include "subjects/run.h"
#include "verifier/certificate.h"

namespace onceover::cli {

namespace {

/// The exit code of all runs: a violation weighs most, then a schedule that can't be read.
ExitCode end_of(const std::vector<Verification>& runs) {
  const bool is_malformed = std::any_of(runs.begin(), runs.end(), [](const Verification& run) {
    return run.failure && run.failure->code == ExitCode::malformed;
  });
  const ExitCode code = exit_code(overall(runs));
  return code == ExitCode::unknown && is_malformed ? ExitCode::malformed : code;
}

/// The first schedule that fails; null if none does.
const Verification* first_failure(const std::vector<Verification>& runs) {
  const auto failed = std::find_if(runs.begin(), runs.end(), [](const Verification& run) {
    return !run.failure && run.report.verdict == Verdict::fail;
  });
  return failed == runs.end() ? nullptr : &*failed;
}

/// Draws the first failure, if the user wants a picture; without a failure there is none.
Result<void> draw_first_failure(const VerifyCommand& command, const SchedulePtr& schedule,
                                const std::vector<Verification>& runs) {
  const Verification* failed = first_failure(runs);
  if (failed == nullptr) return {};
  return draw_counterexample(*schedule, *failed, command.counterexample_out);
}

/// Writes the first failure's schedule with its repair, if the user wants it; without a failure there is none.
Result<void> write_repaired(const VerifyCommand& command, const std::vector<Verification>& runs) {
  if (command.repair_out.empty()) return {};
  const Verification* failed = first_failure(runs);
  if (failed == nullptr) return {};
  if (!failed->repair)
    return tl::unexpected(Failure{
        ExitCode::unknown, "no repair was found" + std::string(command.repair ? "" : "; --repair looks longer")});
  return write_file(command.repair_out,
                    [&](std::FILE* file) { return write_schedule(*failed->repair->schedule, file); });
}

/// Writes a certificate of the only run's verdict, if the user wants one.
Result<void> certify(const VerifyCommand& command, const SchedulePtr& schedule, const Verification& run) {
  if (command.certificate.empty() || run.failure) return {};
  const std::string why_not = schedule ? no_certificate(*schedule, run.report) : "it wasn't judged to the end";
  if (!why_not.empty()) return tl::unexpected(Failure{ExitCode::unknown, "not certified: " + why_not});
  return write_file(command.certificate,
                    [&](std::FILE* file) { return write_certificate(*schedule, run.report, file); });
}

/// Refuses an output that would replace the file that is read, or another output.
Result<void> check_names(const VerifyCommand& command) {
  const std::vector<NamedFile> written{{"--json-out", command.json_out},
                                       {"--draw-counterexample", command.counterexample_out},
                                       {"--repair-out", command.repair_out},
                                       {"--certify", command.certificate}};
  for (const auto& [flag, path] : written)
    if (command.json && is_standard_stream(path) && flag != "--json-out")
      return usage_error(fmt::format("either --json or {} -, not both", flag));
  return check_distinct(files_read(command.subject, command.metric_limits.network), written);
}

/// Can the files that the user asks for be written?
Result<void> check_outputs(const VerifyCommand& command, std::size_t subjects) {
  if (!command.certificate.empty() && subjects > 1)
    return usage_error(fmt::format("--certify writes the certificate of one schedule; there are {}", subjects));
  if (!command.counterexample_out.empty()) TRY(picture_format(command.counterexample_out));
  for (const std::string& path :
       {command.json_out, command.counterexample_out, command.repair_out, command.certificate}) {
    if (path.empty()) continue;
    TRY(check_writable(path));
  }
  return {};
}

/// The options that the user gives and only some kinds take.
SpecialOptions given_options(const VerifyCommand& command) {
  return {.fifo = command.fifo.has_value(),
          .profile = command.profile.has_value(),
          .sizes = command.sizes.has_value(),
          .reading = command.reading.has_value(),
          .without_data = command.subject.collective.is_none};
}

Requirements asked_of(const VerifyCommand& command) {
  return {command.required, command.waived, command.bounds};
}

/// Refuses options that don't apply to schedules.
Result<void> check_for_schedules(const VerifyCommand& command) {
  if (command.fifo)
    return usage_error("--fifo is about programs, whose ranks wait for each other; a schedule has steps");
  if (command.profile) return usage_error("--profile is about MSCCL XML, which runtimes run; a schedule has steps");
  TRY(refuse_special(schedule_file_kind, given_options(command)));
  return check_fit(asked_of(command), Form::schedule);
}

/// Refuses options that don't apply to programs.
Result<void> check_for_programs(const VerifyCommand& command, Form form) {
  TRY(check_fit(asked_of(command), form));
  if (!command.counterexample_out.empty() && form != Form::launch)
    return usage_error(
        "--draw-counterexample is about schedules and GPU kernels; this is a program: draw --view happens-before shows "
        "what is wrong");
  if (!command.repair_out.empty() || command.repair) return usage_error("repairs are of schedules; this is a program");
  return {};
}

/// How the user wants a program to be judged.
JudgeOptions judging_of(const VerifyCommand& command) {
  JudgeOptions options{.verify = {.budget = command.budget,
                                  .required = command.required,
                                  .waived = command.waived,
                                  .fifo = command.fifo,
                                  .without_data = command.subject.collective.is_none},
                       .profile = command.profile.value_or(nullptr),
                       .reading = command.reading.value_or(PlanReading::intended),
                       .is_certified = !command.certificate.empty()};
  if (command.sizes) options.verify.sizes = command.sizes->value;
  if (command.subject.ranks) options.launches.ranks = command.subject.ranks->value;
  return options;
}

Result<std::vector<Verification>> judge_program(const Judgeable& program, const VerifyCommand& command) {
  TRY(check_for_programs(command, program.form()));
  TRY(refuse_special(program.kind(), given_options(command)));
  TRY(check(command.metric_limits));
  if (!command.metric_limits.limits.empty() && program.form() == Form::launch)
    return usage_error(fmt::format("--limit is about steps and messages, which {} doesn't have", program.kind().what));
  auto run = TRY(program.judge(judging_of(command)));
  TRY(judge_limits(run, command.metric_limits.limits, measures_of_program(run.header, run.report)));
  return std::vector<Verification>{std::move(run)};
}

/// Is standard output free for the report? An output there is alone.
bool has_room_for_report(const VerifyCommand& command) {
  const auto outputs = {command.json_out, command.counterexample_out, command.repair_out, command.certificate};
  return std::none_of(outputs.begin(), outputs.end(), is_standard_stream);
}

std::string json_text(const std::vector<Verification>& runs, std::span<const LeftOut> left_out,
                      const std::vector<SuggestedFormula>& suggested) {
  Json json = json_report(runs);
  if (!left_out.empty()) json["left_out"] = left_out_json(left_out);
  if (!suggested.empty()) json["suggestions"] = suggestions_json(suggested);
  return dump(json);
}

ExitCode report(const VerifyCommand& command, const std::vector<Verification>& runs,
                std::span<const LeftOut> left_out = {}) {
  const bool wants_json = command.json || !command.json_out.empty();
  const auto suggested = suggested_formulas(command, runs);
  const std::string json = wants_json ? json_text(runs, left_out, suggested) : "";
  ExitCode ends = end_of(runs);
  if (has_room_for_report(command)) {
    const std::string text = text_report(runs, command.full, left_out) + suggestions_text(suggested);
    ends = after_output(ends, print(command.json ? json : painted(text)));
  }
  return command.json_out.empty() ? ends : after_output(ends, write_text(command.json_out, json));
}

/// Writes a certificate of a program that passes, if the user wants one.
Result<void> certify(const VerifyCommand& command, const Judgeable& program, const Verification& run) {
  if (command.certificate.empty()) return {};
  if (run.report.verdict != Verdict::pass)
    return tl::unexpected(Failure{ExitCode::unknown, "not certified: the program doesn't pass"});
  const auto text = program.certificate(judging_of(command));
  if (!text) return tl::unexpected(Failure{ExitCode::unknown, "not certified: " + text.error()});
  return write_text(command.certificate, *text);
}

/// Draws a launch of GPU kernels that fails, if the user wants a picture. The verdict is the same without.
void draw_launch(const VerifyCommand& command, const Verification& run) {
  if (command.counterexample_out.empty() || !run.launches || run.verdict() != Verdict::fail) return;
  const auto drawn = within_limits([&] { return draw_counterexample(*run.launches, command.counterexample_out); });
  if (!drawn || !*drawn) warn("not drawn: " + (drawn ? drawn->error().message : drawn.error()));
}

Result<ExitCode> verify_program(const Judgeable& program, const VerifyCommand& command) {
  if (!command.counterexample_out.empty()) TRY(picture_format(command.counterexample_out));
  for (const std::string& path : {command.json_out, command.certificate, command.counterexample_out})
    if (!path.empty()) TRY(check_writable(path));
  const auto runs = TRY(judge_program(program, command));
  const ExitCode ends = report(command, runs);
  draw_launch(command, runs.front());
  return after_making(ends, [&] { return certify(command, program, runs.front()); });
}

Result<ExitCode> verify_schedules(const std::vector<Subject>& subjects, const VerifyCommand& command) {
  TRY(check_for_schedules(command));
  TRY(check_outputs(command, subjects.size()));
  TRY(check(command.metric_limits));
  Sweep sweep(subjects, command);
  const auto judged = TRY(sweep.run());
  const std::vector<Verification>& runs = judged;
  const ExitCode ends = report(command, runs, sweep.left_out());
  // The verdict is the same with or without a picture.
  if (!command.counterexample_out.empty()) {
    const auto drawn = within_limits([&] { return draw_first_failure(command, sweep.kept(), runs); });
    if (!drawn || !*drawn) warn("not drawn: " + (drawn ? drawn->error().message : drawn.error()));
  }
  const ExitCode wrote = after_making(ends, [&] { return write_repaired(command, runs); });
  return after_making(wrote, [&] { return certify(command, sweep.kept(), runs.front()); });
}

Result<std::vector<Verification>> judge_schedules(const std::vector<Subject>& subjects, const VerifyCommand& command) {
  TRY(check_for_schedules(command));
  TRY(check(command.metric_limits));
  return Sweep(subjects, command).run();
}

/// The runs of one file among several.
Result<std::vector<Verification>> judge_file(const VerifyCommand& command) {
  const auto named = TRY(resolve(command.subject));
  return named.program ? judge_program(*named.program, command) : judge_schedules(named.schedules, command);
}

/// The command of a process that writes no files: only one process does.
VerifyCommand without_files(VerifyCommand command) {
  command.json_out.clear();
  command.counterexample_out.clear();
  command.repair_out.clear();
  command.certificate.clear();
  return command;
}

/// Does each process of a team read the same file? A process that can't read it ends with the reason later, and so do
/// all.
Result<void> check_same_file(const VerifyCommand& command) {
  if (command.team == nullptr || command.subject.file.empty()) return {};
  const auto text = read_file(command.subject.file);
  if (!text || is_same_in_all(*command.team, *text)) return {};
  return usage_error(fmt::format("--distributed: {} is not the same file for all processes", command.subject.file));
}

Result<ExitCode> run_here(const VerifyCommand& command) {
  if (command.suggest && !command.subject.peer) return usage_error("--suggest goes with --peer");
  if (are_many_files(command.files)) {
    TRY(check_required(asked_of(command)));
    return verify_files(command, judge_file);
  }
  const std::size_t algorithms = command.subject.algorithms.size();
  if (command.blocking && !command.certificate.empty())
    return usage_error("--certify is about the steps of a schedule; --blocking has none");
  if (command.blocking && algorithms > 1)
    return usage_error(fmt::format("--blocking judges one algorithm at a time; --algo names {}", algorithms));
  if (command.blocking && !command.metric_limits.limits.empty())
    return usage_error("--limit is about a schedule or program as it is; --blocking judges it as blocking calls");
  if (command.blocking) return run_blocking_orders(command);
  TRY(check_required(asked_of(command)));
  const auto named = TRY(resolve(command.subject));
  return named.program ? verify_program(*named.program, command) : verify_schedules(named.schedules, command);
}

}  // namespace

namespace {

void add_properties(const CommandApp& app, VerifyCommand& command) {
  add_required(app, command.required, command.waived);
  add_bounds(app, command.bounds);
  app.add_each("--limit LIMIT", command.metric_limits.limits, parse_limit,
               "Require a limit on metrics, such as 'steps <= 2*ceil(log2(p))'; may be repeated; see docs/gate.md");
  app.add_parsed("--blocking ORDER", command.blocking, parse_call_orders,
                 "Check instead whether the schedule ends when ranks run it as blocking calls in these orders: "
                 "even-odd, all-send-first, sendrecv, or all");
  app.add_parsed("--fifo K", command.fifo, parse_fifo,
                 "For programs: how many messages a connection holds; 0 is rendezvous (default: as the runtime does)")
      ->check(whole_number);
  app.add_parsed("--profile NAME", command.profile, parse_profile,
                 "For MSCCL XML: the runtime, msccl, rccl or azure (default: the one that guarantees least)");
  app.add_parsed("--reading HOW", command.reading, parse_reading,
                 "For plans of MSCCL++: as intended, or as its executor of August 2026 runs them (default: intended)");
  app.add_parsed("--sizes RANGE", command.sizes, parse_message_sizes,
                 "For plans of MSCCL++: judge messages of these sizes, such as 1Ki..64Mi (default: all)");
}

void add_outputs(const CommandApp& app, VerifyCommand& command) {
  app->add_flag("--full", command.full, "Print every property and metric");
  app->add_flag("--json", command.json, "Print the result as JSON");
  app.add_file("--json-out", command.json_out, "Also write the result as JSON to this file");
  app.add_file("--draw-counterexample", command.counterexample_out,
               fmt::format("Draw the first failure into this file: {}", picture_suffixes()));
  app.add_file("--repair-out", command.repair_out,
               "Write the first schedule that fails to this file, with the repair that was found");
  app.add_file("--certify", command.certificate, "Write a certificate of the verdict, which verify-check checks");
}

/// Options for how the work is done, on which no verdict depends.
void add_ways(const CommandApp& app, VerifyCommand& command) {
  app->add_flag("--fail-fast", command.fail_fast, "Stop after the first of several schedules that fails");
  auto* every_block = app->add_flag("--no-symmetry", command.no_symmetry,
                                    "Execute every block, even of large schedules that have a symmetry");
  app->add_flag("--symmetry", command.symmetry,
                "Execute one block for all that a checked symmetry maps it to, even in small schedules")
      ->excludes(every_block);
  app->add_flag("--repair", command.repair, "Look longer for a small change that makes a wrong schedule right");
  app->add_flag("--suggest", command.suggest, "If the formula of --peer fails, look for one nearby that passes");
  app->add_flag("--distributed", command.distributed,
                "Under mpirun: share the blocks of a large schedule among the processes");
}

}  // namespace

void describe(const CommandApp& app, VerifyCommand& command) {
  add_subject(app, command.subject,
              fmt::format("Schedule files (JSON) or programs: {}; or folders of such", program_kind_names("or")),
              Takes::several, nullptr, &command.files);
  app.group(property_group);
  add_properties(app, command);
  add_shape_of_network(app, command.metric_limits.network,
                       "Network, for limits on latency, bandwidth, congestion, time and bound");
  app.group(output_group);
  add_outputs(app, command);
  app.group("Way of working");
  add_ways(app, command);
  app.group(limits_group);
  add_block_budget(app, command.budget, "Give up on a schedule after this many block transfers and results");
}

Result<ExitCode> run(const VerifyCommand& given) {
  VerifyCommand command = given;
  if (command.files.size() == 1 && !are_many_files(command.files)) command.subject.file = command.files.front();
  if (command.distributed && !command.subject.command.empty())
    return usage_error(
        "--distributed and --exec exclude each other: each process would run the program, which may print "
        "another schedule each time; write it into a file");
  TRY(check_names(command));
  TRY(check_same_file(command));
  const bool is_heard = command.team == nullptr || command.team->number() == 0;
  return run_here(is_heard ? command : without_files(command));
}

Runner add_verify(CLI::App& app, Team* team) {
  return run_with<VerifyCommand>(app, {.subject = {}, .team = team});
}

}  // namespace onceover::cli
