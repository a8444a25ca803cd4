#include "programs/plan_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/msccl_profile.h"

namespace onceover::programs {

namespace {

/// The leaves of a term, at most `most` and one more.
std::vector<Term> leaves_of(const TermTable& terms, Term term, std::size_t most) {
  std::vector<Term> leaves, open{term};
  while (!open.empty() && leaves.size() <= most) {
    const Term t = open.back();
    open.pop_back();
    if (terms.is_leaf(t)) {
      leaves.push_back(t);
    } else {
      open.push_back(terms.second(t));
      open.push_back(terms.first(t));
    }
  }
  return leaves;
}

/// What the plan's collective promises, in units; nothing if its name doesn't say it. Every GPU has equally many.
std::optional<Promise> promise_of(const ExecutionPlan& plan, const PlanMemory& memory) {
  const auto ranks = static_cast<Rank>(plan.gpus.size());
  const std::uint32_t in = memory.input(0).count, out = memory.output(0).count;
  if (!has_postcondition(plan)) return std::nullopt;
  if (plan.collective == "sendrecv") {
    std::vector<Rank> sources;
    for (Rank r = 0; r < ranks; ++r) sources.push_back((r + ranks - 1) % ranks);
    return Promise::permutation(std::move(sources), out);
  }
  const PromiseRow& row = promise_row(*formats::msccl_collective(plan.collective));
  const bool takes_part = row.input_has_parts && row.result_has_parts;
  return std::optional<Promise>(std::in_place, row, ranks, 0,
                                even_parts(row, takes_part ? in / plan.gpus.size() : std::min(in, out)));
}

}  // namespace

PlanResults::PlanResults(const ExecutionPlan& plan, const PlanMemory& memory)
    : plan_(plan), memory_(memory), promise_(promise_of(plan, memory)), leaves_(static_cast<Rank>(plan.gpus.size())) {
  const auto ranks = static_cast<Rank>(plan.gpus.size());
  for (Rank r = 0; promise_ && r < ranks; ++r) results_.push_back(promise_->result(r));
}

Term PlanResults::leaf(const TermTable& terms, std::int32_t call, Rank rank, std::uint32_t unit) const {
  const auto ranks = static_cast<std::uint64_t>(plan_.gpus.size());
  return terms.leaf(static_cast<Rank>(
      (static_cast<std::uint64_t>(call) * ranks + static_cast<std::uint64_t>(rank)) * memory_.input(0).count + unit));
}

PlanResults::Source PlanResults::source_of(const TermTable& terms, Term leaf) const {
  const auto number = static_cast<std::uint64_t>(terms.rank_of(leaf));
  const std::uint64_t units = memory_.input(0).count, owner = number / units, ranks = plan_.gpus.size();
  return {static_cast<std::int32_t>(owner / ranks),
          {static_cast<Rank>(owner % ranks), static_cast<std::int64_t>(number % units)}};
}

bool PlanResults::is_right(const TermTable& terms, Term term, std::int32_t call, Rank rank, std::uint32_t unit) {
  const Contribution of_other_call{-1, -1};
  return leaves_.holds(terms, term, owed(rank, unit), [&](Term leaf) {
    const Source source = source_of(terms, leaf);
    return source.call == call ? source.contribution : of_other_call;
  });
}

std::string PlanResults::due(Rank rank, std::uint32_t unit) const {
  const Owed due = owed(rank, unit);
  const std::string chunk = fmt::format("i[{}]", due.element / memory_.units());
  return promise_->row().sums ? fmt::format("the sum of all GPUs' {}", chunk)
                              : fmt::format("gpu {}'s {}", due.ranks.front(), chunk);
}

std::string PlanResults::text(const TermTable& terms, Term term) const {
  constexpr std::size_t most = 8;
  if (term == Term::nothing) return "nothing that is defined";
  std::vector<std::string> summands;
  for (const Term leaf : leaves_of(terms, term, most)) {
    const auto [number, contribution] = source_of(terms, leaf);
    const std::string call = number > 0 ? fmt::format(" of call {}", number + 1) : "";
    summands.push_back(summands.size() < most ? fmt::format("gpu {}'s i[{}]{}", contribution.rank,
                                                            contribution.element / memory_.units(), call)
                                              : "..");
  }
  return fmt::format("{}", fmt::join(summands, " + "));
}

}  // namespace onceover::programs
