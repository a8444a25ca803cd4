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
  if (format && *format == "dot") return usage_error(fmt::format("{}: a plot is {}", files.picture, plot_suffixes()));
  return format;
}

}  // namespace

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
  const std::string script = gnuplot_script(panels, format);
  if (!files.script.empty()) TRY(write_text(files.script, script));
  if (files.picture.empty()) return {};
  const auto picture = TRY(passed_on(render_plot(script, format)));
  return write_text(files.picture, picture);
}

}  // namespace onceover::cli
