// How the runtimes read the letters of MSCCL XML: with a small parser of their own, which accepts less than XML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats {

/// A place that a runtime's parser can't read, and why.
struct LexicalFault {
  std::size_t at;
  std::string why;
};

/// The first such place in a text that is well-formed XML. All runtimes have the same parser, from NCCL: between
/// elements there are only spaces and ends of lines; one space separates attributes, which end with a double quote;
/// names have at most 254 bytes and values 255. O(text).
std::optional<LexicalFault> lexical_fault(std::string_view text);

}  // namespace onceover::formats
