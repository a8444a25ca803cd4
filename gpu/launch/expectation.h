// Reads what outputs must hold: "allreduce(in)", "broadcast(in, root = 0)", "allreduce(in, max)".
#pragma once

#include <cstdint>
#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "gpu/launch/concrete.h"
#include "gpu/launch/description.h"

namespace onceover::gpu {

/// The counts of a buffer's elements, by rank.
using Counts = std::vector<std::int64_t>;

/// What is expected of an output, for these counts of all buffers of the description.
tl::expected<Expected, SourceError> expected_of(const ExpectText& expect, const Description& description,
                                                const std::vector<Counts>& counts, const Variables& variables, Rank p);

/// The name of an operation: "add".
std::string_view name(Combining operation);

}  // namespace onceover::gpu
