// Peers by offsets, whatever formula these come from: the theorems of coq/Offsets.v, and which of them some peers are
// of.
#pragma once

#include "proofs/routes/kernel.h"

namespace onceover::proofs {

inline constexpr KernelTheorem doublings_once{
    "doublings_once", "Offsets.v",
    "even ranks move by f(s) and odd ones by -f(s), mod p. If each f(s) is beside the interval of offsets reached "
    "before it, on either side, a reduce-scatter, an allgather and an allreduce are exactly once for every even p up "
    "to 2^n with n steps, and for p + 1 with the last rank apart",
    "forall f n p, (forall s, s < n -> beside f s) -> 0 < p -> Nat.Even p -> p <= 2 ^ n ->\n"
    "  peers_once p n (reflecting f p)"};
inline constexpr KernelTheorem renamed_once{"renamed_once", "Offsets.v",
                                            "the same holds if an even number is added to all f(s)",
                                            "forall f c n p, (forall s, s < n -> beside f s) -> BinInt.Z.even c = true "
                                            "-> 0 < p -> Nat.Even p -> p <= 2 ^ n ->\n"
                                            "  peers_once p n (reflecting (fun s => BinInt.Z.add (f s) c) p)"};
inline constexpr KernelTheorem powers_once{"powers_once", "Offsets.v",
                                           "all ranks move by f(s), mod p. If f(0) .. f(n-1) are 1, 2, 4, .. in any "
                                           "order, with any signs, a reduce-scatter, an "
                                           "allgather and an allreduce are exactly once for every p up to 2^n",
                                           "forall f n p, powers (map f (seq 0 n)) 0 n -> 0 < p -> p <= 2 ^ n ->\n"
                                           "  all_once (peer_factor p n (shifting f p))"};
inline constexpr KernelTheorem mixed_once{
    "mixed_once", "Offsets.v",
    "even ranks move by f(s) and odd ones by -f(s), mod p. If one f(s) is odd and the others are 2, 4, 8, .. in any "
    "order, with any signs, a reduce-scatter, an allgather and an allreduce are exactly once for every even p up to "
    "2^n "
    "with n steps",
    "forall f m n p, m < n -> BinInt.Z.odd (f m) = true -> powers (map f (without_meeting n m)) 1 (n - 1) ->\n"
    "  0 < p -> Nat.Even p -> p <= 2 ^ n -> all_once (peer_factor p n (reflecting f p))"};
inline constexpr KernelTheorem flips_once{
    "flips_once", "Offsets.v",
    "for p = 2^a, peers r xor f(s), where bit s is the highest of f(s), make a reduce-scatter, an allgather and an "
    "allreduce that are exactly once",
    "forall f a, (forall s, 2 ^ s <= f s < 2 ^ S s) -> all_once (peer_factor (2 ^ a) a (flipped f))"};

/// Whom ranks 0 .. running-1 meet at each step. One more rank may be apart.
struct Meetings {
  Rank running;
  int steps;
  bool last_rank_apart;
  Peer peer;
};

/// A theorem that covers them, and the routes of its function.
struct OffsetsRun {
  const KernelTheorem* theorem;
  std::string_view domain;  // of which p and offsets, in words
  RoutesPtr routes;
};

/// All that cover them: two ranks are of several families. None if there are more than 40 steps. O(ranks * steps), and
/// what the routes take.
std::vector<OffsetsRun> offsets_runs(const Meetings& meetings);

}  // namespace onceover::proofs
