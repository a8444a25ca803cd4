#include "verifier/blocking.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/stop.h"

namespace onceover::verifier {

namespace {

constexpr std::array<CallOrder, 3> orders{CallOrder::even_odd, CallOrder::all_send_first, CallOrder::sendrecv};

struct Call {
  Rank peer;
  std::int32_t step;
  bool is_send;
};

/// Calls that follow one another.
struct Queue {
  std::vector<Call> calls = {};
  std::size_t next = 0;

  const Call* head() const { return next < calls.size() ? &calls[next] : nullptr; }
};

/// A rank's code: one queue. With `sendrecv` it has two, sends and receives, which meet at the end of each step.
struct Code {
  Queue first = {};
  Queue second = {};

  /// Is the rank in the first call of the queue?
  bool is_in(const Queue& queue, const Queue& other) const {
    const Call* call = queue.head();
    return call != nullptr && (other.head() == nullptr || call->step <= other.head()->step);
  }
  const Call* current(bool is_send) const {
    if (is_in(first, second) && first.head()->is_send == is_send) return first.head();
    if (is_in(second, first) && second.head()->is_send == is_send) return second.head();
    return nullptr;
  }
  /// Any call that the rank is in.
  const Call* stuck() const {
    return is_in(first, second) ? first.head() : is_in(second, first) ? second.head() : nullptr;
  }

  void finish(bool is_send) {
    Queue& queue = first.head() != nullptr && first.head()->is_send == is_send && is_in(first, second) ? first : second;
    ++queue.next;
  }
};

template <class Lists>
auto& of(Lists& lists, Rank rank) {
  return lists[static_cast<std::size_t>(rank)];
}

class Machine {
 public:
  Machine(const Schedule& schedule, CallOrder order)
      : codes_(static_cast<std::size_t>(schedule.header().ranks)), sends_(codes_.size()), receives_(codes_.size()) {
    std::vector<Transfer> messages;
    for (int step = 0; step < schedule.steps(); ++step) {
      stop_point();
      schedule.messages(step, messages);
      for (const Transfer& t : messages) {
        of(sends_, t.src).push_back({t.dst, step, true});
        of(receives_, t.dst).push_back({t.src, step, false});
      }
      for (Rank r = 0; r < schedule.header().ranks; ++r) add_step(r, order);
    }
  }

  BlockingRun run() {
    BlockingRun run;
    std::vector<Rank> awake(codes_.size());
    for (std::size_t r = 0; r < awake.size(); ++r) awake[r] = static_cast<Rank>(r);
    for (;; ++run.rounds) {
      stop_point();
      const std::vector<Rank> senders = senders_among(awake);
      if (senders.empty()) break;
      awake.clear();
      for (const Rank sender : senders) {
        const Rank receiver = code(sender).current(true)->peer;
        moved_.push_back({sender, receiver});
        awake.insert(awake.end(), {sender, receiver});
      }
      for (const auto& [sender, receiver] : moved_) {
        code(sender).finish(true);
        code(receiver).finish(false);
      }
      moved_.clear();
    }
    explain(run);
    return run;
  }

 private:
  Code& code(Rank rank) { return of(codes_, rank); }

  void add_step(Rank rank, CallOrder order) {
    std::vector<Call>& sends = of(sends_, rank);
    std::vector<Call>& receives = of(receives_, rank);
    Code& code = this->code(rank);
    auto append = [](Queue& queue, const std::vector<Call>& calls) {
      queue.calls.insert(queue.calls.end(), calls.begin(), calls.end());
    };
    const bool receives_first = order == CallOrder::even_odd && rank % 2 == 1;
    append(code.first, receives_first ? receives : sends);
    append(order == CallOrder::sendrecv ? code.second : code.first, receives_first ? sends : receives);
    sends.clear();
    receives.clear();
  }

  bool is_met(Rank sender) {
    const Call* send = code(sender).current(true);
    if (send == nullptr) return false;
    const Call* receive = code(send->peer).current(false);
    return receive != nullptr && receive->peer == sender && receive->step == send->step;
  }

  /// The ranks whose message can move now. After a round there can be new ones only where a call ended.
  std::vector<Rank> senders_among(const std::vector<Rank>& awake) {
    std::vector<Rank> senders;
    for (const Rank rank : awake) {
      if (is_met(rank)) senders.push_back(rank);
      const Call* receive = code(rank).current(false);
      if (receive != nullptr && is_met(receive->peer) && code(receive->peer).current(true)->peer == rank)
        senders.push_back(receive->peer);
    }
    std::sort(senders.begin(), senders.end());
    senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
    return senders;
  }

  /// If ranks are left in calls, follows each to the rank that it waits for, until a rank occurs twice.
  void explain(BlockingRun& run) {
    const auto stuck = std::find_if(codes_.begin(), codes_.end(), [](const Code& c) { return c.stuck() != nullptr; });
    if (stuck == codes_.end()) return;
    std::vector<std::int32_t> place(codes_.size(), -1);
    std::vector<StuckCall> way;
    auto rank = static_cast<Rank>(stuck - codes_.begin());
    while (of(place, rank) < 0) {
      const Call* call = code(rank).stuck();
      if (call == nullptr) {
        run.starved = way.back();
        return;
      }
      of(place, rank) = static_cast<std::int32_t>(way.size());
      way.push_back({rank, call->peer, call->is_send, call->step});
      rank = call->peer;
    }
    run.circle.assign(way.begin() + of(place, rank), way.end());
  }

  std::vector<Code> codes_;
  std::vector<std::vector<Call>> sends_;  // of the current step
  std::vector<std::vector<Call>> receives_;
  std::vector<std::pair<Rank, Rank>> moved_;
};

}  // namespace

std::span<const CallOrder> call_orders() {
  return orders;
}

std::string_view name(CallOrder order) {
  constexpr std::array<std::string_view, 3> names{"even-odd", "all-send-first", "sendrecv"};
  return names[static_cast<std::size_t>(order)];
}

BlockingRun run_blocking(const Schedule& schedule, CallOrder order) {
  return Machine(schedule, order).run();
}

}  // namespace onceover::verifier
