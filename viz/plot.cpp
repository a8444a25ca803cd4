#include "viz/plot.h"

#include <algorithm>
#include <cmath>

#include "viz/plot_layout.h"

namespace onceover::viz {

bool Plot::has_values() const {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  return !spreads.empty() || (!x.empty() && std::any_of(series.begin(), series.end(), [&](const Series& s) {
    return std::any_of(s.values.begin(), s.values.end(), is_finite);
  }));
}

std::optional<Plot> on_scale(Plot plot, PlotScale scale) {
  if (plot.kind != Plot::Kind::lines) return plot;
  plot.has_log_y = scale == PlotScale::log;
  if (scale == PlotScale::log && ends_of_values(plot).first <= 0) return std::nullopt;
  if (scale != PlotScale::percent) return plot;
  if (plot.peak <= 0) return std::nullopt;
  for (Series& s : plot.series)
    for (double& value : s.values) value *= 100 / plot.peak;
  plot.y_label = plot.y_label.substr(0, plot.y_label.find(',')) + ", % of peak";
  return plot;
}

Spread spread_of(const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  // Between two values, the part of the way that is left.
  const auto quantile = [&](double part) {
    const double at = part * static_cast<double>(values.size() - 1);
    const auto k = static_cast<std::size_t>(at);
    const double next = values[std::min(k + 1, values.size() - 1)];
    return values[k] + (at - static_cast<double>(k)) * (next - values[k]);
  };
  Spread spread{name, 0, quantile(0.25), quantile(0.5), quantile(0.75), 0, {}};
  const double reach = 1.5 * (spread.q3 - spread.q1);
  spread.low = *std::find_if(values.begin(), values.end(), [&](double v) { return v >= spread.q1 - reach; });
  spread.high = *std::find_if(values.rbegin(), values.rend(), [&](double v) { return v <= spread.q3 + reach; });
  for (const double value : values)
    if (value < spread.low || value > spread.high) spread.outliers.push_back(value);
  return spread;
}

}  // namespace onceover::viz
