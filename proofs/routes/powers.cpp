// The functions of the theory that work on powers of two, on any torus: sides of other lengths are folded, or thirds
// are eliminated. Each comment names the definition in Coq; read the two side by side.
//
// Example: a side of 7 ranks is folded onto 4. Coordinates 4, 5 and 6 give their vectors to 0, 1 and 2 first. Blocks
// are those of the 4, so a torus 7x6 has 4 * 4 blocks a lane.
//
// Whole vectors are said by what a rank gets: at each step one rank's vector, or nothing. A step is a phase, since all
// that it moves is added, or all is copied. A torus takes one dimension's step at a time, where a rank takes part if
// all its other coordinates do at that time.
//
// They are loops over ranks, steps and dimensions. Making whole vectors takes O(p) for each step.

#include <algorithm>
#include <cassert>
#include <numeric>

#include "proofs/routes/functions.h"

namespace onceover::proofs {

namespace {

/// The exponent of the largest power of two that is at most n, and that power. (Nat.log2; Folded.v: inner)
int log2(Rank n) {
  const int up = log2_up(n);
  return power(up) == n ? up : up - 1;
}

Rank inner(Rank n) {
  return power(log2(n));
}

/// A step more before it, in which nothing moves. (Attached.v: later)
RoutesPtr later(RoutesPtr routes) {
  const int steps = routes->steps() + 1;
  return paced(std::move(routes), steps, [](Rank, int t) { return t + 1; });
}

/// The ranks beyond those of a factor give it their vectors first. (Folded.v: halving, folded, halving_side)
RoutesPtr halving_side(Peers peers, Rank n) {
  const Rank m = inner(n);
  RoutesPtr routes = peers == Peers::near_first ? doubling_near_routes(m) : doubling_far_routes(m);
  if (n == m) return routes;
  return attached(later(std::move(routes)), n - m, [](Rank i, Block) { return i; });
}

/// The sides that fold, one by one. (Folded.v: folds)
std::vector<int> folds(const Sides& sides) {
  std::vector<int> order;
  for (std::size_t k = 0; k < sides.size(); ++k)
    if (sides[k] != inner(sides[k])) order.push_back(static_cast<int>(k));
  return order;
}

/// These sides first, then the inner torus. (Folded.v: inner_order)
std::vector<int> inner_order_after(std::vector<int> order, const Sides& sides, std::size_t first) {
  std::vector<int> steps;
  for (const Rank side : sides) steps.push_back(log2(side));
  for (const int dimension : round_robin(steps, first)) order.push_back(dimension);
  return order;
}

std::vector<int> folding_order(const Sides& sides, std::size_t first) {
  return inner_order_after(folds(sides), sides, first);
}

/// Folded.v: halving_torus
RoutesPtr halving_torus(Peers peers, const Sides& sides, std::size_t first) {
  std::vector<RoutesPtr> dimensions;
  for (const Rank side : sides) dimensions.push_back(halving_side(peers, side));
  return torus_of(std::move(dimensions), folding_order(sides, first));
}

/// On a line of n, neighbours are folded. (Folded.v: beside)
std::vector<Rank> beside(Rank n) {
  const Rank m = inner(n), e = n - m;
  std::vector<Rank> seats;
  for (Rank c = 0; c < n; ++c) seats.push_back(c >= m ? 2 * (c - m) : c < e ? 2 * c + 1 : c + e);
  return seats;
}

std::vector<Rank> own_seats(Rank p) {
  std::vector<Rank> seats(at(p));
  std::iota(seats.begin(), seats.end(), 0);
  return seats;
}

Rank extent(const Sides& sides) {
  return std::accumulate(sides.begin(), sides.end(), Rank{1}, [](Rank a, Rank b) { return a * b; });
}

/// Lanes from D on are mirrored. (Folded.v: lane_seat)
std::vector<Rank> lane_seat(const Sides& sides, std::size_t lane) {
  return lane < sides.size() ? own_seats(extent(sides)) : mirror(sides);
}

/// Of m ranks in pairs, and a third rank for some of the pairs, group by group: who sits where. (Elimination.v: sits)
std::vector<Rank> sits(Rank m, Rank triples) {
  std::vector<Rank> seats;
  for (Rank s = 0; s < m; ++s) seats.push_back(s / 2 < triples ? 3 * (s / 2) + s % 2 : s + triples);
  for (Rank i = 0; i < triples; ++i) seats.push_back(3 * i + 2);
  return seats;
}

/// What a rank gets at a step: whose vector, to be added or to be copied. (Exchange.v: pull)
struct Pull {
  Rank from;
  Op op;
};

/// One side of whole vectors. (WholeVectors.v: side)
class VectorSide {
 public:
  VectorSide(Rank n, Peer peer) : n_(n), m_(inner(n)), a_(log2(n)), peer_(std::move(peer)) {}

