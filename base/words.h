// Texts cut into parts, and words put on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// The parts between the separators, one more than there are separators: of "4x6" at 'x' "4" and "6", of "" one that is
/// empty. They are parts of `text`, which has to live as long.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The word as a shell reads it, in quotes if it needs them.
std::string shell_word(std::string_view word);

}  // namespace onceover::base
