// What runtimes make of a program when buffers are large: they move each message in pieces, at last in single chunks.
#pragma once

#include <cstdint>

#include "formats/program.h"

namespace onceover::formats {

/// The operations that the program would have; as many as it has if none moves more than one chunk, or if its format
/// doesn't cut messages (GOAL).
std::uint64_t operations_in_single_chunks(const Program& program);

/// Which of an operation's chunks comes first.
enum class ChunkOrder : std::uint8_t { upward, downward };

/// The same program with an operation, and a message of its own, for each chunk, in that order. What waits, waits with
/// its first piece; what is waited for has ended with its last. Sends and receives of one message must have the same
/// count.
Program in_single_chunks(const Program& program, ChunkOrder order = ChunkOrder::upward);

}  // namespace onceover::formats
