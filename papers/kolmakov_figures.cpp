// Kolmakov and Zhang's figure 1, and what their formulas give in the settings of figures 7 to 12, which are
// measurements on their cluster. All is for the cluster of their table 2.
//
// The formulas are equations (15), (25), (36) and (44), and for the algorithms that they compare with, section 3.
// Beside them are our schedules: rows of the catalogue, timed on one switch where a message takes alpha and each rank
// sends a byte in beta. Whatever a row does, its schedule is timed; no count of messages is assumed.
//
// Example: at 425 B and P = 127, (44) has 7 steps, and recursive doubling 6 and two for the 63 processes beyond 64.
//
// A schedule is timed once, and all sizes follow from it: for all figures, some 1200 schedules on up to 160 ranks.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/result.h"
#include "base/table.h"
#include "papers/paper_settings.h"
#include "papers/papers.h"
#include "papers/presets.h"
#include "papers/swing_figures.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"
#include "subjects/network_plan.h"

namespace onceover::papers {

namespace {

/// An algorithm of the catalogue on one switch: a message takes alpha, and each rank sends one byte in beta.
Result<Cost> switched_cost(std::string_view row, Rank p, int removed_steps = 0,
                           const PointToPoint& speeds = kolmakov_cluster) {
  Request request = on_line(Collective::allreduce, p);
  if (removed_steps > 0) request.settings["removed-steps"] = std::to_string(removed_steps);
  TopologyRequest crossbar{.name = "fat-tree", .settings = {{"radix", "1024"}, {"levels", "1"}}, .shape = {p}};
  crossbar.speeds = {.bandwidth = 8e-9 / speeds.beta, .latency = speeds.alpha * 1e9 / 2, .hop = 0};
  const auto network = make_topology(crossbar);
  if (!network) return usage_error(network.error());
  const auto schedule = find_algorithm(row)->make(request);
  auto measured = cost(*schedule, *network, {}, {.overhead = 0, .reduction = speeds.gamma * 1e9});
  if (!measured) return tl::unexpected(failure_of(measured.error()));
  return std::move(*measured);
}

/// The generalized allreduce with 0, 1, .. steps removed.
Result<std::vector<Cost>> generalized_costs(Rank p, const PointToPoint& speeds = kolmakov_cluster) {
  std::vector<Cost> costs;
  for (int r = 0; r <= ceil_log2(p); ++r) {
    auto measured = TRY(switched_cost("generalized", p, r, speeds));
    costs.push_back(std::move(measured));
  }
  return costs;
}

double microseconds(const FoldingCost& cost, Rank p, double bytes, const PointToPoint& speeds = kolmakov_cluster) {
  return time_of(cost, p, speeds, bytes) * 1e6;
}

/// By (36) and (44) with r steps removed.
double by_formula(Rank p, int r, double bytes, const PointToPoint& speeds = kolmakov_cluster) {
  return microseconds(kolmakov_zhang(p, r), p, bytes, speeds);
}

int best_by_formula(Rank p, double bytes, const PointToPoint& speeds = kolmakov_cluster) {
  int best = 0;
  for (int r = 1; r <= ceil_log2(p); ++r)
    if (by_formula(p, r, bytes, speeds) < by_formula(p, best, bytes, speeds)) best = r;
  return best;
}

int best_of(const std::vector<Cost>& costs, double bytes) {
  const auto faster = [&](const Cost& a, const Cost& b) { return a.time(bytes) < b.time(bytes); };
  return static_cast<int>(std::min_element(costs.begin(), costs.end(), faster) - costs.begin());
}

double time_of_best(const std::vector<Cost>& costs, double bytes) {
  return costs[static_cast<std::size_t>(best_of(costs, bytes))].time(bytes) / 1000;
}

/// The known algorithms that the paper compares with, by its formulas and by rows of the catalogue.
struct Known {
  std::string_view name;
  std::string_view row;
  FoldingCost (*formula)(Rank processes);
};
constexpr std::array known{Known{"recursive doubling", "recursive-doubling", recursive_doubling_cost},
                           Known{"recursive halving", "rabenseifner", recursive_halving_cost},
                           Known{"ring", "ring", ring_cost}};

double best_known_by_formula(Rank p, double bytes) {
  double best = microseconds(known[0].formula(p), p, bytes);
  for (const Known& k : known) best = std::min(best, microseconds(k.formula(p), p, bytes));
  return best;
}

Result<std::vector<Cost>> known_costs(Rank p) {
  std::vector<Cost> costs;
  for (const Known& k : known) {
    auto measured = TRY(switched_cost(k.row, p));
    costs.push_back(std::move(measured));
  }
  return costs;
}

std::vector<double> doubling(double first, double last) {
  std::vector<double> sizes;
  for (double size = first; size <= last; size *= 2) sizes.push_back(size);
  return sizes;
}

/// The records of a plot: x, then a column for each series.
Records plotted_records(const Plot& plot, const std::string& x) {
  Records records{{x, "series", plot.y_label}, {}};
  for (const Series& s : plot.series)
    for (std::size_t k = 0; k < plot.x.size(); ++k) records.rows.push_back({plot.x[k], s.name, s.values[k]});
  return records;
}

/// The values of a plot as a table, some of them.
std::string text_of(const Plot& plot, const std::string& x, const std::vector<std::string>& names, std::size_t every) {
  std::vector<std::vector<std::string>> rows{{x}};
  for (const Series& s : plot.series) rows[0].push_back(s.name);
  for (std::size_t k = 0; k < plot.x.size(); k += every) {
    rows.push_back({names[k]});
    for (const Series& s : plot.series) rows.back().push_back(number_text(s.values[k]));
  }
  return table_text(rows, "  ");
}

PresetReport over_sizes(Plot plot, const std::string& title) {
  const std::string text = title + text_of(plot, "", plot.x_names, 2);
  Records records = plotted_records(plot, "bytes");
  return {text, std::move(records), {std::move(plot)}};
}

}  // namespace

Result<PresetReport> kolmakov_figure_1() {
  Plot plot = plot_over_sizes(doubling(32, 64 * mib), "generalized allreduce over the best known",
                              "time over that of the best known");
  for (const Rank p : {7, 31, 127}) {
    const auto ours = TRY(generalized_costs(p));
    const auto others = TRY(known_costs(p));
    Series formulas{fmt::format("P = {}, formulas", p), {}, {}};
    Series schedules{fmt::format("P = {}, schedules", p), {}, {}};
    for (const double bytes : plot.x) {
      formulas.values.push_back(by_formula(p, best_by_formula(p, bytes), bytes) / best_known_by_formula(p, bytes));
      schedules.values.push_back(time_of_best(ours, bytes) / time_of_best(others, bytes));
    }
    plot.series.push_back(std::move(formulas));
    plot.series.push_back(std::move(schedules));
  }
  return over_sizes(
      std::move(plot),
      "Kolmakov and Zhang, figure 1: time of the generalized allreduce, best r, over the best of recursive "
      "doubling, recursive halving and ring\n");
}

Result<PresetReport> kolmakov_sizes() {
  const Rank p = 127;
  const int most = ceil_log2(p);
  const auto ours = TRY(generalized_costs(p));
  Plot plot = plot_over_sizes(doubling(32, 64 * mib), "P = 127, by the formulas", "time, \u00b5s");
  plot.has_log_y = true;
  plot.series = {{"generalized, r by (37)", {}, {}},
                 {"the same, best r of the schedules", {}, {}},
                 {"bandwidth-optimal, (25)", {}, {}},
                 {"latency-optimal, (44)", {}, {}},
                 {"recursive doubling", {}, {}},
                 {"recursive halving", {}, {}},
                 {"ring, (15)", {}, {}}};
  for (const double bytes : plot.x) {
    const std::array values{by_formula(p, kolmakov_zhang_best(p, kolmakov_cluster, bytes), bytes),
                            time_of_best(ours, bytes),
                            by_formula(p, 0, bytes),
                            by_formula(p, most, bytes),
                            microseconds(recursive_doubling_cost(p), p, bytes),
                            microseconds(recursive_halving_cost(p), p, bytes),
                            microseconds(ring_cost(p), p, bytes)};
    for (std::size_t k = 0; k < values.size(); ++k) plot.series[k].values.push_back(values[k]);
  }
  return over_sizes(std::move(plot),
                    "Kolmakov and Zhang, figures 7 to 10, which are measurements, by the formulas: P = 127, \u00b5s\n");
}

Result<PresetReport> kolmakov_processes() {
  PresetReport report{"Kolmakov and Zhang, figures 11 and 12, which are measurements, by the formulas: \u00b5s\n",
                      {{"bytes", "P", "series", "time_us"}, {}}};
  std::map<Rank, std::vector<Cost>> ours;
  for (Rank p = 4; p <= 160; p += 4) {
    auto costs = TRY(generalized_costs(p));
    ours.emplace(p, std::move(costs));
  }
  for (const double bytes : {425.0, 9 * kib}) {
    Plot plot{.title = fmt::format("{}, by the formulas", bytes_text(bytes)),
              .x_label = "processes P",
              .y_label = "time, \u00b5s"};
    plot.series = {{"generalized, best r", {}, {}},
                   {"the same, schedules", {}, {}},
                   {"recursive doubling", {}, {}},
                   {"recursive halving", {}, {}}};
    std::vector<std::string> names;
    for (const auto& [p, costs] : ours) {
      const std::array values{by_formula(p, best_by_formula(p, bytes), bytes), time_of_best(costs, bytes),
                              microseconds(recursive_doubling_cost(p), p, bytes),
                              microseconds(recursive_halving_cost(p), p, bytes)};
      plot.x.push_back(p);
      names.push_back(fmt::format("P = {}", p));
      for (std::size_t k = 0; k < values.size(); ++k) {
        plot.series[k].values.push_back(values[k]);
        report.records.rows.push_back({bytes, p, plot.series[k].name, values[k]});
      }
    }
    report.text += fmt::format("\n{}", text_of(plot, bytes_text(bytes), names, 5));
    report.plots.push_back(std::move(plot));
  }
  return report;
}

namespace {

/// What (37) says for a size, beside the schedules' minimum.
std::vector<std::string> said_and_best(Rank p, double bytes, const std::vector<Cost>& schedules,
                                       const PointToPoint& speeds) {
  const int said = kolmakov_zhang_best(p, speeds, bytes), ours = best_of(schedules, bytes);
  const int best = best_by_formula(p, bytes, speeds);
  const double with_said = schedules[static_cast<std::size_t>(said)].time(bytes);
  const double least = schedules[static_cast<std::size_t>(ours)].time(bytes);
  return {std::to_string(p),
          bytes_text(bytes),
          std::to_string(said),
          time_text(with_said),
          std::to_string(ours),
          time_text(least),
          fmt::format("{:.1f} %", (with_said / least - 1) * 100),
          std::to_string(best),
          time_text(by_formula(p, best, bytes, speeds) * 1000)};
}

/// A size's time by r, by the formulas and of the schedules.
std::array<Series, 2> over_steps(Rank p, double bytes, const std::vector<Cost>& schedules, const PointToPoint& speeds) {
  const auto said = static_cast<std::size_t>(kolmakov_zhang_best(p, speeds, bytes));
  Series formula{fmt::format("{}, formulas", bytes_text(bytes)), {}, {said}};
  Series schedule{fmt::format("{}, schedules", bytes_text(bytes)), {}, {}};
  for (std::size_t r = 0; r < schedules.size(); ++r) {
    formula.values.push_back(by_formula(p, static_cast<int>(r), bytes, speeds));
    schedule.values.push_back(schedules[r].time(bytes) / 1000);
  }
  return {formula, schedule};
}

}  // namespace

Result<PresetReport> kolmakov_steps(const PresetRequest& asked) {
  std::vector<Rank> ranks = asked.ranks;
  std::vector<double> sizes = asked.bytes;
  const PointToPoint speeds = asked.machine.or_else(kolmakov_cluster);
  const bool has_all_drawn = !sizes.empty();
  if (ranks.empty()) ranks = {31, 127};
  if (sizes.empty()) sizes = {425.0, 2 * kib, 9 * kib, 64 * kib, 1 * mib, 16 * mib};
  std::vector<std::vector<std::string>> rows{{"P", "bytes", "r by (37)", "its time", "best r", "its time", "(37) loses",
                                              "best r by (36), (44)", "its time by the paper"}};
  PresetReport report{"", {{"P", "bytes", "r", "time_by_formula_us", "time_of_schedule_us", "is_equation_37"}, {}}};
  for (const Rank p : ranks) {
    if (p < 3) return usage_error("--preset kolmakov-zhang: --p is at least 3; (37) divides by log2 P - 1");
    const auto schedules = TRY(generalized_costs(p, speeds));
    Plot plot{.title = fmt::format("P = {}; large dots: r by (37)", p),
              .x_label = "removed steps r",
              .y_label = "time, \u00b5s"};
    plot.has_log_y = true;
    for (std::size_t r = 0; r < schedules.size(); ++r) plot.x.push_back(static_cast<double>(r));
    for (const double bytes : sizes) {
      rows.push_back(said_and_best(p, bytes, schedules, speeds));
      auto curves = over_steps(p, bytes, schedules, speeds);
      const std::size_t said = curves[0].marks.front();
      for (std::size_t r = 0; r < schedules.size(); ++r)
        report.records.rows.push_back({p, bytes, r, curves[0].values[r], curves[1].values[r], r == said});
      if (!has_all_drawn && (bytes > 64 * kib || bytes == 2 * kib)) continue;
      for (Series& curve : curves) plot.series.push_back(std::move(curve));
    }
    report.plots.push_back(std::move(plot));
  }
  report.text = fmt::format(
      "Kolmakov and Zhang: steps to remove, for {}; times of our schedules, and by the paper's formulas\n{}",
      asked.machine.any() ? speeds_text(speeds) : "the cluster of their table 2", table_text(rows, "  "));
  return report;
}

}  // namespace onceover::papers
