#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands.h"
#include "cli/contention_report.h"
#include "cli/files.h"
#include "cli/network_plan.h"
#include "cli/plots.h"
#include "cli/program_messages.h"
#include "cli/table.h"

namespace onceover::cli {

namespace {

Result<int> chosen_step(const ContentionCommand& command, const Schedule& schedule) {
  const auto step = parse_number("--step", command.step, 0, schedule.steps() - 1);
  if (!step) return tl::unexpected(step.error());
  if (*step != std::floor(*step))
    return usage_error(fmt::format("--step: expected a whole number, found '{}'", command.step));
  return static_cast<int>(*step);
}

/// `run` says what there is to say of the schedule itself.
Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, const SchedulePtr& schedule,
                         Run run) {
  auto network = make_network(command.network, plan, schedule->header());
  if (!network) return tl::unexpected(network.error());
  auto loads = contention(*schedule, *network, {.routing = plan.routing, .budget = command.budget});
  if (!loads) return tl::unexpected(failure_of(loads.error()));
  std::optional<int> step;
  if (!command.step.empty()) {
    const auto chosen = chosen_step(command, *schedule);
    if (!chosen) return tl::unexpected(chosen.error());
    step = *chosen;
  }
  return Measured{std::move(run),   schedule, std::move(*network),
                  plan.routing,     step,     command.network.topology.empty() || command.network.topology == "torus",
                  std::move(*loads)};
}

Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, const Subject& subject) {
  auto made = subject.make();
  if (!made) return tl::unexpected(made.error());
  Header header = made->schedule->header();
  header.owners.clear();
  Run run{subject.origin, std::move(header), verify(*made->schedule, {.budget = most_judged}), made->notes, {}};
  return measure(command, plan, made->schedule, std::move(run));
}

/// A program's messages. Bytes of messages tell no vector that deficiencies could refer to.
Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, ProgramMessages messages) {
  auto measured = measure(command, plan, messages.schedule, std::move(messages.run));
  if (!measured || messages.block_bytes == 0) return measured;
  measured->block_bytes = messages.block_bytes;
  measured->contention.deficiencies.reset();
  return measured;
}

Result<std::vector<Measured>> measure_all(const ContentionCommand& command, const NetworkPlan& plan) {
  std::vector<Measured> all;
  auto messages = resolve_messages(command.subject);
  if (!messages) return tl::unexpected(messages.error());
  if (*messages) {
    auto measured = measure(command, plan, std::move(**messages));
    if (!measured) return tl::unexpected(measured.error());
    all.push_back(std::move(*measured));
    return all;
  }
  const auto subjects = resolve(command.subject);
  if (!subjects) return tl::unexpected(subjects.error());
  if (subjects->size() > 1 && !command.step.empty()) return usage_error("--step goes with a single schedule");
  for (const Subject& subject : *subjects) {
    auto measured = measure(command, plan, subject);
    if (!measured) return tl::unexpected(measured.error());
    all.push_back(std::move(*measured));
  }
  return all;
}

Result<std::string> report_text(const ContentionCommand& command, const std::vector<Measured>& all) {
  if (command.json) return dump(contention_json(all));
  return contention_text(all, command.network.topology.empty() ? "torus" : command.network.topology);
}

ExitCode exit_code(const std::vector<Measured>& all) {
  const bool is_wrong =
      std::any_of(all.begin(), all.end(), [](const Measured& m) { return m.run.report.verdict == Verdict::fail; });
  return is_wrong ? ExitCode::violated : ExitCode::ok;
}

}  // namespace

Result<ExitCode> run(const ContentionCommand& command) {
  const auto plan = plan_of(command.network);
  if (!plan) return tl::unexpected(plan.error());
  if (command.plot.any() && !command.step.empty())
    return usage_error("--plot has all steps; --step goes with the text and --csv");
  if (command.json && !command.step.empty())
    return usage_error("--json has all steps; --step goes with the text and --csv");
  if (auto writable = check_csv(command.csv, command.json); !writable) return tl::unexpected(writable.error());
  if (auto writable = check(command.plot); !writable) return tl::unexpected(writable.error());
  const auto all = measure_all(command, *plan);
  if (!all) return tl::unexpected(all.error());
  std::string csv;
  if (!command.csv.empty()) {
    const auto rows = contention_rows(*all);
    if (!rows) return tl::unexpected(rows.error());
    csv = csv_text(*rows);
  }
  const auto text = report_text(command, *all);
  if (!text) return tl::unexpected(text.error());
  if (auto given = give(*text, csv, command.csv); !given) return tl::unexpected(given.error());
  if (command.plot.any())
    if (auto drawn = write(contention_plot(*all), command.plot); !drawn) return tl::unexpected(drawn.error());
  return exit_code(*all);
}

}  // namespace onceover::cli
