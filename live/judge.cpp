// Results have many elements and few different values. So an answer about a value is remembered, under its number and
// the number of ranks that are due: of a million equal sums, one is examined.
//
// Each property is one pass over the elements of all ranks and calls. The pass counts the violations and describes the
// first. Example: after an allreduce of two ranks, element 0 of rank 1 is (0+0). That fails exactly-once: "rank 0's
// contribution counts twice", and expected is "the sum of element 0 of ranks 0..1".
//
// An operator that doesn't commute needs the sides as they are, so the words of a value are read. Otherwise sides may
// be swapped, and it suffices that sums join neighbours.
//
// Time: O(elements log values), O(p) for each different value, and for its order O(terms in the table) unless its words
// are read. The columns of an allreduce take O(p log p) each.

#include "live/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "verifier/element_fault.h"
#include "verifier/term_judgement.h"

namespace onceover::live {

namespace {

constexpr std::string_view wrong_elements = "elements are wrong";

/// Does a term, read from left to right, name the ranks 0 .. end-1 in order?
bool is_in_order(const Values::Value& value, Rank end) {
  Rank next = 0;
  for (const std::uint16_t word : value.words)
    if (word != ElementFormat::joined && word != next++) return false;
  return next == end;
}

/// The place of an element: its rank, and its index in the result.
struct Place {
  Rank rank;
  std::size_t index;
};

class Judge {
 public:
  Judge(const LiveCall& call, const Values& values, std::span<const CallOutcome> repeats)
      : call_(call), values_(values), repeats_(repeats), leaves_(call.ranks) {
    for (Rank r = 0; r < call.ranks; ++r) dues_.push_back(due(call, r));
    each_cell([&](const CallOutcome&, Place, const Cell& cell, const Due&) { unjudged_ += is_unjudged(cell) ? 1 : 0; });
  }

  Finding exactly_once() {
    Finding finding{Verdict::pass, fmt::format("all {} elements are right", elements())};
    each_cell([&](const CallOutcome& outcome, Place place, const Cell& cell, const Due& due) {
      if (is_unjudged(cell) || is_due(cell, due) || finding.violations++ > 0) return;
      finding.counterexample =
          wrong(place, cell, due, due_text(call_, due) + (is_gap(due) ? "" : whole_text(outcome, place)));
    });
    return failed_if_violated(std::move(finding), wrong_elements);
  }

  Finding order_preserving() {
    const bool exact = !call_.commutative;
    Finding finding{Verdict::pass,
                    exact ? "all results are in the order of the ranks"
                          : "all sums join neighbouring runs of ranks, so their sides can be chosen in order"};
    each_cell([&](const CallOutcome&, Place place, const Cell& cell, const Due& due) {
      if (is_unjudged(cell) || keeps_order(cell, due.end, exact)) return;
      if (finding.violations++ == 0) finding.counterexample = out_of_order(place, cell, due, exact);
    });
    return failed_if_violated(std::move(finding), exact ? "results are not in the order of the ranks"
                                                        : "results have sums of ranks that aren't neighbours");
  }

  Finding bitwise_reproducible() {
    Finding finding{Verdict::pass, "all ranks hold the same sums"};
    for (const CallOutcome& outcome : repeats_)
      for (std::size_t k = 0; k < dues_[0].size(); ++k) judge_column(outcome, k, finding);
    return failed_if_violated(std::move(finding), "elements are different sums on different ranks");
  }

  Finding deterministic() {
    if (repeats_.size() < 2) return {Verdict::unknown, "not judged: called once; see --repeat"};
    Finding finding{Verdict::pass, fmt::format("the same sums in all {} calls", repeats_.size())};
    each_cell([&](const CallOutcome& outcome, Place place, const Cell& cell, const Due& due) {
      const Cell& before = cell_of(repeats_[0], place);
      if (is_unjudged(before) || is_unjudged(cell) || same_sum(before, cell)) return;
      if (finding.violations++ == 0)
        finding.counterexample =
            changed_element(element(place, cell, due), values_.text(before.value), call_number(outcome));
    });
    return failed_if_violated(std::move(finding), "elements are another sum than in the first call");
  }

 private:
  template <class Visit>
  void each_cell(Visit&& visit) {
    for (const CallOutcome& outcome : repeats_)
      for (Rank r = 0; r < call_.ranks; ++r)
        for (std::size_t k = 0; k < dues_[static_cast<std::size_t>(r)].size(); ++k)
          visit(outcome, Place{r, k}, cell_of(outcome, {r, k}), dues_[static_cast<std::size_t>(r)][k]);
  }

  static const Cell& cell_of(const CallOutcome& outcome, Place place) {
    return outcome.cells[static_cast<std::size_t>(place.rank)][place.index];
  }

  std::size_t call_number(const CallOutcome& outcome) const {
    return static_cast<std::size_t>(&outcome - repeats_.data()) + 1;
  }

  std::size_t elements() const {
    std::size_t sum = 0;
    for (const auto& list : dues_) sum += list.size();
    return sum * repeats_.size();
  }

