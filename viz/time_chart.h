// The time chart: ranks across, steps down, each message an arrow; or ranks down, and steps to the right.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "viz/counterexample_remarks.h"
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

  /// A remark in a frame of its own, below its step, where it covers no arrow.
  struct Framed {
    Remark remark;
    Stroke frame;
  };

  std::function<Stroke(const Message&)> stroke = {};
  std::function<std::string(StepRange)> instead = {};  // words in a band that stands for several steps
  std::optional<PictureKey> key = {};                  // in place of the usual one
  std::vector<Held> held = {};
  std::vector<Framed> remarks = {};
  std::vector<Rank> marked_above = {};  // ranks that stand out at the top of the chart
  std::vector<Rank> marked_below = {};  // and at the bottom
  std::string ending = {};              // words beside the first rank at the bottom
  bool has_blocks = true;               // show the blocks of each message at its foot
  double least_band = 27;               // steps are less tall, down to this, where they don't fit onto the page
  std::string caption = {};             // a sentence below the chart
};

/// Draws from the top: the ranks, then a band for each step, in which arrows go from the senders above to the receivers
/// below. A message shows its blocks where it starts, or their number if they don't fit. (As in the figures of Bruck,
/// PAT, and Kolmakov and Zhang)
Drawn<Picture> draw_time_chart(const Header& header, const SelectedMessages& selection, const DrawOptions& options,
                               const TimeChartLook& look = {});

/// The same, transposed.
Drawn<Picture> draw_time_across(const Header& header, const SelectedMessages& selection, const DrawOptions& options);

/// How far aside message k of a rank's messages is drawn, so that several to one receiver don't cover each other.
double aside(const std::vector<const Message*>& sent, std::size_t k);

}  // namespace onceover::viz
