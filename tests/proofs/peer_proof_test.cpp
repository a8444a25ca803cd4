#include "proofs/peer_proof.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "proofs/coq_writer.h"
#include "proofs/query.h"
#include "proofs/routes/kernel.h"
#include "verifier/verify.h"

namespace peer_proof_test {

using namespace onceover::verifier;
using namespace onceover::proofs;

namespace {

PeerRule rule(const std::string& peer, const std::string& steps = "") {
  PeerRule rule{*Formula::parse("--peer", peer, peer_variables())};
  if (!steps.empty()) rule.steps = *Formula::parse("--peer-steps", steps, steps_variables());
  return rule;
}

/// "shift: proved", "reflection: no theorem", "none: no theorem".
std::string outcome(const std::string& peer, const std::string& steps = "") {
  const PeerRule r = rule(peer, steps);
  const auto proof = prove_peers(r);
  const std::string family(proof->family ? name(*proof->family) : "none");
  if (!proof->theorem) return family + ": no theorem";
  return family + (prove({&*proof->theorem}, {z3()}, 2).front().holds() ? ": proved" : ": not proved");
}

}  // namespace

TEST_CASE("formulas that cover are proved for all s and p of their family") {
  CHECK(outcome("even(r) ? r + rho(s) : r - rho(s)") == "reflection: proved");
  CHECK(outcome("odd(r) ? r - rho(s) : r + rho(s)") == "reflection: proved");
  CHECK(outcome("r mod 2 == 0 ? r - rho(s) : r + rho(s)") == "reflection: proved");
  CHECK(outcome("even(r) ? r + (pow2(s + 1) - 1) : r - (pow2(s + 1) - 1)") == "reflection: proved");
  CHECK(outcome("even(r) ? r + (rho(s) + 2) : r - (rho(s) + 2)") == "reflection: proved");
  CHECK(outcome("even(r) ? r - (pow2(s + 1) - 7) : r + (pow2(s + 1) - 7)") == "reflection: proved");
  CHECK(outcome("even(r) ? r + pow2(s) : r - pow2(s)") == "mixed reflection: proved");
  CHECK(outcome("odd(r) ? r + (s == 0 ? 7 : -pow2(s)) : r - (s == 0 ? 7 : -pow2(s))") == "mixed reflection: proved");
  CHECK(outcome("r + pow2(s)") == "shift: proved");
  CHECK(outcome("r - (1 << s)") == "shift: proved");
  CHECK(outcome("pow2(s) + r") == "shift: proved");
  CHECK(outcome("r + 1", "p - 1") == "shift: proved");
  CHECK(outcome("r - 1", "p") == "shift: proved");
  CHECK(outcome("r xor pow2(s)") == "xor: proved");
  CHECK(outcome("(2*pow2(s) - 1) xor r") == "xor: proved");
  CHECK(outcome("r mod 2 == 1 ? r - rho(s) : r + rho(s)") == "reflection: proved");
  CHECK(outcome("even(r) ? r + (pow2(1 + s) - 1) : r - (pow2(1 + s) - 1)") == "reflection: proved");
  CHECK(outcome("even(r) ? r + (even(s) ? delta(s) : -delta(s)) : r - (even(s) ? delta(s) : -delta(s))") ==
        "reflection: proved");
  CHECK(outcome("r + (-pow2(s))") == "shift: proved");
  CHECK(outcome("r + (s >= 0)", "p") == "shift: proved");
}

TEST_CASE("a formula's theorem names one of the theory, for each family, and nothing is left to words") {
  for (const char* peer : {"even(r) ? r + rho(s) : r - rho(s)", "even(r) ? r + (rho(s) - 4) : r - (rho(s) - 4)",
                           "even(r) ? r + pow2(s) : r - pow2(s)", "r + pow2(s)", "r xor pow2(s)"}) {
    const PeerRule r = rule(peer);
    const auto proof = prove_peers(r);
    const std::string_view name = family_theorem(*proof);
    CAPTURE(peer, name);
    const auto lines = theory_lines();
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [&](const TheoryLine& line) { return line.file == "Families.v" && line.name == name; }));
    CHECK_THAT(std::string(proof->theorem->kernel_part), Catch::Contains(std::string(name)));
    CHECK(proof->theorem->words_part.empty());
    CHECK(proof->theorem->uses.empty());
  }
}

TEST_CASE("a formula's file for Coq has the formula as it is written, and as hypotheses only what has products") {
  const PeerRule shift = rule("r - (1 << s) + 0 * delta(s)");
  CHECK_FALSE(prove_peers(shift)->theorem);
  const PeerRule flipped = rule("(2*pow2(s) - 1) xor r");
  const auto whole = coq_proof(flipped, *prove_peers(flipped));
  REQUIRE(whole);
  CHECK(whole->assumed.empty());
  CHECK_THAT(whole->text, Catch::Contains("Definition peer (r s p : Z) : Z := (Z.lxor ((2 * (2 ^ s)) - 1) r).\n"));
  const PeerRule squared = rule("r + 1", "p * p");
  const auto part = coq_proof(squared, *prove_peers(squared));
  REQUIRE(part);
  CHECK(part->assumed == std::vector<std::string_view>{"covers", "steps-defined"});
  CHECK_THAT(part->text, Catch::Contains("\nHypothesis covers : forall"));
}

