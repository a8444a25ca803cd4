#include "proofs/bounded.h"

#include <z3++.h>

#include "proofs/z3_solver.h"
#include "schedules/numbers.h"
#include "schedules/stop.h"

namespace onceover {

namespace {

constexpr int most_steps = 16;

/// Ranks as bit-vectors, and the peers of all ranks at each step as a function of theirs.
class Walks {
 public:
  Walks(z3::context& context, const PeerRule& rule, Rank ranks)
      : context_(context), ranks_(ranks), steps_(ceil_log2(ranks)), bits_(static_cast<unsigned>(std::max(steps_, 1))) {
    for (int s = 0; s < steps_; ++s) {
      std::vector<Rank> peers;
      for (Rank r = 0; r < ranks; ++r) {
        const std::array<std::int64_t, 3> variables{r, s, ranks};
        const auto peer = rule.peer.evaluate(variables);
        if (!peer) throw std::invalid_argument("the formula has no value at some rank and step");
        peers.push_back(around(*peer, ranks));
      }
      peers_.push_back(std::move(peers));
    }
  }

  unsigned bits() const { return bits_; }
  z3::expr rank(Rank r) const { return context_.bv_val(static_cast<unsigned>(r), bits_); }
  z3::expr is_rank(const z3::expr& r) const { return z3::ule(r, rank(ranks_ - 1)); }

  /// A bit for each step, and none where there is no step.
  z3::expr is_word(const z3::expr& word) const {
    return z3::ule(word, context_.bv_val((1U << static_cast<unsigned>(steps_)) - 1, bits_));
  }

  /// Where the steps whose bits are set in `word` lead from a rank.
  z3::expr end(const z3::expr& start, const z3::expr& word) const {
    z3::expr here = start;
    for (int s = 0; s < steps_; ++s) {
      const auto step = static_cast<unsigned>(s);
      here = z3::ite(word.extract(step, step) == context_.bv_val(1, 1), peer_of(here, s), here);
    }
    return here;
  }

 private:
  z3::expr peer_of(const z3::expr& here, int step) const {
    const auto& peers = peers_[static_cast<std::size_t>(step)];
    z3::expr peer = rank(peers.back());
    for (Rank r = ranks_ - 1; r-- > 0;) peer = z3::ite(here == rank(r), rank(peers[static_cast<std::size_t>(r)]), peer);
    return peer;
  }

  z3::context& context_;
  Rank ranks_;
  int steps_;
  unsigned bits_;
  std::vector<std::vector<Rank>> peers_;
};

}  // namespace

Reply ask_bounded(const PeerRule& rule, Rank ranks, Bounded question) try {
  if (ceil_log2(ranks) > most_steps) return {Answer::unknown, "too many steps"};
  if (stop_requested()) return {Answer::unknown, stop_reason()};
  z3::context context;
  const Walks walks(context, rule, ranks);
  z3::solver solver(context);
  const OnStop interrupt([&] { context.interrupt(); });
  z3::params limits(context);
  limits.set("rlimit", solver_work);
  limits.set("timeout", solver_milliseconds);
  solver.set(limits);
  const z3::expr start = context.bv_const("start", walks.bits());
  solver.add(walks.is_rank(start));
  const z3::expr word = context.bv_const("word", walks.bits());
  if (question == Bounded::uniqueness) {
    const z3::expr other = context.bv_const("other", walks.bits());
    solver.add(walks.is_word(word) && walks.is_word(other) && word != other);
    solver.add(walks.end(start, word) == walks.end(start, other));
  } else {
    const z3::expr rank = context.bv_const("rank", walks.bits());
    solver.add(walks.is_rank(rank) && z3::forall(word, walks.end(start, word) != rank));
  }
  // Again, for a context that isn't at work isn't interrupted.
  if (stop_requested()) return {Answer::unknown, stop_reason()};
  const z3::check_result result = solver.check();
  if (result == z3::unsat) return {Answer::unsatisfiable};
  if (result == z3::unknown) return {Answer::unknown, stop_requested() ? stop_reason() : solver.reason_unknown()};
  Reply reply{Answer::satisfiable};
  const z3::model model = solver.get_model();
  for (unsigned k = 0; k < model.num_consts(); ++k) {
    const z3::func_decl variable = model.get_const_decl(k);
    reply.model[variable.name().str()] = std::to_string(model.get_const_interp(variable).get_numeral_uint());
  }
  return reply;
} catch (const z3::exception& e) {
  return {Answer::unknown, e.msg()};  // it ran out of memory, say
}

}  // namespace onceover
