// Which schedule has the terms that a running library left.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/reference.h"

namespace onceover::live {

/// How the elements of the library's vector are the blocks of a schedule.
struct Layout {
  std::string text;                 // "equal parts, longer ones first", ".. block b as block b+1"
  std::vector<std::size_t> blocks;  // by element; empty: each element has the terms of some block, in another layout
};

enum class Joins : std::uint8_t {
  same,         // the operator is called as often for each element on each rank
  other_ranks,  // as often for each element, but on other ranks
  other_number,
};

/// A schedule that has all the library's terms, up to the sides of sums.
struct Match {
  const Reference* reference;
  Layout layout;
  Joins joins;
};

/// A result that the library has in another way than a schedule.
struct Difference {
  std::size_t element;
  std::size_t holder;  // which of the element's terms
  Term library;
  Term schedule;
};

/// The schedule that has the most of them.
struct Nearest {
  const Reference* reference;
  Layout layout;
  std::uint64_t agreeing;  // of the results, (rank, element)
  std::uint64_t results;
  std::optional<Difference> first = {};  // none: there are too few elements to show all its blocks
};

struct MatchComparison {
  std::vector<Match> matches;           // those whose joins are the same come first
  std::optional<Nearest> nearest = {};  // where there is no match
};

/// Compares what became of a library's elements with what becomes of the blocks of schedules.
///
/// How a library cuts its vector can't be seen, so each of a few ways to cut n elements into B blocks is tried, and
/// each rotation of the blocks; last, whether every element has the terms of some block. Joins tell schedules apart
/// that have the same terms: where each sum is made once from those in which every rank makes it. O(references * B * n
/// * p).
MatchComparison compare(std::span<const Fate> elements, std::span<const Reference> references);

}  // namespace onceover::live
