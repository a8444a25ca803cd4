// EventQueue: what happens next.
#pragma once

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/namespaces.h"

namespace onceover::network {

/// Something that happens at a time; of those at the same time, the one with the lower number comes first.
struct Event {
  double time;
  std::int64_t what;

  // Without branches, which would be mispredicted half of the time while events are sorted.
  friend bool operator>(const Event& a, const Event& b) {
    return static_cast<int>(a.time > b.time) | (static_cast<int>(a.time == b.time) & static_cast<int>(a.what > b.what));
  }
};

/// A queue of events by time and number, exactly. The next few are sorted at once, and the others stay as they come
/// until it is their turn: that is faster than a heap of all of them, which leaves the cache. Those that come while it
/// is their turn wait in a small heap.
///
/// Invariant: all events up to the horizon are in `batch_` or `late_`, all beyond it in `far_`. Memory: 16 bytes an
/// event. Cost: O(log of those up to the horizon), and O(1) on average for the passes over the others: each pass moves
/// an eighth of them or more into the batch.
class EventQueue {
 public:
  bool empty() const { return batch_.empty() && late_.empty() && far_.empty(); }

  void push(Event event) {
    if (event.time > horizon_) return far_.push_back(event);
    late_.push_back(event);
    std::push_heap(late_.begin(), late_.end(), std::greater<>());
  }

  /// Takes the next event; there must be one.
  Event pop() {
    if (batch_.empty() && late_.empty()) advance();
    if (late_.empty() || (!batch_.empty() && late_.front() > batch_.back())) {
      const Event next = batch_.back();
      batch_.pop_back();
      return next;
    }
    std::pop_heap(late_.begin(), late_.end(), std::greater<>());
    const Event next = late_.back();
    late_.pop_back();
    return next;
  }

 private:
  static constexpr std::size_t least_sorted = 64;

  void advance() {
    const std::size_t some = std::max(least_sorted, far_.size() / 8);
    const auto is_earlier = [](const Event& a, const Event& b) { return a.time < b.time; };
    if (far_.size() > some) {
      const auto last = far_.begin() + static_cast<std::ptrdiff_t>(some);
      std::nth_element(far_.begin(), last, far_.end(), is_earlier);
      horizon_ = last->time;
    } else {
      horizon_ = std::max_element(far_.begin(), far_.end(), is_earlier)->time;
    }
    const auto near = std::partition(far_.begin(), far_.end(), [&](const Event& e) { return e.time > horizon_; });
    batch_.assign(near, far_.end());
    far_.erase(near, far_.end());
    boost::sort::pdqsort_branchless(batch_.begin(), batch_.end(), std::greater<>());
  }

  double horizon_ = -std::numeric_limits<double>::infinity();
  std::vector<Event> batch_;  // the next one last
  std::vector<Event> late_;   // a heap
  std::vector<Event> far_;    // in any order
};

}  // namespace onceover::network
