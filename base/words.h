// Texts split into parts, and words quoted for a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// The parts between the separators: "4x6" at 'x' gives "4" and "6", "" gives one empty part. The parts point into
/// `text`, which must outlive them.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The word as a shell reads it, in quotes if necessary.
std::string shell_word(std::string_view word);

}  // namespace onceover::base
