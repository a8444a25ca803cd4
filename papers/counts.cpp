#include "papers/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "papers/evidence.h"
#include "schedules/formula.h"

namespace onceover::papers {

namespace {

using Count = std::uint64_t;

/// Calls visit(step, transfer) for all transfers.
template <class Visit>
void for_each_transfer(const Schedule& schedule, Visit&& visit) {
  for (int step = 0; step < schedule.steps(); ++step) {
    stop_point();
    schedule.visit_transfers(step, [&](std::span<const Transfer> transfers) {
      for (const Transfer& t : transfers) visit(step, t);
    });
  }
}

/// How many blocks each rank adds, by lane: the blocks that arrive to be combined.
std::vector<std::vector<Count>> additions_of(const Schedule& schedule) {
  const Header& header = schedule.header();
  std::vector<std::vector<Count>> added(static_cast<std::size_t>(header.lanes),
                                        std::vector<Count>(static_cast<std::size_t>(header.ranks)));
  for_each_transfer(schedule, [&](int, const Transfer& t) {
    if (t.op != Op::reduce) return;
    added[static_cast<std::size_t>(t.lane)][static_cast<std::size_t>(t.dst)] += static_cast<Count>(t.landed());
  });
  return added;
}

std::vector<Count> over_lanes(const std::vector<std::vector<Count>>& added) {
  std::vector<Count> by_rank(added.front().size());
  for (const auto& lane : added)
    std::transform(lane.begin(), lane.end(), by_rank.begin(), by_rank.begin(), std::plus<>());
  return by_rank;
}

/// The first case for which `judge` says that something is wrong.
Evidence each(const Check& check, const std::function<std::string(const Case&)>& judge) {
  return search(range_of(check), [=]() -> ClaimFinding {
    for (const Case& c : cases_of(check))
      if (std::string wrong = judge(c); !wrong.empty()) return {.refutation = Refutation{c.text, std::move(wrong)}};
    return {};
  });
}

constexpr std::array<std::string_view, 6> names_of_additions{"p", "blocks", "steps", "most", "least", "total"};

ClaimFinding judge_additions(const Case& c, const Formula& sentence) {
  const std::vector<Count> by_rank = over_lanes(additions_of(*c.schedule));
  const auto [least, most] = std::minmax_element(by_rank.begin(), by_rank.end());
  const std::array values{static_cast<std::int64_t>(c.schedule->header().ranks),
                          static_cast<std::int64_t>(c.schedule->header().blocks),
                          static_cast<std::int64_t>(c.schedule->steps()),
                          static_cast<std::int64_t>(*most),
                          static_cast<std::int64_t>(*least),
                          static_cast<std::int64_t>(std::accumulate(by_rank.begin(), by_rank.end(), Count{0}))};
  const auto holds = sentence.evaluate(values);
  if (!holds) return {.unknown = fmt::format("{}: {} has no value: {}", c.text, sentence.text(), holds.error().reason)};
  if (*holds != 0) return {};
  return {.refutation = Refutation{
              c.text, fmt::format("{} does not hold: ranks add {} to {} of {} blocks, {} in all", sentence.text(),
                                  *least, *most, c.schedule->header().blocks, values.back())}};
}

/// For each link, the link in the other direction.
std::vector<Link> other_ways(const Network& network) {
  std::map<std::pair<Node, Node>, Link> links;
  for (Link l = 0; l < network.link_count(); ++l) links[{network.link(l).from, network.link(l).to}] = l;
  std::vector<Link> others;
  for (Link l = 0; l < network.link_count(); ++l)
    others.push_back(links.at({network.link(l).to, network.link(l).from}));
  return others;
}

/// The time of all steps, in vectors over a cable's bandwidth, if a cable carries one message at a time.
Rational time_one_way(const Schedule& schedule, const Network& torus) {
  const std::vector<Link> other = other_ways(torus);
  Rational time = 0;
  for (int step = 0; step < schedule.steps(); ++step) {
    stop_point();
    const LinkLoads loads = sure(loads_of(schedule, torus, Routing::minimal, step, step + 1));
    Rational most = 0;
    for (Link l = 0; l < torus.link_count(); ++l)
      most = std::max<Rational>(most, loads.load(l) + loads.load(other[static_cast<std::size_t>(l)]));
    time += most;
  }
  return time / schedule.header().blocks;
}

/// Which rank knows whose part of an element: bit r * p + c says that rank r knows rank c's.
class Gossip {
 public:
  Gossip(int p, Collective collective) : p_(p), collective_(collective) {}

