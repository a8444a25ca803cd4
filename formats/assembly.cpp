#include "formats/assembly.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace onceover::formats {

namespace {

/// Which operations of a rank must wait for which, because they touch the same memory.
///
/// Takes the operations of a rank in an order that would be right one after another. For each it finds the earlier ones
/// that it must not overtake: the last that wrote what it touches and, if it writes, all that read it since.
///
/// Input and output count as different memory, because programs in place name only one of them. Memory: 32 bytes a
/// chunk of the rank's buffers and 4 a read. add: O(chunks touched + answers * log).
class DataHazards {
 public:
  explicit DataHazards(const Buffers& sizes);

  /// Replaces `before` with the positions for which the operation must wait, descending, each once. Positions count the
  /// operations added. Parts of one message or act share the position of the first, and don't wait for each other.
  void add(const Operation& operation, std::vector<std::int32_t>& before);

 private:
  struct Chunk {
    std::int32_t writer = -1;
    std::vector<std::int32_t> readers = {};
  };

  template <class Visit>
  void for_each(const ChunkRange& range, Visit&& visit);

  std::int32_t begin_[3];
  std::vector<Chunk> chunks_;
  std::int32_t position_ = -1;
};

DataHazards::DataHazards(const Buffers& sizes)
    : begin_{0, sizes.input, sizes.input + sizes.output},
      chunks_(static_cast<std::size_t>(sizes.input) + static_cast<std::size_t>(sizes.output) +
              static_cast<std::size_t>(sizes.scratch)) {}

template <class Visit>
void DataHazards::for_each(const ChunkRange& range, Visit&& visit) {
  const std::int32_t first = begin_[static_cast<int>(range.buffer)] + range.first;
  for (std::int32_t k = 0; k < range.count; ++k) visit(chunks_[static_cast<std::size_t>(first + k)]);
}

void DataHazards::add(const Operation& operation, std::vector<std::int32_t>& before) {
  before.clear();
  if (!operation.is_part) ++position_;
  const bool writes = stores(operation.instruction);
  auto wait_for = [&](std::int32_t position) {
    if (position >= 0 && position != position_) before.push_back(position);
  };
  if (reads_source(operation.instruction)) for_each(operation.source, [&](Chunk& chunk) { wait_for(chunk.writer); });
  if (writes)
    for_each(operation.target, [&](Chunk& chunk) {
      wait_for(chunk.writer);
      for (const std::int32_t reader : chunk.readers) wait_for(reader);
    });
  if (reads_source(operation.instruction))
    for_each(operation.source, [&](Chunk& chunk) { chunk.readers.push_back(position_); });
  if (writes)
    for_each(operation.target, [&](Chunk& chunk) {
      chunk.writer = position_;
      chunk.readers.clear();
    });
  std::sort(before.begin(), before.end(), std::greater<>());
  before.erase(std::unique(before.begin(), before.end()), before.end());
}

/// Assigns the operations of one rank to its threads.
class Threads {
 public:
  explicit Threads(std::vector<Operation>& operations) {
    for (Operation& operation : operations) deal(operation);
  }

  std::size_t count() const { return lengths_.size(); }

 private:
  void deal(Operation& operation) {
    const std::pair key(operation.to, operation.from);
    const auto thread = threads_.try_emplace(key, static_cast<std::int32_t>(lengths_.size())).first->second;
    if (thread == static_cast<std::int32_t>(lengths_.size())) lengths_.push_back(0);
    operation.thread = thread;
    operation.number = lengths_[static_cast<std::size_t>(thread)]++;
  }

  std::map<std::pair<ConnectionId, ConnectionId>, std::int32_t> threads_;
  std::vector<std::int32_t> lengths_;
};

/// Leaves out orders that others imply. Vector clocks say how far each operation knows the rank's threads to be.
class ImpliedOrders {
 public:
  ImpliedOrders(const std::vector<Operation>& operations, std::size_t threads)
      : operations_(operations), now_(threads, std::vector<std::int32_t>(threads, 0)), clocks_(operations.size()) {}

