// A schedule measured on a network, as text, CSV, JSON and plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "network/contention.h"
#include "subjects/required.h"
#include "subjects/run.h"
#include "viz/plot.h"

namespace onceover::cli {

/// Block transfers and results up to which a schedule is judged whose loads or times are shown.
inline constexpr std::uint64_t most_judged = 1'000'000'000;

/// How it is judged: in seconds, by a symmetry where there is one.
inline VerifyOptions briefly() {
  return {.budget = most_judged, .without_symmetry_up_to = unrequired_up_to};
}

/// One schedule on its network.
struct Measured {
  Verification run;
  SchedulePtr schedule;
  Network network;
  Routing routing;
  std::optional<int> step;  // the one to be shown; none: all
  bool is_torus;            // that of the schedule's shape
  Contention contention;
  std::uint64_t block_bytes = 0;  // of programs that tell bytes; 0: a block is a part of the vector

  /// The step whose hottest link takes longest.
  const StepContention* hottest_step() const {
    const StepContention* hottest = nullptr;
    for (const StepContention& s : contention.steps)
      if (s.hottest >= 0 && (hottest == nullptr || time_of(s) > time_of(*hottest))) hottest = &s;
    return hottest;
  }

  Rational time_of(const StepContention& s) const { return s.load / Rational(network.link(s.hottest).bandwidth); }
};

/// What a person reads: of one schedule its steps, loads and deficiencies, or one step's hottest links; of several a
/// line each. `network` is what the user calls the network.
Result<std::string> contention_text(const std::vector<Measured>& all, const std::string& network);

/// Rows of a CSV file: of one schedule its links, of several a line each.
Result<std::vector<std::vector<std::string>>> contention_rows(const std::vector<Measured>& all);

/// The JSON document of docs/schema/run.schema.json. `unmeasured`: runs without loads, which come last.
Json contention_json(const std::vector<Measured>& all, const std::vector<Verification>& unmeasured);

/// Of one schedule the load of the hottest link step by step, of several their deficiencies over p.
Plot contention_plot(const std::vector<Measured>& all);

/// How many links carry how many blocks over all steps: in bins, where the loads are many.
std::vector<std::pair<std::string, std::size_t>> histogram(const LinkLoads& loads);

/// "3", or "3 and 4 like it": which steps a row of a table is about.
std::string steps_text(const StepKind& kind);

}  // namespace onceover::cli
