// The time chart: ranks across, steps down, each message an arrow.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "viz/messages.h"

namespace onceover::viz {

/// The look of a time chart. A message without a stroke of its own has its lane's.
struct TimeChartLook {
  /// A rank's line through a step, if it stands out.
  struct Held {
    int step;
    Rank rank;
    Stroke stroke;
  };

  std::function<Stroke(const Message&)> stroke = {};
  std::vector<Held> held = {};
  std::vector<Rank> marked_above = {};  // ranks that stand out at the top of the chart
  std::vector<Rank> marked_below = {};  // and at the bottom
  bool has_blocks = true;               // show the blocks of each message at its foot
  std::string caption = {};             // a sentence below the chart
};

/// Draws from the top: the ranks, then a band for each step, in which arrows go from the senders above to the receivers
/// below. A message shows its blocks where it starts, or their number if they don't fit. (As in the figures of Bruck,
/// PAT, and Kolmakov and Zhang)
Drawn<Picture> draw_time_chart(const Header& header, const SelectedMessages& selection, const DrawOptions& options,
                               const TimeChartLook& look = {});

}  // namespace onceover::viz
