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
#include "base/sentences.h"
#include "base/stop.h"
#include "verifier/term_judgement.h"

namespace onceover::programs {

namespace {

Rank leaves_of(const Program& program) {
  Rank leaves = 0;
  for (const Buffers& sizes : program.buffers) leaves += sizes.input;
  return leaves;
}

}  // namespace

ProgramExecution::ProgramExecution(const Program& program, const Memory& memory)
    : program_(program),
      memory_(memory),
      terms_(leaves_of(program)),
      values_(memory.cells(), Term::nothing),
      writers_(memory.cells(), -1),
      messages_(program.operations.size()) {
  Rank leaves = 0;
  for (Rank r = 0; r < program.ranks; ++r) {
    const std::int32_t inputs = program.buffers[static_cast<std::size_t>(r)].input;
    first_leaf_.push_back(leaves);
    leaves += inputs;
    if (inputs == 0 || !promise_row(program.collective).gives(r, program.root)) continue;
    const Cell first = *memory.cell(r, {Buffer::input, 0, inputs});
    for (std::int32_t k = 0; k < inputs; ++k) values_[first + static_cast<Cell>(k)] = leaf(r, k);
  }
  for (const InitialCopy& copy : program.initial_copies)
    values_[*memory.cell(copy.rank, copy.target)] = values_[*memory.cell(copy.rank, copy.source)];
}

Rank ProgramExecution::rank_of(Term leaf) const {
  const auto after = std::upper_bound(first_leaf_.begin(), first_leaf_.end(), terms_.rank_of(leaf));
  return static_cast<Rank>(after - first_leaf_.begin()) - 1;
}

std::optional<Unset> ProgramExecution::run(const std::vector<Event>& order, const Matching& matching) {
  for (const Event event : order) {
    stop_point();
    const OperationId id = operation_of(event);
    if (event != middle_of(id)) continue;
    if (const auto unset = execute(id, matching)) return unset;
  }
  return std::nullopt;
}

std::optional<Unset> ProgramExecution::execute(OperationId id, const Matching& matching) {
  const auto k = static_cast<std::size_t>(id);
  const Operation& operation = program_.operations[k];
  if (operation.instruction == Instruction::wait) return std::nullopt;
  std::vector<Term> values;
  if (receives(operation.instruction))
    values = std::move(messages_[static_cast<std::size_t>(matching.sender_of[k])]);
  else if (const auto unset = read(id, values))
    return unset;
  if (combines(operation.instruction)) {
    std::vector<Term> other;
    if (operation.instruction == Instruction::reduce) {
      if (const auto unset = read(id, other)) return unset;
      const Cell target = *memory_.cell(operation.rank, operation.target);
      for (std::size_t c = 0; c < values.size(); ++c) {
        values[c] = values_[target + c];
        if (values[c] == Term::nothing) return Unset{id, static_cast<Cell>(target + c)};
      }
    } else if (const auto unset = read(id, other)) {
      return unset;
    }
    combine(id, values, other);
  }
  if (stores(operation.instruction)) store(id, values);
  if (sends(operation.instruction)) messages_[k] = std::move(values);
  return std::nullopt;
}

std::optional<Unset> ProgramExecution::read(OperationId id, std::vector<Term>& out) const {
  const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
  const Cell first = *memory_.cell(operation.rank, operation.source);
  const auto count = static_cast<Cell>(operation.source.count);
  out.assign(values_.begin() + first, values_.begin() + first + count);
  for (Cell c = 0; c < count; ++c)
    if (out[c] == Term::nothing) return Unset{id, first + c};
  return std::nullopt;
}

void ProgramExecution::combine(OperationId id, std::vector<Term>& into, const std::vector<Term>& other) {
  for (std::size_t c = 0; c < into.size(); ++c) {
    into[c] = terms_.sum(into[c], other[c]);
    if (terms_.id_end() - static_cast<std::uint32_t>(terms_.ranks()) - 1 > makers_.size()) makers_.push_back(id);
  }
}

void ProgramExecution::store(OperationId id, const std::vector<Term>& values) {
  const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
  const Cell first = *memory_.cell(operation.rank, operation.target);
  std::copy(values.begin(), values.end(), values_.begin() + first);
  std::fill_n(writers_.begin() + first, values.size(), id);
}

namespace {

/// The cost of a part of a value, in block transfers of the budget.
constexpr std::uint64_t walk_cost = 64;

}  // namespace

Counterexample::Site site_of(const Program& program, OperationId id) {
  const Operation& operation = at(program, id);
  return {operation.rank, operation.thread, operation.number, operation.line, program.threads_are_ordered};
}

std::string place_text(const Program& program, OperationId id) {
  return text(site_of(program, id));
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
  Counterexample::Told told = what_is_wrong(outcome);
  told.facts.slot = memory_.text(outcome.rank, outcome.cell);
  tell_writer(outcome, told);
  return {.what = std::move(told),
          .rank = outcome.rank,
          .block = block_of(program_, outcome.rank, outcome.postcondition),
          .route = route_of(program_, outcome.rank, outcome.postcondition)};
}

/// "block 5", or "block 0 -> 1" for an alltoall.
std::string ProgramResult::block_text(const Outcome& outcome) const {
  const auto route = route_of(program_, outcome.rank, outcome.postcondition);
  return "block " +
         (route ? verifier::text(*route) : std::to_string(block_of(program_, outcome.rank, outcome.postcondition)));
}

/// The contributor's part of the block. A block of an alltoall is the data of one rank.
std::string ProgramResult::contribution_text(const Outcome& outcome, Rank contributor) const {
  const std::string block = block_text(outcome);
  const bool is_routed = route_of(program_, outcome.rank, outcome.postcondition).has_value();
  return is_routed ? block : fmt::format("rank {}'s contribution to {}", contributor, block);
}

/// Reports first what counts twice, then what doesn't belong there, then what is missing.
Counterexample::Told ProgramResult::what_is_wrong(const Outcome& outcome) const {
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
  return counts.empty() ? missing(outcome, lost) : wrong_source(outcome, counts.begin()->first);
}

Counterexample::Told ProgramResult::missing(const Outcome& outcome, const std::vector<Rank>& lost) const {
  Counterexample::Told told{
      {Counterexample::Missing::kind, Counterexample::Missing::noun},
      {fmt::format("rank {} ends without {}, in {}", outcome.rank, contribution_text(outcome, lost.front()),
                   memory_.text(outcome.rank, outcome.cell))},
      {.contributor = lost.front(), .times = 0}};
  if (lost.size() > 1) told.lines.push_back("and without those of " + counted(lost.size() - 1, "other rank"));
  return told;
}

Counterexample::Told ProgramResult::wrong_source(const Outcome& outcome, Term leaf) const {
  const Rank rank = execution_.rank_of(leaf);
  return {wrong_chunk_fault,
          {fmt::format("rank {} ends with chunk {} of rank {}'s input in {}, where only {} belongs", outcome.rank,
                       execution_.chunk_of(leaf), rank, memory_.text(outcome.rank, outcome.cell), block_text(outcome))},
          {.contributor = rank, .times = 0}};
}

Counterexample::Told ProgramResult::duplicate(const Outcome& outcome, Term leaf, std::uint64_t times) const {
  const TermTable& terms = execution_.terms();
  const Term sum = first_doubling(terms, outcome.value, leaf);
  const OperationId maker = execution_.maker(sum);
  const Rank rank = execution_.rank_of(leaf);
  return {{Counterexample::Duplicate::kind, Counterexample::Duplicate::noun},
          {fmt::format("rank {} ends with {} {}, in {}", outcome.rank, contribution_text(outcome, rank),
                       verifier::times_text(times), memory_.text(outcome.rank, outcome.cell)),
           fmt::format("{} adds up {} and {}, and both contain it", place_text(program_, maker),
                       text(terms.first(sum), outcome.input()), text(terms.second(sum), outcome.input()))},
          {.contributor = rank, .times = times, .sites = {site_of(program_, maker)}}};
}

std::optional<Counterexample::Site> ProgramResult::writer_of(const Outcome& outcome) const {
  const OperationId writer = execution_.writer(outcome.cell);
  if (writer < 0) return std::nullopt;
  return site_of(program_, writer);
}

/// Adds what wrote the value last; if nothing did, the rank's first operation that stores anything.
void ProgramResult::tell_writer(const Outcome& outcome, Counterexample::Told& told) const {
  const std::string value = text(outcome.value, outcome.input());
  if (const auto writer = writer_of(outcome)) {
    told.lines.push_back(fmt::format("it was written last by {}: {}", programs::text(*writer), value));
    told.facts.sites.push_back(*writer);
    return;
  }
  told.lines.push_back(fmt::format("no operation writes {}: it ends as it began, with {}", told.facts.slot, value));
  const auto& operations = program_.operations;
  const auto first = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& o) { return o.rank == outcome.rank && stores(o.instruction); });
  if (first == operations.end()) return;
  const auto site = site_of(program_, static_cast<OperationId>(first - operations.begin()));
  told.lines.push_back("the first operation of the rank that stores anything is " + programs::text(site));
  told.facts.sites.push_back(site);
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
  Counterexample::Told told{{Counterexample::Different::kind, Counterexample::Different::noun},
                            {fmt::format("the ranks end with {} different sums of {}", distinct, block_text(a))},
                            {.other_rank = b.rank, .times = distinct, .slot = memory_.text(a.rank, a.cell)}};
  for (const Outcome* each : {&a, &b}) {
    told.facts.shown.push_back(text(each->value, a.input()));
    const auto writer = writer_of(*each);
    told.lines.push_back(fmt::format("rank {}: {}{}", each->rank, told.facts.shown.back(),
                                     writer ? "; written last by " + programs::text(*writer) : ""));
    if (writer) told.facts.sites.push_back(*writer);
  }
  return {.what = std::move(told), .rank = a.rank, .block = block_of(program_, a.rank, a.postcondition)};
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
  const Block block = execution_.chunk_of(leaf);
  const std::string first = verifier::text(gap.a), second = verifier::text(gap.b);
  return {.what = Counterexample::Told{{Counterexample::Gap::kind, Counterexample::Gap::noun},
                                       {fmt::format("block {}: {} joins {} with {}, which aren't neighbours", block,
                                                    programs::text(site), first, second)},
                                       {.shown = {first, second}, .sites = {site}}},
          .rank = site.rank,
          .block = block};
}

}  // namespace onceover::programs
