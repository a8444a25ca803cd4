// The theory's functions of circulant graphs and of Bine trees, as functions.cpp has those of other rows.
//
// Example: bine_routes(7, true) is Swing's butterfly among six ranks, and one rank more that exchanges with each of
// them; bine_routes(6, false) has the steps of the same peers in reverse.

#include <algorithm>

#include "proofs/routes/functions.h"

namespace onceover::proofs {

namespace {

/// Circulant.v: circulant_left, for the first `owners` owners
RoutesPtr circulant_left(Rank p, Rank owners) {
  return turned(p, log2_up(p), owners, [=](int t, Rank d) {
    const Rank before = left(p, t), after = left(p, t + 1);
    return after <= d && d < before ? std::optional(d - after) : std::nullopt;
  });
}

/// CirculantRows.v: the rows of ranks on a line, 2p of them; CirculantBlocks.v: what they make of p ranks in a ring.
class CirculantRows {
 public:
  explicit CirculantRows(Rank p) : rounds_(log2_up(p)), rows_(1) {
    for (int k = 0; k <= rounds_; ++k) skips_.push_back(left(p, rounds_ - k));
    skips_.push_back(2 * p);
    for (Rank y = 1; y < 2 * p; ++y) rows_.push_back(row_of(y));
  }

  int rounds() const { return rounds_; }

  /// From whom rank x > 0 gets the block that is c before the last one, and when, in steps before the last one.
  Rank parent(Block c, Rank x) const { return (ranks() + x - skips_[at(round(c, x))]) % ranks(); }
  int time(Block c, Rank x) const {
    const int j = round(c, x), e = residue(c);
    if (c == 0) return rounds_ - 1 - j;
    return e == in_ring(x).first ? c + e + (rounds_ - 1 - j) : c + e - 1 - j;
  }

 private:
  struct Entry {
    int block;
    Rank from;  // the rank that has it as its first one
  };
  struct Row {
    int first = 0;
    std::vector<Entry> gets;  // in each round
  };

  Rank ranks() const { return skips_[at(rounds_)]; }
  const Row& in_ring(Rank x) const { return rows_[at(ranks() + x)]; }
  int residue(Block c) const { return (rounds_ - c % rounds_) % rounds_; }

  int round(Block c, Rank x) const {
    const Row& row = in_ring(x);
    const int e = c == 0 || residue(c) == row.first ? rounds_ : residue(c);
    const auto found =
        std::find_if(row.gets.begin(), row.gets.end(), [&](const Entry& each) { return each.block == e; });
    return static_cast<int>(found - row.gets.begin());
  }

  Row row_of(Rank y) const {
    const auto above = std::upper_bound(skips_.begin(), skips_.end(), y);
    const int k = static_cast<int>(above - skips_.begin()) - 1;
    const Rank skip = skips_[at(k)], r = y - skip;
    Row row{k, {}};
    if (r > 0) {
      row = rows_[at(r)];
      for (Entry& each : row.gets) each.from += skip;
      row.gets.push_back({k, skip});
    }
    while (static_cast<int>(row.gets.size()) < k) row.gets.push_back(next(y, row));
    return row;
  }

  /// The block to take of those offered that y lacks: the largest of those from beyond the next skip, else the first.
  Entry next(Rank y, const Row& row) const {
    const std::size_t j = row.gets.size();
    const Rank from = y - skips_[j], least = y - skips_[j + 1];
    std::vector<Entry> offered{{rows_[at(from)].first, from}};
    for (const Entry& each : rows_[at(from)].gets)
      if (offered.size() <= j) offered.push_back(each);
    const Entry* best = nullptr;
    for (const Entry& each : offered) {
      const auto same = [&](const Entry& got) { return got.block == each.block; };
      if (each.block == row.first || std::any_of(row.gets.begin(), row.gets.end(), same)) continue;
      if (best == nullptr || (each.from > least && (best->from <= least || best->block < each.block))) best = &each;
    }
    return *best;
  }

  int rounds_;
  std::vector<Rank> skips_;
  std::vector<Row> rows_;
};

/// An odd rank exchanges with rank x at step turns[x]. (Bine.v: bine_even, bine_with)
RoutesPtr bine_with(Rank p, Rank owners, bool halving, const std::function<std::vector<int>(int, Rank)>& turns) {
  if (p == 1) return alone();
  const Rank even = p - p % 2;
  const int steps = log2_up(even);
  const Peer peer = swing_peer(even, false);
  RoutesPtr routes = along_peers(even, steps, std::min(owners, even), halving ? peer : reversed(steps, peer));
  return p == even ? routes : with_odd_one(std::move(routes), turns(steps, even));
}

}  // namespace

RoutesPtr circulant_routes(Rank p) {
  return relabelled(circulant_left(p, p), mirror({p}), Renamed::ranks_and_owners);
}

RoutesPtr circulant_tree_routes(Rank p) {
  return circulant_left(p, 1);
}

RoutesPtr circulant_block_routes(Rank p, Block n) {
  const CirculantRows rows(p);
  const int steps = p == 1 ? 0 : n - 1 + rows.rounds();
  std::vector<RoutesPtr> trees;
  for (Block b = 0; b < n; ++b) {
    const Block c = n - 1 - b;
    trees.push_back(tree(
        p, steps, 1, [&](Rank x) { return rows.parent(c, x); }, [&](Rank x) { return rows.time(c, x); }));
  }
  return laned(std::move(trees));
}

RoutesPtr bine_routes(Rank p, bool halving) {
  return bine_with(p, p, halving, half_turns);
}

RoutesPtr bine_tree_routes(Rank p, bool halving) {
  return bine_with(p, 1, halving, [](int, Rank even) { return std::vector<int>(at(even), 0); });
}

}  // namespace onceover::proofs
