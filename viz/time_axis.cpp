#include "viz/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/text.h"

namespace onceover::viz {

namespace {

constexpr double most_spans = 8;  // between ticks

double between_ticks(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / most_spans)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (length <= most_spans * factor * power) return factor * power;
  return 10 * power;
}

}  // namespace

TimeAxis::TimeAxis(double begin, double end) : begin_(begin), end_(std::max(end, begin + 1e-9)) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  double unit_ns = 0;
  for (const Unit& unit : {Unit{"ns", 1}, Unit{"\u00b5s", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}})
    if (unit_ns == 0 || end_ >= 2 * unit.ns) {
      unit_ = unit.name;
      unit_ns = unit.ns;
    }
  const double step = between_ticks(length() / unit_ns);
  for (double k = std::ceil(begin_ / unit_ns / step - 1e-9); k * step * unit_ns <= end_ * (1 + 1e-9); ++k)
    ticks_.push_back({k * step * unit_ns, fmt::format("{:g}", k * step == 0 ? 0.0 : k * step)});
}

double TimeAxis::text_room(double font_size) const {
  double widest = text_width(unit_, font_size);
  for (const Tick& tick : ticks_) widest = std::max(widest, text_width(tick.text, font_size));
  return widest + 6;
}

}  // namespace onceover::viz
