#include "network/flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "base/rows.h"
#include "base/stop.h"

namespace onceover::network {

namespace {

std::optional<Unroutable> fault_of(const Transfer& t, const Header& header, int step) {
  auto is_rank = [&](Rank r) { return r >= 0 && r < header.ranks; };
  const bool is_sound = is_rank(t.src) && is_rank(t.dst) && !t.stays() && t.blocks.inside(header.all_blocks());
  if (is_sound) return std::nullopt;
  return ill_formed_transfer(t, header.names, step);
}

/// What is followed: the steps of the schedule, or one message of each orbit.
class Followed {
 public:
  Followed(const Schedule& schedule, const Network& network, const std::vector<StepKind>& kinds)
      : schedule_(schedule), ranks_(Translations::none({network.ranks()})), links_(network.link_count()) {
    const PatternedSchedule* patterns = schedule.as_patterns();
    if (patterns == nullptr || !network.grid()) return;
    const std::vector<int> steps = mapped(kinds, &StepKind::step);
    ranks_ = LinkOrbits::kept_by(network, translations_of(*patterns, network.grid()->sides(), steps));
    if (ranks_.orbit_size() == 1) return;
    links_ = LinkOrbits(*network.grid(), ranks_);
    few_ = one_of_each_orbit(*patterns, ranks_, steps);
  }

  const Schedule& schedule() const { return few_ ? *few_ : schedule_; }
  const Translations& ranks() const { return ranks_; }
  const LinkOrbits& links() const { return links_; }

 private:
  const Schedule& schedule_;
  SchedulePtr few_;
  Translations ranks_;
  LinkOrbits links_;
};

/// Follows one step after another, on one thread.
class Follower {
 public:
  Follower(const Followed& followed, const Network& network, const FlowOptions& options,
           std::atomic<std::uint64_t>& crossed)
      : followed_(followed),
        network_(network),
        options_(options),
        crossed_(crossed),
        router_(network, options.routing),
        loads_(followed.links()) {}

  std::optional<Unroutable> load(int step) {
    followed_.schedule().transfers(step, messages_);
    loads_.clear();
    for (const Transfer& t : messages_)
      if (auto fault = fault_of(t, followed_.schedule().header(), step)) return fault;
    local_.clear();
    std::copy_if(messages_.begin(), messages_.end(), std::back_inserter(local_), [](auto& t) { return t.is_local(); });
    if (!local_.empty()) std::erase_if(messages_, [](const Transfer& t) { return t.is_local(); });
    for (const Transfer& t : messages_) {
      stop_point();
      const RouteView view = router_.route(t.src, t.dst, t.lane);
      if (!loads_.add(network_, view, static_cast<std::uint64_t>(t.blocks.size())))
        return Unroutable{
            Unroutable::Kind::exhausted,
            "the flows are split into fractions beyond 126 bits; --routing dimension-order or ecmp may do"};
      if (view.route->hops == 0) return no_way(t.src, t.dst, followed_.schedule().header().names);
      const std::uint64_t searched = router_.searched();
      crossed_ += view.route->shares.size() + 1 + searched - searched_;
      searched_ = searched;
      if (crossed_ > options_.budget)
        return Unroutable{
            Unroutable::Kind::exhausted,
            fmt::format("the budget of {} links crossed by messages or searched ran out", options_.budget)};
    }
    return std::nullopt;
  }

  StepFlows flows() { return {followed_.ranks(), messages_, local_, router_, loads_}; }

 private:
  const Followed& followed_;
  const Network& network_;
  const FlowOptions& options_;
  std::atomic<std::uint64_t>& crossed_;
  Router router_;
  LinkLoads loads_;
  std::vector<Transfer> messages_, local_;  // of the current step
  std::uint64_t searched_ = 0;
};

}  // namespace

int thread_count(const FlowOptions& options, std::size_t jobs) {
  const int wanted = options.threads > 0 ? options.threads : cores();
  return std::max(1, std::min(wanted, static_cast<int>(jobs)));
}

std::vector<StepKind> step_kinds(const Schedule& schedule) {
  const std::vector<int> like = schedule.alike();
  std::vector<StepKind> kinds;
  std::vector<std::size_t> kind_of(like.size());
  for (int s = 0; s < static_cast<int>(like.size()); ++s) {
    const auto first = static_cast<std::size_t>(like[static_cast<std::size_t>(s)]);
    if (static_cast<int>(first) == s) {
      kind_of[first] = kinds.size();
      kinds.push_back({s, 0});
    }
    ++kinds[kind_of[first]].times;
  }
  return kinds;
}

tl::expected<void, Unroutable> follow(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                      const std::function<void(std::size_t, const StepFlows&)>& visit) {
  const std::vector<StepKind> kinds = step_kinds(schedule);
  const Followed followed(schedule, network, kinds);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> crossed = 0;
  std::mutex failing;
  std::optional<Unroutable> failure;
  run_workers(thread_count(options, kinds.size()), [&](int) {
    Follower follower(followed, network, options, crossed);
    for (std::size_t k = next++; k < kinds.size(); k = next++) {
      if (auto fault = follower.load(kinds[k].step)) {
        const std::lock_guard lock(failing);
        if (!failure) failure = fault;
        next = kinds.size();
        return;
      }
      visit(k, follower.flows());
    }
  });
  if (failure) return tl::unexpected(*failure);
  return {};
}

std::string node_text(const Network& network, Node node, const Names& names) {
  if (node >= network.ranks()) return network.node_text(node);
  Rank sitting = network.seat(node) == node ? node : 0;
  while (network.seat(sitting) != node) ++sitting;
  return "rank " + names.rank(sitting);
}

std::string link_text(const Network& network, Link link, const Names& names) {
  const LinkData& ends = network.link(link);
  return fmt::format("{} -> {}", node_text(network, ends.from, names), node_text(network, ends.to, names));
}

Unroutable ill_formed_transfer(const Transfer& transfer, const Names& names, int step) {
  return {Unroutable::Kind::ill_formed,
          fmt::format("step {}: the transfer from rank {} to rank {} is not well-formed; 'verify' says why",
                      names.step(step), names.rank(transfer.src), names.rank(transfer.dst))};
}

Unroutable no_way(Rank from, Rank to, const Names& names) {
  return {Unroutable::Kind::ill_formed, fmt::format("rank {} can't reach rank {}", names.rank(from), names.rank(to))};
}

}  // namespace onceover::network
