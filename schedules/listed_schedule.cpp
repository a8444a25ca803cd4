#include "schedules/listed_schedule.h"

#include <cassert>

namespace onceover::schedules {

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane) {
  assert(!step_ends_.empty());
  Block size = 0;
  for (const Run run : runs) size += run.size();
  entries_.push_back({src, dst, op, lane, runs_.size(), size});
  runs_.insert(runs_.end(), runs.begin(), runs.end());
}

ListedSchedule::ListedSchedule(Header header, Builder&& builder)
    : Schedule(std::move(header)), listed_(std::move(builder)) {
  listed_.step_ends_.push_back(listed_.entries_.size());
  for (const Builder::Entry& entry : listed_.entries_) block_transfers_ += static_cast<std::uint64_t>(entry.size);
}

void ListedSchedule::visit_transfers(int step, const TransferVisitor& visit) const {
  std::vector<Transfer> transfers;
  const auto s = static_cast<std::size_t>(step);
  for (std::size_t k = listed_.step_ends_[s]; k < listed_.step_ends_[s + 1]; ++k) {
    const Builder::Entry& entry = listed_.entries_[k];
    const bool is_last = k + 1 == listed_.entries_.size();
    const std::size_t end = is_last ? listed_.runs_.size() : listed_.entries_[k + 1].first_run;
    const std::span<const Run> runs(listed_.runs_.data() + entry.first_run, end - entry.first_run);
    transfers.push_back({entry.src, entry.dst, BlockSet(runs, entry.size), entry.op, entry.lane});
  }
  visit(transfers);
}

}  // namespace onceover::schedules
