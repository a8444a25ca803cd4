#include "schedules/peer_paths.h"

#include <bit>
#include <cstdint>

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

  std::vector<Block> members() const {
    std::vector<Block> list;
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        list.push_back(static_cast<Block>(w * 64) + std::countr_zero(left));
    return list;
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

/// The ranks that each rank reaches through its peers of step s and of later steps.
class Paths {
 public:
  Paths(Rank ranks, int steps, const PeerFunction& peer) : ranks_(ranks), steps_(steps), peer_(peer) {
    reach_.resize(static_cast<std::size_t>(steps) + 1);
    for (Rank r = 0; r < ranks; ++r) {
      reach_.back().emplace_back(ranks);
      reach_.back().back().add(r);
    }
    for (int s = steps - 1; s >= 0; --s)
      for (Rank r = 0; r < ranks; ++r) {
        at(s).push_back(at(s + 1)[static_cast<std::size_t>(r)]);
        at(s).back() |= through_peer(r, s);
      }
  }

  /// The ranks that rank r reaches through its peer of step s.
  const RankSet& through_peer(Rank r, int s) const {
    return reach_[static_cast<std::size_t>(s) + 1][static_cast<std::size_t>(peer_(r, s))];
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
  int steps_;
  const PeerFunction& peer_;
  std::vector<std::vector<RankSet>> reach_;  // [step][rank]; includes the rank itself
};

}  // namespace

void add_reduce_scatter_along(PatternedSchedule::Builder& plan, Rank ranks, Rank extent, int steps,
                              const PeerFunction& peer, Repeats repeats) {
  const Paths paths(ranks, steps, peer);
  for (int s = 0; s < steps; ++s) {
    plan.begin_step();
    for (Rank r = 0; r < ranks; ++r)
      plan.add({.indices = Indices::only(0),
                .ring = ranks,
                .from = Place::at(r),
                .to = Place::at(peer(r, s)),
                .blocks = Blocks::fixed(paths.sent(r, s, repeats).members()),
                .extent = extent});
  }
}

}  // namespace onceover::schedules
