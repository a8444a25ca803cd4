#include "cli/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/table.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/drawn.h"

namespace onceover::cli {

namespace {

Result<std::string> format_of(const PlotFiles& files) {
  if (files.picture.empty()) return std::string("svg");
  if (is_standard_stream(files.picture)) return std::string("svg");
  const auto format = picture_format(files.picture);
  if (format && *format == "dot") return usage_error(fmt::format("{}: a plot is .svg, .pdf or .png", files.picture));
  return format;
}

Series series_of(const Contender& contender, const std::vector<double>& sizes) {
  Series series{contender.name, {}, {}};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    series.values.push_back(goodput(sizes[k], contender.time(k)));
    if (k > 0 && contender.fastest(k).name != contender.fastest(k - 1).name) series.marks.push_back(k);
  }
  return series;
}

}  // namespace

Plot goodput_plot(const Comparison& c, const std::string& title) {
  Plot plot{.title = title, .x_label = "vector size", .y_label = "goodput, Gb/s", .x = c.sizes};
  plot.is_logarithmic = true;
  for (const double size : c.sizes) plot.x_names.push_back(bytes_text(size));
  for (const Contender& contender : c.contenders) plot.series.push_back(series_of(contender, c.sizes));
  if (c.contenders.size() < 2 || c.sizes.size() < 2) return plot;
  plot.inset = Inset{"gain, %", {}};
  for (std::size_t k = 0; k < c.sizes.size(); ++k) plot.inset->values.push_back(100 * c.gain(0, k));
  return plot;
}

Result<void> check(const PlotFiles& files) {
  TRY(format_of(files));
  if (files.any() && files.picture == files.script) return usage_error("--plot and --gnuplot name the same file");
  for (const std::string& path : {files.picture, files.script}) TRY(check_writable(path));
  return {};
}

Result<void> write(const Plot& plot, const PlotFiles& files) {
  if (!files.any()) return {};
  const bool is_empty =
      plot.x.empty() || std::all_of(plot.series.begin(), plot.series.end(), [](const Series& s) {
        return std::none_of(s.values.begin(), s.values.end(), [](double v) { return std::isfinite(v); });
      });
  if (is_empty) return usage_error("--plot: nothing is sent, so there is nothing to plot");
  const auto format = TRY(format_of(files));
  const std::string script = gnuplot_script(plot, format);
  if (!files.script.empty()) TRY(write_text(files.script, script));
  if (files.picture.empty()) return {};
  const auto picture = TRY(passed_on(render_plot(script)));
  return write_text(files.picture, picture);
}

}  // namespace onceover::cli
