#include "verifier/element_fault.h"

#include <fmt/format.h>

#include <utility>

namespace onceover::verifier {

namespace {

constexpr FaultKind duplicate{Counterexample::Duplicate::kind, Counterexample::Duplicate::noun};
constexpr FaultKind missing{Counterexample::Missing::kind, Counterexample::Missing::noun};
constexpr FaultKind wrong_source{"wrong-source", "wrong results (rank, chunk)"};
constexpr FaultKind unordered{Counterexample::Gap::kind, Counterexample::Gap::noun};
constexpr FaultKind different{Counterexample::Different::kind, Counterexample::Different::noun};

std::string holds_text(const FaultyElement& e) {
  if (e.value.starts_with("garbled"))
    return fmt::format("element {} of rank {}'s result is {}", e.index, e.rank, e.value);
  return fmt::format("rank {} ends with {} in element {} of its result", e.rank, e.value, e.index);
}

Counterexample placed_at(const FaultyElement& element, Counterexample::Told told) {
  return {.what = std::move(told), .rank = element.rank, .block = static_cast<Block>(element.due_position)};
}

}  // namespace

OddContribution OddContribution::counts_often(Rank rank, std::uint64_t times) {
  return {duplicate, rank, times, "counts " + times_text(times)};
}

OddContribution OddContribution::is_missing(std::optional<Rank> rank) {
  return {missing, rank, 0, "is missing"};
}

OddContribution OddContribution::is_not_due(std::optional<Rank> rank, std::uint64_t times) {
  return {wrong_source, rank, times, "is not due"};
}

Counterexample wrong_element(FaultyElement element, const OddContribution& odd, const std::string& due) {
  std::string holds = holds_text(element);
  if (element.position) holds += fmt::format(", of element {}", *element.position);
  if (odd.rank) holds += fmt::format(": rank {}'s contribution {}", *odd.rank, odd.does);
  Counterexample::Told told{odd.kind, {std::move(holds), "expected " + due}, {.contributor = odd.rank}};
  if (odd.rank) told.facts.times = odd.times;
  told.own = element;
  return placed_at(element, std::move(told));
}

Counterexample unordered_element(FaultyElement element, std::string why, std::vector<std::string> shown) {
  return placed_at(element, {unordered, {holds_text(element), std::move(why)}, {.shown = std::move(shown)}});
}

Counterexample changed_element(const FaultyElement& e, const std::string& before, std::size_t call) {
  return placed_at(e, {different,
                       {fmt::format("rank {}, element {} of its result, changes from call to call", e.rank, e.index),
                        fmt::format("call 1: {}", before), fmt::format("call {}: {}", call, e.value)}});
}

Counterexample differing_element(std::size_t index, std::uint64_t sums, Rank other, std::string first,
                                 std::string second) {
  Counterexample::Told told{different,
                            {fmt::format("element {}: {} different sums over the ranks", index, sums),
                             fmt::format("rank 0: {}", first), fmt::format("rank {}: {}", other, second)},
                            {.other_rank = other, .times = sums}};
  told.facts.shown = {std::move(first), std::move(second)};
  return {.what = std::move(told), .block = static_cast<Block>(index)};
}

const FaultyElement* faulty_element(const Counterexample& counterexample) {
  const auto* told = std::get_if<Counterexample::Told>(&counterexample.what);
  return told == nullptr ? nullptr : std::any_cast<FaultyElement>(&told->own);
}

}  // namespace onceover::verifier
