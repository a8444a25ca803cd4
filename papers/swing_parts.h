// The claims of the Swing paper, by its sections.
#pragma once

#include <vector>

#include "papers/claim.h"

namespace onceover::papers {

std::vector<Claim> swing_background_claims();
std::vector<Claim> swing_line_claims();
std::vector<Claim> swing_tori_claims();
std::vector<Claim> swing_evaluation_claims();
std::vector<Claim> swing_appendix_claims();

}  // namespace onceover::papers
