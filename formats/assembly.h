// From the operations of a rank, one after another, to its part of a program: what runs at once, and what must wait.
#pragma once

#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// Moves the operations of one rank into the program and assigns them to threads: one for each connection, one for
/// copies. Operations of different threads that touch the same chunks get a dependency, unless others imply it. Vector
/// clocks decide that: among the operations to wait for, the latest comes first and knows how far the threads are, so
/// what it knows needs no dependency of its own.
///
/// False, and the program can't be used, if the clocks would take more than 2^27 entries: one for each operation and
/// thread. O(threads) for each operation and each dependency that is kept, and O(chunks touched) for each operation.
bool add_threads(std::vector<Operation>& operations, Program& program, Rank rank);

/// The same without threads, so that only dependencies order operations. Messages and local operations wait for the
/// last part of what they need, and their parts for each other. O(log orders) for each order, and O(chunks touched) for
/// each operation.
void add_requests(std::vector<Operation>& operations, Program& program, Rank rank);

}  // namespace onceover::formats
