#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/network_options.h"
#include "cli/run.h"
#include "cli/table.h"
#include "network/contention.h"
#include "network/papers.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Block transfers up to which a schedule is judged before its loads are shown.
constexpr std::uint64_t most_judged = 4'000'000;

constexpr std::size_t most_shown = 8;  // links, transfers on a link
constexpr std::size_t most_bins = 12;  // of the histogram

/// One schedule on its network.
struct Measured {
  Run run;
  SchedulePtr schedule;
  Network network;
  bool is_torus;  // that of the schedule's shape
  Contention contention;

  /// The step whose hottest link takes longest.
  const StepContention* hottest_step() const {
    const StepContention* hottest = nullptr;
    for (const StepContention& step : contention.steps)
      if (step.hottest >= 0 && (hottest == nullptr || time_of(step) > time_of(*hottest))) hottest = &step;
    return hottest;
  }

  Rational time_of(const StepContention& step) const {
    return step.load / Rational(network.link(step.hottest).bandwidth);
  }
};

std::string text_of(const Rational& x) {
  return number_text(static_cast<double>(x));
}

double rounded(double x) {
  return std::round(x * 1e6) / 1e6;
}

std::vector<Rank> shape_of(const Header& header) {
  return header.shape.empty() ? std::vector<Rank>{header.ranks} : header.shape;
}

Result<Measured> measure(const ContentionCommand& command, const NetworkPlan& plan, const Subject& subject) {
  auto made = subject.make();
  if (!made) return tl::unexpected(made.error());
  const Schedule& schedule = *made->schedule;
  auto network = make_network(command.network, plan, schedule.header());
  if (!network) return tl::unexpected(network.error());
  auto loads = contention(schedule, *network, {.routing = plan.routing, .budget = command.budget});
  if (!loads) return tl::unexpected(failure_of(loads.error()));
  Header header = schedule.header();
  header.owners.clear();
  const VerifyOptions judging{.budget = most_judged};
  return Measured{{subject.origin, header, verify(schedule, judging), made->notes, {}},
                  made->schedule,
                  std::move(*network),
                  command.network.topology.empty() || command.network.topology == "torus",
                  std::move(*loads)};
}

/// Links by how much they carry, most first; those that carry as much in the order of their numbers.
std::vector<Link> hottest_first(const Network& network, const LinkLoads& loads, std::size_t count) {
  std::vector<Link> links(static_cast<std::size_t>(network.link_count()));
  for (std::size_t l = 0; l < links.size(); ++l) links[l] = static_cast<Link>(l);
  count = std::min(count, links.size());
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(count), links.end(),
                    [&](Link a, Link b) {
                      if (loads.is_cooler(network, b, a)) return true;
                      return !loads.is_cooler(network, a, b) && a < b;
                    });
  links.resize(count);
  return links;
}

std::string steps_text(const StepKind& kind) {
  return kind.times == 1 ? std::to_string(kind.step) : fmt::format("{} and {} like it", kind.step, kind.times - 1);
}

std::string steps_table(const Measured& m) {
  std::vector<std::vector<std::string>> rows{{"step", "messages", "mean hops", "max hops", "blocks on the hottest link",
                                              "messages on a link", "links used", "hottest"}};
  for (const StepContention& s : m.contention.steps)
    rows.push_back({steps_text(s.kind), std::to_string(s.messages), number_text(s.hops_mean()),
                    std::to_string(s.hops_max), text_of(s.load), std::to_string(s.most_messages),
                    std::to_string(s.links_used), s.hottest < 0 ? "none" : m.network.link_text(s.hottest)});
  return table_text(rows, "  ");
}

std::string transfers_on(const Measured& m, const NetworkPlan& plan, int step, Link link) {
  const auto found = crossings(*m.schedule, m.network, plan.routing, step, link);
  std::string text = fmt::format("  on {} at step {}:", m.network.link_text(link), step);
  for (std::size_t k = 0; k < std::min(found.size(), most_shown); ++k)
    text += fmt::format("{} rank {} -> {}, {} {}{}", k == 0 ? "" : ";", found[k].src, found[k].dst, found[k].blocks,
                        found[k].blocks == 1 ? "block" : "blocks",
                        found[k].share == 1 ? "" : fmt::format(" ({} of them)", found[k].share.str()));
  if (found.size() > most_shown) text += fmt::format("; and {} more", found.size() - most_shown);
  return text + "\n";
}

