// From outcomes of schedules to verdicts.
//
// A finding of the engine violates one property, by its kind (`finding_kinds` below). What outputs hold is judged
// beside: each element's value is read as a sum of contributions (held_values.h) and compared with what the promise
// owes there. Results have many elements and few different sums, so an answer about a sum is remembered.
//
// Example: two ranks, element 3 of rank 1 holds in@0[3] + in@0[3] after call 2. The promise owes in@0[3] + in@1[3]:
// exactly-once fails, "rank 0's contribution counts twice".
//
// Schedules are independent, so threads share them. The report is that of the first schedule, in the order of the list,
// that fails: threads stop at schedules behind it, so the result doesn't depend on their number.

#include "gpu/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/stop.h"
#include "gpu/held_values.h"
#include "gpu/launch/expectation.h"
#include "verifier/counterexample.h"
#include "verifier/element_fault.h"
#include "verifier/term_judgement.h"

namespace onceover::gpu {

namespace {

using verifier::Counterexample;
using verifier::FaultyElement;
using verifier::Finding;
using verifier::OddContribution;
using verifier::Property;
using verifier::PropertyResult;
using verifier::Term;
using verifier::Verdict;

/// What a kind of finding means.
struct KindRow {
  FindingKind kind;
  const Property* violates;  // null: there is no verdict
};

constexpr std::array finding_kinds{KindRow{FindingKind::data_race, &verifier::race_free_property},
                                   KindRow{FindingKind::narrow_scope, &verifier::race_free_property},
                                   KindRow{FindingKind::mixed_sizes, &verifier::race_free_property},
                                   KindRow{FindingKind::unordered_writes, &verifier::race_free_property},
                                   KindRow{FindingKind::non_coherent_read, &verifier::race_free_property},
                                   KindRow{FindingKind::out_of_bounds, &verifier::well_formed_property},
                                   KindRow{FindingKind::wild_address, &verifier::well_formed_property},
                                   KindRow{FindingKind::misaligned, &verifier::well_formed_property},
                                   KindRow{FindingKind::unwritten_value, &verifier::well_formed_property},
                                   KindRow{FindingKind::write_of_constant, &verifier::well_formed_property},
                                   KindRow{FindingKind::deadlock, &verifier::deadlock_free_property},
                                   KindRow{FindingKind::trap, &verifier::well_formed_property},
                                   KindRow{FindingKind::divergent_barrier, &verifier::well_formed_property},
                                   KindRow{FindingKind::unsupported, nullptr},
                                   KindRow{FindingKind::too_long, nullptr}};

const Property* violated_by(FindingKind kind) {
  const auto row =
      std::find_if(finding_kinds.begin(), finding_kinds.end(), [&](const KindRow& each) { return each.kind == kind; });
  return row == finding_kinds.end() ? nullptr : row->violates;
}

std::string who(const AccessSite& site) {
  if (site.is_stream) return fmt::format("call {}, stream of rank {}", site.call, site.rank);
  return fmt::format("call {}, rank {}, block {}, warp {}, thread {}", site.call, site.rank, site.block, site.warp,
                     site.thread);
}

/// What went wrong while the kernels ran.
constexpr verifier::FaultKind run_fault{"unsafe", "such faults"};

/// "race in scratch of rank 1, byte 540: a read that nothing orders after the write".
std::string headline_of(const GpuFinding& finding) {
  const std::string where =
      finding.memory.empty() ? "" : fmt::format(" in {}, byte {}", finding.memory, finding.offset);
  return fmt::format("{}{}: {}", name(finding.kind), where, finding.sentence);
}

ToldFinding told(const GpuFinding& finding, const ptx::Module& module) {
  ToldFinding told{.finding = finding, .property = {}, .headline = headline_of(finding), .places = {}, .lines = {}};
  if (const Property* property = violated_by(finding.kind)) told.property = property->id;
  std::vector<const AccessSite*> sites{&finding.first};
  if (finding.second) sites.push_back(&*finding.second);
  for (const AccessSite* site : sites) {
    const std::string place = place_of(module, *site);
    told.places.push_back(place);
    told.lines.push_back(fmt::format("{}: {}{}", who(*site), site->action, place.empty() ? "" : " at " + place));
  }
  if (finding.times > 1) told.lines.push_back(fmt::format("{} times between these two places", finding.times));
  return told;
}

/// What a property's elements or findings showed.
struct Tally {
  std::uint64_t violations = 0;
  std::optional<Counterexample> first = {};
};

/// What one schedule showed.
struct Shown {
  std::map<std::string_view, Tally> violated = {};
  std::vector<ToldFinding> findings = {};
  std::string unknown = {};  // why there is no verdict; empty: there is one
  std::uint64_t elements = 0;
  std::uint64_t harmless = 0;  // pairs of accesses that nothing orders, and that change nothing
  std::uint64_t instructions = 0;
  std::uint64_t data_branches = 0;
  std::vector<std::string> notes = {};
};

/// Reads one outcome.
class OutcomeReader {
 public:
  OutcomeReader(const GpuOutcome& outcome, const ConcreteLaunch& concrete, const Description& description)
      : outcome_(outcome),
        concrete_(concrete),
        description_(description),
        values_(*outcome.terms, concrete, description),
        leaves_(concrete.launch.ranks) {}

