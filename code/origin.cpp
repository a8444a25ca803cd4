// Each step back looks for the last event before a time by which a rank got a value: a sum that made it, or a message
// that brought it. From a message the walk goes on at its sender, at the time of the send; so times only decrease, and
// the walk ends.
//
// Example: rank 0 sends elements 2..3 where 0..1 are due, and rank 1 adds them to its own: a sum of different elements.
// Later an allgather passes it on to everybody. From rank 2's result the walk goes back through the allgather's
// messages to that sum on rank 1, and names the message that brought its operand.

#include "code/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "code/runtime/ledger.h"

namespace onceover::code {

namespace {

/// A value, at its position.
struct Word {
  Shape shape;
  std::uint32_t position;
};

bool holds(const std::vector<ElementRun>& runs, Word word) {
  return std::any_of(runs.begin(), runs.end(), [&](const ElementRun& run) {
    return run.shape == word.shape && word.position >= run.position && word.position - run.position < run.length;
  });
}

std::optional<Word> word_at(const std::vector<ElementRun>& runs, std::size_t index) {
  for (const ElementRun& run : runs) {
    if (index < run.length) return Word{run.shape, run.position + static_cast<std::uint32_t>(index)};
    index -= run.length;
  }
  return std::nullopt;
}

/// "garbled" in words, for what was sent or added.
std::string garbled_text(Shape shape) {
  switch (shape) {
    case onceover_unwritten: return "memory that nobody wrote";
    case onceover_stale: return "elements of an earlier call";
    case onceover_split: return "parts of two elements";
    case onceover_cleared: return "zeros that are no elements";
    case onceover_nothing: return "its result before anything was written to it";
    default: return "bytes that are no elements";
  }
}

class Walk {
 public:
  Walk(const live::LiveCall& call, const CallRecord& made, const Record& record)
      : call_(call), made_(made), record_(record) {}

  std::optional<FaultOrigin> from(const ResultElement& element) const {
    const auto& result = made_.results[static_cast<std::size_t>(element.rank)];
    const auto dues = due(call_, element.rank);
    const auto word = result ? word_at(*result, element.index) : std::nullopt;
    if (!word || element.index >= dues.size()) return std::nullopt;
    if (!record_.is_term(word->shape)) return bad(element.rank, *word);
    if (word->position != dues[element.index].position || !call_.collective->reduces())
      return misplaced(element, *word);
    return doubled(*word);
  }

 private:
  static constexpr std::size_t end_of_time = std::numeric_limits<std::size_t>::max();

  /// How a rank got a value.
  struct Source {
    const Sum* sum = nullptr;
    const SentMessage* message = nullptr;
    std::size_t when = 0;
  };

  /// The last way before a time.
  Source source(Rank rank, Word word, std::size_t before) const {
    Source last;
    for (const Sum& sum : made_.sums)
      if (sum.rank == rank && sum.when < before && sum.when >= last.when && holds(sum.runs, word))
        last = {&sum, nullptr, sum.when};
    for (const SentMessage& message : made_.messages)
      if (message.dst == rank && message.received && message.received->complete != 0 &&
          message.received->complete < before && message.received->complete >= last.when &&
          holds(message.elements, word))
        last = {nullptr, &message, message.received->complete};
    return last;
  }

  /// A sum of different elements, or something garbled.
  std::optional<FaultOrigin> bad(Rank rank, Word word) const {
    std::size_t before = end_of_time;
    const SentMessage* came_by = nullptr;
    for (;;) {
      const Source from = source(rank, word, before);
      if (from.message != nullptr) {
        came_by = from.message;
        rank = came_by->src;
        before = came_by->sent.posted;
        continue;
      }
      if (from.sum == nullptr || !from.sum->odd) break;
      const auto& [left, right] = *from.sum->odd;
      if (record_.is_term(left.shape) && record_.is_term(right.shape)) return mixed(*from.sum);
      const ElementRun& worse = record_.is_term(left.shape) ? right : left;
      const Source earlier = source(rank, {worse.shape, worse.position}, from.when);
      if (earlier.sum == nullptr && earlier.message == nullptr)
        return FaultOrigin{FaultOrigin::Kind::sum, from.sum, nullptr,
                           fmt::format("rank {} adds {}", rank, garbled_text(worse.shape))};
      word = {worse.shape, worse.position};
      before = from.when;
    }
    if (came_by == nullptr) return std::nullopt;
    return FaultOrigin{
        FaultOrigin::Kind::message, nullptr, came_by,
        fmt::format("rank {} sends {} to rank {}", came_by->src, garbled_text(word.shape), came_by->dst)};
  }

