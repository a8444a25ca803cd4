// Pinned pictures as SVG, where there is no Graphviz.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace onceover::web {

/// The pictures of a DOT text one after the other, with the parts and classes that Graphviz would write. Nothing if one
/// of them is not pinned (viz/dot.h): then Graphviz would have to place its parts. O(text).
std::optional<std::string> pinned_svg(std::string_view dot);

}  // namespace onceover::web
