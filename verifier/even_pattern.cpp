#include "verifier/even_pattern.h"

#include <algorithm>
#include <array>

namespace onceover::verifier {

namespace {

std::int64_t size_of(const std::vector<Run>& runs) {
  std::int64_t size = 0;
  for (const Run run : runs) size += run.size();
  return size;
}

bool has_all_indices(const Axis& axis) {
  return axis.indices.first == 0 && axis.indices.stride == 1 && axis.indices.count == axis.ring;
}

bool has_blocks_inside(const Axis& axis) {
  const Block extent = axis.block_extent();
  if (axis.blocks.move && axis.ring != extent) return false;
  return std::all_of(axis.blocks.offsets.begin(), axis.blocks.offsets.end(),
                     [&](Run run) { return run.first >= 0 && run.last < extent; });
}

/// How an axis's coordinates lie for some sender: in how many maximal runs, and do they hold the first and the last
/// one?
struct Lie {
  std::uint64_t runs;
  bool has_ends;
};

/// The ways in which the coordinates lie for the senders. Turned, a set either has its seam in a gap or at the edge of
/// one, or it is cut in the middle of a run.
std::vector<Lie> lies_of(const Axis& axis) {
  const std::vector<Run>& runs = axis.blocks.offsets;
  const bool has_ends = runs.front().first == 0 && runs.back().last == axis.block_extent() - 1;
  if (!axis.blocks.move || (has_ends && runs.size() == 1)) return {{runs.size(), has_ends}};
  const bool can_cut = has_ends || std::any_of(runs.begin(), runs.end(), [](Run run) { return run.size() > 1; });
  const std::uint64_t around = runs.size() - (has_ends ? 1 : 0);
  std::vector<Lie> lies{{around, false}};
  if (can_cut) lies.push_back({around + 1, true});
  return lies;
}

}  // namespace

std::optional<EvenPattern> EvenPattern::of(const Pattern& pattern, const Header& header) {
  if (pattern.reads != 0 || !pattern.lands.empty()) return std::nullopt;
  std::int64_t ranks = 1, blocks = 1, size = 1;
  bool is_local = true;
  for (auto axis = pattern.axes.rbegin(); axis != pattern.axes.rend(); ++axis) {
    const bool is_even = has_all_indices(*axis) && axis->from.moves && axis->to.moves && axis->rank_step == ranks;
    if (!is_even || !has_blocks_inside(*axis)) return std::nullopt;
    ranks *= axis->ring;
    blocks *= axis->block_extent();
    size *= size_of(axis->blocks.offsets);
    is_local = is_local && axis->from.offset == axis->to.offset;
    if (ranks > header.ranks || blocks > header.blocks) return std::nullopt;
  }
  const bool is_inside = pattern.lane >= 0 && pattern.lane < header.lanes &&
                         pattern.lane * std::int64_t{header.blocks / header.lanes} + blocks <= header.blocks;
  if (ranks != header.ranks || !is_inside || is_local) return std::nullopt;
  return EvenPattern(pattern, static_cast<Block>(size));
}

// From the last axis to the first, as BlockSet counts the runs of one message. Senders lie in all combinations of the
// ways in which they lie on each axis, and more runs of the later axes never make fewer in the end.
std::uint64_t EvenPattern::most_runs() const {
  if (size_ == 1) return 1;
  std::array<std::uint64_t, 2> most{0, 1};  // by whether all axes so far have their ends; 0: doesn't happen
  for (auto axis = pattern_.axes.rbegin(); axis != pattern_.axes.rend(); ++axis) {
    const auto count = static_cast<std::uint64_t>(size_of(axis->blocks.offsets));
    std::array<std::uint64_t, 2> next{0, 0};
    for (const Lie& lie : lies_of(*axis))
      for (const bool reaches_ends : {false, true}) {
        const std::uint64_t runs = most[reaches_ends ? 1 : 0];
        if (runs == 0) continue;
        std::uint64_t& here = next[reaches_ends && lie.has_ends ? 1 : 0];
        here = std::max(here, count * runs - (reaches_ends ? count - lie.runs : 0));
      }
    most = next;
  }
  return std::max(most[0], most[1]);
}

}  // namespace onceover::verifier
