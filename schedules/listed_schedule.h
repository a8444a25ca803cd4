// ListedSchedule: a schedule held in memory as a list of transfers, such as one read from a file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::schedules {

/// Transfers stored one by one. Memory: 20 bytes a transfer of one run; 16 more and 8 a run for any other, 80 more for
/// landings of one shift. Each transfer's runs must be sorted and disjoint. Nothing else is required, so that a wrong
/// schedule can be held and judged.
class ListedSchedule final : public Schedule {
 public:
  /// Collects the transfers of a schedule, which is complete when it becomes a ListedSchedule.
  class Builder {
   public:
    void begin_step() { step_ends_.push_back(entries_.size()); }

    /// How many steps have begun.
    int steps() const { return static_cast<int>(step_ends_.size()); }

    /// Makes room for so many transfers, so that they needn't be moved. Room that isn't used costs address space only.
    void reserve(std::size_t transfers);

    /// Adds a transfer to the last step begun. `runs` must be sorted, disjoint and not touching (see `normalise`).
    void add(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane = 0);

    /// Blocks that land from block `into` on, in their order.
    struct LandedRun {
      Run sent;
      Block into;

      Block shift() const { return into - sent.first; }
    };

    /// Adds a transfer whose blocks land elsewhere. Sorts `landed`, in which no two blocks may land in one. O(runs log
    /// runs).
    void add(Rank src, Rank dst, std::span<LandedRun> landed, Op op, int lane = 0);

   private:
    friend class ListedSchedule;

    /// A transfer. Most send one run, and then that is all.
    struct Entry {
      Rank src;
      Rank dst;
      Run run;  // the only one, or in `first` a position in lists_
      std::uint16_t lane;
      Op op;
      bool has_list;
    };

    /// The blocks of a transfer without runs, with several, or with landings.
    struct List {
      std::uint32_t first_run;
      std::uint32_t count;
      Block size;
      std::uint32_t landings;  // position in landings_; 0: none
    };

    void add_entry(const Entry& entry);
    void add_list(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane, std::uint32_t landings);
    const List& list_of(const Entry& entry) const { return lists_[static_cast<std::size_t>(entry.run.first)]; }
    std::span<const Run> runs_of(const List& list) const { return {runs_.data() + list.first_run, list.count}; }
    BlockSet blocks_of(const Entry& entry) const;
    std::uint32_t landings_of(const Entry& entry) const { return entry.has_list ? list_of(entry).landings : 0; }

    /// Once it is complete.
    std::span<const Entry> entries_of(int step) const {
      const std::size_t* const begin = &step_ends_[static_cast<std::size_t>(step)];
      return {entries_.data() + begin[0], begin[1] - begin[0]};
    }

    /// Runs of blocks that land equally far away, in `landed_runs_`.
    struct LandedRuns {
      std::size_t first;
      std::size_t count;
      Block shift;
    };

    std::vector<Entry> entries_;
    std::vector<List> lists_;
    std::vector<Run> runs_;
    std::vector<std::vector<LandedRuns>> landings_{{}};
    std::vector<Run> landed_runs_;
    std::vector<std::size_t> step_ends_;  // where each step begins, while building
  };

  ListedSchedule(Header header, Builder&& builder);

  int steps() const override { return static_cast<int>(listed_.step_ends_.size()) - 1; }
  std::uint64_t block_transfers() const override { return block_transfers_; }
  void visit_transfers(int step, const TransferVisitor& visit) const override;

  /// Without landings, a part of the window takes 16 bytes a move.
  void traces(BlockRange window, const TraceVisitor& visit) const override;

 private:
  template <class Visit>
  void for_each_run_in(BlockRange window, Visit&& visit) const;
  void visit_sorted(BlockRange part, std::span<const std::int64_t> moves, const TraceVisitor& visit) const;
  Groups grouped() const;

  Builder listed_;
  std::vector<std::vector<Landing>> landings_;  // as in the builder, with block sets
  std::uint64_t block_transfers_ = 0;
};

/// The same transfers, in which block b of `schedule` is block name[b] and belongs to the same rank. `name` is a
/// permutation of the promised blocks. So is scratch renamed, if there is a scratch block for each of them.
/// O(block transfers) time and memory: 8 bytes for each, or more where blocks land elsewhere.
SchedulePtr with_renamed_blocks(const Schedule& schedule, const std::vector<Block>& name);

}  // namespace onceover::schedules
