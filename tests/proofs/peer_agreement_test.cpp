// A formula means one schedule: what is proved of it passes, and what is refuted fails.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "proofs/bounded.h"
#include "proofs/peer_proof.h"
#include "proofs/query.h"
#include "verifier/verify.h"

namespace peer_agreement_test {

using namespace onceover::verifier;
using namespace onceover::proofs;

namespace {

PeerRule rule_of(const std::string& peer, const std::string& steps) {
  CAPTURE(peer, steps);
  const auto formula = Formula::parse("--peer", peer, peer_variables());
  REQUIRE(formula);
  PeerRule rule{*formula};
  if (!steps.empty()) rule.steps = *Formula::parse("--peer-steps", steps, steps_variables());
  return rule;
}

/// The verdict on all collectives of a formula, which is one; nothing where it has no value.
std::optional<Verdict> checked(const PeerRule& rule, Rank p) {
  std::optional<Verdict> verdict;
  for (const Collective c : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather}) {
    const auto made = make_peer_schedule(rule, c, p);
    REQUIRE(made.has_value() == PeerTable::of(rule, p).has_value());
    if (!made) return std::nullopt;
    const Verdict found = verify(*made->schedule, {.threads = 1}).verdict;
    REQUIRE((!verdict || *verdict == found));
    verdict = found;
  }
  return verdict;
}

struct Counts {
  int passes = 0;
  int fails = 0;
  int apart = 0;
  int proved_for_all = 0;
};

/// Compares for p = 1 .. most what Z3 says of each p, and of every p, with what the checker finds.
void compare(const std::string& peer, const std::string& steps, Rank most, Counts& counts,
             std::optional<OddRanks> odd = std::nullopt) {
  PeerRule rule = rule_of(peer, steps);
  rule.odd = odd;
  const auto proof = prove_peers(rule);
  // What Z3 can't do soon isn't proved.
  const Solver hasty{"z3", [](const Query& query, Answer) { return ask_z3(query, 1'000'000, 60'000); }};
  const bool is_proved = proof->theorem && prove({&*proof->theorem}, {hasty}, 1).front().holds();
  counts.proved_for_all += is_proved ? 1 : 0;
  for (Rank p = 1; p <= most; ++p) {
    const auto verdict = checked(rule, p);
    if (!verdict) continue;
    CAPTURE(peer, steps, p);
    const PeerTable peers = *PeerTable::of(rule, p);
    const Answer answer = ask_bounded(peers, Bounded::coverage).answer;
    REQUIRE(answer == (*verdict == Verdict::pass ? Answer::unsatisfiable : Answer::satisfiable));
    const bool is_inside = !proof->family || is_in_domain(*proof->family, rule, p);
    if (is_proved && is_inside) REQUIRE(verdict == Verdict::pass);
    ++(*verdict == Verdict::pass ? counts.passes : counts.fails);
    counts.apart += peers.last_rank_apart() ? 1 : 0;
  }
}

/// Formulas as users write them, and nearly so: of the families, with cases for some p or s, and of none.
class RandomFormulas {
 public:
  explicit RandomFormulas(unsigned seed) : random_(seed) {}

  std::string peer() {
    const std::string f = of_step(2), g = chance(3) ? of_step(2) : f;
    const std::string base =
        one_of({fmt::format("even(r) ? r + ({}) : r - ({})", f, g), fmt::format("r + ({})", f),
                fmt::format("r xor ({})", f), fmt::format("odd(r) ? r + ({}) : r - ({})", f, g), any(3)});
    if (!chance(3)) return base;
    return fmt::format("({} {} {} ? {} : ({}))", one_of({"p", "r", "s"}), one_of({"==", ">", "!="}), number(12), any(2),
                       base);
  }

  std::string steps() {
    return one_of({"", "", "", "log2(p) + 1", "min(p, 5)", "p mod 3 + 2", "p == 6 ? 0 : 4", "p - 4"});
  }

 private:
  bool chance(int of) { return number_below(of) == 0; }
  int number_below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string number(int most) { return std::to_string(number_below(most + 1)); }
  std::string one_of(const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(number_below(static_cast<int>(all.size())))];
  }

  std::string of_step(int depth) {
    if (depth == 0 || chance(2))
      return one_of({"rho(s)", "pow2(s)", "delta(s)", "1", "s", "2*s + 1", "pow2(s + 1) - 1", number(5)});
    return fmt::format("({} {} {})", of_step(depth - 1), one_of({"+", "-", "*"}), of_step(depth - 1));
  }

  std::string any(int depth) {
    if (depth == 0) return one_of({"r", "s", "p", "rho(s)", "pow2(s)", number(7)});
    const std::string a = any(depth - 1), b = any(depth - 1);
    return one_of({fmt::format("({} + {})", a, b), fmt::format("({} - {})", a, b), fmt::format("({} xor {})", a, b),
                   fmt::format("({} * {})", a, b), fmt::format("({} / {})", a, b),
                   fmt::format("(even({}) ? {} : {})", any(depth - 1), a, b)});
  }

  std::mt19937 random_;
};

const std::vector<std::pair<std::string, std::string>> listed{
    {"even(r) ? r + rho(s) : r - rho(s)", ""},
    {"p == 7 ? r + pow2(s) : r xor 1", ""},
    {"p == 6 ? r + pow2(s) : r xor 1", ""},
    {"even(r) ? r + delta(s) : r - delta(s)", ""},
    {"even(r) ? r + (pow2(s+1) - 1) : r - (pow2(s+1) - 1)", ""},
    {"even(r) ? r + rho(s) : r - rho(s)", "log2(p) + 1"},
    {"even(r) ? r + rho(s) : r - rho(s)", "even(p) ? log2(p) + 1 : 1"},
    {"even(r) ? r + rho(s) : r - rho(s)", "p == 6 ? 0 : log2(p) + 1"},
    {"even(r) ? r + 1 : r - 1", "0"},
    {"r + pow2(s)", ""},
    {"r + s + 1", ""},
    {"r + 1", "p - 1"},
    {"r + 1", "p == 2 ? 0 : p"},
    {"r + 1", "1"},
    {"r xor pow2(s)", ""},
    {"r xor (p >> (s + 1))", ""},
    {"p - 1 - r", "p"},
    {"r + p / 2", ""},
    {"r", ""},
    {"p == 3 ? 1 / 0 : r + pow2(s)", ""},
    {"p == 8 ? 1 / 0 : (even(r) ? r + rho(s) : r - rho(s))", ""},
};

Counts compare_listed(Rank most) {
  Counts counts;
  for (const auto& [peer, steps] : listed)
    compare(peer, steps, steps.starts_with("p") ? std::min(most, 8) : most, counts);  // p steps take long
  return counts;
}

Counts compare_random(int formulas, Rank most) {
  Counts counts;
  RandomFormulas random(20260707);
  for (int k = 0; k < formulas; ++k) {
    const std::string peer = random.peer();
    // Few of these are for pairs only, so that the last rank is apart by itself.
    compare(peer, random.steps(), most, counts, k % 3 == 0 ? std::optional(OddRanks::apart) : std::nullopt);
  }
  return counts;
}

}  // namespace

TEST_CASE("what is proved of a formula passes, and what is refuted fails, with the last rank apart and without") {
  const Counts counts = compare_listed(9);
  CHECK(counts.passes > 50);
  CHECK(counts.fails > 30);
  CHECK(counts.apart > 15);
  CHECK(counts.proved_for_all >= 4);
}

TEST_CASE("the same of random formulas") {
  const Counts counts = compare_random(20, 7);
  CHECK(counts.passes > 20);
  CHECK(counts.fails > 20);
  CHECK(counts.apart > 2);
}

TEST_CASE("the same of more formulas", "[long]") {
  const Counts random = compare_random(60, 8);
  CHECK(random.passes > 60);
  CHECK(random.fails > 60);
  CHECK(random.apart > 6);
}

TEST_CASE("the same of more ranks and formulas", "[long]") {
  const Counts counts = compare_listed(17);
  CHECK(counts.passes > 120);
  CHECK(counts.fails > 60);
  const Counts random = compare_random(200, 10);
  CHECK(random.passes > 200);
  CHECK(random.fails > 200);
  CHECK(random.apart > 20);
}

TEST_CASE("an odd number of ranks runs a formula that pairs the others as one fewer: with that for p") {
  auto table = [](const char* peer, const char* steps, Rank p) { return *PeerTable::of(rule_of(peer, steps), p); };
  const PeerTable seven = table("s == 9 ? r + pow2(s) : r xor 1", "", 7);
  CHECK(seven.last_rank_apart());
  CHECK(seven.running() == 6);
  CHECK(seven.steps() == 3);
  CHECK(seven(4, 2) == 5);
  CHECK(table("r xor 1", "p", 7).steps() == 6);
  // One that pairs p - 1 ranks only is for all, and one without a step pairs nobody.
  CHECK_FALSE(table("r < 6 ? r xor 1 : r - 6", "", 7).last_rank_apart());
  CHECK_FALSE(table("r xor 2", "", 7).last_rank_apart());
  CHECK_FALSE(table("r xor 1", "p - 6", 7).last_rank_apart());
  CHECK_FALSE(table("r xor 1", "", 1).last_rank_apart());
  CHECK_FALSE(table("r xor 1", "", 8).last_rank_apart());
  CHECK_FALSE(table("r xor 1", "p == 8 ? 0 : 2", 7).last_rank_apart());
  CHECK_FALSE(table("r xor 1", "p == 8 ? 0 - 1 : 2", 7).last_rank_apart());
  // Each number of ranks is judged at its own steps: kinds of shifts may pair at the first.
  CHECK_FALSE(table("even(r) ? r + 1 + 2 * s : r - 1 - s", "", 3).last_rank_apart());
  // More steps than a schedule may have: the first ones tell, and there is no schedule.
  CHECK(table("r xor 1", "p == 8 ? 70000 : 2", 7).last_rank_apart());
  CHECK_FALSE(PeerTable::of(rule_of("r xor 1", "p == 6 ? 70000 : 2"), 7));
}

TEST_CASE("all of an odd number of ranks run a formula that takes care of p, or of ranks without a peer, itself") {
  const auto why = [](const char* peer, Rank p, const char* steps = "") {
    const PeerTable table = *PeerTable::of(rule_of(peer, steps), p);
    CHECK_FALSE(table.last_rank_apart());
    return std::string(table.why_as_written());
  };
  CHECK(why("(r xor pow2(s)) < p ? r xor pow2(s) : r", 3) == "it mentions p");
  CHECK(why("p == 7 ? r + pow2(s) : r xor 1", 7) == "it mentions p");
  CHECK(why("(r xor 1) + 0 * p", 5) == "it mentions p");
  CHECK(why("s < 2 ? r xor 1 : r", 7, "p == 7 ? 3 : 2") == "in it a rank is its own peer");
  CHECK(why("r + 1", 7) == "");  // it pairs nobody
}

TEST_CASE("a rule may say who runs it among an odd number of ranks") {
  PeerRule rule = rule_of("(r xor pow2(s)) < p ? r xor pow2(s) : r", "");
  const auto verdict = [&](Rank p) { return *checked(rule, p); };
  CHECK(verdict(3) == Verdict::fail);
  rule.odd = OddRanks::apart;
  CHECK(verdict(3) == Verdict::pass);
  CHECK(PeerTable::of(rule, 5)->running() == 4);
  CHECK(PeerTable::of(rule, 4)->running() == 4);
  CHECK(PeerTable::of(rule, 1)->running() == 1);
  rule = rule_of("even(r) ? r + rho(s) : r - rho(s)", "");
  CHECK(verdict(7) == Verdict::pass);
  rule.odd = OddRanks::as_written;
  CHECK(PeerTable::of(rule, 7)->running() == 7);
  CHECK(verdict(7) == Verdict::fail);
  rule = rule_of("r + pow2(s)", "");
  rule.odd = OddRanks::apart;
  for (const Rank p : {3, 5, 7, 9}) CHECK(verdict(p) == Verdict::pass);
}

}  // namespace peer_agreement_test
