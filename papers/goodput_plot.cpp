#include "papers/goodput_plot.h"

#include "base/rows.h"
#include "base/table.h"

namespace onceover::papers {

namespace {

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

Plot goodput_plot(const Comparison& c, const std::string& title, const std::vector<std::string>& letters) {
  Plot plot = plot_over_sizes(c.sizes, title, "goodput, Gb/s");
  plot.has_log_y = true;
  for (const Contender& contender : c.contenders) plot.series.push_back(series_of(contender, c.sizes));
  if (c.contenders.size() < 2 || c.sizes.size() < 2) return plot;
  plot.inset = Inset{"gain, %", gains_in_percent(c)};
  if (!letters.empty())
    for (std::size_t k = 0; k < c.sizes.size(); ++k) plot.inset->letters.push_back(letters[c.best_other(0, k)]);
  return plot;
}

}  // namespace onceover::papers
