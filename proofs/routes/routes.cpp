// The definitions of the theory in Coq, one maker each: routes along peers, turned routes, trees, an odd rank,
// products, lanes, ranks renamed, ranks attached, and other paces.
//
// One thing is said differently. In Coq, a rank passes a block on in one dimension if it hasn't done so in another one.
// Here, each dimension says when it would pass the block on, and the earliest of them does: since each would do it
// once, that is the same. The tests compare the two.
//
// Example: on 2 x 2 ranks, steps by turns, rank 0 would pass block 3 on at step 0 in the first dimension, to rank 2,
// and at step 1 in the second one, to rank 1. It does the former. Rank 2 then passes it on in the second dimension.
//
// All loops are over ranks, steps and blocks. Peers that are the same when all ranks are turned by 1 or 2 take O(p) for
// each step, others O(p^2) in all. A row takes O(blocks).

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
  /// `hops` has a row for each rank, of the owners below the period.
  TurnedRoutes(Rank p, Block owners, int steps, Rank period, std::vector<Hop> hops)
      : Routes(p, owners, steps), period_(period), hops_(std::move(hops)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    const Block apart = std::min(period_, blocks());
    for (Rank turn = 0; turn < blocks(); turn += apart) {
      const Rank seen = x < turn ? x - turn + ranks() : x - turn;
      const Hop* hops = &hops_[at(std::int64_t{seen} * apart)];
      const Block owners = std::min(apart, blocks() - turn);
      for (Block q = 0; q < owners; ++q) row[at(turn + q)] = turned(hops[q], turn);
    }
  }

 private:
  Hop turned(Hop hop, Rank by) const {
    if (hop.is_never()) return hop;
    const Rank to = hop.to() + by;
    return {hop.step(), to < ranks() ? to : to - ranks()};
  }

  Rank period_;
  std::vector<Hop> hops_;
};

/// Whom each rank meets at each step.
using CallTable = std::vector<std::vector<Rank>>;

CallTable table_of(Rank p, int steps, const Peer& peer) {
  CallTable table(at(steps), std::vector<Rank>(at(p)));
  for (int t = 0; t < steps; ++t)
    for (Rank x = 0; x < p; ++x) table[at(t)][at(x)] = peer(x, t);
  return table;
}

/// Do all ranks see the same when they are turned by that much?
bool is_same_turned(const CallTable& table, Rank by) {
  return std::all_of(table.begin(), table.end(), [&](const std::vector<Rank>& peers) {
    const auto p = static_cast<Rank>(peers.size());
    for (Rank x = 0; x < p; ++x)
      if (peers[at((x + by) % p)] != (peers[at(x)] + by) % p) return false;
    return true;
  });
}

/// 1 or 2 where the peers are the same turned by as much, else p.
Rank period_of(const CallTable& table, Rank p) {
  for (const Rank period : {1, 2})
    if (p % period == 0 && is_same_turned(table, period)) return period;
  return p;
}

/// Whose peer each rank is, at each step. No two ranks have one peer.
CallTable inverse_of(const CallTable& table) {
  CallTable inverse;
  for (const std::vector<Rank>& peers : table) {
    std::vector<Rank>& callers = inverse.emplace_back(peers.size(), -1);
    for (std::size_t x = 0; x < peers.size(); ++x) {
      assert(callers[at(peers[x])] == -1);
      callers[at(peers[x])] = static_cast<Rank>(x);
    }
  }
  return inverse;
}

