// Writes a plot as a script for Gnuplot with its data inside, so that a reader can change it and needs no other file.
// The parts of the script come in Gnuplot's order: data, terminal, frame, curves or boxes, and finally an inset.
//
// Example: x = 2, 4 and two series become
//   $data << EOD
//   2 1 3
//   4 2 NaN
//   EOD
// with a row for each x. A value that isn't finite is NaN, a gap in its line.
//
// Places (plot_layout.h) are given as parts of the picture. Several plots are panels below each other, each in its part
// of the picture.
// Series differ in colour, dashes and points, so they can be distinguished in grey. From the seventh on, colours repeat
// with other dashes.
//
// Texts may be anything: they are in single quotes, and quotes inside them become apostrophes. O(points); Gnuplot has a
// minute.

#include "viz/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rows.h"
#include "viz/plot_layout.h"
#include "viz/plot_script.h"
#include "viz/primitives.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_ticks = 5;
constexpr std::size_t most_points = 40;  // on a line; longer lines show none

// From the frame to the middle of a text, in letters.
constexpr double title_above = 0.9, ticks_below = 1.05, axis_below = 2.2, ticks_left = 0.5;

bool has_points(const Plot& plot) {
  return plot.x.size() <= most_points;
}

std::string terminal(const Style& style, double height, std::string_view format) {
  const double width = style.width;
  if (format == "pdf" || format == "eps")
    return fmt::format("set terminal {}cairo fontscale 0.75 linewidth 1.4 size {:.2f}in,{:.2f}in font {}\n", format,
                       width, height, in_quotes(fmt::format("{},{}", style.font, style.font_size)));
  if (format == "png")
    return fmt::format("set terminal pngcairo size {:.0f},{:.0f} fontscale 2.08 linewidth 2.6 pointscale 2.6 font {}\n",
                       200 * width, 200 * height, in_quotes(fmt::format("{},{}", style.font, style.font_size)));
  return fmt::format("set terminal svg size {:.0f},{:.0f} background '#FFFFFF' font {}\n", 72 * width, 72 * height,
                     in_quotes(fmt::format("{},{}", style.font, style.font_size)));
}

std::string plotted(double value) {
  return std::isfinite(value) ? fmt::format(" {}", value) : " NaN";
}

/// The data as a block of columns: x, then each series.
std::string data(std::string_view name, const std::vector<double>& x,
                 const std::vector<const std::vector<double>*>& columns) {
  std::string text = fmt::format("{} << EOD\n", name);
  const std::size_t rows = columns.empty() ? 0 : std::min(x.size(), columns.front()->size());
  for (std::size_t k = 0; k < rows; ++k) {
    text += fmt::format("{}", x[k]);
    for (const auto* column : columns) text += plotted((*column)[k]);
    text += "\n";
  }
  return text + "EOD\n";
}

std::string spread_data(const Plot& plot, const Panel& panel) {
  std::string boxes = fmt::format("{} << EOD\n", panel.data());
  std::string outliers = fmt::format("{} << EOD\n", panel.inset());
  for (std::size_t k = 0; k < plot.spreads.size(); ++k) {
    const Spread& s = plot.spreads[k];
    boxes += fmt::format("{} {} {} {} {} {}\n", k, s.low, s.q1, s.median, s.q3, s.high);
    for (const double value : s.outliers) outliers += fmt::format("{} {}\n", value, k);
  }
  // A block without rows is an error.
  return boxes + "EOD\n" + outliers + "NaN NaN\nEOD\n";
}

/// Names of ticks, or on a logarithmic axis powers of two.
std::string ticks(const Plot& plot) {
  if (plot.x_names.empty()) return plot.has_log_x && plot.x.back() >= 4096 ? "set format x '2^{%L}'\n" : "";
  const std::size_t every = std::max<std::size_t>(1, (plot.x.size() + most_ticks - 1) / most_ticks);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < plot.x.size(); k += every)
    parts.push_back(fmt::format("{} {}", in_quotes(plot.x_names[k]), plot.x[k]));
  return fmt::format("set xtics ({})\n", fmt::join(parts, ", "));
}

