#include "network/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <queue>

namespace onceover {

namespace {

/// Messages that may be held at a time, for the steps that some rank is still in.
constexpr std::size_t most_messages = 50'000'000;

struct Message {
  Rank dst;
  Block blocks;
  bool reduces;
};

/// A step that some ranks have entered and others have not.
struct OpenStep {
  std::vector<std::uint32_t> first;  // rank r sends messages first[r] .. first[r+1]
  std::vector<Message> messages;
  std::vector<std::uint32_t> expected;  // receives that a rank still waits for
  std::vector<double> arrived;          // when the last of them came, ns
  std::vector<double> reduced;          // blocks
  Rank passed = 0;                      // ranks that went on to the next step
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const Network& network, const FlowOptions& options, const RankSpeeds& speeds,
             double bytes)
      : schedule_(schedule),
        network_(network),
        options_(options),
        speeds_(speeds),
        block_(bytes / schedule.header().blocks),
        router_(network, options.routing),
        free_(static_cast<std::size_t>(network.link_count())),
        head_(static_cast<std::size_t>(network.nodes())),
        tail_(head_.size()),
        step_(static_cast<std::size_t>(network.ranks()), -1),
        entered_(step_.size()) {}

  tl::expected<double, Unroutable> run() {
    for (Rank r = 0; r < network_.ranks(); ++r) queue_.push({0, r});
    while (!queue_.empty()) {
      const auto [time, rank] = queue_.top();
      queue_.pop();
      end_ = std::max(end_, time);
      if (!enter_next_step(rank, time)) return tl::unexpected(failure_);
    }
    return end_;
  }

 private:
  struct Event {
    double time;
    Rank rank;
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : rank > other.rank; }
  };

  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  OpenStep& open(int step) { return open_[at(step - oldest_)]; }

  bool enter_next_step(Rank rank, double time) {
    if (step_[at(rank)] >= 0) leave(step_[at(rank)]);
    const int step = ++step_[at(rank)];
    entered_[at(rank)] = time;
    if (step >= schedule_.steps()) return true;
    if (step >= oldest_ + static_cast<int>(open_.size()) && !open_next()) return false;
    if (!send(rank, step)) return false;
    if (open(step).expected[at(rank)] == 0) go_on(rank, step);
    return true;
  }

  /// The rank has all that it waited for in the step.
  void go_on(Rank rank, int step) {
    const OpenStep& here = open(step);
    const double received = here.arrived[at(rank)] + here.reduced[at(rank)] * block_ * speeds_.reduction;
    queue_.push({std::max(entered_[at(rank)], received), rank});
  }

  void leave(int step) {
    ++open(step).passed;
    while (!open_.empty() && open_.front().passed == network_.ranks()) {
      held_ -= open_.front().messages.size();
      open_.pop_front();
      ++oldest_;
    }
  }

  bool open_next() {
    const int step = oldest_ + static_cast<int>(open_.size());
    schedule_.transfers(step, transfers_);
    const auto ranks = at(network_.ranks());
    OpenStep next{std::vector<std::uint32_t>(ranks + 1),
                  std::vector<Message>(transfers_.size()),
                  std::vector<std::uint32_t>(ranks),
                  std::vector<double>(ranks),
                  std::vector<double>(ranks),
                  0};
    for (const Transfer& t : transfers_) {
      if (t.src < 0 || t.src >= network_.ranks() || t.dst < 0 || t.dst >= network_.ranks() || t.src == t.dst)
        return give_up(
            Unroutable::Kind::ill_formed,
            fmt::format("step {}: the transfer from rank {} to rank {} is not well-formed; 'verify' says why", step,
                        t.src, t.dst));
      ++next.first[at(t.src) + 1];
      ++next.expected[at(t.dst)];
    }
    for (std::size_t r = 0; r < ranks; ++r) next.first[r + 1] += next.first[r];
    std::vector<std::uint32_t> place(next.first.begin(), next.first.end() - 1);
    for (const Transfer& t : transfers_)
      next.messages[place[at(t.src)]++] = {t.dst, t.blocks.size(), t.op == Op::reduce};
    held_ += next.messages.size();
    open_.push_back(std::move(next));
    return held_ <= most_messages ||
           give_up(Unroutable::Kind::exhausted,
                   fmt::format("more than {} messages are under way or waited for", most_messages));
  }

  bool send(Rank rank, int step) {
    double start = entered_[at(rank)];
    for (std::uint32_t m = open(step).first[at(rank)]; m < open(step).first[at(rank) + 1]; ++m) {
      const Message message = open(step).messages[m];
      start += speeds_.overhead;
      const RouteView view = router_.route(rank, message.dst);
      crossed_ += view.route->shares.size() + 1;
      if (crossed_ > options_.budget)
        return give_up(Unroutable::Kind::exhausted,
                       fmt::format("the budget of {} links crossed by messages ran out", options_.budget));
      if (view.route->parts == 0)
        return give_up(Unroutable::Kind::exhausted, "there are more shortest paths than can be counted");
      receive(message, step, arrival(view, rank, message.dst, start, message.blocks * block_));
    }
    return true;
  }

  void receive(const Message& message, int step, double time) {
    OpenStep& here = open(step);
    const std::size_t r = at(message.dst);
    here.arrived[r] = std::max(here.arrived[r], time);
    if (message.reduces) here.reduced[r] += message.blocks;
    if (--here.expected[r] == 0 && step_[r] == step) go_on(message.dst, step);
  }

  /// Holds the links of the route; returns when the whole message is there.
  double arrival(const RouteView& view, Rank src, Rank dst, double start, double bytes) {
    const auto& shares = view.route->shares;
    auto link_of = [&](const Share& share) -> const LinkData& { return network_.link(view.link(share)); };
    for (const Share& share : shares) head_[at(link_of(share).to)] = tail_[at(link_of(share).from)] = 0;
    tail_[at(network_.seat(dst))] = 0;
    for (auto share = shares.rbegin(); share != shares.rend(); ++share) {
      const LinkData& link = link_of(*share);
      tail_[at(link.from)] = std::max(tail_[at(link.from)], link.latency + tail_[at(link.to)]);
    }
    head_[at(network_.seat(src))] = start;
    double last = start;
    for (const Share& share : shares) {
      const LinkData& link = link_of(share);
      const double part = static_cast<double>(share.weight) / static_cast<double>(view.route->parts);
      double& free = free_[at(view.link(share))];
      const double begin = std::max(head_[at(link.from)], free);
      free = begin + part * bytes * 8 / link.bandwidth;
      head_[at(link.to)] = std::max(head_[at(link.to)], begin + link.latency);
      last = std::max(last, free + link.latency + tail_[at(link.to)]);
    }
    return last;
  }

  bool give_up(Unroutable::Kind kind, std::string text) {
    failure_ = {kind, std::move(text)};
    return false;
  }

  const Schedule& schedule_;
  const Network& network_;
  const FlowOptions& options_;
  const RankSpeeds& speeds_;
  double block_;  // bytes
  Router router_;
  std::vector<double> free_;         // a link: when the flows so far are through
  std::vector<double> head_, tail_;  // a node, of the message at hand: its head's arrival, the latency from there on
  std::vector<int> step_;            // a rank: the step that it is in
  std::vector<double> entered_;
  std::deque<OpenStep> open_;
  int oldest_ = 0;  // the first of them
  std::size_t held_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  std::vector<Transfer> transfers_;
  std::uint64_t crossed_ = 0;
  double end_ = 0;
  Unroutable failure_{};
};

}  // namespace

tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes) {
  return Simulation(schedule, network, options, speeds, bytes).run();
}

}  // namespace onceover
