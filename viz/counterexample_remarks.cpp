// A contribution that is lost is followed to where it stops. Either a copy replaces it; or it comes too late, after its
// rank sent the block on; or the last rank that it comes to never sends the block again; or it lies on ranks that do,
// but not to the one that lacks it. One that comes twice is added again where its two paths meet, after the later of
// their arrivals there.
//
// Example: of rank 0's paths 0 -> 1 -> 3 -> 7 and 0 -> 2 -> 3 -> 7 the last move is the same. They meet on rank 3.

#include "viz/counterexample_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace onceover::viz {

namespace {

using Fact = Counterexample;

class RemarkWriter {
 public:
  RemarkWriter(const Schedule& schedule, const Counterexample& counterexample, std::span<const Move> moves)
      : c_(counterexample), moves_(moves), ranks_(schedule.header().ranks), last_step_(schedule.steps() - 1) {}

  std::vector<Remark> remarks() {
    std::visit(*this, c_.what);
    std::stable_sort(remarks_.begin(), remarks_.end(),
                     [](const Remark& a, const Remark& b) { return a.step < b.step; });
    return std::move(remarks_);
  }

  void operator()(const Fact::Duplicate& it) {
    if (it.paths.size() < 2) return;
    Fact::Path first = it.paths[0], second = it.paths[1];
    while (!first.empty() && !second.empty() && first.back() == second.back()) first.pop_back(), second.pop_back();
    if (second.empty() || (!first.empty() && first.back().step > second.back().step)) std::swap(first, second);
    if (second.empty()) return;
    const Fact::Leg& again = second.back();
    say(again.step, again.dst, "{} adds {} again, now from {}", rank(again.dst), contribution(it.contributor),
        rank(again.src));
  }

  void operator()(const Fact::Missing& it) {
    if (it.replaced_by) return say_replaced(*c_.step, *it.replaced_on, *it.replaced_by);
    if (it.paths.empty()) return say_unsent(it.contributor);
    const Fact::Leg& came = it.paths.front().back();
    if (c_.step) {
      say(*c_.step, came.dst, "{} sends {} on without it", rank(came.dst), block());
      if (came.step > *c_.step) say(came.step, came.dst, "it comes to {} only now", rank(came.dst));
    } else if (last_move([&](const Move& m) { return m.src % ranks_ == came.dst && m.step > came.step; }) == nullptr) {
      say(came.step, came.dst, "{} has it now and never sends {} on", rank(came.dst), block());
    }
    say_nobody_brings();
  }

  void operator()(const Fact::NotHeld& it) {
    if (it.leg.src == c_.rank)
      say(it.leg.step, c_.rank, "{} sends {} but holds none of it", rank(c_.rank), block());
    else
      say(it.leg.step, c_.rank, "{} reduces {} into nothing: it holds none of it", rank(c_.rank), block());
  }

  void operator()(const Fact::Conflict& it) {
    say(it.leg.step, c_.rank, "two messages write {} on {}, {}", block(), rank(c_.rank),
        it.is_clash ? "both copies of one value" : "one of them a copy");
  }

  void operator()(const Fact::SelfTransfer&) {
    if (c_.step) say(*c_.step, c_.rank, "{} sends {} to itself", rank(c_.rank), block());
  }

  void operator()(const Fact::Gap& it) {
    if (c_.step) say(*c_.step, c_.rank, "this joins {} with {}, which aren't neighbours", it.shown[0], it.shown[1]);
  }

  void operator()(const Fact::AlreadyHeld&) {
    if (c_.step) say(*c_.step, c_.rank, "{} already holds this", rank(c_.rank));
  }

  void operator()(const Fact::Unused&) {
    if (c_.step) say(*c_.step, c_.rank, "nobody uses what {} gets here", rank(c_.rank));
  }

  void operator()(const Fact::Ports& it) {
    if (c_.step)
      say(*c_.step, c_.rank, "{} {} {} messages; the limit is {}", rank(c_.rank), it.shown[0], it.times, it.allowed);
  }

  void operator()(const Fact::Staging& it) {
    if (c_.step)
      say(*c_.step, c_.rank, "{} holds {} blocks for others; the limit is {}", rank(c_.rank), it.times, it.allowed);
  }

