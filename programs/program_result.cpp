// Compares the value of each chunk of the outputs with what the collective promises there.
//
// A value is a term, and must satisfy what a schedule's terms must (see term_judgement.h). Only its leaves differ: each
// is a chunk of a rank's input, which is owed (see promise.h) or foreign.
//
// Example: s = x0+x1, t = s+x1. The leaf x1 is met a second time, so t is wrong. The counterexample names the operation
// that made t, both sides of which hold x1.
//
// It ends because going down a value takes at most 2p-1 parts, and equal values are judged once. A part costs 64 of the
// budget.

#include "programs/program_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rows.h"
#include "verifier/term_parts.h"

namespace onceover::programs {

namespace {

/// The cost of a part of a value, in block transfers of the budget.
constexpr std::uint64_t walk_cost = 64;

}  // namespace

Counterexample::Site site_of(const Program& program, OperationId id) {
  const Operation& operation = at(program, id);
  return {operation.rank, operation.thread, operation.number, operation.line, program.threads_are_ordered};
}

std::string place_text(const Program& program, OperationId id) {
  return verifier::text(site_of(program, id));
}

ProgramResult::ProgramResult(const Program& program, const Memory& memory, const ProgramExecution& execution,
                             std::uint64_t budget)
    : program_(program), memory_(memory), execution_(execution), budget_(budget), promise_(promise_of(program)) {
  for (Rank r = 0; r < program.ranks; ++r)
    for (const Postcondition& postcondition : postconditions(program, promise_, r)) {
      const Cell cell = *memory.cell(r, {Buffer::output, postcondition.output, 1});
      outcomes_.push_back({r, postcondition, cell, execution.value(cell)});
    }
}

std::uint32_t ProgramResult::term_depth() const {
  std::uint32_t depth = 0;
  for (const Outcome& outcome : outcomes_)
    if (outcome.value != Term::nothing) depth = std::max(depth, execution_.terms().depth(outcome.value));
  return depth;
}

bool ProgramResult::is_kept(const Outcome& outcome, LeafWalk& leaves) const {
  return leaves.holds(execution_.terms(), outcome.value, outcome.postcondition.owed, [&](Term leaf) {
    return Contribution{execution_.rank_of(leaf), execution_.chunk_of(leaf)};
  });
}

Finding ProgramResult::exactly_once() const {
  LeafWalk leaves(program_.ranks);
  std::map<std::tuple<Term, std::int64_t, const Rank*, std::size_t>, bool> known;
  const Outcome* first = nullptr;
  std::uint64_t wrong = 0, walked = 0;
  for (const Outcome& outcome : outcomes_) {
    const Owed& owed = outcome.postcondition.owed;
    const auto [at, is_new] =
        known.try_emplace({outcome.value, owed.element, owed.ranks.data(), owed.ranks.size()}, false);
    if (is_new) {
      at->second = is_kept(outcome, leaves);
      walked += walk_cost * (2 * owed.ranks.size() - 1);
    }
    if (walked > budget_ && wrong == 0)
      return {Verdict::unknown, "not judged: going through the results takes more than the budget; see --budget"};
    if (at->second) continue;
    if (first == nullptr) first = &outcome;
    ++wrong;
    if (walked > budget_) break;
  }
  if (first != nullptr)
    return {Verdict::fail, fmt::format("{} wrong results (rank, chunk)", wrong), explain(*first), wrong};
  return {Verdict::pass, postcondition_text(program_.collective, program_.root)};
}

std::string ProgramResult::text(Term value, std::int32_t chunk) const {
  return term_text(execution_.terms(), value, [&](Term leaf) {
    const std::int32_t of = execution_.chunk_of(leaf);
    const Rank rank = execution_.rank_of(leaf);
    return of == chunk ? fmt::format("x{}", rank) : fmt::format("x{}[{}]", rank, of);
  });
}

Counterexample ProgramResult::explain(const Outcome& outcome) const {
  return {.what = what_is_wrong(outcome),
          .rank = outcome.rank,
          .block = block_of(program_, outcome.rank, outcome.postcondition),
          .route = route_of(program_, outcome.rank, outcome.postcondition),
          .slot = memory_.text(outcome.rank, outcome.cell),
          .chunk = chunk(outcome)};
}

/// Reports first what counts twice, then what doesn't belong there, then what is missing.
Counterexample::What ProgramResult::what_is_wrong(const Outcome& outcome) const {
  auto counts = leaf_counts(execution_.terms(), outcome.value, Counterexample::many);
  std::vector<Rank> lost;
  for (const Rank r : outcome.postcondition.owed.ranks) {
    const Term leaf = execution_.leaf(r, outcome.input());
    const auto found = counts.find(leaf);
    if (found == counts.end()) {
      lost.push_back(r);
      continue;
    }
    if (found->second > 1) return duplicate(outcome, leaf, found->second);
    counts.erase(found);
  }
  if (counts.empty()) return Counterexample::Missing{.contributor = lost.front(), .others = lost.size() - 1};
  const Term foreign = counts.begin()->first;
  return Counterexample::WrongSource{execution_.rank_of(foreign), execution_.chunk_of(foreign)};
}

Counterexample::Duplicate ProgramResult::duplicate(const Outcome& outcome, Term leaf, std::uint64_t times) const {
  const TermTable& terms = execution_.terms();
  const Term sum = first_doubling(terms, outcome.value, leaf);
  const std::int32_t chunk = outcome.input();
  return {.contributor = execution_.rank_of(leaf),
          .times = times,
          .sum = {{site_of(program_, execution_.maker(sum)), text(terms.first(sum), chunk),
                   text(terms.second(sum), chunk)}}};
}

std::optional<Counterexample::Site> ProgramResult::writer_of(const Outcome& outcome) const {
  const OperationId writer = execution_.writer(outcome.cell);
  if (writer < 0) return std::nullopt;
  return site_of(program_, writer);
}

Counterexample::Chunk ProgramResult::chunk(const Outcome& outcome) const {
  Counterexample::Chunk chunk{.value = text(outcome.value, outcome.input()), .writer = writer_of(outcome)};
  const auto& operations = program_.operations;
  const auto first = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& o) { return o.rank == outcome.rank && stores(o.instruction); });
  if (first != operations.end())
    chunk.first_store = site_of(program_, static_cast<OperationId>(first - operations.begin()));
  return chunk;
}

