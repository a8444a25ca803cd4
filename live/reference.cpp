#include "live/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "verifier/execution.h"
#include "verifier/replay.h"
#include "verifier/term_judgement.h"

namespace onceover::live {

namespace {

/// The values that a parameter may have for this p.
std::vector<std::string> values_of(const Parameter& parameter, Rank ranks) {
  std::vector<std::string> values{std::string(parameter.preset)};
  const auto add = [&](std::string value) { add_new(values, std::move(value)); };
  for (const std::string_view choice : parameter.choices) add(std::string(choice));
  if (!parameter.is_free())
    for (std::int64_t n = parameter.least; n <= std::min<std::int64_t>(parameter.most, ranks); ++n)
      add(std::to_string(n));
  if (parameter.is_free()) {
    add("xor");
    for (Rank a = 2; a < ranks; ++a)
      if (ranks % a == 0) add(fmt::format("{}x{}", a, ranks / a));
  }
  return values;
}

}  // namespace

std::vector<RowSettings> all_settings(const Algorithm& row, Rank ranks) {
  std::vector<RowSettings> all(1);
  for (const Parameter& parameter : row.parameters) {
    const auto before = all;
    all.clear();
    for (const std::string& value : values_of(parameter, ranks))
      for (auto settings : before) {
        if (value != parameter.preset) settings[std::string(parameter.name)] = value;
        all.push_back(std::move(settings));
      }
  }
  return all;
}

std::string settings_text(const RowSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

namespace {

/// Rows of another collective that are a part of this one.
struct Role {
  Collective collective;
  std::string_view role;
  bool counts_from_root;
};

std::vector<Role> roles_of(CallKind kind) {
  switch (kind) {
    case CallKind::allreduce:
      return {{Collective::allreduce, "", false}, {Collective::reduce, "as a reduce, before a broadcast", false}};
    case CallKind::reduce:
      return {{Collective::reduce, "", true},
              {Collective::reduce, "from rank 0 on, kept by the root", false},
              {Collective::allreduce, "as an allreduce, kept by the root", false},
              {Collective::allreduce, "as an allreduce from the root on, kept by the root", true}};
    case CallKind::reduce_scatter:
    case CallKind::reduce_scatter_block:
      return {{Collective::reduce_scatter, "", false},
              {Collective::allreduce, "as an allreduce, kept in parts", false},
              {Collective::reduce, "as a reduce, before a scatter", false}};
    default: return {};
  }
}

void add_rows(const Role& part, const LiveCall& call, TermTable& terms, std::vector<Reference>& list) {
  const bool one_term = call.collective->kind != CallKind::allreduce || part.collective == Collective::reduce;
  for (const Algorithm& row : catalogue()) {
    if (row.as_printed) continue;
    for (const auto& settings : all_settings(row, call.ranks)) {
      Request request = on_line(part.collective, call.ranks);
      request.settings = settings;
      if (refusal(row, request)) continue;
      auto made = reference_of(*row.make(request), one_term, part.counts_from_root ? call.root : 0, terms);
      if (!made) continue;
      made->algorithm = row.name;
      made->settings = settings_text(settings);
      made->role = part.role;
      made->in_place = !part.role.empty();
      made->rank = (part.role.empty() ? 0 : 1000) + (row.is_composed ? 500 : 0) + (settings.empty() ? 0 : 100) +
                   (row.has_lanes ? 20 : 0) + (row.on_tori ? 10 : 0) + static_cast<int>(row.parameters.size());
      list.push_back(std::move(*made));
    }
  }
}

/// Keeps one term if all that are held are the same; false if they aren't.
bool make_one(std::vector<Term>& terms) {
  std::erase(terms, Term::nothing);
  if (terms.empty() || disagreement(terms)) return false;
  terms.resize(1);
  return true;
}

}  // namespace

Term Translation::operator()(Term term, Rank shift) {
  if (term == Term::nothing) return term;
  if (known_.size() < from_.id_end()) known_.resize(from_.id_end(), Term::nothing);
  std::vector<Term> to_do{term};
  while (!to_do.empty()) {
    const Term t = to_do.back();
    Term& known = known_[TermTable::id(t)];
    if (from_.is_leaf(t)) known = to_.leaf((from_.rank_of(t) + shift) % to_.ranks());
    if (known == Term::nothing) {
      const Term a = from_.first(t), b = from_.second(t);
      const Term new_a = known_[TermTable::id(a)], new_b = known_[TermTable::id(b)];
      if (new_a == Term::nothing) to_do.push_back(a);
      if (new_b == Term::nothing) to_do.push_back(b);
      if (new_a == Term::nothing || new_b == Term::nothing) continue;
      known = to_.sum(new_a, new_b);
    }
    to_do.pop_back();
  }
  return known_[TermTable::id(term)];
}

std::optional<Reference> reference_of(const Schedule& schedule, bool one_term, Rank root, TermTable& terms) {
  const Header& header = schedule.header();
  const auto ranks = static_cast<std::size_t>(header.ranks);
  Reference reference{};
  Execution execution(header);
  Replay replay(header);
  // Elements of blocks whose values meet can't be told apart by their sums.
  bool is_defined = schedule.groups() == nullptr || !schedule.groups()->mixes();
  schedule.traces({0, header.blocks}, [&](Block block, const Trace& trace) {
    if (!is_defined || execution.run(block, trace)) {
      is_defined = false;
      return;
    }
    replay.run(block, trace);
    Translation translated(replay.terms(), terms);
    Computation computed{std::vector<Term>(ranks, Term::nothing), std::vector<std::uint32_t>(ranks, 0)};
    auto seat = [&](Rank r) { return static_cast<std::size_t>((r + root) % header.ranks); };
    for (Rank r = 0; r < header.ranks; ++r)
      if (replay.must_hold(r)) computed.terms[seat(r)] = translated(replay.value(r), root);
    for (const Replay::Move& move : replay.moves())
      if (move.op == Op::reduce) ++computed.joins[seat(replay.rank_of(move.dst))];
    is_defined = !one_term || make_one(computed.terms);
    reference.blocks.push_back(std::move(computed));
  });
  if (!is_defined) return std::nullopt;
  return reference;
}

std::vector<Reference> references(const LiveCall& call, TermTable& terms) {
  std::vector<Reference> list;
  for (const Role& part : roles_of(call.collective->kind)) add_rows(part, call, terms, list);
  // In an allreduce, a term that the root sends to all is the same for all ranks.
  for (Reference& reference : list)
    for (Computation& computed : reference.blocks)
      if (call.collective->kind == CallKind::allreduce && computed.terms.size() == 1)
        computed.terms.resize(static_cast<std::size_t>(call.ranks), computed.terms[0]);
  std::stable_sort(list.begin(), list.end(), [](const Reference& a, const Reference& b) { return a.rank < b.rank; });
  return list;
}

}  // namespace onceover::live
