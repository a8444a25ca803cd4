// Which send of a GOAL file belongs to which receive, and its operations as chains.
#pragma once

#include <optional>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// Two sends, or two receives, of one connection that nothing in their rank orders: which message goes where depends on
/// the time.
struct Ambiguity {
  OperationId first;
  OperationId second;
};

/// Gives each message a connection of its own: the k-th that is sent with a source, destination and tag, in the order
/// that its rank's dependencies make, is the k-th that is received. That is MPI's rule that messages don't overtake.
/// Where dependencies don't order them, the order is the file's and the first such pair is the answer; a rank whose
/// dependencies are cyclic has the file's order, too: it ends in a deadlock.
///
/// Parts of a message (`is_part`) stay together. `is_too_large` says that the search for orders was given up, after
/// some ten million operations: then nothing is known.
/// O(operations + orders) time and memory if no tag is used twice, and the search.
struct MessageOrder {
  std::optional<Ambiguity> ambiguity = {};
  bool is_too_large = false;
};
MessageOrder match_in_order(Program& program);

/// Cuts the runs of chunks of each message where either of its ends begins a new one, so that its k-th part sent is its
/// k-th received; messages whose ends have different numbers of chunks are left as they are. To be called when each
/// message has its own connection. Renumbers the operations, in `orders` and `others`, too. O(operations + orders).
void cut_alike(Program& program, std::vector<OperationId>& others);

/// Deals the operations of each rank to threads so that those of a thread wait for each other anyway: an operation
/// follows one that it requires, if that is still the last of its thread. Sorts them by rank and thread and renumbers
/// them, in `orders` and `others`, too. What judges threads can then judge requests. O(operations * log operations +
/// orders).
void deal_to_chains(Program& program, std::vector<OperationId>& others);

}  // namespace onceover::formats
