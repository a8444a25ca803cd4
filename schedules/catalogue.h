// The catalogue: one row per algorithm, from which `verify list`, the docs and the tests are made.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::schedules {

/// What the user asks of an algorithm. `shape` are the sides of the torus; a line is a torus of one side.
struct Request {
  Collective collective = Collective::allreduce;
  std::vector<Rank> shape = {1};
  bool all_lanes = false;  // one lane for each of the torus' ports, rather than one
  std::map<std::string, std::string, std::less<>> settings = {};  // parameters of the row, as the user wrote them

  Rank ranks() const;
  int dimensions() const { return static_cast<int>(shape.size()); }
};

/// A request for a line of ranks, with everything else preset.
inline Request on_line(Collective collective, Rank ranks) {
  return {.collective = collective, .shape = {ranks}};
}

/// "p = 7" or "torus 4x6".
std::string shape_text(const std::vector<Rank>& shape);

/// A parameter of an algorithm, given as `--set name=value`: one of `choices`, or a number from `least` to `most`; with
/// neither, a text that the algorithm's domain judges.
struct Parameter {
  std::string_view name;
  std::string_view summary;
  std::string_view preset;                         // the value where none is given
  std::span<const std::string_view> choices = {};  // empty: a number
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool is_free() const { return choices.empty() && most == 0; }
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
  bool on_tori = false;                     // takes shapes of several sides
  bool has_lanes = false;                   // takes all lanes
  std::span<const Parameter> parameters = {};
  bool as_printed = false;  // a text that is wrong, kept to show it: fails, or sends in vain

  /// Why the request is outside the domain, or nothing. Called only for requests that fit the fields above.
  std::optional<std::string> (*outside)(const Request&);

  /// The schedule. Called only for requests that aren't refused.
  SchedulePtr (*make)(const Request&);
};

/// All rows, sorted by name.
std::span<const Algorithm> catalogue();

/// The row of that name, or null.
const Algorithm* find_algorithm(std::string_view name);

/// Why the row has no schedule for the request: it doesn't offer the collective, the shape, the lanes or a setting, or
/// its domain excludes it.
std::optional<std::string> refusal(const Algorithm& algorithm, const Request& request);

/// "allreduce, reduce-scatter, allgather": what the row offers.
std::string collective_list(const Algorithm& algorithm);

/// "near or far", "a number from 1 to 4096": what a parameter may be.
std::string values_text(const Parameter& parameter);

}  // namespace onceover::schedules
