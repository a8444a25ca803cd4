// Contention of a schedule on a network: how much each link carries at each step, and how far that is from the optimum.
#pragma once

#include <optional>
#include <vector>

#include "network/flows.h"

namespace onceover::network {

/// The contention of a step, and of the steps that are like it.
struct StepContention {
  StepKind kind{};
  std::uint64_t messages = 0;
  std::uint64_t block_transfers = 0;
  Link hottest = -1;                // carries most relative to its bandwidth; -1: nothing is sent
  Rational load = 0;                // blocks on the hottest link
  std::uint64_t most_messages = 0;  // most messages that cross one link, partly or whole
  Link links_used = 0;
  std::int32_t hops_max = 0;   // most links on a message's route
  std::uint64_t hops_sum = 0;  // over all messages
  Rational free = 0;           // blocks that the step takes if no two messages share a link, see Deficiencies
  Rational ports = 0;          // blocks on a port of the rank that sends or receives most, spread over all its ports

  double hops_mean() const { return messages == 0 ? 0 : static_cast<double>(hops_sum) / static_cast<double>(messages); }
};

/// How far a schedule is from the optimum T(n) = log2(p) alpha + w n beta / ports. Here w n is the least that every
/// rank must send or receive, 2 (p-1)/p n in an allreduce. These are factors; 1 is optimal. (Swing paper, section 2.2,
/// which writes n/D for the second term: its p is large, its ports are the 2D of a torus.)
struct Deficiencies {
  double latency;     // steps / log2 p
  double bandwidth;   // the time of all steps if each message had a port to itself, over the optimum
  double congestion;  // the time that the most loaded links take, over that time
};

/// The two deficiencies that are fractions, exactly.
struct ExactDeficiencies {
  Rational bandwidth;
  Rational congestion;
};

struct Contention {
  std::vector<StepContention> steps;         // one for each kind of steps, in the order of their first steps
  int message_steps = 0;                     // steps of the schedule, without those in which values stay on their ranks
  LinkLoads total;                           // over all steps
  std::optional<Deficiencies> deficiencies;  // if the collective has an optimum and p > 1
  std::optional<ExactDeficiencies> exact = {};
  Rational time =
      0;  // for large blocks, in blocks at the speed of a port: of all steps' hottest links or busiest ports
};

/// Follows all messages. Time and memory are those of `follow`.
tl::expected<Contention, Unroutable> contention(const Schedule& schedule, const Network& network,
                                                const FlowOptions& options);

/// A message, and its load on a link.
struct Crossing {
  Rank src;
  Rank dst;
  Block blocks;
  Rational share;  // of its blocks
};

/// The messages of a step that cross a link, or the way back if that is half duplex, in the order of the schedule. The
/// step must be well-formed.
std::vector<Crossing> crossings(const Schedule& schedule, const Network& network, Routing routing, int step, Link link);

/// The loads of steps first .. end-1 together, which must be well-formed. Nothing if the numbers need more than 126
/// bits.
std::optional<LinkLoads> loads_of(const Schedule& schedule, const Network& network, Routing routing, int first,
                                  int end);

/// Blocks on the hottest link in these steps: the time that they take if nobody waits between them.
std::optional<Rational> busiest(const Schedule& schedule, const Network& network, Routing routing, int first, int end);

/// The least that every rank must send or receive, in vectors: 2 (p-1)/p for an allreduce, (p-1)/p for a reduce-scatter
/// or an allgather. Nothing for collectives in which only some ranks must.
std::optional<Rational> least_vectors_exactly(Collective collective, Rank ranks);
std::optional<double> least_vectors(Collective collective, Rank ranks);

}  // namespace onceover::network
