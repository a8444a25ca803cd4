#include "cli/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/pictures.h"
#include "viz/renderer.h"

namespace onceover::cli {

namespace {

Result<std::string> format_of(const PlotFiles& files) {
  if (files.picture.empty()) return std::string("svg");
  if (is_standard_stream(files.picture)) return std::string("svg");
  const auto format = picture_format(files.picture);
  if (format && *format == "dot") return usage_error(fmt::format("{}: a plot is {}", files.picture, plot_suffixes()));
  return format;
}

struct NamedScale {
  std::string_view name;
  PlotScale scale;
};
constexpr std::array scales{NamedScale{"linear", PlotScale::linear}, NamedScale{"percent", PlotScale::percent},
                            NamedScale{"log", PlotScale::log}};

/// The plot as the options want it to look.
Result<Plot> styled(Plot plot, const PlotFiles& files) {
  plot.style.width = files.width.value_or(plot.style.width);
  if (!files.font.empty()) plot.style.font = files.font;
  if (!files.scale) return plot;
  if (plot.kind != Plot::Kind::lines)
    return usage_error(fmt::format("--plot-scale is for plots of lines; this one has {}",
                                   plot.kind == Plot::Kind::boxes ? "boxes" : "distributions"));
  auto scaled = on_scale(std::move(plot), *files.scale);
  if (!scaled && *files.scale == PlotScale::percent)
    return usage_error("--plot-scale percent: these values have no peak that is known");
  if (!scaled) return usage_error("--plot-scale log: some values are 0 or less");
  return *std::move(scaled);
}

}  // namespace

Result<PlotScale> parse_plot_scale(const std::string& text) {
  for (const NamedScale& it : scales)
    if (it.name == text) return it.scale;
  return no_such("--plot-scale: no scale", text, mapped(scales, &NamedScale::name));
}

Result<void> check(const PlotFiles& files) {
  TRY(format_of(files));
  if (files.any() && files.picture == files.script) return usage_error("--plot and --gnuplot name the same file");
  for (const std::string& path : {files.picture, files.script}) TRY(check_writable(path));
  return {};
}

Result<void> write(const std::vector<Plot>& panels, const PlotFiles& files) {
  if (!files.any()) return {};
  if (std::none_of(panels.begin(), panels.end(), [](const Plot& plot) { return plot.has_values(); }))
    return usage_error("--plot: nothing is sent, so there is nothing to plot");
  const auto format = TRY(format_of(files));
  std::vector<Plot> drawn;
  for (const Plot& plot : panels) drawn.push_back(TRY(styled(plot, files)));
  if (!files.script.empty()) TRY(write_text(files.script, gnuplot_script(drawn, format)));
  if (files.picture.empty()) return {};
  const auto picture = TRY(passed_on(render(picture_of(drawn), format)));
  return write_text(files.picture, picture);
}

}  // namespace onceover::cli
