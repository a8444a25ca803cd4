// Are a factor's products right in any interleaving? See require_sent_once in factor.h. They are if three things hold:
// each rank sends each foreign block once and its own never; nothing of a block arrives after the rank has sent it; and
// what a rank keeps before a step is what it sends then and what it keeps afterwards.
//
// The first two checks record, for each rank and block (a cell), the step at which it is sent. The third adds 1 to the
// cells that are kept before the step and subtracts 1 from those that are sent or kept afterwards; all must come to 0.
// It records only the ends of runs, as differences between neighbours, so a run costs two entries, however long it is.
//
// Most axes say the same of all ranks of a residue. Then the checks look at one of these ranks and record blocks by
// their distance from it. Ranks and blocks past the ring (the odd one out) are recorded one by one.
//
// Example: a ring of 4 to the right. All ranks do alike, so there are 4 cells, not 16: the distances from a rank to a
// block. Distance 3 is sent at step 0, 2 at step 1, 1 at step 2, and 0, the rank's own block, never.
//
// Each check is a pass or two over the axes. factor.h says what that costs.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <stdexcept>
#include <tuple>

#include "base/stop.h"
#include "schedules/factor.h"
#include "schedules/numbers.h"

namespace onceover::schedules {

namespace {

using Cell = std::size_t;  // stands for a rank and a block

class FactorCheck {
 public:
  explicit FactorCheck(const Factor& factor) : factor_(factor) {
    for (const auto& axes : factor.sends)
      for (const Axis& axis : axes) ring_ = std::max(ring_, axis.ring);
    ring_ = std::min(ring_, factor.extent);
    for (const auto* steps : {&factor.sends, &factor.keeps})
      for (std::size_t s = steps == &factor.sends ? 0 : 1; s < steps->size(); ++s)
        for (const Axis& axis : (*steps)[s]) note_symmetry(axis);
    if (!is_symmetric_) classes_ = ring_;
    row_begin_ = static_cast<Cell>(classes_) * static_cast<Cell>(ring_);
    column_begin_ = row_begin_ + static_cast<Cell>(factor.extent - ring_) * static_cast<Cell>(factor.extent);
    cells_ = column_begin_ + static_cast<Cell>(factor.extent - ring_) * static_cast<Cell>(ring_);
  }

  void run() {
    if (factor_.keeps.size() != factor_.sends.size() + 1) throw std::logic_error("a factor lacks what ranks keep");
    check_sends();
    check_receives();
    check_keeps();
  }

 private:
  static constexpr std::int32_t never = -1;

  /// Does the axis say the same of every rank of a residue?
  bool is_whole(const Axis& axis) const {
    const Indices& i = axis.indices;
    return axis.ring == ring_ && axis.from.moves && axis.to.moves && axis.blocks.move && ring_ % i.stride == 0 &&
           i.first < i.stride && i.count == ring_ / i.stride;
  }

  static bool is_everything(const Axis& axis) {
    const auto offsets = axis.settled_offsets();
    return offsets.size() == 1 && offsets[0].size() == axis.block_extent();
  }

  void note_symmetry(const Axis& axis) {
    if (is_whole(axis)) {
      classes_ = std::lcm(classes_, axis.indices.stride);
      return;
    }
    const bool is_from_past = !axis.from.moves && axis.from.offset >= ring_;
    const bool is_of_past = !axis.blocks.move && std::all_of(axis.blocks.offsets.begin(), axis.blocks.offsets.end(),
                                                             [&](const Run& run) { return run.first >= ring_; });
    if (!is_from_past && !is_of_past) is_symmetric_ = false;
  }

  /// index + offset around the ring, mostly without a division.
  static Rank turned(Rank index, Rank offset, Rank ring) {
    Rank x = index + offset;
    if (x < 0) x += ring;
    return x >= 0 && x < ring ? x : around(std::int64_t{index} + offset, ring);
  }

  static Rank placed(Place place, Rank index, Rank ring) {
    return place.moves ? turned(index, place.offset, ring) : place.offset;
  }

