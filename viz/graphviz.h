// Graphviz as a program: DOT in, pictures out.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "viz/drawn.h"

namespace onceover::viz {

/// What `render` makes of DOT, by the names of the files' extensions.
inline constexpr std::array<std::string_view, 4> picture_formats{"svg", "pdf", "png", "dot"};

/// The picture's bytes: runs the program `dot` of the search path, without a shell, for at most `seconds`.
/// `dot` as the format gives the text back as it is. The same text and Graphviz give the same bytes.
Drawn<std::string> render(const std::string& dot, std::string_view format, int seconds = 60);

}  // namespace onceover::viz
