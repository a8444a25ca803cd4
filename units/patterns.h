// Patterns of paths in gate files.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace onceover::units {

/// The files whose paths match a pattern, sorted, each once. In a pattern, * stands for any letters of a name, ? for
/// one, [ab] for one of these, and ** as a whole name for any number of folders. Only a name that is written with a dot
/// matches one with a dot in front. Links to folders are followed except by **. A folder that can't be read is an
/// error, in words. O(entries of the folders that match).
tl::expected<std::vector<std::string>, std::string> files_matching(const std::string& pattern);

}  // namespace onceover::units
