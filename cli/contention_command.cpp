// `verify contention`: the loads of links, for people, as JSON and as CSV.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/contention_report.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/plots.h"
#include "cli/program_messages.h"
#include "cli/second_subject.h"
#include "schedules/catalogue.h"
#include "subjects/network_plan.h"

namespace onceover::cli {

namespace {

double rounded(double x) {
  return std::round(x * 1e6) / 1e6;
}

Json step_json(const Measured& m, const StepContention& s) {
  Json json{{"step", s.kind.step},        {"times", s.kind.times},
            {"messages", s.messages},     {"block_transfers", s.block_transfers},
            {"hops_max", s.hops_max},     {"hops_mean", rounded(s.hops_mean())},
            {"links_used", s.links_used}, {"max_messages_per_link", s.most_messages}};
  if (s.hottest >= 0)
    json["hottest"] = {{"from", m.network.node_text(m.network.link(s.hottest).from)},
                       {"to", m.network.node_text(m.network.link(s.hottest).to)},
                       {"blocks", static_cast<double>(s.load)},
                       {"blocks_exact", s.load.str()}};
  return json;
}

/// Adds this command's results to the JSON of a run.
void add_to(Json& run, const Measured& m) {
  if (const auto& d = m.contention.deficiencies) {
    run["metrics"]["latency_deficiency"] = rounded(d->latency);
    run["metrics"]["bandwidth_deficiency"] = rounded(d->bandwidth);
    run["metrics"]["congestion_deficiency"] = rounded(d->congestion);
  }
  Json& json = run["contention"];
  json = {{"network", m.network.name()},
          {"routing", name(m.routing)},
          {"links", m.network.link_count()},
          {"ports", m.network.ports()}};
  if (m.block_bytes > 0) json["block_bytes"] = m.block_bytes;
  if (m.least)
    json["time"] = {{"vectors", m.vectors().str()},
                    {"at_least", m.least->vectors.str()},
                    {"is_reached", m.least->is_reached},
                    {"ratio", rounded(static_cast<double>(m.vectors() / m.least->vectors))}};
  json["links_used"] = m.contention.total.used();
  json["steps"] = Json::array();
  for (const StepContention& s : m.contention.steps) json["steps"].push_back(step_json(m, s));
  json["loads"] = Json::array();
  for (const auto& [blocks, links] : histogram(m.contention.total))
    json["loads"].push_back({{"blocks", blocks}, {"links", links}});
}

}  // namespace

Json contention_json(const std::vector<Measured>& all, const std::vector<Verification>& unmeasured) {
  auto runs = mapped(all, &Measured::run);
  runs.insert(runs.end(), unmeasured.begin(), unmeasured.end());
  Json json = json_report(runs);
  for (std::size_t k = 0; k < all.size(); ++k) add_to(json["runs"][k], all[k]);
  return json;
}

namespace {

struct ContentionCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::optional<int> step = {};  // show the loads of one step, not of all
  std::string beside = {};       // another algorithm or file, compared step by step
  std::string csv = {};
  PlotFiles plot = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // links crossed by messages
};

Result<std::optional<int>> chosen_step(const ContentionCommand& command, const Schedule& schedule) {
  const auto& step = command.step;
  if (step && (*step < 0 || *step >= schedule.steps()))
    return usage_error(fmt::format("--steps: expected a step from 0 to {}, found '{}'{}", schedule.steps() - 1, *step,
                                   command.subject.peer ? std::string(see_peer_steps) : ""));
  return step;
}

/// Measures a schedule; `run` is its verdict.
Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, const SchedulePtr& schedule,
                         Verification run) {
  auto network = TRY(make_network(command.network, plan, schedule->header()));
  auto loads = contention(*schedule, network, {.routing = plan.routing, .budget = command.budget});
  if (!loads) return tl::unexpected(failure_of(loads.error()));
  const auto step = TRY(chosen_step(command, *schedule));
  const auto& topology = command.network.topology;
  auto least = least_time_beside(run, schedule->header(), network);
  return Measured{.run = std::move(run),
                  .schedule = schedule,
                  .network = std::move(network),
                  .routing = plan.routing,
                  .step = step,
                  .is_torus = !topology || topology->text == "torus",
                  .contention = std::move(*loads),
                  .least = std::move(least)};
}

Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, const Subject& subject) {
  auto made = TRY(subject.make());
  Header header = made.schedule->header();
  header.owners.clear();
  Verification run{subject.origin, std::move(header), verify(*made.schedule, briefly()), made.notes, made.as};
  if (command.json.is_wanted()) cite(run, *made.schedule, subject, 1);
  return measure(command, plan, made.schedule, std::move(run));
}

/// Measures a program's messages. If their sizes are in bytes, there is no vector to which deficiencies could refer.
Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, ProgramMessages messages) {
  auto measured = measure(command, plan, messages.schedule, std::move(messages.run));
  if (!measured || messages.block_bytes == 0) return measured;
  measured->block_bytes = messages.block_bytes;
  measured->contention.deficiencies.reset();
  measured->least.reset();
  return measured;
}

/// What was measured, and what a limit or an interrupt left out.
struct Measurements {
  std::vector<Measured> all;
  std::vector<Verification> unmeasured;  // with the reason
  std::string why;                       // the reason
};

