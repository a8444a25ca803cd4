// Presets: settings of the papers by name, with what they report, beside what our model says about the same setting.
// The report is a text for people, the same values as records, and pictures where there are curves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "papers/papers.h"
#include "subjects/network_plan.h"
#include "viz/plot.h"

namespace onceover::papers {

/// Values under names, one row each time something was measured or computed. Rows are as long as the list of columns.
struct Records {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

struct PresetReport {
  std::string text;
  Records records;
  std::vector<Plot> plots = {};  // panels, from the top; none if the preset is a table
};

/// The records of a table for people: a cell that is a number becomes one, "-" becomes nothing.
Records records_of(std::vector<std::string> columns, const std::vector<std::vector<std::string>>& rows);

/// "bytes,algorithm,..", then a line for each row; nothing is an empty cell.
std::vector<std::vector<std::string>> csv_rows(const Records& records);

/// An object for each row.
Json json_of(const Records& records);

/// The letters of the papers' formulas, in ns, as a user measured them: a message's alpha, and a byte's beta and gamma.
struct MachineLetters {
  std::optional<double> alpha = {};
  std::optional<double> beta = {};
  std::optional<double> gamma = {};

  bool any() const;

  /// In seconds; what isn't given is as on the machine of a paper.
  PointToPoint or_else(const PointToPoint& paper) const;
};

/// "alpha = 30 us, beta = 10 ns/B, gamma = 0.2 ns/B".
std::string speeds_text(const PointToPoint& speeds);

/// What a preset is asked for. What isn't given is as in the paper.
struct PresetRequest {
  NetworkPlan plan;
  std::vector<Rank> ranks = {};
  std::vector<std::vector<Rank>> tori = {};
  std::vector<double> bytes = {};
  MachineLetters machine = {};

  /// The tori; of ranks, lines.
  std::vector<std::vector<Rank>> shapes_or(std::vector<std::vector<Rank>> paper) const;
};

/// What a preset lets the user choose, of options of `cost`.
enum class PresetInput : std::uint8_t {
  speeds,   // --latency, --hop-latency, --overhead, --reduction: it times schedules
  ranks,    // --p
  tori,     // --torus
  sizes,    // --bytes
  machine,  // --alpha, --beta
  adding,   // --gamma
};

struct Preset {
  std::string_view name;
  std::string_view summary;
  Result<PresetReport> (*report)(const Preset&, const PresetRequest&);
  std::vector<PresetInput> inputs = {};

  bool takes(PresetInput input) const;
};

/// All presets.
std::span<const Preset> presets();

/// The preset with that name, or all presets for "all"; a usage error if there is none.
Result<std::vector<const Preset*>> presets_named(const std::string& name);

// The figures of Kolmakov and Zhang's paper: their formulas, and beside them our schedules.

/// Figure 1: the time of the generalized allreduce over that of the best known one, by size.
Result<PresetReport> kolmakov_figure_1();

/// Figures 7 to 10, which are measurements, by the formulas: the time for P = 127 by size.
Result<PresetReport> kolmakov_sizes();

/// Figures 11 and 12, which are measurements, by the formulas: the time by P, for 425 B and 9 KiB.
Result<PresetReport> kolmakov_processes();

/// The time by the number r of removed steps: the minimum, r by equation (37), and what that loses. Without ranks and
/// sizes, for P = 31 and 127, and sizes like those of the figures. P is at least 3.
Result<PresetReport> kolmakov_steps(const PresetRequest& asked);

// Formulas of the papers for the user's ranks, sizes and machine.

/// Equation (1) of the Swing paper with the deficiencies of its table 2, and with those of our schedules.
Result<PresetReport> swing_times(const PresetRequest& asked);

/// Equations (2) to (5) of Jain and Sabharwal, of which (1) is the case of one dimension, and their lower bounds.
Result<PresetReport> bucket_times(const PresetRequest& asked);

/// What PAT's ranks hold for others, by the blocks of a message, and the steps that our schedules take.
Result<PresetReport> pat_buffers(const PresetRequest& asked);

}  // namespace onceover::papers
