// What a function writes to a file, as a text.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "namespaces.h"

namespace onceover::support {

/// Calls write(file), which returns false if writing failed; that throws.
template <class Write>
std::string written(Write&& write) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  const bool is_written = write(file);
  std::fclose(file);
  std::string result(text, size);
  std::free(text);
  if (!is_written) throw std::runtime_error("a file in memory couldn't be written");
  return result;
}

}  // namespace onceover::support
