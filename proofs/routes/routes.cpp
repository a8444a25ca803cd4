// Each maker here is one definition of the theory. The rows of a product are the one thing that is said differently: in
// Coq a rank passes a block on in one dimension if it hasn't yet done so in another one. As each dimension would pass
// it on once, that is: at the earliest of the dimensions' steps, and in no other.
//
// Example: on 2 x 2 ranks, steps by turns, rank 0 would pass block 3 on at step 0 in the first dimension, to rank 2,
// and at step 1 in the second one, to rank 1. It does the former; rank 2 then passes it on in the second dimension.

#include "proofs/routes/routes.h"

#include <algorithm>
#include <cassert>

#include "base/stop.h"

namespace onceover::proofs {

namespace {

class Alone final : public Routes {
 public:
  Alone() : Routes(1, 1, 0) {}
  void fill(Rank, std::span<Hop> row) const override { row[0] = Hop(); }
};

/// The routes to owner q are those to owner q mod `period`, turned by the rest.
class TurnedRoutes final : public Routes {
 public:
  TurnedRoutes(Rank p, Block owners, int steps, Rank period, std::vector<std::vector<Hop>> to_first)
      : Routes(p, owners, steps), period_(period), to_first_(std::move(to_first)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    for (Rank turn = 0; turn < blocks(); turn += period_) {
      const Rank seen = x < turn ? x - turn + ranks() : x - turn;
      for (Rank q = turn; q < std::min(turn + period_, blocks()); ++q)
        row[at(q)] = turned(to_first_[at(q - turn)][at(seen)], turn);
    }
  }

 private:
  Hop turned(Hop hop, Rank by) const {
    if (hop.is_never()) return hop;
    const Rank to = hop.to() + by;
    return {hop.step(), to < ranks() ? to : to - ranks()};
  }

  Rank period_;
  std::vector<std::vector<Hop>> to_first_;  // to each owner below the period, from every rank
};

/// Whom each rank meets at each step.
using PeerTable = std::vector<std::vector<Rank>>;

PeerTable table_of(Rank p, int steps, const Peer& peer) {
  PeerTable table(at(steps), std::vector<Rank>(at(p)));
  for (int t = 0; t < steps; ++t)
    for (Rank x = 0; x < p; ++x) table[at(t)][at(x)] = peer(x, t);
  return table;
}

/// Do all ranks see the same when they are turned by that much?
bool is_same_turned(const PeerTable& table, Rank by) {
  return std::all_of(table.begin(), table.end(), [&](const std::vector<Rank>& peers) {
    const auto p = static_cast<Rank>(peers.size());
    for (Rank x = 0; x < p; ++x)
      if (peers[at((x + by) % p)] != (peers[at(x)] + by) % p) return false;
    return true;
  });
}

/// 1 or 2 where the peers are the same turned by as much, else p.
Rank period_of(const PeerTable& table, Rank p) {
  for (const Rank period : {1, 2})
    if (p % period == 0 && is_same_turned(table, period)) return period;
  return p;
}

/// The route of each rank to the owner, from the last step down: who has reached it so far, and who does now.
std::vector<Hop> last_chances(const PeerTable& table, Rank p, Rank owner) {
  stop_point();
  std::vector<Hop> hops(at(p));
  std::vector<char> reaches(at(p));
  reaches[at(owner)] = 1;
  std::vector<Rank> now;
  for (std::size_t t = table.size(); t-- > 0;) {
    now.clear();
    for (Rank x = 0; x < p; ++x)
      if (reaches[at(x)] == 0 && reaches[at(table[t][at(x)])] != 0) now.push_back(x);
    for (const Rank x : now) {
      reaches[at(x)] = 1;
      hops[at(x)] = {static_cast<int>(t), table[t][at(x)]};
    }
  }
  return hops;
}

class WithOddOne final : public Routes {
 public:
  WithOddOne(RoutesPtr others, std::vector<int> turn)
      : Routes(others->ranks() + 1, others->blocks() + (others->blocks() == others->ranks() ? 1 : 0), others->steps()),
        others_(std::move(others)),
        turn_(std::move(turn)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    const Rank last = others_->ranks();
    const auto theirs = row.first(at(others_->blocks()));
    if (x < last) {
      others_->fill(x, theirs);
      if (blocks() > last) row[at(last)] = {turn_[at(x)], last};
      return;
    }
    for (Rank q = 0; q < others_->blocks(); ++q) row[at(q)] = {turn_[at(q)], q};
    if (blocks() > last) row[at(last)] = Hop();
  }