  Finding failed_if_violated(Finding finding, std::string_view what) const {
    if (finding.violations == 0) return unjudged_ == 0 ? std::move(finding) : not_judged();
    finding.verdict = Verdict::fail;
    finding.summary = finding.violations == 1 && what == wrong_elements
                          ? "1 element is wrong"
                          : fmt::format("{} {}", finding.violations, what);
    return finding;
  }

  /// Of results that hold no wrong element, and some that nobody can judge.
  Finding not_judged() const {
    return {Verdict::unknown, fmt::format("not judged: the simulator lost {} elements", unjudged_)};
  }

  bool is_unjudged(const Cell& cell) const { return values_[cell.value].content == Content::unjudged; }

  bool is_due(const Cell& cell, const Due& due) {
    const Values::Value& value = values_[cell.value];
    if (value.content != Content::term || cell.position != due.position) return false;
    if (due.end - due.first == 1) return value.term == values_.terms().leaf(due.first);
    const auto [at, is_new] = once_.try_emplace({cell.value, due.end}, false);
    if (is_new) at->second = leaves_.has_each_once(values_.terms(), value.term, due.end);
    return at->second;
  }

  /// "; rank 0 ends with the whole result of rank 1": what is in the place of the element and those around it, if that
  /// is whole, too. Then nothing is lost, but permuted.
  std::string whole_text(const CallOutcome& outcome, Place place) {
    const auto& own = dues_[static_cast<std::size_t>(place.rank)];
    const auto all = elements_of(own, std::nullopt);
    for (Rank other = 0; other < call_.ranks; ++other)
      if (const auto& theirs = dues_[static_cast<std::size_t>(other)];
          other != place.rank && are_due(outcome, place.rank, all, theirs, elements_of(theirs, std::nullopt)))
        return fmt::format("; rank {} ends with the whole result of rank {}", place.rank, other);
    const Rank source = own[place.index].first;
    const auto part = elements_of(own, source);
    for (Rank other = 0; other < call_.ranks && !call_.collective->reduces(); ++other)
      if (other != source && are_due(outcome, place.rank, part, own, elements_of(own, other)))
        return fmt::format("; all that rank {} gives is in the place of what rank {} gives", other, source);
    return "";
  }

  /// The indices of the elements that are due from a rank, or of all; without the gaps between parts.
  static std::vector<std::size_t> elements_of(const std::vector<Due>& dues, std::optional<Rank> source) {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < dues.size(); ++k)
      if (!is_gap(dues[k]) && (!source || (dues[k].first == *source && dues[k].end == *source + 1))) found.push_back(k);
    return found;
  }

  /// Does the rank end, in these elements, with what is due in those?
  bool are_due(const CallOutcome& outcome, Rank rank, const std::vector<std::size_t>& these,
               const std::vector<Due>& dues, const std::vector<std::size_t>& those) {
    if (these.empty() || these.size() != those.size()) return false;
    for (std::size_t k = 0; k < these.size(); ++k)
      if (!is_due(cell_of(outcome, {rank, these[k]}), dues[those[k]])) return false;
    return true;
  }

  bool keeps_order(const Cell& cell, Rank end, bool exact) {
    const Values::Value& value = values_[cell.value];
    if (value.content != Content::term) return false;
    const auto [at, is_new] = ordered_.try_emplace({cell.value, end}, false);
    if (is_new) at->second = exact ? is_in_order(value, end) : has_no_gap(value.term);
    return at->second;
  }

  bool has_no_gap(Term term) {
    order_.walk(values_.terms(), std::span(&term, 1));
    return order_.gaps().empty();
  }

  bool same_sum(const Cell& a, const Cell& b) const {
    return a.value == b.value ||
           (values_[a.value].content == Content::term && values_[b.value].content == Content::term &&
            values_[a.value].term == values_[b.value].term);
  }

  void judge_column(const CallOutcome& outcome, std::size_t k, Finding& finding) {
    column_.clear();
    for (Rank r = 0; r < call_.ranks; ++r)
      if (is_unjudged(cell_of(outcome, {r, k}))) return;
    for (Rank r = 0; r < call_.ranks; ++r) column_.push_back(values_[cell_of(outcome, {r, k}).value].term);
    const auto found = disagreement(column_);
    if (!found || finding.violations++ > 0) return;
    const auto other = static_cast<Rank>(found->different);
    const Cell &a = cell_of(outcome, {0, k}), &b = cell_of(outcome, {other, k});
    finding.counterexample = differing_element(k, found->distinct, other, values_.text(a.value), values_.text(b.value));
  }

  FaultyElement element(Place place, const Cell& cell, const Due& due) const {
    return {place.rank, place.index, due.position, values_.text(cell.value)};
  }

  /// `expected`: what is due, in words.
  Counterexample wrong(Place place, const Cell& cell, const Due& due, const std::string& expected) const {
    const Values::Value& value = values_[cell.value];
    const bool has_data = value.content == Content::term || value.content == Content::counts;
    FaultyElement holds = element(place, cell, due);
    if (has_data && cell.position == due.position)
      return wrong_element(std::move(holds), odd_contribution(value.counts, due), expected);
    if (has_data) holds.position = cell.position;
    const bool is_empty = value.content == Content::nothing;
    return wrong_element(std::move(holds), is_empty ? OddContribution::is_missing() : OddContribution::is_not_due(),
                         expected);
  }

