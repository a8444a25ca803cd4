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

/// The metrics and collectives of units, by their ids. A record without metrics is none. A file is JSON:
/// {"format":"onceover-baseline","version":1,"units":{..}}.
class Baseline {
 public:
  static Result<Baseline> read(const std::string& path);

  /// The same of a text; `path` is for messages.
  static Result<Baseline> parse(const std::string& path, const std::string& text);

  bool has(const std::string& unit_id) const;

  /// Was a metric of that source recorded for the unit? Then it has to be measured.
  bool has(const std::string& unit_id, Metric::Source source) const;

  /// What got worse: every recorded metric that is larger now, or not known.
  std::vector<Worse> compare(const std::string& unit_id, const Measures& measures) const;

  /// The unit's collective, if that was recorded.
  std::optional<Collective> collective(const std::string& unit_id) const;

  void record(const std::string& unit_id, const Measurement& measurement);

  /// Removes a unit's record, if there is one.
  void forget(const std::string& unit_id) { units_.erase(unit_id); }

  /// The ids that are recorded and none of `units`, sorted. O(n log n).
  std::vector<std::string> vanished(const std::vector<Unit>& units) const;

  std::string text() const;

 private:
  struct Record {
    std::optional<Collective> collective = {};
    std::map<std::string, Rational, std::less<>> metrics = {};
  };

  std::map<std::string, Record> units_;
};

}  // namespace onceover::gate
