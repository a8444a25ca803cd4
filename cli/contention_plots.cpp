// The plots of `verify contention`: loads step by step, or deficiencies over the number of ranks.
//
// | what was measured | plots |
// |---|---|
// | one schedule | boxes, the load of the hottest link in each step |
// | several for as many ranks | a line of such loads for each, in vectors, since their blocks may differ in size |
// | one algorithm for several p | a line for each deficiency |
// | several algorithms for several p | a plot for each deficiency, with a line for each algorithm |

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/rows.h"
#include "cli/contention_report.h"
#include "cli/second_subject.h"

namespace onceover::cli {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// The load of the hottest link in each step, in blocks.
std::vector<double> loads_by_step(const Measured& m) {
  std::map<int, double> load;
  for (const StepContention& step : m.contention.steps) load[step.kind.step] = static_cast<double>(step.load);
  return mapped(m.schedule->alike(), [&](int like) { return load[like]; });
}

Plot load_plot(const Measured& m) {
  Plot plot{.title = fmt::format("{}, {}", subject_text(m.run), m.network.name()),
            .x_label = "step",
            .y_label = "blocks on the hottest link",
            .kind = Plot::Kind::boxes,
            .x = {},
            .series = {{"", loads_by_step(m), {}}}};
  for (std::size_t s = 0; s < plot.series.front().values.size(); ++s) plot.x.push_back(static_cast<double>(s));
  return plot;
}

/// "allreduce, torus 4x4": what all have in common.
std::string title_of_plot(const Measured& m, const std::string& network) {
  return fmt::format("{}, {}", name(m.run.header.collective), network);
}

/// A step that a schedule lacks is a gap.
Plot loads_plot(const std::vector<Measured>& all, const std::vector<std::string>& names) {
  const bool has_bytes = all.front().block_bytes > 0;
  Plot plot{.title = title_of_plot(all.front(), all.front().network.name()),
            .x_label = "step",
            .y_label = fmt::format("{} on the hottest link", has_bytes ? "bytes" : "vectors")};
  std::size_t most = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Series series{names[k], loads_by_step(all[k]), {}};
    const double unit = has_bytes ? static_cast<double>(all[k].block_bytes) : 1.0 / all[k].run.header.blocks;
    for (double& value : series.values) value *= unit;
    most = std::max(most, series.values.size());
    plot.series.push_back(std::move(series));
  }
  for (std::size_t s = 0; s < most; ++s) {
    plot.x.push_back(static_cast<double>(s));
    plot.x_names.push_back(fmt::format("{}", s));
  }
  for (Series& series : plot.series) series.values.resize(most, nothing);
  return plot;
}

struct NamedDeficiency {
  const char* name;
  double Deficiencies::*value;
};
constexpr std::array deficiencies{NamedDeficiency{"latency", &Deficiencies::latency},
                                  NamedDeficiency{"bandwidth", &Deficiencies::bandwidth},
                                  NamedDeficiency{"congestion", &Deficiencies::congestion}};

/// A plot without lines over the numbers of ranks that were measured.
Plot plot_over_ranks(const std::vector<Measured>& all, std::string title, std::string y_label) {
  Plot plot{.title = std::move(title), .x_label = "ranks", .y_label = std::move(y_label)};
  for (const Measured& m : all)
    if (m.contention.deficiencies) plot.x.push_back(m.run.header.ranks);
  std::sort(plot.x.begin(), plot.x.end());
  plot.x.erase(std::unique(plot.x.begin(), plot.x.end()), plot.x.end());
  plot.has_log_x = !plot.x.empty() && plot.x.back() >= 8 * plot.x.front();
  return plot;
}

/// A line over the plot's x; numbers of ranks that weren't measured are gaps.
void add_line(Plot& plot, const std::string& line, const std::vector<const Measured*>& measured,
              double Deficiencies::*deficiency) {
  Series series{line, std::vector<double>(plot.x.size(), nothing), {}};
  for (const Measured* m : measured) {
    if (!m->contention.deficiencies) continue;
    const auto at = std::lower_bound(plot.x.begin(), plot.x.end(), m->run.header.ranks);
    series.values[static_cast<std::size_t>(at - plot.x.begin())] = *m->contention.deficiencies.*deficiency;
  }
  plot.series.push_back(std::move(series));
}

Plot deficiency_plot(const std::vector<Measured>& all) {
  Plot plot = plot_over_ranks(all, subject_text(all.front().run), "deficiency");
  std::vector<const Measured*> measured;
  for (const Measured& m : all) measured.push_back(&m);
  for (const NamedDeficiency& each : deficiencies) add_line(plot, each.name, measured, each.value);
  return plot;
}

std::vector<Plot> deficiency_plots(const std::vector<Measured>& all, const std::vector<std::string>& names) {
  std::vector<std::string> algorithms;
  for (const std::string& each : names)
    if (!has(algorithms, each)) algorithms.push_back(each);
  std::vector<Plot> plots;
  for (const NamedDeficiency& each : deficiencies) {
    Plot plot = plot_over_ranks(all, std::string(name(all.front().run.header.collective)),
                                fmt::format("{} deficiency", each.name));
    for (const std::string& algorithm : algorithms) {
      std::vector<const Measured*> measured;
      for (std::size_t k = 0; k < all.size(); ++k)
        if (names[k] == algorithm) measured.push_back(&all[k]);
      add_line(plot, algorithm, measured, each.value);
    }
    plots.push_back(std::move(plot));
  }
  return plots;
}

/// What lines are called. Two subjects for as many ranks may have the same name, and are numbered.
std::vector<std::string> names_of_lines(const std::vector<Measured>& all) {
  if (all.size() == 2) {
    const auto [one, other] = names_beside(all[0].run, all[1].run);
    return {one, other};
  }
  return mapped(all, [](const Measured& m) { return m.run.header.algorithm; });
}

}  // namespace

std::vector<Plot> contention_plots(const std::vector<Measured>& all) {
  if (all.size() == 1) return {load_plot(all.front())};
  const auto is_of = [&](const auto& what) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Measured& m) { return what(m.run.header) == what(all.front().run.header); });
  };
  const bool is_one_shape = is_of([](const Header& h) { return h.sides(); });
  const bool is_one_algorithm = is_of([](const Header& h) { return h.algorithm; });
  if (is_one_shape) return {loads_plot(all, names_of_lines(all))};
  if (is_one_algorithm) return {deficiency_plot(all)};
  return deficiency_plots(all, mapped(all, [](const Measured& m) { return m.run.header.algorithm; }));
}

}  // namespace onceover::cli
