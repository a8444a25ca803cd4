// TikZ: pictures for LaTeX, whose letters are set by the paper's own fonts.
#pragma once

#include <string>
#include <string_view>

#include "viz/drawn.h"

namespace onceover::viz {

/// The picture, which Graphviz or Gnuplot has made as SVG, as a `tikzpicture` to \input. It needs the package tikz
/// alone. Letters keep their sizes. O(length).
Drawn<std::string> tikz_of(std::string_view svg);

/// The same as a document of one page that is as large as the picture, for pdflatex, xelatex and lualatex.
Drawn<std::string> tikz_document_of(std::string_view svg);

/// A text as TeX shows it literally: special characters are escaped, "0-3" has a dash and "-1" a minus. Letters beyond
/// ASCII that LaTeX may not know stay as they are.
std::string tex_escaped(std::string_view text);

}  // namespace onceover::viz
