// From what schedules show to verdicts.
//
// Schedules are independent, so threads share them. The report is that of the first schedule, in the order of the list,
// that fails: threads stop at schedules behind it, so the result doesn't depend on their number.

#include "gpu/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/parallel.h"
#include "base/report_output.h"
#include "base/sentences.h"
#include "base/stop.h"
#include "gpu/launch/launch.h"

namespace onceover::gpu {

namespace {

using verifier::Finding;
using verifier::Property;
using verifier::PropertyResult;
using verifier::Verdict;

/// Grants as bits, for sets of them.
constexpr unsigned kernel_boundary_bit = 1;
constexpr unsigned whole_vectors_bit = 8;
constexpr unsigned all_grants = 15;

struct GrantRow {
  unsigned bit;
  bool Grants::*grant;
  std::string_view name;
};

constexpr std::array grant_rows{GrantRow{kernel_boundary_bit, &Grants::kernel_boundary, "kernel_boundary"},
                                GrantRow{2, &Grants::lockstep, "lockstep"},
                                GrantRow{4, &Grants::weak_stores_seen, "weak_stores_seen"},
                                GrantRow{whole_vectors_bit, &Grants::whole_vectors, "whole_vectors"}};

/// A schedule to try.
struct Trial {
  ScheduleChoice choice;
  bool is_random = false;
};

/// Numbers below `all`, at most `most` of them, evenly spread.
std::vector<std::uint32_t> spread(std::uint64_t all, std::uint64_t most) {
  std::vector<std::uint32_t> chosen;
  const std::uint64_t count = std::min(all, most);
  for (std::uint64_t k = 0; k < count; ++k) chosen.push_back(static_cast<std::uint32_t>(k * all / count));
  return chosen;
}

class LaunchJudge {
 public:
  LaunchJudge(const ConcreteLaunch& concrete, const Description& description, const GpuJudgeOptions& options)
      : concrete_(concrete), description_(description), options_(options) {
    granted_ = options.grants.value_or(description.grants);
    count_warps();
    plan();
  }

  GpuRun judge() {
    GpuRun run{.ranks = concrete_.launch.ranks, .size = concrete_.size, .report = {}};
    auto shown = try_all(granted_, run.instructions);
    run.interleavings = tried_;
    if (options_.exhaustive && !failed_) {
      const Exploration all = explore_all(granted_, shown, run.instructions);
      run.interleavings += all.interleavings;
      run.has_all_interleavings = !failed_ && !all.is_stopped && all.why_incomplete.empty();
    }
    run.report.properties = properties(shown);
    run.report.verdict = verifier::required_verdict(run.report.properties);
    if (failed_) {
      run.failed_when = trial_text(*failed_);
      if (*failed_ < trials_.size()) run.failed_under = options_of(trials_[*failed_], granted_);
      run.findings = shown[*failed_].findings;
    }
    if (failed_ && run.report.verdict == Verdict::fail) run.passes_under = find_grants(shown[*failed_]);
    run.grids = grids();
    run.report.scope = scope(run);
    run.report.not_tried = {
        std::string("other sizes, grids and numbers of ranks; longer runs of calls; ") +
        (run.has_all_interleavings ? "reads of writes that come later (load buffering)" : "other interleavings")};
    add_notes(shown, run);
    run.places = places_run(*concrete_.launch.module, ran_in_any(shown));
    return run;
  }

 private:
  /// Counts as the engine does: each rank has a seat for each block that may run at a time in each of its streams, and
  /// each seat room for the largest block of all.
  void count_warps() {
    for (Rank r = 0; r < concrete_.launch.ranks; ++r) {
      for (const int stream : streams_of(concrete_.launch, r)) blocks_ += most_blocks(concrete_.launch, r, stream);
      blocks_to_.push_back(blocks_);
    }
    warps_per_block_ = threads_of_seat(concrete_.launch) / 32;
    warps_ = blocks_ * warps_per_block_;
  }

