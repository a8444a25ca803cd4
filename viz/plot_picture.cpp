// A plot as a picture: a frame with its ticks, the lines, boxes or distributions in it, the key and small plots. Places
// are those of plot_layout.h, in points.
//
// Series differ in colour, dashes and points, so they can be distinguished in grey. From the seventh on, colours repeat
// with other dashes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/plot.h"
#include "viz/plot_layout.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_points_shown = 40;  // on a line; longer lines show none
constexpr double point_radius = 1.5;
constexpr Stroke grid_stroke{palette::pale, "solid", 0.4};
constexpr Stroke frame_stroke{palette::black, "solid", 0.6};

struct SeriesInk {
  Stroke stroke;
  bool is_round;  // its points
  bool is_filled;
};

/// In each further round, colours meet other dashes and points.
SeriesInk ink_of(std::size_t k) {
  constexpr std::array<SeriesInk, 6> inks{{{{palette::blue, "solid"}, true, true},
                                           {{palette::vermilion, "dashed"}, false, false},
                                           {{palette::green, "dash-dotted"}, true, false},
                                           {{palette::black, "fine"}, false, true},
                                           {{palette::purple, "dash-dotted"}, false, false},
                                           {{palette::orange, "solid"}, false, true}}};
  const std::size_t round = k / inks.size();
  SeriesInk ink = inks[(k + round) % inks.size()];
  ink.stroke.colour = inks[k % inks.size()].stroke.colour;
  ink.stroke.width = 1;
  ink.is_filled = ink.is_filled != (round % 2 == 1);
  return ink;
}

std::string raised(int exponent) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : fmt::format("{}", std::abs(exponent))) text += digits[static_cast<std::size_t>(digit - '0')];
  return text;
}

