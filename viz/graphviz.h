// Graphviz as a program: DOT in, pictures out.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "viz/drawn.h"
#include "viz/renderer.h"

namespace onceover::viz {

extern const Renderer graphviz;

/// The formats that `render` makes, by their file extensions.
inline constexpr std::array<std::string_view, 7> picture_formats{"svg", "pdf", "eps", "png", "tikz", "tex", "dot"};

/// The bytes of the picture. It runs the program `dot` on the search path, without a shell, for at most `seconds`. The
/// format `dot` returns the text unchanged, `tikz` is a picture for LaTeX (tikz.h), and `tex` a document of it. The
/// same text and Graphviz give the same bytes.
Drawn<std::string> render(const std::string& dot, std::string_view format, int seconds = 60);

}  // namespace onceover::viz
