#include "viz/load_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace onceover::viz {

namespace {

struct Shade {
  std::string_view colour;
  double width;
};

constexpr std::array<Shade, 5> shades{
    {{"#A6C8E4", 0.9}, {"#5FA2D0", 1.3}, {"#2474B0", 1.8}, {"#0B4A80", 2.3}, {"#06213D", 2.9}}};
constexpr Stroke unused{palette::grey, "dotted", 0.5};

}  // namespace

std::string load_text(double load) {
  return fmt::format("{:.3g}", load);
}

Stroke LoadScale::stroke(double load) const {
  if (load <= 0 || most_ <= 0) return unused;
  const auto last = static_cast<double>(shades.size());
  const auto k = static_cast<std::size_t>(std::clamp(std::ceil(load / most_ * last - 1e-9), 1.0, last)) - 1;
  return {shades[k].colour, "solid", shades[k].width * std::min(1.0, widest_ / shades.back().width)};
}

void LoadScale::draw(Dot& dot, double top) const {
  if (most_ <= 0) return;
  const double size = dot.style().font_size - 1;
  const double room = (dot.style().width_in_points() - 8) / (static_cast<double>(shades.size()) + 1);
  auto sample = [&](std::size_t k, const Stroke& stroke, const std::string& label) {
    const Point left{4 + room * static_cast<double>(k), top + 7};
    dot.curve(Curve::straight(left, left + Point{0.7 * room, 0}), stroke, Heads::none);
    dot.text({left.x + 0.35 * room, top + 16}, label, size);
  };
  sample(0, unused, "none");
  for (std::size_t k = 0; k < shades.size(); ++k) {
    const double end = most_ * static_cast<double>(k + 1) / static_cast<double>(shades.size());
    const bool is_last = k + 1 == shades.size();
    sample(k + 1, stroke(end), fmt::format("to {}{}", load_text(end), is_last ? " " + unit_ : ""));
  }
}

}  // namespace onceover::viz
