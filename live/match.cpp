#include "live/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "base/rows.h"
#include "live/judge.h"
#include "verifier/term_judgement.h"

namespace onceover::live {

namespace {

/// Which blocks of a schedule the elements of the library's vector are.
struct Division {
  std::string text;                 // "equal parts, longer ones first", ".. block b as block b+1"
  std::vector<std::size_t> blocks;  // by element; empty: each element has the terms of some block, in another layout
};

enum class Joins : std::uint8_t {
  same,         // the operator is called equally often for each element on each rank
  other_ranks,  // equally often for each element, but on other ranks
  other_number,
};

/// A schedule that has all the library's terms, up to the sides of sums.
struct Match {
  const Reference* reference;
  Division layout;
  Joins joins;
};

/// A result for which the library's term and the schedule's differ.
struct Difference {
  std::size_t element;
  std::size_t holder;  // position in the element's list of terms
  Term library;
  Term schedule;
};

/// The schedule that has most of the library's terms.
struct Nearest {
  const Reference* reference;
  Division layout;
  std::uint64_t agreeing;  // how many results (rank, element)
  std::uint64_t results;
  std::optional<Difference> first = {};  // none: there are too few elements to show all its blocks
};

struct MatchComparison {
  std::vector<Match> matches;           // those with the same joins come first
  std::optional<Nearest> nearest = {};  // if there is no match
};

/// A way to divide n elements into B blocks: where block b begins.
struct Cut {
  std::string_view text;
  std::size_t (*begin)(std::size_t b, std::size_t blocks, std::size_t n);
};

constexpr Cut cuts[] = {
    {"equal parts, longer ones first",
     [](std::size_t b, std::size_t blocks, std::size_t n) { return b * (n / blocks) + std::min(b, n % blocks); }},
    {"equal parts, longer ones spread",
     [](std::size_t b, std::size_t blocks, std::size_t n) { return b * n / blocks; }},
    {"equal parts, rounded up, the rest last",
     [](std::size_t b, std::size_t blocks, std::size_t n) { return std::min(n, b * ((n + blocks - 1) / blocks)); }},
    {"equal parts, rounded down, the rest in the last",
     [](std::size_t b, std::size_t blocks, std::size_t n) { return b == blocks ? n : b * (n / blocks); }},
};

/// Numbers different lists of terms.
class Numbers {
 public:
  std::size_t operator()(const std::vector<Term>& terms) {
    return known_.try_emplace(terms, known_.size()).first->second;
  }

 private:
  std::map<std::vector<Term>, std::size_t> known_;
};

Division cut_division(const Cut& cut, std::size_t blocks, std::size_t n, std::size_t rotation) {
  Division layout{blocks == 1 ? "one block" : std::string(cut.text), std::vector<std::size_t>(n)};
  if (rotation > 0) layout.text += fmt::format(", part b as block b+{} mod {}", rotation, blocks);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t e = cut.begin(b, blocks, n); e < cut.begin(b + 1, blocks, n); ++e)
      layout.blocks[e] = (b + rotation) % blocks;
  return layout;
}

/// Compares one schedule with the library.
class Comparer {
 public:
  Comparer(std::span<const Computation> elements, const Reference& reference)
      : elements_(elements), reference_(reference) {
    Numbers numbers;
    for (const Computation& computed : reference.blocks) block_numbers_.push_back(numbers(computed.terms));
    for (const Computation& computed : elements) element_numbers_.push_back(numbers(computed.terms));
  }

  std::optional<Match> match() const {
    const std::size_t blocks = block_numbers_.size(), n = elements_.size();
    // A row that is only a part of the collective can agree by chance more easily, so it must show all its blocks.
    if (!reference_.role.empty() && n < blocks) return std::nullopt;
    for (std::size_t rotation = 0; rotation < (reference_.in_place ? 1 : blocks); ++rotation)
      for (const Cut& cut : cuts)
        if (fits(cut, rotation)) {
          Division layout = cut_division(cut, blocks, n, rotation);
          const Joins joins = joins_of(layout);
          return Match{&reference_, std::move(layout), joins};
        }
    const bool all_are_there = std::all_of(element_numbers_.begin(), element_numbers_.end(),
                                           [&](std::size_t number) { return has(block_numbers_, number); });
    if (reference_.in_place || !all_are_there) return std::nullopt;
    return Match{&reference_, {"each element as some block", {}}, joins_of_some_layout()};
  }

