// Outcome: a unit with its verdict, and the causes if it doesn't pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "units/baseline.h"
#include "units/measurement.h"

namespace onceover::units {

/// The rules that aren't properties.
inline constexpr std::string_view baseline_rule = "baseline";
inline constexpr std::string_view subject_rule = "subject";

/// Why a unit doesn't pass.
struct Cause {
  std::string rule;  // the id of a property, or one of the above
  std::string part;  // the limit's text, or the metric; empty for properties
  Verdict verdict;   // fail or unknown
  std::string headline;
  std::vector<std::string> details = {};
  std::size_t line = 0;            // in the subject's file; 0: none
  std::size_t column = 0;          // of the line; 0: none
  std::string file = {};           // whose line it is; empty: the subject's
  std::string key = {};            // the gate file's key that it is about, or a limit's text; empty: none
  std::vector<Flow> flows = {};    // in the subject's file
  std::vector<FileEdit> fix = {};  // of the subject's file, which passes after them
  std::string limit = {};          // a limit that fails for the subject alone, too; empty: none
};

struct Outcome {
  const Unit* unit;
  Measurement measurement;
  std::vector<JudgedLimit> limits = {};
  std::vector<Cause> causes = {};
  bool has_record = false;  // does the baseline know the unit?
  Verdict verdict = Verdict::unknown;
};

/// Does only a check ask this of the subject, and no command of it alone?
bool is_of_check(const Cause& cause);

/// Judges a measurement by the check's limits, and by the baseline if there is one.
Outcome judged(const Unit& unit, Measurement measurement, const Baseline* baseline);

}  // namespace onceover::units
