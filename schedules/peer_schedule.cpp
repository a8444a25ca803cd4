#include "schedules/peer_schedule.h"

#include <fmt/format.h>

#include <array>

#include "schedules/numbers.h"
#include "schedules/odd_one_out.h"
#include "schedules/peer_paths.h"

namespace onceover {

namespace {

constexpr std::array<std::string_view, 3> rank_step_ranks{"r", "s", "p"};
constexpr std::array<std::string_view, 1> only_ranks{"p"};

constexpr std::int64_t most_bits = std::int64_t{256} << 23;
constexpr std::int64_t most_messages = 1 << 22;
constexpr std::int64_t most_steps = 1 << 16;

SourceError no_value(std::string_view flag, const Formula& formula, const Formula::Undefined& why,
                     const std::string& where) {
  return source_error(flag, formula.text(), why.offset, fmt::format("no value for {}: {}", where, why.reason));
}

tl::expected<int, SourceError> step_count(const PeerRule& rule, Rank p) {
  if (!rule.steps) return ceil_log2(p);
  const std::int64_t variables[] = {p};
  const auto steps = rule.steps->evaluate(variables);
  if (!steps) return tl::unexpected(no_value("--steps", *rule.steps, steps.error(), fmt::format("p = {}", p)));
  if (*steps < 0 || *steps > most_steps)
    return tl::unexpected(
        source_error("--steps", rule.steps->text(), 0,
                     fmt::format("expected 0 to {} steps, found {} for p = {}", most_steps, *steps, p)));
  return static_cast<int>(*steps);
}

/// Everybody's peers for one number of ranks.
class Peers {
 public:
  static tl::expected<Peers, SourceError> of(const PeerRule& rule, Rank p) {
    const auto steps = step_count(rule, p);
    if (!steps) return tl::unexpected(steps.error());
    Peers peers(p, *steps);
    if (std::int64_t{p} * *steps > most_messages || std::int64_t{p} * p * *steps > most_bits)
      return tl::unexpected(source_error("--peer", rule.peer.text(), 0,
                                         fmt::format("p = {} with {} steps is too large for a formula", p, *steps)));
    for (int s = 0; s < *steps; ++s)
      for (Rank r = 0; r < p; ++r) {
        const std::int64_t variables[] = {r, s, p};
        const auto peer = rule.peer.evaluate(variables);
        if (!peer)
          return tl::unexpected(
              no_value("--peer", rule.peer, peer.error(), fmt::format("r = {}, s = {}, p = {}", r, s, p)));
        peers.table_.push_back(around(*peer, p));
      }
    return peers;
  }

  Rank ranks() const { return ranks_; }
  int steps() const { return steps_; }
  Rank operator()(Rank rank, int step) const {
    return table_[static_cast<std::size_t>(step) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank)];
  }

  /// The first step and rank whose peer has another peer, if there is one.
  std::optional<std::string> unpaired() const {
    for (int s = 0; s < steps_; ++s)
      for (Rank r = 0; r < ranks_; ++r) {
        const Rank peer = (*this)(r, s);
        if (peer == r) return fmt::format("at step {} rank {} is its own peer", s, r);
        if ((*this)(peer, s) != r)
          return fmt::format("at step {} rank {} has peer {}, whose peer is {}", s, r, peer, (*this)(peer, s));
      }
    return std::nullopt;
  }

 private:
  Peers(Rank ranks, int steps) : ranks_(ranks), steps_(steps) {}

  Rank ranks_;
  int steps_;
  std::vector<Rank> table_;  // by step, then rank
};

PatternedSchedule::Builder reduce_scatter(const Peers& peers, Rank p) {
  PatternedSchedule::Builder plan;
  add_reduce_scatter_along(plan, peers.ranks(), p, peers.steps(), peers);
  if (peers.ranks() == p) return plan;
  OddOneOut odd_one(p - 1);
  for (int s = 0; s < peers.steps(); ++s) {
    std::vector<Axis> sends;
    odd_one.exchange(s + 1 == peers.steps(), sends);
    for (Axis& axis : sends) plan.add(s, {.axes = {std::move(axis)}});
  }
  return plan;
}

/// Does the rule pair all ranks at every step? Whatever the size: a step at a time.
bool pairs_all(const PeerRule& rule, Rank ranks) {
  const auto steps = step_count(rule, ranks);
  if (!steps) return false;
  std::vector<Rank> peers(static_cast<std::size_t>(ranks));
  for (int s = 0; s < *steps; ++s) {
    for (Rank r = 0; r < ranks; ++r) {
      const std::int64_t variables[] = {r, s, ranks};
      const auto peer = rule.peer.evaluate(variables);
      if (!peer) return false;
      peers[static_cast<std::size_t>(r)] = around(*peer, ranks);
    }
    for (Rank r = 0; r < ranks; ++r) {
      const Rank peer = peers[static_cast<std::size_t>(r)];
      if (peer == r || peers[static_cast<std::size_t>(peer)] != r) return false;
    }
  }
  return true;
}

}  // namespace

std::span<const std::string_view> peer_variables() {
  return rank_step_ranks;
}

std::span<const std::string_view> steps_variables() {
  return only_ranks;
}

tl::expected<PeerSchedule, SourceError> make_peer_schedule(const PeerRule& rule, Collective collective, Rank ranks) {
  const bool last_rank_apart = ranks % 2 == 1 && ranks > 1 && pairs_all(rule, ranks - 1) && pairs_all(rule, ranks + 1);
  const auto peers = Peers::of(rule, last_rank_apart ? ranks - 1 : ranks);
  if (!peers) return tl::unexpected(peers.error());
  PatternedSchedule::Builder plan = reduce_scatter(*peers, ranks);
  if (collective == Collective::allgather) plan.reverse();
  if (collective == Collective::allreduce) plan.append_reversal();
  Header header{.collective = collective, .ranks = ranks, .blocks = ranks, .shape = {ranks}};
  return PeerSchedule{std::make_shared<PatternedSchedule>(std::move(header), std::move(plan)), last_rank_apart,
                      peers->unpaired()};
}

}  // namespace onceover
