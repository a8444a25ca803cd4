// MessageTimes: when the messages of a picture are under way; TimeAxis: that time downward to scale.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/namespaces.h"
#include "viz/messages.h"

namespace onceover::viz {

/// Times in ns from the beginning of the schedule.
struct MessageTimes {
  struct Span {
    double sent, arrived;
  };
  std::vector<Span> spans;          // of each message of a selection
  std::map<int, double> step_ends;  // of all steps, if ranks wait after each
  double begin = 0;                 // of the steps shown
  double end = 0;
  double all = 0;  // of the whole schedule
};

/// The times that `cost` adds up (network/cost.h, network/simulation.h), by `options.clock` on `options.network`, which
/// must be there. The selection is of the schedule and these options.
Drawn<MessageTimes> times_of(const Schedule& schedule, const DrawOptions& options, const SelectedMessages& selection);

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
