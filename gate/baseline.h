// Metrics as they were recorded, so that what got worse is seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/measurement.h"

namespace onceover::gate {

/// A metric that isn't as good as it was.
struct Worse {
  std::string metric;
  Rational recorded;
  std::optional<Rational> now;  // nothing: it is not known now
};

/// The metrics of units, by their ids. A file is JSON: {"format":"onceover-baseline","version":1,"units":{..}}.
class Baseline {
 public:
  static Result<Baseline> read(const std::string& path);

  bool has(const std::string& unit_id) const { return units_.contains(unit_id); }

  /// Was a metric of that source recorded for the unit? Then it has to be measured.
  bool has(const std::string& unit_id, Metric::Source source) const;

  /// What got worse: every recorded metric that is larger now, or not known.
  std::vector<Worse> compare(const std::string& unit_id, const Measures& measures) const;

  void record(const std::string& unit_id, const Measures& measures);

  std::string text() const;

 private:
  std::map<std::string, std::map<std::string, Rational, std::less<>>> units_;
};

}  // namespace onceover::gate
