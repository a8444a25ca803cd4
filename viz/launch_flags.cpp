#include "viz/launch_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <map>
#include <set>
#include <tuple>

#include "schedules/listed_schedule.h"

namespace onceover::viz {

namespace {

using gpu::AccessSite;
using gpu::TracedAccess;

/// A rank's stream, or one of its blocks.
using FlagRow = std::tuple<Rank, bool, std::uint32_t>;  // rank, is it a block, which

FlagRow row_of(const AccessSite& site) {
  return {site.rank, !site.is_stream, site.is_stream ? 0 : site.block};
}

RowName name_of(const FlagRow& row) {
  const auto [rank, is_block, block] = row;
  if (!is_block) return {fmt::format("rank {}, stream", rank), fmt::format("r{} stream", rank)};
  return {fmt::format("rank {}, block {}", rank, block), fmt::format("r{} b{}", rank, block)};
}

class FlagSteps {
 public:
  FlagSteps(const gpu::LoadedDescription& loaded, const gpu::GpuRun& run) : module_(*loaded.program.module) {
    for (const PropertyResult& property : run.report.properties)
      if (failed_ == nullptr && property.required && property.verdict == Verdict::fail) failed_ = &property;
    if (failed_ != nullptr)
      if (const auto* told = std::get_if<Counterexample::Told>(&failed_->counterexample->what))
        if (const auto* own = std::any_cast<gpu::FaultyAccesses>(&told->own)) faulty_ = *own;
    trace_ = gpu::trace_of(loaded, run, faulty_.place);
    number_rows();
    find_last_reads();
    follow();
  }

  LaunchFlags flags(const gpu::GpuRun& run) const {
    LaunchFlags flags{schedule(), {}, {}, run.ranks, run.size, trace_.is_whole};
    for (const auto& [row, number] : rows_) flags.rows.push_back(name_of(row));
    if (failed_ != nullptr) flags.faults[std::string(failed_->id)] = faults();
    return flags;
  }

 private:
  void number_rows() {
    for (const TracedAccess& access : trace_.accesses) rows_.emplace(row_of(access.site), 0);
    for (const gpu::TracedWait& wait : trace_.waits) rows_.emplace(row_of(wait.site), 0);
    for (const AccessSite& site : faulty_.sites) rows_.emplace(row_of(site), 0);
    Rank next = 0;
    for (auto& [row, number] : rows_) number = next++;
  }

  Rank number(const AccessSite& site) const { return rows_.at(row_of(site)); }

  /// Of reads of one flag by one instruction of one thread in one call the last one counts: those before it spun.
  void find_last_reads() {
    std::map<std::tuple<FlagRow, std::uint32_t, std::uint32_t, std::int32_t, std::int32_t, std::string, std::uint64_t>,
             std::size_t>
        last;
    for (std::size_t k = 0; k < trace_.accesses.size(); ++k) {
      const auto& [site, memory, offset, writes, is_strong, is_watched, from] = trace_.accesses[k];
      if (from) last[{row_of(site), site.thread, site.call, site.function, site.instruction, memory, offset}] = k;
    }
    for (const auto& [key, k] : last) last_reads_.insert(k);
  }

  /// Goes through the run: what each row has seen when it does something.
  void follow() {
    std::vector<int> seen(rows_.size());
    for (std::size_t k = 0; k < trace_.accesses.size(); ++k) {
      const TracedAccess& access = trace_.accesses[k];
      const Rank row = number(access.site);
      seen_at_.push_back(seen[static_cast<std::size_t>(row)]);
      if (!access.from || !last_reads_.contains(k)) continue;
      const Rank writer = number(trace_.accesses[*access.from].site);
      if (writer == row) continue;
      const int step = seen_at_[*access.from];
      messages_[{step, writer, row}].emplace(access.memory, access.offset);
      int& after = seen[static_cast<std::size_t>(row)];
      after = std::max(after, step + 1);
    }
    seen_ = std::move(seen);
  }

  SchedulePtr schedule() const {
    Header header;
    header.ranks = std::max<Rank>(static_cast<Rank>(rows_.size()), 1);
    ListedSchedule::Builder builder;
    for (const auto& [message, flags] : messages_) {
      const auto [step, src, dst] = message;
      while (builder.steps() <= step) builder.begin_step();
      const auto count = static_cast<Block>(flags.size());
      header.blocks = std::max(header.blocks, count);
      builder.add(src, dst, std::vector<Run>{{0, count - 1}}, Op::copy);
    }
    return std::make_shared<const ListedSchedule>(std::move(header), std::move(builder));
  }

  std::vector<PlacedSite> faults() const {
    std::vector<PlacedSite> all;
    for (const AccessSite& site : faulty_.sites) {
      const std::string place = gpu::place_of(module_, site);
      all.push_back(
          {number(site),
           {step_of(site)},
           fmt::format("{}: {}{}", name_of(row_of(site)).full, site.action, place.empty() ? "" : " at " + place)});
    }
    std::set<FlagRow> waiting;
    for (const gpu::TracedWait& wait : trace_.waits)
      if (waiting.insert(row_of(wait.site)).second) all.push_back(placed(wait));
    return all;
  }

  int step_of(const AccessSite& site) const {
    for (std::size_t k = 0; k < trace_.accesses.size(); ++k)
      if (trace_.accesses[k].is_watched && trace_.accesses[k].site == site) return seen_at_[k];
    return seen_[static_cast<std::size_t>(number(site))];
  }

  PlacedSite placed(const gpu::TracedWait& wait) const {
    const Rank row = number(wait.site);
    const std::string place = gpu::place_of(module_, wait.site);
    const std::string what =
        wait.spins ? fmt::format("spins on {}, byte {}, and reads {}", wait.memory, wait.offset, wait.value)
                   : "waits at a barrier";
    return {row,
            {seen_[static_cast<std::size_t>(row)]},
            fmt::format("{} {}{}", name_of(row_of(wait.site)).full, what, place.empty() ? "" : " at " + place)};
  }

  const gpu::ptx::Module& module_;
  const PropertyResult* failed_ = nullptr;
  gpu::FaultyAccesses faulty_ = {};
  gpu::RunTrace trace_ = {};
  std::map<FlagRow, Rank> rows_;
  std::set<std::size_t> last_reads_;
  std::vector<int> seen_at_;  // by access
  std::vector<int> seen_;     // by row, in the end
  std::map<std::tuple<int, Rank, Rank>, std::set<std::pair<std::string, std::uint64_t>>> messages_;  // with their flags
};

}  // namespace

Drawn<LaunchFlags> launch_flags(const gpu::LoadedDescription& loaded, const gpu::GpuReport& report) {
  const auto failing = std::find_if(report.runs.begin(), report.runs.end(),
                                    [](const gpu::GpuRun& run) { return run.report.verdict == Verdict::fail; });
  const gpu::GpuRun& run = failing == report.runs.end() ? report.runs.front() : *failing;
  if (run.report.verdict == Verdict::fail && !run.failed_under)
    return unsuitable("the failure is of one among all interleavings, which can't be run again by itself");
  return FlagSteps(loaded, run).flags(run);
}

}  // namespace onceover::viz
