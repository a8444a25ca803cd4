// Where steps and messages are in the text of a schedule file.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::formats {

/// From the first byte, a bracket, to the one after the last.
struct TextSpan {
  std::size_t begin;
  std::size_t end;
};

struct StepPlace {
  TextSpan step;
  std::vector<TextSpan> transfers;
};

/// Of each step of a schedule file, which must be right JSON. O(text).
std::vector<StepPlace> step_places(std::string_view text);

}  // namespace onceover::formats
