// What `verify cost` says of the times that it found: as a table, as CSV, and the sizes as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "schedules/collective.h"
#include "subjects/comparison.h"

namespace onceover::cli {

/// A comparison, and what it took place on.
struct Timed {
  Comparison comparison;
  std::optional<Collective> collective;
  std::string network;
  double peak;  // goodput in Gb/s that no algorithm can exceed; 0: none is known
  Rank ranks;
  int ports = 0;
  Rank per_vector = 1;                     // ranks whose data make up the vector
  bool are_per_rank = false;               // are sizes shown of one rank's data? Else of the vector
  std::vector<std::string> wrong = {};     // schedules that fail a property that is always required
  std::vector<std::string> unjudged = {};  // schedules that are too large to be judged here
  std::vector<std::string> untimed = {};   // contenders that a limit or an interrupt left out
  std::string why = {};                    // it did

  /// The sizes as they are shown.
  std::vector<double> shown_sizes() const;
};

/// What the sizes are of, the times, who is the fastest where, and which schedules are wrong or weren't judged or
/// timed.
std::string text_of(const Timed& timed);

/// A line for each size and version, with a head.
std::vector<std::vector<std::string>> csv_rows(const Timed& timed);

/// The sizes of the JSON document, docs/schema/cost.schema.json.
Json sizes_json(const Timed& timed);

}  // namespace onceover::cli