  /// Keeps of `before`, which is in descending order, the operations for which k needs a dependency.
  void reduce(std::int32_t k, std::vector<std::int32_t>& before) {
    std::vector<std::int32_t>& clock = now_[thread(k)];
    auto is_known = [&](std::int32_t b) { return clock[thread(b)] > operations_[index(b)].number; };
    std::vector<std::int32_t> kept;
    for (const std::int32_t b : before) {
      if (is_known(b)) continue;
      kept.push_back(b);
      const std::vector<std::int32_t>& other = clocks_[index(b)];
      for (std::size_t t = 0; t < clock.size(); ++t) clock[t] = std::max(clock[t], other[t]);
    }
    before = std::move(kept);
    clock[thread(k)] = operations_[index(k)].number + 1;
    clocks_[index(k)] = clock;
  }

 private:
  static std::size_t index(std::int32_t k) { return static_cast<std::size_t>(k); }
  std::size_t thread(std::int32_t k) const { return static_cast<std::size_t>(operations_[index(k)].thread); }

  const std::vector<Operation>& operations_;
  std::vector<std::vector<std::int32_t>> now_;
  std::vector<std::vector<std::int32_t>> clocks_;
};

/// The largest number of (operation, thread) pairs of a rank, which limits the memory of the clocks.
constexpr std::size_t most_clock_entries = std::size_t{1} << 27;

}  // namespace

bool add_threads(std::vector<Operation>& operations, Program& program, Rank rank) {
  const Threads threads(operations);
  if (std::max(threads.count(), operations.size()) * threads.count() > most_clock_entries) return false;
  ImpliedOrders implied(operations, threads.count());
  DataHazards data(program.buffers[static_cast<std::size_t>(rank)]);
  std::vector<std::int32_t> position(operations.size());
  for (std::size_t k = 0; k < position.size(); ++k) position[k] = static_cast<std::int32_t>(k);
  std::stable_sort(position.begin(), position.end(), [&](std::int32_t a, std::int32_t b) {
    return operations[static_cast<std::size_t>(a)].thread < operations[static_cast<std::size_t>(b)].thread;
  });
  const auto base = static_cast<OperationId>(program.operations.size());
  std::vector<OperationId> ids(operations.size());
  for (std::size_t at = 0; at < position.size(); ++at) {
    ids[static_cast<std::size_t>(position[at])] = base + static_cast<OperationId>(at);
    program.operations.push_back(operations[static_cast<std::size_t>(position[at])]);
  }
  std::vector<std::int32_t> before;
  for (std::size_t k = 0; k < operations.size(); ++k) {
    data.add(operations[k], before);
    implied.reduce(static_cast<std::int32_t>(k), before);
    for (const std::int32_t b : before) program.dependencies.push_back({ids[static_cast<std::size_t>(b)], ids[k]});
  }
  return true;
}

void add_requests(std::vector<Operation>& operations, Program& program, Rank rank) {
  DataHazards data(program.buffers[static_cast<std::size_t>(rank)]);
  std::vector<OperationId> first;  // by message or act
  std::vector<OperationId> last;
  std::vector<std::int32_t> before;
  std::set<std::int32_t> waits;
  auto end_group = [&] {
    if (first.empty()) return;
    for (const std::int32_t b : waits)
      program.dependencies.push_back({last[static_cast<std::size_t>(b)], first.back()});
    waits.clear();
  };
  for (std::size_t k = 0; k < operations.size(); ++k) {
    Operation& operation = operations[k];
    operation.number = static_cast<std::int32_t>(k);
    const auto id = static_cast<OperationId>(program.operations.size());
    if (!operation.is_part) {
      end_group();
      first.push_back(id);
      last.push_back(id);
    } else {
      program.dependencies.push_back({id - 1, id});
      last.back() = id;
    }
    data.add(operation, before);
    waits.insert(before.begin(), before.end());
    program.operations.push_back(operation);
  }
  end_group();
}

}  // namespace onceover::formats
