// Follows the messages of a schedule through a network, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "network/link_loads.h"
#include "network/network.h"
#include "network/routing.h"
#include "schedules/schedule.h"

namespace onceover::network {

/// Why a schedule can't be followed through a network.
struct Unroutable {
  enum class Kind {
    ill_formed,  // a transfer names a rank or block that doesn't exist, stays where it is, or has no route
    exhausted,   // the budget ran out, or the numbers in which loads are counted
  };
  Kind kind;
  std::string text;
};

struct FlowOptions {
  Routing routing = Routing::minimal;
  int threads = 0;                        // 0: as many as there are cores
  std::uint64_t budget = 10'000'000'000;  // links that messages cross, or that searches for routes look at, at most
};

/// How many threads share that many jobs.
int thread_count(const FlowOptions& options, std::size_t jobs);

/// Steps whose messages are alike for a network.
struct StepKind {
  int step;   // the first of them
  int times;  // how many there are
};

/// The kinds of steps, by their first step. O(steps).
std::vector<StepKind> step_kinds(const Schedule& schedule);

/// A kind of steps: its messages, their routes, and the loads of all links if all messages are under way. What ranks
/// move between their own blocks is no message.
///
/// If translations of the ranks take the steps and the network to themselves, one message of each orbit is listed. Each
/// stands for `ranks.orbit_size()`, whose routes are translated, too.
struct StepFlows {
  const Translations& ranks;
  const std::vector<Transfer>& messages;
  const std::vector<Transfer>& local;
  Router& router;
  const LinkLoads& loads;
};

/// Calls visit(number of the kind, flows) for each kind, on several threads at once and in any order. `schedule` and
/// `network` must have the same ranks, which must all reach each other. Throws `Stopped` if all work is to stop; the
/// visits made until then say nothing about the whole. Time: O(links on the routes of one step's messages) for each
/// kind. Memory: O(links + messages of a step) for each thread. If there are translations, which are found for
/// schedules of patterns on a torus, all of this and the budget count one message of each orbit.
tl::expected<void, Unroutable> follow(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                      const std::function<void(std::size_t, const StepFlows&)>& visit);

// What a schedule calls the ranks of a network.

/// "rank 3 (node 1, gpu 1)", "switch 2", or the node's name in the network's file. O(ranks) if the rank
/// sits elsewhere than on the node of its number.
std::string node_text(const Network& network, Node node, const Names& names);

/// "rank 3 (node 1, gpu 1) -> switch 2".
std::string link_text(const Network& network, Link link, const Names& names);

/// A transfer that can't be followed.
Unroutable ill_formed_transfer(const Transfer& transfer, const Names& names, int step);

/// Ranks that the network doesn't join.
Unroutable no_way(Rank from, Rank to, const Names& names);

}  // namespace onceover::network
