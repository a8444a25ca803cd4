#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "papers/audit.h"
#include "papers/claim.h"

namespace onceover::papers {

namespace {

/// A claim with that in its lines from 5 on.
std::string with(const std::string& lines) {
  return "paper = \"P\"\n[[claim]]\nid = \"a\"\nwhere = \"w\"\nsays = \"s\"\n" + lines;
}

std::string error(const std::string& text) {
  const auto read = read_claims("c.toml", text);
  REQUIRE(!read);
  CHECK(read.error().code == ExitCode::usage);
  return read.error().message;
}

void check_error(const std::string& lines, const std::string& begin) {
  CHECK_THAT(error(with(lines)), Catch::StartsWith("c.toml:" + begin));
}

std::vector<Claim> read(const std::string& text) {
  auto claims = read_claims("c.toml", text);
  if (!claims) FAIL(claims.error().message);
  return std::move(*claims);
}

std::vector<ClaimVerdict> verdicts(const std::string& text) {
  const std::vector<Claim> claims = read(text);
  std::vector<const Claim*> all;
  for (const Claim& claim : claims) all.push_back(&claim);
  std::vector<ClaimVerdict> found;
  for (const Audited& audited : audit(all)) found.push_back(audited.verdict);
  return found;
}

std::vector<std::string> ranges(const std::vector<Evidence>& evidence) {
  std::vector<std::string> all;
  for (const Evidence& e : evidence) all.push_back(e.range);
  return all;
}

using Ranges = std::vector<std::string>;

}  // namespace

TEST_CASE("claims file: a theorem of Coq needs none of Z3, and the file alone says that it states the claim") {
  CHECK(verdicts(with("search = \"swing-figure-6\"\ncoq = \"SwingPaths.A5\"")) == std::vector{ClaimVerdict::checked});
}

TEST_CASE("claims file: theorems under coq_bounds prove a limit, those under coq don't") {
  const std::string limited = "algo = \"ring\"\np = 4\nlimit = \"block_transfers >= 3*blocks\"\n";
  CHECK(verdicts(with(limited + "coq = \"Volume.volume_least\"")) == std::vector{ClaimVerdict::checked});
  CHECK(verdicts(with(limited + "coq_bounds = \"Volume.volume_least\"")) == std::vector{ClaimVerdict::proved});
}

TEST_CASE("claims file: mistakes are shown where they are") {
  CHECK(error("") == "c.toml:1:1: the paper is missing: begin with paper = \"Title (authors)\"\n  \n  ^");
  CHECK_THAT(error("paper = 7"), Catch::StartsWith("c.toml:1:9: paper: expected a text, found a whole number"));
  CHECK_THAT(error("paper = \"P\""), Catch::StartsWith("c.toml:1:1: there is no claim: add a table [[claim]]"));
  CHECK_THAT(error("paper = \"P\"\nclaim = 1"), Catch::StartsWith("c.toml:2:9: expected tables, [[claim]], found"));
  CHECK_THAT(error("paper = \"P\"\n[[claims]]"),
             Catch::StartsWith("c.toml:2:3: no key 'claims' in a claims file; did you mean 'claim'?"));
  CHECK_THAT(error("paper = \"P\"\n[[claim]]\nid = \"a\""), Catch::StartsWith("c.toml:2:1: this claim lacks 'where'"));
  CHECK(error(with("algo = \"rign\"\np = 4")) ==
        "c.toml:6:8: algo: no algorithm 'rign'; did you mean 'ring'?\n  algo = \"rign\"\n         ^");
  check_error("algo = \"ring\"\np = 4\nlimts = []", "8:1: no key 'limts' in a claim; did you mean 'limit'?");
  check_error("algo = \"ring\"\np = 4\ntry = { limts = 1 }", "8:9: no key 'limts' in a trial; did you mean 'limit'?");
  check_error("kind = \"slip\"\nsearch = \"swing-figure-6\"", "6:8: kind: no kind of claim 'slip'");
  check_error("search = \"swing-figure-66\"",
              "6:10: search: no search 'swing-figure-66'; did you mean 'swing-figure-6'?");
  check_error("search = \"swing-figure-6\"\ntheorems = \"rign\"", "7:12: theorems: no theorem 'rign'");
  check_error("search = \"swing-figure-6\"\ntheorems = \"ring\"\nlemma = \"lemma 0\"", "8:9: lemma: no obligation of");
  check_error("search = \"swing-figure-6\"\ntheorems = \"ring\"\ncoq = \"Swing.cove\"",
              "8:7: coq: there is no theorem");
  check_error("search = \"swing-figure-6\"\ncoq_bounds = \"Volume.mass\"", "7:14: coq_bounds: there is no theorem");
  check_error("search = \"swing-figure-6\"\ntry_correct = { search = \"swing-figure-6\" }",
              "7:15: try_correct needs correct");
  CHECK_THAT(error("paper = \"P\"\n[[claim]]\nid = \"A\"\nwhere = \"w\"\nsays = \"s\""),
             Catch::StartsWith("c.toml:3:6: id: expected small letters"));
  CHECK_THAT(error(with("search = \"swing-figure-6\"\n") + "[[claim]]\nid = \"a\"\nwhere = \"w\"\nsays = \"s\""),
             Catch::StartsWith("c.toml:8:6: id: a claim above has the id 'a', too"));
  CHECK_THAT(error("paper = \"P\\u001b\"\nclaim = [{}]"),
             Catch::StartsWith("c.toml:1:9: paper: expected a text of one"));
}

TEST_CASE("claims file: what makes no trial is refused") {
  check_error("", "2:1: a trial needs a subject: add algo, exec, peer, for or search");
  check_error("p = 4", "2:1: a trial needs a subject: add algo, exec, peer, for or search");
  check_error("try = 4", "6:7: expected a table such as");
  check_error("try = []", "6:7: expected a table such as");
  check_error("algo = \"ring\"\npeer = \"r\"\np = 4", "7:8: a trial has one subject: keep algo or peer");
  check_error("algo = \"ring\"", "2:1: algo needs numbers of ranks");
  check_error("algo = \"ring\"\np = 4\ntorus = \"2x2\"", "8:9: either p or torus");
  check_error("algo = [\"ring\", \"swing\"]\np = 4", "6:8: a trial takes one algorithm");
  check_error("algo = \"ring\"\np = 4\ncollective = \"all\"", "8:14: a trial takes one collective");
  check_error("algo = \"ring\"\np = 4\nholds = \"1\"", "8:9: holds does not go with algo");
  check_error("algo = \"ring\"\np = 4\nfifo = 1", "8:1: no key 'fifo' in a claim");
  check_error("algo = \"recursive-halving-doubling\"\np = 6", "7:5: ");
  check_error("algo = \"ring\"\np = \"2..4098\"", "7:5: p: a trial takes at most 4096 numbers of ranks");
  check_error("algo = \"ring\"\np = 4\nsame_as = 4", "8:11: same_as: expected a table");
  check_error("algo = \"ring\"\np = 6\nsame_as = { algo = \"recursive-halving-doubling\" }", "8:11: ");
  check_error("algo = \"all\"\np = 4\nsame_as = { algo = \"ring\" }", "6:8: \"all\" does not go with same_as");
  check_error("algo = \"ring\"\np = 4\nadditions = \"most < 9\"\nrequire = \"exactly-once\"",
              "9:11: require does not go with additions");
  check_error("algo = \"ring\"\np = 4\nadditions = \"mots < 9\"", "8:14: additions: no variable or function 'mots'");
  check_error("algo = \"ring\"\np = 4\ndeficiencies = \"congestion\"", "8:");
  check_error("algo = \"ring\"\np = 4\nadditions = \"most < 9\"\ndeficiencies = \"congestion < 9\"",
              "2:1: additions does not go with deficiencies");
}

TEST_CASE("claims file: what a trial is compared with is one schedule") {
  check_error("algo = \"ring\"\np = 4\nsame_as = { algo = [\"ring\", \"swing\"] }",
              "8:20: a trial takes one algorithm");
  check_error("algo = \"ring\"\np = 4\nsame_as = { algo = \"all\" }", "8:20: compare with one algorithm, not with all");
  check_error("algo = \"ring\"\np = 4\nreverse_of = { algo = \"ring\", collective = \"all\" }",
              "8:44: a trial takes one collective");
  check_error(
      "algo = \"rabenseifner\"\np = 4\nsame_as = { algo = \"rabenseifner\", set = [{ order = \"near\" }, { order = "
      "\"far\" }] }",
      "8:42: a trial takes one table of settings");
}

TEST_CASE("claims file: a theorem that a user's file names makes nothing proved") {
  std::vector<Claim> claims = read(with("for = \"p = 2..4\"\nholds = \"p < 5\"\ntheorems = \"step-sequences\""));
  CHECK(audit({&claims[0]})[0].verdict == ClaimVerdict::proved);
  claims[0].file = "c.toml";
  CHECK(audit({&claims[0]})[0].verdict == ClaimVerdict::checked);
}

TEST_CASE("claims file: what a claim asks is asked by a trial") {
  check_error("algo = \"ring\"\np = 4\nlimit = \"steps == 1\"\ntry = [{ algo = \"ring\", p = 4 }]",
              "6:8: algo: no trial of this claim uses it");
  check_error("algo = \"ring\"\np = 4\nidentity = \"0\"\ntry = { limit = \"steps >= 1\" }",
              "8:12: identity: no trial of this claim uses it");
  CHECK(read(with("algo = \"ring\"\nlimit = \"steps <= 9\"\ntry = [{ p = 4 }, { p = 5 }]")).size() == 1);
}

TEST_CASE("claims file: numbers have names, bounds of those before them, and one sentence") {
  check_error("for = \"p\"\nholds = \"1\"", "6:7: for: expected a range");
  check_error("for = \"p = 2..q\"\nholds = \"1\"", "6:7: for: no variable or function 'q'");
  check_error("for = [\"p = 2..9\", \"p = 2..9\"]\nholds = \"1\"", "6:20: for: 'p' cannot be the name");
  check_error("for = \"even(2) = 2..9\"\nholds = \"1\"", "6:7: for: 'even(2)' cannot be the name");
  check_error("for = \"p = 2..9\"", "2:1: for needs one sentence");
  check_error("for = \"p = 2..9\"\nholds = \"p > 1\"\nidentity = \"1\"", "2:1: for needs one sentence");
  check_error("for = \"p = 2..9\"\ngiven = \"even(p)\"\nidentity = \"1\"", "2:1: given does not go with identity");
  check_error("for = \"p = 2..9\"\nholds = \"p > q\"", "7:14: holds: no variable or function 'q'");
  const Claim claim = read(with("for = [\"p = 2..9\", \"s = p\"]\ngiven = \"even(p)\"\nholds = \"s == p\"")).front();
  CHECK(ranges(claim.says) == Ranges{"p = 2..9, s = p with even(p)"});
  CHECK_FALSE(claim.says.front().find().refutation);
}

TEST_CASE(
    "claims file: a trial without a subject takes from the claim what it doesn't say, one with a subject nothing") {
  const Claim claim = read(with("algo = \"swing\"\np = \"2^1..2^3\"\nlimit = \"steps == log2(p)\"\ncorrect = \"c\"\n"
                                "try_correct = [{ torus = \"2x2\" }, { algo = \"ring\", p = 7 }]\n"
                                "try = [{ collective = \"allgather\" }, { collective = \"allreduce\" }]"))
                          .front();
  CHECK(ranges(claim.says) == Ranges{"p = 2^1..2^3", "p = 2^1..2^3"});
  CHECK_FALSE(claim.says[0].find().refutation);
  CHECK(claim.says[1].find().refutation->where == "swing allreduce, p = 2");
  CHECK(ranges(claim.corrected) == Ranges{"tori 2x2", "p = 7"});
  CHECK(claim.corrected[0].find().refutation);        // the limit is the claim's
  CHECK_FALSE(claim.corrected[1].find().refutation);  // it has none
}

TEST_CASE("claims file: claims are judged as ours are") {
  const std::string ring = "algo = \"ring\"\np = \"2..9\"\n";
  const auto claim = [](const std::string& id, const std::string& lines) {
    return fmt::format("[[claim]]\nid = \"{}\"\nwhere = \"w\"\nsays = \"s\"\n{}\n", id, lines);
  };
  CHECK(verdicts("paper = \"P\"\n" + claim("a", ring) + claim("b", ring + "theorems = \"ring\"") +
                 claim("c", ring + "limit = \"steps < 9\"") +
                 claim("d", ring + "limit = \"steps < 9\"\nkind = \"wording\"") + claim("e", ring + "kind = \"ours\"") +
                 claim("f", "exec = \"false {p}\"\np = 3") + claim("g", "for = \"a = 0..3\"\nholds = \"1/a > 0\"") +
                 claim("h", "for = \"a = 0..1/0\"\nholds = \"1\"") +
                 claim("i", "algo = \"ring\"\np = 4\nadditions = \"1/(most - most)\"")) ==
        std::vector{ClaimVerdict::checked, ClaimVerdict::proved, ClaimVerdict::refuted, ClaimVerdict::imprecise,
                    ClaimVerdict::finding, ClaimVerdict::unknown, ClaimVerdict::unknown, ClaimVerdict::unknown,
                    ClaimVerdict::unknown});
}

}  // namespace onceover::papers
