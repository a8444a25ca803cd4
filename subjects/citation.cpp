#include "subjects/citation.h"

#include <fmt/format.h>

#include <functional>

#include "base/counted.h"
#include "base/resource_limits.h"
#include "base/rows.h"
#include "proofs/peer_family.h"
#include "proofs/routes/offsets.h"

namespace onceover::subjects {

namespace {

/// The theorem, and how the schedule compares with that of its function.
Citation compared(const Schedule& schedule, const KernelTheorem& theorem, std::string_view domain,
                  const std::function<RoutedSchedule()>& function, int threads) {
  const std::uint64_t transfers = schedule.block_transfers();
  const auto cited = [&](Compared how, std::string why = "") {
    return Citation{&theorem, domain, how, transfers, std::move(why)};
  };
  if (is_too_large_to_compare(schedule))
    return cited(Compared::none, fmt::format("it has over {} block transfers and results, or {} ranks", most_compared,
                                             most_compared_ranks));
  constexpr std::uint64_t worth_a_thread = 1 << 18;
  const auto found =
      within_limits([&] { return difference(schedule, function(), transfers < worth_a_thread ? 1 : threads); });
  if (!found) return cited(Compared::none, found.error());
  return *found ? cited(Compared::different, **found) : cited(Compared::all);
}

/// The theorem that a formula looks like, where several cover its peers; null: the first.
const KernelTheorem* likely_theorem(const PeerRule& rule) {
  const auto form = family_form(rule.peer);
  if (form && form->family == PeerFamily::shift) return &powers_once;
  if (form && form->family == PeerFamily::exclusive_or) return &flips_once;
  return nullptr;
}

}  // namespace

std::optional<Citation> citation_of(const Schedule& schedule, const Settings& settings, int threads) {
  const RowRun run{schedule.header(), settings};
  const KernelRow* row = kernel_row(run);
  if (row == nullptr) return std::nullopt;
  return compared(
      schedule, *row->theorem, row->domain, [&] { return row->function(run); }, threads);
}

std::optional<Citation> citation_of(const Schedule& schedule, const PeerRule& rule, int threads) {
  if (is_too_large_to_compare(schedule)) return std::nullopt;  // so is the search for the theorem
  const auto peers = PeerTable::of(rule, schedule.header().ranks);
  if (!peers) return std::nullopt;
  const auto runs = within_limits([&] {
    return offsets_runs({peers->running(), peers->steps(), peers->last_rank_apart(),
                         [&](Rank rank, int step) { return (*peers)(rank, step); }});
  });
  if (!runs || runs->empty()) return std::nullopt;
  const OffsetsRun* likely = row_with(*runs, &OffsetsRun::theorem, likely_theorem(rule));
  const OffsetsRun& run = likely == nullptr ? runs->front() : *likely;
  return compared(
      schedule, *run.theorem, run.domain, [&] { return along(schedule.header().collective, run.routes); }, threads);
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
