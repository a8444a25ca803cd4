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
// The key is below the plot and the inset inside it, so places are given as parts of the picture, whose height follows
// from the width and the rows of the key. Series differ in colour, dashes and points, so they can be distinguished in
// grey. From the seventh on, colours repeat with other dashes.
//
// Texts may be anything: they are in single quotes, and quotes inside them become apostrophes. O(points); Gnuplot has a
// minute.

#include "viz/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rows.h"
#include "viz/renderer.h"

namespace onceover::viz {

namespace {

constexpr Renderer gnuplot{.program = "gnuplot",
                           .name = "Gnuplot",
                           .package = "gnuplot-nox",
                           .otherwise = "keep its script: --gnuplot FILE",
                           .too_slow = "plot less"};

constexpr double plot_height = 0.72;  // of the width; the key is added
constexpr double key_row = 1.5;       // of the font's size
constexpr std::size_t most_ticks = 5;
constexpr std::size_t most_points = 40;  // on a line; longer lines show none

/// A text between single quotes. Only quotes have a meaning inside, and they become apostrophes, because Gnuplot
/// doesn't read every text with two quotes in a row.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "\u2019";
    else
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  return out + "'";
}

/// How many rows the key has: one for each series, if there are several.
double key_rows(const Plot& plot) {
  return plot.kind == Plot::Kind::lines ? static_cast<double>(plot.series.size()) + 0.5 : 0;
}

/// The height of the picture, in inches.
double height_of(const Plot& plot) {
  return plot_height * plot.style.width + key_rows(plot) * key_row * plot.style.font_size / 72;
}

std::string terminal(const Plot& plot, std::string_view format) {
  const Style& style = plot.style;
  const double width = style.width;
  const double height = height_of(plot);
  if (format == "pdf")
    return fmt::format("set terminal pdfcairo fontscale 0.75 linewidth 1.4 size {:.2f}in,{:.2f}in font {}\n", width,
                       height, quoted(fmt::format("{},{}", style.font, style.font_size)));
  if (format == "png")
    return fmt::format("set terminal pngcairo size {:.0f},{:.0f} fontscale 2.08 linewidth 2.6 pointscale 2.6 font {}\n",
                       200 * width, 200 * height, quoted(fmt::format("{},{}", style.font, style.font_size)));
  return fmt::format("set terminal svg size {:.0f},{:.0f} background '#FFFFFF' font {}\n", 72 * width, 72 * height,
                     quoted(fmt::format("{},{}", style.font, style.font_size)));
}

/// The data as a block of columns: x, then each series.
std::string data(std::string_view name, const std::vector<double>& x,
                 const std::vector<const std::vector<double>*>& columns) {
  std::string text = fmt::format("${} << EOD\n", name);
  for (std::size_t k = 0; k < x.size(); ++k) {
    text += fmt::format("{}", x[k]);
    for (const auto* column : columns)
      text += std::isfinite((*column)[k]) ? fmt::format(" {}", (*column)[k]) : std::string(" NaN");
    text += "\n";
  }
  return text + "EOD\n";
}

std::string ticks(const Plot& plot) {
  if (plot.x_names.empty()) return "";
  const std::size_t every = std::max<std::size_t>(1, (plot.x.size() + most_ticks - 1) / most_ticks);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < plot.x.size(); k += every)
    parts.push_back(fmt::format("{} {}", quoted(plot.x_names[k]), plot.x[k]));
  return fmt::format("set xtics ({})\n", fmt::join(parts, ", "));
}

/// The look of a series. Colour, dashes and points differ, so the plot works without colours.
std::string look(std::size_t k) {
  struct Look {
    std::string_view colour;
    int dash;
    int point;
  };
  constexpr std::array<Look, 6> looks{{{palette::blue, 1, 7},
                                       {palette::vermilion, 2, 4},
                                       {palette::green, 4, 8},
                                       {palette::black, 3, 2},
                                       {palette::purple, 5, 12},
                                       {palette::orange, 1, 1}}};
  // In each further round, colours meet other dashes and points.
  const std::size_t round = k / looks.size();
  const Look& colour = looks[k % looks.size()];
  const Look& shape = looks[(k + round) % looks.size()];
  return fmt::format("lc rgb '{}' dt {} pt {} ps 0.35 lw 1.2", colour.colour, shape.dash,
                     shape.point + (round > 0 ? 1 : 0));
}

/// The colour alone.
std::string colour(std::size_t k) {
  constexpr std::string_view sample = "lc rgb '#000000'";
  return look(k).substr(0, sample.size());
}

