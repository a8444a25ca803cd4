// Files of claims: papers/claims/ has ours, and users write their own. docs/claims-file.md says what stands in them.
#pragma once

#include <string>
#include <vector>

#include "papers/claim.h"

namespace onceover::papers {

/// Reads the text of a file of claims called `name`. What is wrong is said with line and column, and is a usage error.
Result<std::vector<Claim>> read_claims(const std::string& name, const std::string& text);

}  // namespace onceover::papers
