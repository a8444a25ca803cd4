// What the steps before s reach is an interval lo .. hi of offsets. A step joins it with its image: in a reflection
// offset d becomes f(s) - d, in a shift d + f(s). In a reflection the two must be side by side; in a shift they may
// overlap, too. So no gap is left.
//
// Example: f(s) = rho(s) = 1, -1, 3, .. reflected: 0..0, then 0..1 (1 = 2 hi + 1), then -2..1 (-1 = 2 lo - 1), then
// -2..5. The values for s = 0, 1, .. give lo and hi as (a 2^s + b s + c) / 3, for even and for odd s; the solver shows
// that they hold for all s.
//
// For even s and for odd s, three values determine a, b and c; the others only confirm them. It ends after 40 steps at
// most. In each the interval at most doubles, so no sum overflows.

#include "proofs/peer_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/try.h"

namespace onceover::proofs {

namespace {

using Number = std::int64_t;

constexpr int observed_steps = 40;

/// Values beyond this are none that f(s) has in the first steps.
constexpr Number most_observed = Number{1} << 45;

/// Fewer values say too little.
constexpr std::size_t least_observed = 12;

/// The fit through x(0), x(1), .., if there is one with whole numbers that all of them meet.
std::optional<StepFit> fit_of(const std::vector<Number>& x) {
  StepFit fit{};
  for (const int first : {0, 1}) {
    // With s = first, first + 2, first + 4 the powers are w, 4w, 16w: second differences leave 9 a w.
    // Where no whole numbers fit, quotients are cut off, and what comes of them is not x.
    const auto s = static_cast<std::size_t>(first);
    const Number w = Number{1} << first;
    const Number y0 = 3 * x[s], y1 = 3 * x[s + 2], y2 = 3 * x[s + 4];
    const Number second = y2 - 2 * y1 + y0;
    const Number a = second / (9 * w);
    const Number b = (y1 - y0 - 3 * a * w) / 2;
    fit.of_parity[s] = {a, b, y0 - a * w - b * first};
  }
  for (std::size_t s = 0; s < x.size(); ++s)
    if (fit.at(static_cast<int>(s)) != 3 * x[s]) return std::nullopt;
  return fit;
}

struct Intervals {
  std::vector<Number> lo{0};
  std::vector<Number> hi{0};
};

/// How the interval grows with the offsets, or at which step it doesn't.
tl::expected<Intervals, std::string> grow(PeerFamily family, const std::vector<Number>& offsets) {
  Intervals grown;
  for (std::size_t s = 0; s < offsets.size(); ++s) {
    const Number f = offsets[s], lo = grown.lo.back(), hi = grown.hi.back();
    const bool reflects = family == PeerFamily::reflection;
    if (reflects && f != 2 * hi + 1 && f != 2 * lo - 1)
      return tl::unexpected(
          fmt::format("at step {} f is {}; the offsets reached so far are {} .. {}, so f should be {} or {}", s, f, lo,
                      hi, 2 * hi + 1, 2 * lo - 1));
    if (!reflects && (f == 0 || std::abs(f) > hi - lo + 1))
      return tl::unexpected(fmt::format(
          "at step {} f is {}; the offsets reached so far are {} .. {}, so f should be at most {} in size, and not 0",
          s, f, lo, hi, hi - lo + 1));
    grown.lo.push_back(std::min(lo, reflects ? f - hi : lo + f));
    grown.hi.push_back(std::max(hi, reflects ? f - lo : hi + f));
  }
  return grown;
}

}  // namespace

std::string StepFit::text(std::string_view suffix) const {
  const std::array names{fmt::format("*pw{}", suffix), fmt::format("*s{}", suffix), std::string()};
  auto part = [&](const std::array<Number, 3>& k) {
    std::string sum;
    for (std::size_t n = 0; n < 3; ++n)
      if (k[n] != 0) sum += fmt::format("{}{}{}", sum.empty() ? "" : " + ", k[n], names[n]);
    return sum.empty() ? "0" : sum;
  };
  if (of_parity[0] == of_parity[1]) return fmt::format("({})", part(of_parity[0]));
  return fmt::format("(parity{} == 0 ? {} : {})", suffix, part(of_parity[0]), part(of_parity[1]));
}

std::int64_t StepFit::at(int s) const {
  const auto& k = of_parity[static_cast<std::size_t>(s % 2)];
  return k[0] * (Number{1} << s) + k[1] * s + k[2];
}

std::vector<std::int64_t> first_offsets(const Formula& peer) {
  std::vector<Number> values;
  for (Number s = 0; s < observed_steps; ++s) {
    const std::array<Number, 3> of_rank_0{0, s, Number{1} << 61};
    const auto value = peer.evaluate(of_rank_0);
    if (!value || *value > most_observed || *value < -most_observed) break;
    values.push_back(*value);
  }
  return values;
}

tl::expected<PeerReach, std::string> reach_of(PeerFamily family, const std::vector<std::int64_t>& offsets) {
  const auto grown = TRY(grow(family, offsets));
  if (grown.lo.size() < least_observed) return tl::unexpected(std::string("f(s) has no value at some early step"));
  const auto lo = fit_of(grown.lo), hi = fit_of(grown.hi);
  if (!lo || !hi)
    return tl::unexpected(
        std::string("the ends of the interval that s steps reach are not (a 2^s + b s + c) / 3 with whole a, b and c"));
  return PeerReach{*lo, *hi};
}

}  // namespace onceover::proofs
