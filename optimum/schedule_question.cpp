// Three encodings, by what the collective promises.
//
// *Spreading.* Something of each block begins at one rank and has to reach others: allgather, broadcast, scatter,
// gather, alltoall. t_s_u_v_b says that u sends block b to v in step s; has_s_v_b that v has it before step s.
//
// *Gathering* is spreading with time reversed: reduce-scatter, reduce.
//
// Both are exact: if a rank can learn what it must at all, whatever ranks combine or keep in scratch, there is a
// schedule that does it exactly once with some of the same transfers. Spreading: each rank that learns of a block takes
// the first transfer that tells it, which is one from a rank that knew before; the others are left out. Gathering: each
// rank sends its sum of a block in the last transfer from which data still reaches the end. The rank that gets it sends
// its own later. Those transfers are a tree, and a tree adds up each contribution once. So here a rank receives (or, in
// a reduction, sends) each block once at most.
//
// *Summing*: allreduce. x_s_u_v_b says that u sends block b to v in step s; o_s_v_b that what arrives at v replaces
// what v has, else it is added; h_s_v_b_c that v's value before step s includes c's contribution. Values that are added
// up in one place must be disjoint. That loses no schedule: a value with a contribution twice can't be part of a right
// result, nor can what it is added to. So without the transfers that reach no result, no sum has one twice.
//
// The knowledge of an allreduce is weaker: h grows by all that arrives. So if even that is impossible, no schedule
// exists, whatever ranks keep.
//
// Example: allgather of 2 ranks in 1 step, 1 block each. t_0_0_1_0 and t_0_1_0_1 are the only values that count; they
// must be true, so has_1_1_0 and has_1_0_1 are.

#include "optimum/schedule_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/stop.h"
#include "schedules/listed_schedule.h"

namespace onceover::optimum {

namespace {

using Transferred = std::tuple<int, Rank, Rank, Block>;  // step, src, dst, block

/// Adds up literals beside each other, by rank.
class PerRank {
 public:
  explicit PerRank(Rank ranks) : lists_(static_cast<std::size_t>(ranks)) {}

  void add(Rank rank, Literal literal) { lists_[static_cast<std::size_t>(rank)].push_back(literal); }

  void limit(Clauses& clauses, int most) const {
    for (const auto& list : lists_) clauses.at_most(list, most);
  }

 private:
  std::vector<std::vector<Literal>> lists_;
};

/// What all encodings share: transfers, messages, and the limits on them.
class Encoding {
 public:
  Encoding(const ScheduleQuestion& asked, const std::vector<TimedMove>* moves) : asked_(asked) {
    if (moves == nullptr) return;
    only_.emplace();
    for (const TimedMove& m : *moves) only_->insert({m.step, m.src, m.dst, m.block});
  }

  Clauses& clauses() { return clauses_; }

  /// Is there still room? Asked now and then, so that a hopeless question ends soon.
  bool fits() const { return clauses_.size() <= most_literals; }

 protected:
  Rank ranks() const { return asked_.header.ranks; }

  /// u sends block b to v in step s.
  Literal transfer(int s, Rank u, Rank v, Block b) {
    const Literal sent = clauses_.variable(fmt::format("x_{}_{}_{}_{}", s, u, v, b));
    if (only_) clauses_.add({only_->contains({s, u, v, b}) ? sent : -sent});
    sent_.emplace_back(Transferred{s, u, v, b}, sent);
    return sent;
  }

  /// u sends v a message by this operation in step s.
  Literal message(int s, Rank u, Rank v, Op op) {
    const bool copies = op == Op::copy;
    auto [place, is_new] = messages_.try_emplace({s, u, v, copies ? 1 : 0}, 0);
    if (is_new) place->second = clauses_.variable(fmt::format("{}_{}_{}_{}", copies ? "n" : "m", s, u, v));
    return place->second;
  }

  /// If all of these are true, there is such a message.
  void carry(int s, Rank u, Rank v, Op op, std::span<const Literal> all) {
    if (asked_.ports) clauses_.imply(all, message(s, u, v, op));
  }

  void add_limits() {
    if (asked_.volume) {
      PerRank of_rank(ranks());
      for (const auto& [where, sent] : sent_) of_rank.add(std::get<1>(where), sent);
      of_rank.limit(clauses_, *asked_.volume);
    }
    if (!asked_.ports) return;
    for (int s = 0; s < asked_.steps; ++s) {
      PerRank sends(ranks()), receives(ranks());
      for (const auto& [where, message] : messages_) {
        if (std::get<0>(where) != s) continue;
        sends.add(std::get<1>(where), message);
        receives.add(std::get<2>(where), message);
      }
      sends.limit(clauses_, *asked_.ports);
      receives.limit(clauses_, *asked_.ports);
    }
  }

