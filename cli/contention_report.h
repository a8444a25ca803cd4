// The contention of schedules as text, CSV, JSON and plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "network/contention.h"
#include "network/least_time.h"
#include "subjects/required.h"
#include "subjects/run.h"
#include "viz/plot.h"

namespace onceover::cli {

/// A schedule whose loads or times are shown is judged up to this many block transfers and results.
inline constexpr std::uint64_t most_judged = 1'000'000'000;

/// Judges such a schedule within seconds, by a symmetry if it has one.
inline VerifyOptions briefly() {
  return {.budget = most_judged, .without_symmetry_up_to = unrequired_up_to};
}

/// One schedule on its network.
struct Measured {
  Verification run;
  SchedulePtr schedule;
  Network network;
  Routing routing;
  std::optional<int> step;  // the step to show; none: all steps
  bool is_torus;            // is the network the torus of the schedule's shape?
  Contention contention;
  std::uint64_t block_bytes = 0;        // of programs with sizes in bytes; 0: a block is a part of the vector
  std::optional<LeastTime> least = {};  // of any schedule for the collective; none for a wrong one

  /// For large vectors, in vectors at the speed of a port.
  Rational vectors() const { return contention.time / run.header.blocks; }

  /// The step whose hottest link takes longest.
  const StepContention* hottest_step() const {
    const StepContention* hottest = nullptr;
    for (const StepContention& s : contention.steps)
      if (s.hottest >= 0 && (hottest == nullptr || time_of(s) > time_of(*hottest))) hottest = &s;
    return hottest;
  }

  Rational time_of(const StepContention& s) const { return s.load / Rational(network.link(s.hottest).bandwidth); }
};

/// The least time of a schedule or program that isn't known to be wrong, and for whose collective there is a bound.
std::optional<LeastTime> least_time_beside(const Verification& run, const Header& header, const Network& network);

/// "1.5 times the least possible, 0.625": a time for large vectors beside the least.
std::string beside_least(const Rational& vectors, const LeastTime& least);

/// The text for people. For one schedule: its steps, loads and deficiencies, or one step's hottest links. For several:
/// a line each. `network` is the user's name for the network.
Result<std::string> contention_text(const std::vector<Measured>& all, const std::string& network);

/// Rows of a CSV file: the links of one schedule, or a row for each of several.
Result<std::vector<std::vector<std::string>>> contention_rows(const std::vector<Measured>& all);

/// The JSON document of docs/schema/run.schema.json. `unmeasured` are runs without loads, which come last.
Json contention_json(const std::vector<Measured>& all, const std::vector<Verification>& unmeasured);

/// Plots of the hottest link's load by step or, for several numbers of ranks, of deficiencies over these.
std::vector<Plot> contention_plots(const std::vector<Measured>& all);

/// How many links carry how many blocks over all steps; in ranges if there are many different loads.
std::vector<std::pair<std::string, std::size_t>> histogram(const LinkLoads& loads);

/// "3", or "3 and 4 like it": the steps that a row of a table is about.
std::string steps_text(const StepKind& kind);

}  // namespace onceover::cli
