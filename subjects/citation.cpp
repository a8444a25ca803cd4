#include "subjects/citation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "base/resource_limits.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "proofs/peer_family.h"
#include "proofs/routes/offsets.h"
#include "proofs/theorem.h"
#include "subjects/run.h"

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

/// A theorem that is cited, and what is said of the runs that it is about.
struct Cited {
  std::string_view theorem;
  std::string_view level;
  std::string_view domain;
  Comparisons comparisons = {};
};

Cited& cited(std::vector<Cited>& all, Cited one) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Cited& c) { return c.theorem == one.theorem; });
  return found == all.end() ? all.emplace_back(one) : *found;
}

bool has_passed(const Verification& run, Origin::Kind kind) {
  return run.origin.kind == kind && run.verdict() == Verdict::pass;
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

void cite(Verification& run, const Schedule& schedule, const Subject& subject, int threads) {
  if (has_passed(run, Origin::Kind::catalogue)) run.citation = citation_of(schedule, subject.settings, threads);
  if (has_passed(run, Origin::Kind::formula)) run.citation = citation_of(schedule, *subject.rule, threads);
}

const Theorem* solver_theorem(const Verification& run) {
  return has_passed(run, Origin::Kind::catalogue) && !run.citation ? proofs::theorem_about(run.header) : nullptr;
}

/// A sweep cites a theorem once, for all runs that it is about.
std::string theorems_text(std::span<const Verification> runs) {
  std::vector<Cited> all;
  std::string text;
  for (const Verification& run : runs) {
    if (run.citation && run.citation->compared == Compared::different)
      text += fmt::format("  no theorem: the transfers for {} are not those of the function of {}: {}\n", shape_of(run),
                          run.citation->theorem->name, run.citation->why);
    else if (run.citation)
      cited(all, {run.citation->theorem->name, "kernel", run.citation->domain}).comparisons.add(*run.citation);
    else if (const Theorem* theorem = solver_theorem(run))
      ++cited(all, {theorem->id, "solver", theorem->domain}).comparisons.runs;
  }
  for (const Cited& c : all) {
    const std::string found =
        c.level == "kernel" ? c.comparisons.text(runs.size() == 1) : ": Z3 shows its obligations, joined in words";
    const std::string part = c.comparisons.runs == runs.size()
                                 ? ""
                                 : fmt::format(", cited for {} of {} runs", c.comparisons.runs, runs.size());
    const Verification& run = runs.front();
    const std::string more = run.origin.kind == Origin::Kind::formula
                                 ? "proofs/coq/Offsets.v"
                                 : fmt::format("'verify prove --algo {}'", run.header.algorithm);
    text += fmt::format("  theorem {} ({}) covers {}{}{}; see {}\n", c.theorem, c.level, c.domain, part, found, more);
  }
  return text;
}

}  // namespace onceover::subjects