  FaultOrigin mixed(const Sum& sum) const {
    const auto& [left, right] = *sum.odd;
    FaultOrigin origin{FaultOrigin::Kind::sum, &sum, nullptr,
                       fmt::format("rank {} adds element {} to element {}", sum.rank, left.position, right.position)};
    for (const ElementRun& operand : {left, right})
      if (const Source from = source(sum.rank, {operand.shape, operand.position}, sum.when); from.message != nullptr) {
        origin.message = from.message;
        origin.told += fmt::format("; element {} came from rank {}", operand.position, from.message->src);
        break;
      }
    return origin;
  }

  /// Another element than is due: passed on by ranks that end with it at the same index, from one that doesn't.
  std::optional<FaultOrigin> misplaced(const ResultElement& element, Word word) const {
    const SentMessage* message = nullptr;
    std::size_t before = end_of_time;
    for (Rank rank = element.rank;;) {
      const Source from = source(rank, word, before);
      if (from.message == nullptr) break;
      message = from.message;
      rank = message->src;
      before = message->sent.posted;
      const auto& result = made_.results[static_cast<std::size_t>(rank)];
      const auto own = result ? word_at(*result, element.index) : std::nullopt;
      if (!own || own->shape != word.shape || own->position != word.position) break;
    }
    if (message == nullptr) return std::nullopt;
    return FaultOrigin{FaultOrigin::Kind::message, nullptr, message,
                       fmt::format("rank {} sends rank {} another element in its place", message->src, message->dst)};
  }

  /// The first sum of two sums that have a contribution in common.
  std::optional<FaultOrigin> doubled(Word word) const {
    std::optional<Shape> first;
    std::set<Shape> todo{word.shape};
    while (!todo.empty()) {
      const Shape next = *todo.rbegin();  // operands have lower numbers than their sum
      todo.erase(next);
      if (next < static_cast<Shape>(onceover_first_leaf + record_.ranks())) break;
      if (common_leaf(next)) first = next;
      todo.insert({record_.operands[next].left, record_.operands[next].right});
    }
    if (!first) return std::nullopt;
    for (const Sum& sum : made_.sums)
      if (holds(sum.runs, {*first, word.position})) {
        const Rank twice = *common_leaf(*first);
        return FaultOrigin{FaultOrigin::Kind::sum, &sum, nullptr,
                           fmt::format("rank {} adds two sums that both have rank {}'s contribution", sum.rank, twice)};
      }
    return std::nullopt;
  }

  /// A rank whose contribution both operands have.
  std::optional<Rank> common_leaf(Shape sum) const {
    std::set<Rank> left = leaves(record_.operands[sum].left), right = leaves(record_.operands[sum].right);
    for (const Rank rank : left)
      if (right.contains(rank)) return rank;
    return std::nullopt;
  }

  std::set<Rank> leaves(Shape shape) const {
    std::set<Rank> ranks;
    std::set<Shape> todo{shape};
    while (!todo.empty()) {
      const Shape next = *todo.rbegin();
      todo.erase(next);
      if (next < static_cast<Shape>(onceover_first_leaf + record_.ranks())) {
        ranks.insert(static_cast<Rank>(next - onceover_first_leaf));
        continue;
      }
      todo.insert({record_.operands[next].left, record_.operands[next].right});
    }
    return ranks;
  }

  const live::LiveCall& call_;
  const CallRecord& made_;
  const Record& record_;
};

}  // namespace

std::optional<FaultOrigin> origin_of(const ResultElement& element, const live::LiveCall& call, const CallRecord& made,
                                     const Record& record) {
  return Walk(call, made, record).from(element);
}

}  // namespace onceover::code