  Shown read() {
    take_findings();
    for (const HeldBuffer& held : outcome_.held) read(held);
    for (const auto& [key, columns] : columns_) compare_ranks(key.first, key.second, columns);
    shown_.instructions = outcome_.instructions;
    shown_.data_branches = outcome_.data_branches;
    shown_.notes = outcome_.notes;
    if (outcome_.is_finished) check_complete();
    if (outcome_.findings_left_out > 0 && shown_.violated.empty() && shown_.unknown.empty())
      shown_.unknown = "there were more findings than are kept";
    if (!outcome_.is_finished && shown_.violated.empty() && shown_.unknown.empty())
      shown_.unknown = "the calls didn't end";
    return std::move(shown_);
  }

 private:
  const ptx::Module& module() const { return *concrete_.launch.module; }

  void take_findings() {
    for (const GpuFinding& finding : outcome_.findings) {
      if (finding.same_value || finding.reaches_nothing) {
        ++shown_.harmless;
        continue;
      }
      ToldFinding told = gpu::told(finding, module());
      if (told.property.empty() && shown_.unknown.empty())
        shown_.unknown = fmt::format("{}{}", told.headline,
                                     told.places.empty() || told.places[0].empty() ? "" : ", at " + told.places[0]);
      if (!told.property.empty()) violate(told);
      shown_.findings.push_back(std::move(told));
    }
  }

  void violate(const ToldFinding& told) {
    Tally& tally = shown_.violated[told.property];
    tally.violations += told.finding.times;
    if (tally.first) return;
    Counterexample::Told fault{run_fault, {told.headline}};
    fault.lines.insert(fault.lines.end(), told.lines.begin(), told.lines.end());
    tally.first = Counterexample{.what = std::move(fault), .rank = told.finding.first.rank};
  }

  /// Counts an element that violates the property; `tell` makes the counterexample of the first.
  template <class Tell>
  void violate(const Property& property, const HeldBuffer& held, std::size_t k, Tell tell) {
    Tally& tally = shown_.violated[property.id];
    if (tally.violations++ > 0) return;
    const BufferPlace& place = concrete_.places[held.buffer];
    const std::string value = k < held.elements.size() ? values_.text(held.elements[k], held.call) : "nothing";
    tally.first = tell(FaultyElement{place.rank, k, static_cast<std::uint32_t>(k), value});
    tally.first->ways = {fmt::format("in call {}, in '{}'", held.call, description_.buffers[place.text].name)};
  }

