#include "viz/distributed_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "base/result.h"
#include "base/sentences.h"
#include "schedules/catalogue.h"
#include "viz/messages.h"

namespace onceover::viz {

Rank Placing::place(Rank owner, Rank rank) const {
  if (kind_ == Kind::exclusive) return owner ^ rank;
  Rank place = 0, scale = 1;
  for (auto side = sides_.rbegin(); side != sides_.rend(); ++side) {
    const Rank from = owner % *side, to = rank % *side;
    const bool is_mirrored = kind_ == Kind::mirrored && from % 2 == 1;
    place += scale * (((is_mirrored ? from - to : to - from) + *side) % *side);
    owner /= *side;
    rank /= *side;
    scale *= *side;
  }
  return place;
}

std::string Placing::permutation(Rank from, Rank to) const {
  if (kind_ == Kind::exclusive) return fmt::format("xor {}", from ^ to);
  std::vector<Rank> by;
  for (auto side = sides_.rbegin(); side != sides_.rend(); ++side) {
    const Rank onward = (to % *side - from % *side + *side) % *side;
    by.insert(by.begin(), 2 * onward > *side ? onward - *side : onward);
    from /= *side;
    to /= *side;
  }
  return is_line() ? fmt::format("t^{}", by.front()) : fmt::format("t({})", fmt::join(by, ","));
}

bool Placing::is_kept_by(const Symmetry& symmetry) const {
  if (!symmetry.moves_all_ranks()) return false;
  const auto are_all = [](const std::vector<Rank>& numbers, auto&& hold) {
    return std::all_of(numbers.begin(), numbers.end(), hold);
  };
  if (kind_ == Kind::exclusive) return are_all(symmetry.sides, [](Rank side) { return side == 2; });
  return symmetry.sides == sides_ &&
         (kind_ == Kind::turned || are_all(symmetry.strides, [](Rank stride) { return stride % 2 == 0; }));
}

std::string Placing::explanation(bool are_rows) const {
  const std::string places = are_rows ? "Rows aren't ranks: row k is" : "Columns aren't ranks: column k is";
  if (kind_ == Kind::exclusive) return places + ", for each block, the rank owner xor k.";
  const std::string seen = is_line() ? "k after its owner" : "as far from its owner as rank k from rank 0";
  const std::string t = is_line() ? "t: one rank on" : "t(a,b,..): on by a, b, .. in each dimension";
  const std::string mirrored =
      is_line() ? " If the owner is odd, both go backward." : " Where the owner is odd, both go backward.";
  return fmt::format("{}, for each block, the rank {}. {}.{}", places, seen, t, kind_ == Kind::turned ? "" : mirrored);
}

namespace {

constexpr std::size_t most_moves = 20'000'000;

/// The blocks of a vector, by owner; refused if owners have different numbers of blocks, or if values of other promised
/// blocks flow into them.
Drawn<std::vector<Block>> members_of(const Schedule& schedule, Block block) {
  const Header& header = schedule.header();
  std::vector<std::vector<Block>> owned(static_cast<std::size_t>(header.ranks));
  for (Block b = 0; b < header.blocks; ++b) owned[static_cast<std::size_t>(header.owner(b))].push_back(b);
  const auto& beside = owned[static_cast<std::size_t>(header.owner(block))];
  const auto position = static_cast<std::size_t>(std::find(beside.begin(), beside.end(), block) - beside.begin());
  std::vector<Block> members;
  for (Rank owner = 0; owner < header.ranks; ++owner) {
    const auto& own = owned[static_cast<std::size_t>(owner)];
    if (own.size() != beside.size())
      return unsuitable(fmt::format("vectors: rank {} owns {} and rank {} owns {}, so blocks make no vectors",
                                    header.owner(block), counted(beside.size(), "block"), owner, own.size()));
    members.push_back(own[position]);
    if (schedule.groups() == nullptr) continue;
    for (const Block other : schedule.groups()->of(members.back()))
      if (other != members.back() && other < header.blocks)
        return unsuitable(fmt::format("vectors: values of block {} flow into block {}", members.back(), other));
  }
  return members;
}

/// The places that a block of the vector has on a rank: itself, and the scratch that belongs to it.
int slots_of(const Schedule& schedule, const std::vector<Block>& members) {
  std::size_t most = 1;
  if (schedule.groups() != nullptr)
    for (const Block block : members) most = std::max(most, std::size(schedule.groups()->of(block)));
  return static_cast<int>(most);
}

/// One rank of each orbit, and the second and the last: where a placing doesn't fit, these mostly differ.
std::vector<Rank> with_ends(const Symmetry& symmetry, Rank ranks) {
  std::vector<Rank> some = symmetry.representatives();
  some.insert(some.end(), {std::min(1, ranks - 1), ranks - 1});
  std::sort(some.begin(), some.end());
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

tl::unexpected<DrawError> too_many_moves() {
  return too_large(fmt::format("vectors: blocks move more than {} times", most_moves));
}

/// The moves of each of these owners' blocks under a placing, sorted.
Drawn<std::vector<std::vector<VectorMove>>> moves_of(const Schedule& schedule, const std::vector<Block>& members,
                                                     const Placing& placing, const std::vector<Rank>& owners) {
  const Header& header = schedule.header();
  std::vector<std::vector<VectorMove>*> of_block(static_cast<std::size_t>(header.blocks));
  std::vector<std::vector<VectorMove>> all(owners.size());
  for (std::size_t k = 0; k < owners.size(); ++k)
    of_block[static_cast<std::size_t>(members[static_cast<std::size_t>(owners[k])])] = &all[k];
  std::size_t count = 0;
  const auto add = [&](Block block, const Trace& trace) {
    auto* moves = of_block[static_cast<std::size_t>(block)];
    if (moves == nullptr || (count += trace.move_count()) > most_moves) return;
    const Rank owner = header.owner(block);
    const auto place = [&](Rank cell) {
      return cell / header.ranks * header.ranks + placing.place(owner, cell % header.ranks);
    };
    trace.for_each_move([&](int step, Op op, BlockTransfer move) {
      moves->push_back({step, op, place(move.src), place(move.dst)});
    });
    std::sort(moves->begin(), moves->end());
  };
  if (schedule.rescans())
    schedule.traces({0, header.blocks}, add);
  else
    for (const Rank owner : owners) {
      const Block block = members[static_cast<std::size_t>(owner)];
      schedule.traces({block, block + 1}, add);
    }
  if (count > most_moves) return too_many_moves();
  return all;
}

/// Placings that a schedule may have, the simplest first.
std::vector<Placing> placings(const Header& header) {
  const std::vector<Rank> sides = header.sides();
  std::vector<Placing> all{{Placing::Kind::turned, sides}};
  if (std::has_single_bit(static_cast<std::uint32_t>(header.ranks))) all.push_back({Placing::Kind::exclusive, sides});
  if (std::all_of(sides.begin(), sides.end(), [](Rank side) { return side % 2 == 0; }))
    all.push_back({Placing::Kind::mirrored, sides});
  return all;
}

/// The moves of the first of some owners' blocks, and whose block first moves otherwise, at which step.
struct Compared {
  std::vector<VectorMove> moves;
  std::optional<std::pair<Rank, int>> differs = {};
};

Drawn<Compared> compare(const Schedule& schedule, const std::vector<Block>& members, const Placing& placing,
                        const std::vector<Rank>& owners) {
  auto all = TRY(moves_of(schedule, members, placing, owners));
  const auto& first = all.front();
  for (std::size_t k = 1; k < all.size(); ++k) {
    const auto [at, other] = std::mismatch(first.begin(), first.end(), all[k].begin(), all[k].end());
    if (at == first.end() && other == all[k].end()) continue;
    return Compared{{}, std::pair(owners[k], at != first.end() ? at->step : other->step)};
  }
  return Compared{std::move(all.front())};
}

}  // namespace

Drawn<DistributedVector> distributed_vector(const Schedule& schedule, Block block) {
  const Header& header = schedule.header();
  if (is_rooted(header.collective) || is_carried(header.collective))
    return unsuitable(fmt::format("vectors: {} has no blocks that all move alike", name(header.collective)));
  const std::vector<Block> members = TRY(members_of(schedule, block));
  const auto symmetry = header.scratch == 0 ? find_symmetry(schedule, 1, most_moves).found : std::nullopt;
  const std::vector<Rank> all = all_ranks(header.ranks), some = symmetry ? with_ends(*symmetry, header.ranks) : all;
  std::optional<std::pair<Rank, int>> differs;  // under the simplest placing
  for (const Placing& placing : placings(header)) {
    Compared compared = TRY(compare(schedule, members, placing, some));
    if (!compared.differs && symmetry && !placing.is_kept_by(*symmetry)) {
      if (compared.moves.size() * all.size() > most_moves) return too_many_moves();
      compared = TRY(compare(schedule, members, placing, all));
    }
    if (!compared.differs) return DistributedVector{placing, std::move(compared.moves), slots_of(schedule, members)};
    if (!differs) differs = compared.differs;
  }
  return unsuitable(fmt::format(
      "vectors: in step {}, the blocks of ranks 0 and {} don't move alike, so there are no distributed vectors",
      differs->second, differs->first));
}

namespace {

/// The step with the most moves, the first of them; -1 if there is none.
int fullest_step(const std::map<int, std::size_t>& count) {
  const auto fullest =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fullest == count.end() ? -1 : fullest->first;
}

}  // namespace

std::optional<ParallelTrees> parallel_trees(std::vector<VectorMove> moves, bool is_backwards) {
  if (is_backwards)
    for (VectorMove& move : moves) {
      move.step = -move.step;
      std::swap(move.from, move.to);
    }
  std::vector<std::size_t> order(moves.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return moves[a].step < moves[b].step; });

  std::map<int, std::size_t> count;  // of moves, by step
  for (const VectorMove& move : moves) ++count[move.step];
  const int first = fullest_step(count);
  if (count.empty() || count.rbegin()->first == first || count[first] < 2) return std::nullopt;

  ParallelTrees found{{0}, std::vector<int>(moves.size(), -1)};
  std::map<Rank, int> tree_of{{0, -1}};  // by place that has the vector; those above the trees have -1
  std::set<std::pair<int, int>> busy;    // steps and trees
  bool has_trees = false;
  for (const std::size_t k : order) {
    const VectorMove& move = moves[k];
    if (move.step >= first && !std::exchange(has_trees, true)) {
      found.roots.clear();
      for (auto& [place, tree] : tree_of) {
        tree = static_cast<int>(found.roots.size());
        found.roots.push_back(place);
      }
      if (found.roots.size() != count[first]) return std::nullopt;
    }
    const auto from = tree_of.find(move.from);
    if (from == tree_of.end() || !tree_of.emplace(move.to, from->second).second) return std::nullopt;
    found.tree[k] = from->second;
    if (has_trees && !busy.emplace(move.step, from->second).second) return std::nullopt;
  }
  return found;
}

}  // namespace onceover::viz