  const ScheduleQuestion& asked_;
  Clauses clauses_;
  std::vector<std::pair<Transferred, Literal>> sent_;

 private:
  std::optional<std::set<Transferred>> only_;
  std::map<std::tuple<int, Rank, Rank, int>, Literal> messages_;
};

class SpreadEncoding : public Encoding {
 public:
  SpreadEncoding(const ScheduleQuestion& asked, const std::vector<TimedMove>* moves)
      : Encoding(asked, moves), is_reversed_(is_gathering(asked.header.collective)) {
    for (Block b = 0; b < asked.header.blocks && fits(); ++b) add_block(b);
    if (fits()) add_limits();
  }

 private:
  /// Where the block begins, and where it must end; of a reduction, the other way round.
  bool begins_at(Rank rank, Block block) const {
    const Contract& promise = contract(asked_.header.collective);
    return asked_.header.holds(is_reversed_ ? promise.ends : promise.begins, rank, block);
  }
  bool ends_at(Rank rank, Block block) const {
    const Contract& promise = contract(asked_.header.collective);
    return asked_.header.holds(is_reversed_ ? promise.begins : promise.ends, rank, block);
  }

  void add_block(Block b) {
    const auto n = static_cast<std::size_t>(ranks());
    std::vector<Literal> has(n);
    for (Rank r = 0; r < ranks(); ++r)
      has[static_cast<std::size_t>(r)] = begins_at(r, b) ? clauses_.truth() : clauses_.falsehood();
    std::vector<std::vector<Literal>> told(n);  // of each rank, in all steps
    for (int s = 0; s < asked_.steps && fits(); ++s) has = after(has, s, b, told);
    for (Rank r = 0; r < ranks(); ++r) {
      clauses_.at_most(told[static_cast<std::size_t>(r)], 1);
      if (ends_at(r, b)) clauses_.add({has[static_cast<std::size_t>(r)]});
    }
  }

  std::vector<Literal> after(const std::vector<Literal>& has, int s, Block b, std::vector<std::vector<Literal>>& told) {
    std::vector<Literal> now = has;
    for (Rank v = 0; v < ranks(); ++v) {
      const auto to = static_cast<std::size_t>(v);
      if (has[to] == clauses_.truth()) continue;
      std::vector<Literal> ways{has[to]};
      for (Rank u = 0; u < ranks(); ++u) {
        const auto from = static_cast<std::size_t>(u);
        const bool may = is_reversed_ ? asked_.may_send(v, u) : asked_.may_send(u, v);
        if (!may) continue;
        const Literal sent = is_reversed_ ? sent_at(asked_.steps - 1 - s, v, u, b) : sent_at(s, u, v, b);
        clauses_.imply(std::array{sent}, has[from]);
        told[to].push_back(sent);
        ways.push_back(sent);
      }
      now[to] = clauses_.variable(fmt::format("has_{}_{}_{}", s + 1, v, b));
      ways.push_back(-now[to]);
      clauses_.add(std::move(ways));
    }
    return now;
  }

  Literal sent_at(int step, Rank src, Rank dst, Block b) {
    const Literal sent = transfer(step, src, dst, b);
    carry(step, src, dst, is_reversed_ ? Op::reduce : Op::copy, std::array{sent});
    return sent;
  }

  bool is_reversed_;
};

/// What the encodings of an allreduce share.
class SumEncoding : public Encoding {
 public:
  SumEncoding(const ScheduleQuestion& asked, Assumed assumed, const std::vector<TimedMove>* moves)
      : Encoding(asked, moves), is_exact_(assumed == Assumed::one_value), is_given_(moves != nullptr) {
    if (moves == nullptr) return;
    for (const TimedMove& m : *moves)
      if (m.op == Op::copy) replaced_.insert({m.step, m.dst, m.block});
  }
  virtual ~SumEncoding() = default;

  void fill() {
    for (Block b = 0; b < asked_.header.blocks && fits(); ++b) add_block(b);
    if (fits()) add_limits();
    if (!is_given_ && asked_.linked.empty() && asked_.steps > 0 && fits()) clauses_.add({first_transfer()});
  }

 protected:
  /// Whose contributions each rank's value includes: value[rank][whose].
  using Values = std::vector<std::vector<Literal>>;

  /// Replaces v's value before a step by the one after it.
  virtual void arrive(const Values& before, std::vector<Literal>& value, int s, Rank v, Block b) = 0;

  /// Does what v receives of block b replace what it has?
  Literal replacing(int s, Rank v, Block b) {
    if (!is_exact_) return clauses_.falsehood();
    const Literal replaces = clauses_.variable(fmt::format("o_{}_{}_{}", s, v, b));
    if (is_given_) clauses_.add({replaced_.contains({s, v, b}) ? replaces : -replaces});
    return replaces;
  }