  /// Visits the sender, the receiver and each run of blocks, for each index of the axis; or for one index of each
  /// residue of which the axis says the same.
  template <class Visit>
  void visit(const Axis& axis, Visit&& each) const {
    stop_point();
    const bool by_residue = is_symmetric_ && is_whole(axis);
    const Rank count = by_residue ? classes_ / axis.indices.stride : axis.indices.count;
    for (Rank k = 0; k < count; ++k) {
      const Rank i = axis.indices.first + k * axis.indices.stride;
      const Row from = row(placed(axis.from, i, axis.ring)), to = row(placed(axis.to, i, axis.ring));
      for (const Run& run : axis.blocks.offsets) {
        const Block first = axis.blocks.move ? turned(i, run.first, axis.ring) : run.first;
        const Block last = first + run.size() - 1;
        const Block end = axis.blocks.move ? axis.ring : axis.block_extent();
        each(from, to, Run{first, std::min(last, end - 1)});
        if (last >= end) each(from, to, Run{0, last - end});
      }
    }
  }

  /// A rank, and where its cells begin, or those of its residue.
  struct Row {
    Rank rank;
    Cell begin;
  };

  Row row(Rank rank) const {
    if (rank >= ring_) return {rank, row_begin_ + static_cast<Cell>(rank - ring_) * static_cast<Cell>(factor_.extent)};
    return {rank, static_cast<Cell>(rank % classes_) * static_cast<Cell>(ring_)};
  }

  Cell cell(const Row& row, Block block) const {
    if (row.rank >= ring_) return row.begin + static_cast<Cell>(block);
    if (block >= ring_)
      return column_begin_ + static_cast<Cell>(block - ring_) * static_cast<Cell>(ring_) + static_cast<Cell>(row.rank);
    return row.begin + static_cast<Cell>(block >= row.rank ? block - row.rank : block - row.rank + ring_);
  }

  struct Site {
    Rank rank;
    Block block;
  };

  /// A rank and a block that the cell stands for.
  Site site(Cell c) const {
    auto divided = [](Cell number, Rank by) {
      return std::pair(static_cast<Rank>(number / static_cast<Cell>(by)),
                       static_cast<Rank>(number % static_cast<Cell>(by)));
    };
    if (c >= column_begin_) {
      const auto [block, rank] = divided(c - column_begin_, ring_);
      return {rank, ring_ + block};
    }
    if (c >= row_begin_) {
      const auto [rank, block] = divided(c - row_begin_, factor_.extent);
      return {ring_ + rank, block};
    }
    const auto [rank, distance] = divided(c, ring_);
    return {rank, around(std::int64_t{rank} + distance, ring_)};
  }

  [[noreturn]] void fail(Site at, const std::string& what) const {
    throw std::logic_error(fmt::format("a factor of {} ranks can't be in a product: rank {}, block {}: {}",
                                       factor_.extent, at.rank, at.block, what));
  }

  /// Each rank sends each foreign block once, and its own never.
  void check_sends() {
    sent_at_.assign(cells_, never);
    for (std::size_t s = 0; s < factor_.sends.size(); ++s)
      for (const Axis& axis : factor_.sends[s])
        visit(axis, [&](const Row& from, const Row&, Run blocks) {
          for (Block b = blocks.first; b <= blocks.last; ++b) {
            std::int32_t& at = sent_at_[cell(from, b)];
            if (b == from.rank) fail({from.rank, b}, fmt::format("it sends its own at step {}", s));
            if (at != never) fail({from.rank, b}, fmt::format("it is sent at step {}, and again at step {}", at, s));
            at = static_cast<std::int32_t>(s);
          }
        });
    for (Cell c = 0; c < cells_; ++c)
      if (sent_at_[c] == never && site(c).rank != site(c).block) fail(site(c), "it is sent at no step");
  }

  /// A rank receives nothing of a block after it sent that block.
  void check_receives() const {
    for (std::size_t s = 0; s < factor_.sends.size(); ++s)
      for (const Axis& axis : factor_.sends[s])
        visit(axis, [&](const Row&, const Row& to, Run blocks) {
          for (Block b = blocks.first; b <= blocks.last; ++b) {
            const std::int32_t at = sent_at_[cell(to, b)];
            if (b != to.rank && at <= static_cast<std::int32_t>(s))
              fail({to.rank, b}, fmt::format("it arrives at step {}, and was sent at step {}", s, at));
          }
        });
  }