std::string lines(const Plot& plot, const Panel& panel) {
  const std::string_view with = has_points(plot) ? "linespoints" : "lines";
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    parts.push_back(fmt::format("{} using 1:{} with {} {}", panel.data(), k + 2, with, look(k)));
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    for (const std::size_t mark : plot.series[k].marks)
      parts.push_back(fmt::format("{3} every ::{0}::{0} using 1:{1} with points {2} pt 7 ps 0.8", mark, k + 2,
                                  colour(k), panel.data()));
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

std::string boxes(const Plot& plot, const Panel& panel) {
  return fmt::format(
      "set style fill solid 0.8 border lc rgb '#000000'\nset boxwidth 0.8\nset yrange [0:*]\n"
      "set xrange [-0.6:{}]\nplot {} using 1:2 with boxes lc rgb '{}' lw 0.5\n",
      static_cast<double>(plot.x.size()) - 0.4, panel.data(), palette::sky);
}

/// Boxes from quartile to quartile, a triangle at the median, whiskers, and open circles beyond.
std::string spreads(const Plot& plot, const Panel& panel) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < plot.spreads.size(); ++k)
    names.push_back(fmt::format("{} {}", in_quotes(plot.spreads[k].name), k));
  return fmt::format(
      "set ytics ({0})\nunset grid\nset grid x\nset yrange [{1}:-0.6]\nset yzeroaxis lt 1 lw 0.6 lc rgb '#000000'\n"
      "set style fill solid 1 border lc rgb '#000000'\n"
      "plot {2} using 4:1:3:5:($1-0.3):($1+0.3) with boxxyerror lc rgb '{4}' lw 0.5, \\\n"
      "     {2} using 3:1:($2-$3):(0) with vectors nohead lc rgb '#000000' lw 0.8, \\\n"
      "     {2} using 5:1:($6-$5):(0) with vectors nohead lc rgb '#000000' lw 0.8, \\\n"
      "     {2} using 4:1 with points pt 9 ps 0.5 lc rgb '#000000', \\\n"
      "     {3} using 1:2 with points pt 6 ps 0.35 lc rgb '#000000'\n",
      fmt::join(names, ", "), static_cast<double>(plot.spreads.size()) - 0.4, panel.data(), panel.inset(),
      palette::sky);
}

/// Lines with their points, and their names beside them. Gnuplot's own key is as wide as its driver believes letters to
/// be. `area` is in parts of the picture; inside a plot it hides the grid.
std::string key(const Plot& plot, const Area& area, bool is_inside) {
  const double wide = plot.style.font_size / plot.style.width_in_points();  // a letter's size, in parts of the width
  const double row = area.height / (static_cast<double>(plot.series.size()) + key_edges);
  std::string text;
  if (is_inside)
    text += fmt::format(
        "set object 2 rectangle from screen {:.4f}, screen {:.4f} to screen {:.4f}, screen {:.4f} "
        "fc rgb '#FFFFFF' fs solid noborder behind noclip\n",
        area.left, area.bottom, area.left + area.width, area.bottom + area.height);
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const double y = area.bottom + area.height - (static_cast<double>(k) + 0.5 + key_edges / 2) * row;
    const double from = area.left + 0.5 * wide, to = from + 2.4 * wide;
    text += fmt::format("set arrow from screen {:.4f}, screen {:.4f} to screen {:.4f}, screen {:.4f} nohead {}\n", from,
                        y, to, y, line_look(k));
    if (has_points(plot)) text += text_at({(from + to) / 2, y}, "", point_look(k));
    text += text_at({to + 0.5 * wide, y}, plot.series[k].name, "left");
  }
  return text;
}

/// The key inside the frame, or in the middle below the plot.
std::string key(const Plot& plot, const Panel& panel, const std::optional<Area>& inside) {
  if (!has_key(plot)) return "";
  const double bottom = bottom_of(plot), height = top_of(plot) - bottom, width = right_margin - left_margin;
  if (inside)
    return key(plot,
               {left_margin + inside->left * width, panel.at(bottom + inside->bottom * height), inside->width * width,
                inside->height * height * panel.height},
               true);
  const double wide = key_width(plot) / plot.style.width_in_points();
  const double high = key_height(plot) / 72 / height_of(plot);
  return key(plot, {std::max(0.0, (1 - wide) / 2), panel.at(0), wide, high * panel.height}, false);
}

/// A dashed line at each note, with its words above the curves, on the side where there is more room.
std::string notes(const Plot& plot, const Panel& panel) {
  std::string text;
  for (std::size_t k = 0; k < plot.notes.size(); ++k) {
    const AxisNote& note = plot.notes[k];
    const bool is_left = axes_of(plot).at(note.x, 1).x > 0.5;
    text += fmt::format(
        "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead back lc rgb '{1}' dt 2 lw 0.6\n"
        "set label {2} at first {0}, graph {3:.3f} {4} {5} font {6} noenhanced\n",
        note.x, palette::grey, in_quotes(note.text), 0.96 - 0.08 * static_cast<double>(k % 3),
        is_left ? "right" : "left", panel.offset(is_left ? -2 : 2, 0), small_font(plot));
  }
  return text;
}

/// Ticks at 1, 2 and 5 times powers of ten, for a logarithmic axis that has few powers.
std::string close_ticks(const PlotAxes& ends) {
  std::vector<std::string> parts;
  for (double power = std::pow(10, std::floor(std::log10(ends.y0))); power < ends.y1; power *= 10)
    for (const double tick : {power, 2 * power, 5 * power})
      if (tick >= ends.y0 && tick <= ends.y1) parts.push_back(fmt::format("'{0:g}' {0}", tick));
  return fmt::format("set ytics ({})\n", fmt::join(parts, ", "));
}

