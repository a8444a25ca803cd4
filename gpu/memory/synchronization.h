// How strong accesses order others: releases, acquires and fences, by chapter 8 of the PTX ISA.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/memory/clock.h"

namespace onceover::gpu {

enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc };

inline bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::sc;
}
inline bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::sc;
}

/// What a release pattern passes on to anyone who reads the write at its end.
struct Release {
  ClockPointer clock;
  ClockPointer reads;
  std::uint32_t thread;
  Moment moment;       // of the first operation of the pattern: all before it is passed on
  Moment read_moment;  // all reads before it are
  Scope first_scope;   // of the first operation: the release itself, or a fence
  bool is_boundary;    // of a grant: any strong read acquires it
};

using Releases = std::shared_ptr<const std::vector<Release>>;  // null for none

/// What one thread knows, and what its fences and pending reads are about.
struct ThreadSync {
  struct Fence {
    ClockPointer clock;  // null if there was no fence
    ClockPointer reads;
    Moment moment;
  };

  ClockPointer clock;   // what happened before
  ClockPointer reads;   // which reads did; the same object unless the kernel boundary is granted
  ClockPointer launch;  // what happened before the kernel
  Moment now;
  std::array<Fence, 5> fences;        // by scope
  std::vector<Release> pending;       // read by relaxed reads, to be acquired by a later fence
  std::vector<SingleWrite> observed;  // by reads since the clock was last passed on; they belong to it
};

/// Applies the rules. Every operation that orders takes a tick, so that moments tell it apart from others.
class Synchronization {
 public:
  Synchronization(const BlockSeats& seats, bool has_boundary) : seats_(seats), has_boundary_(has_boundary) {}

  /// What a strong write of the thread passes on. `before` is what its cell passed on: of that it keeps what is the
  /// thread's own, and all if it is an atomic that `continues` the sequence of atomics before it.
  Releases write(ThreadSync& sync, std::uint32_t thread, Order order, Scope scope, const Releases& before,
                 bool continues) const;

  /// A strong read of a write, with which it must be morally strong, and what that passes on.
  void read(ThreadSync& sync, std::uint32_t thread, Order order, Scope scope, const Releases& releases) const;
  /// The same read: the write itself is ordered before what follows.
  void observe(ThreadSync& sync, const SingleWrite& write) const;
  /// Is a write known to be before what the thread writes to the same place?
  bool knows_coherent(const ThreadSync& sync, std::uint32_t writer, Moment moment) const;

  void fence(ThreadSync& sync, std::uint32_t thread, Scope scope) const;

  /// Puts what the thread observed into its clock, before that is passed on.
  void fold(ThreadSync& sync) const;

 private:
  void acquire(ThreadSync& sync, const Release& release) const;

  const BlockSeats& seats_;
  bool has_boundary_;
};

}  // namespace onceover::gpu
