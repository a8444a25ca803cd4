// What happens while the order of a program's steps is executed: messages on their way, and threads.
#pragma once

#include <deque>
#include <memory>

#include "check/program_memory.h"

namespace check {

/// How a step's chunks are moved: all as one message, or each as its own, from the first on or from the last.
enum class Pieces : std::uint8_t { whole, upward, downward };

struct Message {
  Known known;
  std::uint64_t bytes = 0;
  std::vector<std::vector<Summands>> values = {};  // by place
};

struct Way {
  std::deque<Message> messages = {};
  std::uint64_t sent = 0, taken = 0, awaited = 0;            // messages; and receives that have begun
  std::optional<StepUse> last_send = {}, last_receive = {};  // of GOAL
};

/// A step, or the next piece of it, that has begun.
struct Running {
  std::size_t step;
  std::uint64_t piece, pieces;
  Step work;
  Known known;
  std::uint64_t number;  // among the messages of its way
  std::uint64_t use;     // names all its uses of memory
  std::vector<std::pair<Chunks, std::vector<std::vector<Summands>>>> late =
      {};  // what it stores when it ends, by place
};

struct ThreadRun {
  std::uint64_t rank;
  std::uint64_t chain;                   // the next number is that of its late reads
  std::size_t next = 0;                  // step of MSCCL XML
  std::uint64_t piece = 0;               // of that
  std::uint32_t ended = 0;               // pieces of steps
  std::optional<std::size_t> last = {};  // step of GOAL
  Known known = {};                      // of other threads
  std::unique_ptr<Running> running = {};
  // Reads of sends that have ended: how many there are, how many are over for the thread, and those of the last step by
  // the place of their chunk.
  std::uint32_t reads = 0, reads_over = 0;
  std::size_t reads_step = 0;
  std::map<std::uint64_t, std::uint32_t> open_reads = {};

  /// What it knows of all, itself included.
  Known all_known() const {
    Known all = known;
    if (ended > 0) all[chain] = 2 * ended;
    if (reads_over > 0) all[chain + 1] = reads_over;
    return all;
  }

  /// A send is about to read a chunk of its message.
  void open_read(std::uint64_t place) {
    if (reads_step != running->step) open_reads.clear();
    reads_step = running->step;
    open_reads[place] = ++reads;
  }

  void close_reads() {
    reads_over = reads;
    open_reads.clear();
  }
};

}  // namespace check
