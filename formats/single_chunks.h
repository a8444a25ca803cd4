// What runtimes make of a program if buffers are large: they move each message in pieces, in the extreme single chunks.
#pragma once

#include <cstdint>

#include "formats/program.h"

namespace onceover::formats {

/// How many operations `in_single_chunks` makes; as many as the program has if none moves more than one chunk, or if
/// its format doesn't divide messages (GOAL).
std::uint64_t operations_in_single_chunks(const Program& program);

/// Which chunk of an operation comes first.
enum class ChunkOrder : std::uint8_t { upward, downward };

/// The same program with an operation, and a message of its own, for each chunk, in that order. An operation that waits
/// does so before its first piece; one that is waited for has ended when its last piece has. Sends and receives of one
/// message must have the same count.
Program in_single_chunks(const Program& program, ChunkOrder order = ChunkOrder::upward);

}  // namespace onceover::formats
