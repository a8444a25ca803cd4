// Processes events in the order of time: a rank enters its next step of a lane, or a message takes the links of its
// next hop. A message that is split takes all of them when the first of its heads reaches them.
//
// Example: two messages reach a link, at 0 and at 5 ns, and each takes 20 ns to pass. The second one's head moves on at
// 20 ns, and the link is free again at 40. A head doesn't wait for its tail: it is at the next node after the latency,
// while the tail is still to come.
//
// The messages of a step are held from when the first rank enters it until the last one has left it.
//
// The simulation ends: in a step, a rank waits only for messages that others send when they enter that step, so by
// induction over the steps nobody waits for ever. Each rank enters each step once in each lane, and a message has one
// event for each hop and one at its arrival: O(ranks * lanes * steps + messages * hops) events, each O(log events
// waiting) plus its links.

#include "network/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "base/parallel.h"
#include "base/stop.h"
#include "network/event_queue.h"
#include "network/flows.h"

namespace onceover::network {

namespace {

/// How many messages may be held at a time, for the steps that some rank is still in.
constexpr std::size_t most_messages = 50'000'000;

/// A rank in a lane: rank * lanes + lane. The simulation treats each lane separately.
using Party = std::int32_t;

struct Message {
  Party to;
  Block blocks;
  Block added;  // blocks that it is added to
};

/// A step that some parties have entered and not all have left.
struct OpenStep {
  std::vector<std::uint32_t> first;  // party k sends messages first[k] .. first[k+1]
  std::vector<Message> messages;
  std::vector<std::uint32_t> expected;  // receives that a party still waits for
  std::vector<double> arrived;          // when the last of them came, ns
  std::vector<double> reduced;          // blocks
  std::size_t passed = 0;               // parties that went on to the next step
};

/// A message under way: its head is about to take the links of `hop`.
struct Flight {
  Rank src;
  Message message;
  int step;
  std::uint32_t order = 0;  // among those that its party sends in the step
  std::int32_t hop = 0;
  double sent = 0;
  double end = 0;                                // when everything that has passed so far will have arrived
  std::vector<std::pair<Node, double>> heads{};  // where its heads are, and since when
  RouteView route{};
  std::uint64_t found = 0;     // Router::forgotten, when the route was found
  std::size_t next_share = 0;  // of the route, the first of the hop
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const Network& network, const FlowOptions& options, const RankSpeeds& speeds,
             double bytes, const MessageVisitor& visit)
      : schedule_(schedule),
        network_(network),
        options_(options),
        speeds_(speeds),
        visit_(visit),
        lanes_(schedule.header().lanes),
        block_(bytes / schedule.header().blocks),
        router_(network, options.routing),
        free_(static_cast<std::size_t>(network.link_count())),
        port_(network.port_bandwidth()),
        step_(static_cast<std::size_t>(network.ranks()) * static_cast<std::size_t>(lanes_), -1),
        entered_(step_.size()),
        reducing_until_(static_cast<std::size_t>(network.ranks())),
        sending_(reducing_until_.size() * static_cast<std::size_t>(network.ports())),
        receiving_(sending_.size()) {}

  tl::expected<double, Unroutable> run() {
    for (std::size_t k = 0; k < step_.size(); ++k) queue_.push({0, static_cast<std::int64_t>(k)});
    while (!queue_.empty()) {
      const auto [time, what] = queue_.pop();
      end_ = std::max(end_, time);
      const bool goes_on = what < static_cast<std::int64_t>(step_.size())
                               ? enter_next_step(static_cast<Party>(what), time)
                               : fly(static_cast<std::size_t>(what) - step_.size());
      if (!goes_on) return tl::unexpected(failure_);
    }
    return end_;
  }

 private:
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  Rank rank_of(Party party) const { return party / lanes_; }
  OpenStep& open(int step) { return open_[at(step - oldest_)]; }

  bool enter_next_step(Party party, double time) {
    const int step = ++step_[at(party)];
    if (step > 0) leave(step - 1);
    entered_[at(party)] = time;
    if (step >= schedule_.steps()) return true;
    if (step >= oldest_ + static_cast<int>(open_.size()) && !open_next()) return false;
    send(party, step);
    if (open(step).expected[at(party)] == 0) {
      open(step).arrived[at(party)] = time;
      go_on(party, step);
    }
    return true;
  }

  /// The party has everything that it waited for in the step.
  void go_on(Party party, int step) {
    const OpenStep& here = open(step);
    double ready = here.arrived[at(party)];
    if (here.reduced[at(party)] > 0) {
      double& busy = reducing_until_[at(rank_of(party))];
      busy = std::max(busy, ready) + here.reduced[at(party)] * block_ * speeds_.reduction;
      ready = busy;
    }
    queue_.push({std::max(entered_[at(party)], ready), party});
  }