  /// Searches breadth-first over what the ranks may know.
  int fewest() const {
    std::vector<bool> met(std::size_t{1} << (p_ * p_));
    std::vector<std::uint32_t> now{start()};
    for (int messages = 0;; ++messages) {
      stop_point();
      if (std::any_of(now.begin(), now.end(), [&](std::uint32_t known) { return is_done(known); })) return messages;
      std::vector<std::uint32_t> next;
      for (const std::uint32_t known : now)
        for (int src = 0; src < p_; ++src)
          for (int dst = 0; dst < p_; ++dst) {
            const std::uint32_t then = known | of(known, src) << (dst * p_);
            if (met[then]) continue;
            met[then] = true;
            next.push_back(then);
          }
      now = std::move(next);
    }
  }

 private:
  std::uint32_t everybody() const { return (std::uint32_t{1} << p_) - 1; }
  std::uint32_t of(std::uint32_t known, int rank) const { return known >> (rank * p_) & everybody(); }

  /// Each rank knows its own part; in a broadcast only the owner does.
  std::uint32_t start() const {
    std::uint32_t known = 1;
    for (int r = 1; r < p_ && collective_ != Collective::broadcast; ++r) known |= std::uint32_t{1} << (r * p_ + r);
    return known;
  }

  bool is_done(std::uint32_t known) const {
    const std::uint32_t wanted = collective_ == Collective::broadcast ? 1 : everybody();
    for (int r = 0; r < (collective_ == Collective::reduce ? 1 : p_); ++r)
      if (of(known, r) != wanted) return false;
    return true;
  }

  int p_;
  Collective collective_;
};

}  // namespace

std::span<const std::string_view> addition_names() {
  return names_of_additions;
}

Evidence additions(const Check& check, const Formula& sentence) {
  return search(range_of(check), [=]() -> ClaimFinding {
    for (const Case& c : cases_of(check))
      if (ClaimFinding found = judge_additions(c, sentence); found.refutation || !found.unknown.empty()) return found;
    return {};
  });
}

Evidence same_additions_everywhere(const Check& check) {
  return each(check, [](const Case& c) -> std::string {
    const auto added = additions_of(*c.schedule);
    for (std::size_t lane = 0; lane < added.size(); ++lane)
      for (std::size_t rank = 0; rank < added[lane].size(); ++rank)
        if (added[lane][rank] != added[0][0])
          return fmt::format("in lane {} rank {} adds {} blocks, in lane 0 rank 0 {}", lane, rank, added[lane][rank],
                             added[0][0]);
    return "";
  });
}

Evidence least_time_one_way(const Check& check, int vectors) {
  return each(check, [=](const Case& c) -> std::string {
    const Rank p = c.schedule->header().ranks;
    const Rational least = Rational(vectors) * Rational(p - 1, p) / static_cast<std::int64_t>(c.shape.size());
    const Rational time = time_one_way(*c.schedule, network_of("torus", c.shape));
    return time >= least ? "" : fmt::format("it takes {} n beta, less than {}", time.str(), least.str());
  });
}

Evidence fewest_messages(Collective collective, int rounds) {
  return search("all sequences of messages about one element, p = 2..5", [=]() -> ClaimFinding {
    for (int p = 2; p <= 5; ++p)
      if (const int fewest = Gossip(p, collective).fewest(); fewest != rounds * (p - 1))
        return {.refutation =
                    Refutation{fmt::format("p = {}", p),
                               fewest == 1 ? "1 message is enough" : fmt::format("{} messages are enough", fewest)}};
    return {};
  });
}

}  // namespace onceover::papers