/// The route of each rank to the owner, from the last step down: who can reach it, and whose peers they are. Rank x's
/// hop is at hops[x * owners].
void add_last_chances(const CallTable& callers, Rank p, Rank owner, Rank owners, std::span<Hop> hops) {
  stop_point();
  std::vector<Rank> reaching{owner};
  std::vector<char> reaches(at(p));
  reaches[at(owner)] = 1;
  for (std::size_t t = callers.size(); t-- > 0;)
    for (std::size_t k = 0, before = reaching.size(); k < before; ++k) {
      const Rank x = callers[t][at(reaching[k])];
      if (reaches[at(x)] != 0) continue;
      reaches[at(x)] = 1;
      hops[at(std::int64_t{x} * owners)] = {static_cast<int>(t), reaching[k]};
      reaching.push_back(x);
    }
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

class Relabelled final : public Routes {
 public:
  Relabelled(RoutesPtr routes, std::vector<Rank> seat, Renamed what)
      : Routes(routes->ranks(), routes->blocks(), routes->steps()),
        routes_(std::move(routes)),
        seat_(std::move(seat)),
        part_(seat_.size()),
        what_(what) {
    for (std::size_t x = 0; x < seat_.size(); ++x) part_[at(seat_[x])] = static_cast<Rank>(x);
  }

  void fill(Rank x, std::span<Hop> row) const override {
    std::vector<Hop> theirs(row.size());
    routes_->fill(part_[at(x)], theirs);
    for (std::size_t b = 0; b < theirs.size(); ++b) {
      const Hop hop = theirs[b];
      const std::size_t place = what_ == Renamed::ranks ? b : at(seat_[b]);
      row[place] = hop.is_never() ? hop : Hop(hop.step(), seat_[at(hop.to())]);
    }
  }

 private:
  RoutesPtr routes_;
  std::vector<Rank> seat_;
  std::vector<Rank> part_;
  Renamed what_;
};

class Paced final : public Routes {
 public:
  Paced(RoutesPtr routes, int steps, std::function<int(Rank, int)> when)
      : Routes(routes->ranks(), routes->blocks(), steps), routes_(std::move(routes)), when_(std::move(when)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    routes_->fill(x, row);
    for (Hop& hop : row)
      if (!hop.is_never()) hop = {when_(x, hop.step()), hop.to()};
  }

 private:
  RoutesPtr routes_;
  std::function<int(Rank, int)> when_;
};

class Attached final : public Routes {
 public:
  Attached(RoutesPtr routes, Rank more, std::function<Rank(Rank, Block)> onto)
      : Routes(routes->ranks() + more, routes->blocks(), routes->steps()),
        routes_(std::move(routes)),
        onto_(std::move(onto)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    if (x < routes_->ranks()) return routes_->fill(x, row);
    for (Block q = 0; q < blocks(); ++q) row[at(q)] = {0, onto_(x - routes_->ranks(), q)};
  }

 private:
  RoutesPtr routes_;
  std::function<Rank(Rank, Block)> onto_;
};

class WithoutLastStep final : public Routes {
 public:
  explicit WithoutLastStep(RoutesPtr routes)
      : Routes(routes->ranks(), routes->blocks(), routes->steps() - 1), routes_(std::move(routes)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    routes_->fill(x, row);
    for (Hop& hop : row)
      if (!hop.is_never() && hop.step() == steps()) hop = Hop();
  }

 private:
  RoutesPtr routes_;
};

class Meeting final : public Routes {
 public:
  explicit Meeting(const Routes& routes)
      : Routes(routes.ranks(), routes.blocks(), 1), pairs_(at(routes.blocks()), {nobody, nobody}) {
    std::vector<Hop> row(pairs_.size());
    for (Rank x = 0; x < ranks(); ++x) {
      stop_point();
      routes.fill(x, row);
      for (std::size_t b = 0; b < row.size(); ++b) {
        if (row[b].is_never() || row[b].step() + 1 != routes.steps()) continue;
        assert(pairs_[b].first == nobody);
        pairs_[b] = {x, row[b].to()};
      }
    }
  }

  void fill(Rank x, std::span<Hop> row) const override {
    for (std::size_t b = 0; b < row.size(); ++b) {
      const auto [one, other] = pairs_[b];
      row[b] = x == one ? Hop(0, other) : x == other ? Hop(0, one) : Hop();
    }
  }

 private:
  static constexpr Rank nobody = -1;
  std::vector<std::pair<Rank, Rank>> pairs_;  // who exchange a block
};

class OneStep final : public Routes {
 public:
  OneStep(Rank p, std::vector<std::vector<std::optional<Rank>>> table)
      : Routes(p, static_cast<Block>(table.size()), 1), table_(std::move(table)) {}

  void fill(Rank x, std::span<Hop> row) const override {
    for (std::size_t b = 0; b < table_.size(); ++b) row[b] = table_[b][at(x)] ? Hop(0, *table_[b][at(x)]) : Hop();
  }

 private:
  std::vector<std::vector<std::optional<Rank>>> table_;
};

}  // namespace

