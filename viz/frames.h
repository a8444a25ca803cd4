// Frames: the steps of a schedule as pictures of their own, for films.
#pragma once

#include <string>
#include <vector>

#include "viz/view.h"

namespace onceover::viz {

struct Frame {
  std::string dot;    // pinned
  std::string title;  // "step 3: reduce"
  double height;      // in inches
};

/// The steps that the options ask for, a picture each; thinned, those that are alike share one. All are of one size,
/// with the ranks at the same places, so that nothing moves but messages. O(transfers), and each picture's length.
Drawn<std::vector<Frame>> frames(const Schedule& schedule, const DrawOptions& options);

}  // namespace onceover::viz
