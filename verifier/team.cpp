#include "verifier/team.h"

#include "schedules/stop.h"

namespace onceover {

bool agree_to_stop(Team& team) {
  for (const std::string& reason : team.gather(stop_reason())) {
    if (reason.empty()) continue;
    request_stop(reason);
    return true;
  }
  return false;
}

}  // namespace onceover
