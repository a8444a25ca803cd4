#include "subjects/rank_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/number_text.h"
#include "base/try.h"
#include "base/words.h"

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
  // Anything past max_ranks is refused by the caller, so the product may stop there.
  std::int64_t value = 1;
  for (std::int64_t k = 0; k < *exponent && value <= max_ranks; ++k)
    value *= std::min<std::int64_t>(*base, max_ranks + 1);
  return Power{*base, true, value};
}

Result<Power> parse_ranks(std::string_view text, std::string_view list) {
  const auto power = parse_power(text);
  if (!power || power->value < 1 || power->value > max_ranks)
    return usage_error(
        fmt::format("--p: expected a number of ranks from 1 to {}, found '{}'; write 7, 2..64, 3,5,7 or "
                    "2^1..2^14",
                    max_ranks, text.empty() ? list : text));
  return *power;
}

Result<void> add_range(std::string_view from, std::string_view to, std::string_view list, std::vector<Rank>& ranks) {
  const auto first = parse_ranks(from, list);
  if (!first) return tl::unexpected(first.error());
  const auto last = TRY(to.data() == from.data() ? first : parse_ranks(to, list));
  if (first->value > last.value)
    return usage_error(fmt::format("--p: the range {}..{} is empty; write the smaller number first", from, to));
  const bool of_powers = first->is_power && last.is_power && first->base == last.base && first->base > 1;
  if (!of_powers && last.value - first->value >= most_numbers)
    return usage_error(fmt::format("--p: the range {}..{} holds more than {} numbers", from, to, most_numbers));
  for (std::int64_t p = first->value; p <= last.value; p = of_powers ? p * first->base : p + 1)
    ranks.push_back(static_cast<Rank>(p));
  return {};
}

}  // namespace

Result<std::vector<Rank>> parse_rank_list(std::string_view text) {
  std::vector<Rank> ranks;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t dots = item.find("..");
    const bool is_range = dots != std::string_view::npos;
    TRY(add_range(item.substr(0, dots), is_range ? item.substr(dots + 2) : item, text, ranks));
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