  void read(const HeldBuffer& held) {
    const BufferPlace& place = concrete_.places[held.buffer];
    if (description_.buffers[place.text].role == BufferRole::input) read_input(held, place);
    for (const Expected& expected : concrete_.expected)
      if (expected.output == place.text) read_output(held, place, expected);
    ++held_;
  }

  void read_input(const HeldBuffer& held, const BufferPlace& place) {
    for (std::size_t k = 0; k < held.elements.size(); ++k) {
      const TermNode& node = (*outcome_.terms)[held.elements[k].term];
      const bool is_kept = node.kind == TermKind::leaf && node.a == held.buffer && node.b == k && node.c == held.call;
      if (!is_kept)
        violate(verifier::input_preserved_property, held, k, [&](FaultyElement element) {
          return wrong_element(
              std::move(element), OddContribution::is_not_due(),
              fmt::format("{}@{}[{}], the input", description_.buffers[place.text].name, place.rank, k));
        });
    }
  }

  void read_output(const HeldBuffer& held, const BufferPlace& place, const Expected& expected) {
    const verifier::PromisedResult& result = expected.results[static_cast<std::size_t>(place.rank)];
    for (const verifier::OwedRun& run : result.runs())
      for (std::int64_t k = 0; k < run.count; ++k) {
        const auto index = static_cast<std::size_t>(run.begin + k);
        verifier::Owed owed = run.first;
        owed.element += k;
        ++shown_.elements;
        read_element(held, index, owed, expected);
      }
    if (expected.promise->row().sums) {
      auto& column = columns_[{place.text, held.call}];
      column.resize(static_cast<std::size_t>(concrete_.launch.ranks));
      column[static_cast<std::size_t>(place.rank)] = {&held, &result};
    }
  }

  void read_element(const HeldBuffer& held, std::size_t index, const verifier::Owed& owed, const Expected& expected) {
    const auto is_wrong = [&](const OddContribution& odd) {
      violate(verifier::exactly_once_property, held, index, [&](FaultyElement element) {
        return wrong_element(std::move(element), odd, due_text(owed, expected, held.call));
      });
    };
    const auto is_unordered = [&](std::string why, std::vector<std::string> runs) {
      violate(verifier::order_preserving_property, held, index, [&](FaultyElement element) {
        return unordered_element(std::move(element), std::move(why), std::move(runs));
      });
    };
    if (index >= held.elements.size()) return is_wrong(OddContribution::is_missing());
    const ReadValue& value = values_[held.elements[index].term];
    if (!is_due(value, held.call, owed, expected)) return is_wrong(odd_contribution(value, held.call, owed, expected));
    if (owed.ranks.size() < 2) return;
    if (value.is_switched) return is_unordered("the switch adds it up, in an order that nobody knows", {});
    if (keeps_order(value, owed)) return;
    const auto runs = gap(value, owed);
    is_unordered(fmt::format("a sum joins {} with {}, which aren't neighbours", runs[0], runs[1]), runs);
  }

  bool is_due(const ReadValue& value, std::uint32_t call, const verifier::Owed& owed, const Expected& expected) {
    if (value.kind != ReadValue::Kind::sum || value.input != expected.input || value.call != call ||
        value.element != static_cast<std::uint64_t>(owed.element))
      return false;
    if (value.is_combined && value.operation != expected.operation) return false;
    if (owed.ranks.size() == 1) return value.term == values_.table().leaf(owed.ranks.front());
    const auto [at, is_new] = once_.try_emplace({value.term, owed.ranks.data(), owed.ranks.size()}, false);
    if (is_new)
      at->second = leaves_.has_each_once(values_.table(), value.term, static_cast<Rank>(owed.ranks.size()),
                                         [&](Term leaf) { return place_in(owed, leaf); });
    return at->second;
  }

  Rank place_in(const verifier::Owed& owed, Term leaf) const {
    return static_cast<Rank>(owed.place_of({values_.table().rank_of(leaf), owed.element}));
  }

