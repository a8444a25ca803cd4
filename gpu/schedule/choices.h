// The choices of runs through all interleavings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace onceover::gpu {

/// How many strong accesses of each thread are certainly before: by program order, since their values were read, by
/// barriers, and by beginnings and ends of kernels. By threads; missing ones are 0. Empty unless all interleavings are
/// tried.
using TraceClock = std::vector<std::uint32_t>;
using TracePointer = std::shared_ptr<const TraceClock>;

inline void join(TraceClock& into, const TraceClock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (std::size_t thread = 0; thread < other.size(); ++thread) into[thread] = std::max(into[thread], other[thread]);
}
inline bool knows(const TraceClock& clock, std::uint32_t thread, std::uint32_t count) {
  return thread < clock.size() && clock[thread] >= count;
}

/// A tree of choices, of which each run takes one way from the root to a leaf, depth first. A run must make the same
/// choices again as long as it is given the same answers.
class ChoiceTree {
 public:
  /// To the root: a run begins.
  void restart() { at_ = 0; }
  /// One of `count` ways, the first one first.
  std::uint32_t choose(std::uint32_t count) {
    if (at_ == choices_.size()) choices_.push_back({0, count});
    return choices_[at_++].taken;
  }
  /// A choice of two, of which the second is taken only if that is asked for. Returns its place.
  std::size_t choose_to_go() {
    choose(1);
    return at_ - 1;
  }
  bool is_to_wait(std::size_t place) const { return choices_[place].taken == 1; }
  void ask_to_wait(std::size_t place) { choices_[place].count = 2; }

  /// Prepares the next run. False if there is none.
  bool next() {
    choices_.resize(at_);
    while (!choices_.empty() && choices_.back().taken + 1 >= choices_.back().count) choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().taken;
    return true;
  }

 private:
  struct Choice {
    std::uint32_t taken;
    std::uint32_t count;
  };
  std::vector<Choice> choices_;
  std::size_t at_ = 0;
};

}  // namespace onceover::gpu
