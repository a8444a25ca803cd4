// The table of evidence that has a name: what neither limits nor formulas can put is tried in C++, and the files of
// claims refer to it.
#pragma once

#include <string_view>
#include <vector>

#include "papers/evidence.h"

namespace onceover::papers {

struct NamedEvidence {
  std::string_view name;  // "swing-figure-6"
  Evidence evidence;
};

/// All of it.
const std::vector<NamedEvidence>& named_evidence();

// That of each paper, beside its searches; Swing's is in the table itself.
std::vector<NamedEvidence> bucket_searches();
std::vector<NamedEvidence> generalized_searches();
std::vector<NamedEvidence> pat_searches();
std::vector<NamedEvidence> report_searches();

}  // namespace onceover::papers