  bool keeps_order(const ReadValue& value, const verifier::Owed& owed) {
    const auto [at, is_new] = ordered_.try_emplace({value.term, owed.ranks.data(), owed.ranks.size()}, false);
    if (is_new) {
      order_.walk(values_.table(), std::span(&value.term, 1), [&](Term leaf) { return place_in(owed, leaf); });
      at->second = order_.gaps().empty();
    }
    return at->second;
  }

  /// Two runs of ranks that aren't neighbours and that a sum joins.
  std::vector<std::string> gap(const ReadValue& value, const verifier::Owed& owed) {
    order_.walk(values_.table(), std::span(&value.term, 1), [&](Term leaf) { return place_in(owed, leaf); });
    const verifier::OrderWalk::Gap& gap = order_.gaps().front();
    return {verifier::text(gap.a), verifier::text(gap.b)};
  }

  /// Which contribution is there too often, or too seldom.
  OddContribution odd_contribution(const ReadValue& value, std::uint32_t call, const verifier::Owed& owed,
                                   const Expected& expected) const {
    if (value.kind == ReadValue::Kind::unwritten || value.kind == ReadValue::Kind::nothing)
      return OddContribution::is_missing();
    const bool is_of_place = value.kind == ReadValue::Kind::sum && value.input == expected.input &&
                             value.call == call && value.element == static_cast<std::uint64_t>(owed.element);
    if (!is_of_place) return OddContribution::is_not_due();
    std::vector<std::uint64_t> times(static_cast<std::size_t>(concrete_.launch.ranks));
    count(value.term, times);
    for (Rank r = 0; r < concrete_.launch.ranks; ++r) {
      const std::uint64_t found = times[static_cast<std::size_t>(r)];
      const bool is_owed = std::find(owed.ranks.begin(), owed.ranks.end(), r) != owed.ranks.end();
      if (found > 1) return OddContribution::counts_often(r, found);
      if (found == 1 && !is_owed) return OddContribution::is_not_due(r, found);
    }
    for (const Rank r : owed.ranks)
      if (times[static_cast<std::size_t>(r)] == 0) return OddContribution::is_missing(r);
    return OddContribution::is_not_due();
  }

  /// Adds how often each rank's leaf is in the term. Linear in the term's paths, up to a limit.
  void count(Term root, std::vector<std::uint64_t>& times) const {
    constexpr std::size_t most = 100'000;
    std::vector<Term> open{root};
    for (std::size_t steps = 0; !open.empty() && steps < most; ++steps) {
      const Term term = open.back();
      open.pop_back();
      if (values_.table().is_leaf(term)) {
        ++times[static_cast<std::size_t>(values_.table().rank_of(term))];
        continue;
      }
      open.push_back(values_.table().first(term));
      open.push_back(values_.table().second(term));
    }
  }

  std::string due_text(const verifier::Owed& owed, const Expected& expected, std::uint32_t call) const {
    const std::string& input = description_.buffers[expected.input].name;
    if (owed.ranks.size() == 1) return fmt::format("{}@{}[{}] of call {}", input, owed.ranks[0], owed.element, call);
    const bool is_run = owed.ranks.back() - owed.ranks.front() + 1 == static_cast<Rank>(owed.ranks.size());
    return fmt::format("the {} of {}[{}] of ranks {} of call {}", expected.operation == Combining::add ? "sum" : "join",
                       input, owed.element,
                       is_run ? fmt::format("{}..{}", owed.ranks.front(), owed.ranks.back())
                              : fmt::format("{}", fmt::join(owed.ranks, ", ")),
                       call);
  }

  struct Column {
    const HeldBuffer* held = nullptr;
    const verifier::PromisedResult* result = nullptr;
  };

