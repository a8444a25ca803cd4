// The theorems are about whole numbers f(0), f(1), .. that ranks move by; peers are known mod p only. So numbers are
// looked for that have the same residues and are as a theorem asks. Each theorem asks for numbers of which few have the
// same residue, so that the first ones that fit are taken. Peers by these numbers are then compared with the formula's.
//
// Example: at p = 6, f = 1, 5, 3 are 1, -1, 3 mod 6, each beside the offsets reached before: 0, then 0 .. 1, then
// -2 .. 1.
//
// A wrong find makes no wrong citation: the conditions are checked of the very numbers that the routes are made of.

#include "proofs/routes/offsets.h"

#include <algorithm>
#include <array>

#include "proofs/routes/functions.h"

namespace onceover::proofs {

namespace {

using Number = std::int64_t;
using Numbers = std::vector<Number>;

/// So that 2^steps and what it is compared with are small.
constexpr int most_offset_steps = 40;

/// Offsets.v: reflecting, shifting
Peer reflecting(Numbers f, Rank p) {
  return [f = std::move(f), p](Rank x, int s) { return modulo(x % 2 == 0 ? x + f[at(s)] : x - f[at(s)], p); };
}

Peer shifting(Numbers f, Rank p) {
  return [f = std::move(f), p](Rank x, int s) { return modulo(x + f[at(s)], p); };
}

/// Numbers that are, with `added`, those of `residues` mod p, each beside the interval reached before it (Offsets.v:
/// beside).
std::optional<Numbers> doublings(const Numbers& residues, Number added, Rank p) {
  Numbers found;
  Number lo = 0, hi = 0;
  for (const Number residue : residues) {
    const std::array sides{2 * hi + 1, 2 * lo - 1};
    const auto next =
        std::find_if(sides.begin(), sides.end(), [&](Number f) { return modulo(f + added, p) == residue; });
    if (next == sides.end()) return std::nullopt;
    found.push_back(*next);
    const Number before = lo;
    lo = std::min(lo, *next - hi);
    hi = std::max(hi, *next - before);
  }
  return found;
}

/// Numbers of these residues: 2^first, 2^(first + 1), .., each once, in any order and with any signs (Offsets.v:
/// powers).
std::optional<Numbers> powers(const Numbers& residues, int first, Rank p) {
  Numbers left;
  for (std::size_t k = 0; k < residues.size(); ++k) left.push_back(Number{1} << (first + static_cast<int>(k)));
  Numbers found;
  for (const Number residue : residues) {
    const auto next = std::find_if(left.begin(), left.end(), [&](Number power) {
      return modulo(power, p) == residue || modulo(-power, p) == residue;
    });
    if (next == left.end()) return std::nullopt;
    found.push_back(modulo(*next, p) == residue ? *next : -*next);
    left.erase(next);
  }
  return found;
}

/// One odd number, and powers from 2 on (Offsets.v: mixed_once). p is even.
std::optional<Numbers> mixed(Numbers residues, Rank p) {
  const auto is_odd = [](Number f) { return f % 2 != 0; };
  const auto meeting = std::find_if(residues.begin(), residues.end(), is_odd);
  if (meeting == residues.end()) return std::nullopt;
  const auto place = meeting - residues.begin();
  const Number odd = *meeting;
  residues.erase(meeting);
  auto found = powers(residues, 1, p);
  if (found) found->insert(found->begin() + place, odd);
  return found;
}

class OffsetsFinder {
 public:
  explicit OffsetsFinder(const Meetings& meetings) : meetings_(meetings), p_(meetings.running) {}

  std::vector<OffsetsRun> find() {
    if (p_ < 2 || meetings_.steps > most_offset_steps || p_ > Number{1} << meetings_.steps) return {};
    for (int s = 0; s < meetings_.steps; ++s) residues_.push_back(meetings_.peer(0, s));
    std::vector<OffsetsRun> all;
    for (auto& run : {reflection(), shift(), flips()})
      if (run) all.push_back(run.value());
    return all;
  }

 private:
  std::optional<OffsetsRun> shift() const {
    const auto f = meetings_.last_rank_apart ? std::nullopt : powers(residues_, 0, p_);
    if (!f) return std::nullopt;
    return run(powers_once, "p <= 2^steps, offsets 1, 2, 4, .. in any order with any signs", shifting(*f, p_));
  }

  /// r xor f(s)
  std::optional<OffsetsRun> flips() const {
    if (meetings_.last_rank_apart || p_ != Number{1} << meetings_.steps) return std::nullopt;
    for (int s = 0; s < meetings_.steps; ++s)
      if (residues_[at(s)] >> s != 1) return std::nullopt;
    return run(flips_once, "p = 2^steps, r xor f(s), bit s the highest of f(s)",
               [this](Rank x, int s) { return x ^ static_cast<Rank>(residues_[at(s)]); });
  }

  std::optional<OffsetsRun> reflection() const {
    if (p_ % 2 != 0) return std::nullopt;
    if (const auto f = doublings(residues_, 0, p_))
      return run(doublings_once, "p <= 2^steps, each offset beside those reached", reflecting(*f, p_));
    for (const Number first : {1, -1}) {
      const Number added = residues_.front() - first;
      auto f = added % 2 == 0 ? doublings(residues_, added, p_) : std::nullopt;
      if (!f) continue;
      for (Number& each : *f) each += added;
      return run(renamed_once, "p <= 2^steps, offsets beside those reached, plus one even number",
                 reflecting(std::move(*f), p_));
    }
    const auto f = meetings_.last_rank_apart ? std::nullopt : mixed(residues_, p_);
    if (!f) return std::nullopt;
    return run(mixed_once, "even p <= 2^steps, one odd offset, and 2, 4, .. in any order with any signs",
               reflecting(*f, p_));
  }

  /// Nothing if these are not the formula's peers.
  std::optional<OffsetsRun> run(const KernelTheorem& theorem, std::string_view domain, const Peer& peer) const {
    for (int s = 0; s < meetings_.steps; ++s)
      for (Rank x = 0; x < p_; ++x)
        if (meetings_.peer(x, s) != peer(x, s)) return std::nullopt;
    RoutesPtr routes = along_peers(p_, meetings_.steps, p_, peer);
    if (meetings_.last_rank_apart) routes = with_odd_one(std::move(routes), half_turns(meetings_.steps, p_));
    return OffsetsRun{&theorem, domain, std::move(routes)};
  }

  const Meetings& meetings_;
  Rank p_;
  Numbers residues_;
};

}  // namespace

std::vector<OffsetsRun> offsets_runs(const Meetings& meetings) {
  return OffsetsFinder(meetings).find();
}

}  // namespace onceover::proofs
