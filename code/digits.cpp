// Let a result hold n(s, x) times what rank s of the window gives at position x, and m times what a result held before
// the call. Of integers, that is T + 1, where T is the top digit's value: half of a contribution of the first rank, as
// it has no position. (Of floating-point numbers it is NaN, as is each sum with it, so there m = 0.) Let the number be
// the one that is due, of w ranks. Let C be m plus the sum of all n(s, x), and A the number without C * T. Both numbers
// are equal, so A + C * T = A0 + w * T, where A0 < T has w digits 1 for ranks and a digit w for the position, so 2w
// units in all. A is made of 2C - m units.
//
// - C > w: A = A0 - (C - w) * T < 0. But nothing that was added is negative.
// - C < w: A = A0 + (w - C) * T. Writing that by digits below the top takes 8 units of the highest for each T,
//   so 2w + 8 (w - C) units or more. There are 2C < 2w at most.
// - C = w: A = A0, made of 2w - m units. All digits of A0 are below 8, so there is no way with fewer than 2w: m = 0.
//   Each carry would make 8 units of one; so fewer than 2w + 7 units make A0 in one way only: one unit for each rank,
//   and w at the position.
//
// Floating-point sums are exact up to 2^53, or 2^24, and never become smaller. Integers run over, so what is excluded
// there is sums below 2^32, or 2^64. Each summand is less than 1.25 T, so it takes more than 204 summands of `int`
// (T = 2^24), and 2^18 of int64 (T = 2^45), to get there. One thing is excluded even so: right contributions and m
// times what was there before. T + 1 is odd, so m * (T + 1) is 0 only if 2^32, or 2^64, divides m.
//
// What an earlier call left counts as well: for each w > 0, its numbers have their digit at another position.

#include "code/digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/rows.h"
#include "base/sentences.h"
#include "verifier/element_fault.h"
#include "verifier/property.h"

namespace onceover::code {

namespace {

using live::Due;
using live::LiveCall;
using verifier::OddContribution;

constexpr std::string_view integer_blank = "onceover_power(ONCEOVER_RANK_DIGITS + ONCEOVER_POSITION_DIGITS) + 1";

constexpr std::array types{
    DigitType{"double", "double", "MPI_DOUBLE", "__builtin_nan(\"\")", 7, 8},
    DigitType{"float", "float", "MPI_FLOAT", "__builtin_nanf(\"\")", 3, 3},
    DigitType{"int", "int", "MPI_INT", integer_blank, 4, 4},
    DigitType{"int64", "int64_t", "MPI_INT64_T", integer_blank, 7, 8},
};

constexpr std::int64_t power(int exponent) {
  return std::int64_t{1} << (3 * exponent);
}

class DigitJudge {
 public:
  DigitJudge(const LiveCall& call, const DigitType& type) : call_(call), type_(type) {
    for (Rank r = 0; r < call.ranks; ++r) dues_.push_back(live::due(call, r));
  }

  void add(const DigitCall& made) {
    for (std::size_t w = 0; w < made.numbers.size(); ++w) {
      const Window window{.first = static_cast<Rank>(w) * type_.ranks,
                          .shift = static_cast<std::uint32_t>(made.number) + static_cast<std::uint32_t>(w),
                          .round = made.round};
      for (std::size_t r = 0; r < dues_.size(); ++r)
        for (std::size_t k = 0; k < dues_[r].size(); ++k, ++judged_)
          compare(made.numbers[w][r][k], window, {static_cast<Rank>(r), k});
    }
  }

  Finding finding() && {
    if (found_.violations > 0) {
      found_.verdict = Verdict::fail;
      found_.summary = fmt::format("{} of {} numbers are not the sum that is due", found_.violations, judged_);
    } else {
      found_.summary = fmt::format("all {} numbers are the sum that is due, as far as digits show", judged_);
    }
    return std::move(found_);
  }

 private:
  struct Place {
    Rank rank;
    std::size_t index;
  };

  /// A call with a window.
  struct Window {
    Rank first;
    std::uint32_t shift;  // of positions: the call's number
    int round;
  };

