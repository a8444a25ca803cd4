// Variables say which rank sends which block to which, at each step. What a rank knows of a block afterwards is a
// formula: what it knew, and what the senders knew.
//
// Example: two steps on four ranks with one port. Of 24 possible messages Z3 finds 8, by which all know of all; in one
// step there are none.

#include "optimum/small_schedules.h"

#include <fmt/format.h>

#include <vector>

#include "proofs/z3_check.h"

namespace onceover::optimum {

namespace {

class Spreading {
 public:
  Spreading(z3::context& context, const SmallSchedules& asked)
      : context_(context), asked_(asked), solver_(context, z3::solver::simple()) {
    for (int b = 0; b < blocks(); ++b) add_block(b);
    if (asked.ports) add_ports(static_cast<unsigned>(*asked.ports));
    limit_blocks(asked.blocks_sent, [](const Sent& sent) { return sent.src == 0; });
    limit_blocks(asked.blocks_received, [](const Sent& sent) { return sent.dst == 0; });
  }

  const z3::solver& solver() const { return solver_; }

 private:
  struct Sent {
    int step, src, dst;
    z3::expr is_sent;
  };

  /// Whose part of a block each rank knows: known[rank][whose].
  using Known = std::vector<std::vector<z3::expr>>;

  int blocks() const { return asked_.blocks_sent || asked_.blocks_received ? asked_.ranks : 1; }
  bool is_copied() const { return asked_.collective == Collective::allgather; }

  /// Each rank knows its own part; of an allgather's block there is the owner's alone.
  Known start(int block) const {
    const auto n = static_cast<std::size_t>(asked_.ranks);
    Known known(n, std::vector<z3::expr>(n, context_.bool_val(false)));
    for (int r = 0; r < asked_.ranks; ++r)
      known[static_cast<std::size_t>(r)][static_cast<std::size_t>(r)] = context_.bool_val(!is_copied() || r == block);
    return known;
  }

  void add_block(int block) {
    Known known = start(block);
    for (int step = 0; step < asked_.steps; ++step) known = after(known, step, block);
    for (int r = 0; r < asked_.ranks; ++r)
      for (int whose = 0; whose < asked_.ranks; ++whose) {
        const bool wants = asked_.collective != Collective::reduce_scatter || r == block;
        const bool has_part = !is_copied() || whose == block;
        if (wants && has_part) solver_.add(known[static_cast<std::size_t>(r)][static_cast<std::size_t>(whose)]);
      }
  }

  Known after(const Known& before, int step, int block) {
    Known known = before;
    for (int src = 0; src < asked_.ranks; ++src)
      for (int dst = 0; dst < asked_.ranks; ++dst) {
        if (src == dst) continue;
        const z3::expr is_sent = variable(step, src, dst, block);
        sent_.push_back({step, src, dst, is_sent});
        for (std::size_t whose = 0; whose < before.size(); ++whose) {
          z3::expr& now = known[static_cast<std::size_t>(dst)][whose];
          now = now || (is_sent && before[static_cast<std::size_t>(src)][whose]);
        }
      }
    return named(known, step, block);
  }

  z3::expr variable(int step, int src, int dst, int block) const {
    return context_.bool_const(
        fmt::format("step {}: rank {} sends block {} to rank {}", step, src, block, dst).c_str());
  }

  /// Names for what is known, lest formulas grow from step to step.
  Known named(const Known& known, int step, int block) {
    Known names = known;
    for (std::size_t r = 0; r < known.size(); ++r)
      for (std::size_t whose = 0; whose < known.size(); ++whose) {
        names[r][whose] = context_.bool_const(fmt::format("known {} {} {} {}", step, block, r, whose).c_str());
        solver_.add(names[r][whose] == known[r][whose]);
      }
    return names;
  }

  /// All blocks from one rank to another in a step are one message.
  void add_ports(unsigned ports) {
    for (int step = 0; step < asked_.steps; ++step)
      for (int r = 0; r < asked_.ranks; ++r) {
        z3::expr_vector sends(context_), receives(context_);
        for (int other = 0; other < asked_.ranks; ++other) {
          if (other == r) continue;
          sends.push_back(message(step, r, other));
          receives.push_back(message(step, other, r));
        }
        solver_.add(z3::atmost(sends, ports) && z3::atmost(receives, ports));
      }
  }

  z3::expr message(int step, int src, int dst) const {
    z3::expr_vector of_blocks(context_);
    for (const Sent& sent : sent_)
      if (sent.step == step && sent.src == src && sent.dst == dst) of_blocks.push_back(sent.is_sent);
    return z3::mk_or(of_blocks);
  }

  template <class Counts>
  void limit_blocks(std::optional<int> most, const Counts& counts) {
    if (!most) return;
    z3::expr_vector counted(context_);
    for (const Sent& sent : sent_)
      if (counts(sent)) counted.push_back(sent.is_sent);
    solver_.add(z3::atmost(counted, static_cast<unsigned>(*most)));
  }

  z3::context& context_;
  const SmallSchedules& asked_;
  z3::solver solver_;
  std::vector<Sent> sent_;
};

}  // namespace

Reply ask_small(const SmallSchedules& schedules) {
  // Its work is counted. The time only ends what would hang, so that a busy machine gives the same answers.
  constexpr unsigned milliseconds = 120'000;
  Reply reply =
      checked([&](z3::context& context) { return Spreading(context, schedules).solver(); }, solver_work, milliseconds);
  std::erase_if(reply.model, [](const auto& value) { return value.second != "true" || value.first[0] != 's'; });
  return reply;
}

}  // namespace onceover::optimum
