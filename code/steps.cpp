// Each rank goes through its own events in order, with a clock: the number of steps that lie behind it. A rank stops at
// the completion of a message whose step isn't known, and goes on when the other rank has come far enough.

#include <algorithm>

#include "code/recovery.h"

namespace onceover::code {

namespace {

constexpr int unknown = -1;

class Clocks {
 public:
  Clocks(const CallRecord& call, Rank ranks, StepRule rule)
      : call_(call), rule_(rule), ranks_(static_cast<std::size_t>(ranks)), clocks_(call.messages.size()) {
    for (std::size_t m = 0; m < call.messages.size(); ++m) add_events(m);
    for (OfRank& rank : ranks_)
      std::sort(rank.events.begin(), rank.events.end(), [](const Event& a, const Event& b) { return a.when < b.when; });
  }

  std::optional<std::vector<std::vector<std::size_t>>> run() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) ready_.push_back(r);
    while (!ready_.empty()) {
      const std::size_t rank = ready_.back();
      ready_.pop_back();
      advance(ranks_[rank], rank);
    }
    std::vector<std::vector<std::size_t>> steps;
    for (std::size_t m = 0; m < clocks_.size(); ++m) {
      if (!call_.messages[m].received) continue;
      if (clocks_[m].step == unknown) return std::nullopt;
      const auto step = static_cast<std::size_t>(clocks_[m].step);
      if (steps.size() <= step) steps.resize(step + 1);
      steps[step].push_back(m);
    }
    for (auto& step : steps)
      std::sort(step.begin(), step.end(), [&](std::size_t a, std::size_t b) {
        return call_.messages[a].received->complete < call_.messages[b].received->complete;
      });
    return steps;
  }

 private:
  enum class What { send, receive, end_of_send, end_of_receive };
  struct Event {
    std::size_t when;
    What what;
    std::size_t message;
  };
  struct OfRank {
    std::vector<Event> events = {};
    std::size_t next = 0;
    int clock = 0;
  };
  struct OfMessage {
    int sent = unknown;  // the sender's clock
    int received = unknown;
    int step = unknown;
    std::vector<std::size_t> waiting = {};  // ranks that wait for the step to be known
  };

  void add_events(std::size_t m) {
    const SentMessage& message = call_.messages[m];
    if (!message.received) return;
    auto& sender = ranks_[static_cast<std::size_t>(message.src)].events;
    auto& receiver = ranks_[static_cast<std::size_t>(message.dst)].events;
    sender.push_back({message.sent.posted, What::send, m});
    if (message.sent.complete != 0 && rule_.delays_sender)
      sender.push_back({message.sent.complete, What::end_of_send, m});
    receiver.push_back({message.received->posted, What::receive, m});
    receiver.push_back({message.received->complete, What::end_of_receive, m});
    if (rule_.receiver == StepRule::Receiver::whenever) clocks_[m].received = 0;
  }

  void advance(OfRank& rank, std::size_t number) {
    for (; rank.next < rank.events.size(); ++rank.next) {
      const Event& event = rank.events[rank.next];
      OfMessage& message = clocks_[event.message];
      const bool counts_now = event.what == What::receive ? rule_.receiver == StepRule::Receiver::when_posted
                                                          : rule_.receiver == StepRule::Receiver::when_complete;
      if (event.what == What::send) message.sent = rank.clock;
      if ((event.what == What::receive || event.what == What::end_of_receive) && counts_now &&
          message.received == unknown)
        message.received = rank.clock;
      settle(message);
      if (event.what == What::send || event.what == What::receive) continue;
      if (message.step == unknown) {
        message.waiting.push_back(number);
        return;
      }
      rank.clock = std::max(rank.clock, message.step + 1);
    }
  }

  void settle(OfMessage& message) {
    if (message.step != unknown || message.sent == unknown || message.received == unknown) return;
    message.step = std::max(message.sent, message.received);
    ready_.insert(ready_.end(), message.waiting.begin(), message.waiting.end());
    message.waiting.clear();
  }

  const CallRecord& call_;
  StepRule rule_;
  std::vector<OfRank> ranks_;
  std::vector<OfMessage> clocks_;
  std::vector<std::size_t> ready_;
};

}  // namespace

std::optional<std::vector<std::vector<std::size_t>>> steps_of(const CallRecord& call, Rank ranks, StepRule rule) {
  return Clocks(call, ranks, rule).run();
}

}  // namespace onceover::code