  /// Like text(choice), with the rank and block of what is starved.
  std::string choice_text(const ScheduleChoice& choice) const {
    const bool is_warp = choice.kind == ScheduleKind::starve_warp;
    if (!is_warp && choice.kind != ScheduleKind::starve_block) return text(choice);
    const std::uint64_t block = is_warp ? choice.index / warps_per_block_ : choice.index;
    const auto rank = std::upper_bound(blocks_to_.begin(), blocks_to_.end(), block) - blocks_to_.begin();
    const std::uint64_t first = rank == 0 ? 0 : blocks_to_[static_cast<std::size_t>(rank - 1)];
    return fmt::format("{}block {} of rank {} runs only when nothing else can",
                       is_warp ? fmt::format("warp {} of ", choice.index % warps_per_block_) : "", block - first, rank);
  }

  /// How threads ran in trial k; what comes after the last is of all interleavings.
  std::string trial_text(std::size_t k) const {
    if (k < trials_.size()) return choice_text(trials_[k].choice);
    return failed_ ? fmt::format("all interleavings are tried, in number {}", explored_)
                   : "all interleavings are tried";
  }

  void plan() {
    for (const ScheduleKind kind : {ScheduleKind::round_robin, ScheduleKind::first, ScheduleKind::last})
      trials_.push_back({{.kind = kind}});
    starved_warps_ = spread(warps_, options_.most_starved);
    starved_blocks_ = spread(blocks_, options_.most_starved);
    for (const std::uint32_t warp : starved_warps_)
      trials_.push_back({{.kind = ScheduleKind::starve_warp, .index = warp}});
    if (warps_ != blocks_)
      for (const std::uint32_t block : starved_blocks_)
        trials_.push_back({{.kind = ScheduleKind::starve_block, .index = block}});
    seeds_ = options_.seeds.value_or(description_.seeds);
    for (std::uint32_t k = 0; k < seeds_; ++k)
      trials_.push_back({{.kind = ScheduleKind::seeded, .seed = options_.seed + k}, true});
  }

  RunOptions options_of(const Trial& trial, const Grants& grants) const {
    return {.schedule = trial.choice,
            .grants = grants,
            .older_values = trial.is_random && options_.older_values,
            .torn_vectors = trial.is_random && options_.torn_vectors && !grants.whole_vectors,
            .resident_blocks = description_.resident_blocks,
            .most_instructions = options_.most_instructions};
  }

  Shown try_one(const Trial& trial, const Grants& grants) const {
    const GpuOutcome outcome = run(concrete_.launch, options_of(trial, grants), code_);
    return shown_by(outcome, concrete_, description_);
  }

  /// What passing interleavings show together.
  static void add_to(Shown& all, const Shown& each) {
    for (std::size_t k = 0; k < each.ran.size(); ++k) all.ran[k] |= each.ran[k];
    for (const std::string& note : each.notes)
      if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end()) all.notes.push_back(note);
    all.violated.insert(each.violated.begin(), each.violated.end());
    all.harmless = std::max(all.harmless, each.harmless);
    all.data_branches = std::max(all.data_branches, each.data_branches);
  }

  /// Tries all interleavings, up to the first that fails or has no verdict.
  Exploration explore_all(const Grants& grants, std::vector<Shown>& shown, std::uint64_t& instructions) {
    explored_ = 0;
    const RunOptions options{.schedule = {},
                             .grants = grants,
                             .torn_vectors = options_.torn_vectors && !grants.whole_vectors,
                             .resident_blocks = description_.resident_blocks,
                             .most_instructions = options_.most_instructions};
    Exploration all = explore(concrete_.launch, options, options_.most_runs, [&](const GpuOutcome& outcome) {
      ++explored_;
      Shown each = shown_by(outcome, concrete_, description_);
      instructions += each.instructions;
      const bool is_failure = fails(each);
      const bool goes_on = !is_failure && each.unknown.empty();
      if (explored_ > 1 && goes_on) {
        add_to(shown.back(), each);
        return true;
      }
      shown.push_back(std::move(each));
      if (is_failure) failed_ = shown.size() - 1;
      return goes_on;
    });
    if (!failed_ && !all.is_stopped && !all.why_incomplete.empty()) {
      Shown incomplete = shown.front();
      incomplete.unknown =
          fmt::format("not all interleavings were tried, but {} of them: {}", all.interleavings, all.why_incomplete);
      shown.push_back(std::move(incomplete));
    }
    return all;
  }

