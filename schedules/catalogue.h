// The catalogue: one row for each algorithm. `verify list`, the pages and the tests are made from it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::schedules {

/// What the user asks of an algorithm. `shape` lists the sides of the torus; a line has one side.
struct Request {
  Collective collective = Collective::allreduce;
  std::vector<Rank> shape = {1};
  bool all_lanes = false;  // one lane for each port of the torus, not a single one
  std::map<std::string, std::string, std::less<>> settings = {};  // by parameter, as the user wrote them
  Rank root = 0;                                                  // rooted collectives only

  Rank ranks() const;
  int dimensions() const { return static_cast<int>(shape.size()); }
};

/// A request for a line of ranks, with everything else preset.
inline Request on_line(Collective collective, Rank ranks) {
  return {.collective = collective, .shape = {ranks}};
}

/// "p = 7" or "torus 4x6".
std::string shape_text(const std::vector<Rank>& shape);

/// A parameter of an algorithm, given as `--set name=value`: one of `choices`, or a number from `least` to `most`. If
/// it has neither, any text is allowed and the algorithm's domain judges it.
struct Parameter {
  std::string_view name;
  std::string_view summary;
  std::string_view preset;                         // the value if the user gives none
  std::span<const std::string_view> choices = {};  // empty: a number, or free text
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool is_free() const { return choices.empty() && most == 0; }
};

/// How many bytes the busiest rank sends in a collective, on a line of two ranks or more and without settings: a
/// formula of formula.h in p; `size`, the bytes of a vector (alltoall: of all that a rank sends); and q, the largest
/// power of two up to p.
struct Volume {
  Collective collective;
  std::string_view formula;
  bool is_exact = true;  // or it sends at most that
};

/// A row: an algorithm's name, what it is, where it is right, and how its schedule is made.
struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::string_view source;                  // paper and section
  std::span<const Collective> collectives;  // the first one is the default
  std::string_view domain;                  // the requests that it takes, in words
  std::string_view steps;                   // the number of steps, in words
  std::span<const Volume> volumes = {};     // of each collective; of none if the row is wrong as printed
  std::string_view description;             // the docstring that `verify list NAME` prints
  bool on_tori = false;                     // takes shapes with several sides
  bool has_lanes = false;                   // can run on all lanes
  std::span<const Parameter> parameters = {};
  bool is_composed = false;  // its settings name other rows, of which it is made
  bool as_printed = false;   // a wrong text, kept to show that it fails or sends in vain

  /// Why the request is outside the domain; nothing if it is inside. Called only for requests that fit the fields
  /// above.
  std::optional<std::string> (*outside)(const Request&);

  /// Makes the schedule. Called only for requests that `refusal` accepts.
  SchedulePtr (*make)(const Request&);
};

/// All rows, sorted by name.
std::span<const Algorithm> catalogue();

/// The row with that name, or null.
const Algorithm* find_algorithm(std::string_view name);

/// Why the row has no schedule for the request: it lacks the collective, the shape, the lanes, the root or a setting,
/// or its domain excludes the request. Nothing if it has one.
std::optional<std::string> refusal(const Algorithm& algorithm, const Request& request);

/// "allreduce, reduce-scatter, allgather": the row's collectives.
std::string collective_list(const Algorithm& algorithm);

/// "near or far", "a number from 1 to 4096": the values that a parameter takes.
std::string values_text(const Parameter& parameter);

}  // namespace onceover::schedules