  /// Do ranks that are owed the same sum hold the same bits?
  void compare_ranks(std::size_t text, std::uint32_t call, const std::vector<Column>& column) {
    static_cast<void>(text);
    static_cast<void>(call);
    if (std::any_of(column.begin(), column.end(), [](const Column& c) { return c.held == nullptr; })) return;
    std::vector<Term> terms(column.size());
    for (std::size_t k = 0; k < column[0].held->elements.size(); ++k) {
      const verifier::Owed owed = column[0].result->owed(static_cast<std::int64_t>(k));
      const bool is_same =
          owed.ranks.size() > 1 && std::all_of(column.begin(), column.end(), [&](const Column& c) {
            const verifier::Owed theirs = c.result->owed(static_cast<std::int64_t>(k));
            return k < c.held->elements.size() && theirs.element == owed.element &&
                   std::equal(theirs.ranks.begin(), theirs.ranks.end(), owed.ranks.begin(), owed.ranks.end());
          });
      if (!is_same) continue;
      for (std::size_t r = 0; r < column.size(); ++r)
        terms[r] = static_cast<Term>(static_cast<std::uint32_t>(column[r].held->elements[k].term));
      const auto found = verifier::disagreement(terms);
      if (!found) continue;
      const Column& other = column[found->different];
      violate(verifier::bitwise_reproducible_property, *column[0].held, k, [&](const FaultyElement& element) {
        return differing_element(k, found->distinct, static_cast<Rank>(found->different), element.value,
                                 values_.text(other.held->elements[k], other.held->call));
      });
    }
  }

  /// Every output and input of every call must have been read.
  void check_complete() {
    std::uint64_t wanted = 0;
    for (const Call& call : concrete_.launch.calls)
      for (const RankCall& rank : call.ranks) wanted += rank.reads.size();
    if (held_ != wanted && shown_.unknown.empty())
      shown_.unknown = fmt::format("{} of {} were read", held_, counted(wanted, "buffer"));
  }

  const GpuOutcome& outcome_;
  const ConcreteLaunch& concrete_;
  const Description& description_;
  ReadValues values_;
  verifier::LeafWalk leaves_;
  verifier::OrderWalk order_;
  Shown shown_;
  std::uint64_t held_ = 0;
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<Column>> columns_ = {};  // by output and call
  using SumKey = std::tuple<Term, const Rank*, std::size_t>;
  std::map<SumKey, bool> once_ = {};
  std::map<SumKey, bool> ordered_ = {};
};

/// Grants as bits, for sets of them.
constexpr unsigned kernel_boundary_bit = 1;
constexpr unsigned lockstep_bit = 2;
constexpr unsigned weak_stores_seen_bit = 4;
constexpr unsigned whole_vectors_bit = 8;
constexpr unsigned all_grants = 15;

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
    const auto shown = try_all(granted_, run.instructions);
    run.interleavings = tried_;
    run.report.properties = properties(shown);
    run.report.verdict = verifier::required_verdict(run.report.properties);
    if (failed_) {
      run.failed_when = choice_text(trials_[*failed_].choice);
      run.findings = shown[*failed_].findings;
    }
    if (failed_ && run.report.verdict == Verdict::fail) run.passes_under = find_grants(shown[*failed_]);
    run.grids = grids();
    run.report.scope = scope();
    run.report.not_tried = {"other sizes, grids and numbers of ranks; longer runs of calls; other interleavings"};
    add_notes(shown, run);
    return run;
  }