  Literal value_after(int s, Rank v, Block b, std::size_t whose) {
    return clauses_.variable(fmt::format("h_{}_{}_{}_{}", s + 1, v, b, whose));
  }

  const bool is_exact_;

 private:
  void add_block(Block b) {
    const auto n = static_cast<std::size_t>(ranks());
    Values values(n, std::vector<Literal>(n, clauses_.falsehood()));
    for (std::size_t r = 0; r < n; ++r) values[r][r] = clauses_.truth();
    for (int s = 0; s < asked_.steps; ++s) {
      const Values before = values;
      for (Rank v = 0; v < ranks() && fits(); ++v) arrive(before, values[static_cast<std::size_t>(v)], s, v, b);
    }
    for (const auto& value : values)
      for (const Literal includes : value) clauses_.add({includes});
  }

  /// Rank 1 sends block 0 to rank 0 in step 0. If all may send to all, the ranks are alike, as are the blocks: so one
  /// may be renumbered to make it true. A first step in which nothing is sent may be the last one instead.
  Literal first_transfer() const { return sent_.front().second; }

  bool is_given_;
  std::set<std::tuple<int, Rank, Block>> replaced_;
};

/// An allreduce in which a rank may receive several messages in a step.
class ManyPortsEncoding final : public SumEncoding {
  using SumEncoding::SumEncoding;

  void arrive(const Values& before, std::vector<Literal>& value, int s, Rank v, Block b) override {
    std::vector<std::pair<Rank, Literal>> from;
    for (Rank u = 0; u < ranks(); ++u)
      if (asked_.may_send(u, v)) from.emplace_back(u, transfer(s, u, v, b));
    const Literal replaces = replacing(s, v, b);
    std::vector<Literal> some{-replaces};
    for (const auto& [u, sent] : from) {
      some.push_back(sent);
      carry(s, u, v, Op::reduce, std::array{sent, -replaces});
      if (is_exact_) carry(s, u, v, Op::copy, std::array{sent, replaces});
      if (is_exact_)
        for (const auto& [w, other] : from)
          if (u < w) clauses_.add({-replaces, -sent, -other});
    }
    clauses_.add(std::move(some));
    for (std::size_t c = 0; c < value.size(); ++c) {
      std::vector<Literal> parts{both(-replaces, value[c])};
      for (const auto& [u, sent] : from) parts.push_back(both(sent, before[static_cast<std::size_t>(u)][c]));
      std::erase(parts, clauses_.falsehood());
      if (is_exact_) clauses_.at_most(parts, 1);
      value[c] = value_after(s, v, b, c);
      for (const Literal part : parts) clauses_.add({-part, value[c]});
      parts.push_back(-value[c]);
      clauses_.add(std::move(parts));
    }
  }

  Literal both(Literal a, Literal b) {
    if (a == clauses_.truth()) return b;
    if (b == clauses_.truth()) return a;
    if (a == clauses_.falsehood() || b == clauses_.falsehood()) return clauses_.falsehood();
    const Literal together = clauses_.variable(fmt::format("a{}", ++helpers_));
    clauses_.add({-a, -b, together});
    clauses_.add({-together, a});
    clauses_.add({-together, b});
    return together;
  }

  int helpers_ = 0;
};

/// The same with one port: what a rank receives in a step is all from one rank and by one operation.
class OnePortEncoding final : public SumEncoding {
  using SumEncoding::SumEncoding;

  void arrive(const Values& before, std::vector<Literal>& value, int s, Rank v, Block b) override {
    const Literal receives = clauses_.variable(fmt::format("r_{}_{}_{}", s, v, b));
    const Literal replaces = replacing(s, v, b);
    const Literal copies = is_exact_ ? copying(s, v) : clauses_.falsehood();
    clauses_.add({-replaces, receives});
    clauses_.add({-replaces, copies});
    clauses_.add({-receives, -copies, replaces});
    std::vector<std::pair<Rank, Literal>> from;
    std::vector<Literal> some{-receives};
    for (Rank u = 0; u < ranks(); ++u) {
      if (!asked_.may_send(u, v)) continue;
      const Literal sent = transfer(s, u, v, b);
      const Literal sends = message(s, u, v, Op::reduce);
      clauses_.add({-sent, sends});
      clauses_.add({-sent, receives});
      clauses_.add({-sends, -receives, sent});
      some.push_back(sent);
      from.emplace_back(u, sends);
    }
    clauses_.add(std::move(some));
    for (std::size_t c = 0; c < value.size(); ++c) {
      const Literal arrives = clauses_.variable(fmt::format("w_{}_{}_{}_{}", s, v, b, c));
      for (const auto& [u, sends] : from) {
        const Literal sent = before[static_cast<std::size_t>(u)][c];
        clauses_.add({-sends, -sent, arrives});
        clauses_.add({-sends, sent, -arrives});
      }
      const Literal held = value[c];
      value[c] = value_after(s, v, b, c);
      clauses_.add({receives, -held, value[c]});
      clauses_.add({receives, held, -value[c]});
      clauses_.add({-receives, -arrives, value[c]});
      clauses_.add({-receives, arrives, held, -value[c]});
      clauses_.add({replaces, -held, value[c]});
      clauses_.add({-replaces, arrives, -value[c]});
      if (is_exact_) clauses_.add({-receives, replaces, -arrives, -held});
    }
  }