/// "0.25", "40000", "3×10⁶".
std::string tick_text(double value) {
  if (value == 0 || (std::abs(value) < 99'999.5 && std::abs(value) >= 0.000'99)) return fmt::format("{:.5g}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  const std::string factor = fmt::format("{:.3g}", value / std::pow(10, exponent));
  return (factor == "1" ? "" : factor + "×") + "10" + raised(exponent);
}

/// Multiples of 1, 2 or 5 times a power of ten, at most so many.
std::vector<double> even_ticks(double from, double to, int most) {
  const double span = to - from;
  double unit = std::pow(10, std::floor(std::log10(span / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (span / (factor * unit) <= most) {
      unit *= factor;
      break;
    }
  std::vector<double> ticks;
  for (double k = std::ceil(from / unit - 1e-9); k * unit <= to + 1e-9 * span; ++k)
    ticks.push_back(k * unit + 0.0);  // never -0
  return ticks;
}

/// Powers of the base, some left out if there are many; between few powers of ten also 2 and 5 times them.
std::vector<double> log_ticks(double from, double to, double base, int most) {
  const double first = std::ceil(std::log(from) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(to) / std::log(base) + 1e-9);
  std::vector<double> ticks;
  if (base == 10 && last - first < 1) {
    for (double power = first - 1; power <= last; ++power)
      for (const double factor : {1.0, 2.0, 5.0})
        if (const double tick = factor * std::pow(10, power); tick >= from && tick <= to) ticks.push_back(tick);
    if (ticks.size() > 1) return ticks;
    return even_ticks(from, to, most);
  }
  const double every = std::max(1.0, std::ceil((last - first + 1) / most));
  for (double power = first; power <= last; power += every) ticks.push_back(std::pow(base, power));
  return ticks;
}

/// A rectangle with axes.
struct PlotFrame {
  double left, right, top, bottom;  // in points
  PlotAxes axes;

  Point at(double x, double y) const {
    const Point part = axes.at(x, y);
    return {left + part.x * (right - left), bottom - part.y * (bottom - top)};
  }
  /// A part of it.
  Area within(const Area& area) const {
    return {left + area.left * (right - left), bottom - (area.bottom + area.height) * (bottom - top),
            area.width * (right - left), area.height * (bottom - top)};
  }
};

class PlotPanel {
 public:
  PlotPanel(Picture& picture, const Plot& plot, double top)
      : picture_(picture), plot_(plot), size_(plot.style.font_size), inside_(inside_of(plot)) {
    const double height = 72 * height_of(plot);
    frame_ = {left_of_frame(plot), right_margin * plot.style.width_in_points(), top + height * (1 - top_of(plot)),
              top + height * (1 - bottom_of(plot)), axes_of(plot)};
  }

  void draw() {
    draw_names();
    switch (plot_.kind) {
      case Plot::Kind::lines: draw_lines(); break;
      case Plot::Kind::boxes: draw_boxes(); break;
      case Plot::Kind::spreads: draw_spreads(); break;
    }
    picture_.as(Role::axis)
        ->box({frame_.left, frame_.top}, frame_.right - frame_.left, frame_.bottom - frame_.top, "", size_, "none",
              frame_stroke);
    if (has_key(plot_)) draw_key();
    if (inside_.inset) draw_inset();
    if (inside_.closeup) draw_closeup();
  }

 private:
  void line(Point from, Point to, const Stroke& stroke) {
    picture_.curve(Curve::straight(from, to), stroke, Heads::none);
  }

  void draw_names() {
    const double middle = (frame_.left + frame_.right) / 2;
    picture_.as(Role::title)->text({middle, frame_.top - 0.9 * size_}, plot_.title, size_);
    const auto axis = picture_.as(Role::axis);
    picture_.text({middle, frame_.bottom + 2.2 * size_}, plot_.x_label, size_);
    picture_.add({.at = {0.9 * size_, (frame_.top + frame_.bottom) / 2},
                  .anchor = Text::Anchor::middle,
                  .words = plot_.y_label,
                  .size = size_,
                  .colour = palette::black,
                  .is_upright = true});
  }

  // Ticks. Lines of the grid leave small plots and the key free.

  void draw_ticks_of_x() {
    for (const auto& [value, text] : ticks_of_x(plot_)) draw_tick_of_x(frame_.at(value, frame_.axes.y0).x, text);
  }

  void draw_tick_of_x(double x, const std::string& text) {
    const auto axis = picture_.as(Role::axis);
    grid_line({x, frame_.bottom}, {x, frame_.top});
    line({x, frame_.bottom}, {x, frame_.bottom - 2}, frame_stroke);
    picture_.text({x, frame_.bottom + 1.05 * size_}, text, size_);
  }

  void draw_ticks_of_y() {
    const auto axis = picture_.as(Role::axis);
    for (const double value : ticks_of_y(plot_)) {
      const double y = frame_.at(frame_.axes.x0, value).y;
      grid_line({frame_.left, y}, {frame_.right, y});
      line({frame_.left, y}, {frame_.left + 2, y}, frame_stroke);
      end_text({frame_.left - 3, y}, tick_text(value), size_);
    }
  }

  void end_text(Point at, const std::string& words, double size) {
    picture_.add({.at = at, .anchor = Text::Anchor::end, .words = words, .size = size, .colour = palette::black});
  }

  void grid_line(Point from, Point to) {
    std::vector<std::pair<double, double>> free{{0, 1}};  // parts of the line
    for (const auto& area : {inside_.key, inside_.inset, inside_.closeup}) {
      if (!area) continue;
      const Area hidden = frame_.within(*area);
      const bool is_across = from.y == to.y;
      const double at = is_across ? from.y - hidden.bottom : from.x - hidden.left;
      if (at < 0 || at > (is_across ? hidden.height : hidden.width)) continue;
      const double start = is_across ? from.x : from.y, length = (is_across ? to.x : to.y) - start;
      const double begin = is_across ? hidden.left : hidden.bottom;
      const double end = begin + (is_across ? hidden.width : hidden.height);
      const auto [first, last] = std::minmax({(begin - start) / length, (end - start) / length});
      std::vector<std::pair<double, double>> rest;
      for (const auto& [a, b] : free) {
        if (first > a) rest.emplace_back(a, std::min(b, first));
        if (last < b) rest.emplace_back(std::max(a, last), b);
      }
      free = std::move(rest);
    }
    for (const auto& [a, b] : free)
      if (b > a) line(from + a * (to - from), from + b * (to - from), grid_stroke);
  }

  // Lines.

  void draw_lines() {
    draw_ticks_of_x();
    draw_ticks_of_y();
    draw_notes();
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      const Series& series = plot_.series[k];
      const auto role = picture_.as(Role::line);
      draw_values(frame_, plot_.x, series.values, ink_of(k).stroke);
      if (plot_.x.size() <= most_points_shown)
        for (std::size_t n = 0; n < series.values.size(); ++n)
          if (std::isfinite(series.values[n])) point(frame_.at(plot_.x[n], series.values[n]), ink_of(k));
      for (const std::size_t mark : series.marks)
        if (std::isfinite(series.values[mark]))
          picture_.disc(frame_.at(plot_.x[mark], series.values[mark]), 2.6, "", {ink_of(k).stroke.colour, "solid", 0.5},
                        ink_of(k).stroke.colour);
    }
  }

  /// A line of its own for each run of values without a gap.
  void draw_values(const PlotFrame& frame, const std::vector<double>& x, const std::vector<double>& values,
                   const Stroke& stroke) {
    std::vector<Curve> run;
    const auto end_run = [&] {
      if (!run.empty()) picture_.curves(std::move(run), stroke, Heads::none);
      run.clear();
    };
    for (std::size_t k = 1; k < std::min(x.size(), values.size()); ++k) {
      if (std::isfinite(values[k - 1]) && std::isfinite(values[k]))
        run.push_back(Curve::straight(frame.at(x[k - 1], values[k - 1]), frame.at(x[k], values[k])));
      else
        end_run();
    }
    end_run();
  }

  void point(Point at, const SeriesInk& ink) {
    const Stroke border{ink.stroke.colour, "solid", 0.7};
    const std::string_view fill = ink.is_filled ? ink.stroke.colour : palette::white;
    const Point half{point_radius - 0.1, point_radius - 0.1};
    if (ink.is_round)
      picture_.disc(at, point_radius, "", border, fill);
    else
      picture_.box(at - half, 2 * half.x, 2 * half.y, "", size_, fill, border);
  }

  /// A dashed line at each note, with its words above the curves, on the side where there is more room.
  void draw_notes() {
    for (std::size_t k = 0; k < plot_.notes.size(); ++k) {
      const AxisNote& note = plot_.notes[k];
      const double x = frame_.at(note.x, frame_.axes.y0).x;
      const double y = frame_.top + (0.04 + 0.08 * static_cast<double>(k % 3)) * (frame_.bottom - frame_.top);
      line({x, frame_.bottom}, {x, frame_.top}, {palette::grey, "dashed", 0.6});
      const bool is_left = x > (frame_.left + frame_.right) / 2;
      const auto words = picture_.as(Role::note);
      if (is_left)
        end_text({x - 2, y}, note.text, small_size(plot_));
      else
        picture_.text_from({x + 2, y}, note.text, small_size(plot_));
    }
  }

  /// Lines with their points, and their names beside them: inside the frame, or in the middle below the plot.
  void draw_key() {
    const auto key = picture_.as(Role::key);
    const double width = plot_.style.width_in_points(), height = key_height(plot_);
    Area area{std::max(0.0, (width - key_width(plot_)) / 2), frame_.bottom + 2.9 * size_, key_width(plot_), height};
    if (inside_.key) area = frame_.within(*inside_.key);
    const double row = area.height / (static_cast<double>(plot_.series.size()) + key_edges);
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      const Point from{area.left + 0.5 * size_, area.bottom + (static_cast<double>(k) + 0.5 + key_edges / 2) * row};
      const Point to = from + Point{2.4 * size_, 0};
      line(from, to, ink_of(k).stroke);
      if (plot_.x.size() <= most_points_shown) point(0.5 * (from + to), ink_of(k));
      picture_.text_from(to + Point{0.5 * size_, 0}, plot_.series[k].name, size_);
    }
  }

  // Boxes and distributions.

  void draw_boxes() {
    draw_ticks_of_x();
    draw_ticks_of_y();
    for (std::size_t k = 0; k < plot_.x.size(); ++k) {
      const double value = plot_.series.front().values[k];
      if (!std::isfinite(value)) continue;
      const Point corner = frame_.at(plot_.x[k] - 0.4, value), foot = frame_.at(plot_.x[k] + 0.4, 0);
      picture_.box(corner, foot.x - corner.x, foot.y - corner.y, "", size_, palette::sky,
                   {palette::black, "solid", 0.5});
    }
  }

  /// Boxes from quartile to quartile, a thick line at the median, whiskers, and open circles beyond.
  void draw_spreads() {
    draw_ticks_of_x();
    if (frame_.axes.x0 < 0 && frame_.axes.x1 > 0)
      line(frame_.at(0, frame_.axes.y0), frame_.at(0, frame_.axes.y1), frame_stroke);
    for (std::size_t k = 0; k < plot_.spreads.size(); ++k) {
      const Spread& s = plot_.spreads[k];
      const auto y = static_cast<double>(k);
      end_text(Point{frame_.left - 3, frame_.at(frame_.axes.x0, y).y}, s.name, size_);
      const auto spread = picture_.as(Role::cell);
      line(frame_.at(s.low, y), frame_.at(s.q1, y), {palette::black, "solid", 0.8});
      line(frame_.at(s.q3, y), frame_.at(s.high, y), {palette::black, "solid", 0.8});
      const Point corner = frame_.at(s.q1, y - 0.3), end = frame_.at(s.q3, y + 0.3);
      picture_.box(corner, std::max(0.1, end.x - corner.x), end.y - corner.y, "", size_, palette::sky,
                   {palette::black, "solid", 0.5});
      const Point median = frame_.at(s.median, y - 0.3);
      picture_.box(median - Point{0.8, 0}, 1.6, end.y - median.y, "", size_, palette::black,
                   {palette::black, "solid", 0});
      for (const double value : s.outliers) picture_.disc(frame_.at(value, y), 1.2, "", {.width = 0.5}, palette::white);
    }
  }

  // Small plots: right of their own ticks and below their own title.

  PlotFrame small_frame(const Area& part, const std::string& title, double right, const PlotAxes& axes) {
    const Area area = frame_.within(part);
    const double small = small_size(plot_), end = area.left + area.width;
    picture_.as(Role::panel_title)
        ->text({area.left + (area.width - right) / 2, area.bottom + 0.75 * small}, title, small);
    const auto axis = picture_.as(Role::axis);
    const PlotFrame frame{area.left + 2.4 * small, end - right, area.bottom + 1.5 * small,
                          area.bottom + area.height - 2, axes};
    const auto ticks = axes.has_log_y ? log_ticks(axes.y0, axes.y1, 10, 3) : even_ticks(axes.y0, axes.y1, 3);
    for (const double value : ticks) {
      const double y = frame.at(axes.x0, value).y;
      line({frame.left, y}, {frame.left + 1.2, y}, frame_stroke);
      end_text({frame.left - 2, y}, tick_text(value), small);
    }
    picture_.box({frame.left, frame.top}, frame.right - frame.left, frame.bottom - frame.top, "", small, "none",
                 {palette::black, "solid", 0.4});
    return frame;
  }

  /// From the values' least to their most, with some room above, as a part of it.
  PlotAxes small_axes(const std::vector<double>& values, double last_x, double above) const {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double low = std::min(*least, 0.0), high = std::max(*most, 0.0), span = high - low;
    PlotAxes axes{plot_.x.front() / 2, last_x * 2, low - (low < 0 ? 0.05 * span : 0), high + above * span, true, false};
    if (span <= 0) axes.y0 = -1, axes.y1 = 1;
    return axes;
  }

  void draw_inset() {
    const Inset& bars = *plot_.inset;
    const double small = small_size(plot_);
    const PlotFrame frame = small_frame(*inside_.inset, bars.title, 0,
                                        small_axes(bars.values, plot_.x.back(), bars.letters.empty() ? 0.08 : 0.3));
    line(frame.at(frame.axes.x0, 0), frame.at(frame.axes.x1, 0), {palette::black, "solid", 0.5});
    for (std::size_t k = 0; k < plot_.x.size(); ++k) {
      line(frame.at(plot_.x[k], 0), frame.at(plot_.x[k], bars.values[k]), {palette::blue, "solid", 2.5});
      if (!bars.letters.empty())
        picture_.text(frame.at(plot_.x[k], std::max(0.0, bars.values[k])) - Point{0, 0.6 * small}, bars.letters[k],
                      small);
    }
  }

  void draw_closeup() {
    const Closeup& lines = *plot_.closeup;
    std::vector<double> all;
    for (const auto& values : lines.values) all.insert(all.end(), values.begin(), values.end());
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    PlotAxes axes = small_axes(all, plot_.x[lines.values.front().size() - 1], 0.08);
    // On a linear axis only the largest could be seen if they are far apart.
    axes.has_log_y = *least > 0 && *least * 20 < *most;
    if (axes.has_log_y) axes.y0 = *least / 1.3, axes.y1 = *most * 1.3;
    const PlotFrame frame = small_frame(*inside_.closeup, lines.title, letters_width(plot_), axes);
    for (std::size_t k = 0; k < lines.values.size(); ++k)
      draw_values(frame, plot_.x, lines.values[k], ink_of(k).stroke);
    draw_letters(frame);
  }

  /// Beside the small plot, the largest first value on top.
  void draw_letters(const PlotFrame& frame) {
    const Closeup& lines = *plot_.closeup;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < lines.letters.size(); ++k) order.push_back(k);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return lines.values[a].front() > lines.values[b].front(); });
    for (std::size_t row = 0; row < order.size(); ++row) {
      const double part = (static_cast<double>(row) + 0.5) / static_cast<double>(order.size());
      picture_.add({.at = {frame.right + 3, frame.top + part * (frame.bottom - frame.top)},
                    .anchor = Text::Anchor::start,
                    .words = lines.letters[order[row]],
                    .size = small_size(plot_),
                    .colour = ink_of(order[row]).stroke.colour});
    }
  }

  Picture& picture_;
  const Plot& plot_;
  double size_;
  PlotInside inside_;
  PlotFrame frame_{};
};

}  // namespace

