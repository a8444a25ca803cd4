#include "code/shapes.h"

#include <algorithm>

#include "code/runtime/ledger.h"

namespace onceover::code {

namespace {

using live::Content;
using live::ElementFormat;

constexpr std::uint64_t huge = std::uint64_t{1} << 62;
constexpr std::uint64_t most_count = UINT32_MAX;

std::vector<std::uint16_t> halves(const std::vector<std::uint32_t>& counts) {
  std::vector<std::uint16_t> words;
  for (const std::uint32_t count : counts) {
    words.push_back(static_cast<std::uint16_t>(count & 0xFFFF));
    words.push_back(static_cast<std::uint16_t>(count >> 16));
  }
  return words;
}

}  // namespace

Shapes::Shapes(const Record& record, live::Values& values)
    : record_(record), values_(values), leaves_(record.term_of.size(), 0), numbers_(record.term_of.size()) {
  const auto leaves_end = static_cast<std::size_t>(onceover_first_leaf + record.ranks());
  for (std::size_t shape = onceover_first_leaf; shape < leaves_.size(); ++shape) {
    const Record::Operands& of = record.operands[shape];
    leaves_[shape] = shape < leaves_end ? 1 : std::min(huge, leaves_[of.left] + leaves_[of.right]);
  }
}

live::CallOutcome Shapes::outcome(const CallRecord& made) {
  live::CallOutcome outcome;
  for (std::size_t rank = 0; rank < made.results.size(); ++rank) {
    auto& cells = outcome.cells.emplace_back();
    for (const ElementRun& run : *made.results[rank])
      for (std::uint32_t k = 0; k < run.length; ++k) cells.push_back({value(run.shape), run.position + k});
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

std::size_t Shapes::value(Shape shape) {
  if (!numbers_[shape]) numbers_[shape] = new_value(shape);
  return *numbers_[shape];
}

std::size_t Shapes::new_value(Shape shape) {
  if (shape == onceover_mismatch) return values_.add(Content::mismatch, {}, {});
  if (shape == onceover_unjudged) return values_.add(Content::unjudged, {}, {});
  if (shape == onceover_garbled) return values_.add(Content::garbled, {}, {});
  if (shape == onceover_unwritten) return values_.add(Content::unwritten, {}, {});
  if (shape == onceover_stale) return values_.add(Content::stale, {}, {});
  if (shape == onceover_split) return values_.add(Content::split, {}, {});
  if (shape == onceover_cleared) return values_.add(Content::cleared, {}, {});
  if (shape < onceover_first_leaf) return values_.add(Content::nothing, {}, {});
  const auto most_leaves = 2 * static_cast<std::uint64_t>(record_.ranks());
  std::vector<std::uint32_t> times = counts(shape);
  if (leaves_[shape] > most_leaves) return values_.add(Content::counts, halves(times), std::move(times));
  return values_.add(Content::term, words(shape), std::move(times));
}

/// In prefix order.
std::vector<std::uint16_t> Shapes::words(Shape sum) const {
  std::vector<std::uint16_t> words;
  std::vector<Shape> todo{sum};
  while (!todo.empty()) {
    const Shape shape = todo.back();
    todo.pop_back();
    if (shape < onceover_first_leaf + static_cast<Shape>(record_.ranks())) {
      words.push_back(static_cast<std::uint16_t>(shape - onceover_first_leaf));
      continue;
    }
    words.push_back(ElementFormat::joined);
    todo.push_back(record_.operands[shape].right);
    todo.push_back(record_.operands[shape].left);
  }
  return words;
}

/// Operands have lower numbers than their sum, so from the sum down each shape is met after all sums that it is in.
std::vector<std::uint32_t> Shapes::counts(Shape sum) const {
  std::map<Shape, std::uint64_t, std::greater<>> times{{sum, 1}};
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(record_.ranks()), 0);
  while (!times.empty()) {
    const auto [shape, count] = *times.begin();
    times.erase(times.begin());
    if (shape < onceover_first_leaf + static_cast<Shape>(record_.ranks())) {
      counts[shape - onceover_first_leaf] = static_cast<std::uint32_t>(std::min(count, most_count));
      continue;
    }
    for (const Shape operand : {record_.operands[shape].left, record_.operands[shape].right}) {
      std::uint64_t& sum_of = times[operand];
      sum_of = std::min(huge, sum_of + count);
    }
  }
  return counts;
}

}  // namespace onceover::code
