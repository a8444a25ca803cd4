// Legend: the key to the lines of lanes.
#pragma once

#include <vector>

#include "viz/messages.h"

namespace onceover::viz {

/// A row of samples, one for each lane, below a picture whose messages belong to several lanes.
class Legend {
 public:
  explicit Legend(const std::vector<Message>& messages, const Style& style);

  /// 0 if there is only one lane.
  double height() const { return height_; }

  void draw(Dot& dot, double top) const;

 private:
  std::vector<int> lanes_;  // ascending
  std::size_t columns_;
  double column_width_;
  double height_;
};

}  // namespace onceover::viz
