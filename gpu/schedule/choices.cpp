#include "gpu/schedule/choices.h"

#include <algorithm>

namespace onceover::gpu {

void join(TraceClock& into, const TraceClock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (std::size_t thread = 0; thread < other.size(); ++thread) into[thread] = std::max(into[thread], other[thread]);
}

bool knows(const TraceClock& clock, std::uint32_t thread, std::uint32_t count) {
  return thread < clock.size() && clock[thread] >= count;
}

std::uint32_t ChoiceTree::choose(std::uint32_t count) {
  if (at_ == choices_.size()) choices_.push_back({0, count});
  return choices_[at_++].taken;
}

std::size_t ChoiceTree::choose_to_go() {
  choose(1);
  return at_ - 1;
}

bool ChoiceTree::next() {
  choices_.resize(at_);
  while (!choices_.empty() && choices_.back().taken + 1 >= choices_.back().count) choices_.pop_back();
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

}  // namespace onceover::gpu
