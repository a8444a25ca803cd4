// What each GPU does under MSCCL++, one operation after another, before it is divided into blocks (PlanSequences), and
// where its messages arrive (Landings).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/plan.h"
#include "formats/program.h"

namespace onceover::formats {

/// Where a part of a message arrives in its receiver's memory.
struct PartPlace {
  ChunkRange place = {};  // of packets: chunk k of packets, which takes the room of chunks 2k and 2k+1
  bool is_final = false;  // what uses the part finds it there; false: the receiver moves it to where it belongs
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

/// A signal of a GPU, and the wait of another for it; their positions in the sequences of these.
struct Handshake {
  Rank from;
  Rank to;
  std::int32_t signal = -1;
  std::int32_t wait = -1;
};

/// As if one block ran all operations of a GPU. The ids of signals and waits are numbers of handshakes, and name each
/// peer once in an operation.
struct PlanSequences {
  std::vector<std::vector<PlanOperation>> of_gpu;
  std::vector<Handshake> handshakes = {};
};

/// The sequences of a program that was lowered with requests.
///
/// Without packets, a message is put, and a signal says so. Before its first message, a GPU waits until all that it
/// puts to have begun the call: their last call is over then, and nothing of it is used any more. With packets, the
/// program has no signals at all, and calls must use the halves of scratch in turn.
///
/// Threads meet at a nop where two operations use the same chunks and one writes, between data and a signal, between a
/// wait and data, and between two waits for one GPU. O(operations + chunks touched).
PlanSequences sequences_of(const Program& program, const Landings& landings, bool with_packets);

}  // namespace onceover::formats
