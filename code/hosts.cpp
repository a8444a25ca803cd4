#include "code/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/words.h"
#include "live/options.h"

namespace onceover::code {

Result<Hosts> Hosts::parse(const std::string& text) {
  constexpr Rank many = 1 << 20;  // so that p-1 is positive
  Hosts hosts;
  hosts.text_ = text;
  if (text == "each") return hosts;
  const auto parts = split(text, ',');
  const auto is_size = [](std::string_view part) {
    const auto size = live::number_in(part, many);
    return size && *size >= 1;
  };
  if (text != "one" && !std::all_of(parts.begin(), parts.end(), is_size))
    return usage_error(fmt::format(
        "--hosts: expected one, each, a number of ranks on each, or a list such as 1,3 or 1,p-1, found '{}'", text));
  const bool is_number = text != "one" && parts.size() == 1;
  hosts.on_each_ = text == "one" ? std::numeric_limits<Rank>::max()
                   : is_number   ? static_cast<Rank>(*live::number_in(text, many))
                                 : 0;
  return hosts;
}

Result<std::vector<Rank>> Hosts::sizes(Rank ranks) const {
  std::vector<Rank> list;
  if (on_each_ > 0) {
    for (Rank placed = 0; placed < ranks; placed += list.back()) list.push_back(std::min(on_each_, ranks - placed));
    return list;
  }
  std::int64_t sum = 0;
  for (const std::string_view part : split(text_, ',')) {
    const std::int64_t size = *live::number_in(part, ranks);
    if (size < 1) return usage_error(fmt::format("--hosts {}: for p = {}, '{}' is {}", text_, ranks, part, size));
    list.push_back(static_cast<Rank>(size));
    sum += size;
  }
  if (sum == ranks) return list;
  return usage_error(fmt::format("--hosts {}: these are {} ranks, and p = {}; the numbers on the hosts must sum to p",
                                 text_, sum, ranks));
}

std::vector<Rank> own_hosts(Rank ranks) {
  return std::vector<Rank>(static_cast<std::size_t>(ranks), 1);
}

std::string hosts_text(const std::vector<Rank>& sizes) {
  if (sizes.size() == 1) return "one";
  if (std::all_of(sizes.begin(), sizes.end(), [](Rank size) { return size == 1; })) return "each";
  return fmt::format("{}", fmt::join(sizes, ","));
}

}  // namespace onceover::code
