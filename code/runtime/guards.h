// Which place in the program each rank is at, for those who use memory that isn't theirs.
#pragma once

#include <cstdint>

/// The rank calls MPI from this site.
void onceover_is_at(std::uint32_t rank, std::uint64_t site);
