// Classes are refined until they are stable: two operations stay in one class only if they have as many neighbours of
// each class, for each reason and in each direction, and are of ranks with as many operations of each class. The first
// classes already tell levels apart, so that long threads take few rounds.

#include "viz/alike_operations.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace onceover::viz {

namespace {

constexpr std::size_t most_compared = 4'000'000;  // operations and waits, each round

/// A neighbour of an operation: why, in which direction, and who.
enum class Way : std::uint8_t { before, after, beside };
struct Neighbour {
  std::size_t reason;
  Way way;
  std::size_t operation;
};

using Neighbours = std::vector<std::vector<Neighbour>>;

bool follows(const OrderedProgram& program, std::size_t k) {
  if (k == 0 || !program.threads_are_ordered) return false;
  const auto &a = program.operations[k - 1], &b = program.operations[k];
  return a.rank == b.rank && a.thread == b.thread;
}

Neighbours neighbours_of(const OrderedProgram& program) {
  Neighbours all(program.operations.size());
  const auto join = [&](std::size_t before, std::size_t after, std::size_t reason, bool meet) {
    all[after].push_back({reason, meet ? Way::beside : Way::before, before});
    all[before].push_back({reason, meet ? Way::beside : Way::after, after});
  };
  for (std::size_t k = 1; k < all.size(); ++k)
    if (follows(program, k)) join(k - 1, k, program.reasons.size(), false);
  for (const OrderedProgram::Wait& wait : program.waits) join(wait.before, wait.after, wait.reason, wait.meet);
  return all;
}

/// Who goes on together: by operation, the number of its meeting.
std::vector<std::size_t> meetings_of(const Neighbours& neighbours) {
  constexpr std::size_t none = SIZE_MAX;
  std::vector<std::size_t> meeting(neighbours.size(), none);
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    if (meeting[k] != none) continue;
    open = {k};
    meeting[k] = k;
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      for (const Neighbour& n : neighbours[next])
        if (n.way == Way::beside && meeting[n.operation] == none) {
          meeting[n.operation] = k;
          open.push_back(n.operation);
        }
    }
  }
  return meeting;
}

/// By operation; nothing if some wait in a circle.
std::optional<std::vector<std::size_t>> levels_of(const Neighbours& neighbours) {
  const std::vector<std::size_t> meeting = meetings_of(neighbours);
  std::vector<std::vector<std::size_t>> members(neighbours.size());
  std::vector<std::size_t> missing(neighbours.size(), 0), level(neighbours.size(), 0), open;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    members[meeting[k]].push_back(k);
    for (const Neighbour& n : neighbours[k]) missing[meeting[k]] += n.way == Way::before ? 1 : 0;
  }
  std::size_t left = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    left += members[m].empty() ? 0 : 1;
    if (!members[m].empty() && missing[m] == 0) open.push_back(m);
  }
  for (; !open.empty(); --left) {
    const std::size_t m = open.back();
    open.pop_back();
    for (const std::size_t k : members[m])
      for (const Neighbour& n : neighbours[k]) {
        if (n.way != Way::after) continue;
        const std::size_t then = meeting[n.operation];
        level[then] = std::max(level[then], level[m] + 1);
        if (--missing[then] == 0) open.push_back(then);
      }
  }
  if (left > 0) return std::nullopt;
  std::vector<std::size_t> levels(neighbours.size());
  for (std::size_t k = 0; k < levels.size(); ++k) levels[k] = level[meeting[k]];
  return levels;
}

/// Numbers what is equal alike, from 0.
template <class Key>
class ClassNumbers {
 public:
  std::size_t operator()(Key key) { return numbers_.try_emplace(std::move(key), numbers_.size()).first->second; }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<Key, std::size_t> numbers_;
};

using Classes = std::vector<std::size_t>;

Classes first_classes(const OrderedProgram& program, const Classes& levels) {
  ClassNumbers<std::tuple<std::string, std::size_t, std::size_t, std::size_t>> numbers;
  Classes classes;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const OrderedProgram::Operation& o = program.operations[k];
    classes.push_back(numbers({o.words, levels[k], o.from.size(), o.to.size()}));
  }
  return classes;
}

/// By rank: which operations it has, by class.
Classes classes_of_ranks(const OrderedProgram& program, const Classes& classes) {
  std::map<Rank, Classes> of;
  for (std::size_t k = 0; k < classes.size(); ++k) of[program.operations[k].rank].push_back(classes[k]);
  const Rank last = of.empty() ? -1 : of.rbegin()->first;
  ClassNumbers<Classes> numbers;
  Classes ranks(static_cast<std::size_t>(last + 1), 0);
  for (auto& [rank, all] : of) {
    std::sort(all.begin(), all.end());
    ranks[static_cast<std::size_t>(rank)] = numbers(std::move(all));
  }
  return ranks;
}

/// The classes, told apart by their neighbours' and by their ranks'; and how many there are.
std::pair<Classes, std::size_t> refined(const OrderedProgram& program, const Neighbours& neighbours,
                                        const Classes& classes) {
  const Classes ranks = classes_of_ranks(program, classes);
  ClassNumbers<std::vector<std::size_t>> numbers;
  std::vector<std::tuple<std::size_t, Way, std::size_t>> seen;
  Classes result;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    seen.clear();
    for (const Neighbour& n : neighbours[k]) seen.emplace_back(n.reason, n.way, classes[n.operation]);
    std::sort(seen.begin(), seen.end());
    std::vector<std::size_t> key{classes[k], ranks[static_cast<std::size_t>(program.operations[k].rank)]};
    for (const auto& [reason, way, of] : seen) key.insert(key.end(), {reason, static_cast<std::size_t>(way), of});
    result.push_back(numbers(std::move(key)));
  }
  return {std::move(result), numbers.size()};
}

}  // namespace

std::optional<AlikeOperations> AlikeOperations::of(const OrderedProgram& program) {
  const Neighbours neighbours = neighbours_of(program);
  auto levels = levels_of(neighbours);
  if (!levels) return std::nullopt;
  AlikeOperations alike;
  alike.classes_ = first_classes(program, *levels);
  alike.levels_ = *std::move(levels);
  const std::size_t each_round = program.operations.size() + program.waits.size();
  std::size_t compared = 0;
  for (std::size_t count = 0, last = SIZE_MAX; count != last; compared += each_round) {
    if (compared > most_compared) return std::nullopt;
    last = std::exchange(count, 0);
    std::tie(alike.classes_, count) = refined(program, neighbours, alike.classes_);
  }
  alike.rank_classes_ = classes_of_ranks(program, alike.classes_);
  return alike;
}

}  // namespace onceover::viz
