// A shape is translated to a value once: how often each contribution counts, and for sums that aren't too long in which
// order they were added up.
//
// Where an element went wrong: each step back looks for the last event before a time by which a rank got a value: a sum
// that made it, or a message that brought it. From a message the walk goes on at its sender, at the time of the send;
// so times only decrease, and the walk ends.
//
// Example: rank 0 sends elements 2..3 where 0..1 are due, and rank 1 adds them to its own: a sum of different elements.
// Later an allgather passes it on to everybody. From rank 2's result the walk goes back through the allgather's
// messages to that sum on rank 1, and names the message that brought its operand.

#include "code/result_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "code/runtime/ledger.h"

namespace onceover::code {

namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 62;

/// Is it a rank's own contribution? Sums follow these.
bool is_leaf(const Record& record, Shape shape) {
  return shape < onceover_first_leaf + static_cast<Shape>(record.ranks());
}

/// How often each rank's contribution counts in a term, at most a huge number. Operands have lower numbers than their
/// sum, so from the sum down each shape is met after all sums that it is in.
std::vector<std::uint64_t> contributions(const Record& record, Shape term) {
  std::map<Shape, std::uint64_t, std::greater<>> times{{term, 1}};
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(record.ranks()), 0);
  while (!times.empty()) {
    const auto [shape, count] = *times.begin();
    times.erase(times.begin());
    if (is_leaf(record, shape)) {
      counts[shape - onceover_first_leaf] = count;
      continue;
    }
    for (const Shape operand : {record.operands[shape].left, record.operands[shape].right}) {
      std::uint64_t& sum_of = times[operand];
      sum_of = std::min(huge, sum_of + count);
    }
  }
  return counts;
}

using live::Content;

/// By shape: what is no sum.
constexpr std::array<Content, onceover_first_leaf> no_sums{Content::nothing, Content::garbled,  Content::mismatch,
                                                           Content::nothing, Content::unjudged, Content::unwritten,
                                                           Content::stale,   Content::split,    Content::cleared};

/// Makes values of shapes.
class ShapeValues {
 public:
  ShapeValues(const Record& record, live::Values& values)
      : record_(record), values_(values), leaves_(record.term_of.size(), 0), numbers_(record.term_of.size()) {
    for (std::size_t shape = onceover_first_leaf; shape < leaves_.size(); ++shape) {
      const Record::Operands& of = record.operands[shape];
      leaves_[shape] =
          is_leaf(record, static_cast<Shape>(shape)) ? 1 : std::min(huge, leaves_[of.left] + leaves_[of.right]);
    }
  }

  std::size_t value(Shape shape) {
    if (!numbers_[shape]) numbers_[shape] = new_value(shape);
    return *numbers_[shape];
  }

 private:
  std::size_t new_value(Shape shape) {
    if (shape < onceover_first_leaf) return values_.add(no_sums[shape], {}, {});
    const auto most_leaves = 2 * static_cast<std::uint64_t>(record_.ranks());
    std::vector<std::uint32_t> times = counts(shape);
    if (leaves_[shape] > most_leaves) return values_.add(Content::counts, halves(times), std::move(times));
    return values_.add(Content::term, words(shape), std::move(times));
  }

  /// How often each contribution counts, at most 2^32 - 1.
  std::vector<std::uint32_t> counts(Shape sum) const {
    std::vector<std::uint32_t> counts;
    for (const std::uint64_t count : contributions(record_, sum))
      counts.push_back(static_cast<std::uint32_t>(std::min(count, std::uint64_t{UINT32_MAX})));
    return counts;
  }

  static std::vector<std::uint16_t> halves(const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint16_t> words;
    for (const std::uint32_t count : counts) {
      words.push_back(static_cast<std::uint16_t>(count & 0xFFFF));
      words.push_back(static_cast<std::uint16_t>(count >> 16));
    }
    return words;
  }

