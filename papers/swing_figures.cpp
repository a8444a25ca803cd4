// The Swing paper's figures 7 to 16 as pictures: goodput over size, gains over size, and distributions of gains.
//
// A figure's settings are timed once, by paper_settings.h; the text, the records and the picture show the same times.
// Figure 7 has two small plots more. One shows the run times of small vectors; its axis is logarithmic, so the rings,
// which the paper leaves out of scale, are in it. In the other a letter over each gain says which algorithm comes
// second. Mirrored recursive doubling is the paper authors' own, so it is drawn, but nothing is compared with it.
//
// Example: in figure 9 the six lines are the gains on one torus of 8x8, at 100 Gb/s to 3.2 Tb/s.

#include "papers/swing_figures.h"

#include <fmt/format.h>

#include "base/rows.h"
#include "base/table.h"
#include "base/try.h"
#include "papers/goodput_plot.h"
#include "papers/paper_settings.h"

namespace onceover::papers {

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
