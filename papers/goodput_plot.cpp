#include "papers/goodput_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "base/table.h"

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

}  // namespace onceover::papers
