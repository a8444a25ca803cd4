#include "proofs/bounded.h"

#include <fmt/format.h>

#include "base/stop.h"
#include "proofs/z3_check.h"
#include "schedules/numbers.h"

namespace onceover::proofs {

namespace {

constexpr int most_steps = 16;

/// Ranks as bit-vectors, and the peers of all ranks at each step as a function of theirs.
class Walks {
 public:
  Walks(z3::context& context, const PeerTable& peers)
      : context_(context),
        peers_(peers),
        rank_bits_(static_cast<unsigned>(std::max(ceil_log2(peers.running()), 1))),
        word_bits_(static_cast<unsigned>(std::max(peers.steps(), 1))) {}

  z3::expr some_rank(const char* name) const { return context_.bv_const(name, rank_bits_); }
  z3::expr some_word(const char* name) const { return context_.bv_const(name, word_bits_); }
  z3::expr is_rank(const z3::expr& r) const { return z3::ule(r, rank(peers_.running() - 1)); }

  /// A bit for each step, and none where there is no step.
  z3::expr is_word(const z3::expr& word) const {
    return z3::ule(word, context_.bv_val((1U << static_cast<unsigned>(peers_.steps())) - 1, word_bits_));
  }

  /// Where the steps whose bits are set in `word` lead from a rank.
  z3::expr end(const z3::expr& start, const z3::expr& word) const {
    z3::expr here = start;
    for (int s = 0; s < peers_.steps(); ++s) {
      const auto step = static_cast<unsigned>(s);
      here = z3::ite(word.extract(step, step) == context_.bv_val(1, 1), peer_of(here, s), here);
    }
    return here;
  }

 private:
  z3::expr rank(Rank r) const { return context_.bv_val(static_cast<unsigned>(r), rank_bits_); }

  z3::expr peer_of(const z3::expr& here, int step) const {
    z3::expr peer = rank(peers_(peers_.running() - 1, step));
    for (Rank r = peers_.running() - 1; r-- > 0;) {
      if (r % 1024 == 0) stop_point();
      peer = z3::ite(here == rank(r), rank(peers_(r, step)), peer);
    }
    return peer;
  }

  z3::context& context_;
  const PeerTable& peers_;
  unsigned rank_bits_;
  unsigned word_bits_;
};

}  // namespace

Reply ask_bounded(const PeerTable& peers, Bounded question) {
  if (peers.steps() > most_steps) return {Answer::unknown, fmt::format("there are more than {} steps", most_steps)};
  return checked([&](z3::context& context) {
    const Walks walks(context, peers);
    z3::solver solver(context);
    const z3::expr start = walks.some_rank("start");
    solver.add(walks.is_rank(start));
    const z3::expr word = walks.some_word("word");
    if (question == Bounded::uniqueness) {
      const z3::expr other = walks.some_word("other");
      solver.add(walks.is_word(word) && walks.is_word(other) && word != other);
      solver.add(walks.end(start, word) == walks.end(start, other));
    } else {
      const z3::expr rank = walks.some_rank("rank");
      solver.add(walks.is_rank(rank) && z3::forall(word, walks.end(start, word) != rank));
    }
    return solver;
  });
}

}  // namespace onceover::proofs
