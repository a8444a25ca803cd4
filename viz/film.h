// Film: the steps of a schedule one after the other, in one file, for talks.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "viz/view.h"

namespace onceover::viz {

/// The formats of films: SVG, moved by its style sheet and without a script, and GIF, which needs gifsicle.
inline constexpr std::array<std::string_view, 2> film_formats{"svg", "gif"};

inline constexpr std::size_t most_frames = 120;
inline constexpr double seconds_a_frame = 1.5;

/// The film, which begins again when it ends. Each frame says which step it shows, and can be read as any picture
/// (legible.h); what doesn't move shows the first. Refuses more frames than `most_frames`, and a GIF of more than 200
/// million pixels in all. The same arguments give the same bytes. Cost: that of a picture for each frame.
Drawn<std::string> film(const Schedule& schedule, const DrawOptions& options, std::string_view format);

}  // namespace onceover::viz
