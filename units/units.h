// Units of a gate: one subject at one number of ranks each. A unit is the smallest part that is judged, filtered and
// cached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/library_table.h"
#include "subjects/subject.h"
#include "units/check.h"

namespace onceover::units {

struct Unit {
  const Check* check;
  std::string id;    // "catalogue/swing/allreduce/p=7": stable and unique
  std::string text;  // "swing allreduce, p = 7"
  SubjectOptions subject;
  std::string source = {};                   // of code: its file
  std::optional<std::int64_t> size = {};     // of a launch of GPU kernels: n, if it has one
  std::optional<code::LibraryRow> row = {};  // of an algorithm of a library

  /// The file that is judged; empty if there is none.
  const std::string& file() const { return source.empty() ? subject.file : source; }
};

/// An error if the checks may have more than a million units together.
Result<void> check_count(const Checks& gate);

/// All units of all checks, in the order of the file, then by algorithm, collective, settings and shape. It is an error
/// if a check has no units, or if a named algorithm is outside its domain; "all" takes only rows and shapes inside the
/// domains. The units refer to the checks of `gate`.
Result<std::vector<Unit>> units_of(const Checks& gate);

/// Does the unit's id match the pattern? A pattern with * ? or [ must match the whole id, any other a part of it.
bool matches(const Unit& unit, const std::string& pattern);

/// The command that judges the unit alone, "verify --algo swing --p 7 --limit 'steps <= 5'". `folder` is the gate
/// file's folder: "" or with a slash at the end.
std::string command_of(const Unit& unit, const std::string& folder = "", const std::vector<std::string>& limits = {});

/// The command that judges the unit alone as a part of its gate, with the baseline if its name isn't empty.
std::string gate_command_of(const Unit& unit, const std::string& gate, const std::string& baseline);

/// A file that a gate names, as seen from outside the gate's folder `folder`.
std::string path_from(const std::string& folder, const std::string& file);

}  // namespace onceover::units
