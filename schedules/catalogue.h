// The catalogue: one row per algorithm, from which `verify list`, the docs and the tests are made.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/patterned_schedule.h"
#include "schedules/schedule.h"

namespace onceover {

/// What the user asks of an algorithm.
struct Request {
  Collective collective = Collective::allreduce;
  Rank ranks = 1;
};

/// A row: how an algorithm is named, what it is, where it is right, and how it is made.
struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::string_view source;                  // paper and section
  std::span<const Collective> collectives;  // the first one is the default
  std::string_view domain;                  // for which requests, in words
  std::string_view steps;                   // how many, in words
  std::string_view description;             // the docstring that `verify list NAME` prints

  /// Why the request is outside the domain, or nothing. Called only for ranks in 1 .. max_ranks and a collective
  /// of the row.
  std::optional<std::string> (*outside)(const Request&);

  /// The schedule. Called only for requests that aren't refused.
  SchedulePtr (*make)(const Request&);
};

/// All rows, sorted by name.
std::span<const Algorithm> catalogue();

/// The row of that name, or null.
const Algorithm* find_algorithm(std::string_view name);

/// Why the row has no schedule for the request: it doesn't offer the collective, or the domain excludes it.
std::optional<std::string> refusal(const Algorithm& algorithm, const Request& request);

/// "allreduce, reduce-scatter, allgather": what the row offers.
std::string collective_list(const Algorithm& algorithm);

}  // namespace onceover
