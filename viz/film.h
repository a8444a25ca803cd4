// Film: the steps of a schedule one after the other, in one file, for talks. Frames: each step as a picture of its own.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "viz/view.h"

namespace onceover::viz {

/// The formats of films: SVG, moved by its style sheet and without a script, and GIF, which needs Graphviz and
/// gifsicle.
inline constexpr std::array<std::string_view, 2> film_formats{"svg", "gif"};

inline constexpr std::size_t most_frames = 120;
inline constexpr double seconds_a_frame = 1.5;

/// The film, which begins again when it ends. Each frame says which step it shows, and can be read as any picture
/// (legible.h); what doesn't move shows the first. Refuses more frames than `most_frames`, and a GIF of more than 200
/// million pixels in all. The same arguments give the same bytes. Cost: that of a picture for each frame.
Drawn<std::string> film(const Schedule& schedule, const DrawOptions& options, std::string_view format);

struct Frame {
  Picture picture;
  std::string title;  // "step 3: reduce"
};

/// The steps that the options ask for, a picture each; thinned, those that are alike share one. All are of one size,
/// with the ranks at the same places, so that nothing moves but messages. O(transfers), and each picture's length.
Drawn<std::vector<Frame>> frames(const Schedule& schedule, const DrawOptions& options);

}  // namespace onceover::viz