  /// What a rank keeps before a step is what it sends then and keeps afterwards: at first all blocks, at last its own.
  void check_keeps() {
    const auto& all = factor_.keeps.front();
    if (all.size() != 1 || all[0].indices.count != factor_.extent || !is_everything(all[0]))
      fail({0, 0}, "before step 0 not every rank keeps every block");
    check_end(factor_.keeps.back());
    for (std::size_t s = factor_.sends.size(); s-- > 1;) {
      const auto &kept = factor_.keeps[s], &later = factor_.keeps[s + 1], &sent = factor_.sends[s];
      const std::size_t joined = leading_joined(kept, later, sent);
      if (joined == kept.size() && joined == later.size() && joined == sent.size()) continue;
      changes_.resize(cells_ + 1, 0);
      const std::array parts{std::pair(std::span(kept).subspan(joined), +1),
                             std::pair(std::span(later).subspan(joined), -1),
                             std::pair(std::span(sent).subspan(joined), -1)};
      for (const auto& [axes, sign] : parts) add(axes, sign);
      for (const auto& part : parts) check_unchanged(part.first, s);
    }
  }

  /// How many axes at the beginning of `kept` equal those of `later` with the blocks of `sent` appended. Factors of
  /// many blocks are made like that, and comparing them so is fast.
  static std::size_t leading_joined(const std::vector<Axis>& kept, const std::vector<Axis>& later,
                                    const std::vector<Axis>& sent) {
    auto is_joined = [](const Axis& k, const Axis& l, const Axis& s) {
      const auto &all = k.blocks.offsets, &first = l.blocks.offsets, &last = s.blocks.offsets;
      auto begin = [](const Axis& a) {
        return std::tuple(a.indices.first, a.indices.stride, a.indices.count, a.ring, a.from.moves, a.from.offset,
                          a.blocks.move);
      };
      return begin(k) == begin(l) && begin(k) == begin(s) && all.size() == first.size() + last.size() &&
             std::equal(first.begin(), first.end(), all.begin()) &&
             std::equal(last.begin(), last.end(), all.end() - static_cast<std::ptrdiff_t>(last.size()));
    };
    const std::size_t most = std::min({kept.size(), later.size(), sent.size()});
    std::size_t k = 0;
    while (k < most && is_joined(kept[k], later[k], sent[k])) ++k;
    return k;
  }

  void check_end(const std::vector<Axis>& axes) const {
    Cell own = 0;
    for (const Axis& axis : axes)
      visit(axis, [&](const Row& from, const Row&, Run blocks) {
        if (blocks.first != from.rank || blocks.last != from.rank)
          fail({from.rank, blocks.last}, "it is kept after the last step");
        ++own;
      });
    if (own != static_cast<Cell>(classes_) + static_cast<Cell>(factor_.extent - ring_))
      fail({0, 0}, "after the last step not every rank keeps its own block once");
  }

  /// Calls each(first, last) for the stretches of cells of a run of a rank's blocks.
  template <class Each>
  void stretches(const Row& row, Run blocks, Each&& each) const {
    const Block past = row.rank < ring_ ? std::max(blocks.first, ring_) : blocks.last + 1;
    for (Block b = past; b <= blocks.last; ++b) each(cell(row, b), cell(row, b));
    const Block last = std::min(blocks.last, past - 1);
    const bool turns = row.rank < ring_ && blocks.first < row.rank && row.rank <= last;
    if (turns) each(cell(row, blocks.first), cell(row, row.rank - 1));
    const Block first = turns ? row.rank : blocks.first;
    if (first <= last) each(cell(row, first), cell(row, last));
  }

  /// Adds `sign` to the cells of the axes, as differences between a cell and the one before it, so that a run takes two
  /// entries.
  void add(std::span<const Axis> axes, std::int32_t sign) {
    for (const Axis& axis : axes)
      visit(axis, [&](const Row& from, const Row&, Run blocks) {
        stretches(from, blocks, [&](Cell first, Cell last) {
          changes_[first] += sign;
          changes_[last + 1] -= sign;
        });
      });
  }

  void check_unchanged(std::span<const Axis> axes, std::size_t step) const {
    for (const Axis& axis : axes)
      visit(axis, [&](const Row& from, const Row&, Run blocks) {
        stretches(from, blocks, [&](Cell first, Cell last) {
          if (changes_[first] != 0 || changes_[last + 1] != 0)
            fail({from.rank, blocks.first},
                 fmt::format("from here on, what is kept before step {} isn't what that sends "
                             "and what is kept after it",
                             step));
        });
      });
  }

  const Factor& factor_;
  Rank ring_ = 1;
  Rank classes_ = 1;
  bool is_symmetric_ = true;
  Cell row_begin_, column_begin_, cells_;
  std::vector<std::int32_t> sent_at_;
  std::vector<std::int32_t> changes_;
};

}  // namespace

void require_sent_once(const Factor& factor) {
  FactorCheck(factor).run();
}

}  // namespace onceover::schedules
