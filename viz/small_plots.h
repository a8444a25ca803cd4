// The small plots inside a plot, in the script for Gnuplot.
#pragma once

#include <string>

#include "viz/plot_script.h"
#include "viz/room.h"

namespace onceover::viz {

/// The boxes of `plot.inset`, which is there, in an area of the frame.
std::string inset_script(const Plot& plot, const Panel& panel, const Area& area);

/// The lines of `plot.closeup`, which is there, with their letters beside them.
std::string closeup_script(const Plot& plot, const Panel& panel, const Area& area);

}  // namespace onceover::viz