/// The axes' ends, and ticks at powers of two on a logarithmic axis.
std::string axes(const Plot& plot) {
  std::string text;
  if (plot.has_log_x) text += "set logscale x 2\n";
  if (plot.has_log_y) text += "set logscale y 10\nset format y '10^{%T}'\n";
  if (plot.kind != Plot::Kind::lines || plot.x.empty()) return text;
  const PlotAxes ends = axes_of(plot);
  if (plot.has_log_y && ends.y1 < 100 * ends.y0) text += close_ticks(ends);
  return text + fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", ends.x0, ends.x1, ends.y0, ends.y1);
}

/// The title above the frame, and the names of the axes below and left of it.
std::string names(const Plot& plot, const Panel& panel, double left) {
  const double size = plot.style.font_size, height = height_of(plot) * 72;  // in points
  const double middle = (left + right_margin) / 2, bottom = bottom_of(plot), top = top_of(plot);
  return text_at({middle, panel.at(top + title_above * size / height)}, plot.title, "center") +
         text_at({middle, panel.at(bottom - axis_below * size / height)}, plot.x_label, "center") +
         text_at({0.9 * size / plot.style.width_in_points(), panel.at((bottom + top) / 2)}, plot.y_label,
                 "center rotate by 90");
}

/// What all plots have: a frame, a grid, the names of the axes, and the key.
std::string frame(const Plot& plot, const Panel& panel, const PlotInside& inside) {
  const double size = plot.style.font_size;
  const double left = plot.kind == Plot::Kind::spreads ? 0.3 : left_margin;
  std::string text = names(plot, panel, left);
  text += "set border lw 0.6\nset tics scale 0.5 nomirror\nset grid lc rgb '#D9D9D9' lt 1 lw 0.4\nunset key\n";
  text += fmt::format("set xtics {}\nset ytics {}\n", panel.offset(0, panel.letter.height - ticks_below * size),
                      panel.offset(panel.letter.width - ticks_left * size, 0));
  text += key(plot, panel, inside.key) + axes(plot) + notes(plot, panel);
  return text + margins(panel, left, right_margin, bottom_of(plot), top_of(plot)) + ticks(plot);
}

}  // namespace

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

namespace {

std::string panel_data(const Plot& plot, const Panel& panel) {
  if (plot.kind == Plot::Kind::spreads) return spread_data(plot, panel);
  std::string text = data(panel.data(), plot.x, mapped(plot.series, [](const Series& s) { return &s.values; }));
  if (plot.inset) {
    text += fmt::format("{} << EOD\n", panel.inset());
    for (std::size_t k = 0; k < plot.x.size(); ++k)
      text += fmt::format("{}{}{}\n", plot.x[k], plotted(plot.inset->values[k]),
                          plot.inset->letters.empty() ? "" : " " + plot.inset->letters[k]);
    text += "EOD\n";
  }
  if (plot.closeup)
    text += data(panel.closeup(), plot.x, mapped(plot.closeup->values, [](const auto& values) { return &values; }));
  return text;
}

std::string panel_plot(const Plot& plot, const Panel& panel) {
  const PlotInside inside = inside_of(plot);
  std::string text = frame(plot, panel, inside);
  switch (plot.kind) {
    case Plot::Kind::lines: text += lines(plot, panel); break;
    case Plot::Kind::boxes: text += boxes(plot, panel); break;
    case Plot::Kind::spreads: text += spreads(plot, panel); break;
  }
  if (inside.inset) text += inset_script(plot, panel, *inside.inset);
  if (inside.closeup) text += closeup_script(plot, panel, *inside.closeup);
  return text;
}

}  // namespace

std::string gnuplot_script(std::span<const Plot> panels, std::string_view format) {
  double height = 0;
  for (const Plot& plot : panels) height += height_of(plot);
  std::string blocks;
  std::string plots;
  double top = 1;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const double part = height_of(panels[k]) / height;
    top -= part;
    const Panel panel{std::max(0.0, top), part, k == 0 ? "" : std::to_string(k + 1),
                      letter_room(panels[k].style, format)};
    blocks += panel_data(panels[k], panel);
    plots += (k == 0 ? "" : "reset\n") + panel_plot(panels[k], panel);
  }
  const bool is_alone = panels.size() == 1 && !panels[0].inset && !panels[0].closeup;
  return "# Render with: gnuplot this-file > picture\n" + blocks + terminal(panels[0].style, height, format) +
         (is_alone ? plots : "set multiplot\n" + plots + "unset multiplot\n");
}

}  // namespace onceover::viz
