#include "viz/plot_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "viz/primitives.h"

namespace onceover::viz {

// Only quotes have a meaning inside, and Gnuplot doesn't read every text with two quotes in a row.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "\u2019";
    else
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  return out + "'";
}

LetterRoom letter_room(const Style& style, std::string_view format) {
  const bool is_cairo = format == "pdf" || format == "eps" || format == "png";
  return is_cairo ? LetterRoom{0.5 * style.font_size, 1.11 * style.font_size}
                  : LetterRoom{0.7 * style.font_size, 1.5 * style.font_size};
}

std::string Panel::offset(double right, double up) const {
  return fmt::format("offset {:.3f},{:.3f}", right / letter.width, up / letter.height);
}

std::string text_at(Point place, std::string_view text, std::string_view look) {
  return fmt::format("set label {} at screen {:.4f}, screen {:.4f} {} noenhanced\n", in_quotes(text), place.x, place.y,
                     look);
}

namespace {

struct SeriesLook {
  std::string_view colour;
  int dash;
  int point;
};

/// In each further round, colours meet other dashes and points.
SeriesLook look_of(std::size_t k) {
  constexpr std::array<SeriesLook, 6> looks{{{palette::blue, 1, 7},
                                             {palette::vermilion, 2, 4},
                                             {palette::green, 4, 8},
                                             {palette::black, 3, 2},
                                             {palette::purple, 5, 12},
                                             {palette::orange, 1, 1}}};
  const std::size_t round = k / looks.size();
  const SeriesLook& shape = looks[(k + round) % looks.size()];
  return {looks[k % looks.size()].colour, shape.dash, shape.point + (round > 0 ? 1 : 0)};
}

}  // namespace

std::string look(std::size_t k) {
  const SeriesLook look = look_of(k);
  return fmt::format("lc rgb '{}' dt {} pt {} ps 0.35 lw 1.2", look.colour, look.dash, look.point);
}

std::string line_look(std::size_t k) {
  const SeriesLook look = look_of(k);
  return fmt::format("lc rgb '{}' dt {} lw 1.2", look.colour, look.dash);
}

std::string point_look(std::size_t k) {
  const SeriesLook look = look_of(k);
  return fmt::format("point lc rgb '{}' pt {} ps 0.35 lw 1.2", look.colour, look.point);
}

std::string colour(std::size_t k) {
  return fmt::format("lc rgb '{}'", look_of(k).colour);
}

std::string margins(const Panel& panel, double left, double right, double bottom, double top) {
  return fmt::format(
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n"
      "set tmargin at screen {:.4f}\n",
      left, right, panel.at(bottom), panel.at(top));
}

std::string small_font(const Plot& plot) {
  return in_quotes(fmt::format(",{}", small_size(plot)));
}

// Small plots are placed right of their own ticks and below their own title, on a white area that hides the grid.

