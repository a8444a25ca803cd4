// Claims of the Swing paper: De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting Rings for Higher Bandwidth
// Allreduce", 2024.
#include "papers/swing_parts.h"

namespace onceover::papers {

std::vector<Claim> swing_claims() {
  std::vector<Claim> all;
  for (const auto part :
       {swing_background_claims, swing_line_claims, swing_tori_claims, swing_evaluation_claims, swing_appendix_claims})
    for (Claim& claim : part()) all.push_back(std::move(claim));
  return all;
}

}  // namespace onceover::papers
