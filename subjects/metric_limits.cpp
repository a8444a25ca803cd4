#include "subjects/metric_limits.h"

#include <fmt/format.h>

#include "base/try.h"
#include "subjects/network_plan.h"

namespace onceover::subjects {

Result<Limit> parse_limit(const std::string& text) {
  auto limit = Limit::parse(text, "--limit");
  if (!limit) return usage_error(limit.error().render());
  return *std::move(limit);
}

Result<void> check(const LimitOptions& options) {
  if (is_given(options.network) && !wanted_by(options.limits).network)
    return usage_error(
        "--topology, --map, --routing and --network-ports are for a --limit on latency, bandwidth, congestion, "
        "time or bound");
  return {};
}

Result<Measures> measures_of(const Schedule& schedule, const Report& report, Wanted wanted,
                             const NetworkOptions& options) {
  Measures measures = measures_of(schedule.header(), report);
  if (!wanted.network || !is_well_formed(report)) return measures;
  const auto plan = plan_of(options);
  const auto network = TRY(make_network(options, plan, schedule.header()));
  add_network(measures, schedule, network, plan.routing);
  if (wanted.bound) add_bound(measures, schedule.header(), network);
  return measures;
}

Result<void> judge_limits(Verification& run, const std::vector<Limit>& limits, const Measures& measures) {
  run.limits = judged(limits, measures);
  for (const JudgedLimit& limit : run.limits)
    if (limit.finding.is_undefined)
      return usage_error(fmt::format("--limit: '{}' has no value for p = {}: {}", limit.text, run.header.ranks,
                                     limit.finding.summary));
  return {};
}

}  // namespace onceover::subjects