  /// A contribution that occurs too often or isn't due; if there is none, one that is missing.
  static OddContribution odd_contribution(const std::vector<std::uint32_t>& counts, const Due& due) {
    std::optional<Rank> missing;
    for (Rank r = 0; r < static_cast<Rank>(counts.size()); ++r) {
      const bool is_asked = r >= due.first && r < due.end;
      const std::uint32_t times = counts[static_cast<std::size_t>(r)];
      if (times > 1) return OddContribution::counts_often(r, times);
      if (times == 1 && !is_asked) return OddContribution::is_not_due(r, times);
      if (times == 0 && is_asked && !missing) missing = r;
    }
    return OddContribution::is_missing(missing.value_or(due.first));
  }

  Counterexample out_of_order(Place place, const Cell& cell, const Due& due, bool exact) {
    const Values::Value& value = values_[cell.value];
    if (value.content != Content::term)
      return unordered_element(element(place, cell, due), "it can't be read as a sum, so it has no order");
    if (exact || has_no_gap(value.term))
      return unordered_element(
          element(place, cell, due),
          fmt::format("the operator doesn't commute, so ranks 0..{} must be added in this order", due.end - 1));
    const OrderWalk::Gap& gap = order_.gaps().front();
    const std::string a = text(gap.a), b = text(gap.b);
    return unordered_element(element(place, cell, due),
                             fmt::format("a sum joins {} with {}, which aren't neighbours", a, b), {a, b});
  }

  const LiveCall& call_;
  const Values& values_;
  std::span<const CallOutcome> repeats_;
  std::vector<std::vector<Due>> dues_;  // by rank
  std::size_t unjudged_ = 0;            // elements that nobody can judge
  LeafWalk leaves_;
  OrderWalk order_;
  std::vector<Term> column_;
  std::map<std::pair<std::size_t, Rank>, bool> once_;     // by value, and how many ranks are due
  std::map<std::pair<std::size_t, Rank>, bool> ordered_;  // by value, and how many ranks are due
};

}  // namespace

std::string due_text(const LiveCall& call, const Due& due) {
  if (is_gap(due)) return "what it held before the call, since it lies between the parts";
  if (!call.collective->reduces() || due.end - due.first == 1)
    return fmt::format("element {} of rank {}", due.position, due.first);
  return fmt::format("the sum of element {} of ranks {}..{}", due.position, due.first, due.end - 1);
}

bool is_judged(const LiveCall& call, const Property& property) {
  if (property.id == exactly_once_property.id) return true;
  if (property.id == bitwise_reproducible_property.id) return call.collective->kind == CallKind::allreduce;
  return call.collective->reduces();
}

bool is_required_by_default(const LiveCall& call, const Property& property) {
  if (property.id == order_preserving_property.id) return call.collective->reduces() && !call.commutative;
  return property.id != deterministic_property.id && property.subjects != Subjects::messages &&
         is_judged(call, property);
}

LiveReport judge(const LiveCall& call, const Values& values, std::span<const CallOutcome> repeats,
                 std::span<const std::string> required, std::span<const std::string> waived) {
  LiveReport report{.verdict = Verdict::pass, .properties = {}};
  Judge judge(call, values, repeats);
  auto add = [&](const Property& property, Finding (Judge::*finding)()) {
    if (!is_judged(call, property)) return;
    const bool is_waived = asks_for(waived, property);
    const bool is_default = is_required_by_default(call, property);
    report.properties.push_back({(judge.*finding)(), property.id,
                                 (is_default && !is_waived) || asks_for(required, property), is_default && is_waived});
  };
  add(exactly_once_property, &Judge::exactly_once);
  add(order_preserving_property, &Judge::order_preserving);
  add(bitwise_reproducible_property, &Judge::bitwise_reproducible);
  add(deterministic_property, &Judge::deterministic);
  for (const CallOutcome& outcome : repeats)
    report.faults.insert(report.faults.end(), outcome.faults.begin(), outcome.faults.end());
  report.verdict = report.faults.empty() ? required_verdict(report.properties) : Verdict::fail;
  return report;
}

std::vector<std::vector<std::optional<std::size_t>>> columns(const LiveCall& call, const CallOutcome& outcome) {
  std::vector<std::vector<std::optional<std::size_t>>> columns;
  for (Rank r = 0; r < call.ranks; ++r) {
    const std::vector<Due> list = due(call, r);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (columns.size() <= list[k].position)
        columns.resize(list[k].position + 1,
                       std::vector<std::optional<std::size_t>>(static_cast<std::size_t>(call.ranks)));
      columns[list[k].position][static_cast<std::size_t>(r)] = outcome.cells[static_cast<std::size_t>(r)][k].value;
    }
  }
  return columns;
}

}  // namespace onceover::live