  void leave(int step) {
    ++open(step).passed;
    while (!open_.empty() && open_.front().passed == step_.size()) {
      held_ -= open_.front().messages.size();
      open_.pop_front();
      ++oldest_;
    }
  }

  bool is_sound(const Transfer& t) const {
    auto is_rank = [&](Rank r) { return r >= 0 && r < network_.ranks(); };
    return is_rank(t.src) && is_rank(t.dst) && !t.stays() && t.lane >= 0 && t.lane < lanes_;
  }

  bool open_next() {
    const int step = oldest_ + static_cast<int>(open_.size());
    schedule_.transfers(step, transfers_);
    const std::size_t parties = step_.size();
    OpenStep next{.first = std::vector<std::uint32_t>(parties + 1),
                  .messages = {},
                  .expected = std::vector<std::uint32_t>(parties),
                  .arrived = std::vector<double>(parties),
                  .reduced = std::vector<double>(parties)};
    auto party = [&](Rank rank, int lane) { return static_cast<Party>(rank * lanes_ + lane); };
    for (const Transfer& t : transfers_) {
      if (!is_sound(t)) return give_up(ill_formed_transfer(t, names(), step));
      if (t.is_local()) {
        if (t.op == Op::reduce) next.reduced[at(party(t.dst, t.lane))] += t.landed();
        continue;
      }
      ++next.first[at(party(t.src, t.lane)) + 1];
      ++next.expected[at(party(t.dst, t.lane))];
    }
    for (std::size_t k = 0; k < parties; ++k) next.first[k + 1] += next.first[k];
    next.messages.resize(next.first.back());
    std::vector<std::uint32_t> place(next.first.begin(), next.first.end() - 1);
    for (const Transfer& t : transfers_)
      if (!t.is_local())
        next.messages[place[at(party(t.src, t.lane))]++] = {party(t.dst, t.lane), t.blocks.size(),
                                                            t.op == Op::reduce ? t.landed() : 0};
    held_ += next.messages.size();
    open_.push_back(std::move(next));
    return held_ <= most_messages ||
           give_up({Unroutable::Kind::exhausted,
                    fmt::format("more than {} messages are under way or waited for", most_messages)});
  }

  void send(Party party, int step) {
    const OpenStep& here = open(step);
    const std::uint32_t first = here.first[at(party)];
    const Rank src = rank_of(party);
    for (std::uint32_t m = first; m < here.first[at(party) + 1]; ++m) {
      const Message& message = here.messages[m];
      const double start = take_port(sending_, src, entered_[at(party)], speeds_.overhead, message);
      launch(src, message, step, start, m - first);
    }
  }

  /// A message takes the first free port of its rank. Returns the time at which it begins to pass, after the overhead.
  double take_port(std::vector<double>& ports, Rank rank, double from, double overhead, const Message& message) {
    const auto first = ports.begin() + static_cast<std::ptrdiff_t>(at(rank) * at(network_.ports()));
    double& port = *std::min_element(first, first + network_.ports());
    const double start = std::max(from, port) + overhead;
    port = start + message.blocks * block_ * 8 / port_;
    return start;
  }

  void launch(Rank src, const Message& message, int step, double start, std::uint32_t order) {
    if (landed_.empty()) {
      landed_.push_back(flights_.size());
      flights_.emplace_back();
    }
    const std::size_t place = landed_.back();
    landed_.pop_back();
    Flight& flight = flights_[place];
    flight.src = src;
    flight.message = message;
    flight.step = step;
    flight.order = order;
    flight.sent = start;
    flight.hop = 0;
    flight.end = start;
    flight.heads.assign(1, {network_.seat(src), start});
    flight.next_share = 0;
    find_route(flight);
    queue_.push({start, static_cast<std::int64_t>(step_.size() + place)});
  }

  void find_route(Flight& flight) {
    flight.route = router_.route(flight.src, rank_of(flight.message.to), flight.message.to % lanes_);
    flight.found = router_.forgotten();
  }

  /// The heads of a flight take the links of the next hop; after the last hop, the message arrives.
  bool fly(std::size_t place) {
    Flight& flight = flights_[place];
    if (flight.found != router_.forgotten()) find_route(flight);
    const RouteView& view = flight.route;
    if (view.route->parts == 0)
      return give_up({Unroutable::Kind::exhausted, "there are more shortest paths than can be counted"});
    if (view.route->hops == 0) return give_up(no_way(flight.src, rank_of(flight.message.to), names()));
    if (flight.hop == view.route->hops) {
      receive(flight);
      landed_.push_back(place);
      return true;
    }
    stop_point();
    if (crossed_ + router_.searched() > options_.budget)
      return give_up({Unroutable::Kind::exhausted,
                      fmt::format("the budget of {} links crossed by messages or searched ran out", options_.budget)});
    take_links(flight);
    ++flight.hop;
    const bool is_last = flight.hop == view.route->hops;
    double next = is_last ? flight.end : flight.heads.front().second;
    for (const auto& head : flight.heads) next = is_last ? next : std::min(next, head.second);
    queue_.push({next, static_cast<std::int64_t>(step_.size() + place)});
    return true;
  }

