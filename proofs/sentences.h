// Lists of sentences, as the hypotheses of obligations are.
#pragma once

#include <string_view>
#include <vector>

namespace onceover::proofs {

using Sentences = std::vector<std::string_view>;

inline Sentences operator+(Sentences a, const Sentences& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace onceover::proofs
