// Trials as they stand in files of claims: tables that say how a sentence is tried.
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

/// The keys of a claim, and those that trials took from it.
struct ClaimTable {
  const TomlTable& keys;
  std::set<std::string_view> taken = {};
};

/// The evidence that a table describes, or each of a list of tables. What they don't say they take from
/// `claim`, if there is one, unless they name a subject of their own. What is wrong in a table is said to `in`; the
/// failure is what only looking at the algorithms tells, such as a number of ranks that one isn't for.
Result<std::vector<Evidence>> read_trials(KeyReader& in, const std::string& name, const std::string& text,
                                          const TomlValue& value, ClaimTable* claim);

}  // namespace onceover::papers
