#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "base/rows.h"
#include "papers/audit.h"
#include "papers/counts.h"
#include "papers/searches.h"
#include "proofs/theorem.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"

namespace onceover::papers {

namespace {

const Claim& claim_called(std::string_view id) {
  const Claim* claim = row_with(claims(), &Claim::id, id);
  REQUIRE(claim != nullptr);
  return *claim;
}

Audited audit_one(const Claim& claim) {
  return audit({&claim}).front();
}

// Evidence by texts.

Evidence schedules(const Schedules& subject, const std::vector<std::string>& required,
                   const std::vector<std::string>& limits = {}) {
  Check check = check_of(subject);
  check.required = required;
  for (const std::string& limit : limits) check.limits.push_back(*Limit::parse(limit));
  return papers::schedules(check);
}

Evidence deficiencies(const Schedules& subject, const std::string& limit) {
  return papers::deficiencies(check_of(subject), {*Limit::parse(limit)});
}

Evidence same_transfers(const Schedules& one, const Schedules& other) {
  return papers::same_transfers(check_of(one), check_of(other));
}

Evidence additions(const Schedules& subject, const std::string& sentence) {
  return papers::additions(check_of(subject), *Formula::parse("sentence", sentence, addition_names()));
}

Evidence same_additions_everywhere(const Schedules& subject) {
  return papers::same_additions_everywhere(check_of(subject));
}

Evidence least_time_one_way(const Schedules& subject, int vectors) {
  return papers::least_time_one_way(check_of(subject), vectors);
}

Claim saying(Evidence evidence) {
  return {.id = "test", .paper = "A text", .place = "here", .statement = "A sentence.", .says = {std::move(evidence)}};
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
  const ClaimFinding wrong = schedules({.algorithm = "swing-final-step", .ranks = "6,10"}, {"exactly-once"}).find();
  REQUIRE(wrong.refutation->where == "swing-final-step allreduce, p = 6");
  REQUIRE(wrong.refutation->command == "verify --algo swing-final-step --p 6 --require exactly-once");
  REQUIRE_FALSE(schedules({.algorithm = "swing", .ranks = "6,10"}, {"exactly-once"}).find().refutation);
  const ClaimFinding beyond = schedules({.algorithm = "ring", .ranks = "2..9"}, {}, {"steps <= 8"}).find();
  REQUIRE(beyond.refutation->where == "ring allreduce, p = 6");
}

TEST_CASE("deficiencies: measured on tori, in exact fractions") {
  REQUIRE_FALSE(
      deficiencies({.algorithm = "swing", .tori = {"8x8"}, .lanes = "all"}, "congestion == 23/21").find().refutation);
  REQUIRE(
      deficiencies({.algorithm = "swing", .tori = {"8x8"}, .lanes = "all"}, "congestion < 23/21").find().refutation);
}

TEST_CASE("limits and deficiencies: a step without messages doesn't count") {
  const Schedules copies_home{.algorithm = "generalized", .ranks = "5", .settings = {"removed-steps=1"}};
  CHECK_FALSE(deficiencies(copies_home, "steps == 5").find().refutation);
  CHECK_FALSE(schedules(copies_home, {}, {"steps <= 5", "latency <= 2.16"}).find().refutation);
  CHECK(schedules(copies_home, {}, {"latency <= 2.15"}).find().refutation);
}

TEST_CASE("same transfers: rows that are the same algorithm, and rows that aren't") {
  const Schedules far{.algorithm = "rabenseifner", .ranks = "2,4,8", .settings = {"order=far"}};
  REQUIRE_FALSE(same_transfers({.algorithm = "recursive-halving-doubling", .ranks = "2,4,8"}, far).find().refutation);
  REQUIRE(same_transfers({.algorithm = "rabenseifner", .ranks = "2,4,8"}, far).find().refutation->where == "p = 4");
  const Schedules copying{.algorithm = "generalized", .ranks = "5", .settings = {"removed-steps=1"}};
  const std::string across = "across=generalized:removed-steps=1";
  const Schedules of_nodes{.algorithm = "hierarchical", .ranks = "5", .settings = {"nodes=5", "within=ring", across}};
  REQUIRE_FALSE(same_transfers(copying, of_nodes).find().refutation);
}

TEST_CASE("a claim is proved, checked, imprecise, refuted, or unsettled where its correction doesn't hold either") {
  Claim claim = saying(true_sentence);
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::checked);
  claim.theorems = {"ring"};
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::proved);
  claim.says.front().is_provable = false;
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::checked);
  claim.says.push_back(false_sentence);
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::refuted);
  claim.kind = ClaimKind::wording;
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::imprecise);
  claim.corrected = {true_sentence, false_sentence};
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::unsettled);
  REQUIRE(audit_one(saying(numbers({{"a", "0", "3"}}, "1/a > 0"))).verdict == ClaimVerdict::unknown);
}

TEST_CASE("a sentence of ours is a finding or a bug, and what a text measured differs from our model") {
  Claim claim = saying(true_sentence);
  claim.kind = ClaimKind::ours;
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::finding);
  claim.says = {false_sentence};
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::unsettled);
  claim.kind = ClaimKind::measured;
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::differs);
  claim.says = {true_sentence};
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::checked);
}