RoutesPtr alone() {
  return std::make_shared<Alone>();
}

RoutesPtr along_peers(Rank p, int steps, Rank owners, const Peer& peer) {
  const CallTable table = table_of(p, steps, peer);
  const Rank period = owners == 1 ? p : period_of(table, p);
  const Rank apart = std::min(period, owners);
  const CallTable callers = inverse_of(table);
  std::vector<Hop> hops(at(std::int64_t{p} * apart));
  for (Rank owner = 0; owner < apart; ++owner)
    add_last_chances(callers, p, owner, apart, std::span(hops).subspan(at(owner)));
  return std::make_shared<TurnedRoutes>(p, owners, steps, period, std::move(hops));
}

RoutesPtr turned(Rank p, int steps, Rank owners, const Route& to_zero) {
  std::vector<Hop> hops(at(p));
  for (Rank x = 0; x < p; ++x)
    for (int t = 0; t < steps && hops[at(x)].is_never(); ++t)
      if (const auto to = to_zero(t, x)) hops[at(x)] = {t, *to};
  return std::make_shared<TurnedRoutes>(p, owners, steps, 1, std::move(hops));
}

RoutesPtr tree(Rank p, int steps, Rank owners, const std::function<Rank(Rank)>& parent,
               const std::function<int(Rank)>& time) {
  std::vector<Hop> hops(at(p));
  for (Rank d = 1; d < p; ++d) hops[at(d)] = {time(d), parent(d)};
  return std::make_shared<TurnedRoutes>(p, owners, steps, 1, std::move(hops));
}

RoutesPtr relabelled(RoutesPtr routes, std::vector<Rank> seat, Renamed what) {
  return std::make_shared<Relabelled>(std::move(routes), std::move(seat), what);
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

RoutesPtr paced(RoutesPtr routes, int steps, std::function<int(Rank, int)> when) {
  return std::make_shared<Paced>(std::move(routes), steps, std::move(when));
}

RoutesPtr attached(RoutesPtr routes, Rank more, std::function<Rank(Rank, Block)> onto) {
  return std::make_shared<Attached>(std::move(routes), more, std::move(onto));
}

RoutesPtr carried(Rank p, Block blocks, int steps, const std::function<Rank(int, Block)>& position) {
  std::vector<Hop> hops(at(std::int64_t{p} * blocks));
  for (Block b = 0; b < blocks; ++b)
    for (int t = 0; t < steps; ++t) {
      const Rank from = position(t, b), to = position(t + 1, b);
      if (from == to) continue;
      Hop& hop = hops[at(std::int64_t{from} * blocks + b)];
      assert(hop.is_never());
      hop = Hop(t, to);
    }
  return std::make_shared<TurnedRoutes>(p, blocks, steps, blocks, std::move(hops));
}

RoutesPtr without_last_step(RoutesPtr routes) {
  return std::make_shared<WithoutLastStep>(std::move(routes));
}

RoutesPtr meeting(const RoutesPtr& routes) {
  return std::make_shared<Meeting>(*routes);
}

RoutesPtr one_step(Rank p, std::vector<std::vector<std::optional<Rank>>> table) {
  return std::make_shared<OneStep>(p, std::move(table));
}

}  // namespace onceover::proofs
