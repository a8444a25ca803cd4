#include "subjects/rank_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/result.h"
#include "base/text.h"

namespace onceover::subjects {

namespace {

/// Longer lists would run for years.
constexpr std::int64_t most_numbers = 1 << 16;
constexpr std::size_t most_in_all = 1'000'000;

/// A number, and whether it was written as a power of `base`.
struct Power {
  std::int64_t base;
  bool is_power;
  std::int64_t value;
};

std::optional<std::int64_t> parse_digits(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : parse_whole<std::int64_t>(text);
}

std::optional<Power> parse_power(std::string_view text) {
  const std::size_t caret = text.find('^');
  const bool is_power = caret != std::string_view::npos;
  const auto base = parse_digits(text.substr(0, caret));
  const auto exponent = is_power ? parse_digits(text.substr(caret + 1)) : std::int64_t{1};
  if (!base || !exponent) return std::nullopt;
  if (*base <= 1 || !is_power) return Power{*base, is_power, *exponent == 0 ? 1 : *base};
  // The caller refuses anything beyond max_ranks, so the product may stop there.
  std::int64_t value = 1;
  for (std::int64_t k = 0; k < *exponent && value <= max_ranks; ++k)
    value *= std::min<std::int64_t>(*base, max_ranks + 1);
  return Power{*base, true, value};
}

Result<Power> parse_ranks(std::string_view text, std::string_view list) {
  const auto power = parse_power(text);
  if (!power || power->value < 1 || power->value > max_ranks)
    return usage_error(
        fmt::format("--p: expected a number of ranks from 1 to {}, found '{}'; write 7, 2..64, 3,5,7, "
                    "8..64:8 or 2^1..2^14",
                    max_ranks, text.empty() ? list : text));
  return *power;
}

/// Parses the stride s of a..b:s.
Result<std::int64_t> parse_stride(std::string_view text, std::string_view range) {
  const auto stride = parse_digits(text);
  if (!stride || *stride < 1 || *stride > max_ranks)
    return usage_error(
        fmt::format("--p: expected a stride from 1 to {} after the colon of '{}', found '{}'; write "
                    "8..64:8 for 8, 16, 24, .., 64",
                    max_ranks, range, text));
  return *stride;
}

/// The error for a range between powers of two different bases: nobody can say which numbers it has.
std::string two_bases(std::string_view range, const Power& first, const Power& last) {
  int exponent = 0;
  for (std::int64_t power = first.base; first.base > 1 && power <= last.value; power *= first.base) ++exponent;
  const std::string powers = exponent == 0
                                 ? ""
                                 : fmt::format("{}..{}^{} for the powers of {}, or ", range.substr(0, range.find("..")),
                                               first.base, exponent, first.base);
  return fmt::format("--p: the range {} goes from a power of {} to a power of {}; write {}{}..{} for every number",
                     range, first.base, last.base, powers, first.value, last.value);
}

/// Adds the range a..b or a..b:s; `dots` is the position of the two dots.
Result<void> add_range(std::string_view range, std::size_t dots, std::string_view list, std::vector<Rank>& ranks) {
  const std::size_t colon = range.find(':', dots);
  const bool has_stride = colon != std::string_view::npos;
  const auto first = TRY(parse_ranks(range.substr(0, dots), list));
  const auto last = TRY(parse_ranks(range.substr(dots + 2, has_stride ? colon - dots - 2 : colon), list));
  const auto stride = TRY(has_stride ? parse_stride(range.substr(colon + 1), range) : Result<std::int64_t>(1));
  if (first.value > last.value)
    return usage_error(fmt::format("--p: the range {} is empty; write the smaller number first", range));
  const bool of_powers = first.is_power && last.is_power && !has_stride;
  if (of_powers && first.base != last.base) return usage_error(two_bases(range, first, last));
  const bool multiplies = of_powers && first.base > 1;
  if (!multiplies && (last.value - first.value) / stride >= most_numbers)
    return usage_error(fmt::format("--p: the range {} holds more than {} numbers", range, most_numbers));
  for (std::int64_t p = first.value; p <= last.value; p = multiplies ? p * first.base : p + stride)
    ranks.push_back(static_cast<Rank>(p));
  return {};
}

}  // namespace

Result<std::vector<Rank>> parse_rank_list(std::string_view text) {
  std::vector<Rank> ranks;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t dots = item.find("..");
    if (dots != std::string_view::npos) {
      TRY(add_range(item, dots, text, ranks));
    } else {
      const auto number = TRY(parse_ranks(item, text));
      ranks.push_back(static_cast<Rank>(number.value));
    }
    if (ranks.size() > most_in_all)
      return usage_error(fmt::format("--p: the list holds more than {} numbers", most_in_all));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::string rank_list_text(const std::vector<Rank>& sorted) {
  std::string text;
  for (std::size_t k = 0; k < sorted.size();) {
    std::size_t end = k + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    if (end - k < 3)
      end = k + 1, text += std::to_string(sorted[k]);
    else
      text += fmt::format("{}..{}", sorted[k], sorted[end - 1]);
    k = end;
  }
  return text;
}

}  // namespace onceover::subjects
