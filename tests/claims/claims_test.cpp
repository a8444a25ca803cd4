#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "claims/audit.h"
#include "proofs/theorem.h"

namespace onceover::claims {

namespace {

Audited audit_one(const Claim& claim) {
  return audit({&claim}).front();
}

Claim saying(Evidence evidence) {
  return {
      .id = "test", .paper = Paper::swing, .place = "here", .statement = "A sentence.", .says = {std::move(evidence)}};
}

const Evidence true_sentence = numbers({{"p", "2", "9"}}, "p > 1");
const Evidence false_sentence = numbers({{"p", "2", "9"}}, "p != 7");

}  // namespace

TEST_CASE("numbers: the first values for which a sentence doesn't hold, and those that are excluded") {
  REQUIRE_FALSE(true_sentence.find().refutation);
  REQUIRE(false_sentence.find().refutation->where == "p = 7");
  REQUIRE_FALSE(numbers({{"p", "2", "9"}}, "p != 7", "even(p)").find().refutation);
  REQUIRE(numbers({{"a", "0", "3"}, {"b", "a", "3"}}, "a + b < 4").find().refutation->where == "a = 1, b = 3");
  REQUIRE(numbers({{"a", "0", "3"}}, "1/a > 0").find().unknown == "a = 0: no value");
  REQUIRE(numbers({{"a", "0", "3"}}, "a > 0", "a > 5").find().unknown == "there is no case");
}

TEST_CASE("schedules: the smallest that is wrong or beyond a limit, with a command that shows it") {
  const Finding wrong = schedules({.algorithm = "swing-final-step", .ranks = "6,10"}, {"exactly-once"}).find();
  REQUIRE(wrong.refutation->where == "swing-final-step allreduce, p = 6");
  REQUIRE(wrong.refutation->command == "verify --algo swing-final-step --p 6 --require exactly-once");
  REQUIRE_FALSE(schedules({.algorithm = "swing", .ranks = "6,10"}, {"exactly-once"}).find().refutation);
  const Finding beyond = schedules({.algorithm = "ring", .ranks = "2..9"}, {}, {"steps <= 8"}).find();
  REQUIRE(beyond.refutation->where == "ring allreduce, p = 6");
}

TEST_CASE("deficiencies: measured on tori, in exact fractions") {
  REQUIRE_FALSE(
      deficiencies({.algorithm = "swing", .tori = {"8x8"}, .lanes = "all"}, {"congestion == 23/21"}).find().refutation);
  REQUIRE(
      deficiencies({.algorithm = "swing", .tori = {"8x8"}, .lanes = "all"}, {"congestion < 23/21"}).find().refutation);
}

TEST_CASE("same transfers: rows that are the same algorithm, and rows that aren't") {
  const Schedules far{.algorithm = "rabenseifner", .ranks = "2,4,8", .settings = {"order=far"}};
  REQUIRE_FALSE(same_transfers({.algorithm = "recursive-halving-doubling", .ranks = "2,4,8"}, far).find().refutation);
  REQUIRE(same_transfers({.algorithm = "rabenseifner", .ranks = "2,4,8"}, far).find().refutation->where == "p = 4");
}

TEST_CASE("a claim is proved, checked, imprecise, refuted, or unsettled where its correction doesn't hold either") {
  Claim claim = saying(true_sentence);
  REQUIRE(audit_one(claim).verdict == Verdict::checked);
  claim.theorems = {"ring"};
  REQUIRE(audit_one(claim).verdict == Verdict::proved);
  claim.says.front().is_provable = false;
  REQUIRE(audit_one(claim).verdict == Verdict::checked);
  claim.says.push_back(false_sentence);
  REQUIRE(audit_one(claim).verdict == Verdict::refuted);
  claim.kind = Kind::wording;
  REQUIRE(audit_one(claim).verdict == Verdict::imprecise);
  claim.corrected = {true_sentence, false_sentence};
  REQUIRE(audit_one(claim).verdict == Verdict::unsettled);
  REQUIRE(audit_one(saying(numbers({{"a", "0", "3"}}, "1/a > 0"))).verdict == Verdict::unknown);
}

TEST_CASE("claims have ids of their own, name theorems that there are, and say what is so where they don't hold") {
  std::set<std::string_view> ids;
  for (const Claim& claim : claims()) {
    CAPTURE(claim.id);
    REQUIRE(ids.insert(claim.id).second);
    REQUIRE(std::regex_match(std::string(claim.id), std::regex("[a-z0-9-]+")));
    REQUIRE(find_claim(claim.id) == &claim);
    REQUIRE_FALSE(claim.says.empty());
    for (const std::string_view theorem : claim.theorems) {
      REQUIRE(find_theorem(theorem) != nullptr);
      const auto& obligations = find_theorem(theorem)->obligations;
      REQUIRE(std::any_of(obligations.begin(), obligations.end(),
                          [&](const Obligation& o) { return o.source.find(claim.lemma) != std::string_view::npos; }));
    }
  }
  for (const Audited& audited : audit({find_claim("swing-figure-3"), find_claim("swing-hops")})) {
    REQUIRE(audited.verdict == Verdict::refuted);
    REQUIRE_FALSE(audited.claim->correct.empty());
  }
}

}  // namespace onceover::claims
