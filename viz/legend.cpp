#include "viz/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace onceover::viz {

PictureKey key_to(const std::vector<Message>& messages, const Style& style) {
  PictureKey key(style);
  std::set<int> lanes;
  for (const Message& m : messages) lanes.insert(m.lane);
  if (lanes.size() > 1)
    for (const int lane : lanes) key.add_line(stroke_of_lane(lane), fmt::format("lane {}", lane), Heads::none);
  const auto add_head = [&](Op op, std::string words) {
    if (std::any_of(messages.begin(), messages.end(), [&](const Message& m) { return m.op == op; }))
      key.add_line({.width = 0.8, .head = stroke_of(0, op).head}, std::move(words), Heads::at_end);
  };
  add_head(Op::reduce, "reduce");
  add_head(Op::copy, "copy");
  return key;
}

}  // namespace onceover::viz
