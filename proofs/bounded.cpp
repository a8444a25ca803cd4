// The peers of all ranks at step s are a function peer_s of bit-vectors, and end_s is where the first s steps lead from
// a rank, if those are taken whose bits are set in a word:
//
//   peer_0(r) = r = 0 ? 1 : r = 1 ? 0 : ..
//   end_1(r, word) = word has bit 0 ? peer_0(end_0(r, word)) : end_0(r, word)
//
// O(p L) characters for p ranks and L steps.

#include "proofs/bounded.h"

#include <fmt/format.h>

#include "base/stop.h"
#include "proofs/smtlib.h"
#include "schedules/numbers.h"

namespace onceover::proofs {

namespace {

constexpr int most_steps = 16;

/// Writes the script: ranks and words as bit-vectors.
class Walks {
 public:
  explicit Walks(const PeerTable& peers)
      : peers_(peers), rank_bits_(std::max(ceil_log2(peers.running()), 1)), word_bits_(std::max(peers.steps(), 1)) {
    write("(define-fun end0 ((r {0}) (word {1})) {0} r)\n", ranks(), words());
    for (int s = 0; s < peers.steps(); ++s) add_step(s);
  }

  /// Declares a rank, of those that run the rule.
  void some_rank(std::string_view name) {
    write("(declare-const {0} {1})\n(assert (bvule {0} {2}))\n", name, ranks(), rank(peers_.running() - 1));
  }

  /// Declares a word: a bit for each step, and none where there is no step.
  void some_word(std::string_view name) {
    const auto most = (1U << static_cast<unsigned>(peers_.steps())) - 1;
    write("(declare-const {0} {1})\n(assert (bvule {0} (_ bv{2} {3})))\n", name, words(), most, word_bits_);
  }

  void sentence(std::string_view text) { write("(assert {})\n", text); }

  /// Where the steps of a word lead from a rank.
  std::string end(std::string_view start, std::string_view word) const {
    return fmt::format("(end{} {} {})", peers_.steps(), start, word);
  }

  std::string words() const { return fmt::format("(_ BitVec {})", word_bits_); }

  std::string script() const { return text_ + "(check-sat)\n"; }

 private:
  std::string ranks() const { return fmt::format("(_ BitVec {})", rank_bits_); }
  std::string rank(Rank r) const { return fmt::format("(_ bv{} {})", r, rank_bits_); }

  void add_step(int step) {
    write("(define-fun peer{0} ((r {1})) {1} ", step, ranks());
    const Rank last = peers_.running() - 1;
    for (Rank r = 0; r < last; ++r) {
      if (r % 1024 == 0) stop_point();
      write("(ite (= r {}) {}\n", rank(r), rank(peers_(r, step)));
    }
    text_ += rank(peers_(last, step));
    text_.append(static_cast<std::size_t>(last) + 1, ')').push_back('\n');
    write(
        "(define-fun end{0} ((r {1}) (word {2})) {1}\n"
        "  (let ((here (end{3} r word))) (ite (= ((_ extract {3} {3}) word) #b1) (peer{3} here) here)))\n",
        step + 1, ranks(), words(), step);
  }

  template <class... Values>
  void write(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  const PeerTable& peers_;
  int rank_bits_;
  int word_bits_;
  std::string text_;
};

}  // namespace

Reply ask_bounded(const PeerTable& peers, Bounded question) {
  if (peers.steps() > most_steps) return {Answer::unknown, fmt::format("there are more than {} steps", most_steps)};
  Walks walks(peers);
  walks.some_rank("start");
  if (question == Bounded::uniqueness) {
    walks.some_word("word");
    walks.some_word("other");
    walks.sentence("(not (= word other))");
    walks.sentence(fmt::format("(= {} {})", walks.end("start", "word"), walks.end("start", "other")));
  } else {
    walks.some_rank("rank");
    walks.sentence(fmt::format("(forall ((word {})) (not (= {} rank)))", walks.words(), walks.end("start", "word")));
  }
  return ask_z3_script(walks.script());
}

}  // namespace onceover::proofs