Finding ProgramResult::bitwise_reproducible() const {
  std::map<std::int32_t, std::vector<const Outcome*>> sums;  // by chunk of the inputs
  for (const Outcome& outcome : outcomes_)
    if (promise_.row().sums) sums[outcome.input()].push_back(&outcome);
  std::uint64_t blocks = 0, most = 1;
  std::optional<Counterexample> example;
  std::vector<Term> values;
  for (const auto& [chunk, all] : sums) {
    values.clear();
    for (const Outcome* o : all) values.push_back(o->value);
    const auto found = disagreement(values);
    if (!found) continue;
    most = std::max(most, found->distinct);
    ++blocks;
    if (!example) example = difference(*all.front(), *all[found->different], found->distinct);
  }
  return same_sums(blocks, most, std::move(example));
}

Counterexample ProgramResult::difference(const Outcome& a, const Outcome& b, std::uint64_t distinct) const {
  const std::int32_t chunk = a.input();
  return {.what =
              Counterexample::Different{
                  distinct, b.rank, {text(a.value, chunk), text(b.value, chunk)}, {writer_of(a), writer_of(b)}},
          .rank = a.rank,
          .block = block_of(program_, a.rank, a.postcondition),
          .slot = memory_.text(a.rank, a.cell)};
}

Finding ProgramResult::order_preserving() const {
  const auto results = mapped(outcomes_, &Outcome::value);
  OrderWalk order;
  order.walk(execution_.terms(), results, [&](Term leaf) { return execution_.rank_of(leaf); });
  std::optional<Counterexample> first;
  if (!order.gaps().empty()) first = gap(order.gaps().front());
  return neighbouring_sums(order.sums(), order.gaps().size(), std::move(first));
}

Counterexample ProgramResult::gap(const OrderWalk::Gap& gap) const {
  const OperationId maker = execution_.maker(gap.sum);
  Term leaf = gap.sum;
  while (!execution_.terms().is_leaf(leaf)) leaf = execution_.terms().first(leaf);
  const Counterexample::Site site = site_of(program_, maker);
  return {.what = Counterexample::Gap{{verifier::text(gap.a), verifier::text(gap.b)}, {}, site},
          .rank = site.rank,
          .block = execution_.chunk_of(leaf)};
}

}  // namespace onceover::programs
