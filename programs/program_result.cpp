// Compares the value of each chunk of the outputs with what the collective promises there.
//
// A value is a term whose parts may be shared, so written out it may be exponentially long: 40 times t := t + t has
// 2^40 leaves, but 41 terms. How often each leaf counts is therefore passed down from sums to their parts, the largest
// number first. A sum has a larger number than its parts, so when a term's turn comes, all ways to it are known.
//
// Example: s = x0+x1, t = s+x1. One way leads from t to s, and one to x1. Then s passes its one way on to x0 and to x1,
// which now counts twice. The counterexample names the operation that made t, both sides of which hold x1.
//
// It ends because the numbers only fall: O(n log n) for the n different terms in a value. Each costs 64 of the budget.

#include "programs/program_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "verifier/term_parts.h"

namespace onceover::programs {

namespace {

/// Ranks first..last, or none: `is_run` is false where a value is no run of them.
struct RankRun {
  Rank first = 0;
  Rank last = -1;

  bool is_run() const { return first <= last; }
};

std::string text(RankRun run) {
  return run.first == run.last ? fmt::format("rank {}", run.first) : fmt::format("ranks {}..{}", run.first, run.last);
}

/// What a part of a value costs, in block transfers of a schedule's budget.
constexpr std::uint64_t walk_cost = 64;

std::string times_text(std::uint64_t times) {
  return times == 2                      ? "twice"
         : times >= Counterexample::many ? fmt::format("at least {} times", times)
                                         : fmt::format("{} times", times);
}

}  // namespace

std::string place_text(const Program& program, OperationId id) {
  const Operation& operation = program.operations[static_cast<std::size_t>(id)];
  const std::string line = operation.line == 0 ? "" : fmt::format(" (line {})", operation.line);
  // Requests have no threads that their author would know.
  if (!program.threads_are_ordered) return fmt::format("rank {}, line {}", operation.rank, operation.line);
  return fmt::format("rank {}, thread block {}, step {}{}", operation.rank, operation.thread, operation.number, line);
}

Counterexample::Site site_of(const Program& program, OperationId id) {
  const Operation& operation = program.operations[static_cast<std::size_t>(id)];
  return {operation.rank, operation.thread, operation.number, operation.line};
}

ProgramResult::ProgramResult(const Program& program, const Memory& memory, const ProgramExecution& execution,
                             std::uint64_t budget)
    : program_(program), memory_(memory), execution_(execution), budget_(budget) {
  for (Rank r = 0; r < program.ranks; ++r)
    for (const Postcondition& postcondition : postconditions(program, r)) {
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

/// Counts the ways from a value down to its leaves: numbers grow upward, so the largest known one is complete.
std::vector<ProgramResult::Share> ProgramResult::shares(Term value) const {
  const TermTable& terms = execution_.terms();
  std::vector<Share> shares;
  if (value == Term::nothing) return shares;
  std::map<Term, std::uint64_t> open{{value, 1}};
  while (!open.empty()) {
    const auto [term, times] = *open.rbegin();
    open.erase(std::prev(open.end()));
    walked_ += walk_cost;
    if (terms.is_leaf(term)) {
      shares.push_back({term, times});
      continue;
    }
    for (const Term part : {terms.first(term), terms.second(term)}) {
      std::uint64_t& sum = open[part];
      sum = std::min(sum + times, Counterexample::many);
    }
  }
  std::reverse(shares.begin(), shares.end());
  return shares;
}

bool ProgramResult::is_kept(const Outcome& outcome, const std::vector<Share>& shares) const {
  const Postcondition& postcondition = outcome.postcondition;
  if (postcondition.contributor)
    return shares.size() == 1 && shares[0].times == 1 &&
           shares[0].leaf == execution_.leaf(*postcondition.contributor, postcondition.input);
  if (shares.size() != static_cast<std::size_t>(program_.ranks)) return false;
  for (Rank r = 0; r < program_.ranks; ++r)
    if (shares[static_cast<std::size_t>(r)].times != 1 ||
        shares[static_cast<std::size_t>(r)].leaf != execution_.leaf(r, postcondition.input))
      return false;
  return true;
}

Finding ProgramResult::exactly_once() const {
  std::map<std::tuple<Term, std::int32_t, Rank>, bool> known;
  const Outcome* first = nullptr;
  std::uint64_t wrong = 0;
  for (const Outcome& outcome : outcomes_) {
    const Rank who = outcome.postcondition.contributor.value_or(-1);
    const auto [at, is_new] = known.try_emplace({outcome.value, outcome.postcondition.input, who}, false);
    if (is_new) at->second = is_kept(outcome, shares(outcome.value));
    if (walked_ > budget_ && wrong == 0)
      return {Verdict::unknown, "not judged: going through the results takes more than the budget; see --budget"};
    if (at->second) continue;
    if (first == nullptr) first = &outcome;
    ++wrong;
    if (walked_ > budget_) break;
  }
  if (first != nullptr) return broken(*first, wrong);
  return {Verdict::pass, sentence()};
}

Finding ProgramResult::broken(const Outcome& outcome, std::uint64_t wrong) const {
  return {Verdict::fail, fmt::format("{} wrong results (rank, chunk)", wrong), explain(outcome), wrong};
}

std::string ProgramResult::sentence() const {
  auto who = [&](Holders holders) -> std::string {
    return holders == Holders::everyone ? "every rank"
           : holders == Holders::root   ? fmt::format("rank {}", program_.root)
           : holders == Holders::origin ? "its origin"
                                        : "its owner";
  };
  const Contract& c = contract(program_.collective);
  const std::string what =
      c.begins == Holders::everyone ? "each rank's contribution" : fmt::format("the contribution of {}", who(c.begins));
  return fmt::format("{} to every block reaches {} exactly once", what, who(c.ends));
}

std::string ProgramResult::text(Term value, std::int32_t chunk) const {
  return term_text(execution_.terms(), value, [&](Term leaf) {
    const std::int32_t of = execution_.chunk_of(leaf);
    const Rank rank = execution_.rank_of(leaf);
    return of == chunk ? fmt::format("x{}", rank) : fmt::format("x{}[{}]", rank, of);
  });
}

Counterexample ProgramResult::explain(const Outcome& outcome) const {
  const std::vector<Share> all = shares(outcome.value);
  const Block block = block_of(program_, outcome.rank, outcome.postcondition);
  Counterexample c{.kind = Counterexample::Kind::missing, .rank = outcome.rank, .block = block};
  c.slot = memory_.text(outcome.rank, outcome.cell);
  auto times = [&](Rank r) -> std::uint64_t {
    const Term leaf = execution_.leaf(r, outcome.postcondition.input);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Share& s) { return s.leaf == leaf; });
    return found == all.end() ? 0 : found->times;
  };
  std::vector<Rank> lost;
  std::optional<Rank> doubled;
  std::size_t expected = 0;
  for (Rank r = 0; r < program_.ranks; ++r) {
    if (outcome.postcondition.contributor && r != *outcome.postcondition.contributor) continue;
    const std::uint64_t n = times(r);
    if (n > 0) ++expected;
    if (n == 0) lost.push_back(r);
    if (n > 1 && !doubled) doubled = r;
  }
  const bool is_foreign = expected < all.size();
  if (doubled) {
    c.kind = Counterexample::Kind::duplicate;
    c.contributor = *doubled;
    c.times = times(*doubled);
    c.sentences = {fmt::format("rank {} ends with rank {}'s contribution to block {} {}, in {}", c.rank, *doubled,
                               block, times_text(c.times), c.slot)};
    tell_double(outcome, execution_.leaf(*doubled, outcome.postcondition.input), c);
  } else if (is_foreign) {
    c.kind = Counterexample::Kind::wrong_source;
    const auto foreign = std::find_if(all.begin(), all.end(), [&](const Share& s) {
      const Rank r = execution_.rank_of(s.leaf);
      return execution_.chunk_of(s.leaf) != outcome.postcondition.input ||
             (outcome.postcondition.contributor && r != *outcome.postcondition.contributor);
    });
    c.contributor = execution_.rank_of(foreign->leaf);
    c.sentences = {fmt::format("rank {} ends with chunk {} of rank {}'s input in {}, where only block {} belongs",
                               c.rank, execution_.chunk_of(foreign->leaf), *c.contributor, c.slot, block)};
  } else {
    c.contributor = lost.front();
    c.sentences = {fmt::format("rank {} ends without rank {}'s contribution to block {}, in {}", c.rank, lost.front(),
                               block, c.slot)};
    if (lost.size() > 1) c.sentences.push_back(fmt::format("nor those of {} other ranks", lost.size() - 1));
  }
  tell_origin(outcome, c);
  return c;
}

void ProgramResult::tell_origin(const Outcome& outcome, Counterexample& c) const {
  const std::string value = text(outcome.value, outcome.postcondition.input);
  const OperationId writer = execution_.writer(outcome.cell);
  if (writer < 0) {
    c.sentences.push_back(fmt::format("no operation writes {}: it ends as it began, with {}", c.slot, value));
    const auto& operations = program_.operations;
    const auto first = std::find_if(operations.begin(), operations.end(), [&](const Operation& o) {
      return o.rank == outcome.rank && stores(o.instruction);
    });
    if (first == operations.end()) return;
    const auto id = static_cast<OperationId>(first - operations.begin());
    c.sites.push_back(site_of(program_, id));
    c.sentences.push_back(
        fmt::format("the first operation of the rank that stores anything is {}", place_text(program_, id)));
    return;
  }
  c.sites.push_back(site_of(program_, writer));
  c.sentences.push_back(fmt::format("it was written last by {}: {}", place_text(program_, writer), value));
}

/// Goes down to the sum both sides of which hold the leaf.
void ProgramResult::tell_double(const Outcome& outcome, Term leaf, Counterexample& c) const {
  const TermTable& terms = execution_.terms();
  std::map<Term, std::uint64_t> holds;  // how often each part of the value has it; parts come before what has them
  for (const Term part : parts_of(terms, outcome.value)) {
    std::uint64_t& times = holds[part];
    if (terms.is_leaf(part))
      times = part == leaf ? 1 : 0;
    else
      times = std::min(holds[terms.first(part)] + holds[terms.second(part)], Counterexample::many);
  }
  Term term = outcome.value;
  while (holds[terms.first(term)] == 0 || holds[terms.second(term)] == 0)
    term = holds[terms.first(term)] > 0 ? terms.first(term) : terms.second(term);
  const OperationId maker = execution_.maker(term);
  c.sites.push_back(site_of(program_, maker));
  c.sentences.push_back(fmt::format("{} adds up {} and {}, which both have it", place_text(program_, maker),
                                    text(terms.first(term), outcome.postcondition.input),
                                    text(terms.second(term), outcome.postcondition.input)));
}

Finding ProgramResult::bitwise_reproducible() const {
  std::map<std::int32_t, std::vector<const Outcome*>> sums;  // by chunk of the inputs
  for (const Outcome& outcome : outcomes_)
    if (!outcome.postcondition.contributor) sums[outcome.postcondition.input].push_back(&outcome);
  std::uint64_t blocks = 0, most = 1;
  std::optional<Counterexample> example;
  for (const auto& [chunk, all] : sums) {
    const Term first = all.front()->value;
    const auto other = std::find_if(all.begin(), all.end(), [&](const Outcome* o) { return o->value != first; });
    if (other == all.end()) continue;
    std::vector<Term> values;
    for (const Outcome* o : all) values.push_back(o->value);
    std::sort(values.begin(), values.end());
    const auto distinct = static_cast<std::uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
    most = std::max(most, distinct);
    ++blocks;
    if (!example) example = difference(*all.front(), **other, distinct);
  }
  if (blocks == 0) return {Verdict::pass, "all ranks that hold a block hold the same sum of it"};
  return {Verdict::fail, fmt::format("up to {} different sums of one block over the ranks", most), example, blocks};
}

Counterexample ProgramResult::difference(const Outcome& a, const Outcome& b, std::uint64_t distinct) const {
  const std::int32_t chunk = a.postcondition.input;
  Counterexample c{.kind = Counterexample::Kind::different,
                   .rank = a.rank,
                   .block = block_of(program_, a.rank, a.postcondition),
                   .times = distinct,
                   .other_rank = b.rank,
                   .shown = {text(a.value, chunk), text(b.value, chunk)}};
  c.slot = memory_.text(a.rank, a.cell);
  c.sentences = {fmt::format("the ranks end with {} different sums of block {}", distinct, c.block)};
  for (const Outcome* o : {&a, &b}) {
    const OperationId writer = execution_.writer(o->cell);
    if (writer >= 0) c.sites.push_back(site_of(program_, writer));
    c.sentences.push_back(
        fmt::format("rank {}: {}{}", o->rank, text(o->value, chunk),
                    writer < 0 ? "" : fmt::format("; written last by {}", place_text(program_, writer))));
  }
  return c;
}

Finding ProgramResult::order_preserving() const {
  const TermTable& terms = execution_.terms();
  std::vector<char> used(terms.id_end());
  for (const Outcome& outcome : outcomes_) used[TermTable::id(outcome.value)] = true;
  const auto first_sum = static_cast<std::uint32_t>(terms.ranks()) + 1;
  std::vector<RankRun> runs(terms.id_end());
  for (std::uint32_t id = 1; id < first_sum; ++id) {
    const Rank rank = execution_.rank_of(static_cast<Term>(id));
    runs[id] = {rank, rank};
  }
  for (std::uint32_t id = terms.id_end(); id-- > first_sum;)
    if (used[id])
      for (const Term part : {terms.first(static_cast<Term>(id)), terms.second(static_cast<Term>(id))})
        used[TermTable::id(part)] = true;
  std::uint64_t sums = 0, gaps = 0;
  std::optional<Counterexample> example;
  for (std::uint32_t id = first_sum; id < terms.id_end(); ++id) {
    if (!used[id]) continue;
    ++sums;
    const RankRun a = runs[TermTable::id(terms.first(static_cast<Term>(id)))];
    const RankRun b = runs[TermTable::id(terms.second(static_cast<Term>(id)))];
    if (!a.is_run() || !b.is_run()) continue;
    if (a.last + 1 == b.first)
      runs[id] = {a.first, b.last};
    else if (b.last + 1 == a.first)
      runs[id] = {b.first, a.last};
    else {
      ++gaps;
      if (!example) example = gap(static_cast<Term>(id), programs::text(a), programs::text(b));
    }
  }
  if (gaps > 0)
    return {Verdict::fail, fmt::format("{} of {} sums join no neighbouring runs of ranks", gaps, sums), example, gaps};
  return {Verdict::pass,
          fmt::format("all {} sums join neighbouring runs of ranks, so their sides can be chosen in order", sums)};
}

Counterexample ProgramResult::gap(Term sum, std::string a, std::string b) const {
  const OperationId maker = execution_.maker(sum);
  Term leaf = sum;
  while (!execution_.terms().is_leaf(leaf)) leaf = execution_.terms().first(leaf);
  Counterexample c{.kind = Counterexample::Kind::gap,
                   .rank = program_.operations[static_cast<std::size_t>(maker)].rank,
                   .block = execution_.chunk_of(leaf),
                   .shown = {std::move(a), std::move(b)},
                   .sites = {site_of(program_, maker)}};
  c.sentences = {fmt::format("block {}: {} joins {} with {}, which are no neighbours", c.block,
                             place_text(program_, maker), c.shown[0], c.shown[1])};
  return c;
}

}  // namespace onceover::programs
