// The kinds of formulas of peers that a proof for every p is known for, and what their first steps reach.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "schedules/peer_schedule.h"

namespace onceover::proofs {

/// f(s) is whatever doesn't depend on r and p.
enum class PeerFamily : std::uint8_t {
  reflection,    // even r: r + f(s), odd r: r - f(s), f(s) odd; even p, and odd p unless it runs as written
  mixed,         // the same, f(0) odd and else even; even p
  shift,         // r + f(s); every p
  exclusive_or,  // r xor f(s); p = 2^a
};

std::string_view name(PeerFamily family);

/// "every p", "p = 2^a": for which p a rule of the family is proved, of those for which it has values in 64 bits.
std::string_view domain(PeerFamily family, const PeerRule& rule);

/// Is p in that domain?
bool is_in_domain(PeerFamily family, const PeerRule& rule, Rank p);

/// A formula of one of the families.
struct PeerForm {
  PeerFamily family;

  /// f(s), with its sign for even ranks, as a sentence in s, parity = s mod 2, pw = 2^s and rho = rho(s). Nothing if it
  /// has functions that these don't express.
  std::optional<std::string> f;
};

/// The family as the formula is written: `s + r` is a shift, `r + 1 + s` is none, for its sums nest otherwise.
std::optional<PeerForm> family_form(const Formula& peer);

// What the first steps reach, as formulas in the step: guessed from small s.

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
