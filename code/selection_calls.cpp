#include "code/selection_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/rows.h"

namespace onceover::code {

namespace {

constexpr std::int64_t most_size = std::numeric_limits<std::int64_t>::max() / (1 << 24);  // times ranks, it fits
constexpr std::string_view count_name = "count";

std::int64_t largest_power_of_two(Rank up_to) {
  std::int64_t power = 1;
  while (power * 2 <= up_to) power *= 2;
  return power;
}

std::string contrary(const std::string& words) {
  if (words.ends_with("=yes")) return words.substr(0, words.size() - 3) + "no";
  return "not " + words;
}

}  // namespace

Calls::Calls(Rank ranks, std::string_view collective)
    : ranks_(ranks), collective_(collective), facts_{{within_group, true}} {}

std::optional<Calls> Calls::where(const Condition& condition, bool holds) const {
  using Kind = Condition::Kind;
  switch (condition.kind) {
    case Kind::any: return holds ? std::optional(*this) : std::nullopt;
    case Kind::ranks_up_to: return (ranks_ <= condition.bound) == holds ? std::optional(*this) : std::nullopt;
    case Kind::ranks_pow2:
      return contains(RanksDomain::power_of_two, ranks_) == holds ? std::optional(*this) : std::nullopt;
    case Kind::size_up_to: return sized(condition.subject, condition.bound, holds);
    case Kind::count_below_pow2: return short_for_halving(holds);
    case Kind::fact: return with_fact(condition.subject, condition.holds == holds);
    case Kind::collective: return (condition.subject == collective_) == holds ? std::optional(*this) : std::nullopt;
    case Kind::leaf: return holds ? std::optional(*this) : std::nullopt;
  }
  return std::nullopt;
}

std::string Calls::text() const {
  std::string text(collective_);
  for (const auto& [words, holds] : facts_)
    if (words != within_group && !(words == operator_commutes && knows(operator_is_built_in)))
      text += fmt::format(", {}", holds ? std::string(words) : contrary(std::string(words)));
  for (const Interval& size : sizes_) {
    if (!size.is_told) continue;
    text += size.most == most_size ? fmt::format(", {} from {}", size.subject, size.least)
                                   : fmt::format(", {} {}..{}", size.subject, size.least, size.most);
  }
  return text;
}

bool Calls::knows(std::string_view words) const {
  return std::find(facts_.begin(), facts_.end(), std::pair(words, true)) != facts_.end();
}

std::optional<Calls> Calls::with_fact(std::string_view words, bool holds) const {
  for (const auto& [known, value] : facts_)
    if (known == words) return value == holds ? std::optional(*this) : std::nullopt;
  if (words == has_hierarchy && holds && ranks_ < 3)
    return std::nullopt;  // it takes two hosts, one of them with two ranks
  Calls calls = *this;
  calls.facts_.emplace_back(words, holds);
  // MPI's own operators commute.
  if (words == operator_is_built_in && holds) return calls.with_fact(operator_commutes, true);
  if (words == operator_commutes && !holds) return calls.with_fact(operator_is_built_in, false);
  return calls;
}

/// Is there less than an element for each rank, p rounded down to a power of two?
std::optional<Calls> Calls::short_for_halving(bool holds) const {
  auto calls = sized(count_name, largest_power_of_two(ranks_) - 1, holds);
  if (!calls) return std::nullopt;
  row_with(calls->sizes_, &Interval::subject, count_name)->is_told = false;
  return calls->with_fact(has_few_elements, holds);
}

std::optional<Calls> Calls::sized(std::string_view subject, std::int64_t bound, bool up_to) const {
  Calls calls = *this;
  Interval* size = row_with(calls.sizes_, &Interval::subject, subject);
  if (size == nullptr) {
    // Calls without elements aren't judged. comm_avg_ppn is at least 1, too.
    calls.sizes_.push_back({subject, 1, most_size});
    size = &calls.sizes_.back();
  }
  if (up_to)
    size->most = std::min(size->most, bound);
  else
    size->least = std::max(size->least, bound + 1);
  return calls.is_possible() ? std::optional(std::move(calls)) : std::nullopt;
}

/// A message's size is at least its count, and all messages together have p times the bytes of one.
bool Calls::is_possible() const {
  for (const Interval& size : sizes_)
    if (size.least > size.most) return false;
  const Interval* average = row_with(sizes_, &Interval::subject, "avg_msg_size");
  const Interval* total = row_with(sizes_, &Interval::subject, "total_msg_size");
  const Interval* count = row_with(sizes_, &Interval::subject, "count");
  if (average != nullptr && count != nullptr && count->least > average->most) return false;
  return average == nullptr || total == nullptr ||
         (total->least <= average->most * ranks_ && average->least * ranks_ <= total->most);
}

}  // namespace onceover::code
