// The contention of a schedule on a network: which links carry how much at each step, and how far that is from the
// best.
#pragma once

#include <optional>
#include <vector>

#include "network/flows.h"

namespace onceover::network {

/// What happens in a step, and in the `times` steps that are like it.
struct StepContention {
  StepKind kind{};
  std::uint64_t messages = 0;
  std::uint64_t block_transfers = 0;
  Link hottest = -1;                // carries most in relation to its bandwidth; -1: nothing is sent
  Rational load = 0;                // blocks on it
  std::uint64_t most_messages = 0;  // that cross one link, in part or whole
  Link links_used = 0;
  std::int32_t hops_max = 0;   // links on a message's way
  std::uint64_t hops_sum = 0;  // over all messages
  Rational free = 0;           // blocks that the step takes where no two messages meet, see Deficiencies

  double hops_mean() const { return messages == 0 ? 0 : static_cast<double>(hops_sum) / static_cast<double>(messages); }
};

/// How far a schedule is from the optimum T(n) = log2(p) alpha + w n beta / ports, where w n is what every rank must
/// send or receive at least: 2 (p-1)/p n in an allreduce. As factors, 1 is optimal. (Swing paper, section 2.2, which
/// writes n/D for the second term: its p is large, its ports are the 2D of a torus.)
struct Deficiencies {
  double latency;     // steps / log2 p
  double bandwidth;   // the time of all steps where a message has a port to itself, over the optimum
  double congestion;  // the time that the most loaded links take, over the former
};

/// Those of them that are fractions, as such.
struct ExactDeficiencies {
  Rational bandwidth;
  Rational congestion;
};

struct Contention {
  std::vector<StepContention> steps;         // a kind of steps each, by their first step
  LinkLoads total;                           // over all steps
  std::optional<Deficiencies> deficiencies;  // where the collective has an optimum and p > 1
  std::optional<ExactDeficiencies> exact = {};
};

/// Follows all messages. Time and memory as for `follow`.
tl::expected<Contention, Unroutable> contention(const Schedule& schedule, const Network& network,
                                                const FlowOptions& options);

/// A message and what it puts on a link.
struct Crossing {
  Rank src;
  Rank dst;
  Block blocks;
  Rational share;  // of them
};

/// The messages of a step that cross a link, in the order of the schedule. The step is well-formed.
std::vector<Crossing> crossings(const Schedule& schedule, const Network& network, Routing routing, int step, Link link);

/// The loads of steps first .. end-1 together. The steps are well-formed; nothing if the numbers outgrow 126 bits.
std::optional<LinkLoads> loads_of(const Schedule& schedule, const Network& network, Routing routing, int first,
                                  int end);

/// Blocks on the hottest link in these steps: what they take if nobody waits between them.
std::optional<Rational> busiest(const Schedule& schedule, const Network& network, Routing routing, int first, int end);

/// What every rank must send or receive at least, in vectors: 2 (p-1)/p for an allreduce, (p-1)/p for a reduce-scatter
/// or an allgather; nothing where only some ranks must.
std::optional<Rational> least_vectors_exactly(Collective collective, Rank ranks);
std::optional<double> least_vectors(Collective collective, Rank ranks);

}  // namespace onceover::network
