// `verify report`: everything about one schedule or program on one page, beside a second one if there is one.

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/program_messages.h"
#include "cli/report_sections.h"
#include "cli/verify_command.h"
#include "schedules/listed_schedule.h"
#include "subjects/required.h"
#include "viz/html.h"
#include "viz/launch_flags.h"
#include "viz/program_view.h"

namespace onceover::cli {

namespace {

using Table = std::vector<std::vector<std::string>>;

std::string verdict_on(const PropertyResult& property, const Report& report) {
  for (const PropertyResult& p : report.properties)
    if (p.id == property.id) return std::string(name(p.verdict));
  return "not judged";
}

void add_row(Table& rows, std::string what, const std::string& one, const std::string& other) {
  rows.push_back({std::move(what), one, other, one == other ? "" : "differs"});
}

void add_verdicts(Table& rows, const Report& one, const Report& other) {
  add_row(rows, "verdict", std::string(name(one.verdict)), std::string(name(other.verdict)));
  for (const PropertyResult& p : one.properties)
    add_row(rows, std::string(p.id), std::string(name(p.verdict)), verdict_on(p, other));
}

void add_metrics(Table& rows, const Metrics& one, const Metrics& other) {
  const auto add = [&](const char* what, std::uint64_t a, std::uint64_t b) {
    add_row(rows, what, std::to_string(a), std::to_string(b));
  };
  add("steps", static_cast<std::uint64_t>(one.steps), static_cast<std::uint64_t>(other.steps));
  add("messages", one.messages, other.messages);
  add("messages that a rank sends at once", one.max_sends_per_rank_step, other.max_sends_per_rank_step);
  add("depth of sums", one.term_depth, other.term_depth);
}

void add_deficiencies(Table& rows, const std::optional<Contention>& one, const std::optional<Contention>& other) {
  if (!one || !other || !one->deficiencies || !other->deficiencies) return;
  const Deficiencies &a = *one->deficiencies, &b = *other->deficiencies;
  for (const auto& [what, of_one, of_other] : {std::tuple("latency deficiency", a.latency, b.latency),
                                               std::tuple("bandwidth deficiency", a.bandwidth, b.bandwidth),
                                               std::tuple("congestion deficiency", a.congestion, b.congestion)})
    add_row(rows, what, number_text(of_one), number_text(of_other));
}

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
                  banner_html(reported.run),
                  {},
                  dump(json_report(std::vector<Verification>{reported.run}))};
  Progress::say("loads of links");
  auto loads = TRY(loads_of(reported, command));
  const auto beside = TRY(beside_of(reported, command));
  Progress::say("steps");
  if (beside) played.beside = beside->second.schedule;
  if (loads.found) played.contention = &*loads.found;
  played.network = &loads.network;
  played.flows = {.routing = reported.plan.routing, .budget = command.budget};
  const auto within = within_limits([&] { return player(reported.schedule, played); });
  const auto steps = within ? *within : Drawn<Player>(unsuitable(within.error()));
  if (steps) page.player = steps->data;
  page.sections.push_back(player_section(steps, reported.schedule.header(), about));
  page.sections.push_back(verdict_section(reported));
  if (beside) page.sections.push_back(TRY(beside_section(reported, loads, *beside)));
  return Opening{std::move(page), std::move(loads)};
}

