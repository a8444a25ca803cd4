#include "verifier/team.h"

#include <algorithm>

#include "schedules/stop.h"

namespace onceover {

bool is_same_in_all(Team& team, const std::string& mine) {
  const std::vector<std::string> all = team.gather(mine);
  return std::all_of(all.begin(), all.end(), [&](const std::string& each) { return each == all.front(); });
}

bool agree_to_stop(Team& team) {
  for (const std::string& reason : team.gather(stop_reason())) {
    if (reason.empty()) continue;
    request_stop(reason);
    return true;
  }
  return false;
}

}  // namespace onceover