 private:
  RoutesPtr others_;
  std::vector<int> turn_;
};

template <class Value>
Value product_of(const std::vector<RoutesPtr>& sides, Value (Routes::*of)() const) {
  Value product = 1;
  for (const RoutesPtr& side : sides) product *= ((*side).*of)();
  return product;
}

class Torus final : public Routes {
 public:
  Torus(std::vector<RoutesPtr> sides, const std::vector<int>& order)
      : Routes(product_of(sides, &Routes::ranks), product_of(sides, &Routes::blocks), static_cast<int>(order.size())),
        sides_(std::move(sides)),
        when_(sides_.size()) {
    for (std::size_t s = 0; s < order.size(); ++s) when_[at(order[s])].push_back(static_cast<int>(s));
    for (std::size_t k = 0; k < sides_.size(); ++k) assert(when_[k].size() == at(sides_[k]->steps()));
  }

  // From the last dimension, the fastest, to the first. The last blocks come first, so that what is read is still
  // there.
  void fill(Rank x, std::span<Hop> row) const override {
    row[0] = Hop();
    Block filled = 1;
    Rank gap = 1;  // ranks from one coordinate to the next
    std::vector<Hop> side_row;
    for (std::size_t k = sides_.size(); k-- > 0;) {
      const Routes& side = *sides_[k];
      const Rank here = x / gap % side.ranks();
      side_row.resize(at(side.blocks()));
      side.fill(here, side_row);
      for (Block q = side.blocks(); q-- > 0;) {
        const Hop hop = side_row[at(q)];
        const Hop mine = hop.is_never() ? hop : Hop(when_[k][at(hop.step())], x + (hop.to() - here) * gap);
        for (Block rest = 0; rest < filled; ++rest) row[at(q * filled + rest)] = std::min(mine, row[at(rest)]);
      }
      filled *= side.blocks();
      gap *= side.ranks();
    }
  }

 private:
  std::vector<RoutesPtr> sides_;
  std::vector<std::vector<int>> when_;  // each step of a dimension, among all steps
};

class Laned final : public Routes {
 public:
  explicit Laned(std::vector<RoutesPtr> lanes)
      : Routes(lanes.front()->ranks(), blocks_of(lanes), steps_of(lanes)), lanes_(std::move(lanes)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    for (const RoutesPtr& lane : lanes_) {
      lane->fill(x, row.first(at(lane->blocks())));
      row = row.subspan(at(lane->blocks()));
    }
  }

 private:
  static Block blocks_of(const std::vector<RoutesPtr>& lanes) {
    Block blocks = 0;
    for (const RoutesPtr& lane : lanes) blocks += lane->blocks();
    return blocks;
  }

  static int steps_of(const std::vector<RoutesPtr>& lanes) {
    int steps = 0;
    for (const RoutesPtr& lane : lanes) steps = std::max(steps, lane->steps());
    return steps;
  }

  std::vector<RoutesPtr> lanes_;
};

class Exchange final : public Routes {
 public:
  Exchange(Rank p, std::vector<Rank> peers) : Routes(p, 1, 1), peers_(std::move(peers)) {}
  void fill(Rank x, std::span<Hop> row) const override { row[0] = {0, peers_[at(x)]}; }

 private:
  std::vector<Rank> peers_;
};

}  // namespace

RoutesPtr alone() {
  return std::make_shared<Alone>();
}

RoutesPtr along_peers(Rank p, int steps, Rank owners, const Peer& peer) {
  const PeerTable table = table_of(p, steps, peer);
  const Rank period = period_of(table, p);
  std::vector<std::vector<Hop>> to_first;
  for (Rank owner = 0; owner < std::min(period, owners); ++owner) to_first.push_back(last_chances(table, p, owner));
  return std::make_shared<TurnedRoutes>(p, owners, steps, period, std::move(to_first));
}

RoutesPtr turned(Rank p, int steps, Rank owners, const Route& to_zero) {
  std::vector<Hop> hops(at(p));
  for (int t = 0; t < steps; ++t)
    for (Rank x = 0; x < p; ++x)
      if (const auto to = to_zero(t, x)) hops[at(x)] = {t, *to};
  return std::make_shared<TurnedRoutes>(p, owners, steps, 1, std::vector<std::vector<Hop>>{std::move(hops)});
}

RoutesPtr with_odd_one(RoutesPtr others, std::vector<int> turn) {
  return std::make_shared<WithOddOne>(std::move(others), std::move(turn));
}

RoutesPtr torus_of(std::vector<RoutesPtr> sides, const std::vector<int>& order) {
  return std::make_shared<Torus>(std::move(sides), order);
}

RoutesPtr laned(std::vector<RoutesPtr> lanes) {
  return lanes.size() == 1 ? lanes.front() : std::make_shared<Laned>(std::move(lanes));
}

RoutesPtr exchange(Rank p, const std::function<Rank(Rank)>& peer) {
  std::vector<Rank> peers;
  for (Rank x = 0; x < p; ++x) peers.push_back(peer(x));
  return std::make_shared<Exchange>(p, std::move(peers));
}

}  // namespace onceover::proofs
