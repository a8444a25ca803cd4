// The files of claims that are built into the program. embed_claims.cmake embeds papers/claims/.
#pragma once

#include <span>
#include <string>

#include "base/namespaces.h"

namespace onceover::papers {

struct ClaimFile {
  std::string name;  // "papers/claims/swing.toml"
  std::string text;
};

/// One file for each paper.
std::span<const ClaimFile> claim_files();

}  // namespace onceover::papers