  std::optional<Pull> draw(int t, Rank r) const {
    if (n_ == m_) return Pull{peer_(r, t), Op::reduce};
    if (t == 0) return r + m_ < n_ ? std::optional(Pull{r + m_, Op::reduce}) : std::nullopt;
    if (t <= a_) return r < m_ ? std::optional(Pull{peer_(r, t - 1), Op::reduce}) : std::nullopt;
    return r < m_ ? std::nullopt : std::optional(Pull{r - m_, Op::copy});
  }

  bool is_live(int t, Rank r) const { return n_ == m_ || t == 0 || t == a_ + 2 || r < m_; }

 private:
  Rank n_;
  Rank m_;
  int a_;
  Peer peer_;
};

/// One lane on a torus: whose vector each rank gets. (WholeVectors.v: cross, renumbered; Latency.v: crossed)
class VectorLane {
 public:
  VectorLane(Sides sides, std::vector<VectorSide> dimensions, std::vector<int> order, std::vector<Rank> seat)
      : sides_(std::move(sides)), dimensions_(std::move(dimensions)), order_(std::move(order)), seat_(std::move(seat)) {
    turns_.emplace_back(sides_.size(), 0);
    for (const int dimension : order_) {
      turns_.push_back(turns_.back());
      ++turns_.back()[at(dimension)];
    }
  }

  int steps() const { return static_cast<int>(order_.size()); }

  /// Visits each rank that gets something at the step, and what.
  template <class Visit>
  void visit(int t, Visit&& visit) const {
    const std::size_t moving = at(order_[at(t)]);
    const std::vector<int>& turns = turns_[at(t)];
    for (Rank part = 0; part < static_cast<Rank>(seat_.size()); ++part) {
      Rank gap = 1, here = 0, gap_here = 1;
      bool is_live = true;
      for (std::size_t k = sides_.size(); k-- > 0;) {
        const Rank c = part / gap % sides_[k];
        if (k == moving) here = c, gap_here = gap;
        if (k != moving) is_live = is_live && dimensions_[k].is_live(turns[k], c);
        gap *= sides_[k];
      }
      if (!is_live) continue;
      if (const auto pull = dimensions_[moving].draw(turns[moving], here))
        visit(seat_[at(part)], Pull{seat_[at(part + (pull->from - here) * gap_here)], pull->op});
    }
  }

