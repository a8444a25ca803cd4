#include "subjects/citation.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace onceover::subjects {

std::optional<Citation> citation_of(const Schedule& schedule, const Settings& settings, int threads) {
  const RowRun run{schedule.header(), settings};
  const KernelRow* row = kernel_row(run);
  if (row == nullptr) return std::nullopt;
  const std::uint64_t transfers = schedule.block_transfers();
  if (is_too_large_to_compare(schedule)) return Citation{row, Compared::too_large, transfers};
  constexpr std::uint64_t worth_a_thread = 1 << 18;
  if (auto found = difference(schedule, row->function(run), transfers < worth_a_thread ? 1 : threads))
    return Citation{row, Compared::different, transfers, std::move(*found)};
  return Citation{row, Compared::all, transfers};
}

void Comparisons::add(const Citation& citation) {
  ++runs;
  if (citation.compared != Compared::all) return;
  ++same;
  transfers += citation.transfers;
}

std::string Comparisons::text(bool alone) const {
  const std::string too_large = fmt::format("too large to compare: over {} block transfers and results, or {} ranks",
                                            most_compared, most_compared_ranks);
  if (runs == 1 && alone && same == 0) return "this run is " + too_large;
  if (runs == 1 && alone) return fmt::format("this run's {} are those of its function", counted(transfers, "transfer"));
  if (same == 0) return fmt::format("all {} are {}", counted(runs, "run"), too_large);
  const std::string found =
      fmt::format("all {} of {} are those of its function", counted(transfers, "transfer"), counted(same, "run"));
  return same == runs ? found : fmt::format("{}; {} more are {}", found, runs - same, too_large);
}

}  // namespace onceover::subjects
