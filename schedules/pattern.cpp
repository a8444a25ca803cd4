#include "schedules/pattern.h"

#include <algorithm>
#include <cassert>

#include "base/stop.h"
#include "schedules/numbers.h"
#include "schedules/ring_set.h"

namespace onceover::schedules {

namespace {

std::vector<Run> single_runs(const std::vector<Block>& blocks) {
  stop_point();
  std::vector<Run> runs;
  for (const Block b : blocks) runs.push_back({b, b});
  return runs;
}

}  // namespace

Blocks Blocks::relative(const std::vector<Block>& offsets) {
  return {true, single_runs(offsets)};
}

Blocks Blocks::fixed(const std::vector<Block>& blocks) {
  return {false, single_runs(blocks)};
}

bool Axis::is_turned_onto_itself() const {
  const auto& [first, stride, count] = indices;
  return stride >= 1 && first >= 0 && first < stride && ring % stride == 0 && count == ring / stride;
}

std::vector<Run> Axis::settled_offsets() const {
  stop_point();
  const Block around_ring = block_ring();
  std::vector<Run> runs;
  for (const Run run : blocks.offsets) {
    const Block first = around(run.first, around_ring);
    const Block last = first + run.size() - 1;
    assert(run.size() <= around_ring);
    if (last >= around_ring) runs.push_back({0, last - around_ring});
    runs.push_back({first, std::min(last, around_ring - 1)});
  }
  [[maybe_unused]] const auto twice = normalise(runs);
  assert(!twice);
  return runs;
}

bool is_permutation(const std::vector<Rank>& labels, Rank ranks) {
  std::vector<bool> is_taken(static_cast<std::size_t>(ranks));
  for (const Rank rank : labels) {
    if (rank < 0 || rank >= ranks || is_taken[static_cast<std::size_t>(rank)]) return false;
    is_taken[static_cast<std::size_t>(rank)] = true;
  }
  return labels.size() == is_taken.size();
}

}  // namespace onceover::schedules
