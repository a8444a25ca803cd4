// Which send of a GOAL file matches which receive, and its operations as chains.
#pragma once

#include <optional>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// Two sends, or two receives, of one connection that nothing in their rank orders: which message goes where depends on
/// timing.
struct Ambiguity {
  OperationId first;
  OperationId second;
};

/// Gives each message a connection of its own. Of the messages with one source, destination and tag, the k-th sent is
/// the k-th received, in the order that the ranks' dependencies make. That is MPI's rule that messages don't overtake.
/// If the dependencies leave the order open, the order of the file counts and the first such pair is returned. The
/// order of the file also counts in a rank with cyclic dependencies, which ends in a deadlock.
///
/// Parts of a message (`is_part`) stay together. `is_too_large` says that the search was given up after about ten
/// million steps, and nothing is known. O(operations + dependencies) time and memory if no tag is used twice; the
/// search comes on top.
struct MessageOrder {
  std::optional<Ambiguity> ambiguity = {};
  bool is_too_large = false;
};
MessageOrder match_in_order(Program& program);

/// Cuts the runs of chunks of each message wherever one of its ends begins a new run, so that the k-th part sent is the
/// k-th part received. Messages whose ends have different numbers of chunks stay as they are. Each message must have a
/// connection of its own already. Renumbers the operations, also in the dependencies and in `others`. O(operations +
/// dependencies).
void align_runs(Program& program, std::vector<OperationId>& others);

/// Assigns the operations of each rank to threads in which each waits for the one before it anyway: an operation
/// follows one that it requires, if that is still the last of its thread. Sorts the operations by rank and thread and
/// renumbers them, also in the dependencies and in `others`. So code that judges threads can judge requests.
/// O(operations * log operations + dependencies).
void assign_to_chains(Program& program, std::vector<OperationId>& others);

}  // namespace onceover::formats
