// Landings: where the messages of a program arrive when it becomes a plan of MSCCL++.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// Where a part of a message arrives in its receiver's memory.
struct PartPlace {
  ChunkRange place = {};  // of packets: chunk k of packets, which takes the room of chunks 2k and 2k+1
  bool stays = false;     // what uses the part finds it there; false: the receiver moves it to where it belongs
};

/// By operation of a program that was lowered with requests; `landings` are of those that receive.
///
/// A part is put where it belongs if its sender knows that everything is over that used this memory before: because the
/// receiver has never used it, or told so on any way of messages. Otherwise it lands in scratch of its own.
///
/// Packets always land in scratch of their own. If the program keeps a part in scratch for local operations alone,
/// these read the packets, and the program's scratch isn't needed.
struct Landings {
  std::vector<PartPlace> landings;
  std::vector<OperationId> partners;               // the other end of its message's part, or -1
  std::vector<std::optional<ChunkRange>> packets;  // what it reads instead of its source
  std::vector<std::vector<std::int32_t>> scratch;  // by rank: the place of each chunk of the program's scratch
  std::vector<std::int32_t> scratch_sizes;         // by rank, in chunks of plain data
};

/// The landings; nothing if the clocks that they need are too large: more than 2^27 entries, one for each operation and
/// rank. Time: O(operations * ranks) without packets, O(operations + chunks) with them.
std::optional<Landings> land(const Program& program, bool with_packets);

}  // namespace onceover::formats
