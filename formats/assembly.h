// From what a rank does, one operation after another, to its part of a program: what runs at once, and what must wait.
#pragma once

#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// Moves the operations of one rank into the program, dealt to threads: one for each connection, one for copies. What
/// touches the same chunks in another thread is ordered, but for what follows from other orders. Vector clocks tell:
/// what an operation waits for, latest first, knows how far the threads are; what is known by then need not be said.
///
/// False, and the program is of no use, if the clocks would take more than 2^27 entries: one for each operation and
/// thread. O(threads) for each operation and each order that is kept, and what data_order.h takes.
bool add_threads(std::vector<Operation>& operations, Program& program, Rank rank);

/// The same without threads, where nothing but orders orders: messages and acts wait for the last part of what they
/// need, and their parts for each other. O(log orders) for each order, and what data_order.h takes.
void add_requests(std::vector<Operation>& operations, Program& program, Rank rank);

}  // namespace onceover::formats
