#include "schedules/groups.h"

#include <algorithm>
#include <numeric>

namespace onceover::schedules {

namespace {

std::size_t at(Block block) {
  return static_cast<std::size_t>(block);
}

}  // namespace

Groups::Groups(Block promised, Block scratch) : promised_(promised), parents_(at(promised) + at(scratch)) {
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

void Groups::settle() {
  numbers_.assign(parents_.size(), 0);
  std::int32_t count = 0;
  for (Block b = 0; b < static_cast<Block>(parents_.size()); ++b) {
    const Block home = root(b);
    numbers_[at(b)] = home < b ? numbers_[at(home)] : b < promised_ ? count++ : 0;
  }
  begins_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int32_t number : numbers_) ++begins_[static_cast<std::size_t>(number) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  members_.resize(parents_.size());
  std::vector<std::size_t> next = begins_;
  for (Block b = 0; b < static_cast<Block>(parents_.size()); ++b)
    members_[next[static_cast<std::size_t>(numbers_[at(b)])]++] = b;
  parents_ = {};
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