TEST_CASE("a formula whose term doubles at each node is too long for Coq, and takes no memory") {
  std::string steps = "p";
  for (int k = 0; k < 40; ++k) steps = "abs(" + steps + ")";
  const PeerRule deep = rule("r + 1", steps);
  const auto proof = prove_peers(deep);
  REQUIRE(proof->theorem);
  CHECK(coq_proof(deep, *proof).error() == "a term is too long for Coq");
}

TEST_CASE("a reflection that runs as written is proved for even p only, a shift for every p all the same") {
  const auto domain_of = [](const char* peer, OddRanks odd) {
    PeerRule r = rule(peer);
    r.odd = odd;
    const auto proof = prove_peers(r);
    REQUIRE(proof->theorem);
    CHECK(prove({&*proof->theorem}, {z3()}, 1).front().holds());
    const std::string text = coq_proof(r, *proof)->text;
    CHECK((text.find("Nat.Even p") != std::string::npos) == (proof->theorem->domain == "even p"));
    CHECK(text.find(odd == OddRanks::apart ? ":= Some true" : ":= Some false") != std::string::npos);
    return std::string(proof->theorem->domain);
  };
  CHECK(domain_of("even(r) ? r + rho(s) : r - rho(s)", OddRanks::as_written) == "even p");
  CHECK(domain_of("even(r) ? r + rho(s) : r - rho(s)", OddRanks::apart) == "every p");
  CHECK(domain_of("r + pow2(s)", OddRanks::as_written) == "every p");
  CHECK(domain_of("r + pow2(s)", OddRanks::apart) == "every p");
}

TEST_CASE("formulas that do not cover, or that no family has, get no proof") {
  CHECK(outcome("even(r) ? r + delta(s) : r - delta(s)") == "reflection: no theorem");
  CHECK(outcome("r + 3") == "shift: no theorem");
  CHECK(outcome("r + 1") == "shift: not proved");  // too few steps
  CHECK(outcome("r + 1", "p - 2") == "shift: not proved");
  CHECK(outcome("r xor 1") == "xor: no theorem");
  CHECK(outcome("r xor (s + 1)") == "xor: no theorem");
  CHECK(outcome("(r * 3 + s) mod p") == "none: no theorem");
  CHECK(outcome("r + p / 2") == "none: no theorem");
  CHECK(outcome("even(r) ? r + 1 : r - 3") == "none: no theorem");
  CHECK(outcome("s < 50 ? r + pow2(s) : r") == "none: no theorem");
}

TEST_CASE("formulas that are almost of a family are of none") {
  for (const char* peer : {
           "even(r) ? r + rho(s) : r - rho(s + 1)",
           "even(r) ? r + rho(s) : r + rho(s)",
           "even(r) ? r xor (pow2(s + 1) - 1) : r - (pow2(s + 1) - 1)",
           "even(r + s) ? r + rho(s) : r - rho(s)",
           "r mod 3 == 0 ? r + rho(s) : r - rho(s)",
           "(r + s) mod 2 == 0 ? r + rho(s) : r - rho(s)",
           "s < 3 ? r + rho(s) : r - rho(s)",
           "r == 0 ? r + rho(s) : r - rho(s)",
           "r == 1 ? r + rho(s) : r - rho(s)",
           "max(r, pow2(s))",
           "2 * r + pow2(s)",
           "pow2(s) - r",
           "(r * 3) xor pow2(s)",
           "(1 + p) xor r",
       }) {
    CAPTURE(peer);
    CHECK(outcome(peer) == "none: no theorem");
  }
}

TEST_CASE("a formula or a number of steps that the sentences can't express gets no theorem") {
  for (const char* exponent : {"1", "s * 0", "s + s"}) {
    CAPTURE(exponent);
    CHECK(outcome(std::string("r + (s < 45 ? pow2(s) : pow2(") + exponent + "))") == "shift: no theorem");
  }
  CHECK(outcome("r + (even(s) or odd((s < 45 ? 1 : 0)))", "p") == "shift: no theorem");
  for (const char* steps : {"pow2(p)", "1 << p", "p >> 0", "p xor 0", "rho(p)", "delta(p)", "p + log2(p)"}) {
    CAPTURE(steps);
    CHECK(outcome("r + 1", steps) == "shift: no theorem");
  }
  CHECK(outcome("r xor pow2(s)", "p") == "xor: no theorem");  // steps beyond log2 p
  CHECK(outcome("r xor pow2(s + 1)") == "xor: no theorem");
  CHECK(outcome("r + (s < 20 ? pow2(s) : 1)") == "shift: no theorem");
  CHECK(outcome("r + (s < 8 ? pow2(s) : 70368744177664)") == "shift: no theorem");
}

