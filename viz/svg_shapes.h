// DrawnShapes: what an SVG picture shows, without its groups, transformations and inherited looks.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "viz/drawn.h"
#include "viz/primitives.h"

namespace onceover::viz {

/// A piece of an outline. Its points are in points from the lower left corner; y grows upward.
struct OutlinePiece {
  enum class Kind : std::uint8_t {
    move,     // to `to`
    line,     // to `to`
    curve,    // to `to`, with two control points
    close,    // back to the last move
    ellipse,  // around `to`, with `leaving` as its two radii
  };
  Kind kind;
  Point to{};
  Point leaving{};
  Point arriving{};
};

/// Lines, drawn, filled or both.
struct Outline {
  std::vector<OutlinePiece> pieces;
  std::string fill;            // "0072B2"; empty: none
  std::string stroke;          // the same
  double width = 1;            // of the line, in points
  std::vector<double> dashes;  // lengths of dashes and gaps; empty: solid
};

/// A line of text.
struct Label {
  enum class Anchor : std::uint8_t { start, middle, end };
  struct Part {
    std::string text;
    bool is_raised;  // an exponent
  };

  std::vector<Part> parts;
  Point at;  // on the baseline
  Anchor anchor;
  double angle;  // in degrees, counterclockwise
  double size;   // of the letters, in points
  std::string colour;
};

/// The shapes in the order in which they are drawn, and the size of the picture in points.
struct DrawnShapes {
  double width;
  double height;
  std::vector<std::variant<Outline, Label>> list;
};

/// The shapes of a picture that Graphviz or Gnuplot has made: lines, curves, polygons, ellipses, marks that are used
/// several times, and text. An element of another kind is an error, so nothing is lost. O(length).
Drawn<DrawnShapes> shapes_of(std::string_view svg);

// TikZ: pictures for LaTeX, whose letters are set by the paper's own fonts.

/// The picture, which Graphviz or Gnuplot has made as SVG, as a `tikzpicture` to \input. It needs the package tikz
/// alone. Letters keep their sizes. O(length).
Drawn<std::string> tikz_of(std::string_view svg);

/// The same as a document of one page that is as large as the picture, for pdflatex, xelatex and lualatex.
Drawn<std::string> tikz_document_of(std::string_view svg);

/// A text as TeX shows it literally: special characters are escaped, "0-3" has a dash and "-1" a minus. Letters beyond
/// ASCII that LaTeX may not know stay as they are.
std::string tex_escaped(std::string_view text);

}  // namespace onceover::viz
