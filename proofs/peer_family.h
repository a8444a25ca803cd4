// The kinds of formulas of peers that a proof for every p is known for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace onceover::proofs
