// The name that somebody probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// The candidate nearest to `name` by edits (insert, delete, replace, swap neighbours), if it is near enough to be
/// meant: at most a third of the letters differ, or two in a short name. O(|name| * letters of the candidates).
std::optional<std::string> closest(std::string_view name, std::span<const std::string_view> candidates);

/// The candidate nearest by edits, of which it may take `most`, and fewer than it has letters.
std::optional<std::string> closest(std::string_view name, std::span<const std::string_view> candidates,
                                   std::size_t most);

/// "; did you mean 'X'?" where some candidate is near, else "".
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace onceover::base
