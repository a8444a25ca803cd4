// The files of claims that come with the program: papers/claims/, put into it by embed_claims.cmake.
#pragma once

#include <span>
#include <string>

#include "base/namespaces.h"

namespace onceover::papers {

struct ClaimFile {
  std::string name;  // "papers/claims/swing.toml"
  std::string text;
};

/// By paper.
std::span<const ClaimFile> claim_files();

}  // namespace onceover::papers
