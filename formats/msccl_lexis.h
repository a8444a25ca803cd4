// How the runtimes read the letters of MSCCL XML: their own few lines of parser, which know less than XML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats {

/// Where a runtime's parser stumbles, and over what.
struct LexicalFault {
  std::size_t at;
  std::string why;
};

/// The first such place of a text that is well-formed XML. All runtimes have the same parser, from NCCL: blanks between
/// elements are spaces and ends of lines, attributes are parted by one space and end with a double quote, names have at
/// most 254 bytes and values 255. O(text).
std::optional<LexicalFault> lexical_fault(std::string_view text);

}  // namespace onceover::formats
