// PlanSequences: what each GPU does under MSCCL++, one operation after another, before it is divided into blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/plan.h"
#include "formats/plan_landings.h"

namespace onceover::formats {

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
