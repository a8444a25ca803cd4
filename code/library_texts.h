// The files of the libraries that the program brings.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/namespaces.h"

namespace onceover::code {

/// The path of each, "mpich/library.toml", and its text.
std::span<const std::pair<std::string_view, std::string_view>> library_texts();

}  // namespace onceover::code