 private:
  Sides sides_;
  std::vector<VectorSide> dimensions_;
  std::vector<int> order_;
  std::vector<Rank> seat_;
  std::vector<std::vector<int>> turns_;  // of each dimension, before each step
};

/// `peer` makes the peers of a side of n ranks on a lane. Sides are folded, and unfolded in reverse order at the end.
/// (Latency.v: unfolding_order, vector_torus)
template <class MakePeer>
VectorLane vector_lane(const Sides& sides, std::size_t lane, std::vector<Rank> seat, MakePeer&& peer) {
  std::vector<VectorSide> dimensions;
  for (const Rank side : sides) dimensions.emplace_back(side, peer(inner(side)));
  std::vector<int> order = folding_order(sides, lane % sides.size());
  const std::vector<int> folded = folds(sides);
  order.insert(order.end(), folded.rbegin(), folded.rend());
  return {sides, std::move(dimensions), std::move(order), std::move(seat)};
}

/// The lanes' steps side by side; all of them add at a step, or all copy. (Latency.v: whole_vectors)
RoutedSchedule whole_vectors(Rank p, const std::vector<VectorLane>& lanes) {
  RoutedSchedule schedule{p, static_cast<Block>(lanes.size())};
  for (int t = 0; t < lanes.front().steps(); ++t) {
    std::vector<std::vector<std::optional<Rank>>> table(lanes.size(), std::vector<std::optional<Rank>>(at(p)));
    std::optional<Op> op;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane].visit(t, [&](Rank r, Pull pull) {
        assert(!op || *op == pull.op);
        op = pull.op;
        // A phase says of sums to whom a rank sends them, and of copies from whom it gets them.
        if (pull.op == Op::reduce)
          table[lane][at(pull.from)] = r;
        else
          table[lane][at(r)] = pull.from;
      });
    schedule.phases.push_back({one_step(p, std::move(table)), op.value_or(Op::reduce), op == Op::copy});
  }
  return schedule;
}

Peer xor_peer(Rank) {
  return exchanged;
}

}  // namespace

/// Block b of a lane is that of the rank in seat b. (Mirrored.v: mirrored_owner)
std::vector<Rank> mirrored_owners(const Sides& sides, int lanes) {
  std::vector<Rank> owners;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes); ++lane) {
    const std::vector<Rank> seats = lane_seat(sides, lane);
    owners.insert(owners.end(), seats.begin(), seats.end());
  }
  return owners;
}

RoutesPtr rabenseifner_routes(Peers peers, const Sides& sides, int lanes) {
  std::vector<RoutesPtr> all;
  for (std::size_t lane = 0; lane < at(lanes); ++lane)
    all.push_back(relabelled(halving_torus(peers, sides, lane % sides.size()), lane_seat(sides, lane), Renamed::ranks));
  return laned(std::move(all));
}

RoutesPtr rabenseifner_beside_routes(Peers peers, Rank p) {
  return relabelled(halving_torus(peers, {p}, 0), beside(p), Renamed::ranks);
}

RoutesPtr elimination_routes(Rank p) {
  const Rank m = inner(p), thirds = std::min(p - m, m / 2), surplus = p - (m + thirds);
  RoutesPtr core = attached(doubling_near_routes(m), thirds, [](Rank i, Block q) { return 2 * i + q % 2; });
  core = relabelled(std::move(core), sits(m, thirds), Renamed::ranks);
  return surplus == 0 ? core : attached(later(std::move(core)), surplus, [](Rank i, Block) { return i; });
}

// The sides with a surplus fold first. (EliminationTori.v: eliminating_torus, surplus_folds)
RoutesPtr elimination_torus_routes(const Sides& sides) {
  std::vector<RoutesPtr> dimensions;
  std::vector<int> order;
  for (const Rank side : sides) {
    dimensions.push_back(elimination_routes(side));
    if (dimensions.back()->steps() > log2(side)) order.push_back(static_cast<int>(dimensions.size()) - 1);
  }
  return torus_of(std::move(dimensions), inner_order_after(std::move(order), sides, 0));
}

RoutedSchedule recursive_doubling_vectors(const Sides& sides, int lanes) {
  std::vector<VectorLane> all;
  for (std::size_t lane = 0; lane < at(lanes); ++lane)
    all.push_back(vector_lane(sides, lane, lane_seat(sides, lane), xor_peer));
  return whole_vectors(extent(sides), all);
}

RoutedSchedule doubling_beside_vectors(Rank p) {
  return whole_vectors(p, {vector_lane({p}, 0, beside(p), xor_peer)});
}

RoutedSchedule swing_latency_vectors(const Sides& sides, int lanes) {
  std::vector<VectorLane> all;
  for (std::size_t lane = 0; lane < at(lanes); ++lane)
    all.push_back(vector_lane(sides, lane, own_seats(extent(sides)),
                              [&](Rank n) { return swing_peer(n, sides.size() <= lane); }));
  return whole_vectors(extent(sides), all);
}

}  // namespace onceover::proofs
