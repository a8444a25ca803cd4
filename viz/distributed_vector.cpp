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

std::string Placing::explanation() const {
  if (kind_ == Kind::exclusive) return "Column k: every block, on the rank that is its owner xor k.";
  const std::string seen = is_line() ? "k ranks after its owner" : "as far from its owner as rank k from rank 0";
  const std::string t = is_line() ? "t: one rank on" : "t(a,b,..): on by a, b, .. in each dimension";
  if (kind_ == Kind::turned) return fmt::format("Column k: every block, {}. {}.", seen, t);
  return fmt::format("Column k: every block, {}. {}. {}, both go backward.", seen, t,
                     is_line() ? "If the owner is odd" : "Where the owner is odd");
}

namespace {

constexpr std::size_t most_moves = 20'000'000;

/// The blocks of a vector: which belongs to which owner, and the scratch that belongs to them.
class Members {
 public:
  static Drawn<Members> make(const Schedule& schedule, Block block) {
    const Header& header = schedule.header();
    std::vector<std::vector<Block>> owned(static_cast<std::size_t>(header.ranks));
    for (Block b = 0; b < header.blocks; ++b) owned[static_cast<std::size_t>(header.owner(b))].push_back(b);
    const auto& beside = owned[static_cast<std::size_t>(header.owner(block))];
    const auto position = static_cast<std::size_t>(std::find(beside.begin(), beside.end(), block) - beside.begin());
    Members members(header);
    for (Rank owner = 0; owner < header.ranks; ++owner) {
      if (owned[static_cast<std::size_t>(owner)].size() != beside.size())
        return unsuitable(fmt::format("vectors: rank {} owns {} and rank {} owns {}, so blocks make no vectors",
                                      header.owner(block), counted(beside.size(), "block"), owner,
                                      owned[static_cast<std::size_t>(owner)].size()));
      if (auto done = members.add(schedule, owner, owned[static_cast<std::size_t>(owner)][position]); !done)
        return tl::unexpected(done.error());
    }
    return members;
  }

  int slots() const { return slots_; }

  /// The owner of the block, or of the block whose scratch it is; -1 if that isn't in the vector.
  Rank owner(Block block) const { return owners_[static_cast<std::size_t>(block)]; }
  Rank slot(Block block) const { return slot_of_[static_cast<std::size_t>(block)]; }

 private:
  explicit Members(const Header& header)
      : owners_(static_cast<std::size_t>(header.all_blocks()), -1), slot_of_(owners_.size(), 0) {}

  Drawn<void> add(const Schedule& schedule, Rank owner, Block block) {
    Rank slot = 0;
    const auto add_one = [&](Block b) {
      owners_[static_cast<std::size_t>(b)] = owner;
      slot_of_[static_cast<std::size_t>(b)] = slot++;
    };
    add_one(block);
    if (schedule.groups() != nullptr) {
      for (const Block other : schedule.groups()->of(block)) {
        if (other == block) continue;
        if (other < schedule.header().blocks)
          return unsuitable(fmt::format("vectors: values of block {} flow into block {}", block, other));
        add_one(other);
      }
    }
    slots_ = std::max(slots_, static_cast<int>(slot));
    return {};
  }

  std::vector<Rank> owners_;   // by block
  std::vector<Rank> slot_of_;  // by block
  int slots_ = 1;
};

/// The moves of each owner's block under a placing, sorted.
using MovesByOwner = std::vector<std::vector<VectorMove>>;

Drawn<MovesByOwner> moves_by_owner(const Schedule& schedule, const Members& members, const Placing& placing) {
  const Rank ranks = schedule.header().ranks;
  MovesByOwner all(static_cast<std::size_t>(ranks));
  std::vector<Transfer> transfers;
  std::size_t count = 0;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.for_each_landing([&](const BlockSet& set, Block shift) {
        set.for_each_run([&](Run run) {
          for (Block block = run.first; block <= run.last; ++block) {
            const Rank owner = members.owner(block);
            if (owner < 0) continue;
            ++count;
            all[static_cast<std::size_t>(owner)].push_back(
                {step, t.op, members.slot(block) * ranks + placing.place(owner, t.src),
                 members.slot(block + shift) * ranks + placing.place(owner, t.dst)});
          }
        });
      });
    if (count > most_moves) return too_large(fmt::format("vectors: blocks move more than {} times", most_moves));
  }
  for (auto& moves : all) std::sort(moves.begin(), moves.end());
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

/// Where two blocks first move differently, if they do: the number of the move.
std::optional<std::size_t> difference(const std::vector<VectorMove>& a, const std::vector<VectorMove>& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() && other == b.end()) return std::nullopt;
  return static_cast<std::size_t>(at - a.begin());
}

}  // namespace

Drawn<DistributedVector> distributed_vector(const Schedule& schedule, Block block) {
  const Header& header = schedule.header();
  if (is_rooted(header.collective) || is_carried(header.collective))
    return unsuitable(fmt::format("vectors: {} has no blocks that all move alike", name(header.collective)));
  const auto members = TRY(Members::make(schedule, block));
  std::string why;
  for (const Placing& placing : placings(header)) {
    auto moves = TRY(moves_by_owner(schedule, members, placing));
    std::optional<std::size_t> differs;
    Rank owner = 0;
    while (!differs && ++owner < header.ranks) differs = difference(moves[0], moves[static_cast<std::size_t>(owner)]);
    if (!differs) return DistributedVector{placing, std::move(moves[0]), members.slots()};
    const auto& of_first = moves[0];
    const auto& of_other = moves[static_cast<std::size_t>(owner)];
    const VectorMove& move = *differs < of_first.size() ? of_first[*differs] : of_other[*differs];
    if (why.empty())
      why =
          fmt::format("in step {}, the blocks of ranks 0 and {} don't move alike, so there are no distributed vectors",
                      move.step, owner);
  }
  return unsuitable("vectors: " + why);
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
