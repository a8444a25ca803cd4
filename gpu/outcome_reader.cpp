// From an outcome of the engine to what it shows.
//
// A finding violates one property, by its kind (`finding_kinds` below). What outputs hold is judged beside: each
// element's value is read as a sum of contributions (held_values.h) and compared with what the promise owes there.
// Results have many elements and few different sums, so an answer about a sum is remembered.
//
// Example: two ranks, element 3 of rank 1 holds in@0[3] + in@0[3] after call 2. The promise owes in@0[3] + in@1[3]:
// exactly-once fails, "rank 0's contribution counts twice".

#include "gpu/outcome_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/sentences.h"
#include "gpu/held_values.h"
#include "gpu/launch/expectation.h"
#include "verifier/element_fault.h"
#include "verifier/property.h"
#include "verifier/term_judgement.h"

namespace onceover::gpu {

namespace {

using verifier::Counterexample;
using verifier::FaultyElement;
using verifier::OddContribution;
using verifier::Property;
using verifier::Term;

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
  ToldFinding told{
      .finding = finding, .property = {}, .headline = headline_of(finding), .places = {}, .lines = {}, .sources = {}};
  if (const Property* property = violated_by(finding.kind)) told.property = property->id;
  std::vector<const AccessSite*> sites{&finding.first};
  if (finding.second) sites.push_back(&*finding.second);
  for (const AccessSite* site : sites) {
    const std::string place = place_of(module, *site);
    told.places.push_back(place);
    told.sources.push_back(source_line(module, *site));
    told.lines.push_back(fmt::format("{}: {}{}", who(*site), site->action, place.empty() ? "" : " at " + place));
  }
  if (finding.times > 1) told.lines.push_back(fmt::format("{} times between these two places", finding.times));
  return told;
}

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
    for (const auto& [key, column] : columns_) compare_ranks(column);
    shown_.instructions = outcome_.instructions;
    shown_.data_branches = outcome_.data_branches;
    shown_.notes = outcome_.notes;
    shown_.ran = outcome_.ran;
    if (outcome_.is_finished) check_complete();
    shown_.harmless += outcome_.harmless_left_out;
    if (!outcome_.approximation.empty() && !shown_.violated.empty()) {
      has_no_verdict(outcome_.approximation);
      shown_.violated.clear();
    }
    if (outcome_.findings_left_out > 0) has_no_verdict("there were more findings than are kept");
    if (!outcome_.is_finished && !outcome_.is_redundant) has_no_verdict("the calls didn't end");
    return std::move(shown_);
  }

 private:
  const ptx::Module& module() const { return *concrete_.launch.module; }

  /// The first reason is the one that is reported. A required property that fails is a verdict all the same.
  void has_no_verdict(std::string why) {
    if (shown_.unknown.empty()) shown_.unknown = std::move(why);
  }

  void take_findings() {
    for (const GpuFinding& finding : outcome_.findings) {
      if (finding.is_harmless()) {
        ++shown_.harmless;
        continue;
      }
      ToldFinding told = gpu::told(finding, module());
      if (told.property.empty())
        has_no_verdict(fmt::format("{}{}", told.headline,
                                   told.places.empty() || told.places[0].empty() ? "" : ", at " + told.places[0]));
      if (!told.property.empty()) violate(told);
      shown_.findings.push_back(std::move(told));
    }
  }

  void violate(const ToldFinding& told) {
    Violations& tally = shown_.violated[told.property];
    tally.violations += told.finding.times;
    if (tally.first) return;
    Counterexample::Told fault{run_fault, {told.headline}};
    fault.lines.insert(fault.lines.end(), told.lines.begin(), told.lines.end());
    const GpuFinding& finding = told.finding;
    FaultyAccesses accesses{{finding.memory, finding.offset}, {finding.first}, finding.first.call};
    if (finding.second) accesses.sites.push_back(*finding.second);
    fault.own = std::move(accesses);
    tally.first = Counterexample{.what = std::move(fault), .rank = told.finding.first.rank};
  }

  /// Counts an element that violates the property; `tell` makes the counterexample of the first.
  template <class Tell>
  void violate(const Property& property, const HeldBuffer& held, std::size_t k, Tell tell) {
    Violations& tally = shown_.violated[property.id];
    if (tally.violations++ > 0) return;
    const BufferPlace& place = concrete_.places[held.buffer];
    const std::string value = k < held.elements.size() ? values_.text(held.elements[k], held.call) : "nothing";
    tally.first = tell(FaultyElement{place.rank, k, static_cast<std::uint32_t>(k), value});
    tally.first->ways = {fmt::format("in call {}, in '{}'", held.call, description_.buffers[place.text].name)};
    const DeviceBuffer& buffer = concrete_.launch.buffers[held.buffer];
    if (auto* told = std::get_if<Counterexample::Told>(&tally.first->what))
      told->own = FaultyAccesses{
          {fmt::format("{} of rank {}", buffer.name, buffer.rank), k * size_of(buffer.type)}, {}, held.call};
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
  void compare_ranks(const std::vector<Column>& column) {
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
    if (held_ != wanted) has_no_verdict(fmt::format("{} of {} were read", held_, counted(wanted, "buffer")));
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

}  // namespace

Shown shown_by(const GpuOutcome& outcome, const ConcreteLaunch& concrete, const Description& description) {
  return OutcomeReader(outcome, concrete, description).read();
}

}  // namespace onceover::gpu