 private:
  /// Counts as the engine does: each rank has a seat for each block that may run at a time in each of its streams, and
  /// each seat room for the largest block of all.
  void count_warps() {
    std::uint64_t threads = 0;
    for (Rank r = 0; r < concrete_.launch.ranks; ++r) {
      std::map<int, std::uint64_t> seats;
      for (const Call& call : concrete_.launch.calls)
        for (const KernelRun& kernel : call.ranks[static_cast<std::size_t>(r)].kernels) {
          seats[kernel.stream] = std::max(seats[kernel.stream], kernel.grid.count());
          threads = std::max(threads, kernel.block.count());
        }
      for (const auto& [stream, count] : seats) blocks_ += count;
      blocks_to_.push_back(blocks_);
    }
    warps_per_block_ = std::max<std::uint64_t>(1, (threads + 31) / 32);
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

  Shown try_one(const Trial& trial, const Grants& grants) const {
    RunOptions options{.schedule = trial.choice,
                       .grants = grants,
                       .older_values = trial.is_random && options_.older_values,
                       .torn_vectors = trial.is_random && options_.torn_vectors && !grants.whole_vectors,
                       .resident_blocks = description_.resident_blocks,
                       .most_instructions = options_.most_instructions};
    const GpuOutcome outcome = run(concrete_.launch, options);
    return OutcomeReader(outcome, concrete_, description_).read();
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
      finding.counterexample->ways.push_back(fmt::format("when {}", choice_text(trials_[k].choice)));
      finding.summary = describe(*finding.counterexample).front();
    }
    if (finding.verdict == Verdict::pass && (!unknown.empty() || failed_)) {
      finding.verdict = Verdict::unknown;
      finding.summary = unknown.empty() ? "not judged further, since another property fails" : "not judged: " + unknown;
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
    return trials_[*failed_].is_random ? kernel_boundary_bit | whole_vectors_bit : 0;
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
      if (fails(try_one(trials_[*failure], grants))) continue;
      std::uint64_t instructions = 0;
      const auto shown = try_all(grants, instructions);
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
    grants.kernel_boundary = grants.kernel_boundary || (more & kernel_boundary_bit) != 0;
    grants.lockstep = grants.lockstep || (more & lockstep_bit) != 0;
    grants.weak_stores_seen = grants.weak_stores_seen || (more & weak_stores_seen_bit) != 0;
    grants.whole_vectors = grants.whole_vectors || (more & whole_vectors_bit) != 0;
    return grants;
  }

  /// Is none of these granted already?
  bool adds_only(unsigned more) const {
    return !((more & kernel_boundary_bit) != 0 && granted_.kernel_boundary) &&
           !((more & lockstep_bit) != 0 && granted_.lockstep) &&
           !((more & weak_stores_seen_bit) != 0 && granted_.weak_stores_seen) &&
           !((more & whole_vectors_bit) != 0 && granted_.whole_vectors);
  }

  /// "2 blocks of 64 threads; 3 calls", of rank 0 in the first call.
  std::string grids() const {
    std::vector<std::string> grids;
    for (const KernelRun& kernel : concrete_.launch.calls.front().ranks.front().kernels)
      grids.push_back(
          fmt::format("{} of {}", counted(kernel.grid.count(), "block"), counted(kernel.block.count(), "thread")));
    return fmt::format("{}; {}", fmt::join(grids, ", then "), counted(concrete_.launch.calls.size(), "call"));
  }

  std::string scope() const {
    std::string shape = fmt::format("p = {}", concrete_.launch.ranks);
    if (description_.has_sizes) shape += fmt::format(", n = {}", concrete_.size);
    return fmt::format("{}; {}; {}; grants: {}", shape, grids(), counted(tried_, "interleaving"), text(granted_));
  }

  void add_notes(const std::vector<Shown>& shown, GpuRun& run) const {
    if (shown.empty()) return;
    if (starved_warps_.size() < warps_)
      run.notes.push_back(fmt::format("{} of {} were starved", starved_warps_.size(), counted(warps_, "warp")));
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
  std::optional<std::size_t> failed_ = {};  // the schedule
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
  if (grants.kernel_boundary) names.emplace_back("kernel_boundary");
  if (grants.lockstep) names.emplace_back("lockstep");
  if (grants.weak_stores_seen) names.emplace_back("weak_stores_seen");
  if (grants.whole_vectors) names.emplace_back("whole_vectors");
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace onceover::gpu
