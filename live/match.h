// Finds the schedule whose terms a running library left.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/reference.h"

namespace onceover::live {

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

/// Compares a library's elements with the blocks of schedules.
///
/// A library doesn't show how it divides its vector. So a few ways to divide n elements into B blocks are tried, with
/// each rotation of the blocks, and finally whether every element has the terms of some block. Joins distinguish
/// schedules with the same terms: in some each sum is made once, in others every rank makes it. O(references * B * n *
/// p).
MatchComparison compare(std::span<const Fate> elements, std::span<const Reference> references);

}  // namespace onceover::live
