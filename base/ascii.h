// Where a gate file may have letters beyond ASCII.
#pragma once

#include <optional>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// The first byte beyond ASCII outside of the texts and comments of a TOML file, where TOML allows none; a byte order
/// mark at its beginning is none. toml++ must not see such a byte: its tests for blanks have no defined result for some
/// letters. Quoted keys behind a dot count as outside, and so does what follows a backslash and blanks in a text
/// of three quotes. Exact up to the first place at which the file isn't TOML.
/// O(text).
std::optional<std::size_t> beyond_ascii(std::string_view text);

}  // namespace onceover::base
