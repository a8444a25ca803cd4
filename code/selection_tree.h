// The tree of a selection file of MPICH: conditions on a call, and the algorithms that are picked at its leaves; and
// calls, with what conditions on the way through it say of them.
//
// Example: {"collective=bcast": {"comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial": {}}, "comm_size=any": ..}}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/library_table.h"

namespace onceover::code {

// Facts of a call, as a Condition's subject has them.
constexpr std::string_view within_group = "comm_type=intra";
constexpr std::string_view has_hierarchy = "comm_hierarchy=parent";
constexpr std::string_view operator_commutes = "is_commutative=yes";
constexpr std::string_view operator_is_built_in = "is_op_built_in=yes";
constexpr std::string_view sends_in_place = "is_sendbuf_inplace=yes";
constexpr std::string_view has_few_elements = "count<pow2";

/// A condition of a branch.
struct Condition {
  enum class Kind : std::uint8_t { any, collective, ranks_up_to, ranks_pow2, size_up_to, count_below_pow2, fact, leaf };
  Kind kind = Kind::any;
  std::string subject = {};  // "avg_msg_size", "is_commutative=yes", the name of a collective or of a function
  bool holds = true;         // of a fact: is it asked for, or its contrary?
  std::int64_t bound = 0;
  std::string words = {};  // as the file has it

  /// "avg_msg_size": what is asked of a call; of the library's table of conditions.
  std::string asked() const { return words.substr(0, words.find_first_of("<=")); }
};

/// A part of the file: a condition with what is below it, or a leaf.
struct Branch {
  std::size_t offset;
  Condition condition;
  std::vector<Branch> branches = {};
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> settings = {};  // of a leaf; nothing: no number
};

/// The fact that its words say, or its contrary.
Condition fact(std::string_view words, bool holds);

/// The condition that words without blanks say, also with "not " before them; nothing if they say none.
struct Requirement {
  Condition condition;
  bool holds;
};
std::optional<Requirement> requirement_of(const std::string& words);

/// Reads the text of a file called `name`. Malformed is also what MPICH aborts on when it reads it: a collective that
/// the vocabulary lacks, and a condition on calls that stands above the collective. O(text).
Result<std::vector<Branch>> read_selection_tree(const std::string& name, const std::string& text,
                                                const SelectionVocabulary& vocabulary);

/// Calls of a collective with elements, within one group of ranks: the number of ranks, facts, and intervals of sizes.
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
