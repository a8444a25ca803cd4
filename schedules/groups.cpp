#include "schedules/groups.h"

#include <algorithm>
#include <numeric>

namespace onceover::schedules {

namespace {

std::size_t at(Block block) {
  return static_cast<std::size_t>(block);
}

}  // namespace

Groups::Groups(Block promised, Block scratch)
    : promised_(promised), parents_(at(promised) + at(scratch)), named_(at(scratch) + 1) {
  std::iota(parents_.begin(), parents_.end(), 0);
}

Block Groups::root(Block block) {
  while (parents_[at(block)] != block) {
    parents_[at(block)] = parents_[at(parents_[at(block)])];
    block = parents_[at(block)];
  }
  return block;
}

// The lowest block of a group is its root, so a root that is scratch has no promised block.
void Groups::join(Block a, Block b) {
  const auto [low, high] = std::minmax({root(a), root(b)});
  parents_[at(high)] = low;
}

void Groups::name(Run run) {
  const auto count = static_cast<Block>(named_.size()) - 1;
  const Block first = std::max(run.first - promised_, 0), end = std::min(run.last - promised_ + 1, count);
  if (first >= end) return;
  ++named_[at(first)];
  --named_[at(end)];
}

void Groups::settle() {
  constexpr std::int32_t no_group = -1;
  std::partial_sum(named_.begin(), named_.end(), named_.begin());
  numbers_.assign(parents_.size(), no_group);
  std::int32_t count = 0;
  for (Block b = 0; b < static_cast<Block>(parents_.size()); ++b) {
    const Block home = root(b);
    if (home < b && numbers_[at(home)] == no_group) numbers_[at(home)] = 0;  // scratch that flows into scratch alone
    if (home < b)
      numbers_[at(b)] = numbers_[at(home)];
    else if (b < promised_)
      numbers_[at(b)] = count++;
    else if (named_[at(b - promised_)] > 0)
      numbers_[at(b)] = 0;
  }
  begins_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int32_t number : numbers_)
    if (number != no_group) ++begins_[static_cast<std::size_t>(number) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  members_.resize(begins_.back());
  std::vector<std::size_t> next = begins_;
  for (Block b = 0; b < static_cast<Block>(parents_.size()); ++b)
    if (const std::int32_t number = numbers_[at(b)]; number != no_group)
      members_[next[static_cast<std::size_t>(number)]++] = b;
  std::replace(numbers_.begin(), numbers_.end(), no_group, 0);
  parents_ = {};
  named_ = {};
}

std::span<const Block> Groups::of(Block block) const {
  return group(number(block));
}

Block Groups::largest() const {
  std::size_t most = 0;
  for (std::size_t g = 0; g < size(); ++g) most = std::max(most, group(g).size());
  return static_cast<Block>(most);
}

}  // namespace onceover::schedules
