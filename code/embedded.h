// Files that the program brings, as texts; embed_runtime.cmake writes them.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/namespaces.h"

namespace onceover::code {

using NamedTexts = std::span<const std::pair<std::string_view, std::string_view>>;

/// The sources of the runtime, which are compiled together with the code under test, by name.
NamedTexts runtime_texts();

/// The files of libraries, by path: "mpich/library.toml".
NamedTexts library_texts();

}  // namespace onceover::code