  void take_links(Flight& flight) {
    const RouteView& view = flight.route;
    const auto& shares = view.route->shares;
    auto share = shares.begin() + static_cast<std::ptrdiff_t>(flight.next_share);
    next_heads_.clear();
    double slowest = 0;
    double end = 0;
    for (; share != shares.end() && share->hop == flight.hop; ++share) {
      ++crossed_;
      const LinkData& link = network_.link(view.link(*share));
      const double part = static_cast<double>(share->weight) / static_cast<double>(view.route->parts);
      double& free = free_[at(std::max(view.link(*share), network_.reverse_link(view.link(*share))))];
      const double begin = std::max(head_at(flight.heads, link.from), free);
      free = begin + part * flight.message.blocks * block_ * 8 / link.bandwidth;
      advance(next_heads_, link.to, begin + link.latency);
      slowest = std::max(slowest, link.latency);
      end = std::max(end, free + link.latency);
    }
    flight.next_share = static_cast<std::size_t>(share - shares.begin());
    flight.end = std::max(flight.end + slowest, end);
    flight.heads.swap(next_heads_);
  }

  static double head_at(const std::vector<std::pair<Node, double>>& heads, Node node) {
    const auto head = std::find_if(heads.begin(), heads.end(), [&](const auto& h) { return h.first == node; });
    return head->second;
  }

  static void advance(std::vector<std::pair<Node, double>>& heads, Node node, double time) {
    const auto head = std::find_if(heads.begin(), heads.end(), [&](const auto& h) { return h.first == node; });
    if (head == heads.end())
      heads.emplace_back(node, time);
    else
      head->second = std::max(head->second, time);
  }

  void receive(const Flight& flight) {
    OpenStep& here = open(flight.step);
    const std::size_t k = at(flight.message.to);
    const double whole = flight.message.blocks * block_ * 8 / port_;
    const double begin = take_port(receiving_, rank_of(flight.message.to), flight.end - whole, 0, flight.message);
    here.arrived[k] = std::max(here.arrived[k], begin + whole);
    if (visit_) visit_({flight.step, flight.src, flight.message.to % lanes_, flight.order, flight.sent, begin + whole});
    here.reduced[k] += flight.message.added;
    if (--here.expected[k] == 0 && step_[k] == flight.step) go_on(flight.message.to, flight.step);
  }

  const Names& names() const { return schedule_.header().names; }

  bool give_up(Unroutable why) {
    failure_ = std::move(why);
    return false;
  }

  const Schedule& schedule_;
  const Network& network_;
  const FlowOptions& options_;
  const RankSpeeds& speeds_;
  const MessageVisitor& visit_;  // may be empty
  int lanes_;
  double block_;  // bytes
  Router router_;
  std::vector<double> free_;  // by link, of two that are half duplex the last: when the flows so far have passed
  double port_;               // Gb/s
  std::vector<int> step_;     // by party: the step that it is in
  std::vector<double> entered_;
  std::vector<double> reducing_until_;       // by rank
  std::vector<double> sending_, receiving_;  // by port of a rank: until when
  std::deque<OpenStep> open_;
  int oldest_ = 0;  // the first open step
  std::size_t held_ = 0;
  std::vector<Flight> flights_;
  std::vector<std::size_t> landed_;  // places of finished flights
  std::vector<std::pair<Node, double>> next_heads_;
  EventQueue queue_;
  std::vector<Transfer> transfers_;
  std::uint64_t crossed_ = 0;
  double end_ = 0;
  Unroutable failure_{};
};

}  // namespace

tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes) {
  return simulate(schedule, network, options, speeds, bytes, {});
}

tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes, const MessageVisitor& visit) {
  return Simulation(schedule, network, options, speeds, bytes, visit).run();
}

tl::expected<std::vector<double>, Unroutable> simulate_each(const Schedule& schedule, const Network& network,
                                                            const FlowOptions& options, const RankSpeeds& speeds,
                                                            const std::vector<double>& sizes) {
  std::vector<tl::expected<double, Unroutable>> found(sizes.size(), 0.0);
  std::atomic<std::size_t> next = 0;
  run_workers(thread_count(options, sizes.size()), [&](int) {
    for (std::size_t k = next++; k < sizes.size(); k = next++)
      found[k] = simulate(schedule, network, options, speeds, sizes[k]);
  });
  std::vector<double> times;
  for (const auto& time : found) {
    if (!time) return tl::unexpected(time.error());
    times.push_back(*time);
  }
  return times;
}

}  // namespace onceover::network
