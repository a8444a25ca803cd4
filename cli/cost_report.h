// The times of `verify cost` as a table and as CSV, and their sizes as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "network/least_time.h"
#include "schedules/types.h"
#include "subjects/comparison.h"

namespace onceover::cli {

/// A comparison, and its conditions.
struct Timed {
  Comparison comparison;
  std::optional<Collective> collective;
  std::string network;
  double peak;  // goodput in Gb/s that no algorithm can exceed; 0: unknown
  Rank ranks;
  int ports = 0;
  Rank per_vector = 1;                     // how many ranks' data make up the vector
  bool splits = false;                     // does the network split flows, other than a grid?
  bool are_per_rank = false;               // are the sizes shown those of one rank's data, not of the vector?
  std::vector<std::string> wrong = {};     // schedules that fail a property that is always required
  std::vector<std::string> unjudged = {};  // schedules too large to be judged here
  std::vector<std::string> untimed = {};   // contenders that a limit or an interrupt left out
  std::string why = {};                    // why it left them out
  std::optional<LeastTime> least = {};     // of any schedule; none if one is wrong

  /// The time of the fastest contender over the least time.
  double times_least(std::size_t size) const;

  /// The sizes as the table shows them.
  std::vector<double> shown_sizes() const;
};

/// The text: what the sizes are of, the times, the fastest contenders, and the schedules that are wrong, weren't judged
/// or weren't timed.
std::string text_of(const Timed& timed);

/// A heading, and a row for each size and version.
std::vector<std::vector<std::string>> csv_rows(const Timed& timed);

/// The sizes of the JSON document, docs/schema/cost.schema.json.
Json sizes_json(const Timed& timed);

}  // namespace onceover::cli
