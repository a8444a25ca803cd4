#include "schedules/peer_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "schedules/numbers.h"
#include "schedules/peer_paths.h"

namespace onceover::schedules {

namespace {

constexpr std::array<std::string_view, 3> rank_step_ranks{"r", "s", "p"};
constexpr std::array<std::string_view, 1> only_ranks{"p"};

constexpr std::int64_t most_bits = std::int64_t{256} << 23;
constexpr std::int64_t most_messages = 1 << 22;
constexpr std::int64_t most_steps = 1 << 16;
constexpr std::uint64_t most_runs = 1 << 24;

SourceError no_value(std::string_view flag, const Formula& formula, const Formula::Undefined& why,
                     const std::string& where) {
  return source_error(flag, formula.text(), why.offset, fmt::format("no value for {}: {}", where, why.reason));
}

PeerFailure too_large(const PeerRule& rule, Rank p, std::int64_t steps, const std::string& why) {
  return {source_error("--peer", rule.peer.text(), 0,
                       fmt::format("p = {} with {} steps is too large for a formula: {}", p, steps, why)),
          true};
}

tl::expected<std::int64_t, SourceError> step_count(const PeerRule& rule, Rank p) {
  if (!rule.steps) return ceil_log2(p);
  const std::int64_t variables[] = {p};
  const auto steps = rule.steps->evaluate(variables);
  if (!steps) return tl::unexpected(no_value("--peer-steps", *rule.steps, steps.error(), fmt::format("p = {}", p)));
  if (*steps < 0 || *steps > most_steps)
    return tl::unexpected(
        source_error("--peer-steps", rule.steps->text(), 0,
                     fmt::format("expected 0 to {} steps, found {} for p = {}", most_steps, *steps, p)));
  return *steps;
}

/// Appends the peers of all ranks at a step.
tl::expected<void, SourceError> add_peers(const PeerRule& rule, Rank ranks, int step, std::vector<Rank>& peers) {
  for (Rank r = 0; r < ranks; ++r) {
    const std::int64_t variables[] = {r, step, ranks};
    const auto peer = rule.peer.evaluate(variables);
    if (!peer)
      return tl::unexpected(
          no_value("--peer", rule.peer, peer.error(), fmt::format("r = {}, s = {}, p = {}", r, step, ranks)));
    peers.push_back(around(*peer, ranks));
  }
  return {};
}

/// Does the rule have steps for this many ranks, and pair all ranks at each? Looks at one step after the other. If the
/// rule has more steps than a schedule may have, only the first ones count.
bool pairs_all(const PeerRule& rule, Rank ranks) {
  std::int64_t steps = ceil_log2(ranks);
  if (rule.steps) {
    const std::int64_t variables[] = {ranks};
    steps = rule.steps->evaluate(variables).value_or(0);
  }
  steps = std::min(steps, most_messages / ranks + 1);
  for (int s = 0; s < steps; ++s) {
    std::vector<Rank> peers;
    if (!add_peers(rule, ranks, s, peers)) return false;
    for (Rank r = 0; r < ranks; ++r) {
      const Rank peer = peers[static_cast<std::size_t>(r)];
      if (peer == r || peers[static_cast<std::size_t>(peer)] != r) return false;
    }
  }
  return steps > 0;
}

/// Does the formula say, before it is taken modulo p, that a rank is its own peer?
bool has_own_peer(const PeerRule& rule, Rank ranks) {
  const std::int64_t steps = std::min(step_count(rule, ranks).value_or(0), most_messages / ranks + 1);
  for (std::int64_t s = 0; s < steps; ++s)
    for (Rank r = 0; r < ranks; ++r) {
      const std::int64_t variables[] = {r, s, ranks};
      const auto peer = rule.peer.evaluate(variables);
      if (peer && *peer == r) return true;
    }
  return false;
}

constexpr int ranks_variable = 2;
static_assert(rank_step_ranks[ranks_variable] == "p");

/// Is the last rank apart, and if not although the rule pairs one rank less and one more: why?
struct Odd {
  bool last_rank_apart = false;
  std::string_view why_as_written = {};
};

Odd odd_of(const PeerRule& rule, Rank p) {
  if (p % 2 == 0 || p == 1) return {};
  if (rule.odd) return {*rule.odd == OddRanks::apart, {}};
  if (!pairs_all(rule, p - 1) || !pairs_all(rule, p + 1)) return {};
  if (rule.peer.mentions(ranks_variable)) return {false, "it mentions p"};
  if (has_own_peer(rule, p)) return {false, "in it a rank is its own peer"};
  return {true, {}};
}

tl::expected<PatternedSchedule::Builder, PeerFailure> reduce_scatter(const PeerRule& rule, const PeerTable& peers) {
  PatternedSchedule::Builder plan;
  const Rank running = peers.running();
  if (period_of_peers(running, peers.steps(), peers) == running && running > 2 &&
      std::int64_t{running} * peers.steps() > most_bits / running)
    return tl::unexpected(
        too_large(rule, running, peers.steps(), fmt::format("p^2 steps are more than {} bits", most_bits)));
  if (!add_reduce_scatter_along(plan, running, peers.ranks(), peers.steps(), peers, Repeats::last, most_runs))
    return tl::unexpected(too_large(rule, running, peers.steps(),
                                    fmt::format("its messages have more than {} runs of blocks", most_runs)));
  if (!peers.last_rank_apart()) return plan;
  OddOneOut odd_one(running);
  for (int s = 0; s < peers.steps(); ++s) {
    std::vector<Axis> sends;
    odd_one.exchange(s + 1 == peers.steps(), sends);
    for (Axis& axis : sends) plan.add(s, {.axes = {std::move(axis)}});
  }
  return plan;
}

}  // namespace

std::string_view name(OddRanks odd) {
  return odd == OddRanks::apart ? "apart" : "as-written";
}

std::span<const std::string_view> peer_variables() {
  return rank_step_ranks;
}

std::span<const std::string_view> steps_variables() {
  return only_ranks;
}

tl::expected<PeerTable, PeerFailure> PeerTable::of(const PeerRule& rule, Rank ranks) {
  const Odd odd = odd_of(rule, ranks);
  const Rank running = odd.last_rank_apart ? ranks - 1 : ranks;
  const auto steps = TRY(step_count(rule, running));
  if (running * steps > most_messages)
    return tl::unexpected(
        too_large(rule, running, steps, fmt::format("a reduce-scatter has more than {} messages", most_messages)));
  PeerTable table(ranks, running, static_cast<int>(steps), odd.why_as_written);
  for (int s = 0; s < table.steps(); ++s) TRY(add_peers(rule, running, s, table.peers_));
  return table;
}

std::optional<std::string> PeerTable::unpaired() const {
  for (int s = 0; s < steps_; ++s)
    for (Rank r = 0; r < running_; ++r) {
      const Rank peer = (*this)(r, s);
      if (peer == r) return fmt::format("at step {} rank {} is its own peer", s, r);
      if ((*this)(peer, s) != r)
        return fmt::format("at step {} rank {} has peer {}, whose peer is {}", s, r, peer, (*this)(peer, s));
    }
  return std::nullopt;
}

tl::expected<PeerSchedule, PeerFailure> make_peer_schedule(const PeerRule& rule, Collective collective, Rank ranks) {
  const auto peers = TRY(PeerTable::of(rule, ranks));
  PatternedSchedule::Builder plan = TRY(reduce_scatter(rule, peers));
  if (collective == Collective::allgather) plan.reverse();
  if (collective == Collective::allreduce) plan.append_reversal();
  Header header{.collective = collective, .ranks = ranks, .blocks = ranks, .shape = {ranks}};
  return PeerSchedule{std::make_shared<PatternedSchedule>(std::move(header), std::move(plan)), peers.last_rank_apart(),
                      peers.why_as_written(), peers.unpaired()};
}

}  // namespace onceover::schedules