/// How many links carry how much.
std::vector<std::pair<std::string, std::size_t>> histogram(const LinkLoads& loads) {
  std::map<Rational, std::size_t> count;
  for (Link l = 0; l < loads.links(); ++l) ++count[loads.load(l)];
  std::vector<std::pair<std::string, std::size_t>> bins;
  if (count.size() <= most_bins) {
    for (const auto& [load, links] : count) bins.emplace_back(text_of(load), links);
    return bins;
  }
  const Rational most = count.rbegin()->first;
  auto next = count.begin();
  for (std::size_t k = 0; k < most_bins; ++k) {
    const Rational end = most * (k + 1) / most_bins;
    std::size_t links = 0;
    for (; next != count.end() && next->first <= end; ++next) links += next->second;
    bins.emplace_back(fmt::format("{}..{}", text_of(most * k / most_bins), text_of(end)), links);
  }
  return bins;
}

std::string loads_text(const Measured& m) {
  const LinkLoads& total = m.contention.total;
  std::string text = "  over all steps, blocks on a link:";
  const auto bins = histogram(total);
  for (std::size_t k = 0; k < bins.size(); ++k)
    text += fmt::format("{} {} on {} links", k == 0 ? "" : ",", bins[k].first, bins[k].second);
  text += "\n";
  if (total.used() > 0) {
    const auto hottest = hottest_first(m.network, total, 3);
    text += "  most over all steps:";
    for (std::size_t k = 0; k < hottest.size(); ++k)
      text += fmt::format("{} {} ({})", k == 0 ? "" : ",", m.network.link_text(hottest[k]),
                          text_of(total.load(hottest[k])));
    text += "\n";
  }
  std::vector<std::string> unused;
  for (Link l = 0; l < total.links(); ++l)
    if (total.messages(l) == 0) unused.push_back(m.network.link_text(l));
  if (!unused.empty()) {
    const std::size_t count = unused.size();
    unused.resize(std::min(count, most_shown));
    text += fmt::format("  {} of {} links are never used: {}{}\n", count, total.links(), fmt::join(unused, ", "),
                        count > most_shown ? ", .." : "");
  }
  return text;
}

std::string deficiencies_text(const Measured& m) {
  if (!m.contention.deficiencies) return "";
  const Deficiencies& d = *m.contention.deficiencies;
  const Header& header = m.run.header;
  std::vector<std::vector<std::string>> rows{
      {"deficiency", "latency", "bandwidth", "congestion"},
      {"measured", number_text(d.latency), number_text(d.bandwidth), number_text(d.congestion)}};
  const auto shape = shape_of(header);
  if (!m.is_torus) return table_text(rows, "  ");
  const bool is_of_table = header.collective == Collective::allreduce && m.run.origin.kind == Origin::Kind::catalogue;
  if (const auto paper = swing_table_2(header.algorithm, shape, false); paper && is_of_table)
    rows.push_back({"Swing paper, table 2, for large p", number_text(paper->latency), number_text(paper->bandwidth),
                    number_text(paper->congestion)});
  std::string text = table_text(rows, "  ");
  const bool uses_all_ports = m.network.ports() == 2 * static_cast<int>(shape.size());
  if (const auto bounds = jain_sabharwal(header.collective, shape); bounds && uses_all_ports)
    text += fmt::format(
        "  bandwidth term: {} vectors; at least {} on these ports, bucket by the paper {} (Jain and "
        "Sabharwal)\n",
        number_text(bounds->lower * d.bandwidth * d.congestion), number_text(bounds->lower), number_text(bounds->cost));
  return text;
}

std::string verdict_text(const Run& run) {
  switch (run.report.verdict) {
    case Verdict::pass:
      return "pass  the schedule is right; see 'verify'\n";
    case Verdict::fail:
      return "fail  the schedule is wrong; see 'verify'\n";
    case Verdict::unknown:
      return fmt::format("not judged: more than {} block transfers and results; 'verify' judges it\n", most_judged);
  }
  return "";
}

std::string subject_line(const Measured& m, const NetworkPlan& plan) {
  const Header& h = m.run.header;
  return fmt::format("{}, {}{}: {} steps on {}, {} links, {} routing\n", subject_text(m.run), shape_text(shape_of(h)),
                     h.lanes == 1 ? "" : fmt::format(", {} lanes", h.lanes), m.schedule->steps(), m.network.name(),
                     m.network.link_count(), name(plan.routing));
}

/// The loads of one step.
Result<LinkLoads> loads_of_step(const Measured& m, const NetworkPlan& plan, int step) {
  auto loads = loads_of(*m.schedule, m.network, plan.routing, step, step + 1);
  if (!loads) return tl::unexpected(Failure{ExitCode::unknown, "the loads of the step outgrow 126 bits"});
  return std::move(*loads);
}