TEST_CASE("only what is proved is above the level of what is tried, and for that of the kernel Coq accepts a theorem") {
  Claim claim = saying(true_sentence);
  REQUIRE(level_of(audit_one(claim)) == ClaimLevel::tried);
  claim.theorems = {"ring"};
  REQUIRE(level_of(audit_one(claim)) == ClaimLevel::solver);
  claim.coq = {"Shifts.ring"};
  REQUIRE(level_of(audit_one(claim)) == ClaimLevel::kernel);
  claim.theorems.clear();  // Coq is enough
  REQUIRE(level_of(audit_one(claim)) == ClaimLevel::kernel);
  claim.says.front().is_provable = false;
  REQUIRE(level_of(audit_one(claim)) == ClaimLevel::tried);
  CHECK_THAT(audit_text({audit_one(claim)}),
             Catch::Contains("proved for all p, level kernel: Coq accepts Shifts.ring\n"));
}

TEST_CASE("a theorem that bounds every schedule proves numbers, too, unless a trial refutes them or a file says so") {
  Claim claim = saying(schedules({.algorithm = "ring", .ranks = "2,3,4"}, {}, {"block_transfers >= (p-1)*blocks"}));
  claim.coq = {"Volume.volume_least"};
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::checked);
  claim.coq_bounds = true;
  REQUIRE(level_of(audit_one(claim)) == ClaimLevel::kernel);
  claim.file = "mine.toml";
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::checked);
  claim.file.clear();
  claim.says.push_back(false_sentence);
  REQUIRE(audit_one(claim).verdict == ClaimVerdict::refuted);
  for (const char* id : {"bucket-least-reduce-scatter", "bucket-least-allgather", "bucket-least-allreduce",
                         "bucket-least-both-ways", "bucket-least-additions", "swing-least-bytes"})
    CHECK(level_of(audit_one(claim_called(id))) == ClaimLevel::kernel);
}

TEST_CASE("what is said of theorems names what Z3 shows, what Coq accepts and what is argued in words") {
  const Claim& claim = claim_called("pat-bruck-far");
  const std::string text = audit_text({audit_one(claim)});
  for (const char* said : {"that the schedules are correct is proved for all p, level kernel: Coq accepts "
                           "Turned.bruck_once; Z3 discharges "
                           "covering-peers (6 obligations)",
                           "bruck              Z3     Each step adds the next displacements",
                           "Coq    The schedules of both collectives, near or far ranks first (bruck_once)",
                           "words  That Z3's sentences make the theorem"})
    CHECK_THAT(text, Catch::Contains(said));
  CHECK_THAT(audit_text({audit_one(claim_called("swing-theorem-a5"))}),
             Catch::Contains("level kernel: Coq accepts SwingPaths.A5"));
  CHECK_THAT(audit_text({audit_one(claim_called("swing-even-p-at-most-twice"))}),
             Catch::Contains("level solver: Z3 discharges step-sequences") &&
                 Catch::Contains("; the rest is argued in words"));
  CHECK_THAT(audit_text({audit_one(claim_called("swing-lemma-a4"))}),
             Catch::Contains("argued in words: the induction"));
  CHECK_THAT(audit_text({audit_one(claim_called("swing-peak-81"))}),
             Catch::Contains("checked as an identity, for percent = 84"));
}

TEST_CASE("a row of a page is short: the verdict and the first sentences, but text and JSON have all") {
  Claim claim = saying(schedules({.algorithm = "ring", .ranks = "2,3,4,5,6,7"}, {"exactly-once"}));
  claim.file = "c.toml";
  claim.place = "sections 2.1 and 6";
  const std::string second =
      "A second sentence with so many words in it that it, behind the first one, which is short "
      "but counts, does not fit into the row.";
  claim.correct = "It sends 0, .., p-1 blocks. " + second;
  const Audited checked = audit_one(claim);
  CHECK_THAT(
      audit_markdown({checked}),
      Catch::EndsWith("\n|claim|what we found|id|\n|---|---|---|\n|§2.1, 6: A sentence.|**Checked**.|`test`|\n"));
  for (const std::string& all : {audit_text({checked}), audit_json({checked})}) {
    CHECK_THAT(all, Catch::Contains("tried for p = 2,3,4,5,6,7"));
    CHECK_THAT(all, Catch::Contains("A second sentence"));
  }
  claim.kind = ClaimKind::wording;
  claim.says = {false_sentence};
  CHECK_THAT(audit_markdown({audit_one(claim)}), Catch::Contains("|**Imprecise**. It sends 0, .., p-1 blocks.|"));
  claim.correct = "One. Two.";
  CHECK_THAT(audit_markdown({audit_one(claim)}), Catch::Contains("|**Imprecise**. One. Two.|"));
  claim.correct = "";
  CHECK_THAT(audit_markdown({audit_one(claim)}), Catch::Contains("|**Imprecise**: p = 7.|"));
}

