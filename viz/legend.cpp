#include "viz/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace onceover::viz {

namespace {

constexpr double sample = 18;  // length of a sample, in points
constexpr double line_height = 11;

}  // namespace

Legend::Legend(const std::vector<Message>& messages, const Style& style) {
  std::set<int> lanes;
  for (const Message& m : messages) lanes.insert(m.lane);
  if (lanes.size() > 1) lanes_.assign(lanes.begin(), lanes.end());
  column_width_ = sample + text_width("lane 10", style.font_size) + 12;
  columns_ = static_cast<std::size_t>(std::max(1.0, (style.width_in_points() - 8) / column_width_));
  const std::size_t rows = (lanes_.size() + columns_ - 1) / columns_;
  height_ = rows == 0 ? 0 : line_height * static_cast<double>(rows) + 4;
}

void Legend::draw(Dot& dot, double top) const {
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    const Point left{4 + column_width_ * static_cast<double>(k % columns_),
                     top + line_height * (static_cast<double>(k / columns_) + 0.5) + 4};
    dot.curve(Curve::straight(left, left + Point{sample, 0}), stroke_of_lane(lanes_[k]));
    dot.text_from(left + Point{sample + 3, 0}, fmt::format("lane {}", lanes_[k]), dot.style().font_size);
  }
}

}  // namespace onceover::viz
