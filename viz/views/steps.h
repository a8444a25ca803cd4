// The view of steps, on a line and on a torus.
#pragma once

#include "viz/messages.h"

namespace onceover::viz {

/// A panel for each step, one below the other: the ranks in a row, messages to the right as arcs above it and messages
/// to the left as arcs below. On a ring the shorter way is drawn, which may lead around the ends. (Swing paper, figure
/// 1)
std::string draw_steps_on_a_line(const Header& header, const Selection& selection, const DrawOptions& options);

/// A panel for each step, side by side: the ranks at their places on the torus, an exchange as one line with two heads.
/// Links around the torus leave on one side and come in on the other. Sides before the last two are drawn as slices
/// next to each other. (Swing paper, figures 2, 5, 6 and 10)
std::string draw_steps_on_a_torus(const Header& header, const Selection& selection, const DrawOptions& options);

}  // namespace onceover::viz
