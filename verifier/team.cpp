#include "verifier/team.h"

#include <algorithm>

#include "base/stop.h"

namespace onceover::verifier {

namespace {

bool is_same_part_in_all(Team& team, const std::string& mine) {
  const std::vector<std::string> all = team.gather(mine);
  return std::all_of(all.begin(), all.end(), [&](const std::string& each) { return each == all.front(); });
}

}  // namespace

bool is_same_in_all(Team& team, std::string_view mine) {
  constexpr std::size_t part = 1 << 20;
  if (!is_same_part_in_all(team, std::to_string(mine.size()))) return false;
  for (std::size_t at = 0; at < mine.size(); at += part)
    if (!is_same_part_in_all(team, std::string(mine.substr(at, part)))) return false;
  return true;
}

bool agree_to_stop(Team& team) {
  for (const std::string& reason : team.gather(stop_reason())) {
    if (reason.empty()) continue;
    request_stop(reason);
    return true;
  }
  return false;
}

}  // namespace onceover::verifier
