// Reads files of claims: ours in papers/claims/, and those of users. docs/claims-file.md lists the keys.
#pragma once

#include <string>
#include <vector>

#include "papers/claim.h"

namespace onceover::papers {

/// Reads the text of a file of claims called `name`. A mistake is a usage error with line and column.
Result<std::vector<Claim>> read_claims(const std::string& name, const std::string& text);

}  // namespace onceover::papers
