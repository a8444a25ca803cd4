// The view of steps: its panels, on a line and on a torus.
#pragma once

#include <memory>

#include "viz/messages.h"

namespace onceover::viz {

/// The panels of a picture, one for each step or for several that are alike. They refer to what they are made of.
class StepPanels {
 public:
  virtual ~StepPanels() = default;

  virtual std::size_t count() const = 0;
  virtual int across() const = 0;    // how many fit side by side
  virtual double width() const = 0;  // from one to the next at its side, in points

  /// The room that a panel needs above the place where its ranks begin, and from there on, in points.
  virtual double above(std::size_t panel) const = 0;
  virtual double below(std::size_t panel) const = 0;

  /// A sentence about all panels, for the key; may be empty.
  virtual std::string explanation() const = 0;

  /// Draws a panel with its upper left corner at the origin, and at least the room that it needs above.
  virtual void draw(Picture& picture, std::size_t panel, double above) const = 0;
};

/// Where a rank is on its torus: on the sides before the last two together, on the one before the last, and on the
/// last.
struct PlaceOnTorus {
  Rank slice, row, column;
};

/// The last two sides of a torus, or these the other way around. A line is one row.
struct LastSides {
  LastSides(const std::vector<Rank>& sides, bool transposes);

  PlaceOnTorus place_of(Rank rank) const;

  Rank columns, rows;
  bool is_transposed;
};

/// How many blocks a message has, and where that is to stand.
struct StepCount {
  Point at;
  Block size;
};

/// ", ×16" or ", ×1 to ×16", for the panel's title, if two of the numbers would overlap beside their lines; else "".
std::string counts_in_title(const std::vector<StepCount>& counts, double font_size);

/// The ranks in a row, messages to the right as arcs above it and messages to the left as arcs below. On a ring the
/// shorter way is drawn, which may lead around the ends. (Swing paper, figure 1) Transposed, ranks are below each
/// other, and at most `most_across` panels side by side.
std::unique_ptr<StepPanels> panels_on_a_line(const Header& header, const SelectedMessages& selection,
                                             const DrawOptions& options, int most_across);

/// The ranks at their places on the torus, an exchange as one line with two heads. Links around the torus leave on one
/// side and come in on the other. Sides before the last two are drawn as slices next to each other. At most
/// `most_across` panels are side by side. (Swing paper, figures 2, 5, 6 and 10)
std::unique_ptr<StepPanels> panels_on_a_torus(const Header& header, const SelectedMessages& selection,
                                              const DrawOptions& options, int most_across);

/// Of ranks that send alike one, with those that it sends to; the selection has classes. Refused if a panel is too
/// wide.
Drawn<std::unique_ptr<StepPanels>> panels_of_classes(const Header& header, const SelectedMessages& selection,
                                                     const DrawOptions& options, int most_across);

}  // namespace onceover::viz
