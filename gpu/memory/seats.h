// Who is where: threads, blocks and ranks as numbers.
#pragma once

#include <cstdint>
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

}  // namespace onceover::gpu
