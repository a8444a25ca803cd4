// Reads trials: tables in files of claims that say how a sentence is tried.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/toml.h"
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

/// The evidence that a table describes, or each of a list of tables. If a table doesn't name a subject of its own, it
/// takes the keys that it lacks from `claim`, unless that is null. Mistakes in a table go to `in`. The returned failure
/// is one that only the algorithms can find, such as a number of ranks outside a domain.
Result<std::vector<Evidence>> read_trials(KeyReader& in, const std::string& name, const std::string& text,
                                          const TomlValue& value, ClaimTable* claim);

}  // namespace onceover::papers
