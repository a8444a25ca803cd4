#include "viz/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace onceover {

namespace {

constexpr double sample = 18;  // points, of the line shown
constexpr double line_height = 11;

}  // namespace

Legend::Legend(const std::vector<Message>& messages, const Style& style) {
  std::set<int> lanes;
  for (const Message& m : messages) lanes.insert(m.lane);
  if (lanes.size() > 1) lanes_.assign(lanes.begin(), lanes.end());
  column_ = sample + text_width("lane 10", style.font_size) + 12;
  const double columns = std::max(1.0, std::floor((style.width_in_points() - 8) / column_));
  height_ = lanes_.empty() ? 0 : line_height * std::ceil(static_cast<double>(lanes_.size()) / columns) + 4;
}

void Legend::draw(Dot& dot, double top) const {
  const auto columns = static_cast<std::size_t>(std::max(1.0, (dot.style().width_in_points() - 8) / column_));
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    const Point left{4 + column_ * static_cast<double>(k % columns),
                     top + line_height * (static_cast<double>(k / columns) + 0.5) + 4};
    dot.curve(Curve::straight(left, left + Point{sample, 0}), stroke_of_lane(lanes_[k]));
    dot.text_from(left + Point{sample + 3, 0}, fmt::format("lane {}", lanes_[k]), dot.style().font_size);
  }
}

}  // namespace onceover
