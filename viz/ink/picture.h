// Picture: a display list, which says what a picture shows, shape by shape, each at its place. SVG, TikZ and DOT are
// written from it (writers.h).
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "viz/primitives.h"

namespace onceover::viz {

class Graph;

/// The margin around a picture, and the height of a panel's title, in points.
inline constexpr double margin = 4;
inline constexpr double title_height = 11;

/// The line around a cell in its own colour, in points: no light is seen between two cells.
inline constexpr double seam = 0.3;

/// The smallest letters that can be read on paper, in points.
inline constexpr double smallest_letters = 5;

/// What a part of a picture stands for. Writers name it: in SVG it is a class, in TikZ a style.
enum class Role : std::uint8_t {
  rank,         // a circle with a rank's number
  node,         // any other circle or box that lines join: a switch, an operation, a sum
  message,      // a line from its sender to its receiver
  link,         // a line of a network
  axis,         // of a plot, with its ticks and their names
  line,         // any other line
  cell,         // a box of a table or heat map
  label,        // a text beside what it names
  key,          // samples and words that say what the looks mean
  note,         // sentences below or above the picture
  title,        // of the picture
  panel_title,  // of a part of it
};

/// "panel title".
std::string_view name(Role role);

/// The style that all pictures share.
struct Style {
  double width = 3.3;              // of the whole picture, in inches; a column of a paper
  double height = 9;               // of the page, in inches; no picture is taller
  std::string font = "Times";      // a family that fontconfig knows or can replace
  double font_size = 8;            // of labels, in points
  bool has_classes = false;        // name the parts of a picture for a page's style sheet and script
  std::vector<Role> without = {};  // what is left out of a picture
  int dpi = 200;                   // of a PNG

  double width_in_points() const { return width * 72; }

  /// The size of small letters, in points.
  double small() const { return std::max(smallest_letters, font_size - 2); }
};

/// The ends of a line that have an arrowhead.
enum class Heads { none, at_end, at_both };

struct Disc {
  Point centre;
  double radius;
  Stroke border;
  std::string_view fill;
  std::string label;  // in the middle; may have several lines
  double size;        // of its letters, in points
};

struct Box {
  Point corner;  // the upper left one
  double width;
  double height;
  Stroke border;
  std::string_view fill;  // "none": what is behind it is seen
  std::string label;
  double size;
};

/// Words in one line or several, vertically centred at a place.
struct Text {
  enum class Anchor : std::uint8_t { start, middle, end };

  Point at;
  Anchor anchor;
  std::string words;
  double size;  // of the letters, in points
  std::string_view colour;
  bool is_upright = false;  // it reads upward

  /// Its lines.
  std::vector<std::string> lines() const;
  /// From the middle of one line to that of the next.
  double pitch() const { return 1.2 * size; }
  /// Where the middle of line `k` of `count` is, below that of the text.
  double below(std::size_t k, std::size_t count) const {
    return pitch() * (static_cast<double>(k) - static_cast<double>(count - 1) / 2);
  }
  /// From the middle of a line down to what letters stand on.
  double to_baseline() const { return 0.32 * size; }
};

/// One curve after the other, up to the bases of the arrowheads.
struct Polycurve {
  std::vector<Curve> shaft;
  Stroke stroke;
  std::optional<Point> start, end;  // the tips of arrowheads
  double head_scale;                // a head is ten times as long, in points

  double length() const;
  /// Lengths of dashes and gaps; empty if the line is solid. A line too short for several dashes has shorter ones, so
  /// that it can be recognised without its colour.
  std::vector<double> dashes() const;
  bool is_double() const { return stroke.dash == "double"; }
};

/// An arrowhead, as a triangle whose first corner is the tip, with a notch in its back if it is swept.
struct Head {
  std::vector<Point> corners;
  double border;  // the width of the line around it, in points; 0: it is filled
};
std::vector<Head> heads_of(const Polycurve& line);

struct DrawnShape {
  std::variant<Disc, Box, Text, Polycurve> form;
  Role role;
  std::string css_class;  // empty, or words for a page's style sheet and script
  std::string title;      // what browsers show where the pointer is

