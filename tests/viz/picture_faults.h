// What is wrong with a picture as it is rendered.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "viz/ink/picture.h"

namespace onceover::support {

/// Its shapes of one form: discs, boxes, texts or lines.
template <class Form>
std::vector<Form> all_of(const viz::Picture& picture) {
  std::vector<Form> all;
  for (const viz::DrawnShape& shape : picture.shapes())
    if (const auto* form = std::get_if<Form>(&shape.form)) all.push_back(*form);
  return all;
}

/// Texts that overlap or leave the picture, as do other shapes; labels wider than what they name; heads that are too
/// long or over a circle; numbers with exponents. At most eight.
std::vector<std::string> faults_of(const viz::Picture& picture);

}  // namespace onceover::support