namespace {

/// Where a small plot is placed in its area, which it hides: right of its ticks, below its title. `right` is left free,
/// in points.
std::string place_in(const Plot& plot, const Panel& panel, const Area& area, const std::string& title, double right) {
  const Point frame = size_of_frame(plot);
  const double small = small_size(plot), bottom = bottom_of(plot), height = top_of(plot) - bottom;
  const auto x = [&](double part) { return left_margin + part * (right_margin - left_margin); };
  const auto y = [&](double part) { return bottom + height * part; };
  const double end = area.left + area.width, top = area.bottom + area.height;
  return "unset label\nunset arrow\nunset object\n" +
         text_at({x(area.left + (area.width - right / frame.x) / 2), panel.at(y(top - 0.75 * small / frame.y))}, title,
                 "center font " + small_font(plot)) +
         margins(panel, x(area.left + 2.4 * small / frame.x), x(end - right / frame.x), y(area.bottom + 2 / frame.y),
                 y(top - 1.5 * small / frame.y)) +
         fmt::format(
             "set object 1 rectangle from screen {:.4f}, screen {:.4f} to screen {:.4f}, screen {:.4f} "
             "fc rgb '#FFFFFF' fs solid noborder behind noclip\n",
             x(area.left), panel.at(y(area.bottom)), x(end), panel.at(y(top)));
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

/// What the small plots have: small ticks, and nothing of the large plot. Numbers keep half a letter's distance.
std::string small_frame(const Plot& plot, const Panel& panel, const std::string& ticks) {
  return fmt::format(
      "unset logscale y\nset yrange [*:*]\nset format y '%g'\nunset xtics\nunset grid\n"
      "set ytics {} font {} scale 0.3 {}\n",
      ticks, small_font(plot), panel.offset(panel.letter.width - 0.35 * small_size(plot), 0));
}

/// From the values' least to their most, and some room above, as a part of it.
std::string range_below(const std::vector<double>& values, double above) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double span = std::max(*most, 0.0) - std::min(*least, 0.0);
  if (span <= 0) return "set yrange [-1:1]\n";
  return fmt::format("set yrange [{}:{}]\n", std::min(*least, 0.0) - (*least < 0 ? 0.05 * span : 0),
                     std::max(*most, 0.0) + above * span);
}

/// The letters are listed beside the small plot, the largest first value on top.
std::string letters_beside(const Plot& plot, const Panel& panel) {
  const Closeup& lines = *plot.closeup;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < lines.letters.size(); ++k) order.push_back(k);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return lines.values[a].front() > lines.values[b].front(); });
  std::string text;
  for (std::size_t row = 0; row < order.size(); ++row)
    text += fmt::format("set label {} at graph 1,{:.3f} left {} font {} noenhanced tc {}\n",
                        in_quotes(lines.letters[order[row]]),
                        1 - (static_cast<double>(row) + 0.5) / static_cast<double>(order.size()), panel.offset(3, 0),
                        small_font(plot), colour(order[row]).substr(3));
  return text;
}

}  // namespace

std::string inset_script(const Plot& plot, const Panel& panel, const Area& area) {
  const Inset& bars = *plot.inset;
  std::string text = place_in(plot, panel, area, bars.title, 0) +
                     small_frame(plot, panel, fmt::format("{}", tick_distance(bars.values))) +
                     fmt::format("set xrange [{}:{}]\nset xzeroaxis lt 1 lw 0.5 lc rgb '#000000'\n", plot.x.front() / 2,
                                 plot.x.back() * 2);
  text += range_below(bars.values, bars.letters.empty() ? 0.08 : 0.3);
  text += fmt::format("plot {} using 1:2 with impulses lw 2.5 lc rgb '{}'", panel.inset(), palette::blue);
  if (!bars.letters.empty())
    text += fmt::format(", {} using 1:($2 > 0 ? $2 : 0):3 with labels font {} {}", panel.inset(), small_font(plot),
                        panel.offset(0, 0.6 * small_size(plot)));
  return text + "\n";
}

std::string closeup_script(const Plot& plot, const Panel& panel, const Area& area) {
  const Closeup& lines = *plot.closeup;
  const std::size_t count = lines.values.front().size();
  std::vector<double> all;
  for (const auto& values : lines.values) all.insert(all.end(), values.begin(), values.end());
  // On a linear axis only the largest could be seen if they are far apart.
  const bool is_log = *std::min_element(all.begin(), all.end()) * 20 < *std::max_element(all.begin(), all.end());
  const std::string axis =
      is_log ? "set logscale y 10\nset format y '10^{%T}'\nset yrange [*:*]\n" : range_below(all, 0.08);
  const std::string distance = is_log ? "autofreq" : fmt::format("{}", tick_distance(all));
  std::string text = place_in(plot, panel, area, lines.title, letters_width(plot)) +
                     small_frame(plot, panel, distance) + letters_beside(plot, panel) + axis +
                     fmt::format("set xrange [{}:{}]\nunset xzeroaxis\n", plot.x.front() / 2, plot.x[count - 1] * 2);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < lines.values.size(); ++k)
    parts.push_back(fmt::format("{} using 1:{} with lines {}", panel.closeup(), k + 2, look(k)));
  return text + fmt::format("plot {}\n", fmt::join(parts, ", "));
}

}  // namespace onceover::viz