  /// The layout without rotation in which most results agree, over all ways to divide the vector.
  Nearest nearest() const {
    std::optional<Nearest> best;
    for (const Cut& cut : cuts) {
      Nearest near = difference(cut_division(cut, block_numbers_.size(), elements_.size(), 0));
      if (!best || near.agreeing > best->agreeing) best = std::move(near);
    }
    return std::move(*best);
  }

 private:
  bool fits(const Cut& cut, std::size_t rotation) const {
    const std::size_t blocks = block_numbers_.size(), n = elements_.size();
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t e = cut.begin(b, blocks, n); e < cut.begin(b + 1, blocks, n); ++e)
        if (element_numbers_[e] != block_numbers_[(b + rotation) % blocks]) return false;
    return true;
  }

  static std::uint64_t total(const std::vector<std::uint32_t>& joins) {
    return std::accumulate(joins.begin(), joins.end(), std::uint64_t{0});
  }

  Joins joins_of(const Division& layout) const {
    bool same = true, as_many = true;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      const auto& theirs = reference_.blocks[layout.blocks[e]].joins;
      same = same && elements_[e].joins == theirs;
      as_many = as_many && total(elements_[e].joins) == total(theirs);
    }
    return same ? Joins::same : as_many ? Joins::other_ranks : Joins::other_number;
  }

  Joins joins_of_some_layout() const {
    const std::uint64_t theirs = total(reference_.blocks[0].joins);
    const bool as_many =
        std::all_of(elements_.begin(), elements_.end(), [&](const Computation& f) { return total(f.joins) == theirs; });
    return as_many ? Joins::other_ranks : Joins::other_number;
  }

  Nearest difference(Division layout) const {
    Nearest near{&reference_, {}, 0, 0};
    for (std::size_t e = 0; e < elements_.size(); ++e)
      for (std::size_t r = 0; r < elements_[e].terms.size(); ++r) {
        const Term ours = elements_[e].terms[r], theirs = reference_.blocks[layout.blocks[e]].terms[r];
        if (ours == Term::nothing && theirs == Term::nothing) continue;
        if (ours == theirs)
          ++near.agreeing;
        else if (!near.first)
          near.first = Difference{e, r, ours, theirs};
        ++near.results;
      }
    near.layout = std::move(layout);
    return near;
  }

  std::span<const Computation> elements_;
  const Reference& reference_;
  std::vector<std::size_t> block_numbers_;    // by block: the number of its terms
  std::vector<std::size_t> element_numbers_;  // by element
};

/// Compares a library's elements with the blocks of schedules.
///
/// A library doesn't show how it divides its vector. So a few ways to divide n elements into B blocks are tried, with
/// each rotation of the blocks, and finally whether every element has the terms of some block. Joins distinguish
/// schedules with the same terms: in some each sum is made once, in others every rank makes it. O(references * B * n *
/// p).
MatchComparison compare(std::span<const Computation> elements, std::span<const Reference> references) {
  MatchComparison comparison;
  if (elements.empty()) return comparison;
  for (const Reference& reference : references) {
    const Comparer comparer(elements, reference);
    if (auto match = comparer.match()) {
      comparison.matches.push_back(std::move(*match));
    } else if (comparison.matches.empty()) {
      Nearest near = comparer.nearest();
      if (!comparison.nearest || near.agreeing > comparison.nearest->agreeing) comparison.nearest = std::move(near);
    }
  }
  std::stable_sort(comparison.matches.begin(), comparison.matches.end(), [](const Match& a, const Match& b) {
    return std::pair(a.joins, a.layout.blocks.empty()) < std::pair(b.joins, b.layout.blocks.empty());
  });
  if (!comparison.matches.empty()) comparison.nearest.reset();
  return comparison;
}

std::string_view name(Joins joins) {
  switch (joins) {
    case Joins::same: return "same";
    case Joins::other_ranks: return "same number, on other ranks";
    case Joins::other_number: return "other number";
  }
  return "";
}

std::string full_name(const Reference& reference) {
  std::string text = reference.algorithm;
  if (!reference.settings.empty()) text += fmt::format(" ({})", reference.settings);
  if (!reference.role.empty()) text += " " + reference.role;
  return text;
}