Result<int> chosen_step(const ContentionCommand& command, const Measured& m) {
  const auto step = parse_number("--step", command.step, 0, m.schedule->steps() - 1);
  if (!step) return tl::unexpected(step.error());
  if (*step != std::floor(*step))
    return usage_error(fmt::format("--step: expected a whole number, found '{}'", command.step));
  return static_cast<int>(*step);
}

std::string hottest_text(const Measured& m, const NetworkPlan& plan, const LinkLoads& loads, int step) {
  std::vector<std::vector<std::string>> rows{{"blocks", "messages", "link"}};
  const auto links = hottest_first(m.network, loads, most_shown);
  for (const Link l : links)
    if (loads.messages(l) > 0)
      rows.push_back({text_of(loads.load(l)), std::to_string(loads.messages(l)), m.network.link_text(l)});
  std::string text = fmt::format("  step {}, the hottest links:\n", step) + table_text(rows, "  ");
  if (rows.size() > 1) text += transfers_on(m, plan, step, links.front());
  return text;
}

Result<std::string> one_text(const ContentionCommand& command, const NetworkPlan& plan, const Measured& m) {
  std::string text = subject_line(m, plan);
  if (!command.step.empty()) {
    const auto step = chosen_step(command, m);
    if (!step) return tl::unexpected(step.error());
    const auto loads = loads_of_step(m, plan, *step);
    if (!loads) return tl::unexpected(loads.error());
    return text + hottest_text(m, plan, *loads, *step) + verdict_text(m.run);
  }
  if (m.schedule->steps() == 0) return text + verdict_text(m.run);
  text += steps_table(m);
  if (const StepContention* step = m.hottest_step()) text += transfers_on(m, plan, step->kind.step, step->hottest);
  return text + loads_text(m) + deficiencies_text(m) + verdict_text(m.run);
}

std::vector<std::vector<std::string>> summary_rows(const std::vector<Measured>& all) {
  std::vector<std::vector<std::string>> rows{
      {"ranks", "shape", "steps", "hops", "most messages on a link", "latency", "bandwidth", "congestion", "verdict"}};
  for (const Measured& m : all) {
    std::uint64_t messages = 0;
    std::int32_t hops = 0;
    for (const StepContention& s : m.contention.steps) {
      messages = std::max(messages, s.most_messages);
      hops = std::max(hops, s.hops_max);
    }
    const auto& d = m.contention.deficiencies;
    auto factor = [&](double x) { return d ? number_text(x) : std::string("-"); };
    rows.push_back({std::to_string(m.run.header.ranks), fmt::format("{}", fmt::join(shape_of(m.run.header), "x")),
                    std::to_string(m.schedule->steps()), std::to_string(hops), std::to_string(messages),
                    factor(d ? d->latency : 0), factor(d ? d->bandwidth : 0), factor(d ? d->congestion : 0),
                    m.run.report.verdict == Verdict::unknown ? "not judged" : std::string(name(m.run.report.verdict))});
  }
  return rows;
}

