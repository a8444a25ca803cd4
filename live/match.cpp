#include "live/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace onceover::live {

namespace {

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
  Comparer(std::span<const Fate> elements, const Reference& reference) : elements_(elements), reference_(reference) {
    Numbers numbers;
    for (const Fate& fate : reference.blocks) block_numbers_.push_back(numbers(fate.terms));
    for (const Fate& fate : elements) element_numbers_.push_back(numbers(fate.terms));
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
    const bool all_are_there = std::all_of(element_numbers_.begin(), element_numbers_.end(), [&](std::size_t number) {
      return std::find(block_numbers_.begin(), block_numbers_.end(), number) != block_numbers_.end();
    });
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
        std::all_of(elements_.begin(), elements_.end(), [&](const Fate& f) { return total(f.joins) == theirs; });
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

  std::span<const Fate> elements_;
  const Reference& reference_;
  std::vector<std::size_t> block_numbers_;    // by block: the number of its terms
  std::vector<std::size_t> element_numbers_;  // by element
};

}  // namespace

MatchComparison compare(std::span<const Fate> elements, std::span<const Reference> references) {
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

}  // namespace onceover::live
