#include "viz/plot_layout.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace onceover::viz {

namespace {

constexpr double margin_inside = 0.03;  // from the frame and from lines
constexpr double density = 0.01;        // between points that stand for a line

}  // namespace

void Room::take_line(const std::vector<Point>& points) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    points_.push_back(points[k]);
    if (k == 0) continue;
    const Point along = points[k] - points[k - 1];
    const int parts = std::max(1, static_cast<int>(std::ceil(std::hypot(along.x, along.y) / density)));
    for (int part = 1; part < parts; ++part)
      points_.push_back(points[k - 1] + static_cast<double>(part) / parts * along);
  }
}

bool Room::is_free(const Area& area) const {
  const auto is_inside = [&](Point p) {
    return p.x > area.left - margin_inside && p.x < area.left + area.width + margin_inside &&
           p.y > area.bottom - margin_inside && p.y < area.bottom + area.height + margin_inside;
  };
  return std::none_of(points_.begin(), points_.end(), is_inside) &&
         std::none_of(taken_.begin(), taken_.end(), [&](const Area& other) { return area.meets(other); });
}

std::optional<Area> Room::find(double width, double height) {
  const double right = 1 - margin_inside - width, top = 1 - margin_inside - height;
  if (right < margin_inside || top < margin_inside) return std::nullopt;
  // Left and right before the middle, high and low before it.
  constexpr std::array parts{0.0, 1.0, 0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5};
  for (const double across : parts)
    for (const double down : parts) {
      const Area area{margin_inside + across * (right - margin_inside), top - down * (top - margin_inside), width,
                      height};
      if (!is_free(area)) continue;
      take(area);
      return area;
    }
  return std::nullopt;
}

namespace {

constexpr double plot_height = 0.72;  // of the width; the key is added
constexpr double key_row = 1.12;      // of the font's size
constexpr double axis_rows = 2.9;     // of text below the frame
constexpr double title_rows = 1.8;

/// A place of so many points, as a part of the frame.
std::optional<Area> place_for(Room& room, const Plot& plot, double width, double height) {
  const Point frame = size_of_frame(plot);
  return room.find(width / frame.x, height / frame.y);
}

double widest_name(const Plot& plot) {
  double widest = 0;
  for (const Series& s : plot.series) widest = std::max(widest, text_width(s.name, plot.style.font_size));
  return widest;
}

/// How many points the key below the plot takes.
double key_below(const Plot& plot) {
  return has_key(plot) && !inside_of(plot).key ? key_height(plot) : 0;
}

}  // namespace

std::pair<double, double> ends_of_values(const Plot& plot) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Series& s : plot.series)
    for (const double value : s.values)
      if (std::isfinite(value)) {
        least = std::min(least, value);
        most = std::max(most, value);
      }
  return {least, most};
}

bool has_key(const Plot& plot) {
  return plot.kind == Plot::Kind::lines && plot.series.size() > 1;
}

double key_width(const Plot& plot) {
  return 1.1 * widest_name(plot) + 4 * plot.style.font_size;
}

double key_height(const Plot& plot) {
  return key_row * plot.style.font_size * (static_cast<double>(plot.series.size()) + key_edges);
}

double small_size(const Plot& plot) {
  return std::max(smallest_letters, plot.style.font_size - 2.5);
}

namespace {

/// Distributions are over the axis of their values, the first on top.
PlotAxes axes_of_spreads(const Plot& plot) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Spread& s : plot.spreads) {
    least = std::min(least, s.low);
    most = std::max(most, s.high);
    for (const double value : s.outliers) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  const double beside = most > least ? 0.04 * (most - least) : 1;
  return {least - beside, most + beside, static_cast<double>(plot.spreads.size()) - 0.4, -0.6, false, false};
}

PlotAxes axes_of_boxes(const Plot& plot) {
  const double most = std::max(0.0, ends_of_values(plot).second);
  return {-0.6, static_cast<double>(plot.x.size()) - 0.4, 0, most > 0 ? 1.06 * most : 1, false, false};
}

}  // namespace