  /// The ranks of a window that begins with `first` that are due.
  std::pair<Rank, Rank> window_of(const Due& due, Rank first) const {
    return {std::max(due.first, first), std::min(due.end, first + type_.ranks)};
  }

  int digit_of(std::uint32_t position, const Window& window) const {
    const auto positions = static_cast<std::uint32_t>(type_.positions);
    for (int k = 0; k < window.round; ++k) position /= positions;
    return static_cast<int>((position % positions + window.shift % positions) % positions);
  }

  std::int64_t count_unit() const { return power(type_.ranks + type_.positions); }

  std::int64_t expected(const Due& due, const Window& window) const {
    const auto [begin, end] = window_of(due, window.first);
    std::int64_t sum = 0;
    for (Rank s = begin; s < end; ++s)
      sum += power(s - window.first) + power(type_.ranks + digit_of(due.position, window)) + count_unit();
    return sum;
  }

  /// False for what a result of integers held before the call, too.
  bool is_sum(std::int64_t number) const { return number >= 0 && number != count_unit() + 1; }

  void compare(std::int64_t number, const Window& window, Place place) {
    const Due& due = dues_[static_cast<std::size_t>(place.rank)][place.index];
    if (number == expected(due, window) || found_.violations++ > 0) return;
    const std::string held = is_sum(number) ? fmt::format("{:#o}", number) : "no sum";
    found_.counterexample = wrong_element({place.rank, place.index, due.position, held}, odd(number, due, window.first),
                                          live::due_text(call_, due));
  }

  /// A rank whose digit isn't what it should be. Of no rank's, it is the position's or the count.
  OddContribution odd(std::int64_t number, const Due& due, Rank first) const {
    if (!is_sum(number)) return OddContribution::is_not_due();
    const auto [begin, end] = window_of(due, first);
    for (Rank s = first; s < std::min(first + type_.ranks, call_.ranks); ++s) {
      const auto times = static_cast<std::uint32_t>(number / power(s - first) % 8);
      const bool is_due = s >= begin && s < end;
      if (times > 1) return OddContribution::counts_often(s, times);
      if (times == 1 && !is_due) return OddContribution::is_not_due(s, times);
      if (times == 0 && is_due) return OddContribution::is_missing(s);
    }
    return OddContribution::is_not_due();
  }

  const LiveCall& call_;
  const DigitType& type_;
  std::vector<std::vector<Due>> dues_;  // by rank
  std::size_t judged_ = 0;
  Finding found_{Verdict::pass, ""};
};

}  // namespace

std::span<const DigitType> digit_types() {
  return types;
}

Result<const DigitType*> parse_digit_type(const std::string& name) {
  const auto known = mapped(types, &DigitType::name);
  for (const DigitType& type : types)
    if (type.name == name) return &type;
  return usage_error(
      fmt::format("--digits: no '{}'{}; there are {}", name, suggestion(name, known), fmt::join(known, ", ")));
}

int windows(const DigitType& type, Rank ranks) {
  return (ranks + type.ranks - 1) / type.ranks;
}

int rounds(const DigitType& type, std::size_t positions) {
  int count = 1;
  for (std::size_t told_apart = static_cast<std::size_t>(type.positions); told_apart < positions;
       told_apart *= static_cast<std::size_t>(type.positions))
    ++count;
  return count;
}

live::LiveReport judge_digits(const LiveCall& call, const DigitType& type, std::span<const DigitCall> calls,
                              std::span<const std::string> required, std::span<const std::string> waived) {
  DigitJudge judge(call, type);
  for (const DigitCall& made : calls) judge.add(made);
  live::LiveReport report{.verdict = Verdict::pass, .properties = {}};
  const bool is_waived = asks_for(waived, exactly_once_property);
  report.properties.push_back({std::move(judge).finding(), exactly_once_property.id, !is_waived, is_waived});
  for (const Property* property : {&order_preserving_property, &bitwise_reproducible_property, &deterministic_property})
    report.properties.push_back(
        {Finding{Verdict::unknown, "not judged: digits don't show it"}, property->id, asks_for(required, *property)});
  report.verdict = required_verdict(report.properties);
  return report;
}

}  // namespace onceover::code