Result<std::vector<std::vector<std::string>>> csv_rows(const ContentionCommand& command, const NetworkPlan& plan,
                                                       const std::vector<Measured>& all) {
  if (all.size() > 1) return summary_rows(all);
  const Measured& m = all.front();
  LinkLoads loads = m.contention.total;
  if (!command.step.empty()) {
    const auto step = chosen_step(command, m);
    if (!step) return tl::unexpected(step.error());
    auto of_step = loads_of_step(m, plan, *step);
    if (!of_step) return tl::unexpected(of_step.error());
    loads = std::move(*of_step);
  }
  std::vector<std::vector<std::string>> rows{{"link", "from", "to", "bandwidth", "messages", "blocks"}};
  for (Link l = 0; l < loads.links(); ++l)
    rows.push_back({std::to_string(l), m.network.node_text(m.network.link(l).from),
                    m.network.node_text(m.network.link(l).to), fmt::format("{}", m.network.link(l).bandwidth),
                    std::to_string(loads.messages(l)), fmt::format("{}", static_cast<double>(loads.load(l)))});
  return rows;
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

/// What the command adds to the JSON of a run.
void add_to(Json& run, const Measured& m, const NetworkPlan& plan) {
  if (const auto& d = m.contention.deficiencies) {
    run["metrics"]["latency_deficiency"] = rounded(d->latency);
    run["metrics"]["bandwidth_deficiency"] = rounded(d->bandwidth);
    run["metrics"]["congestion_deficiency"] = rounded(d->congestion);
  }
  Json& json = run["contention"];
  json = {{"network", m.network.name()},
          {"routing", name(plan.routing)},
          {"links", m.network.link_count()},
          {"ports", m.network.ports()}};
  json["links_used"] = m.contention.total.used();
  json["steps"] = Json::array();
  for (const StepContention& s : m.contention.steps) json["steps"].push_back(step_json(m, s));
  json["loads"] = Json::array();
  for (const auto& [blocks, links] : histogram(m.contention.total))
    json["loads"].push_back({{"blocks", blocks}, {"links", links}});
}

Json json_of(const std::vector<Measured>& all, const NetworkPlan& plan) {
  std::vector<Run> runs;
  for (const Measured& m : all) runs.push_back(m.run);
  Json json = json_report(runs);
  for (std::size_t k = 0; k < all.size(); ++k) add_to(json["runs"][k], all[k], plan);
  return json;
}

/// The load of the hottest link, step by step.
Plot load_plot(const Measured& m) {
  Plot plot{.title = fmt::format("{}, {}", subject_text(m.run), m.network.name()),
            .x_label = "step",
            .y_label = "blocks on the hottest link",
            .kind = Plot::Kind::boxes,
            .x = {},
            .series = {{"", {}, {}}}};
  const std::vector<int> like = m.schedule->alike();
  std::map<int, double> load;
  for (const StepContention& step : m.contention.steps) load[step.kind.step] = static_cast<double>(step.load);
  for (std::size_t s = 0; s < like.size(); ++s) {
    plot.x.push_back(static_cast<double>(s));
    plot.series[0].values.push_back(load[like[s]]);
  }
  return plot;
}

/// The deficiencies of several schedules over their numbers of ranks.
Plot deficiency_plot(const std::vector<Measured>& all) {
  Plot plot{.title = subject_text(all.front().run),
            .x_label = "ranks",
            .y_label = "deficiency",
            .x = {},
            .series = {{"latency", {}, {}}, {"bandwidth", {}, {}}, {"congestion", {}, {}}}};
  for (const Measured& m : all) {
    if (!m.contention.deficiencies) continue;
    const Deficiencies& d = *m.contention.deficiencies;
    plot.x.push_back(m.run.header.ranks);
    plot.series[0].values.push_back(d.latency);
    plot.series[1].values.push_back(d.bandwidth);
    plot.series[2].values.push_back(d.congestion);
  }
  return plot;
}

ExitCode exit_code(const std::vector<Measured>& all) {
  const bool is_wrong =
      std::any_of(all.begin(), all.end(), [](const Measured& m) { return m.run.report.verdict == Verdict::fail; });
  return is_wrong ? ExitCode::violated : ExitCode::ok;
}

Result<std::string> text_of(const ContentionCommand& command, const NetworkPlan& plan,
                            const std::vector<Measured>& all) {
  if (command.json) return dump(json_of(all, plan));
  if (all.size() == 1) return one_text(command, plan, all.front());
  return fmt::format("{} on {}\n", subject_text(all.front().run),
                     command.network.topology.empty() ? "torus" : command.network.topology) +
         table_text(summary_rows(all), "  ");
}

}  // namespace

Result<ExitCode> run(const ContentionCommand& command) {
  const auto plan = plan_of(command.network);
  if (!plan) return tl::unexpected(plan.error());
  const auto subjects = resolve(command.subject);
  if (!subjects) return tl::unexpected(subjects.error());
  if (subjects->size() > 1 && !command.step.empty()) return usage_error("--step goes with a single schedule");
  if (command.json && !command.step.empty())
    return usage_error("--json has all steps; --step goes with the text and --csv");
  if (auto writable = check_csv(command.csv, command.json); !writable) return tl::unexpected(writable.error());
  if (auto writable = check(command.plot); !writable) return tl::unexpected(writable.error());
  std::vector<Measured> all;
  for (const Subject& subject : *subjects) {
    auto measured = measure(command, *plan, subject);
    if (!measured) return tl::unexpected(measured.error());
    all.push_back(std::move(*measured));
  }
  std::string csv;
  if (!command.csv.empty()) {
    const auto rows = csv_rows(command, *plan, all);
    if (!rows) return tl::unexpected(rows.error());
    csv = csv_text(*rows);
  }
  const auto text = text_of(command, *plan, all);
  if (!text) return tl::unexpected(text.error());
  if (command.plot.any())
    if (auto drawn = write(all.size() == 1 ? load_plot(all.front()) : deficiency_plot(all), command.plot); !drawn)
      return tl::unexpected(drawn.error());
  if (auto given = give(*text, csv, command.csv); !given) return tl::unexpected(given.error());
  return exit_code(all);
}

}  // namespace onceover::cli