  bool is_required(const Property& property) const {
    auto has = [&](const std::vector<std::string>& ids) { return verifier::asks_for(ids, property); };
    if (has(options_.waived) || has(description_.waived)) return false;
    if (has(options_.required) || has(description_.required)) return true;
    for (const GpuProperty& row : gpu_properties())
      if (row.property == &property) return row.is_required;
    return false;
  }

  bool is_waived(const Property& property, bool by_default) const {
    return by_default &&
           (verifier::asks_for(options_.waived, property) || verifier::asks_for(description_.waived, property));
  }

  /// Does a required property fail?
  bool fails(const Shown& shown) const {
    for (const GpuProperty& row : gpu_properties())
      if (is_required(*row.property) && shown.violated.contains(row.property->id)) return true;
    return false;
  }

  /// Tries the schedules, up to the first that fails.
  std::vector<Shown> try_all(const Grants& grants, std::uint64_t& instructions) {
    std::vector<Shown> shown(trials_.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> first_failure = trials_.size();
    const int threads = std::min(options_.threads > 0 ? options_.threads : cores(), static_cast<int>(trials_.size()));
    run_workers(threads, [&](int) {
      for (std::size_t k = next++; k < trials_.size(); k = next++) {
        if (k > first_failure) return;
        stop_point();
        shown[k] = try_one(trials_[k], grants);
        if (!fails(shown[k])) continue;
        std::size_t known = first_failure;
        while (k < known && !first_failure.compare_exchange_weak(known, k)) continue;
      }
    });
    failed_ = first_failure < trials_.size() ? std::optional<std::size_t>(first_failure) : std::nullopt;
    tried_ = failed_ ? *failed_ + 1 : trials_.size();
    shown.resize(tried_);
    for (const Shown& each : shown) instructions += each.instructions;
    return shown;
  }

  std::vector<PropertyResult> properties(const std::vector<Shown>& shown) const {
    std::vector<PropertyResult> results;
    for (const GpuProperty& row : gpu_properties()) {
      PropertyResult result{finding(*row.property, shown), row.property->id, is_required(*row.property),
                            is_waived(*row.property, row.is_required)};
      results.push_back(std::move(result));
    }
    return results;
  }

  /// The finding of the schedule that failed, or of all together.
  Finding finding(const Property& property, const std::vector<Shown>& shown) const {
    Finding finding{Verdict::pass, passing_summary(property, shown)};
    std::string unknown;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      if (unknown.empty()) unknown = shown[k].unknown;
      const auto at = shown[k].violated.find(property.id);
      const bool is_of_failure = !failed_ || k == *failed_;
      if (at == shown[k].violated.end() || !is_of_failure || finding.verdict == Verdict::fail) continue;
      finding.verdict = Verdict::fail;
      finding.violations = at->second.violations;
      finding.counterexample = at->second.first;
      finding.counterexample->ways.push_back(fmt::format("when {}", trial_text(k)));
      finding.summary = describe(*finding.counterexample).front();
    }
    if (finding.verdict == Verdict::pass && (!unknown.empty() || failed_)) {
      finding.verdict = Verdict::unknown;
      finding.summary =
          fmt::format("{}{}", not_judged, failed_ ? " further, since another property fails" : ": " + unknown);
    }
    return finding;
  }

