#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "cli/report_sections.h"
#include "subjects/required.h"

namespace onceover::cli {

namespace {

Verification judge(const Subject& subject, const Made& made, const ReportCommand& command, const Bounds& bounds) {
  Header header = made.schedule->header();
  header.owners.clear();
  const VerifyOptions options{
      .budget = command.budget, .required = command.required, .bounds = bounds, .unrequired_up_to = unrequired_up_to};
  Verification run{subject.origin, header, verify(*made.schedule, options), made.notes, {}};
  cite(run, *made.schedule, subject, 1);
  return run;
}

Result<std::string> page_of(const Reported& reported, const ReportCommand& command) {
  Progress::say("steps");
  const auto steps = player(reported.schedule);
  if (!steps && steps.error().kind == DrawError::Kind::no_program)
    return usage_error(
        "report draws with Graphviz, whose program 'dot' is not found. Install it (apt-get install graphviz)");
  ReportPage page{headline(reported.run),
                  "onceover " ONCEOVER_VERSION,
                  {},
                  dump(json_report(std::vector<Verification>{reported.run}))};
  if (steps) page.player = steps->data;
  page.sections.push_back(verdict_section(reported));
  page.sections.push_back(player_section(steps, reported.run.header));
  const auto counterexample = TRY(counterexample_section(reported));
  if (counterexample) page.sections.push_back(*counterexample);
  Progress::say("sums");
  const auto sums = TRY(sums_section(reported));
  page.sections.push_back(sums);
  Progress::say("loads of links");
  const auto loads = TRY(contention_section(reported, command));
  page.sections.push_back(loads);
  Progress::say("times");
  page.sections.push_back(time_section(reported, command));
  Progress::say("proofs");
  page.sections.push_back(proofs_section(reported));
  page.sections.push_back(reproduction_section(reported, command));
  return report_page(page);
}

}  // namespace

Result<ExitCode> run(const ReportCommand& command) {
  const auto plan = TRY(plan_of(command.network));
  const Bounds& bounds = command.bounds;
  TRY(check_required(command.required, bounds));
  TRY(check_fit(command.required, Form::schedule));
  TRY(check_writable(command.output));
  TRY(check_distinct(files_read(command.subject, command.network), {{"-o", command.output}}));
  auto subjects = TRY(resolve_schedules(command.subject));
  const auto subject = TRY(single(std::move(subjects), "report shows"));
  const auto made = TRY(subject.make());
  // A network that can't be made is the user's mistake, not a section of a page.
  TRY(make_network(command.network, plan, made.schedule->header()));
  const Reported reported{judge(subject, made, command, bounds), *made.schedule, plan, bounds};
  const auto page = TRY(page_of(reported, command));
  // A section may say that a limit cut it off.
  const bool is_whole = !stop_requested() || reported.run.report.verdict != Verdict::pass;
  const Verdict verdict = is_whole ? reported.run.report.verdict : Verdict::unknown;
  const ExitCode ends = after_output(exit_code(verdict), write_text(command.output, page));
  if (verdict != Verdict::pass)
    warn(fmt::format("{}: the verdict is {}{}", command.output, name(verdict), is_whole ? "" : ": " + stop_reason()));
  return ends;
}

}  // namespace onceover::cli
