#include "papers/swing_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/rows.h"
#include "base/table.h"
#include "papers/paper_settings.h"

namespace onceover::papers {

namespace {

constexpr double largest_of_small = 32 * 1024;

Series series_of(const Contender& contender, const std::vector<double>& sizes) {
  Series series{contender.name, {}, {}};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    series.values.push_back(goodput(sizes[k], contender.time(k)));
    if (k > 0 && contender.fastest(k).name != contender.fastest(k - 1).name) series.marks.push_back(k);
  }
  return series;
}

}  // namespace

std::vector<double> gains_in_percent(const Comparison& c) {
  std::vector<double> gains;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) gains.push_back(100 * c.gain(0, k));
  return gains;
}

Plot plot_over_sizes(const std::vector<double>& sizes, const std::string& title, const std::string& y_label) {
  return {.title = title,
          .x_label = "vector size",
          .y_label = y_label,
          .x = sizes,
          .x_names = mapped(sizes, bytes_text),
          .has_log_x = true};
}

namespace {

/// The sizes from which another contender is the fastest.
std::vector<AxisNote> crossovers(const Comparison& c) {
  std::vector<AxisNote> notes;
  for (std::size_t k = 1; k < c.sizes.size(); ++k)
    if (c.winner(k) != c.winner(k - 1))
      notes.push_back({c.sizes[k], fmt::format("{} from {}", c.contenders[c.winner(k)].name, bytes_text(c.sizes[k]))});
  return notes;
}

}  // namespace

std::optional<Closeup> small_times(const std::vector<Contender>& contenders, const std::vector<double>& sizes) {
  const auto is_small = [](double size) { return size <= largest_of_small; };
  const auto count = static_cast<std::size_t>(std::count_if(sizes.begin(), sizes.end(), is_small));
  if (count < 2 || count == sizes.size()) return std::nullopt;
  Closeup closeup{fmt::format("time to {}, \u00b5s", bytes_text(sizes[count - 1])), {}, {}};
  for (const Contender& contender : contenders) {
    auto& values = closeup.values.emplace_back();
    for (std::size_t k = 0; k < count; ++k) values.push_back(contender.time(k) / 1000);
  }
  return closeup;
}

Plot goodput_plot(const Comparison& c, const std::string& title, double peak, const std::vector<std::string>& letters) {
  Plot plot = plot_over_sizes(c.sizes, title, "goodput, Gb/s");
  plot.peak = peak;
  for (const Contender& contender : c.contenders) plot.series.push_back(series_of(contender, c.sizes));
  plot.closeup = small_times(c.contenders, c.sizes);
  if (c.contenders.size() < 2 || c.sizes.size() < 2) return plot;
  plot.notes = crossovers(c);
  const std::string other = c.contenders.size() == 2 ? c.contenders[1].name : "the best other";
  const std::string& all = c.contenders[0].name;
  const std::string first = all.substr(0, all.find('+'));  // of its versions
  plot.inset = Inset{fmt::format("{} over {}, %", first, other), gains_in_percent(c)};
  if (!letters.empty())
    for (std::size_t k = 0; k < c.sizes.size(); ++k) plot.inset->letters.push_back(letters[c.best_other(0, k)]);
  return plot;
}

// The Swing paper's figures 7 to 16 as pictures: goodput over size, gains over size, and distributions of gains.
//
// A figure's settings are timed once, by paper_settings.h; the text, the records and the picture show the same times.
// Figure 7 has two small plots more. One shows the run times of small vectors; its axis is logarithmic, so the rings,
// which the paper leaves out of scale, are in it. In the other a letter over each gain says which algorithm comes
// second. Mirrored recursive doubling is the paper authors' own, so it is drawn, but nothing is compared with it.
//
// Example: in figure 9 the six lines are the gains on one torus of 8x8, at 100 Gb/s to 3.2 Tb/s.