/// Measures the subjects in order, until one is cut off.
Result<Measurements> measure_each(const ContentionCommand& command, const NetworkPlan& plan,
                                  const std::vector<Subject>& subjects) {
  Measurements done;
  for (const Subject& subject : subjects) {
    Progress::say(done.all.size(), subjects.size(), shape_text(subject.shape));
    auto measured =
        done.why.empty() ? within_limits([&] { return measure(command, plan, subject); }) : tl::unexpected(done.why);
    if (measured && !*measured) return tl::unexpected(measured->error());
    if (measured) {
      done.all.push_back(std::move(**measured));
      continue;
    }
    done.why = measured.error();
    done.unmeasured.push_back(unfinished_run(subject, done.why));
  }
  if (done.all.empty()) throw LimitRanOut(done.why);
  return done;
}

/// Measures the subjects; those of GPUs may choose the command's network.
Result<Measurements> measure_all(ContentionCommand& command, const NetworkPlan& plan) {
  auto sendable = TRY(resolve_sendable(command.subject));
  if (auto& messages = sendable.program) {
    command.network = network_of(command.network, command.subject, messages->is_of_gpus);
    auto measured = TRY(measure(command, plan, *std::move(messages)));
    Measurements done;
    done.all.push_back(std::move(measured));
    return done;
  }
  const auto& subjects = sendable.schedules;
  if (subjects.size() > 1 && command.step) return usage_error("--steps goes with a single schedule");
  return measure_each(command, plan, subjects);
}

Result<std::string> report_text(const ContentionCommand& command, const Measurements& done) {
  auto text = contention_text(done.all, command.network.topology.value_or(TopologyChoice{}).text);
  if (text && !done.unmeasured.empty())
    *text += fmt::format("  not measured, of {}: the last {}: {}\n", done.all.size() + done.unmeasured.size(),
                         done.unmeasured.size(), done.why);
  return text;
}

/// Adds the subject of --beside.
Result<void> add_beside(const ContentionCommand& command, const NetworkPlan& plan, Measurements& done) {
  if (command.beside.empty()) return {};
  if (done.all.size() + done.unmeasured.size() != 1) return usage_error("--beside goes with a single schedule");
  auto second = TRY(judged_beside(command.beside, done.all.front().schedule->header(), briefly()));
  auto measured = TRY(measure(command, plan, second.schedule, std::move(second.run)));
  measured.block_bytes = second.block_bytes;
  if (command.plot.any() && (measured.block_bytes > 0) != (done.all.front().block_bytes > 0))
    return usage_error("--beside: one has sizes in bytes, and the other in parts of a vector");
  done.all.push_back(std::move(measured));
  return {};
}

/// Two schedules step by step, then a line on each.
Result<std::string> text_beside(const ContentionCommand& command, const Measurements& done) {
  const Measured &one = done.all[0], &other = done.all[1];
  const auto [name, other_name] = names_beside(one.run, other.run);
  const auto rows = TRY(steps_beside({name, *one.schedule, one.contention, one.block_bytes},
                                     {other_name, *other.schedule, other.contention, other.block_bytes}));
  const auto summary = TRY(report_text(command, done));
  return summary + "  the link that carries most at each step:\n" + table_text(rows, "  ");
}

Verdict verdict_of_all(const Measurements& done) {
  std::vector<Verification> runs = done.unmeasured;
  for (const Measured& m : done.all) runs.push_back(m.run);
  return overall(runs);
}

Result<int> parse_step(const std::string& text) {
  if (const auto step = parse_whole<int>(text)) return *step;
  return usage_error(
      fmt::format("--steps: expected the number of one step, found '{}'{}", text, hint_at_peer_steps(text)));
}

void describe(const CommandApp& app, ContentionCommand& command) {
  add_subject(app, command.subject, schedule_or_program(), Takes::several);
  add_network(app, command.network);
  app.group(output_group);
  app.add_parsed("--steps S", command.step, parse_step, "Show the loads of this step only");
  add_beside(app, command.beside, "Compare the loads with those of this algorithm or file, step by step");
  add_json(app, command.json);
  app.add_file("--csv-out", command.csv, "Write the loads of all links to this file; - prints them");
  add_plot(app, command.plot, "the load of each step, or deficiencies over the number of ranks");
  app.group(limits_group);
  add_link_budget(app, command.budget);
}

Result<ExitCode> run(const ContentionCommand& given) {
  ContentionCommand command = given;
  const auto plan = plan_of(command.network);
  if (command.plot.any() && command.step)
    return usage_error("--plot has all steps; --steps goes with the text and --csv-out");
  if (command.json.is_wanted() && command.step)
    return usage_error("--json has all steps; --steps goes with the text and --csv-out");
  if (!command.beside.empty() && command.step) return usage_error("--beside compares all steps; leave out --steps");
  auto read = files_read(command.subject, command.network);
  read.push_back({"--beside", command.beside});
  TRY(check_outputs(read, command.json, command.csv, command.plot));
  auto done = TRY(measure_all(command, plan));
  TRY(add_beside(command, plan, done));
  std::string csv;
  if (!command.csv.empty()) {
    const auto rows = TRY(contention_rows(done.all));
    csv = csv_text(rows);
  }
  const std::string json = command.json.is_wanted() ? dump(contention_json(done.all, done.unmeasured)) : "";
  const auto text = TRY(command.json.is_printed  ? Result<std::string>()
                        : command.beside.empty() ? report_text(command, done)
                                                 : text_beside(command, done));
  return give_measured(exit_code(verdict_of_all(done)), {text, csv, json, [&] { return contention_plots(done.all); }},
                       command.json, command.csv, command.plot);
}

}  // namespace

Runner add_contention(CLI::App& app) {
  return run_with<ContentionCommand>(app);
}

}  // namespace onceover::cli
