// Maximum flows, by Dinic's algorithm.
#pragma once

#include <cstdint>
#include <vector>

namespace check {

/// A graph through which flows are sent, one after the other, each from the empty graph. Memory: 24 bytes an arc,
/// twice.
class FlowGraph {
 public:
  /// All flows together look at `most_work` arcs, or a few more.
  FlowGraph(std::size_t vertices, std::uint64_t most_work);

  void add(std::uint32_t from, std::uint32_t to, std::uint64_t capacity);

  /// The most that flows from one vertex to another, or less once the work has run out; the capacities that leave
  /// `from` must add up in 64 bits. Empties the graph first. O(vertices^2 arcs), usually far less.
  std::uint64_t most(std::uint32_t from, std::uint32_t to);

  bool ran_out() const { return work_ > most_work_; }

 private:
  struct Arc {
    std::uint32_t to;
    std::uint64_t capacity;
    std::uint64_t left;
  };

  bool levels(std::uint32_t from, std::uint32_t to);
  std::uint64_t push(std::uint32_t from, std::uint32_t to);

  std::vector<Arc> arcs_;  // an arc and its way back are neighbours
  std::vector<std::vector<std::uint32_t>> at_;
  std::vector<std::uint32_t> level_;  // 0: not reached; that of the source is 1
  std::vector<std::size_t> next_;
  std::uint64_t work_ = 0;  // arcs that were looked at
  std::uint64_t most_work_;
};

}  // namespace check
