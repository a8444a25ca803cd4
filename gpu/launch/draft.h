// Drafts a description of what is in a PTX file.
#pragma once

#include <string>

#include "gpu/ptx/module.h"

namespace onceover::gpu {

/// A description with the module's entries, their parameters and their variables, for people to complete. Where they
/// must, it has a '?', so that it isn't a description yet.
std::string draft(const ptx::Module& module);

}  // namespace onceover::gpu
