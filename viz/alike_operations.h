// AlikeOperations: the classes of a program's operations that do alike (folded_order.h), and of its ranks.
#pragma once

#include <optional>
#include <vector>

#include "viz/folded_order.h"

namespace onceover::viz {

/// The classes of a program that doesn't change.
class AlikeOperations {
 public:
  /// Nothing if operations wait in a circle, or there are too many to compare.
  static std::optional<AlikeOperations> of(const OrderedProgram& program);

  /// The class of an operation, and of a rank.
  std::size_t class_of(std::size_t operation) const { return classes_[operation]; }
  std::size_t class_of_rank(Rank rank) const { return rank_classes_[static_cast<std::size_t>(rank)]; }

  /// The length of the longest chain of operations that must come before it. Equal for operations that are alike.
  std::size_t level_of(std::size_t operation) const { return levels_[operation]; }

 private:
  AlikeOperations() = default;

  std::vector<std::size_t> classes_, levels_;  // by operation
  std::vector<std::size_t> rank_classes_;
};

}  // namespace onceover::viz