Result<std::string> page_of(const Reported& reported, const std::optional<ReportedCalls>& calls,
                            const ReportCommand& command) {
  auto [page, network] = TRY(opening_of(reported, {}, "", command));
  const auto counterexample = counterexample_section(reported);
  if (counterexample) page.sections.push_back(*counterexample);
  if (calls) page.sections.push_back(calls->section);
  if (calls && !calls->deadlock.empty()) page.banner = banner_html(Verdict::fail, calls->deadlock);
  Progress::say("sums");
  const auto sums = sums_section(reported);
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
Result<std::string> page_of_program(const Judgeable& program, const Reported& reported, const Drawn<Picture>& waits,
                                    const ReportCommand& command) {
  auto [page, loads] = TRY(opening_of(
      reported,
      {.has_blocks = false, .block_bytes = reported.block_bytes, .faults = faults_of(program, reported.run.report)},
      "A message's step is how many others must have arrived before it, one after "
      "another.",
      command));
  page.sections.push_back(waits_section(waits));
  page.sections.push_back(TRY(contention_section(reported, loads)));
  Progress::say("times");
  if (reported.block_bytes == 0) page.sections.push_back(time_section(reported, command));
  page.sections.push_back(reproduction_section(reported, command));
  return report_page(page);
}

/// Adds the player of a launch's flags.
void add_launch(const gpu::JudgedDescription& launches, ReportPage& page) {
  const auto flags = launch_flags(launches.loaded, launches.report);
  const auto steps = flags ? player(*flags->schedule,
                                    {.has_blocks = false, .unit = "flag", .rows = flags->rows, .faults = flags->faults})
                           : Drawn<Player>(tl::unexpected(flags.error()));
  if (steps) page.player = steps->data;
  std::string about =
      "A row is a stream of a rank, or one of its blocks. A message is a flag: one wrote it, and the other saw it. Its "
      "step is how many others were seen before it was written, one after another.";
  if (flags) {
    about += fmt::format(" This is one interleaving of the launch with p = {}", flags->ranks);
    if (flags->size > 0) about += fmt::format(", n = {}", flags->size);
    about += flags->is_whole ? "." : ". It is longer than what was recorded.";
  }
  page.sections.push_back(player_section(steps, flags ? flags->schedule->header() : Header(), about));
}

/// The page of a program whose messages have no steps, since it never ends or has none: what waits for what is first.
Result<std::string> page_without_steps(const Verification& run, const std::string& why, const Drawn<Picture>& waits,
                                       const NetworkPlan& plan, const ReportCommand& command) {
  const ListedSchedule none(run.header, ListedSchedule::Builder());
  const Reported reported{run, none, plan};
  auto section = waits_section(waits);
  ReportPage page{.title = headline(run),
                  .program = "onceover " ONCEOVER_VERSION,
                  .banner = banner_html(run),
                  .run = dump(json_report(std::vector<Verification>{run}))};
  if (run.launches)
    add_launch(*run.launches, page);
  else
    section.html = paragraph_html(why) + section.html;
  for (const ReportSection& each : {section, verdict_section(reported), reproduction_section(reported, command)})
    page.sections.push_back(each);
  return report_page(page);
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
  if (!command.blocking.empty())
    return usage_error("--blocking is about schedules; a program says itself when it waits");
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
      run.launches ? draw_launches(run.launches->loaded, run.launches->report, wide) : program.order(wide)(wide);
  if (!messages)
    return give_page(TRY(page_without_steps(run, messages.error().why, waits, plan, command)), run.report.verdict,
                     command);
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
  const auto calls = TRY(blocking_section(reported, command));
  const auto page = TRY(page_of(reported, calls, command));
  const bool deadlocks = calls && !calls->deadlock.empty();
  return give_page(page, deadlocks ? Verdict::fail : reported.run.report.verdict, command);
}

}  // namespace

Result<ReportSection> beside_section(const Reported& reported, const ReportedLoads& loads,
                                     const ReportedBeside& beside) {
  const Verification& run = reported.run;
  const Second& second = beside.second;
  const auto [one, other] = names_beside(run, second.run);
  Table rows{{"", one, other, "differs"}};
  add_verdicts(rows, run.report, second.run.report);
  if (!run.report.program && !second.run.report.program)
    add_metrics(rows, run.report.metrics, second.run.report.metrics);
  add_deficiencies(rows, loads.found, beside.loads.found);
  std::string html = table_html(rows);
  if (loads.found && beside.loads.found) {
    const auto steps = TRY(steps_beside({one, reported.schedule, *loads.found, reported.block_bytes},
                                        {other, *second.schedule, *beside.loads.found, second.block_bytes}));
    html += table_html(steps, "The link that carries most at each step.");
  }
  return ReportSection{"beside", fmt::format("Beside {}", subject_text(second.run)), html};
}

void describe(const CommandApp& app, ReportCommand& command) {
  add_subject(app, command.subject, schedule_or_program());
  app.group(property_group);
  add_required(app, command.required, command.waived);
  add_bounds(app, command.bounds);
  app.add_parsed(
      "--blocking ORDER", command.blocking, parse_call_orders,
      "Also judge the schedule as blocking calls in these orders: even-odd, all-send-first, sendrecv, or all");
  add_network(app, command.network);
  app.group(output_group);
  add_beside(app, command.beside, "Show this algorithm or file on the same page, and what differs");
  app.add_file("-o,--output", command.output, "The page to write, such as report.html; - prints it")->required();
  app.group(limits_group);
  add_block_budget(app, command.budget, "Give up after this many block transfers, or links that messages cross");
}

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

Runner add_report(CLI::App& app) {
  return run_with<ReportCommand>(app);
}

}  // namespace onceover::cli
