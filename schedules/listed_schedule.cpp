#include "schedules/listed_schedule.h"

#include <algorithm>
#include <cassert>

#include "base/large_pages.h"

namespace onceover::schedules {

namespace {

constexpr std::size_t max_lists = INT32_MAX;

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

void ListedSchedule::Builder::reserve(std::size_t transfers) {
  entries_.reserve(transfers);
  prefer_large_pages(entries_.data(), transfers * sizeof(Entry));
}

void ListedSchedule::Builder::add_list(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane,
                                       std::uint32_t landings) {
  assert(runs_.size() + runs.size() <= UINT32_MAX && lists_.size() < max_lists);
  const Run place{static_cast<Block>(lists_.size()), 0};
  lists_.push_back(
      {static_cast<std::uint32_t>(runs_.size()), static_cast<std::uint32_t>(runs.size()), size_of(runs), landings});
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  add_entry({src, dst, place, static_cast<std::uint16_t>(lane), op, true});
}

void ListedSchedule::Builder::add_entry(const Entry& entry) {
  assert(!step_ends_.empty());
  entries_.push_back(entry);
}

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane) {
  assert(lane >= 0 && lane < max_lanes);
  if (runs.size() != 1) return add_list(src, dst, runs, op, lane, 0);
  add_entry({src, dst, runs.front(), static_cast<std::uint16_t>(lane), op, false});
}

BlockSet ListedSchedule::Builder::blocks_of(const Entry& entry) const {
  if (!entry.has_list) return {{&entry.run, 1}, entry.run.size()};
  const List& list = list_of(entry);
  return {runs_of(list), list.size};
}

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<LandedRun> landed, Op op, int lane) {
  auto first = [](const LandedRun& run) { return run.sent.first; };
  std::sort(landed.begin(), landed.end(), [&](const auto& a, const auto& b) { return first(a) < first(b); });
  std::vector<Run> sent;
  for (const LandedRun& run : landed) append(sent, 0, run.sent);
  add_list(src, dst, sent, op, lane, static_cast<std::uint32_t>(landings_.size()));
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
    const std::uint32_t landings = listed_.landings_of(entry);
    if (landings == 0) block_transfers_ += static_cast<std::uint64_t>(listed_.blocks_of(entry).size());
    for (const Landing& landing : landings_[landings])
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
  for (const Builder::Entry& entry : listed_.entries_) {
    listed_.blocks_of(entry).for_each_run([&](Run run) { groups.name(run); });
    for (const Landing& landing : landings_[listed_.landings_of(entry)])
      landing.blocks.for_each_run([&](Run run) { groups.name({run.first + landing.shift, run.last + landing.shift}); });
  }
  groups.settle();
  return groups;
}

void ListedSchedule::visit_transfers(int step, const TransferVisitor& visit) const {
  constexpr std::size_t portion = 256;
  const std::span<const Builder::Entry> entries = listed_.entries_of(step);
  std::vector<Transfer> some;
  some.reserve(std::min(portion, entries.size()));
  for (const Builder::Entry& entry : entries) {
    const std::uint32_t landings = listed_.landings_of(entry);
    some.push_back({entry.src, entry.dst, listed_.blocks_of(entry), entry.op, entry.lane,
                    landings == 0 ? nullptr : &landings_[landings]});
    if (some.size() < portion && &entry != &entries.back()) continue;
    visit(some);
    some.clear();
  }
}

}  // namespace onceover::schedules
