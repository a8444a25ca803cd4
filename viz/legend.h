// The key to the lanes' lines.
#pragma once

#include <vector>

#include "viz/messages.h"

namespace onceover::viz {

/// A line of samples, one a lane, under a picture whose messages are of several lanes.
class Legend {
 public:
  explicit Legend(const std::vector<Message>& messages, const Style& style);

  /// 0 where there is only one lane.
  double height() const { return height_; }

  void draw(Dot& dot, double top) const;

 private:
  std::vector<int> lanes_;  // upward
  std::size_t columns_;
  double column_width_;
  double height_;
};

}  // namespace onceover::viz
