#include "schedules/listed_schedule.h"

#include <algorithm>
#include <cassert>

namespace onceover::schedules {

namespace {

Block size_of(std::span<const Run> runs) {
  Block size = 0;
  for (const Run run : runs) size += run.size();
  return size;
}

/// Adds a run that begins behind those before it, or in the last of them; joins the two if they meet.
void append(std::vector<Run>& runs, std::size_t first, Run run) {
  if (runs.size() > first && run.first <= runs.back().last + 1)
    runs.back().last = std::max(runs.back().last, run.last);
  else
    runs.push_back(run);
}

}  // namespace

void ListedSchedule::Builder::add_entry(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane,
                                        std::uint32_t landings) {
  assert(!step_ends_.empty());
  entries_.push_back({src, dst, op, lane, runs_.size(), size_of(runs), landings});
  runs_.insert(runs_.end(), runs.begin(), runs.end());
}

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane) {
  add_entry(src, dst, runs, op, lane, 0);
}

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<LandedRun> landed, Op op, int lane) {
  auto first = [](const LandedRun& run) { return run.sent.first; };
  std::sort(landed.begin(), landed.end(), [&](const auto& a, const auto& b) { return first(a) < first(b); });
  std::vector<Run> sent;
  for (const LandedRun& run : landed) append(sent, 0, run.sent);
  add_entry(src, dst, sent, op, lane, static_cast<std::uint32_t>(landings_.size()));
  std::stable_sort(landed.begin(), landed.end(), [](const auto& a, const auto& b) { return a.shift() < b.shift(); });
  std::vector<LandedRuns> by_shift;
  for (const LandedRun& run : landed) {
    if (by_shift.empty() || by_shift.back().shift != run.shift())
      by_shift.push_back({landed_runs_.size(), 0, run.shift()});
    append(landed_runs_, by_shift.back().first, run.sent);
    by_shift.back().count = landed_runs_.size() - by_shift.back().first;
  }
  landings_.push_back(std::move(by_shift));
}

ListedSchedule::ListedSchedule(Header header, Builder&& builder)
    : Schedule(std::move(header)), listed_(std::move(builder)) {
  listed_.step_ends_.push_back(listed_.entries_.size());
  for (const auto& landings : listed_.landings_) {
    landings_.emplace_back();
    for (const auto& [first, count, shift] : landings) {
      const std::span<const Run> runs(listed_.landed_runs_.data() + first, count);
      landings_.back().push_back({BlockSet(runs, size_of(runs)), shift});
    }
  }
  for (const Builder::Entry& entry : listed_.entries_) {
    if (entry.landings == 0) block_transfers_ += static_cast<std::uint64_t>(entry.size);
    for (const Landing& landing : landings_[entry.landings])
      block_transfers_ += static_cast<std::uint64_t>(landing.blocks.size());
  }
  if (this->header().scratch > 0 || landings_.size() > 1) set_groups(grouped());
}

Groups ListedSchedule::grouped() const {
  Groups groups(header().blocks, header().scratch);
  auto is_block = [&](Block block) { return block >= 0 && block < header().all_blocks(); };
  for (const auto& landings : landings_)
    for (const Landing& landing : landings)
      landing.blocks.for_each_run([&](Run run) {
        for (Block b = run.first; b <= run.last; ++b)
          if (is_block(b) && is_block(b + landing.shift)) groups.join(b, b + landing.shift);
      });
  groups.settle();
  return groups;
}

void ListedSchedule::visit_transfers(int step, const TransferVisitor& visit) const {
  std::vector<Transfer> transfers;
  const auto s = static_cast<std::size_t>(step);
  for (std::size_t k = listed_.step_ends_[s]; k < listed_.step_ends_[s + 1]; ++k) {
    const Builder::Entry& entry = listed_.entries_[k];
    const bool is_last = k + 1 == listed_.entries_.size();
    const std::size_t end = is_last ? listed_.runs_.size() : listed_.entries_[k + 1].first_run;
    const std::span<const Run> runs(listed_.runs_.data() + entry.first_run, end - entry.first_run);
    transfers.push_back({entry.src, entry.dst, BlockSet(runs, entry.size), entry.op, entry.lane,
                         entry.landings == 0 ? nullptr : &landings_[entry.landings]});
  }
  visit(transfers);
}

}  // namespace onceover::schedules
