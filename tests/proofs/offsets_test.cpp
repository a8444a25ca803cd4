// Formulas of the families of coq/Offsets.v are found, their schedules are those of the theorems, and none other is.

#include "proofs/routes/offsets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "schedules/peer_schedule.h"
#include "verifier/verify.h"

namespace offsets_test {

using namespace onceover::proofs;
using namespace onceover::verifier;

namespace {

PeerRule rule_of(const std::string& peer) {
  CAPTURE(peer);
  const auto formula = Formula::parse("--peer", peer, peer_variables());
  REQUIRE(formula);
  return {*formula};
}

Meetings meetings_of(const PeerTable& peers) {
  return {peers.running(), peers.steps(), peers.last_rank_apart(), [&](Rank r, int s) { return peers(r, s); }};
}

/// The theorems that are found, after their schedules were compared with the formula's; "": none.
std::string found(const PeerRule& rule, Rank p) {
  const PeerTable peers = *PeerTable::of(rule, p);
  std::vector<std::string_view> names;
  for (const OffsetsRun& run : offsets_runs(meetings_of(peers))) {
    for (const Collective c : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather}) {
      const auto made = make_peer_schedule(rule, c, p);
      REQUIRE(difference(*made->schedule, along(c, run.routes)).value_or("") == "");
      if (c == Collective::allreduce) REQUIRE(verify(*made->schedule, {.threads = 1}).verdict == Verdict::pass);
    }
    names.push_back(run.theorem->name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string found(const std::string& peer, Rank p) {
  CAPTURE(peer, p);
  return found(rule_of(peer), p);
}

/// "(s == 0 ? 1 : s == 1 ? -1 : 3)"
std::string cases(const std::vector<int>& f) {
  std::string text = "(";
  for (std::size_t s = 0; s + 1 < f.size(); ++s) text += fmt::format("s == {} ? {} : ", s, f[s]);
  return text + fmt::format("{})", f.back());
}

std::string reflected(const std::string& f) {
  return fmt::format("even(r) ? r + {0} : r - {0}", f);
}

/// 2^first, .., in all orders, with all signs.
std::vector<std::vector<int>> signed_powers(int first, int count) {
  std::vector<int> order;
  for (int k = 0; k < count; ++k) order.push_back(1 << (first + k));
  std::vector<std::vector<int>> all;
  do
    for (int signs = 0; signs < 1 << count; ++signs) {
      all.push_back(order);
      for (int k = 0; k < count; ++k)
        if ((signs >> k & 1) != 0) all.back()[static_cast<std::size_t>(k)] *= -1;
    }
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}

}  // namespace

TEST_CASE("offsets beside those reached: every choice of sides, for even p and with the last rank apart") {
  for (int sides = 0; sides < 1 << 4; ++sides) {
    std::vector<int> f;
    int lo = 0, hi = 0;
    for (int s = 0; s < 4; ++s) {
      f.push_back((sides >> s & 1) != 0 ? 2 * hi + 1 : 2 * lo - 1);
      const int before = lo;
      lo = std::min(lo, f.back() - hi);
      hi = std::max(hi, f.back() - before);
    }
    for (const Rank p : {10, 12, 14, 16}) {
      CHECK(found(reflected(cases(f)), p) == "doublings_once");
      CHECK(found(reflected(cases(f)), p - 1) == "doublings_once");
      const std::string moved = found(reflected("(" + cases(f) + " + p - 4)"), p);
      CHECK((moved == "renamed_once" || moved == "doublings_once"));  // some are of both
    }
  }
  CHECK(found(reflected("(rho(s) + 2)"), 64) == "renamed_once");
  CHECK(found(reflected("(rho(s) + 2)"), 63) == "renamed_once");
}

TEST_CASE("powers of two in all orders, with all signs, as shifts") {
  for (const std::vector<int>& f : signed_powers(0, 3))
    for (const Rank p : {5, 6, 7, 8}) CHECK(found("r + " + cases(f), p) == "powers_once");
  for (const Rank p : {3, 33, 64}) CHECK(found("r - pow2(ceil(log2(p)) - 1 - s)", p) == "powers_once");
}

TEST_CASE("one odd offset among even powers, at any step, for even p") {
  for (std::vector<int> f : signed_powers(1, 2))
    for (const std::size_t meeting : {0, 1, 2})
      for (const int odd : {1, -3, 5}) {
        std::vector<int> all = f;
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(meeting), odd);
        for (const Rank p : {6, 8}) CHECK(found(reflected(cases(all)), p) == "mixed_once");
      }
}

TEST_CASE("r xor f(s) for powers of two, and small p of several families") {
  for (const Rank p : {8, 16, 64}) {
    CHECK(found("r xor pow2(s)", p) == "flips_once");
    CHECK(found("r xor (pow2(s + 1) - 1)", p) == "flips_once");
  }
  CHECK(found("r xor pow2(s)", 2) == "doublings_once, powers_once, flips_once");
  CHECK(found("r xor pow2(s)", 4) == "mixed_once, flips_once");
}

TEST_CASE("other peers are of no theorem") {
  for (const Rank p : {6, 8, 10, 12, 14}) {
    CHECK(found(reflected("delta(s)"), p) == "");
    CHECK(found(reflected("(rho(s) + 1)"), p) == "");
    CHECK(found("r + 1", p) == "");
    CHECK(found("r + pow2(s) + (r == 3 and s == 1)", p) == "");
  }
  CHECK(found("r xor pow2(s)", 12) == "");
  CHECK(found("r xor (pow2(s + 1) - 3)", 8) == "");
  CHECK(found(reflected("pow2(s)"), 9) == "");
  CHECK(found("r + 1", 1) == "");
}

TEST_CASE("one peer changed is not the theorem's") {
  const PeerTable peers = *PeerTable::of(rule_of(reflected("rho(s)")), 12);
  int changes = 0;
  for (int step = 0; step < peers.steps(); ++step)
    for (Rank rank = 0; rank < 12; ++rank)
      for (Rank other = 0; other < 12; ++other) {
        if (other == peers(rank, step)) continue;
        Meetings wrong = meetings_of(peers);
        wrong.peer = [&](Rank r, int s) { return r == rank && s == step ? other : peers(r, s); };
        CHECK(offsets_runs(wrong).empty());
        ++changes;
      }
  CHECK(changes == 4 * 12 * 11);
}

}  // namespace offsets_test
