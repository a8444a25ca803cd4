// Reads trials: tables in files of claims that say how a sentence is tried.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gate/keys.h"
#include "papers/evidence.h"

namespace onceover::papers {

/// A text of one line, which may be printed as it is.
std::string read_plain(KeyReader& in, const TomlValue& value);

/// The keys that a trial may have.
std::vector<std::string_view> trial_key_names();

/// The keys of a claim, and those that trials have used.
struct ClaimTable {
  const TomlTable& keys;
  std::set<std::string_view> taken = {};
};

/// The evidence that a table describes, or each of a list of tables. Keys that they lack come from `claim`, if there is
/// one, unless they name a subject of their own. Mistakes in a table go to `in`. The failure returned is one that only
/// the algorithms tell, such as a number of ranks that an algorithm is not for.
Result<std::vector<Evidence>> read_trials(KeyReader& in, const std::string& name, const std::string& text,
                                          const TomlValue& value, ClaimTable* claim);

}  // namespace onceover::papers