TEST_CASE("exponents up to s + 20 are known, and values at early steps are needed") {
  CHECK(outcome("r + (pow2(s + 20) - pow2(s + 20) + pow2(s))") == "shift: proved");
  CHECK(outcome("r + (pow2(s + 21) - pow2(s + 21) + pow2(s))") == "shift: no theorem");
  const PeerRule overflows = rule("r + (1 + s * 9223372036854775807)");
  CHECK(prove_peers(overflows)->problem == "f(s) has no value at some early step");
}

TEST_CASE("what does not fit is told with both values that would") {
  CHECK(prove_peers(rule("even(r) ? r + delta(s) : r - delta(s)"))->problem ==
        "at step 1 f is 1; the offsets reached so far are 0 .. 1, so f should be 3 or -1");
}

// The number of steps must have a value for every p, or nothing is said of the p where it has none.
TEST_CASE("a number of steps that is negative or undefined for some p is not believed") {
  CHECK(outcome("r + pow2(s)", "p == 1 ? 0 : -1") == "shift: not proved");
  CHECK(outcome("r + 1", "p == 17 ? -1 : p") == "shift: not proved");
  CHECK(outcome("r + 1", "p*p - 3") == "shift: not proved");
  CHECK(outcome("r + 1", "0 - p / (0 - 1)") == "shift: no theorem");
  CHECK(outcome("r + 1", "p mod 7 + p") == "shift: no theorem");
}

TEST_CASE("formulas of huge values or lengths are refused, not computed with") {
  CHECK(outcome("r + (-9223372036854775807 - 1)") == "shift: no theorem");
  std::string zeros;
  for (int k = 0; k < 900; ++k) zeros += " + 0";
  CHECK(outcome("r + (pow2(s)" + zeros + ")") == "shift: no theorem");
  CHECK(outcome("r xor (pow2(s)" + zeros + ")") == "xor: no theorem");
}

TEST_CASE("a sentence has 4000 letters at most") {
  // Zeros make sentences longer: many times the same for most of it, and one of many digits for the rest.
  auto longest_with = [](int zeros, int digits) -> std::size_t {
    std::string f = "pow2(s) + 0 * 1" + std::string(static_cast<std::size_t>(digits), '0');
    for (int k = 0; k < zeros; ++k) f += " + 0";
    const PeerRule r = rule("r + (" + f + ")");
    const auto proof = prove_peers(r);
    if (!proof->theorem) return 0;
    std::size_t longest = 0;
    for (const std::string& text : proof->texts) longest = std::max(longest, text.size());
    return longest;
  };
  int zeros = 0;
  while (longest_with(zeros + 1, 0) > 0) ++zeros;
  std::size_t longest = 0;
  for (int digits = 0; digits < 12; ++digits) longest = std::max(longest, longest_with(zeros, digits));
  CHECK(longest == 4000);
}

// An invariant that fits the first steps only must not be believed: f goes wrong after them.
TEST_CASE("a formula that changes its ways after many steps is not proved") {
  CHECK(outcome("r + (s < 45 ? pow2(s) : 1)") == "shift: not proved");
  CHECK(outcome("r xor (s < 45 ? pow2(s) : 1)") == "xor: not proved");
  CHECK(outcome("r + (s > 44 ? 0 : 1)", "p") == "shift: not proved");
  CHECK(outcome("r + (s < 45)", "p") == "shift: not proved");
  CHECK(outcome("even(r) ? r + (s < 45 ? rho(s) : 1) : r - (s < 45 ? rho(s) : 1)") == "reflection: not proved");
  CHECK(outcome("even(r) ? r + (s < 45 ? pow2(s) : 2) : r - (s < 45 ? pow2(s) : 2)") == "mixed reflection: not proved");
  CHECK(outcome("even(r) ? r + (rho(s) + 1) : r - (rho(s) + 1)") == "reflection: no theorem");
  CHECK(outcome("even(r) ? r + pow2(s) : r - pow2(s)", "p") == "reflection: no theorem");
}

TEST_CASE("what is proved passes for every p that is tried") {
  const std::vector<std::pair<std::string, std::string>> proved{
      {"even(r) ? r + rho(s) : r - rho(s)", ""},
      {"even(r) ? r + (pow2(s+1) - 1) : r - (pow2(s+1) - 1)", ""},
      {"r + pow2(s)", ""},
      {"r - (1 << s)", ""},
      {"r + 1", "p - 1"}};
  for (const auto& [peer, steps] : proved)
    for (Rank p = 1; p <= 70; ++p) {
      CAPTURE(peer, p);
      const auto made = make_peer_schedule(rule(peer, steps), Collective::allreduce, p);
      REQUIRE(verify(*made->schedule).verdict == Verdict::pass);
    }
  for (const Rank p : {2, 4, 8, 64, 128})
    for (const char* peer : {"r xor pow2(s)", "(2*pow2(s) - 1) xor r"})
      REQUIRE(verify(*make_peer_schedule(rule(peer), Collective::allreduce, p)->schedule).verdict == Verdict::pass);
}

}  // namespace peer_proof_test
