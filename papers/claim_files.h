// The files of claims that come with the program. embed_claims.cmake puts papers/claims/ into it.
#pragma once

#include <span>
#include <string>

#include "base/namespaces.h"

namespace onceover::papers {

struct ClaimFile {
  std::string name;  // "papers/claims/swing.toml"
  std::string text;
};

/// One file a paper.
std::span<const ClaimFile> claim_files();

}  // namespace onceover::papers
