// Which files a source of C or C++ includes from its own project.
#pragma once

#include <string>
#include <vector>

#include "base/namespaces.h"

namespace onceover::cli {

/// Adds what these files include as #include "name", and what that includes: each file once, after those that name it.
/// Files are looked for beside the one that names them, then in the folders; those that aren't there are left out, and
/// so is everything above 1 MiB, such as objects. Up to 1000 files. Reads the files. Conditions of the preprocessor are
/// ignored, so there may be too many files, never too few of these.
std::vector<std::string> with_included(std::vector<std::string> files, const std::vector<std::string>& folders);

}  // namespace onceover::cli
