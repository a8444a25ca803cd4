// The functions of RemovedSteps.v and RemovedOnce.v, by the names that they have in Coq; read them side by side.
//
// Vector m is the set of all blocks that are m places to the left of their ranks. In a factor of n, N(0) = n vectors
// are folded, and N(t) are left after t steps. Where an odd number is folded, vector 0 rests.
//
// Example: n = 5, one step removed. The vectors 0 and 1 are wanted. N = 5, 3, 2, 1, so the first folding is the first
// odd one: before it, vector 1 is copied. The last step copies it home.

#include <algorithm>
#include <memory>
#include <utility>

#include "proofs/routes/functions.h"

namespace onceover::proofs {

namespace {

/// What becomes of the vectors of one factor. (RemovedSteps.v: Fold)
class Fold {
 public:
  Fold(Rank n, int removed) : n_(n), folds_(log2_up(n)) {
    left_.push_back(n);
    for (int t = 0; t < folds_; ++t) left_.push_back((left_.back() + 1) / 2);
    targets_ = left_[at(folds_ - removed)];
    while (odd_step_ < folds_ && is_even(odd_step_)) ++odd_step_;
  }

  Rank n() const { return n_; }
  int folds() const { return folds_; }
  int odd_step() const { return odd_step_; }
  Rank left(int t) const { return left_[at(t)]; }
  Rank shift(int t) const { return left(t) / 2; }
  bool is_even(int t) const { return left(t) % 2 == 0; }

  bool moving(int t, Rank m) const { return t < folds_ && (m == 0 ? n_ : m) <= targets_ + left(t) - 2; }
  bool resting(Rank m) const { return m < targets_; }
  bool apart(Rank m) const { return resting(m) && moving(odd_step_ + 1, m); }
  bool adds(int t, Rank m) const {
    return moving(t + 1, m) || (is_even(t) && resting(m) && !(odd_step_ < t && apart(m)));
  }
  bool adds_to_copy(int t, Rank m) const { return odd_step_ < t && is_even(t) && apart(m); }

  /// RemovedScratch.v
  bool keeps_two() const {
    bool is_found = false;
    for (Rank m = 0; m < n_; ++m) is_found = is_found || apart(m);
    return is_found;
  }

 private:
  Rank n_;
  int folds_;
  std::vector<Rank> left_;
  Rank targets_ = 1;
  int odd_step_ = 0;
};

/// One factor of the group: n vectors in one digit, above a part below `inner`. (RemovedOnce.v: Factor)
struct Digit {
  Fold fold;
  Rank inner;

  Rank turn(Rank x, Rank by) const {
    const Rank n = fold.n(), whole = n * inner;
    return x / whole * whole + (x / inner + by) % n * inner + x % inner;
  }
  Rank places(Rank x, Block b) const {
    const Rank n = fold.n();
    return (x / inner % n + (n - b / inner % n)) % n;
  }
};

using Digits = std::shared_ptr<const std::vector<Digit>>;

/// What place (x, b) or its copy takes, where vector m of the digit is at home.
using Step = std::function<std::optional<Source>(const Digit& digit, Rank x, Rank m, bool is_copy)>;

/// Takes a step in digit k, of the blocks of which sums are needed still: the vectors that are so in all digits before.
/// (RemovedOnce.v: kept, done_at)
Taking in_digit(Digits digits, std::size_t k, Step step) {
  return [=](Rank x, Block b, bool is_copy) -> std::optional<Source> {
    for (std::size_t d = 0; d < k; ++d)
      if (!(*digits)[d].fold.resting((*digits)[d].places(x, b))) return std::nullopt;
    const Digit& digit = (*digits)[k];
    return step(digit, x, digit.places(x, b), is_copy);
  };
}

Step folding_step(int t) {
  return [=](const Digit& digit, Rank x, Rank m, bool is_copy) -> std::optional<Source> {
    const Fold& fold = digit.fold;
    if (is_copy && t == fold.odd_step() && fold.apart(m)) return Source{x, false, Op::copy};
    if (!(is_copy ? fold.adds_to_copy(t, m) : fold.adds(t, m))) return std::nullopt;
    return Source{digit.turn(x, fold.shift(t)), false, Op::reduce};
  };
}

std::optional<Source> home_step(const Digit& digit, Rank x, Rank m, bool is_copy) {
  return !is_copy && digit.fold.apart(m) ? std::optional(Source{x, true, Op::copy}) : std::nullopt;
}

Step spreading_step(int t) {
  return [=](const Digit& digit, Rank x, Rank m, bool is_copy) -> std::optional<Source> {
    const Fold& fold = digit.fold;
    if (is_copy || m < fold.left(t + 1) || m >= fold.left(t)) return std::nullopt;
    return Source{digit.turn(x, fold.n() - fold.shift(t)), false, Op::copy};
  };
}

/// The factors, each with its share of the removed steps: the last ones have most. (RemovedOnce.v: shares)
std::vector<std::pair<Digit, int>> shares(const Sides& extents, int removed) {
  std::vector<std::pair<Digit, int>> all;
  Rank inner = 1;
  for (auto n = extents.rbegin(); n != extents.rend(); ++n) {
    const int own = std::min(removed, log2_up(*n));
    all.insert(all.begin(), {{Fold(*n, own), inner}, own});
    removed -= own;
    inner *= *n;
  }
  return all;
}

}  // namespace

RoutedSchedule removed_steps_schedule(const Sides& extents, int removed) {
  const auto factors = shares(extents, removed);
  const auto digits = std::make_shared<std::vector<Digit>>();
  for (const auto& factor : factors) digits->push_back(factor.first);
  Takings takings;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Fold& fold = factors[k].first.fold;
    for (int t = 0; t < fold.folds(); ++t) takings.steps.push_back(in_digit(digits, k, folding_step(t)));
    if (fold.keeps_two()) takings.steps.push_back(in_digit(digits, k, home_step));
    takings.has_copies = takings.has_copies || fold.keeps_two();
  }
  for (std::size_t k = factors.size(); k-- > 0;)
    for (int t = factors[k].first.fold.folds() - factors[k].second; t-- > 0;)
      takings.steps.push_back(in_digit(digits, k, spreading_step(t)));
  Rank p = 1;
  for (const Rank n : extents) p *= n;
  return {p, p, {}, std::move(takings)};
}

}  // namespace onceover::proofs
