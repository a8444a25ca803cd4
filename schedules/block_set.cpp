#include "schedules/block_set.h"

#include <numeric>

namespace onceover::schedules {

std::optional<Block> normalise(std::vector<Run>& runs) {
  auto before = [](Run a, Run b) { return a.first < b.first; };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) std::sort(runs.begin(), runs.end(), before);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (kept > 0 && runs[k].first <= runs[kept - 1].last) return runs[k].first;
    if (kept > 0 && runs[k].first == runs[kept - 1].last + 1)
      runs[kept - 1].last = runs[k].last;
    else
      runs[kept++] = runs[k];
  }
  runs.resize(kept);
  return std::nullopt;
}

std::size_t RingSet::first_run_ending_at_or_after(Block x) const {
  const auto run = std::partition_point(runs_.begin(), runs_.end(), [x](Run r) { return r.last < x; });
  return static_cast<std::size_t>(run - runs_.begin());
}

bool RingSet::stored_contains(Block x) const {
  const std::size_t k = first_run_ending_at_or_after(x);
  return k < runs_.size() && runs_[k].first <= x;
}

bool RingSet::contains(Block place) const {
  if (place < 0 || place >= ring_) return false;
  return stored_contains(place >= rotation_ ? place - rotation_ : place - rotation_ + ring_);
}

std::size_t RingSet::run_count() const {
  if (rotation_ == 0 || runs_.empty()) return runs_.size();
  // Turning joins the stored ends if both are in the set, and cuts the run that crosses the new seam.
  const bool ends_join = runs_.front().first == 0 && runs_.back().last == ring_ - 1;
  const Block seam = ring_ - rotation_;
  const bool seam_cuts = stored_contains(seam - 1) && stored_contains(seam);
  return runs_.size() - (ends_join ? 1 : 0) + (seam_cuts ? 1 : 0);
}

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

namespace {

std::size_t at(Block block) {
  return static_cast<std::size_t>(block);
}

}  // namespace

Groups::Groups(Block promised, Block scratch)
    : promised_(promised), parents_(at(promised) + at(scratch)), named_(at(scratch) + 1) {
  std::iota(parents_.begin(), parents_.end(), 0);
}

Block Groups::root(Block block) {
  while (parents_[at(block)] != block) {
    parents_[at(block)] = parents_[at(parents_[at(block)])];
    block = parents_[at(block)];
  }
  return block;
}

// The lowest block of a group is its root, so a root that is scratch has no promised block.
void Groups::join(Block a, Block b) {
  const auto [low, high] = std::minmax({root(a), root(b)});
  parents_[at(high)] = low;
}

void Groups::name(Run run) {
  const auto count = static_cast<Block>(named_.size()) - 1;
  const Block first = std::max(run.first - promised_, 0), end = std::min(run.last - promised_ + 1, count);
  if (first >= end) return;
  ++named_[at(first)];
  --named_[at(end)];
}

void Groups::settle() {
  constexpr std::int32_t no_group = -1;
  std::partial_sum(named_.begin(), named_.end(), named_.begin());
  numbers_.assign(parents_.size(), no_group);
  std::int32_t count = 0;
  for (Block b = 0; b < static_cast<Block>(parents_.size()); ++b) {
    const Block home = root(b);
    if (home < b && numbers_[at(home)] == no_group) numbers_[at(home)] = 0;  // scratch that flows into scratch alone
    if (home < b)
      numbers_[at(b)] = numbers_[at(home)];
    else if (b < promised_)
      numbers_[at(b)] = count++;
    else if (named_[at(b - promised_)] > 0)
      numbers_[at(b)] = 0;
  }
  begins_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int32_t number : numbers_)
    if (number != no_group) ++begins_[static_cast<std::size_t>(number) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  members_.resize(begins_.back());
  std::vector<std::size_t> next = begins_;
  for (Block b = 0; b < static_cast<Block>(parents_.size()); ++b)
    if (const std::int32_t number = numbers_[at(b)]; number != no_group)
      members_[next[static_cast<std::size_t>(number)]++] = b;
  std::replace(numbers_.begin(), numbers_.end(), no_group, 0);
  parents_ = {};
  named_ = {};
}

std::span<const Block> Groups::of(Block block) const {
  return group(number(block));
}

Block Groups::largest() const {
  std::size_t most = 0;
  for (std::size_t g = 0; g < size(); ++g) most = std::max(most, group(g).size());
  return static_cast<Block>(most);
}

}  // namespace onceover::schedules