std::string lines(const Plot& plot) {
  const std::string_view with = plot.x.size() > most_points ? "lines" : "linespoints";
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    parts.push_back(
        fmt::format("$data using 1:{} with {} {} title {}", k + 2, with, look(k), quoted(plot.series[k].name)));
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    for (const std::size_t mark : plot.series[k].marks)
      parts.push_back(fmt::format("$data every ::{0}::{0} using 1:{1} with points {2} pt 7 ps 0.8 notitle", mark, k + 2,
                                  colour(k)));
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

std::string boxes(const Plot& plot) {
  return fmt::format(
      "set style fill solid 0.8 border lc rgb '#000000'\nset boxwidth 0.8\nset yrange [0:*]\n"
      "set xrange [-0.6:{}]\nunset key\nplot $data using 1:2 with boxes lc rgb '{}' lw 0.5\n",
      static_cast<double>(plot.x.size()) - 0.4, palette::sky);
}

/// Where a plot is placed, in parts of the whole picture.
std::string margins(double left, double right, double bottom, double top) {
  return fmt::format(
      "set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\nset tmargin at screen {}\n", left,
      right, bottom, top);
}

/// The bottom of the frame: above the key, the axis' name and its ticks.
double bottom_of(const Plot& plot) {
  const double size = plot.style.font_size / 72;
  return (key_rows(plot) * key_row + 4.4) * size / height_of(plot);
}

/// A distance between ticks, 1, 2 or 5 times a power of ten, so that there are at most four.
double tick_distance(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double span = std::max(*most, 0.0) - std::min(*least, 0.0);
  double unit = std::pow(10, std::floor(std::log10(std::max(span, 1e-9) / 4)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (span / (factor * unit) <= 3) return factor * unit;
  return 10 * unit;
}

std::string inset(const Plot& plot) {
  const std::string small = quoted(fmt::format(",{}", plot.style.font_size - 2.5));
  return margins(0.64, 0.91, bottom_of(plot) + 0.05, bottom_of(plot) + 0.24) +
         fmt::format(
             "unset logscale y\nset format y '%g'\nunset key\nset xlabel ''\nset ylabel ''\nunset xtics\nunset grid\n"
             "set title {} noenhanced font {} offset 0,-0.8\nset ytics {} font {} scale 0.3 offset 0.6,0\nset xrange "
             "[{}:{}]\n"
             "set xzeroaxis lt 1 lw 0.5 lc rgb '#000000'\nplot $inset using 1:2 with impulses lw 2.5 lc rgb '{}'\n"
             "unset multiplot\n",
             quoted(plot.inset->title), small, tick_distance(plot.inset->values), small, plot.x.front() / 2,
             plot.x.back() * 2, palette::blue);
}

/// What all plots have: a frame, a grid, the names of the axes, and the key below.
std::string frame(const Plot& plot) {
  std::string text = fmt::format(
      "set title {} noenhanced offset 0,-0.6\nset xlabel {} noenhanced offset 0,0.5\n"
      "set ylabel {} noenhanced offset 1,0\n",
      quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
  text += "set border lw 0.6\nset tics scale 0.5 nomirror\nset grid lc rgb '#D9D9D9' lt 1 lw 0.4\n";
  text += "set key at screen 0.5,0.01 center bottom vertical maxrows 8 samplen 2.5 spacing 1 noenhanced\n";
  if (plot.is_logarithmic) text += "set logscale x 2\nset logscale y 10\nset format y '10^{%T}'\n";
  return text + margins(0.15, 0.93, bottom_of(plot), 0.91) + ticks(plot);
}

}  // namespace

std::string gnuplot_script(const Plot& plot, std::string_view format) {
  const auto columns = mapped(plot.series, [](const Series& s) { return &s.values; });
  std::string text = "# Render with: gnuplot this-file > picture\n" + data("data", plot.x, columns);
  if (plot.inset) text += data("inset", plot.x, {&plot.inset->values});
  text += terminal(plot, format);
  text += frame(plot);
  if (plot.inset) text += "set multiplot\n";
  text += plot.kind == Plot::Kind::lines ? lines(plot) : boxes(plot);
  if (plot.inset) text += inset(plot);
  return text;
}

Drawn<std::string> render_plot(const std::string& script) {
  auto picture = run(gnuplot, {}, script, 60);
  if (!picture || !picture->starts_with("<?xml")) return picture;
  // Gnuplot counts pixels; one of our points is one point on paper.
  const std::size_t root = picture->find("<svg");
  for (const std::string_view size : {" width=\"", " height=\""}) {
    const std::size_t at = picture->find(size, root);
    const std::size_t end = at == std::string::npos ? at : picture->find('"', at + size.size());
    if (end != std::string::npos) picture->insert(end, "pt");
  }
  return picture;
}

}  // namespace onceover::viz
