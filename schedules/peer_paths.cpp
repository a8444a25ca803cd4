#include "schedules/peer_paths.h"

#include <algorithm>
#include <bit>

#include "schedules/numbers.h"

namespace onceover::schedules {

namespace {

/// A set of ranks, as bits.
class RankSet {
 public:
  explicit RankSet(Rank ranks) : words_((static_cast<std::size_t>(ranks) + 63) / 64) {}

  void add(Rank rank) { words_[word(rank)] |= bit(rank); }
  void remove(Rank rank) { words_[word(rank)] &= ~bit(rank); }

  RankSet& operator|=(const RankSet& other) {
    return change(other, [](auto a, auto b) { return a | b; });
  }
  RankSet& operator-=(const RankSet& other) {
    return change(other, [](auto a, auto b) { return a & ~b; });
  }
  RankSet& operator&=(const RankSet& other) {
    return change(other, [](auto a, auto b) { return a & b; });
  }

  Rank size() const {
    Rank size = 0;
    for (const std::uint64_t word : words_) size += std::popcount(word);
    return size;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        visit(static_cast<Rank>(w * 64) + std::countr_zero(left));
  }

  /// The set turned by some places among so many ranks.
  RankSet turned(Rank by, Rank ranks) const {
    if (by == 0) return *this;
    RankSet turned(ranks);
    for_each([&](Rank rank) { turned.add(around(rank + by, ranks)); });
    return turned;
  }

  /// Its maximal runs, upward.
  std::vector<Run> runs() const {
    std::vector<Run> runs;
    for_each([&](Rank rank) {
      if (!runs.empty() && runs.back().last == rank - 1)
        runs.back().last = rank;
      else
        runs.push_back({rank, rank});
    });
    return runs;
  }

 private:
  static std::size_t word(Rank rank) { return static_cast<std::size_t>(rank) / 64; }
  static std::uint64_t bit(Rank rank) { return std::uint64_t{1} << (rank % 64); }

  template <class Combine>
  RankSet& change(const RankSet& other, Combine&& combine) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] = combine(words_[w], other.words_[w]);
    return *this;
  }

  std::vector<std::uint64_t> words_;
};

/// The ranks that each rank reaches through its peers of step s and of later steps. Ranks 0 .. period-1 stand for all
/// others, which reach as many places further what those reach.
class Paths {
 public:
  Paths(Rank ranks, Rank period, int steps, const PeerFunction& peer)
      : ranks_(ranks), period_(period), steps_(steps), peer_(peer) {
    reach_.resize(static_cast<std::size_t>(steps) + 1);
    for (Rank r = 0; r < period; ++r) {
      reach_.back().emplace_back(ranks);
      reach_.back().back().add(r);
    }
    for (int s = steps - 1; s >= 0; --s)
      for (Rank r = 0; r < period; ++r) {
        at(s).push_back(at(s + 1)[static_cast<std::size_t>(r)]);
        at(s).back() |= through_peer(r, s);
      }
  }

  /// The ranks that rank r reaches through its peer of step s.
  RankSet through_peer(Rank r, int s) const {
    const Rank peer = peer_(r, s);
    const Rank like = peer % period_;
    return reach_[static_cast<std::size_t>(s) + 1][static_cast<std::size_t>(like)].turned(peer - like, ranks_);
  }

  /// The blocks that rank r sends at step s.
  RankSet sent(Rank r, int s, Repeats repeats) const {
    RankSet sent = through_peer(r, s);
    switch (repeats) {
      case Repeats::last: sent -= reach_[static_cast<std::size_t>(s) + 1][static_cast<std::size_t>(r)]; break;
      case Repeats::first:
        for (int t = 0; t < s; ++t) sent -= through_peer(r, t);
        break;
      case Repeats::final_step:
        sent -= repeated(r);
        if (s == steps_ - 1) sent |= repeated(r);
        break;
      case Repeats::at_once:
        for (int t = s + 1; t < steps_; ++t) sent |= through_peer(r, t);
        return sent;
    }
    sent.remove(r);
    return sent;
  }

 private:
  RankSet repeated(Rank r) const {
    RankSet once(ranks_);
    RankSet twice(ranks_);
    for (int t = 0; t < steps_; ++t) {
      RankSet again = once;
      again &= through_peer(r, t);
      twice |= again;
      once |= through_peer(r, t);
    }
    return twice;
  }

  std::vector<RankSet>& at(int s) { return reach_[static_cast<std::size_t>(s)]; }

  Rank ranks_;
  Rank period_;
  int steps_;
  const PeerFunction& peer_;
  std::vector<std::vector<RankSet>> reach_;  // [step][rank below the period]; includes the rank itself
};

bool is_periodic(Rank period, Rank ranks, int step, const PeerFunction& peer) {
  for (Rank r = period; r < ranks; ++r)
    if (peer(r, step) != around(peer(r - period, step) + period, ranks)) return false;
  return true;
}

bool are_different(Rank ranks, int step, const PeerFunction& peer) {
  RankSet peers(ranks);
  for (Rank r = 0; r < ranks; ++r) peers.add(peer(r, step));
  return peers.size() == ranks;
}

/// What ranks r, r + period, .. send, which is the same as seen from themselves.
Axis axis_of_all(Rank r, Rank period, Rank ranks, Rank peer, const RankSet& sent) {
  return {.indices = {r, period, ranks / period},
          .ring = ranks,
          .to = Place::by(around(peer - r, ranks)),
          .blocks = {true, sent.turned(around(-r, ranks), ranks).runs()}};
}

Axis axis_of_one(Rank r, Rank ranks, Rank peer, const RankSet& sent) {
  return {.indices = Indices::only(0),
          .ring = ranks,
          .from = Place::at(r),
          .to = Place::at(peer),
          .blocks = {false, sent.runs()}};
}

}  // namespace

Rank period_of_peers(Rank ranks, int steps, const PeerFunction& peer) {
  const auto is_period = [&](Rank period) {
    for (int s = 0; s < steps; ++s)
      if (!is_periodic(period, ranks, s, peer) || (period > 1 && !are_different(ranks, s, peer))) return false;
    return true;
  };
  return is_period(1) ? 1 : ranks % 2 == 0 && is_period(2) ? 2 : ranks;
}

bool add_reduce_scatter_along(PatternedSchedule::Builder& plan, Rank ranks, Rank extent, int steps,
                              const PeerFunction& peer, Repeats repeats, std::uint64_t most_runs) {
  const Rank period = period_of_peers(ranks, steps, peer);
  const Paths paths(ranks, period, steps, peer);
  std::uint64_t runs = 0;
  for (int s = 0; s < steps; ++s) {
    plan.begin_step();
    for (Rank r = 0; r < period; ++r) {
      const RankSet sent = paths.sent(r, s, repeats);
      Axis axis =
          period < ranks ? axis_of_all(r, period, ranks, peer(r, s), sent) : axis_of_one(r, ranks, peer(r, s), sent);
      axis.extent = extent;
      runs += axis.blocks.offsets.size();
      if (runs > most_runs) return false;
      plan.add(std::move(axis));
    }
  }
  return true;
}

}  // namespace onceover::schedules