  std::string passing_summary(const Property& property, const std::vector<Shown>& shown) const {
    if (property.id == verifier::exactly_once_property.id)
      return fmt::format("all {} of each interleaving are right", counted(shown.front().elements, "element"));
    if (property.id == verifier::race_free_property.id) return "all conflicting accesses are ordered, or strong";
    if (property.id == verifier::deadlock_free_property.id) return "all calls end";
    if (property.id == verifier::bitwise_reproducible_property.id) return "all ranks hold the same bits";
    if (property.id == verifier::input_preserved_property.id) return "inputs are as before";
    if (property.id == verifier::order_preserving_property.id) return "all sums join neighbouring runs of ranks";
    return "all accesses are inside their buffers and aligned";
  }

  /// The grants that could make up for what the schedule violates. None could for a deadlock or an access out of
  /// bounds.
  unsigned helpful_grants(const Shown& shown) const {
    bool is_race = false;
    bool is_other = false;
    for (const GpuProperty& row : gpu_properties()) {
      if (!is_required(*row.property) || !shown.violated.contains(row.property->id)) continue;
      if (row.property == &verifier::well_formed_property || row.property == &verifier::deadlock_free_property)
        return 0;
      (row.property == &verifier::race_free_property ? is_race : is_other) = true;
    }
    if (is_race && !is_other) return all_grants;
    const bool is_random = *failed_ >= trials_.size() || trials_[*failed_].is_random;
    return is_random ? kernel_boundary_bit | whole_vectors_bit : 0;
  }

  /// Grants that the launch lacks, as few as possible, under which every schedule passes.
  std::optional<Grants> find_grants(const Shown& failing) {
    const auto failure = failed_;
    const auto tried = tried_;
    const unsigned helpful = helpful_grants(failing);
    std::optional<Grants> found;
    for (const unsigned more : {1U, 2U, 4U, 8U, 3U, 5U, 9U, 6U, 10U, 12U, 7U, 11U, 13U, 14U, 15U}) {
      if ((more & ~helpful) != 0 || !adds_only(more)) continue;
      const Grants grants = with(more);
      if (*failure < trials_.size() && fails(try_one(trials_[*failure], grants))) continue;
      std::uint64_t instructions = 0;
      auto shown = try_all(grants, instructions);
      if (options_.exhaustive && !failed_) explore_all(grants, shown, instructions);
      const bool has_verdict =
          std::all_of(shown.begin(), shown.end(), [](const Shown& each) { return each.unknown.empty(); });
      if (failed_ || !has_verdict) continue;
      found = grants;
      break;
    }
    failed_ = failure;
    tried_ = tried;
    return found;
  }

  Grants with(unsigned more) const {
    Grants grants = granted_;
    for (const GrantRow& row : grant_rows) grants.*row.grant = grants.*row.grant || (more & row.bit) != 0;
    return grants;
  }

  /// Is none of these granted already?
  bool adds_only(unsigned more) const {
    return std::none_of(grant_rows.begin(), grant_rows.end(),
                        [&](const GrantRow& row) { return (more & row.bit) != 0 && granted_.*row.grant; });
  }

  /// "2 blocks of 64 threads or 1 block of 64 threads; 3 calls": the grids of all ranks, each once.
  std::string grids() const {
    std::vector<std::string> known;
    for (const RankCall& rank : concrete_.launch.calls.front().ranks) {
      std::vector<std::string> grids;
      for (const KernelRun& kernel : rank.kernels)
        grids.push_back(
            fmt::format("{} of {}", counted(kernel.grid.count(), "block"), counted(kernel.block.count(), "thread")));
      const std::string all = grids.empty() ? "none" : fmt::format("{}", fmt::join(grids, ", then "));
      if (std::find(known.begin(), known.end(), all) == known.end()) known.push_back(all);
    }
    const std::string shown = known.size() <= 2 ? fmt::format("{}", fmt::join(known, " or ")) : known.front() + ", ..";
    return fmt::format("{}; {}", shown, counted(concrete_.launch.calls.size(), "call"));
  }

  std::string scope(const GpuRun& run) const {
    std::string shape = fmt::format("p = {}", concrete_.launch.ranks);
    if (description_.has_sizes) shape += fmt::format(", n = {}", concrete_.size);
    if (run.has_all_interleavings)
      return fmt::format("all interleavings of {}; {}; grants: {}", shape, grids(), text(granted_));
    return fmt::format("{}; {}; {}; grants: {}", shape, grids(), counted(run.interleavings, "interleaving"),
                       text(granted_));
  }

