// A picture with the DOT that says what is in it.
#pragma once

#include <string>

#include "viz/drawn.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"
#include "viz/renderer.h"

namespace onceover::support {

struct DrawnText : std::string {
  viz::Picture picture;

  explicit DrawnText(viz::Picture drawn) : std::string(viz::dot_of(drawn)), picture(std::move(drawn)) {}

  viz::Drawn<std::string> svg() const { return viz::render(picture, "svg"); }
};

inline viz::Drawn<DrawnText> as_text(viz::Drawn<viz::Picture> drawn) {
  return std::move(drawn).map([](viz::Picture picture) { return DrawnText(std::move(picture)); });
}

}  // namespace onceover::support
