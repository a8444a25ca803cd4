// Legible: no picture leaves whose letters are too small or that is taller than its page.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "viz/view.h"

namespace onceover::viz {

/// A picture as it is on paper.
struct PictureSize {
  double height;            // in inches
  double smallest_letters;  // in points; infinite if there are none
};

/// The measures of a picture that `render` has made as SVG. O(its length)
PictureSize size_of_picture(std::string_view svg);

/// What makes a picture: a view and its subject.
struct Drawing {
  std::function<Drawn<std::string>(const DrawOptions&)> draw;  // as DOT
  std::string_view heeds = "";         // the options that would make it smaller: --ranks, --steps
  int steps = 0;                       // of the subject
  std::string_view words = "";         // how a user asks for it in place of another drawing
  const Drawing* otherwise = nullptr;  // what to try if no part of it can be read
  std::string in_words = "";           // a command that says in words what can't be drawn
};

/// The bytes of the picture in a format. If its letters are smaller than `smallest_letters`, or it is taller than
/// `style.height`, it is thinned; if that is not enough it is refused, with options under which it can be read, which
/// were tried. DOT whose parts Graphviz places has no size before that, so it isn't judged. Cost: one
/// rendering; if Graphviz places its parts, one or two more, and if it is refused up to some thirty.
Drawn<std::string> render_legibly(const Drawing& drawing, const DrawOptions& options, std::string_view format);

}  // namespace onceover::viz
