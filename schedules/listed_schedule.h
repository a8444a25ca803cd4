// ListedSchedule: a schedule held in memory as a list of transfers, such as one read from a file.
#pragma once

#include <span>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::schedules {

/// Transfers stored one by one. Memory: 32 bytes a transfer and 8 a run of blocks. Each transfer's runs must be sorted
/// and disjoint. Nothing else is required, so that a wrong schedule can be held and judged.
class ListedSchedule final : public Schedule {
 public:
  /// Collects the transfers of a schedule, which is complete when it becomes a ListedSchedule.
  class Builder {
   public:
    void begin_step() { step_ends_.push_back(entries_.size()); }

    /// Adds a transfer to the last step begun. `runs` must be sorted, disjoint and not touching (see `normalise`).
    void add(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane = 0);

   private:
    friend class ListedSchedule;
    struct Entry {
      Rank src;
      Rank dst;
      Op op;
      int lane;
      std::size_t first_run;
      Block size;
    };
    std::vector<Entry> entries_;
    std::vector<Run> runs_;
    std::vector<std::size_t> step_ends_;  // where each step begins, while building
  };

  ListedSchedule(Header header, Builder&& builder);

  int steps() const override { return static_cast<int>(listed_.step_ends_.size()) - 1; }
  std::uint64_t block_transfers() const override { return block_transfers_; }
  void visit_transfers(int step, const TransferVisitor& visit) const override;

 private:
  Builder listed_;
  std::uint64_t block_transfers_ = 0;
};

}  // namespace onceover::schedules