  /// Is the message that v receives in step s a copy?
  Literal copying(int s, Rank v) {
    auto [place, is_new] = copying_.try_emplace({s, v}, 0);
    if (is_new) place->second = clauses_.variable(fmt::format("copies_{}_{}", s, v));
    return place->second;
  }

  std::map<std::pair<int, Rank>, Literal> copying_;
};

tl::expected<Clauses, std::string> encoded(const ScheduleQuestion& question, Assumed assumed,
                                           const std::vector<TimedMove>* moves) {
  const auto finished = [](Encoding&& encoding) -> tl::expected<Clauses, std::string> {
    stop_point();
    if (encoding.fits()) return std::move(encoding.clauses());
    return tl::unexpected(fmt::format("the question has more than {} literals", most_literals));
  };
  if (is_summing(question.header.collective)) {
    const auto filled = [&](auto&& encoding) {
      encoding.fill();
      return finished(std::move(encoding));
    };
    if (question.ports == 1) return filled(OnePortEncoding(question, assumed, moves));
    return filled(ManyPortsEncoding(question, assumed, moves));
  }
  return finished(SpreadEncoding(question, moves));
}

}  // namespace

tl::expected<Clauses, std::string> clauses_of(const ScheduleQuestion& question, Assumed assumed) {
  return encoded(question, assumed, nullptr);
}

tl::expected<Clauses, std::string> clauses_of(const ScheduleQuestion& question, Assumed assumed,
                                              const std::vector<TimedMove>& moves) {
  return encoded(question, assumed, &moves);
}

std::string script_of(const ScheduleQuestion& question, Assumed assumed, const Clauses& clauses) {
  const Header& header = question.header;
  const auto limit = [](const std::optional<int>& most) { return most ? fmt::format("{}", *most) : "any number of"; };
  std::string comment = fmt::format(
      "; {} of {} ranks and {} blocks in {} steps; messages a rank and step: {},\n"
      "; blocks that a rank sends: {}. ",
      name(header.collective), header.ranks, header.blocks, question.steps, limit(question.ports),
      limit(question.volume));
  comment += assumed == Assumed::knowledge ? "What counts is which rank has heard of whose contribution.\n"
                                           : "A rank holds one value of each block.\n";
  comment += "; x_s_u_v_b: in step s, rank u sends block b to rank v\n";
  if (is_summing(header.collective)) {
    comment += "; h_s_v_b_c: before step s, v's value of b includes the contribution of c\n";
    if (assumed == Assumed::one_value)
      comment += "; o_s_v_b: in step s, what arrives replaces v's value of b, else it is added\n";
  } else {
    comment += fmt::format("; has_s_v_b: before step s{}, v has block b\n",
                           is_gathering(header.collective) ? ", counted from the end with time reversed" : "");
  }
  comment += "; m_s_u_v, n_s_u_v (if both: n copies): in step s, u sends v a message; others only help\n";
  return clauses.smtlib(comment);
}

std::vector<TimedMove> moves_of(const ScheduleQuestion& question, const Reply& reply) {
  const auto is_true = [&](const std::string& name) {
    const auto found = reply.model.find(name);
    return found != reply.model.end() && found->second == "true";
  };
  const Collective collective = question.header.collective;
  std::vector<TimedMove> moves;
  for (int s = 0; s < question.steps; ++s)
    for (Rank u = 0; u < question.header.ranks; ++u)
      for (Rank v = 0; v < question.header.ranks; ++v)
        for (Block b = 0; b < question.header.blocks; ++b) {
          if (!is_true(fmt::format("x_{}_{}_{}_{}", s, u, v, b))) continue;
          const bool replaces =
              is_summing(collective) ? is_true(fmt::format("o_{}_{}_{}", s, v, b)) : !is_gathering(collective);
          moves.push_back({s, u, v, b, replaces ? Op::copy : Op::reduce});
        }
  return useful(question.header, std::move(moves));
}

}  // namespace onceover::optimum
