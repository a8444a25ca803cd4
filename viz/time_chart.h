// Ranks across, steps down, each message an arrow.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "viz/messages.h"

namespace onceover::viz {

/// How a time chart looks; a message without a stroke of its own has its lane's.
struct TimeChartLook {
  /// A rank's line through a step, where it stands out.
  struct Held {
    int step;
    Rank rank;
    Stroke stroke;
  };

  std::function<Stroke(const Message&)> stroke = {};
  std::vector<Held> held = {};
  std::vector<Rank> marked_above = {};  // ranks that stand out where the chart begins
  std::vector<Rank> marked_below = {};  // and where it ends
  bool has_blocks = true;               // the blocks of each message at its foot
  std::string caption = {};             // a sentence below
};

/// Drawn from the top: the ranks, then a band a step, in which arrows go from the senders above to the receivers
/// below; a message's blocks stand where it starts, or their number where they don't fit. (Bruck's, PAT's and Kolmakov
/// and Zhang's figures)
Drawn<std::string> draw_time_chart(const Header& header, const Selection& selection, const DrawOptions& options,
                                   const TimeChartLook& look = {});

}  // namespace onceover::viz
