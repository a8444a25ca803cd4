// Measurement: what the verifier and the network find for a unit. It is kept from run to run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "units/units.h"

namespace onceover::units {

/// The rule for calls of code that don't come to their end, or leave something behind.
inline constexpr std::string_view fault_rule = "fault";

/// A place in the subject's file or in another, and what happens there.
struct FlowStep {
  std::size_t line;
  std::size_t column;  // 0: none
  std::string text;
  std::string file = {};  // empty: the subject's
};

/// The way that data took, message by message, or operations that wait for one another.
using Flow = std::vector<FlowStep>;

/// The finding on a required property.
struct PropertyFinding {
  std::string id;
  Verdict verdict;
  std::string summary;
  std::vector<std::string> counterexample = {};  // in sentences, the headline first
  std::size_t line = 0;                          // in the subject's file; 0: none
  std::size_t column = 0;                        // of the line; 0: none
  std::string file = {};                         // whose line it is; empty: the subject's
  std::vector<Flow> flows = {};                  // of the counterexample, as far as files have lines
};

/// Text in place of a part of the subject's file: from a line and column up to, not including, another; all from 1.
struct FileEdit {
  std::size_t line;
  std::size_t column;
  std::size_t end_line;
  std::size_t end_column;
  std::string text;
};

/// The change that makes a schedule right which isn't exactly once.
struct FoundRepair {
  std::vector<std::string> text;     // lines, the first with "repair: "
  std::vector<FileEdit> edits = {};  // the subject's file passes after them; empty: no such file, or it doesn't
};

struct Measurement {
  std::string scope = {};                        // the blocks on which the verdict rests
  std::vector<std::string> not_tried = {};       // what a pass leaves out that a user may take to be judged
  std::vector<PropertyFinding> properties = {};  // the required ones
  std::vector<std::string> unrequired = {};      // ids of properties that fail and aren't required
  std::vector<std::string> waived = {};          // ids of properties that are required unless the gate waives them
  Measures measures = {};
  std::optional<FoundRepair> repair = {};  // of a schedule
  std::vector<std::string> notes = {};
  std::optional<Collective> collective = {};  // the subject's own; nothing: it names none
  std::optional<Failure> failure = {};        // why there is nothing to judge
  bool is_cached = false;                     // did an earlier run find all this?

  /// Notes the ids of what fails without being required, and of what is waived.
  void take_unrequired(std::span<const PropertyResult> all);

  /// Fail if a property fails, else unknown if one is unknown or nothing could be judged.
  Verdict verdict() const;
};

/// What a measurement depends on: the unit, and the content of its subject's file.
struct Material {
  const Unit& unit;
  std::string file_text;
};

/// Reads the unit's file, if it has one.
Result<Material> material_of(const Unit& unit);

/// Judges the unit and measures it.
Measurement measure(const Material& material, const Wanted& wanted, int threads);

/// Everything that `measure` depends on besides the program itself, in full, with the contents of files. Nothing if
/// that can't be known: a command may print anything, and code may include any header. Limits are left out, because
/// they are always judged anew, from exact measures. `measure` reads a network's files again, so the key is valid only
/// if it is the same before and after.
std::optional<std::string> key_of(const Material& material, const Wanted& wanted);

Json to_json(const FileEdit& edit);
Json to_json(const Measurement& measurement);

/// Reads what `to_json` makes; nothing for any other JSON.
std::optional<Measurement> measurement_from(const Json& json);

}  // namespace onceover::units
