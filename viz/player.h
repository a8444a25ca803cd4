// Player: the steps of a schedule on a page, with a picture and data for the page's script for each step.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "viz/drawn.h"

namespace onceover::viz {

struct Player {
  std::vector<std::string> steps;  // a picture each, as an element of a page
  std::vector<std::string> titles;
  bool is_wide;  // too wide for text beside it

  /// {"ranks", "blocks", "steps", "messages": [[step, src, dst, copies, lane, [[first, last], ..]], ..],
  ///  "contributors", "holdings": by step before the first, after the first, .., then rank, then block: the number of
  ///  contributions held, negative if one is held twice; null if they are too many, or can't be executed}
  std::string data;
};

/// Refuses larger schedules, whose page would be too much for browsers.
Drawn<Player> player(const Schedule& schedule);

}  // namespace onceover::viz
