// Legible: no picture leaves whose letters are too small or that is taller than its page.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "viz/view.h"

namespace onceover::viz {

/// What makes a picture: a view and its subject.
struct Drawing {
  std::function<Drawn<Picture>(const DrawOptions&)> draw;
  std::string_view heeds = "";         // the options that would make it smaller: --ranks, --steps
  int steps = 0;                       // of the subject
  std::string_view words = "";         // how a user asks for it in place of another drawing
  const Drawing* otherwise = nullptr;  // what to try if no part of it can be read
  std::string in_words = "";           // a command that says in words what can't be drawn
};

/// The picture, at its places. If its letters are smaller than `smallest_letters`, or it is taller than `style.height`,
/// it is thinned; if that is not enough it is refused, with options under which it can be read, which were tried.
/// Nothing is rendered for that. A graph that Graphviz will place has no size before that; unless the picture `places`
/// it, it isn't judged. Cost: once drawn; if it is refused, up to some thirty times.
Drawn<Picture> legible(const Drawing& drawing, const DrawOptions& options, bool places = true);

/// Its bytes in a format; DOT isn't placed.
Drawn<std::string> render_legibly(const Drawing& drawing, const DrawOptions& options, std::string_view format);

}  // namespace onceover::viz
