// Who is where, threads, blocks and ranks as numbers; and vector clocks of them, short where whole blocks synchronize.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "schedules/types.h"

namespace onceover::gpu {

enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

/// All seats of blocks in all ranks, and the ranks' streams after them. A seat has room for the largest block of any
/// kernel; blocks of later kernels take the seats of earlier ones. A stream counts as a seat with one thread.
class BlockSeats {
 public:
  BlockSeats(std::uint32_t threads_per_seat, std::vector<Rank> rank_of_seat, std::uint32_t streams)
      : threads_(threads_per_seat),
        ranks_(std::move(rank_of_seat)),
        blocks_(static_cast<std::uint32_t>(ranks_.size())) {
    for (std::uint32_t rank = 0; rank < streams; ++rank) ranks_.push_back(static_cast<Rank>(rank));
    clusters_.assign(ranks_.size(), 0);
    for (std::uint32_t seat = 0; seat < ranks_.size(); ++seat) clusters_[seat] = seat;
  }

  std::uint32_t threads_per_seat() const { return threads_; }
  std::uint32_t seats() const { return static_cast<std::uint32_t>(ranks_.size()); }
  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t seat_of(std::uint32_t thread) const { return thread / threads_; }
  Rank rank_of(std::uint32_t thread) const { return ranks_[seat_of(thread)]; }
  Rank rank_of_seat(std::uint32_t seat) const { return ranks_[seat]; }
  bool is_stream(std::uint32_t thread) const { return seat_of(thread) >= blocks_; }
  std::uint32_t stream_of(Rank rank) const { return (blocks_ + static_cast<std::uint32_t>(rank)) * threads_; }

  /// Blocks with the same number are a cluster.
  void set_cluster(std::uint32_t seat, std::uint32_t cluster) { clusters_[seat] = cluster; }
  std::uint32_t cluster_of(std::uint32_t seat) const { return clusters_[seat]; }

  bool are_in_one_warp(std::uint32_t a, std::uint32_t b) const {
    return seat_of(a) == seat_of(b) && a % threads_ / 32 == b % threads_ / 32;
  }

  /// Does a scope of thread `of` include the thread `other`?
  bool includes(Scope scope, std::uint32_t of, std::uint32_t other) const {
    switch (scope) {
      case Scope::none: return of == other;
      case Scope::cta: return seat_of(of) == seat_of(other);
      case Scope::cluster: return clusters_[seat_of(of)] == clusters_[seat_of(other)];
      case Scope::gpu: return rank_of(of) == rank_of(other);
      case Scope::sys: return true;
    }
    return false;
  }

 private:
  std::uint32_t threads_;
  std::vector<Rank> ranks_;  // by seat
  std::uint32_t blocks_;
  std::vector<std::uint32_t> clusters_;  // by seat
};

/// When a thread did something: the generation of its seat, then the thread's own ticks. A seat's generation grows
/// whenever all threads of its block synchronize, so one number stands for all of them.
struct Moment {
  std::uint32_t generation = 0;
  std::uint32_t tick = 0;

  friend auto operator<=>(const Moment&, const Moment&) = default;
};

/// One write, by who did it and when. It is before what knows it in causality, or else only in coherence: a later write
/// to the same place comes after it.
struct SingleWrite {
  std::uint32_t thread;
  Moment moment;
  bool is_causal = true;

  friend auto operator<=>(const SingleWrite&, const SingleWrite&) = default;
};

/// What happened before: for each seat all generations below a number, for some threads also everything up to a moment,
/// and for some single writes exactly these. Clocks don't change once they are shared.
///
/// The last are writes that a relaxed read observed: PTX orders them, but nothing else of their threads, before what
/// the reader causes. Memory: 4 bytes a seat and 12 a thread or a write. knows: O(log threads). join: O(seats +
/// threads).
class Clock {
 public:
  explicit Clock(std::uint32_t seats) : generations_(seats) {}

  bool knows(const BlockSeats& seats, std::uint32_t thread, Moment moment) const {
    return knows_all_until(seats, thread, moment) || (!writes_.empty() && knows_write(thread, moment));
  }
  /// Not only that moment, but all that the thread did before?
  bool knows_all_until(const BlockSeats& seats, std::uint32_t thread, Moment moment) const {
    return generations_[seats.seat_of(thread)] > moment.generation ||
           (!threads_.empty() && knows_thread(thread, moment));
  }
  /// Is a write known to be before, if only in coherence?
  bool knows_coherent(const BlockSeats& seats, std::uint32_t thread, Moment moment) const {
    return knows(seats, thread, moment) ||
           std::binary_search(writes_.begin(), writes_.end(), SingleWrite{thread, moment, false});
  }
  /// Is everything in `other` in this one?
  bool covers(const BlockSeats& seats, const Clock& other) const;

  void learn_generations(std::uint32_t seat, std::uint32_t end);
  void learn(const BlockSeats& seats, std::uint32_t thread, Moment moment);
  void learn_writes(const BlockSeats& seats, const std::vector<SingleWrite>& writes);
  void join(const BlockSeats& seats, const Clock& other);
  void forget_what_generations_cover(const BlockSeats& seats);

 private:
  /// Everything of a thread up to a moment.
  struct Known {
    std::uint32_t thread;
    Moment moment;
  };

  bool knows_thread(std::uint32_t thread, Moment moment) const;
  bool knows_write(std::uint32_t thread, Moment moment) const;
  void add_writes(std::vector<SingleWrite> sorted);
  bool is_known(const BlockSeats& seats, std::uint32_t thread, Moment moment) const {
    return generations_[seats.seat_of(thread)] > moment.generation;
  }

  std::vector<std::uint32_t> generations_;  // by seat
  std::vector<Known> threads_;              // by thread, each once
  std::vector<SingleWrite> writes_;         // sorted
};

using ClockPointer = std::shared_ptr<const Clock>;

/// Joins clocks of many threads, of which most share one.
class ClockJoin {
 public:
  explicit ClockJoin(const BlockSeats& seats) : seats_(seats) {}

  void add(const ClockPointer& clock);
  void learn(std::uint32_t thread, Moment moment) { clock_->learn(seats_, thread, moment); }
  void learn_generations(std::uint32_t seat, std::uint32_t end) { clock_->learn_generations(seat, end); }
  /// The joined clock, which is then forgotten. There must be one.
  ClockPointer take();

 private:
  const BlockSeats& seats_;
  std::shared_ptr<Clock> clock_;
  const Clock* latest_ = nullptr;
};

/// The clock that knows both, and the moment of a thread too. Returns `a` itself if that knows all.
ClockPointer joined(const BlockSeats& seats, const ClockPointer& a, const ClockPointer& b, std::uint32_t thread,
                    Moment moment);

}  // namespace onceover::gpu
