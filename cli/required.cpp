#include "cli/required.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/closest.h"

namespace onceover::cli {

namespace {

Result<void> check_ids(const std::vector<std::string>& ids) {
  std::vector<std::string_view> known;
  for (const Property& p : properties()) known.push_back(p.id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end())
      return usage_error(fmt::format("--require: no property '{}'{}; there are {}", id, suggestion(id, known),
                                     fmt::join(known, ", ")));
  return {};
}

/// A bound that is required has to be given.
Result<void> check_bounds(const std::vector<std::string>& ids, const Limits& limits) {
  auto asks_for = [&](const Property& p) { return std::find(ids.begin(), ids.end(), p.id) != ids.end(); };
  if (asks_for(ports_property) && !limits.ports)
    return usage_error("--require ports: say how many there are, --ports K, which requires it");
  if (asks_for(staging_property) && !limits.staging)
    return usage_error("--require staging: say how many blocks may be held, --staging K, which requires it");
  return {};
}

}  // namespace

Result<void> check_required(const std::vector<std::string>& ids, const Limits& limits) {
  if (auto known = check_ids(ids); !known) return known;
  return check_bounds(ids, limits);
}

}  // namespace onceover::cli
