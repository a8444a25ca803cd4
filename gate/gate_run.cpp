#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/parallel.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "gate/gate.h"
#include "units/code_measurement.h"

namespace onceover::gate {

namespace {

/// What units of one run share.
struct Kept {
  Cache& cache;
  Programs& programs;
};

/// The measurement, from the cache if it is there.
Result<Measurement> measured(const Unit& unit, const Wanted& wanted, int threads, Kept& kept) {
  if (unit.check->kind == SubjectKind::code) {
    Measurement measurement = measure_code(unit, wanted, threads, kept.programs);
    stop_point();
    return measurement;
  }
  const auto material = TRY(material_of(unit));
  const auto key = key_of(material, wanted);
  if (key)
    if (auto found = kept.cache.find(*key)) return std::move(*found);
  Measurement measurement = measure(material, wanted, threads);
  stop_point();  // what was cut short must be neither kept nor shown as if complete
  if (key && key_of(material, wanted) == key) kept.cache.keep(*key, measurement);
  return measurement;
}

Result<Outcome> outcome_of(const Checks& gate, const Unit& unit, int threads, Kept& kept, const Baseline* baseline) {
  Wanted wanted = wanted_by(unit.check->limits);
  if (baseline != nullptr) baseline->add_to(wanted, unit.id);
  auto measurement = TRY(measured(unit, wanted, threads, kept));
  Outcome outcome = judged(unit, std::move(measurement), baseline);
  for (const JudgedLimit& limit : outcome.limits)
    if (limit.finding.is_undefined)
      return gate.error(
          *unit.check, limit.text,
          fmt::format("limit: '{}' has no value for {}: {}", limit.text, unit.text, limit.finding.summary));
  return outcome;
}

/// The outcome; unknown if a limit on time or memory ran out.
Result<Outcome> finished(const Checks& gate, const Unit& unit, int threads, Kept& kept, const Baseline* baseline) {
  auto within = within_limits([&] { return outcome_of(gate, unit, threads, kept, baseline); });
  if (within) return std::move(*within);
  Measurement none;
  none.failure = Failure{ExitCode::unknown, within.error()};
  return judged(unit, std::move(none), baseline);
}

}  // namespace

Result<std::vector<Outcome>> run_units(const Checks& gate, const std::vector<Unit>& units, int jobs, Cache& cache,
                                       const Baseline* baseline) {
  std::vector<std::optional<Result<Outcome>>> results(units.size());
  const auto count = static_cast<int>(std::min<std::size_t>(units.size(), static_cast<std::size_t>(jobs)));
  const int threads = count == 0 ? 1 : std::max(1, jobs / count);
  Programs programs;
  Kept kept{cache, programs};
  std::atomic<std::size_t> next = 0, done = 0;
  run_workers(count, [&](int) {
    for (std::size_t k = next++; k < units.size(); k = next++) {
      Progress::say(done++, units.size(), units[k].text);
      results[k] = finished(gate, units[k], threads, kept, baseline);
    }
  });
  cache.prune();
  std::vector<Outcome> outcomes;
  for (auto& result : results) {
    if (!*result) return tl::unexpected(result->error());
    outcomes.push_back(std::move(**result));
  }
  return outcomes;
}

}  // namespace onceover::gate
