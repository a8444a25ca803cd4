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

LoadUnit::LoadUnit(const Network& network) : network_(network) {
  for (const LinkData& l : network.links()) fastest_ = std::max(fastest_, l.bandwidth);
  is_uniform_ = std::all_of(network.links().begin(), network.links().end(),
                            [&](const LinkData& l) { return l.bandwidth == fastest_; });
}

double LoadUnit::load(const LinkLoads& loads, Link link) const {
  return loads.nearest_load(link) * (fastest_ / network_.link(link).bandwidth);
}

std::string LoadUnit::text(double load) const {
  return load == 1 && is_uniform_ ? "1 block" : load_text(load) + " " + name();
}

std::string LoadUnit::name() const {
  return is_uniform_ ? "blocks" : fmt::format("blocks at {} Gb/s", fastest_);
}

int LoadScale::shade_number(double load) const {
  if (load <= 0 || most_ <= 0) return -1;
  const auto last = static_cast<double>(shades.size());
  return static_cast<int>(std::clamp(std::ceil(load / most_ * last - 1e-9), 1.0, last)) - 1;
}

Stroke LoadScale::stroke(double load) const {
  const int number = shade_number(load);
  if (number < 0) return unused;
  const Shade& shade = shades[static_cast<std::size_t>(number)];
  return {shade.colour, "solid", shade.width * std::min(1.0, widest_ / shades.back().width)};
}

std::string_view LoadScale::fill(double load) const {
  const int number = shade_number(load);
  return number < 0 ? palette::white : shades[static_cast<std::size_t>(number)].colour;
}

void LoadScale::draw(Dot& dot, double top, bool is_of_cells) const {
  if (most_ <= 0) return;
  const double size = dot.style().font_size - 1;
  const double room = (dot.style().width_in_points() - 8) / (static_cast<double>(shades.size()) + 1);
  auto sample = [&](std::size_t k, double load, const std::string& label) {
    const Point left{4 + room * static_cast<double>(k), top + 7};
    if (is_of_cells)
      dot.box(left - Point{0, 4}, 0.7 * room, 7, "", 1, fill(load), {palette::black, "solid", 0.4});
    else
      dot.curve(Curve::straight(left, left + Point{0.7 * room, 0}), stroke(load), Heads::none);
    dot.text({left.x + 0.35 * room, top + 16}, label, size);
  };
  sample(0, 0, "none");
  for (std::size_t k = 0; k < shades.size(); ++k) {
    const double end = most_ * static_cast<double>(k + 1) / static_cast<double>(shades.size());
    const bool is_last = k + 1 == shades.size();
    sample(k + 1, end, fmt::format("to {}{}", load_text(end), is_last ? " " + unit_ : ""));
  }
}

}  // namespace onceover::viz