  bool is_line() const { return std::holds_alternative<Polycurve>(form); }
};

/// A picture. Texts may be anything: what isn't UTF-8 becomes "?", and control characters spaces. Lines lie below all
/// other shapes; else later shapes cover earlier ones. The same calls give the same list.
///
/// A picture of a graph that Graphviz still has to place (graph.h) has no shapes yet.
class Picture {
 public:
  /// `title` is for people who can't see it, `height` is in points.
  Picture(Style style, std::string_view title, double height);
  Picture(Style style, std::string_view title, std::shared_ptr<const Graph> graph);

  // What was drawn.

  const Style& style() const { return style_; }
  const std::string& title() const { return title_; }
  double width() const { return width_; }  // in points, as is the height
  double height() const { return height_; }
  const std::vector<DrawnShape>& shapes() const { return shapes_; }
  /// Null once it is placed.
  const std::shared_ptr<const Graph>& graph() const { return graph_; }

  /// All texts, also those in discs and boxes. O(shapes)
  std::vector<Text> texts() const;
  /// Infinite if there are no letters.
  double smallest_letters() const;
  /// The words of its notes, also of those that were left out.
  std::string note() const;

  // Drawing.

  /// From here on, places are reckoned from this one.
  void move_to(Point origin) { origin_ = origin; }

  /// From here on, parts that have classes have this one, too.
  void add_class(std::string_view css_class) { further_class_ = css_class; }

  /// While this lives, what is drawn has a role: `picture.as(Role::title)->text(..)`.
  class InRole {
   public:
    InRole(Picture& picture, Role role) : picture_(picture), before_(picture.role_) { picture.role_ = role; }
    ~InRole() { picture_.role_ = before_; }
    InRole(const InRole&) = delete;
    InRole& operator=(const InRole&) = delete;

    Picture* operator->() const { return &picture_; }

   private:
    Picture& picture_;
    std::optional<Role> before_;
  };

  /// Else discs are ranks, boxes cells, texts labels, and lines messages if they have a head or a class.
  [[nodiscard]] InRole as(Role role) { return {*this, role}; }

  void disc(Point centre, double radius, std::string_view label, const Stroke& border = {.width = 0.6},
            std::string_view fill = palette::white, std::string_view css_class = {});
  void box(Point corner, double width, double height, std::string_view label, double font_size, std::string_view fill,
           const Stroke& border);
  void text(Point centre, std::string_view label, double font_size, std::string_view colour = palette::black);
  /// Text that begins at `left`, vertically centred there.
  void text_from(Point left, std::string_view label, double font_size);
  /// Any other text.
  void add(Text text);
  /// Lines of text below each other, in the middle of the picture's width; `pitch` is from one to the next. Returns
  /// where they end.
  double lines(double top, const std::vector<std::string>& texts, double font_size, double pitch);
  /// A line, whose heads are at most 40 % as long as its shaft.
  void curve(const Curve& curve, const Stroke& stroke, Heads heads = Heads::at_end, double head_scale = 0.4,
             std::string_view css_class = {}, std::string_view title = {});
  /// The same of several curves, each of which begins where the one before it ends.
  void curves(std::vector<Curve> curves, const Stroke& stroke, Heads heads = Heads::at_end, double head_scale = 0.4,
              std::string_view css_class = {}, std::string_view title = {});

  /// Leaves out all shapes of these roles, and the room that they had above and below the others.
  void leave_out(const std::vector<Role>& roles);

  /// Cuts or extends the picture.
  void resize(double width, double height) { width_ = width, height_ = height; }
  void add_shapes(const Picture& other) { shapes_.insert(shapes_.end(), other.shapes_.begin(), other.shapes_.end()); }

 private:
  void add(std::variant<Disc, Box, Text, Polycurve> form, Role role, std::string_view css_class,
           std::string_view title);

  Style style_;
  std::string title_;
  double width_;
  double height_;
  std::shared_ptr<const Graph> graph_;
  std::vector<DrawnShape> shapes_;
  Point origin_{0, 0};
  std::string further_class_;
  std::optional<Role> role_;
  std::string note_left_out_;
};

}  // namespace onceover::viz