std::vector<std::pair<double, std::string>> ticks_of_x(const Plot& plot) {
  constexpr int most = 5;
  std::vector<std::pair<double, std::string>> ticks;
  const PlotAxes axes = axes_of(plot);
  if (!plot.x_names.empty()) {
    const std::size_t every = std::max<std::size_t>(1, (plot.x.size() + most - 1) / most);
    for (std::size_t k = 0; k < plot.x.size(); k += every) ticks.emplace_back(plot.x[k], plot.x_names[k]);
    return ticks;
  }
  const bool has_powers = plot.has_log_x && plot.x.back() >= 4096;
  for (const double value : plot.has_log_x ? log_ticks(axes.x0, axes.x1, 2, 7) : even_ticks(axes.x0, axes.x1, most))
    ticks.emplace_back(value,
                       has_powers ? "2" + raised(static_cast<int>(std::lround(std::log2(value)))) : tick_text(value));
  return ticks;
}

std::vector<double> ticks_of_y(const Plot& plot) {
  const PlotAxes axes = axes_of(plot);
  return plot.has_log_y ? log_ticks(axes.y0, axes.y1, 10, 7) : even_ticks(axes.y0, axes.y1, 6);
}

double left_of_frame(const Plot& plot) {
  const double size = plot.style.font_size;
  double widest = 0;
  for (const Spread& s : plot.spreads) widest = std::max(widest, 1.05 * text_width(s.name, size));
  if (plot.kind != Plot::Kind::spreads)
    for (const double value : ticks_of_y(plot)) widest = std::max(widest, text_width(tick_text(value), size));
  return std::max(left_margin * plot.style.width_in_points(), widest + 1.9 * size + 4);
}

Picture picture_of(std::span<const Plot> panels) {
  double height = 0;
  for (const Plot& plot : panels) height += 72 * height_of(plot);
  Picture picture(panels.front().style, panels.front().title, height);
  double top = 0;
  for (const Plot& plot : panels) {
    PlotPanel(picture, plot, top).draw();
    top += 72 * height_of(plot);
  }
  return picture;
}

}  // namespace onceover::viz