PlotAxes axes_of(const Plot& plot) {
  if (plot.kind == Plot::Kind::spreads) return axes_of_spreads(plot);
  if (plot.kind == Plot::Kind::boxes) return axes_of_boxes(plot);
  auto [least, most] = ends_of_values(plot);
  const auto rows = static_cast<double>(std::min<std::size_t>(plot.notes.size(), 3));
  const auto [first, last] = std::minmax_element(plot.x.begin(), plot.x.end());
  PlotAxes frame{*first, *last, 0, 0, plot.has_log_x, plot.has_log_y};
  const double beside = frame.has_log_x ? std::pow(frame.x1 / frame.x0, 0.03) : 0.03 * (frame.x1 - frame.x0);
  frame.x0 = frame.has_log_x ? frame.x0 / beside : frame.x0 - beside;
  frame.x1 = frame.has_log_x ? frame.x1 * beside : frame.x1 + beside;
  if (frame.x0 == frame.x1) frame.x1 += frame.has_log_x ? frame.x1 : 1;
  if (frame.has_log_y) {
    const double span = std::max(2.0, most / least);
    frame.y0 = least / std::pow(span, 0.05);
    frame.y1 = most * std::pow(span, 0.05 + 0.08 * rows);
    return frame;
  }
  least = std::min(0.0, least);
  const double span = most > least ? most - least : 1;
  frame.y0 = least < 0 ? least - 0.05 * span : 0;
  frame.y1 = least + (1.06 + 0.08 * rows) * span;
  return frame;
}

Point size_of_frame(const Plot& plot) {
  const double width = plot.style.width_in_points();
  return {width * right_margin - left_of_frame(plot),
          width * plot_height - (axis_rows + title_rows) * plot.style.font_size};
}

double letters_width(const Plot& plot) {
  double widest = 0;
  for (const std::string& letters : plot.closeup->letters)
    widest = std::max(widest, text_width(letters, small_size(plot)) + 5);
  return widest;
}

PlotInside inside_of(const Plot& plot) {
  if (plot.kind != Plot::Kind::lines || plot.x.empty()) return {};
  const PlotAxes frame = axes_of(plot);
  Room room;
  for (const Series& s : plot.series) {
    std::vector<Point> points;
    for (std::size_t k = 0; k < plot.x.size(); ++k)
      if (std::isfinite(s.values[k])) points.push_back(frame.at(plot.x[k], s.values[k]));
    room.take_line(points);
  }
  const auto rows = static_cast<double>(std::min<std::size_t>(plot.notes.size(), 3));
  if (rows > 0) room.take({0, 1 - 0.08 * rows, 1, 0.08 * rows});
  PlotInside inside;
  const double small = small_size(plot);
  const double width = plot.style.width_in_points(), height = 0.19 * width;
  const auto width_with = [&](const std::string& title) {
    return std::max(0.3 * width, 1.1 * text_width(title, small));
  };
  if (plot.inset) inside.inset = place_for(room, plot, width_with(plot.inset->title), height);
  if (plot.closeup)
    inside.closeup = place_for(room, plot, width_with(plot.closeup->title) + letters_width(plot), height);
  if (has_key(plot)) inside.key = place_for(room, plot, key_width(plot), key_height(plot));
  return inside;
}

double height_of(const Plot& plot) {
  const double row = key_row * plot.style.font_size / 72;
  if (plot.kind == Plot::Kind::spreads) return (static_cast<double>(plot.spreads.size()) + 5) * row;
  return plot_height * plot.style.width + key_below(plot) / 72;
}

double bottom_of(const Plot& plot) {
  return (key_below(plot) + axis_rows * plot.style.font_size) / 72 / height_of(plot);
}

double top_of(const Plot& plot) {
  return 1 - title_rows * plot.style.font_size / 72 / height_of(plot);
}

}  // namespace onceover::viz