TEST_CASE("additions: what each rank combines, by rank, in all and by lane") {
  const Schedules ring{.algorithm = "ring", .ranks = "2..9"};
  REQUIRE_FALSE(additions(ring, "least == p-1 && most == p-1 && total == p*(p-1) && blocks == p").find().refutation);
  REQUIRE(additions(ring, "most < 5").find().refutation->where == "ring, p = 6");
  // Two ranks give their vectors away and add nothing.
  REQUIRE_FALSE(additions({.algorithm = "recursive-doubling", .ranks = "6"}, "least == 0").find().refutation);
  REQUIRE_FALSE(same_additions_everywhere({.algorithm = "bucket", .tori = {"3x4"}, .lanes = "all"}).find().refutation);
  REQUIRE(same_additions_everywhere({.algorithm = "recursive-doubling", .ranks = "3"}).find().refutation);
}

TEST_CASE("cables that carry one message at a time: bucket in one direction needs no more than the bound") {
  const Schedules one_way{.algorithm = "bucket",
                          .tori = {"3x3"},
                          .lanes = "all",
                          .collective = "reduce-scatter",
                          .settings = {"directions=one"}};
  REQUIRE_FALSE(least_time_one_way(one_way, 1).find().refutation);
  REQUIRE(least_time_one_way(one_way, 2).find().refutation->why == "it takes 4/9 n beta, less than 8/9");
}

TEST_CASE("the fewest messages about one element, over all sequences of them") {
  REQUIRE_FALSE(fewest_messages(Collective::reduce, 1).find().refutation);
  REQUIRE_FALSE(fewest_messages(Collective::allreduce, 2).find().refutation);
  REQUIRE(fewest_messages(Collective::broadcast, 2).find().refutation->why == "1 message is enough");
  REQUIRE(fewest_messages(Collective::allreduce, 3).find().refutation->where == "p = 2");
}

TEST_CASE("orders within steps: with 3 ranks another order keeps Swing's sums together, with 5 none does") {
  const auto swing = [](Rank p) { return find_algorithm("swing")->make(on_line(Collective::allreduce, p)); };
  const auto keeps_order = [](const Schedule& schedule) {
    return verify(schedule, {.required = {"order-preserving"}}).verdict == Verdict::pass;
  };
  REQUIRE_FALSE(keeps_order(*swing(3)));
  REQUIRE(keeps_order(*best_order(*swing(3)).schedule));
  const BestOrder none = best_order(*swing(5));
  REQUIRE(none.schedule == nullptr);
  REQUIRE_THAT(none.gap, Catch::StartsWith("whatever the order within the steps, rank "));
  // The judge of orders and the property agree where no rank receives two messages in a step.
  for (const char* row : {"ring", "swing-latency", "recursive-doubling", "rabenseifner"})
    for (Rank p = 2; p <= 16; p *= 2) {
      const auto schedule = find_algorithm(row)->make(on_line(Collective::allreduce, p));
      CAPTURE(row, p);
      REQUIRE(keeps_order(*schedule) == (best_order(*schedule).schedule != nullptr));
    }
}

TEST_CASE(
    "of the catalogue's allreduces another order within the steps makes only Swing with 3 ranks order-preserving") {
  std::vector<std::string> made_right;
  for (const Algorithm& row : catalogue())
    for (Rank p = 2; p <= 16; ++p) {
      const Request request = on_line(Collective::allreduce, p);
      if (row.as_printed || refusal(row, request)) continue;
      const auto schedule = row.make(request);
      const auto keeps_order = [](const Schedule& s) {
        return verify(s, {.required = {"order-preserving"}}).verdict == Verdict::pass;
      };
      const BestOrder best = best_order(*schedule);
      const bool is_right = keeps_order(*schedule);
      if (is_right) CHECK(best.schedule != nullptr);
      if (best.schedule != nullptr && !is_right && keeps_order(*best.schedule))
        made_right.push_back(fmt::format("{} {}", row.name, p));
    }
  // Bine's allreduce is Swing's, and two nodes of 3 ranks run Swing within.
  CHECK(made_right == std::vector<std::string>{"bine 3", "hierarchical 6", "swing 3"});
}

TEST_CASE("claims have ids of their own, name theorems that there are, and say what holds where they do not") {
  std::set<std::string_view> ids;
  for (const Claim& claim : claims()) {
    CAPTURE(claim.id);
    REQUIRE(ids.insert(claim.id).second);
    REQUIRE(std::regex_match(std::string(claim.id), std::regex("[a-z0-9-]+")));
    REQUIRE_FALSE(claim.says.empty());
    for (const std::string_view theorem : claim.theorems) {
      REQUIRE(find_theorem(theorem) != nullptr);
      const auto& obligations = find_theorem(theorem)->obligations;
      REQUIRE(std::any_of(obligations.begin(), obligations.end(),
                          [&](const Obligation& o) { return o.source.find(claim.lemma) != std::string_view::npos; }));
    }
  }
  for (const Audited& audited : audit({&claim_called("swing-figure-3"), &claim_called("swing-even-traffic")})) {
    REQUIRE(audited.verdict == ClaimVerdict::refuted);
    REQUIRE_FALSE(audited.claim->correct.empty());
  }
}

}  // namespace onceover::papers
