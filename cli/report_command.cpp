#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "cli/program_messages.h"
#include "cli/report_sections.h"
#include "schedules/listed_schedule.h"
#include "subjects/required.h"
#include "viz/html.h"
#include "viz/program_view.h"
#include "viz/renderer.h"

namespace onceover::cli {

namespace {

Verification judge(const Subject& subject, const Made& made, const ReportCommand& command, const Bounds& bounds) {
  Header header = made.schedule->header();
  header.owners.clear();
  const VerifyOptions options = judging(command, bounds);
  Verification run{subject.origin, header, verify(*made.schedule, options), made.notes, made.as};
  run.repair = find_repair(*made.schedule, run.report, options);
  cite(run, *made.schedule, subject, 1);
  return run;
}

/// Where the counterexamples of a program are in its steps.
std::map<std::string, std::vector<PlacedSite>, std::less<>> faults_of(const Judgeable& program, const Report& report) {
  std::map<std::string, std::vector<PlacedSite>, std::less<>> faults;
  for (const PropertyResult& property : report.properties) {
    if (!property.counterexample) continue;
    for (const auto& site : program.placed(property.counterexample->facts().sites))
      if (site) faults[std::string(property.id)].push_back(*site);
  }
  return faults;
}

/// What all pages begin with.
struct Opening {
  ReportPage page;
  ReportedLoads loads;
};

/// The verdict, the player and, if there is a second subject, what differs.
Result<Opening> opening_of(const Reported& reported, Played played, std::string_view about,
                           const ReportCommand& command) {
  ReportPage page{headline(reported.run),
                  "onceover " ONCEOVER_VERSION,
                  {},
                  dump(json_report(std::vector<Verification>{reported.run}))};
  Progress::say("loads of links");
  auto loads = TRY(loads_of(reported, command));
  const auto beside = TRY(beside_of(reported, command));
  Progress::say("steps");
  if (beside) played.beside = beside->second.schedule;
  if (loads.found) played.contention = &*loads.found;
  played.network = &loads.network;
  const auto steps = player(reported.schedule, played);
  if (!steps && steps.error().kind == DrawError::Kind::no_program)
    return usage_error("report draws with Graphviz, whose program 'dot' is not found. Install it:" +
                       ways_to_install(graphviz));
  if (steps) page.player = steps->data;
  page.sections.push_back(verdict_section(reported));
  page.sections.push_back(player_section(steps, reported.schedule.header(), about));
  if (beside) page.sections.push_back(TRY(beside_section(reported, loads, *beside)));
  return Opening{std::move(page), std::move(loads)};
}

Result<std::string> page_of(const Reported& reported, const ReportCommand& command) {
  auto [page, network] = TRY(opening_of(reported, {}, "", command));
  const auto counterexample = TRY(counterexample_section(reported));
  if (counterexample) page.sections.push_back(*counterexample);
  Progress::say("sums");
  const auto sums = TRY(sums_section(reported));
  page.sections.push_back(sums);
  const auto loads = TRY(contention_section(reported, network));
  page.sections.push_back(loads);
  Progress::say("times");
  page.sections.push_back(time_section(reported, command));
  Progress::say("proofs");
  page.sections.push_back(proofs_section(reported));
  page.sections.push_back(reproduction_section(reported, command));
  return report_page(page);
}

/// The page of a program: what depends on amounts and waits, but not on the data of single messages.
Result<std::string> page_of_program(const Judgeable& program, const Reported& reported, const Drawn<std::string>& waits,
                                    const ReportCommand& command) {
  auto [page, loads] = TRY(opening_of(
      reported,
      {.has_blocks = false, .block_bytes = reported.block_bytes, .faults = faults_of(program, reported.run.report)},
      "A message's step is how many others must have arrived before it, one after "
      "another.",
      command));
  page.sections.push_back(TRY(waits_section(waits)));
  page.sections.push_back(TRY(contention_section(reported, loads)));
  Progress::say("times");
  if (reported.block_bytes == 0) page.sections.push_back(time_section(reported, command));
  page.sections.push_back(reproduction_section(reported, command));
  return report_page(page);
}

/// The page of a program whose messages have no steps, since it never ends or has none: what waits for what.
Result<std::string> page_without_steps(const Verification& run, const std::string& why, const Drawn<std::string>& waits,
                                       const NetworkPlan& plan, const ReportCommand& command) {
  const ListedSchedule none(run.header, ListedSchedule::Builder());
  const Reported reported{run, none, plan};
  const auto section = TRY(waits_section(waits));
  return report_page({.title = headline(run),
                      .program = "onceover " ONCEOVER_VERSION,
                      .sections = {verdict_section(reported),
                                   {"steps", "Step by step", paragraph_html(why)},
                                   section,
                                   reproduction_section(reported, command)},
                      .run = dump(json_report(std::vector<Verification>{run}))});
}

Result<ExitCode> give_page(const std::string& page, Verdict judged, const ReportCommand& command) {
  // A section may say that a limit cut it off.
  const bool is_whole = !stop_requested() || judged != Verdict::pass;
  const Verdict verdict = is_whole ? judged : Verdict::unknown;
  const ExitCode ends = after_output(exit_code(verdict), write_text(command.output, page));
  if (verdict != Verdict::pass)
    warn(fmt::format("{}: the verdict is {}{}", command.output, name(verdict), is_whole ? "" : ": " + stop_reason()));
  return ends;
}

Requirements asked_of(const ReportCommand& command) {
  return {command.required, command.waived, command.bounds};
}

Result<ExitCode> report_program(const Judgeable& program, const NetworkPlan& plan, const ReportCommand& command) {
  if (command.bounds != Bounds())
    return usage_error(
        fmt::format("{} are about the steps of schedules; a program has none", fmt::join(bound_flags(), " and ")));
  TRY(check_fit(asked_of(command), program.form()));
  auto shape = TRY(shape_of(command.subject.tori, program.ranks()));
  const auto messages = program.messages(std::move(shape));
  if (!messages && messages.error().kind == NoMessages::Kind::unknown)
    return tl::unexpected(no_messages(program, messages.error()));
  JudgeOptions asked{.verify = {.budget = command.budget, .required = command.required, .waived = command.waived}};
  if (command.subject.ranks) asked.launches.ranks = command.subject.ranks->value;
  auto run = TRY(program.judge(asked));
  const ProgramDrawOptions wide{.style = {.width = 9, .font_size = 9}};
  const auto waits =
      run.launches ? draw_launches(run.launches->loaded, run.launches->report, wide) : program.order(wide);
  if (!messages)
    return give_page(TRY(page_without_steps(run, no_messages(program, messages.error()).message, waits, plan, command)),
                     run.report.verdict, command);
  const Header& header = messages->schedule->header();
  const bool is_of_gpus = program.kind().describes_gpus;
  ReportCommand on_network = command;
  on_network.network = network_of(command.network, command.subject, is_of_gpus);
  TRY(make_network(on_network.network, plan, header));
  run.header.shape = header.shape;
  const bool is_told = command.network.topology || !command.subject.tori.empty();
  const Reported reported{.run = std::move(run),
                          .schedule = *messages->schedule,
                          .plan = plan,
                          .block_bytes = messages->block_bytes,
                          .has_deficiencies = is_told || !is_of_gpus};
  const auto page = TRY(page_of_program(program, reported, waits, on_network));
  return give_page(page, reported.run.report.verdict, command);
}

Result<ExitCode> report_schedule(const std::vector<Subject>& subjects, const NetworkPlan& plan,
                                 const ReportCommand& command) {
  const Bounds& bounds = command.bounds;
  TRY(check_fit(asked_of(command), Form::schedule));
  const auto subject = TRY(single(subjects, "report shows"));
  const auto made = TRY(subject.make());
  // A network that can't be made is the user's mistake, not a section of a page.
  TRY(make_network(command.network, plan, made.schedule->header()));
  const Reported reported{judge(subject, made, command, bounds), *made.schedule, plan, bounds};
  const auto page = TRY(page_of(reported, command));
  return give_page(page, reported.run.report.verdict, command);
}

}  // namespace

Result<ExitCode> run(const ReportCommand& command) {
  const auto plan = plan_of(command.network);
  TRY(check_required(asked_of(command)));
  TRY(check_writable(command.output));
  auto read = files_read(command.subject, command.network);
  read.push_back({"--beside", command.beside});
  TRY(check_distinct(read, {{"-o", command.output}}));
  const auto named = TRY(resolve(command.subject, ProgramsOnTori::yes));
  return named.program ? report_program(*named.program, plan, command)
                       : report_schedule(named.schedules, plan, command);
}

}  // namespace onceover::cli
