// A script for Gnuplot with its data inside, so that a reader can change it and needs no other file. Gnuplot places
// titles, ticks and keys. The data of small plots is there, too, but they are not drawn.
//
// Example: x = 2, 4 and two series become
//   $data << EOD
//   2 1 3
//   4 2 NaN
//   EOD
// with a row for each x. A value that isn't finite is NaN, a gap in its line.
//
// Texts may be anything: they are in single quotes, and quotes inside them become apostrophes. O(points)

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rows.h"
#include "viz/plot.h"
#include "viz/plot_layout.h"

namespace onceover::viz {

namespace {

/// Only quotes have a meaning inside, and Gnuplot doesn't read every text with two quotes in a row.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "\u2019";
    else
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  return out + "'";
}

/// The names of a panel's data.
struct Panel {
  std::string number;

  std::string data() const { return "$data" + number; }
  std::string inset() const { return "$inset" + number; }
  std::string closeup() const { return "$closeup" + number; }
};

std::string_view series_colour(std::size_t k) {
  constexpr std::array colours{palette::blue,  palette::vermilion, palette::green,
                               palette::black, palette::purple,    palette::orange};
  return colours[k % colours.size()];
}

/// In each further round, colours meet other dashes and points.
std::string look(std::size_t k) {
  constexpr std::array<std::pair<int, int>, 6> dashes_and_points{{{1, 7}, {2, 4}, {4, 8}, {3, 2}, {5, 12}, {1, 1}}};
  const std::size_t round = k / dashes_and_points.size();
  const auto [dash, point] = dashes_and_points[(k + round) % dashes_and_points.size()];
  return fmt::format("lc rgb '{}' dt {} pt {} ps 0.35 lw 1.2", series_colour(k), dash, point + (round > 0 ? 1 : 0));
}

std::string plotted(double value) {
  return std::isfinite(value) ? fmt::format(" {}", value) : " NaN";
}

/// The data as a block of columns: x, then each series.
std::string block(std::string_view name, const std::vector<double>& x,
                  const std::vector<const std::vector<double>*>& columns, const std::vector<std::string>& words = {}) {
  std::string text = fmt::format("{} << EOD\n", name);
  const std::size_t rows = columns.empty() ? 0 : std::min(x.size(), columns.front()->size());
  for (std::size_t k = 0; k < rows; ++k) {
    text += fmt::format("{}", x[k]);
    for (const auto* column : columns) text += plotted((*column)[k]);
    text += words.empty() ? "\n" : " " + words[k] + "\n";
  }
  return text + "EOD\n";
}

std::string blocks_of_spreads(const Plot& plot, const Panel& panel) {
  std::string boxes = fmt::format("{} << EOD\n", panel.data()), outliers = fmt::format("{} << EOD\n", panel.inset());
  for (std::size_t k = 0; k < plot.spreads.size(); ++k) {
    const Spread& s = plot.spreads[k];
    boxes += fmt::format("{} {} {} {} {} {}\n", k, s.low, s.q1, s.median, s.q3, s.high);
    for (const double value : s.outliers) outliers += fmt::format("{} {}\n", value, k);
  }
  // A block without rows is an error.
  return boxes + "EOD\n" + outliers + "NaN NaN\nEOD\n";
}

std::string blocks_of(const Plot& plot, const Panel& panel) {
  if (plot.kind == Plot::Kind::spreads) return blocks_of_spreads(plot, panel);
  std::string text = block(panel.data(), plot.x, mapped(plot.series, [](const Series& s) { return &s.values; }));
  if (plot.inset) text += block(panel.inset(), plot.x, {&plot.inset->values}, plot.inset->letters);
  if (plot.closeup)
    text += block(panel.closeup(), plot.x, mapped(plot.closeup->values, [](const auto& values) { return &values; }));
  return text;
}

std::string terminal(const Style& style, double height, std::string_view format) {
  const std::string font = in_quotes(fmt::format("{},{}", style.font, style.font_size));
  if (format == "pdf" || format == "eps")
    return fmt::format("set terminal {}cairo fontscale 0.75 size {:.2f}in,{:.2f}in font {}\n", format, style.width,
                       height, font);
  if (format == "png")
    return fmt::format("set terminal pngcairo size {:.0f},{:.0f} fontscale 2.08 linewidth 2.6 pointscale 2.6 font {}\n",
                       200 * style.width, 200 * height, font);
  return fmt::format("set terminal svg size {:.0f},{:.0f} background '#FFFFFF' font {}\n", 72 * style.width,
                     72 * height, font);
}

/// "set xtics ('1 KiB' 1024, ..)".
std::string ticks(char axis, const std::vector<std::pair<double, std::string>>& at) {
  std::vector<std::string> parts;
  for (const auto& [value, text] : at) parts.push_back(fmt::format("{} {}", in_quotes(text), value));
  return fmt::format("set {}tics ({})\n", axis, fmt::join(parts, ", "));
}

std::string notes(const Plot& plot) {
  std::string text;
  for (std::size_t k = 0; k < plot.notes.size(); ++k) {
    const AxisNote& note = plot.notes[k];
    text += fmt::format(
        "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead back lc rgb '{1}' dt 2 lw 0.6\n"
        "set label {2} at first {0}, graph {3:.3f} {4} noenhanced\n",
        note.x, palette::grey, in_quotes(note.text), 0.96 - 0.08 * static_cast<double>(k % 3),
        axes_of(plot).at(note.x, 1).x > 0.5 ? "right" : "left");
  }
  return text;
}

std::string frame(const Plot& plot) {
  const PlotAxes ends = axes_of(plot);
  std::string text = fmt::format(
      "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set border lw 0.6\nset tics scale 0.5 nomirror\nset grid lc rgb '#D9D9D9' lt 1 lw 0.4\nset key {}\n",
      in_quotes(plot.title), in_quotes(plot.x_label), in_quotes(plot.y_label),
      has_key(plot) ? "below maxcols 1 noenhanced" : "off");
  if (plot.has_log_x) text += "set logscale x 2\n";
  if (plot.has_log_y) text += "set logscale y 10\n";
  text += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", ends.x0, ends.x1, ends.y0, ends.y1);
  text += ticks('x', ticks_of_x(plot));
  return text + notes(plot);
}

std::string curves(const Plot& plot, const Panel& panel) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    parts.push_back(fmt::format("{} using 1:{} with linespoints {} title {}", panel.data(), k + 2, look(k),
                                in_quotes(plot.series[k].name)));
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    for (const std::size_t mark : plot.series[k].marks)
      parts.push_back(fmt::format("{} every ::{}::{} using 1:{} with points lc rgb '{}' pt 7 ps 0.8 notitle",
                                  panel.data(), mark, mark, k + 2, series_colour(k)));
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

std::string bars(const Panel& panel) {
  return fmt::format(
      "set style fill solid 0.8 border lc rgb '#000000'\nset boxwidth 0.8\n"
      "plot {} using 1:2 with boxes lc rgb '{}' lw 0.5\n",
      panel.data(), palette::sky);
}

/// Boxes from quartile to quartile, a triangle at the median, whiskers, and open circles beyond.
std::string distributions(const Plot& plot, const Panel& panel) {
  std::vector<std::pair<double, std::string>> names;
  for (std::size_t k = 0; k < plot.spreads.size(); ++k)
    names.emplace_back(static_cast<double>(k), plot.spreads[k].name);
  return ticks('y', names) + fmt::format(
                                 "unset grid\nset grid x\nset yzeroaxis lt 1 lw 0.6 lc rgb '#000000'\n"
                                 "set style fill solid 1 border lc rgb '#000000'\n"
                                 "plot {0} using 4:1:3:5:($1-0.3):($1+0.3) with boxxyerror lc rgb '{2}' lw 0.5, \\\n"
                                 "     {0} using 3:1:($2-$3):(0) with vectors nohead lc rgb '#000000' lw 0.8, \\\n"
                                 "     {0} using 5:1:($6-$5):(0) with vectors nohead lc rgb '#000000' lw 0.8, \\\n"
                                 "     {0} using 4:1 with points pt 9 ps 0.5 lc rgb '#000000', \\\n"
                                 "     {1} using 1:2 with points pt 6 ps 0.35 lc rgb '#000000'\n",
                                 panel.data(), panel.inset(), palette::sky);
}

std::string panel_script(const Plot& plot, const Panel& panel) {
  switch (plot.kind) {
    case Plot::Kind::lines: return frame(plot) + curves(plot, panel);
    case Plot::Kind::boxes: return frame(plot) + bars(panel);
    case Plot::Kind::spreads: return frame(plot) + distributions(plot, panel);
  }
  return "";
}

}  // namespace

std::string gnuplot_script(std::span<const Plot> panels, std::string_view format) {
  double height = 0;
  std::string blocks, plots;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const Panel panel{k == 0 ? "" : std::to_string(k + 1)};
    height += height_of(panels[k]);
    blocks += blocks_of(panels[k], panel);
    plots += (k == 0 ? "" : "reset\n") + panel_script(panels[k], panel);
  }
  const std::string begin =
      "# Render with: gnuplot this-file > picture\n" + blocks + terminal(panels[0].style, height, format);
  if (panels.size() == 1) return begin + plots;
  return begin + fmt::format("set multiplot layout {},1\n", panels.size()) + plots + "unset multiplot\n";
}

}  // namespace onceover::viz