/// The first few names, and how many more there are.
std::string list_text(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string joins_text(Joins joins) {
  switch (joins) {
    case Joins::same: return "each sum made on the same ranks";
    case Joins::other_ranks: return "as many sums, some made on other ranks";
    case Joins::other_number: return "another number of sums made";
  }
  return "";
}

/// The rank that holds the result that differs.
Rank holder(const LiveCall& call, const Difference& difference) {
  if (call.collective->kind == CallKind::allreduce) return static_cast<Rank>(difference.holder);
  for (Rank r = 0; r < call.ranks; ++r)
    for (const Due& d : due(call, r))
      if (d.position == difference.element) return r;
  return 0;
}

Json reference_json(const Reference& reference) {
  return {{"algorithm", reference.algorithm}, {"settings", reference.settings}, {"role", reference.role}};
}

/// Adds the nearest schedule, where none matches.
void add_nearest(const Nearest& near, const LiveCall& call, const TermTable& terms, Matched& matched) {
  const auto text = [&](Term term) {
    return term_text(terms, term, [&](Term leaf) { return std::to_string(terms.rank_of(leaf)); });
  };
  Json& json = matched.json["nearest"];
  json = reference_json(*near.reference);
  json.update({{"layout", near.layout.text}, {"agreeing", near.agreeing}, {"results", near.results}});
  matched.text.push_back(
      fmt::format("no match; nearest: {}, {} of {} results", full_name(*near.reference), near.agreeing, near.results));
  if (!near.first) {
    matched.text.push_back(fmt::format("count {} is too few to tell: they would be in {} blocks", call.count,
                                       near.reference->blocks.size()));
    return;
  }
  const Rank rank = holder(call, *near.first);
  json["first_difference"] = {{"element", near.first->element},
                              {"rank", rank},
                              {"library", text(near.first->library)},
                              {"schedule", text(near.first->schedule)}};
  matched.text.push_back(fmt::format("element {} on rank {}: the library has {}, {} has {}", near.first->element, rank,
                                     text(near.first->library), near.reference->algorithm, text(near.first->schedule)));
}

Matched report(const MatchComparison& comparison, const LiveCall& call, const TermTable& terms) {
  Matched matched{Json{{"matches", Json::array()}}, {}, !comparison.matches.empty()};
  for (const Match& match : comparison.matches) {
    Json json = reference_json(*match.reference);
    json["layout"] = match.layout.text;
    json["joins"] = name(match.joins);
    matched.json["matches"].push_back(std::move(json));
  }
  if (matched.same) {
    const Match& best = comparison.matches.front();
    matched.text.push_back(
        fmt::format("match: {}; {}; {}", full_name(*best.reference), joins_text(best.joins), best.layout.text));
    std::vector<std::string> others;
    for (const Match& match : std::span(comparison.matches).subspan(1))
      if (match.joins == best.joins) others.push_back(full_name(*match.reference));
    if (!others.empty()) matched.text.push_back("as well: " + list_text(others));
  }
  if (comparison.nearest) add_nearest(*comparison.nearest, call, terms, matched);
  return matched;
}

}  // namespace

Matched Matcher::match(const LiveCall& call, const Values& values, const CallOutcome& outcome) {
  const std::vector<Computation> elements = computations(call, values, outcome);
  if (elements.empty() || !call.collective->collective()) return {nullptr, {}};
  const auto [at, is_new] = references_.try_emplace({call.collective->kind, call.root});
  if (is_new) at->second = references(call, terms_);
  if (at->second.empty()) return {nullptr, {}};
  return report(compare(elements, at->second), call, terms_);
}

Matched Matcher::compare_with(const Schedule& schedule, const LiveCall& call, const Values& values,
                              const CallOutcome& outcome) {
  const std::vector<Computation> elements = computations(call, values, outcome);
  if (elements.empty()) return {nullptr, {}, true};
  auto reference = reference_of(schedule, call.collective->kind != CallKind::allreduce, 0, terms_);
  if (!reference) return {{{"matches", Json::array()}}, {"the schedule has no defined result"}};
  reference->algorithm = "the schedule";
  reference->in_place = true;
  return report(compare(elements, std::span(&*reference, 1)), call, terms_);
}

std::vector<Computation> Matcher::computations(const LiveCall& call, const Values& values, const CallOutcome& outcome) {
  if (!call.collective->reduces() || call.layout != Layout::even) return {};
  Translation translated(values.terms(), terms_);
  std::vector<Computation> elements;
  for (const auto& column : columns(call, outcome)) {
    const std::size_t position = elements.size();
    Computation computed;
    for (std::size_t r = 0; r < column.size(); ++r) {
      if (column[r]) computed.terms.push_back(translated(values[*column[r]].term));
      const auto& joins = outcome.joins[r];  // up to the last position where the operator was called
      computed.joins.push_back(position < joins.size() ? joins[position] : 0);
    }
    elements.push_back(std::move(computed));
  }
  return elements;
}

}  // namespace onceover::live
