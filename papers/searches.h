// Named evidence: searches in C++ for what limits and formulas can't express. Files of claims refer to them by name.
#pragma once

#include <string_view>
#include <vector>

#include "papers/evidence.h"

namespace onceover::papers {

struct NamedEvidence {
  std::string_view name;  // "swing-figure-6"
  Evidence evidence;
};

/// All named evidence.
const std::vector<NamedEvidence>& named_evidence();

// The evidence of each paper is beside its searches; Swing's is in the table itself.
std::vector<NamedEvidence> bucket_searches();
std::vector<NamedEvidence> generalized_searches();
std::vector<NamedEvidence> pat_searches();
std::vector<NamedEvidence> report_searches();

// Lower bounds, which several papers have.
std::vector<NamedEvidence> small_searches();

}  // namespace onceover::papers