namespace {

/// A row for each size and version; gains are Swing's over the best other algorithm, 1 being twice as fast.
Records times_of(const std::vector<TimedSetting>& settings) {
  Records records{
      {"network", "bandwidth_gbps", "bytes", "algorithm", "version", "time_ns", "goodput_gbps", "gain", "best_other"},
      {}};
  for (const TimedSetting& timed : settings) {
    const Comparison& c = timed.comparison;
    for (std::size_t k = 0; k < c.sizes.size(); ++k)
      for (std::size_t i = 0; i < c.contenders.size(); ++i)
        for (const TimedVersion& version : c.contenders[i].versions)
          records.rows.push_back({timed.name(), timed.setting.bandwidth, c.sizes[k], c.contenders[i].name, version.name,
                                  version.times[k], goodput(c.sizes[k], version.times[k]),
                                  i == 0 ? Json(c.gain(0, k)) : Json(),
                                  i == 0 ? Json(c.contenders[c.best_other(0, k)].name) : Json()});
  }
  return records;
}

/// A contender's letter: the first of its name, but R is the ring.
std::string letter_of(const std::string& name) {
  if (name == "recursive doubling") return "D";
  return {static_cast<char>(name[0] - 'a' + 'A')};
}

Result<Plot> figure_7(const TimedSetting& timed, const NetworkPlan& plan) {
  const Comparison& c = timed.comparison;
  auto shown = c.contenders;
  Plot plot =
      goodput_plot(c, timed.name(), 0, mapped(c.contenders, [](const Contender& it) { return letter_of(it.name); }));
  auto mirrored = TRY(timed_contender("mirrored recursive doubling", {{"mirrored-recursive-doubling", true}},
                                      timed.setting, plan, c.sizes));
  plot.series.push_back(goodput_plot({c.sizes, {mirrored}}, "").series.front());
  shown.push_back(std::move(mirrored));
  for (std::size_t k = 0; k < shown.size(); ++k)
    plot.series[k].name = fmt::format("{}  {}", letter_of(shown[k].name), shown[k].name);
  plot.closeup = small_times(shown, c.sizes);
  for (const Contender& contender : shown)
    plot.closeup->letters.push_back(fmt::format("{} {:.0f}", letter_of(contender.name), contender.time(0) / 1000));
  return plot;
}

Plot gains_plot(const std::vector<TimedSetting>& settings) {
  Plot plot =
      plot_over_sizes(settings.front().comparison.sizes, "Swing's gain over the best other algorithm", "gain, %");
  for (const TimedSetting& timed : settings)
    plot.series.push_back({timed.name(), gains_in_percent(timed.comparison), {}});
  return plot;
}

Result<PresetReport> figure_16(const NetworkPlan& plan) {
  const auto settings = TRY(timed_settings(plan));
  PresetReport report{
      "Swing paper, figure 16: Swing's gains over the best other algorithm, 32 B to 512 MiB, in %\n",
      {{"network", "lower_whisker", "first_quartile", "median", "third_quartile", "upper_whisker", "outliers"}, {}}};
  std::vector<std::vector<std::string>> rows{
      {"", "lower whisker", "quartile", "median", "quartile", "upper whisker", "outliers"}};
  Plot plot{.title = "Swing's gain over the best other algorithm", .x_label = "gain, %", .y_label = ""};
  plot.kind = Plot::Kind::spreads;
  for (const TimedSetting& timed : settings) {
    const Spread s = spread_of(timed.name(), gains_in_percent(timed.comparison));
    report.records.rows.push_back({s.name, s.low, s.q1, s.median, s.q3, s.high, s.outliers.size()});
    rows.push_back({s.name});
    for (const double value : {s.low, s.q1, s.median, s.q3, s.high})
      rows.back().push_back(fmt::format("{:+.0f}", value));
    rows.back().push_back(
        fmt::format("{}", fmt::join(mapped(s.outliers, [](double v) { return fmt::format("{:+.0f}", v); }), ", ")));
    plot.spreads.push_back(s);
  }
  report.text += table_text(rows, "  ");
  report.plots.push_back(std::move(plot));
  return report;
}

}  // namespace

Result<PresetReport> swing_figure(std::string_view figure, const NetworkPlan& plan) {
  if (figure == "figure 16") return figure_16(plan);
  auto timed = TRY(timed_figure(figure, plan));
  PresetReport report{std::move(timed.text), times_of(timed.settings)};
  if (figure == "figure 7") {
    report.plots.push_back(TRY(figure_7(timed.settings.front(), plan)));
  } else if (figure == "figure 8" || figure == "figure 9") {
    report.plots.push_back(gains_plot(timed.settings));
  } else {
    for (const TimedSetting& setting : timed.settings)
      report.plots.push_back(goodput_plot(setting.comparison, setting.name()));
  }
  return report;
}

}  // namespace onceover::papers
