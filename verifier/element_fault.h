// The kinds of faults that results of running libraries have: an element that holds something else than it must.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verifier/counterexample.h"

namespace onceover::verifier {

/// An element of a rank's result, and what it holds.
struct FaultyElement {
  Rank rank;
  std::size_t index;
  std::uint32_t due_position;                // whose contributions are due
  std::string value;                         // in words
  std::optional<std::size_t> position = {};  // whose contributions it holds, if others
};

/// A contribution to an element that counts too often, is missing or isn't due; of no rank, if it is nobody's.
struct OddContribution {
  FaultKind kind;
  std::optional<Rank> rank;
  std::uint64_t times;
  std::string does;

  static OddContribution counts_often(Rank rank, std::uint64_t times);
  static OddContribution is_missing(std::optional<Rank> rank = {});
  static OddContribution is_not_due(std::optional<Rank> rank = {}, std::uint64_t times = 0);
};

/// An element that isn't `due`, which is in words.
Counterexample wrong_element(FaultyElement element, const OddContribution& odd, const std::string& due);

/// An element whose sum is in a wrong order, and why; `shown` are runs of ranks that it joins.
Counterexample unordered_element(FaultyElement element, std::string why, std::vector<std::string> shown = {});

/// An element that a later call, numbered from 1, leaves otherwise than the first did.
Counterexample changed_element(const FaultyElement& element, const std::string& before, std::size_t call);

/// An element of all results that isn't the same sum on rank 0 and on another rank.
Counterexample differing_element(std::size_t index, std::uint64_t sums, Rank other, std::string first,
                                 std::string second);

/// The element of `wrong_element`; nothing of other counterexamples.
const FaultyElement* faulty_element(const Counterexample& counterexample);

}  // namespace onceover::verifier