  void operator()(const Fact::NotEmptied& it) {
    if (!c_.step) return;
    say(*c_.step, c_.rank, "{} {} {}", rank(c_.rank),
        it.is_sum ? "begins to add up more for" : "gets more to pass on from", rank(it.other_rank));
    say(it.until, c_.rank, "what {} had before leaves only here", rank(c_.rank));
  }

  void operator()(const Fact::Scattered&) {
    if (c_.step) say(*c_.step, c_.rank, "not all of these can be runs of blocks");
  }

  // Only the end shows these, or nothing that is in the steps.
  void operator()(const Fact::WrongSource&) {}
  void operator()(const Fact::Misplaced&) {}
  void operator()(const Fact::OutOfRange&) {}
  void operator()(const Fact::Different&) {}
  void operator()(const Fact::Told&) {}

 private:
  template <class... Parts>
  void say(int step, Rank rank, fmt::format_string<Parts...> format, Parts&&... parts) {
    remarks_.push_back({step, rank, fmt::format(format, std::forward<Parts>(parts)...)});
  }

  std::string rank(Rank rank) const { return c_.names.rank(rank); }
  std::string block() const {
    return "block " + (c_.route ? text(*c_.route) : fmt::format("{}", c_.block.value_or(0)));
  }
  std::string contribution(Rank of) const { return fmt::format("{}'s contribution", rank(of)); }

  /// The last of the moves that fit, or null.
  template <class Fits>
  const Move* last_move(Fits&& fits) const {
    const auto found = std::find_if(moves_.rbegin(), moves_.rend(), fits);
    return found == moves_.rend() ? nullptr : &*found;
  }

  void say_replaced(int step, Rank on, Rank by) {
    say(step, on, "{} had it until this copy from {} replaced it", rank(on), rank(by));
  }

  /// The contributor never sends what it has: to the end, or until a copy replaces it. The first copy that comes to it
  /// does, as the contribution is nowhere else.
  void say_unsent(Rank contributor) {
    const auto copy = std::find_if(moves_.begin(), moves_.end(), [&](const Move& m) {
      return m.dst == contributor && m.src != contributor && m.op == Op::copy;
    });
    if (copy != moves_.end())
      return say(copy->step, contributor, "{} never sends {}; this copy from {} replaces it", rank(contributor),
                 c_.route ? block() : "its contribution", rank(copy->src % ranks_));
    if (last_move([&](const Move& m) { return m.src % ranks_ == contributor; }) == nullptr)
      say(last_step_, contributor, "{} has it and never sends {}", rank(contributor), block());
  }

  void say_nobody_brings() {
    const bool is_sent = last_move([&](const Move& m) { return m.dst % ranks_ == c_.rank; }) != nullptr;
    if (!is_sent) say(last_step_, c_.rank, "nobody sends {} to {}", block(), rank(c_.rank));
  }

  const Counterexample& c_;
  std::span<const Move> moves_;  // between cells (see Trace), of which the first are the block's own
  Rank ranks_;
  int last_step_;
  std::vector<Remark> remarks_;
};

}  // namespace

std::vector<Remark> remarks_on(const Schedule& schedule, const Counterexample& counterexample,
                               std::span<const Move> moves) {
  return RemarkWriter(schedule, counterexample, moves).remarks();
}

std::string ending_of(const Counterexample& c) {
  const auto of = [&](Rank rank) { return fmt::format("{}'s contribution", c.names.rank(rank)); };
  const auto ends = [&](const auto& it) -> std::string {
    using Kind = std::decay_t<decltype(it)>;
    if constexpr (std::is_same_v<Kind, Fact::Duplicate>)
      return fmt::format("ends with {} {}", of(it.contributor), times_text(it.times));
    else if constexpr (std::is_same_v<Kind, Fact::Missing>)
      return c.route ? "ends without block " + text(*c.route) : "ends without " + of(it.contributor);
    else if constexpr (std::is_same_v<Kind, Fact::WrongSource>)
      return fmt::format("ends with {} to block {}", of(it.contributor), it.other_block);
    else if constexpr (std::is_same_v<Kind, Fact::Misplaced>)
      return fmt::format("ends with block {} in place of block {}", it.held, c.block.value_or(0));
    else
      return "";
  };
  return std::visit(ends, c.what);
}

}  // namespace onceover::viz
