#include "schedules/block_set.h"

namespace onceover::schedules {

bool BlockSet::contains(Block block) const {
  if (axes_.empty()) {
    const auto run = std::partition_point(runs_.begin(), runs_.end(), [&](Run r) { return r.last < block; });
    return run != runs_.end() && run->first <= block;
  }
  const Block x = block - base_;
  if (x < 0 || x >= axes_.front().extent * axes_.front().stride) return false;
  return std::all_of(axes_.begin(), axes_.end(), [&](const BlockAxis& axis) {
    return axis.seen_by(code_).contains(x / axis.stride % axis.extent);
  });
}

// Turning cuts at most one run, and each row of the outer axes begins with a run of its own.
std::size_t BlockSet::run_limit() const {
  if (axes_.empty()) return runs_.size();
  std::size_t rows = 1;
  for (const BlockAxis& axis : axes_.first(axes_.size() - 1)) rows *= static_cast<std::size_t>(axis.count);
  return std::min(static_cast<std::size_t>(size_), rows * (axes_.back().runs.size() + 1));
}

namespace {

/// Replaces each of the first `filled` blocks, from the last one down, by those at the coordinates of one axis more.
/// They go to place k * count on, so that no block is lost before it is read. Returns how many there are then.
std::size_t cross(Block* blocks, std::size_t filled, const BlockAxis& axis, Block code) {
  const Block turn = axis.moves ? code / axis.stride % axis.extent : 0;
  const auto count = static_cast<std::size_t>(axis.count);
  for (std::size_t k = filled; k-- > 0;) {
    const Block first = blocks[k];
    Block* out = blocks + k * count;
    for (const Run run : axis.runs)
      for (Block x = run.first + turn; x <= run.last + turn; ++x)
        *out++ = first + (x < axis.ring ? x : x - axis.ring) * axis.stride;
  }
  return filled * count;
}

}  // namespace

void BlockSet::list(std::vector<Block>& out) const {
  out.resize(static_cast<std::size_t>(size_));
  if (size_ == 0) return;
  if (axes_.empty()) {
    Block* place = out.data();
    for (const Run run : runs_)
      for (Block b = run.first; b <= run.last; ++b) *place++ = b;
    return;
  }
  out[0] = base_;
  std::size_t filled = 1;
  for (const BlockAxis& axis : axes_) filled = cross(out.data(), filled, axis, code_);
  assert(filled == out.size());
}

bool BlockSet::turns_on(std::span<const Rank> sides, Rank ranks) const {
  auto goes_around = [](const BlockAxis& axis, Rank side) {
    return axis.extent == side && axis.ring == side && (axis.moves || axis.count == side);
  };
  return base_ % ranks == 0 && std::equal(axes_.begin(), axes_.end(), sides.begin(), sides.end(), goes_around);
}

Block BlockSet::count_in(BlockRange window) const {
  Block count = 0;
  for_each_run_in(window, [&](Run run) { count += run.size(); });
  return count;
}

bool BlockSet::runs_inside(Block blocks) const {
  if (size_ == 0) return true;
  if (axes_.empty()) return runs_.front().first >= 0 && runs_.back().last < blocks;
  bool all = true;
  for_each_run([&](Run run) { all = all && run.first >= 0 && run.last < blocks; });
  return all;
}

// Goes from the last axis to the first. If the inner set contains both its first and its last place, a run continues
// from one row into the next, so two neighbouring rows have one run less.
std::size_t BlockSet::count_runs() const {
  if (axes_.empty()) return runs_.size();
  std::size_t runs = 1;
  bool reaches_ends = true;
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const RingSet rows = axes_[k].seen_by(code_);
    const auto count = static_cast<std::size_t>(axes_[k].count);
    const std::size_t neighbours = count - rows.run_count();
    runs = count * runs - (reaches_ends ? neighbours : 0);
    reaches_ends = reaches_ends && rows.contains(0) && rows.contains(axes_[k].extent - 1);
  }
  return runs;
}

}  // namespace onceover::schedules
