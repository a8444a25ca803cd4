// What the first steps of a formula of peers reach, as formulas in the step: guessed from small s.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "proofs/peer_family.h"

namespace onceover::proofs {

/// Coefficients of 3 x(s) = a 2^s + b s + c, for even and for odd s.
struct StepFit {
  std::array<std::array<std::int64_t, 3>, 2> of_parity;

  /// 3 x(s) as a sentence, whose variables s, parity and pw = 2^s are followed by `suffix`.
  std::string text(std::string_view suffix) const;

  std::int64_t at(int s) const;  // 3 x(s)
};

/// Before step s an even rank has reached the offsets lo(s) .. hi(s).
struct PeerReach {
  StepFit lo;
  StepFit hi;
};

/// f(s) for s = 0, 1, .. with its sign for even ranks, in the first 40 steps, while it has values below 2^45.
std::vector<std::int64_t> first_offsets(const Formula& peer);

/// The interval that grows with these offsets, of a reflection or a shift; or why there is none, in a sentence. Nothing
/// is proved by that: the fits meet the first steps. O(steps).
tl::expected<PeerReach, std::string> reach_of(PeerFamily family, const std::vector<std::int64_t>& offsets);

}  // namespace onceover::proofs
