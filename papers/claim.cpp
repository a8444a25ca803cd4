#include "papers/claim.h"

#include <algorithm>

namespace onceover::papers {

std::string_view title(Paper paper) {
  switch (paper) {
    case Paper::swing:
      return "Swing: Short-cutting Rings for Higher Bandwidth Allreduce (De Sensi, Bonato, Saam, Hoefler)";
    case Paper::generalized:
      return "A Generalization of the Allreduce Operation (Kolmakov, Zhang)";
    case Paper::bucket:
      return "Optimal Bucket Algorithms for Large MPI Collectives on Torus Interconnects (Jain, Sabharwal)";
    case Paper::pat:
      return "PAT: a new algorithm for all-gather and reduce-scatter operations at scale (Jeaugey)";
    case Paper::report:
      return "Ring and recursive halving/doubling allreduce, a class report (Poduval, Kumar)";
  }
  return "";
}

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> joined;
    for (const auto part : {swing_claims, generalized_claims, bucket_claims, pat_claims, report_claims})
      for (Claim& claim : part()) joined.push_back(std::move(claim));
    return joined;
  }();
  return all;
}

const Claim* find_claim(std::string_view id) {
  const auto& all = claims();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Claim& c) { return c.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace onceover::papers
