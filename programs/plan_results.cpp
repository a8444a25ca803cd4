#include "programs/plan_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

}  // namespace

Term PlanResults::leaf(const TermTable& terms, std::int32_t call, Rank rank, std::uint32_t unit) const {
  const auto ranks = static_cast<std::uint64_t>(plan_.gpus.size());
  return terms.leaf(static_cast<Rank>(
      (static_cast<std::uint64_t>(call) * ranks + static_cast<std::uint64_t>(rank)) * memory_.input(0).count + unit));
}

PlanResults::Due PlanResults::due_of(Rank rank, std::uint32_t unit) const {
  const auto ranks = static_cast<std::uint32_t>(plan_.gpus.size());
  const auto me = static_cast<std::uint32_t>(rank);
  const std::uint32_t in = memory_.input(rank).count, out = memory_.output(rank).count;
  if (plan_.collective == "allgather") return {static_cast<Rank>(unit / in), unit % in};
  if (plan_.collective == "reducescatter") return {std::nullopt, me * out + unit};
  if (plan_.collective == "alltoall") {
    const std::uint32_t share = in / ranks;
    return {static_cast<Rank>(unit / share), me * share + unit % share};
  }
  if (plan_.collective == "sendrecv") return {static_cast<Rank>((me + ranks - 1) % ranks), unit};
  return {std::nullopt, unit};
}

bool PlanResults::is_right(const TermTable& terms, Term term, std::int32_t call, Rank rank, std::uint32_t unit) const {
  if (term == Term::nothing) return false;
  const Due due = due_of(rank, unit);
  if (due.contributor) return term == leaf(terms, call, *due.contributor, due.unit);
  std::vector<Term> found = leaves_of(terms, term, plan_.gpus.size()), wanted;
  for (std::size_t r = 0; r < plan_.gpus.size(); ++r)
    wanted.push_back(leaf(terms, call, static_cast<Rank>(r), due.unit));
  std::sort(found.begin(), found.end());
  return found == wanted;
}

std::string PlanResults::due(Rank rank, std::uint32_t unit) const {
  const Due due = due_of(rank, unit);
  const std::string chunk = fmt::format("i[{}]", due.unit / memory_.units());
  return due.contributor ? fmt::format("gpu {}'s {}", *due.contributor, chunk)
                         : fmt::format("the sum of all GPUs' {}", chunk);
}

std::string PlanResults::text(const TermTable& terms, Term term) const {
  constexpr std::size_t most = 8;
  if (term == Term::nothing) return "nothing that is defined";
  const std::uint32_t units = memory_.input(0).count;
  const auto ranks = static_cast<std::uint32_t>(plan_.gpus.size());
  std::vector<std::string> summands;
  for (const Term leaf : leaves_of(terms, term, most)) {
    const auto number = static_cast<std::uint32_t>(terms.rank_of(leaf));
    const std::uint32_t owner = number / units;
    const std::string call = owner >= ranks ? fmt::format(" of call {}", owner / ranks + 1) : "";
    summands.push_back(summands.size() < most
                           ? fmt::format("gpu {}'s i[{}]{}", owner % ranks, number % units / memory_.units(), call)
                           : "..");
  }
  return fmt::format("{}", fmt::join(summands, " + "));
}

}  // namespace onceover::programs
