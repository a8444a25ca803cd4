// RankClasses: the ranks that send alike in a step, so that one of each class stands for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

/// A division of the ranks by what they send in one step. Two ranks of a class send as many blocks in as many messages
/// with the same operations and lanes, to ranks that are as far from them. Which blocks these are isn't compared.
///
///   ring, bucket:          one class, by shifts
///   Swing, even p:         two, the even ranks and the odd ones
///   recursive doubling:    one, by xor: rank r sends to r xor m as rank 0 does to m
///   one rank that errs:    a class of its own
class RankClasses {
 public:
  /// Of each of the steps first .. end-1; equal messages have the same classes in memory. All by shifts of the torus
  /// or, for powers of two, all by xor: whichever gives fewer classes. Empty if a step has more than `most` by either.
  /// O(messages log messages) of those steps that differ from the ones before (see Schedule::alike), for each way.
  static std::vector<std::shared_ptr<const RankClasses>> of_steps(const Schedule& schedule, int first, int end,
                                                                  std::size_t most);

  std::size_t count() const { return representatives_.size(); }
  Rank ranks() const { return static_cast<Rank>(class_of_.size()); }

  /// The lowest rank of each class, ascending.
  const std::vector<Rank>& representatives() const { return representatives_; }

  Rank representative_of(Rank rank) const { return representatives_[class_of_[static_cast<std::size_t>(rank)]]; }

  /// Number of ranks of the class.
  Rank size_of(Rank representative) const;

  /// The rank that is as far from `to` as `rank` is from `from`.
  Rank moved(Rank rank, Rank from, Rank to) const;

  /// Are ranks compared by xor, rather than by shifts of the torus?
  bool is_by_xor() const { return is_by_xor_; }

  /// Do both say the same of every rank?
  friend bool operator==(const RankClasses& a, const RankClasses& b) {
    return a.class_of_ == b.class_of_ && a.is_by_xor_ == b.is_by_xor_;
  }

 private:
  /// Ends with more than `most` classes, or with those of all ranks.
  RankClasses(const Schedule& schedule, int step, const Symmetry& translations, std::size_t most);

  Symmetry translations_;
  bool is_by_xor_;
  std::vector<std::uint32_t> class_of_;
  std::vector<Rank> representatives_;
};

}  // namespace onceover::verifier