  static std::vector<std::uint8_t> ran_in_any(const std::vector<Shown>& shown) {
    std::vector<std::uint8_t> ran;
    for (const Shown& each : shown) {
      ran.resize(std::max(ran.size(), each.ran.size()));
      for (std::size_t k = 0; k < each.ran.size(); ++k) ran[k] |= each.ran[k];
    }
    return ran;
  }

  void add_notes(const std::vector<Shown>& shown, GpuRun& run) const {
    if (shown.empty()) return;
    if (starved_warps_.size() < warps_)
      run.notes.push_back(fmt::format("{} of {} were starved", starved_warps_.size(), counted(warps_, "warp")));
    if (starved_blocks_.size() < blocks_)
      run.notes.push_back(fmt::format("{} of {} were starved", starved_blocks_.size(), counted(blocks_, "block")));
    std::uint64_t harmless = 0;
    std::uint64_t branches = 0;
    for (const Shown& each : shown) {
      harmless = std::max(harmless, each.harmless);
      branches = std::max(branches, each.data_branches);
      for (const std::string& note : each.notes)
        if (std::find(run.notes.begin(), run.notes.end(), note) == run.notes.end()) run.notes.push_back(note);
    }
    if (harmless > 0)
      run.notes.push_back(
          fmt::format("harmless: {} where nothing orders two accesses, but the value stays or is used "
                      "for nothing",
                      counted(harmless, "place")));
    if (branches > 0)
      run.notes.push_back(fmt::format("branches that inputs decide: {}; other inputs were not tried", branches));
  }

  const ConcreteLaunch& concrete_;
  LaunchCode code_ = code_of(concrete_.launch);
  const Description& description_;
  const GpuJudgeOptions& options_;
  Grants granted_;
  std::uint64_t blocks_ = 0;
  std::vector<std::uint64_t> blocks_to_ = {};  // by rank: the blocks of ranks up to it
  std::uint64_t warps_per_block_ = 1;
  std::uint64_t warps_ = 0;
  std::uint32_t seeds_ = 0;
  std::vector<std::uint32_t> starved_warps_ = {};
  std::vector<std::uint32_t> starved_blocks_ = {};
  std::vector<Trial> trials_ = {};
  std::optional<std::size_t> failed_ = {};  // the schedule; behind them: one of all interleavings
  std::uint64_t explored_ = 0;              // of all interleavings
  std::size_t tried_ = 0;
};

}  // namespace

/// A race explains wrong results, so it is reported before them.
std::vector<GpuProperty> gpu_properties() {
  return {{&verifier::well_formed_property, true},          {&verifier::race_free_property, true},
          {&verifier::deadlock_free_property, true},        {&verifier::exactly_once_property, true},
          {&verifier::bitwise_reproducible_property, true}, {&verifier::input_preserved_property, true},
          {&verifier::order_preserving_property, false}};
}

GpuRun judge(const ConcreteLaunch& concrete, const Description& description, const GpuJudgeOptions& options) {
  return LaunchJudge(concrete, description, options).judge();
}

std::string text(const ScheduleChoice& choice) {
  switch (choice.kind) {
    case ScheduleKind::round_robin: return "warps take turns";
    case ScheduleKind::seeded: return fmt::format("warps take random turns, seed {}", choice.seed);
    case ScheduleKind::starve_warp: return fmt::format("warp {} runs only when no other can", choice.index);
    case ScheduleKind::starve_block: return fmt::format("block {} runs only when no other can", choice.index);
    case ScheduleKind::first: return "the first warp that can run does";
    case ScheduleKind::last: return "the last warp that can run does";
  }
  return "";
}

std::string text(const Grants& grants) {
  std::vector<std::string_view> names;
  for (const GrantRow& row : grant_rows)
    if (grants.*row.grant) names.push_back(row.name);
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace onceover::gpu
