#include "subjects/citation.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/resource_limits.h"

namespace onceover::subjects {

std::optional<Citation> citation_of(const Schedule& schedule, const Settings& settings, int threads) {
  const RowRun run{schedule.header(), settings};
  const KernelRow* row = kernel_row(run);
  if (row == nullptr) return std::nullopt;
  const std::uint64_t transfers = schedule.block_transfers();
  if (is_too_large_to_compare(schedule))
    return Citation{
        row, Compared::none, transfers,
        fmt::format("it has over {} block transfers and results, or {} ranks", most_compared, most_compared_ranks)};
  constexpr std::uint64_t worth_a_thread = 1 << 18;
  const auto found =
      within_limits([&] { return difference(schedule, row->function(run), transfers < worth_a_thread ? 1 : threads); });
  if (!found) return Citation{row, Compared::none, transfers, found.error()};
  if (*found) return Citation{row, Compared::different, transfers, **found};
  return Citation{row, Compared::all, transfers};
}

void Comparisons::add(const Citation& citation) {
  if (runs++ == same && citation.compared != Compared::all) why = citation.why;
  if (citation.compared != Compared::all) return;
  ++same;
  transfers += citation.transfers;
}

std::string Comparisons::text(bool alone) const {
  if (same == 0) return fmt::format(", but {} not compared: {}", alone ? "this run was" : "these runs were", why);
  if (alone) return fmt::format(": this run's {} are those of its function", counted(transfers, "transfer"));
  const std::string found =
      fmt::format(": all {} of {} are those of its function", counted(transfers, "transfer"), counted(same, "run"));
  return same == runs ? found : fmt::format("{}; {} more were not compared: {}", found, runs - same, why);
}

}  // namespace onceover::subjects
