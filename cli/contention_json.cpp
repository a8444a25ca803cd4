#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rows.h"
#include "cli/contention_report.h"

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
  const auto [least, most] = std::minmax_element(plot.x.begin(), plot.x.end());
  plot.has_log_x = !plot.x.empty() && *most >= 8 * *least;
  return plot;
}

}  // namespace

Json contention_json(const std::vector<Measured>& all, const std::vector<Verification>& unmeasured) {
  auto runs = mapped(all, &Measured::run);
  runs.insert(runs.end(), unmeasured.begin(), unmeasured.end());
  Json json = json_report(runs);
  for (std::size_t k = 0; k < all.size(); ++k) add_to(json["runs"][k], all[k]);
  return json;
}

Plot contention_plot(const std::vector<Measured>& all) {
  return all.size() == 1 ? load_plot(all.front()) : deficiency_plot(all);
}

}  // namespace onceover::cli