  /// In prefix order.
  std::vector<std::uint16_t> words(Shape sum) const {
    std::vector<std::uint16_t> words;
    std::vector<Shape> todo{sum};
    while (!todo.empty()) {
      const Shape shape = todo.back();
      todo.pop_back();
      if (is_leaf(record_, shape)) {
        words.push_back(static_cast<std::uint16_t>(shape - onceover_first_leaf));
        continue;
      }
      words.push_back(live::ElementFormat::joined);
      todo.push_back(record_.operands[shape].right);
      todo.push_back(record_.operands[shape].left);
    }
    return words;
  }

  const Record& record_;
  live::Values& values_;
  std::vector<std::uint64_t> leaves_;                // by shape: how many, at most a huge number
  std::vector<std::optional<std::size_t>> numbers_;  // by shape: its value
};

constexpr std::size_t end_of_time = std::numeric_limits<std::size_t>::max();

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

/// The last message that brought a rank a value before a time.
const SentMessage* last_message(const CallRecord& made, Rank rank, Word word, std::size_t before) {
  const SentMessage* last = nullptr;
  for (const SentMessage& message : made.messages)
    if (message.dst == rank && message.received && message.received->complete < before &&
        holds(message.elements, word) && (last == nullptr || message.received->complete > last->received->complete))
      last = &message;
  return last;
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
  /// How a rank got a value.
  struct Source {
    const Sum* sum = nullptr;
    const SentMessage* message = nullptr;
    std::size_t when = 0;
  };

  /// The sum or message that last wrote the word before that time.
  Source source(Rank rank, Word word, std::size_t before) const {
    Source last;
    for (const Sum& sum : made_.sums)
      if (sum.rank == rank && sum.when < before && sum.when >= last.when && holds(sum.runs, word))
        last = {&sum, nullptr, sum.when};
    const SentMessage* message = last_message(made_, rank, word, before);
    if (message != nullptr && message->received->complete > last.when)
      last = {nullptr, message, message->received->complete};
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
        origin.text += fmt::format("; element {} came from rank {}", operand.position, from.message->src);
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
      if (is_leaf(record_, next)) break;
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
    const auto left = contributions(record_, record_.operands[sum].left);
    const auto right = contributions(record_, record_.operands[sum].right);
    for (std::size_t rank = 0; rank < left.size(); ++rank)
      if (left[rank] > 0 && right[rank] > 0) return static_cast<Rank>(rank);
    return std::nullopt;
  }

  const live::LiveCall& call_;
  const CallRecord& made_;
  const Record& record_;
};

}  // namespace

live::CallOutcome outcome_of(const CallRecord& made, const Record& record, live::Values& values) {
  ShapeValues shapes(record, values);
  live::CallOutcome outcome;
  for (std::size_t rank = 0; rank < made.results.size(); ++rank) {
    auto& cells = outcome.cells.emplace_back();
    for (const ElementRun& run : *made.results[rank])
      for (std::uint32_t k = 0; k < run.length; ++k) cells.push_back({shapes.value(run.shape), run.position + k});
    auto& joins = outcome.joins.emplace_back();
    for (const auto& [term, runs] : made.joins[rank])
      for (const ElementRun& run : runs) {
        if (joins.size() < run.position + run.length) joins.resize(run.position + run.length);
        for (std::uint32_t k = 0; k < run.length; ++k) ++joins[run.position + k];
      }
  }
  outcome.faults = made.faults;
  return outcome;
}

std::optional<FaultOrigin> origin_of(const ResultElement& element, const live::LiveCall& call, const CallRecord& made,
                                     const Record& record) {
  return Walk(call, made, record).from(element);
}

const SentMessage* bringer_of(const ResultElement& element, const CallRecord& made) {
  const auto& result = made.results[static_cast<std::size_t>(element.rank)];
  const auto word = result ? word_at(*result, element.index) : std::nullopt;
  return word ? last_message(made, element.rank, *word, end_of_time) : nullptr;
}

}  // namespace onceover::code
