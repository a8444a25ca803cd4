#include "verifier/blocking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/stop.h"

namespace onceover::verifier {

namespace {

constexpr std::array<CallOrder, 3> orders{CallOrder::even_odd, CallOrder::all_send_first, CallOrder::sendrecv};

using Call = BlockingCall;

/// Larger schedules aren't run.
constexpr std::uint64_t most_transfers = std::uint64_t{1} << 28;

/// Calls that follow one another.
struct Queue {
  std::vector<Call> calls = {};
  std::size_t next = 0;

  const Call* head() const { return next < calls.size() ? &calls[next] : nullptr; }
};

/// Does `a` come before `b` in the code of their rank?
bool is_earlier(const Call& a, const Call& b) {
  return std::pair(a.step, a.number) < std::pair(b.step, b.number);
}

/// A rank's code: one queue. With `sendrecv` it has two, of sends and of receives, whose calls are one by their
/// numbers.
struct Code {
  Queue first = {};
  Queue second = {};

  /// Is the rank in the first call of the queue?
  bool is_in(const Queue& queue, const Queue& other) const {
    const Call* call = queue.head();
    return call != nullptr && (other.head() == nullptr || !is_earlier(*other.head(), *call));
  }
  const Call* current(bool is_send) const {
    if (is_in(first, second) && first.head()->is_send == is_send) return first.head();
    if (is_in(second, first) && second.head()->is_send == is_send) return second.head();
    return nullptr;
  }
  /// A call, or half of one, that the rank is in; null if it has ended.
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
  Machine(const Schedule& schedule, CallOrder order) : codes_(static_cast<std::size_t>(schedule.header().ranks)) {
    std::vector<CallsOfStep> calls;
    for (int step = 0; step < schedule.steps(); ++step) {
      stop_point();
      read_calls(schedule, step, order, calls);
      for (std::size_t r = 0; r < codes_.size(); ++r) {
        append(codes_[r].first, calls[r].first);
        append(codes_[r].second, calls[r].second);
      }
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

  static void append(Queue& queue, const std::vector<Call>& calls) {
    queue.calls.insert(queue.calls.end(), calls.begin(), calls.end());
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

  /// If ranks are left in calls, follows each to the rank that it waits for, until a rank occurs twice. Each message
  /// has a send and a receive, so nobody waits for a rank that has ended.
  void explain(BlockingRun& run) {
    const auto stuck = std::find_if(codes_.begin(), codes_.end(), [](const Code& c) { return c.stuck() != nullptr; });
    if (stuck == codes_.end()) return;
    std::vector<std::int32_t> place(codes_.size(), -1);
    std::vector<StuckCall> way;
    auto rank = static_cast<Rank>(stuck - codes_.begin());
    while (of(place, rank) < 0) {
      const Call* call = code(rank).stuck();
      assert(call != nullptr);
      of(place, rank) = static_cast<std::int32_t>(way.size());
      way.push_back({rank, *call});
      rank = call->peer;
    }
    run.circle.assign(way.begin() + of(place, rank), way.end());
  }

  std::vector<Code> codes_;
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

void read_calls(const Schedule& schedule, int step, CallOrder order, std::vector<CallsOfStep>& calls) {
  calls.resize(static_cast<std::size_t>(schedule.header().ranks));
  for (CallsOfStep& each : calls) {
    each.first.clear();
    each.second.clear();
  }
  std::vector<Transfer> messages;
  schedule.messages(step, messages);
  const auto add = [&](Rank rank, Rank peer, bool is_send, bool is_turn_of_later) {
    const bool sends_later = order == CallOrder::even_odd && rank % 2 == 1;
    if ((is_send == sends_later) != is_turn_of_later) return;
    CallsOfStep& own = of(calls, rank);
    std::vector<Call>& list = order == CallOrder::sendrecv && !is_send ? own.second : own.first;
    list.push_back({peer, step, is_send, static_cast<std::int32_t>(list.size())});
  };
  for (const bool is_turn_of_later : {false, true})
    for (const Transfer& t : messages) {
      add(t.src, t.dst, true, is_turn_of_later);
      add(t.dst, t.src, false, is_turn_of_later);
    }
}

std::optional<std::string> why_not_run(const Schedule& schedule) {
  const Header& header = schedule.header();
  if (schedule.block_transfers() > most_transfers) return fmt::format("more than {} block transfers", most_transfers);
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      if (t.stays() || std::min(t.src, t.dst) < 0 || std::max(t.src, t.dst) >= header.ranks)
        return fmt::format("step {}: a transfer from rank {} to rank {}", header.names.step(step),
                           header.names.rank(t.src), header.names.rank(t.dst));
  }
  return std::nullopt;
}

BlockingRun run_blocking(const Schedule& schedule, CallOrder order) {
  return Machine(schedule, order).run();
}

}  // namespace onceover::verifier
