// Space-time diagram: ranks across, time downward to scale, each message a line from when it is sent to its arrival.
#pragma once

#include <string>

#include "viz/view.h"

namespace onceover::viz {

/// Draws the messages at the times that `cost` adds up (message_times.h). Their sizes are beside the steps if all of a
/// step are as large and ranks wait after steps, otherwise on the arrows, as far as there is room, and then in the
/// caption. With `options.beside` there are two columns to the same scale, on the same network.
Drawn<std::string> draw_space_time(const Schedule& schedule, const DrawOptions& options);

}  // namespace onceover::viz
