// Lists of names in sentences.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// "json, goal or mpi": the names with commas between them and `last` before the last one.
inline std::string in_sentence(std::vector<std::string_view> names, std::string_view last) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  const std::string_view end = names.back();
  names.pop_back();
  return fmt::format("{} {} {}", fmt::join(names, ", "), last, end);
}

}  // namespace onceover::base
