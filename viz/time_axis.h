// TimeAxis: time downward to scale.
#pragma once

#include <string>
#include <vector>

#include "base/namespaces.h"

namespace onceover::viz {

/// A stretch of time on a picture: first its unit and ticks are known, then, once it is placed, its heights.
class TimeAxis {
 public:
  /// In ns; the end is later than the begin. The unit is the largest of which the end has two; ticks are 1, 2 or 5
  /// times a power of ten apart, at most ten of them.
  TimeAxis(double begin, double end);

  double begin() const { return begin_; }
  double end() const { return end_; }
  double length() const { return end_ - begin_; }
  const std::string& unit() const { return unit_; }

  struct Tick {
    double ns;
    std::string text;
  };
  const std::vector<Tick>& ticks() const { return ticks_; }

  /// The room to the left of an axis that its texts need, in points.
  double text_room(double font_size) const;

  /// In points.
  void place(double top, double height) {
    top_ = top;
    height_ = height;
  }
  double top() const { return top_; }
  double height() const { return height_; }
  double y(double ns) const { return top_ + height_ * (ns - begin_) / length(); }

 private:
  double begin_;
  double end_;
  std::string unit_;
  std::vector<Tick> ticks_;
  double top_ = 0;
  double height_ = 0;
};

}  // namespace onceover::viz
