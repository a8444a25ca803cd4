// Baseline: recorded metrics, which show what got worse.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "units/measurement.h"

namespace onceover::units {

/// A metric that is worse than recorded.
struct Worse {
  std::string metric;
  Rational recorded;
  std::optional<Rational> now;  // nothing: unknown now
};

/// The metrics and collectives of units, by the units' ids. A unit with neither has no record. The file is JSON:
/// {"format":"onceover-baseline","version":1,"units":{..}}.
class Baseline {
 public:
  static Result<Baseline> read(const std::string& path);

  /// The same from a text; messages name `path`.
  static Result<Baseline> parse(const std::string& path, const std::string& text);

  bool has(const std::string& unit_id) const;

  /// Adds the unit's recorded metrics, which must be measured.
  void add_to(Wanted& wanted, const std::string& unit_id) const;

  /// What got worse: every recorded metric that is now larger, or unknown.
  std::vector<Worse> compare(const std::string& unit_id, const Measures& measures) const;

  /// The unit's recorded collective, if there is one.
  std::optional<Collective> collective(const std::string& unit_id) const;

  void record(const std::string& unit_id, const Measurement& measurement);

  /// Removes a unit's record, if there is one.
  void forget(const std::string& unit_id) { units_.erase(unit_id); }

  /// The recorded ids that no unit has, sorted. O(n log n).
  std::vector<std::string> vanished(const std::vector<Unit>& units) const;

  std::string text() const;

 private:
  struct Record {
    std::optional<Collective> collective = {};
    std::map<std::string, Rational, std::less<>> metrics = {};
  };

  std::map<std::string, Record> units_;
  std::string schema_ = {};  // kept for editors; empty: none
};

}  // namespace onceover::units
