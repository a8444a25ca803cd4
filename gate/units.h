// The units of a gate: one subject at one number of ranks each, the least that is judged, filtered, and cached.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/gate.h"
#include "subjects/subject.h"

namespace onceover::gate {

struct Unit {
  const Check* check;
  std::string id;    // "catalogue/swing/allreduce/p=7": stable, and no other's
  std::string text;  // "swing allreduce, p = 7"
  SubjectOptions subject;
};

/// An error if the checks may have more than a million units in all.
Result<void> check_count(const Gate& gate);

/// All units of all checks, in the order of the file, by algorithm, collective, settings and shape. A check without
/// units is an error, as is a named algorithm outside its domain; "all" takes those rows and shapes that are in it.
/// The units refer to the checks of `gate`.
Result<std::vector<Unit>> units_of(const Gate& gate);

/// Does the unit's id match the pattern, in whole if there is one of * ? [ in it, else in part?
bool matches(const Unit& unit, const std::string& pattern);

/// The command that judges the unit alone, "verify --algo swing --p 7 --limit 'steps <= 5'", where the gate file's
/// folder is called `folder`: "" or with a slash at the end.
std::string command_of(const Unit& unit, const std::string& folder = "", const std::vector<std::string>& limits = {});

/// The command that judges the unit alone as a part of its gate, with that baseline if it has a name.
std::string gate_command_of(const Unit& unit, const std::string& gate, const std::string& baseline);

/// A file that a gate names, as seen from where its folder is called that.
std::string path_from(const std::string& folder, const std::string& file);

}  // namespace onceover::gate
