#include "base/sentences.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::base {

namespace {

/// Only the beginnings of longer names are compared: nobody mistypes a whole page.
constexpr std::size_t compared = 64;

std::size_t edits(std::string_view a, std::string_view b) {
  a = a.substr(0, compared);
  b = b.substr(0, compared);
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// The only candidate of which `name`, of three letters at least, is a part.
std::optional<std::string> only_one_with(std::string_view name, std::span<const std::string_view> candidates) {
  std::optional<std::string> found;
  for (const std::string_view candidate : candidates) {
    if (name.size() < 3 || candidate.find(name) == std::string_view::npos) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

}  // namespace

std::string counted(std::uint64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string in_sentence(std::vector<std::string_view> names, std::string_view last) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  const std::string_view end = names.back();
  names.pop_back();
  return fmt::format("{} {} {}", fmt::join(names, ", "), last, end);
}

std::optional<std::string> closest(std::string_view name, std::span<const std::string_view> candidates) {
  const auto near = closest(name, candidates, std::max<std::size_t>(2, name.size() / 3));
  return near ? near : only_one_with(name, candidates);
}

std::optional<std::string> closest(std::string_view name, std::span<const std::string_view> candidates,
                                   std::size_t most) {
  std::optional<std::string> best;
  std::size_t fewest = most + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t n = edits(name, candidate);
    if (n >= fewest || n >= candidate.size()) continue;
    fewest = n;
    best = std::string(candidate);
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const auto near = closest(name, candidates);
  return near ? fmt::format("; did you mean '{}'?", *near) : "";
}

tl::unexpected<Failure> no_such(std::string_view what, std::string_view name, std::span<const std::string_view> known) {
  return usage_error(
      fmt::format("{} '{}'{}; there are {}", what, name, suggestion(name, known), fmt::join(known, ", ")));
}

}  // namespace onceover::base
