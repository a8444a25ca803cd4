// A program of MSCCL XML or GOAL as its file describes it (docs/msccl-xml.md, docs/goal.md), its memory, and what
// happens while its steps are executed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/certificate.h"
#include "check/cursor.h"

namespace check {

enum class ChunksOf : std::uint8_t { input, output, scratch };

/// Chunks first .. first + count - 1 of a rank's memory.
struct Chunks {
  ChunksOf memory;
  std::uint64_t first, count;
};

/// What a step waits for: another step of its rank, to have ended, or only to have begun.
struct StepWait {
  std::size_t thread, step;
  bool until_begun;
};

/// A run of chunks that a step moves: from a source, to a target, or both.
struct Part {
  std::optional<Chunks> source, target;
};

inline constexpr std::size_t no_connection = SIZE_MAX;

/// It takes a message, adds, stores, and passes on, as far as it does each. Without a message it copies, or adds the
/// source to the target.
struct Step {
  bool adds = false;
  std::vector<Part> parts = {};                          // in the order of the message
  std::size_t from = no_connection, to = no_connection;  // connections of the program
  std::uint64_t bytes = 0;                               // of the message; 0 in MSCCL XML, which counts chunks
  std::vector<StepWait> waits = {};
  bool receives() const { return from != no_connection; }
  bool sends() const { return to != no_connection; }
};

struct RankSteps {
  std::uint64_t chunks[3] = {0, 0, 0};          // by ChunksOf
  std::vector<std::vector<Step>> threads = {};  // of GOAL one, whose steps aren't ordered
};

struct ProgramFile {
  bool is_goal = false;
  bool has_data = true;  // false: nothing says what messages hold
  std::string collective;
  std::uint64_t chunks = 0, root = 0;  // chunks of a whole buffer
  std::vector<bool> places;            // true: input and output share memory; it must be right at each
  std::string_view protocol;           // of MSCCL XML: Simple, LL, LL128, or empty
  std::size_t connections = 0;         // each from one rank to another; the k-th message sent is the k-th received
  std::vector<RankSteps> ranks;

  std::uint64_t share() const { return chunks / ranks.size(); }

  /// Does the rank's input begin with data?
  bool begins_with_data(std::uint64_t rank) const {
    return rank == root || (collective != "broadcast" && collective != "scatter");
  }

  /// What chunk k of the rank's output must hold: chunk `input` of one rank, or of all, added up; nothing: anything.
  struct Due {
    std::uint64_t input;
    std::optional<std::uint64_t> rank;
  };
  std::optional<Due> due(std::uint64_t rank, std::uint64_t k) const;

  /// Sets the sizes of inputs and outputs. Throws what is wrong at the place.
  void size_buffers(const Cursor& at);
};

/// Throws a malformed Outcome, or an unproven one if the file has what certificates don't cover.
ProgramFile read_msccl(const Text& text);
ProgramFile read_goal(const Text& text);

/// How far chains certainly are: threads, and reads of sends that may come after their steps.
using Known = std::map<std::uint64_t, std::uint32_t>;

inline std::uint32_t known_of(const Known& known, std::uint64_t chain) {
  const auto found = known.find(chain);
  return found == known.end() ? 0 : found->second;
}

inline void join(Known& known, const Known& other) {
  for (const auto& [chain, value] : other) known[chain] = std::max(known[chain], value);
}

/// A use of memory by a step; it is over when the chain has come to the value.
struct StepUse {
  std::uint64_t chain;
  std::uint32_t value;
  std::uint64_t step;  // of one step all are one
};

using Summands = std::vector<std::uint32_t>;  // sorted: chunks of inputs; empty: nothing has set it

class ProgramMemory {
 public:
  /// Throws if the ranks have more than 2^24 chunks.
  ProgramMemory(const ProgramFile& file, bool in_place, const Cursor& at);

  /// Reads chunks. Throws if one isn't there or not set, or if the last write isn't known to be over.
  std::vector<Summands> read(std::uint64_t rank, const Chunks& chunks, const StepUse& use, const Known& known,
                             const Cursor& at);

  /// Writes chunks. Throws if the last write or a read since then isn't known to be over.
  void write(std::uint64_t rank, const Chunks& chunks, const std::vector<Summands>& values, const StepUse& use,
             const Known& known, const Cursor& at);

  /// Throws if a step reads and writes chunks that overlap and aren't the same.
  void check_ranges(std::uint64_t rank, const Part& part, const Cursor& at) const;

  /// Adds two values; throws if a contribution would be in it twice.
  static Summands sum(const Summands& a, const Summands& b, const Cursor& at);

  /// Throws if a chunk of an output isn't as promised.
  void check_results(const Cursor& at) const;

 private:
  struct Chunk {
    Summands value = {};
    std::vector<StepUse> writer = {};  // the last, if there is one
    std::vector<StepUse> readers = {};
  };

  std::uint64_t first(std::uint64_t rank, const Chunks& chunks, const Cursor& at) const;
  std::uint32_t leaf(std::uint64_t rank, std::uint64_t chunk) const;

  const ProgramFile& file_;
  bool in_place_;
  std::vector<std::uint64_t> first_;  // by rank, and one past the last
  std::vector<Chunk> chunks_;
};

/// How a step's chunks are moved: all as one message, or each as its own, from the first on or from the last.
enum class Pieces : std::uint8_t { whole, upward, downward };

struct Message {
  Known known;
  std::uint64_t bytes = 0;
  std::vector<std::vector<Summands>> values = {};  // by place
};

struct Connection {
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
  std::uint64_t number;  // among the messages of its connection
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
