// Dot: writes a picture in DOT, the language of Graphviz, which renders it and places what we don't place.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viz/primitives.h"

namespace onceover::viz {

/// The margin around a picture, and the height of a panel's title, in points.
inline constexpr double margin = 4;
inline constexpr double title_height = 11;

/// The line around a cell in its own colour, in points: no light is seen between two cells.
inline constexpr double seam = 0.3;

/// The smallest letters that can be read on paper, in points.
inline constexpr double smallest_letters = 5;

/// The style that all pictures share.
struct Style {
  double width = 3.3;          // of the whole picture, in inches; a column of a paper
  double height = 9;           // of the page, in inches; no picture is taller
  std::string font = "Times";  // a family that fontconfig knows or can replace
  double font_size = 8;        // of labels, in points
  bool has_classes = false;    // name the parts of a picture for a page's style sheet and script

  double width_in_points() const { return width * 72; }

  /// The size of small letters, in points.
  double small() const { return std::max(smallest_letters, font_size - 2); }
};

/// What stands before the height, in points, of a pinned picture's DOT. Its letters have the sizes that it names.
inline constexpr std::string_view pinned_height = "// Height: ";

/// The ends of a line that have an arrowhead.
enum class Heads { none, at_end, at_both };

/// Writes one picture, with classes if the style asks for them. All texts are escaped here, and numbers have two
/// decimals: the same calls give the same bytes. `dot -Tsvg` renders the result, because the picture names its layout
/// engine itself.
class Dot {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  /// A picture whose parts are placed and drawn by the functions that take points. `title` is for people who can't see
  /// it.
  static Dot pinned(const Style& style, std::string_view title, double height);

  /// A picture of nodes and edges that Graphviz places (in layers, unless the graph's attributes say otherwise) and
  /// shrinks to the width.
  static Dot layered(const Style& style, std::string_view title, Attributes graph = {});

  /// From here on, places are reckoned from this one.
  void move_to(Point origin) { origin_ = origin; }

  /// From here on, parts that have classes have this one, too.
  void add_class(std::string_view css_class) { further_class_ = css_class; }

  void disc(Point centre, double radius, std::string_view label, const Stroke& border = {.width = 0.6},
            std::string_view fill = palette::white, std::string_view css_class = {});
  void box(Point corner, double width, double height, std::string_view label, double font_size, std::string_view fill,
           const Stroke& border);
  void text(Point centre, std::string_view label, double font_size, std::string_view colour = palette::black);
  /// Text that begins at `left`, vertically centred there.
  void text_from(Point left, std::string_view label, double font_size);
  /// Lines of text below each other, in the middle of the picture's width; `pitch` is from one to the next. Returns
  /// where they end.
  double lines(double top, const std::vector<std::string>& texts, double font_size, double pitch);
  /// A dashed or dotted line that is too short for several of Graphviz' dashes gets shorter ones, so that it can be
  /// recognised without its colour. Browsers show the title where the pointer is.
  void curve(const Curve& curve, const Stroke& stroke, Heads heads = Heads::at_end, double head_scale = 0.4,
             std::string_view css_class = {}, std::string_view title = {});

  /// For layered pictures. Ids are ours; labels may be any text.
  void node(std::string_view id, std::string_view label, Attributes attributes = {});
  void edge(std::string_view from, std::string_view to, std::string_view label, const Stroke& stroke,
            Attributes attributes = {});
  /// Words below the picture, in lines of its width.
  void caption(std::string_view words);
  void begin_cluster(std::string_view id, std::string_view label);
  void end_cluster();

  /// The whole text. Add nothing afterwards.
  std::string finish();

  const Style& style() const { return style_; }

 private:
  Dot(Style style, std::string_view title);

  void add_attributes(std::string_view what, Attributes attributes);
  void line(const Curve& curve, const Stroke& stroke, const Point* start, const Point* end, double head_scale,
            const std::string& attributes);
  std::string place(Point at) const;
  void pin(Point at, Attributes attributes, std::string_view css_class = {});
  std::string class_attribute(std::string_view css_class) const;

  Style style_;
  std::string text_;
  Point origin_{0, 0};
  std::string further_class_;
  int nodes_ = 0;
};

}  // namespace onceover::viz
