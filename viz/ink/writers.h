// What is written from a picture: SVG, TikZ and DOT. The same picture gives the same bytes. O(shapes)
#pragma once

#include <string>
#include <string_view>

#include "viz/ink/picture.h"

namespace onceover::viz {

/// A file. Shapes in a row that have the same role are a group whose class is the role, in the plural: "messages". If
/// the style asks for classes, those that have one are groups of their own with that class, in which a disc is an
/// ellipse, a line a path, and a head a polygon.
std::string svg_of(const Picture& picture);

/// The same as an element of a page, without background, font and titles. `scale` is how many pixels a point takes;
/// `label` is for people who can't see it.
std::string svg_in_page(const Picture& picture, std::string_view label, double scale);

/// The head of a file of one picture or of several that lie on top of each other, what it contains, and its end.
std::string svg_head(const Picture& picture, std::string_view title);
std::string svg_shapes(const Picture& picture);
inline constexpr std::string_view svg_end = "</svg>\n";

/// A `tikzpicture` to \input. It needs the package tikz alone. Letters keep their sizes, in the paper's fonts; a long
/// line that would leave the picture shrinks. Each shape has the style of its role if the paper sets it, which is
/// stronger than the picture's own: \tikzset{onceover rank/.style={fill=yellow}}.
std::string tikz_of(const Picture& picture);

/// The same as a document of one page that is as large as the picture, for pdflatex, xelatex and lualatex.
std::string tikz_document_of(const Picture& picture);

/// A text as TeX shows it literally: special characters are escaped, "0-3" has a dash and "-1" a minus. Letters beyond
/// ASCII that LaTeX may not know stay as they are.
std::string tex_escaped(std::string_view text);

/// A graph in which each part has its place, for who draws with Graphviz: `dot -Tsvg`. A picture that isn't placed yet
/// is the graph to be placed.
std::string dot_of(const Picture& picture);

}  // namespace onceover::viz
