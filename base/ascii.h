// Which bytes beyond ASCII a gate file must not have.
#pragma once

#include <optional>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// The offset of the first byte beyond ASCII that lies outside the texts and comments of a TOML file, where TOML allows
/// none. A byte order mark at the beginning is allowed. toml++ must never see such a byte: its tests for blanks are
/// undefined for some letters. Quoted keys behind a dot count as outside, and so does a letter that follows a backslash
/// and blanks in a text between triple quotes. The answer is exact up to the first error of syntax. O(text).
std::optional<std::size_t> beyond_ascii(std::string_view text);

}  // namespace onceover::base
