// What the verifier and the network say of a unit: the part of a result that is kept from run to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/units.h"

namespace onceover::gate {

/// What judging a required property came to.
struct PropertyFinding {
  std::string id;
  Verdict verdict;
  std::string summary;
  std::vector<std::string> counterexample = {};  // in sentences, the headline first
  std::size_t line = 0;                          // of the subject's file; 0: none
};

struct Measurement {
  std::string scope = {};                        // which blocks the verdict rests on
  std::vector<PropertyFinding> properties = {};  // those that are required
  Measures measures = {};
  std::vector<std::string> notes = {};
  std::optional<Collective> collective = {};  // that the subject says it is for; nothing: it doesn't say
  std::optional<Failure> failure = {};        // there is nothing to judge, for this reason
  bool is_cached = false;                     // an earlier run found all this

  /// Fail if a property fails, else unknown if one is unknown or nothing could be judged.
  Verdict verdict() const;
};

/// What a measurement rests on: the unit, and where its subject is a file, what is in that.
struct Material {
  const Unit& unit;
  std::string file_text;
};

/// Reads the unit's file, if it is about one.
Result<Material> material_of(const Unit& unit);

/// Judges the unit and measures it.
Measurement measure(const Material& material, Wanted wanted, int threads);

/// Everything that `measure` depends on besides the program itself, in full, the contents of files included; nothing
/// where that can't be told: a command may print anything. Limits are not in it: they are judged anew, from exact
/// measures. A network's files are read again by `measure`, so the key holds if it is the same after as before.
std::optional<std::string> key_of(const Material& material, Wanted wanted);

Json to_json(const Measurement& measurement);

/// Reads what `to_json` makes; nothing if it is anything else.
std::optional<Measurement> measurement_from(const Json& json);

}  // namespace onceover::gate
