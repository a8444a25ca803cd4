// Large pages, for buffers that are filled from one end to the other.
#pragma once

#include <cstddef>

#include "base/namespaces.h"

namespace onceover::base {

/// Asks the system to back this memory by pages of 2 MiB, of which each takes one fault instead of 512. Only whole such
/// pages inside are meant; nothing happens where the system has none.
void prefer_large_pages(const void* begin, std::size_t bytes);

}  // namespace onceover::base
