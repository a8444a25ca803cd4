// Theorems: every obligation holds, notices when it is changed, and is about what the catalogue makes.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <set>

#include "plain_schedule.h"
#include "proofs/coq_writer.h"
#include "proofs/query.h"
#include "proofs/routes/kernel.h"
#include "proofs/smtlib.h"
#include "proofs/theorem.h"
#include "schedules/catalogue.h"
#include "schedules/peer_schedule.h"

namespace theorems_test {

using namespace onceover::proofs;
using namespace onceover::support;

namespace {

std::vector<const Theorem*> all_theorems() {
  std::vector<const Theorem*> all;
  for (const Theorem& theorem : theorems()) all.push_back(&theorem);
  return all;
}

/// All texts that differ from this one in a single sign: + and -, <= and >=, < and >, == and !=.
std::vector<std::string> sign_changes(std::string_view sentence) {
  static const std::vector<std::pair<std::string_view, std::string_view>> signs{
      {" + ", " - "}, {" - ", " + "}, {" <= ", " >= "}, {" >= ", " <= "},
      {" < ", " > "}, {" > ", " < "}, {" == ", " != "}, {" != ", " == "}};
  std::vector<std::string> changed;
  for (const auto& [sign, other] : signs)
    for (std::size_t at = sentence.find(sign); at != std::string_view::npos; at = sentence.find(sign, at + 1)) {
      std::string text(sentence);
      text.replace(at, sign.size(), other);
      changed.push_back(text);
    }
  return changed;
}

/// Does the obligation still pass all three of its questions?
bool passes(const Obligation& o) {
  const Questions questions = questions_of(o);
  const Trial trial{"z3", ask_z3(questions.negation), ask_z3(questions.mutant), ask_z3(questions.hypotheses)};
  return trial.holds();
}

/// The schedule of a formula, as sets of transfers by step; steps without any are left out.
auto steps_of(const Schedule& schedule) {
  std::vector<std::set<std::tuple<Rank, Rank, std::vector<Block>>>> steps;
  for (const auto& step : plain(schedule).steps) {
    std::set<std::tuple<Rank, Rank, std::vector<Block>>> set;
    for (const auto& t : step) set.emplace(t.src, t.dst, t.blocks);
    if (!set.empty()) steps.push_back(std::move(set));
  }
  return steps;
}

}  // namespace

TEST_CASE("every theorem is proved by Z3, with all mutants refuted and all hypotheses met") {
  std::size_t obligations = 0;
  for (const Proof& proof : prove(all_theorems(), {z3()}, 2)) {
    CAPTURE(proof.theorem->id);
    REQUIRE(proof.holds());
    obligations += proof.discharges.size();
  }
  REQUIRE(obligations >= 70);
}

TEST_CASE("theorems have names of their own, use earlier ones and cover rows of the catalogue") {
  std::set<std::string_view> ids;
  std::set<std::string_view> names;
  for (const Theorem& t : theorems()) {
    CAPTURE(t.id);
    for (const std::string_view used : t.uses) REQUIRE(ids.count(used) == 1);
    for (const std::string_view row : t.rows) REQUIRE(find_algorithm(row) != nullptr);
    REQUIRE(ids.insert(t.id).second);
    REQUIRE_FALSE(t.obligations.empty());
    for (const Obligation& o : t.obligations) REQUIRE(names.insert(o.name).second);
  }
}

TEST_CASE("a schedule of the catalogue is covered by the theorem of its row, within its domain and nowhere else") {
  auto about = [](const char* row, Collective collective, const std::vector<Rank>& shape) -> std::string_view {
    Rank ranks = 1;
    for (const Rank side : shape) ranks *= side;
    const Theorem* theorem =
        theorem_about({.collective = collective, .ranks = ranks, .blocks = ranks, .shape = shape, .algorithm = row});
    return theorem == nullptr ? "" : theorem->id;
  };
  constexpr Collective allreduce = Collective::allreduce;
  for (const Collective collective : {allreduce, Collective::reduce_scatter, Collective::allgather})
    CHECK(about("swing", collective, {7}) == "torus-products");
  for (const Collective collective :
       {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather, Collective::alltoall})
    CHECK(about("swing", collective, {7}) == "");
  CHECK(about("", allreduce, {7}) == "");
  CHECK(about("binomial-tree", allreduce, {8}) == "");
  CHECK(about("bucket", allreduce, {6, 5}) == "torus-products");
  CHECK(about("swing", allreduce, {}) == "torus-products");
  // Powers of two, on tori in each side.
  CHECK(about("recursive-doubling", allreduce, {8}) == "recursive-doubling");
  CHECK(about("recursive-doubling", allreduce, {4, 2}) == "recursive-doubling");
  CHECK(about("recursive-doubling", allreduce, {12}) == "");
  CHECK(about("recursive-doubling", allreduce, {4, 6}) == "");
  CHECK(about("swing-latency", allreduce, {16}) == "step-sequences");
  CHECK(about("swing-latency", allreduce, {12}) == "");
  CHECK(about("swing-latency", allreduce, {4, 4}) == "");
  // Lines only.
  CHECK(about("ring", allreduce, {7}) == "ring");
  CHECK(about("ring", allreduce, {3, 3}) == "");
  CHECK(about("hamiltonian-ring", allreduce, {9}) == "ring");
  // Cycles, or turned ones.
  CHECK(about("hamiltonian-ring", allreduce, {3, 3}) == "hamiltonian-pair");
  CHECK(about("hamiltonian-ring", allreduce, {9, 3}) == "hamiltonian-pair");
  CHECK(about("hamiltonian-ring", allreduce, {3, 9}) == "hamiltonian-pair");
  CHECK(about("hamiltonian-ring", allreduce, {4, 2}) == "hamiltonian-pair");
  CHECK(about("hamiltonian-ring", allreduce, {6, 3}) == "");
  CHECK(about("hamiltonian-ring", allreduce, {3, 4}) == "");
  CHECK(about("hamiltonian-ring", allreduce, {3, 3, 3}) == "");
  CHECK(about("generalized", allreduce, {7}) == "folding");
}

TEST_CASE("where hamiltonian-ring has a schedule on a torus, its theorem is about it, and nowhere else") {
  const Algorithm& row = *find_algorithm("hamiltonian-ring");
  int covered = 0;
  for (Rank r = 2; r <= 30; ++r)
    for (Rank c = 2; c <= 30; ++c) {
      const Request request{Collective::allreduce, {r, c}, true, {}};
      const Theorem* theorem = theorem_about({.collective = Collective::allreduce,
                                              .ranks = r * c,
                                              .blocks = r * c,
                                              .shape = {r, c},
                                              .algorithm = "hamiltonian-ring"});
      CAPTURE(r, c);
      REQUIRE((theorem != nullptr) == !refusal(row, request));
      covered += theorem != nullptr ? 1 : 0;
    }
  CHECK(covered > 50);
}

TEST_CASE("the theorem's cycles cross from place to place as often as links join them: a side of 2 has two") {
  for (const auto& [r, c] : {std::pair{2, 2}, {4, 2}, {8, 2}, {3, 3}, {9, 3}, {8, 4}}) {
    const auto at = [r = r, c = c](Rank i, bool first) {
      const Rank x1 = i / c, x0 = i % c;
      return first ? std::pair(x1, ((x0 - x1) % c + c) % c) : std::pair((x1 * (c - 1) + x0) % r, x1 % c);
    };
    std::map<std::set<std::pair<Rank, Rank>>, int> crossed;
    for (const bool first : {false, true})
      for (Rank i = 0; i < r * c; ++i) ++crossed[{at(i, first), at((i + 1) % (r * c), first)}];
    for (const auto& [places, times] : crossed) {
      REQUIRE(places.size() == 2);
      REQUIRE(times == ((places.begin()->first == places.rbegin()->first ? c : r) == 2 ? 2 : 1));
    }
  }
}

TEST_CASE("every theorem says what the solver shows and what is argued in words, and of Coq what the theory states") {
  std::set<std::string_view> listed;
  for (const TheoryLine& line : theory_lines()) listed.insert(line.name);
  int stated = 0;
  for (const Theorem& t : theorems()) {
    CAPTURE(t.id);
    std::vector<Level> parts;
    for (const LevelPart& part : levels(t)) {
      parts.push_back(part.level);
      CHECK_FALSE(part.what.empty());
    }
    REQUIRE(parts.front() == Level::solver);
    REQUIRE(parts.back() == Level::words);
    const bool has_kernel = parts.size() == 3;
    REQUIRE(has_kernel == !t.kernel_part.empty());
    // Names in brackets are of lemmas that have no assumptions.
    for (std::size_t begin = 0; (begin = t.kernel_part.find('(', begin)) != std::string_view::npos; ++begin) {
      const std::string name(t.kernel_part.substr(begin + 1, t.kernel_part.find(')', begin) - begin - 1));
      CAPTURE(name);
      REQUIRE(listed.count(name) == 1);
      ++stated;
    }
  }
  CHECK(stated >= 10);
}

TEST_CASE("theorems come with those that they use, in order, and with no others") {
  auto ids = [](const std::vector<const Theorem*>& theorems) {
    std::vector<std::string_view> all;
    for (const Theorem* t : theorems) all.push_back(t->id);
    return all;
  };
  using Ids = std::vector<std::string_view>;
  CHECK(ids(theorems_for("pat")) == Ids{"covering-peers", "time-reversal", "bruck", "pat"});
  CHECK(ids(theorems_for("swing-latency")) == Ids{"step-sequences"});
  CHECK(ids(theorems_for("no-such-row")) == Ids{});
  for (const Theorem& t : theorems()) {
    const auto needed = ids(with_uses({&t}));
    CHECK(needed.back() == t.id);
    for (const std::string_view used : t.uses) CHECK(std::count(needed.begin(), needed.end(), used) == 1);
  }
  CHECK(find_theorem("ring")->id == "ring");
  CHECK(find_theorem("no-such-theorem") == nullptr);
}

TEST_CASE("only what every solver proves, with its mutant refuted and its hypotheses met, holds") {
  constexpr Answer no = Answer::unsatisfiable, yes = Answer::satisfiable, unknown = Answer::unknown;
  auto trial = [](Answer negation, Answer mutant, Answer hypotheses) {
    return Trial{"s", {negation, "time", {}}, {mutant, "time", {}}, {hypotheses, "time", {}}};
  };
  for (const Answer negation : {no, yes, unknown})
    for (const Answer mutant : {no, yes, unknown})
      for (const Answer hypotheses : {no, yes, unknown}) {
        const Trial t = trial(negation, mutant, hypotheses);
        const bool is_refuted = negation == yes || mutant == no || hypotheses == no;
        const bool is_proved = negation == no && mutant == yes && hypotheses == yes;
        CHECK(t.holds() == is_proved);
        CHECK(t.is_unknown() == (!is_proved && !is_refuted));
        CHECK(t.problem().empty() == is_proved);
        CHECK((t.problem().find("gave up") != std::string::npos) == t.is_unknown());
      }
  const Trial good = trial(no, yes, yes), bad = trial(yes, yes, yes), open = trial(unknown, yes, yes);
  auto proof = [](const std::vector<std::vector<Trial>>& all) {
    Proof p{&theorems().front(), {}};
    for (const auto& trials : all) p.discharges.push_back({&theorems().front().obligations.front(), trials});
    return p;
  };
  CHECK(proof({{good}, {good, good}}).holds());
  CHECK_FALSE(proof({{good}, {good, bad}}).holds());
  CHECK_FALSE(proof({{good}, {good, open}}).holds());
  CHECK_FALSE(proof({{good}, {}}).holds());
  CHECK_FALSE(proof({{good}}).is_unknown());
  CHECK(proof({{good}, {good, open}}).is_unknown());
  CHECK_FALSE(proof({{open}, {good, bad}}).is_unknown());
}

TEST_CASE("what a proof took is the time that passed") {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Proof> proofs = prove({find_theorem("ring")}, {z3()}, 1);
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double told = 0;
  for (const Discharge& d : proofs.at(0).discharges) {
    CHECK(d.trials.at(0).seconds >= 0);
    told += d.trials.at(0).seconds;
  }
  CHECK(told > 0);
  CHECK(told <= passed);
}

TEST_CASE(
    "the picture of swing's intervals shows where the first steps lead from rank 0, the last of them taken first") {
  const std::vector<int> rho{1, -1, 3, -5, 11, -21};
  auto ends = [&](int steps) {
    std::set<int> all{0};
    for (int k = steps - 1; k >= 0; --k)
      for (const int x : std::set<int>(all))
        all.insert(x % 2 == 0 ? x + rho[static_cast<std::size_t>(k)] : x - rho[static_cast<std::size_t>(k)]);
    return all;
  };
  std::string picture;
  for (int s = 0; s < 6; ++s) {
    const std::set<int> now = ends(s), before = ends(std::max(s - 1, 0));
    std::string line;
    for (int x = -10; x <= 21; ++x) line += now.count(x) == 0 ? '.' : before.count(x) == 0 ? '+' : '#';
    picture += fmt::format("    s = {}  {}  {:3} .. {:<2}  rho = {}\n", s, line, *now.begin(), *now.rbegin(),
                           rho[static_cast<std::size_t>(s)]);
  }
  CHECK(find_theorem("step-sequences")->picture() == picture);
}

namespace {

/// The first change of each goal and hypothesis, or all.
std::vector<std::string> some_changes(std::string_view sentence, bool all) {
  std::vector<std::string> changes = sign_changes(sentence);
  if (!all && changes.size() > 1) changes.resize(1);
  return changes;
}

void change_signs(bool all) {
  int noticed = 0;
  int changes = 0;
  for (const Theorem& t : theorems())
    for (const Obligation& o : t.obligations) {
      int here = 0;
      auto try_one = [&](const Obligation& changed) {
        ++changes;
        if (!passes(changed)) ++noticed, ++here;
      };
      const bool goal_is_mutated = o.goal == o.mutant.instead_of;
      for (const std::string& goal : some_changes(o.goal, all)) {
        Obligation changed = o;
        changed.goal = goal;
        if (goal_is_mutated) changed.mutant.instead_of = goal;
        try_one(changed);
      }
      CAPTURE(t.id, o.name);
      CHECK((here > 0 || !all || sign_changes(o.goal).empty()));
      for (std::size_t h = 0; h < o.hypotheses.size(); ++h) {
        if (o.hypotheses[h] == o.mutant.instead_of) continue;
        for (const std::string& hypothesis : some_changes(o.hypotheses[h], all)) {
          Obligation changed = o;
          changed.hypotheses[h] = hypothesis;
          try_one(changed);
        }
      }
      CHECK((here > 0 || !all));
    }
  CAPTURE(noticed, changes);
  // The rest changes what does not matter: a bound that another hypothesis gives, or a case that can't be.
  REQUIRE(changes > (all ? 500 : 100));
  REQUIRE(noticed > changes * (all ? 70 : 60) / 100);
}

}  // namespace

TEST_CASE("in every obligation a changed sign is noticed") {
  change_signs(false);
}

TEST_CASE("in every obligation changed signs are noticed, in goals and hypotheses", "[long]") {
  change_signs(true);
}

TEST_CASE("a mutant that changes nothing, and a sentence that can't be read, are bugs that are noticed") {
  Obligation o = theorems().front().obligations.front();
  o.mutant = {"not there", "p > 0"};
  REQUIRE_THROWS_WITH(questions_of(o), Catch::Contains("the mutant changes nothing"));
  o = theorems().front().obligations.front();
  o.goal = "k *";
  REQUIRE_THROWS_WITH(questions_of(o), Catch::Contains("expected a number"));
}

TEST_CASE("an obligation without meaning does not pass: wrong, empty, or beyond the solver") {
  const Obligation wrong{.name = "wrong",
                         .statement = "",
                         .source = "",
                         .variables = "x",
                         .hypotheses = {"x > 0"},
                         .goal = "x > 1",
                         .mutant = {"x > 0", "x > -1"}};
  REQUIRE_FALSE(passes(wrong));
  const Obligation empty{.name = "empty",
                         .statement = "",
                         .source = "",
                         .variables = "x",
                         .hypotheses = {"x > 0", "x < 0"},
                         .goal = "x == 7",
                         .mutant = {"x < 0", "x < 9"}};
  REQUIRE_FALSE(passes(empty));
  const Obligation hard{.name = "hard",
                        .statement = "",
                        .source = "",
                        .variables = "x y z",
                        .hypotheses = {"x > 2", "y > 2", "z > 2"},
                        .goal = "x*x*x + y*y*y != z*z*z",
                        .mutant = {"x > 2", "x > 1"}};
  const Questions questions = questions_of(hard);
  const Reply reply = ask_z3(questions.negation, 100'000, 300);
  REQUIRE(reply.answer == Answer::unknown);
  REQUIRE_FALSE(Trial{"z3", reply, {Answer::satisfiable}, {Answer::satisfiable}}.holds());
}

TEST_CASE("an obligation whose mutant holds, too, does not pass") {
  Obligation o{.name = "sum",
               .statement = "",
               .source = "",
               .variables = "x y",
               .hypotheses = {"x > 0", "y > 0"},
               .goal = "x + y > 1",
               .mutant = {"x > 0", "x > -1"}};
  CHECK(passes(o));
  o.mutant = {"x > 0", "x > 5"};
  CHECK_FALSE(passes(o));
  o.mutant = {"x + y > 1", "x + y > 0"};
  CHECK_FALSE(passes(o));
}

TEST_CASE("for Z3 a formula is what it is when it is evaluated, with truths as numbers and numbers as truths") {
  const std::vector<std::string_view> names{"x", "y"};
  auto read = [&](const std::string& text) { return *Formula::parse("sentence", text, names); };
  const std::vector<std::string> formulas{
      "x + y",
      "x - y",
      "x * y",
      "x / 2",
      "x mod 3",
      "-x",
      "abs(x)",
      "min(x, y)",
      "max(x, y)",
      "even(x)",
      "odd(x)",
      "x == y",
      "x != y",
      "x < y",
      "x <= y",
      "x > y",
      "x >= y",
      "not x",
      "x and y - 1",
      "x or y - 1",
      "x ? y : 5",
      "(x < y) + 2",
      "(x < 1) == (y < 2)",
      "(x < 1) != (y < 2)",
      "(x < y) == x",
      "(x < y) != x",
      "x > 0 ? y > 1 : y > 2",
      "x > 0 ? y : x > -2",
      "x > 0 ? y > 2 : y",
  };
  for (std::int64_t x = -3; x <= 3; ++x)
    for (std::int64_t y = 1; y <= 2; ++y) {
      const std::array<std::int64_t, 2> values{x, y};
      std::string all = "1";
      for (const std::string& formula : formulas)
        all += fmt::format(" and ({}) == {}", formula, *read(formula).evaluate(values));
      Query query{"formulas", "", {"x", "y"}, {read(fmt::format("x == {}", x)), read(fmt::format("y == {}", y))}};
      query.sentences.push_back(read(all));
      CAPTURE(all);
      CHECK(ask_z3(query).answer == Answer::satisfiable);
      query.sentences.back() = read("not (" + all + ")");
      CHECK(ask_z3(query).answer == Answer::unsatisfiable);
    }
}

TEST_CASE("what is refuted is told with the values of all variables") {
  const std::vector<std::string_view> names{"x", "y"};
  const Query query{
      "values", "", {"x", "y"}, {*Formula::parse("x", "x == 7", names), *Formula::parse("y", "y == 8", names)}};
  const Reply reply = ask_z3(query);
  REQUIRE(reply.answer == Answer::satisfiable);
  CHECK(Trial{"z3", reply, {Answer::satisfiable}, {Answer::satisfiable}}.problem() == "it does not hold: x = 7, y = 8");
  CHECK(z3_version() != "Z3 0.0.0");
}

// What links the theorems to the schedules: the rows' reduce-scatters are those of the covering-peers rule along these
// formulas.
namespace {

/// Compares row and formula for the numbers of ranks in its domain.
void require_links(const std::vector<Rank>& ranks) {
  struct Link {
    const char* row;
    std::map<std::string, std::string, std::less<>> settings;
    const char* peer;
    const char* steps;
  };
  const std::vector<Link> links{
      {"swing", {}, "even(r) ? r + rho(s) : r - rho(s)", ""},
      {"recursive-doubling", {}, "r xor (p >> (s + 1))", ""},
      {"rabenseifner", {{"order", "near"}}, "r xor pow2(s)", ""},
      {"rabenseifner", {{"order", "far"}}, "r xor (p >> (s + 1))", ""},
      {"recursive-halving-doubling", {}, "r xor (p >> (s + 1))", ""},
      {"ring", {}, "r + 1", "p - 1"},
      {"generalized", {}, "r - ((p + pow2(s) - 1) / pow2(s)) / 2", ""},
  };
  for (const Link& link : links) {
    const Algorithm& row = *find_algorithm(link.row);
    PeerRule rule{*Formula::parse("--peer", link.peer, peer_variables())};
    if (*link.steps != 0) rule.steps = *Formula::parse("--peer-steps", link.steps, steps_variables());
    int compared = 0;
    for (const Rank p : ranks) {
      const Request request{Collective::reduce_scatter, {p}, false, link.settings};
      if (refusal(row, request)) continue;
      CAPTURE(link.row, link.peer, p);
      REQUIRE(steps_of(*row.make(request)) ==
              steps_of(*make_peer_schedule(rule, Collective::reduce_scatter, p)->schedule));
      ++compared;
    }
    REQUIRE(compared >= 6);
  }
}

std::vector<Rank> ranks_between(Rank first, Rank last) {
  std::vector<Rank> ranks;
  for (Rank p = first; p <= last; ++p) ranks.push_back(p);
  return ranks;
}

}  // namespace

TEST_CASE(
    "the catalogue's reduce-scatters are those of the formulas that the theorems are about, for p to 40, and 64") {
  std::vector<Rank> ranks = ranks_between(2, 40);
  ranks.push_back(64);
  require_links(ranks);
}

TEST_CASE("the catalogue's reduce-scatters are those of the formulas that the theorems are about, for p to 512",
          "[long]") {
  require_links(ranks_between(2, 512));
}

TEST_CASE("bruck's allgathers send what the theorem says, for p to 128") {
  const Algorithm& row = *find_algorithm("bruck");
  for (Rank p = 2; p <= 128; ++p)
    for (const char* order : {"near", "far"}) {
      const Request request{Collective::allgather, {p}, false, {{"order", order}}};
      const PlainSchedule schedule = plain(*row.make(request));
      int levels = 0;
      while ((1 << levels) < p) ++levels;
      REQUIRE(schedule.steps.size() == static_cast<std::size_t>(levels));
      for (int s = 0; s < levels; ++s) {
        const bool is_near = order == std::string("near");
        const Rank w = 1 << (is_near ? s : levels - 1 - s);
        for (const auto& t : schedule.steps[static_cast<std::size_t>(s)]) {
          std::set<Block> displacements;
          for (const Block b : t.blocks) displacements.insert((t.src - b + p) % p);
          std::set<Block> expected;
          for (Block d = 0; d + w < p; d += is_near ? 1 : 2 * w)
            if (!is_near || d < w) expected.insert(d);
          CAPTURE(p, order, s, t.src);
          REQUIRE(t.dst == (t.src + w) % p);
          REQUIRE(displacements == expected);
        }
        REQUIRE(schedule.steps[static_cast<std::size_t>(s)].size() == static_cast<std::size_t>(p));
      }
    }
}

TEST_CASE("a query is written as SMT-LIB with its status, logic and sentences") {
  const Obligation& o = theorems().front().obligations.front();
  REQUIRE(smtlib(questions_of(o).negation, Answer::unsatisfiable) ==
          "; multiple-gap\n; a multiple of p other than 0 is at least p away from 0\n(set-info :status "
          "unsat)\n(set-logic QF_NIA)\n"
          "(declare-const k Int)\n(declare-const p Int)\n; p > 0\n(assert (< 0 p))\n; k != 0\n(assert (not (= k 0)))\n"
          "; not (k*p >= p or k*p <= -p)\n(assert (not (or (<= p (* k p)) (<= (* k p) (- p)))))\n(check-sat)\n");
}

TEST_CASE("a query's logic is linear if all its products have a constant, and a lemma's name has no hyphen") {
  const std::vector<std::string_view> names{"x", "y"};
  const std::vector<std::pair<std::string, std::string>> logics{
      {"3 * x < y", "QF_LIA"}, {"x * (-3) < y", "QF_LIA"}, {"x * y < 3", "QF_NIA"}};
  for (const auto& [text, logic] : logics) {
    const Query query{"logic", "", {"x", "y"}, {*Formula::parse("logic", text, names)}};
    CHECK_THAT(smtlib(query, Answer::unknown), Catch::Contains("(set-logic " + logic + ")"));
  }
  CHECK_THAT(coq_obligations({find_theorem("step-sequences")}),
             Catch::Contains("\nLemma multiple_gap : forall k p : Z,\n"));
}

}  // namespace theorems_test
