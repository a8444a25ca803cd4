// Calls of a collective, and what is known of them on the way through a selection file: the number of ranks, facts, and
// intervals of sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/selection_tree.h"

namespace onceover::code {

/// Calls with elements, within one group of ranks.
class Calls {
 public:
  /// All of them. The name must outlive this object, as must the conditions of `where`.
  Calls(Rank ranks, std::string_view collective);

  Rank ranks() const { return ranks_; }
  std::string_view collective() const { return collective_; }

  /// Those of them for which the condition holds, or doesn't; nothing if there are none.
  std::optional<Calls> where(const Condition& condition, bool holds) const;

  /// "allgather, is_commutative=yes, avg_msg_size 9..12288"
  std::string text() const;

 private:
  struct Interval {
    std::string_view subject;
    std::int64_t least;
    std::int64_t most;
    bool is_told = true;
  };

  bool knows(std::string_view words) const;
  std::optional<Calls> with_fact(std::string_view words, bool holds) const;
  std::optional<Calls> short_for_halving(bool holds) const;
  std::optional<Calls> sized(std::string_view subject, std::int64_t bound, bool up_to) const;
  bool is_possible() const;

  Rank ranks_;
  std::string_view collective_;
  std::vector<std::pair<std::string_view, bool>> facts_;
  std::vector<Interval> sizes_ = {};
};

}  // namespace onceover::code
