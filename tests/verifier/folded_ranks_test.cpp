// Where ranks are folded onto others, one block of an orbit says what all say; and what only looks like folding is
// none.
#include <catch2/catch.hpp>
#include <functional>

#include "agreement.h"
#include "schedules/catalogue.h"
#include "schedules/patterned_schedule.h"
#include "verifier/pattern_symmetry.h"

namespace folded_ranks_test {

using namespace onceover::support;

namespace {

using Steps = std::vector<std::vector<Pattern>>;

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape, std::map<std::string, std::string> settings = {},
                 bool all_lanes = false) {
  const Request request{
      .shape = std::move(shape), .all_lanes = all_lanes, .settings = {settings.begin(), settings.end()}};
  REQUIRE_FALSE(refusal(*find_algorithm(algorithm), request));
  return find_algorithm(algorithm)->make(request);
}

Steps steps_of(const Schedule& schedule) {
  Steps steps;
  for (int step = 0; step < schedule.steps(); ++step) steps.push_back(schedule.as_patterns()->patterns(step));
  return steps;
}

SchedulePtr schedule_of(Header header, Steps steps) {
  PatternedSchedule::Builder builder;
  for (auto& patterns : steps) {
    builder.begin_step();
    for (Pattern& pattern : patterns) builder.add(std::move(pattern));
  }
  return std::make_shared<PatternedSchedule>(std::move(header), std::move(builder));
}

Rank folded_ranks(const Schedule& schedule) {
  const auto symmetry = symmetry_of_patterns(*schedule.as_patterns());
  return symmetry ? symmetry->folded : 0;
}

Report by_symmetry(const Schedule& schedule) {
  return verify(schedule, {.threads = 1, .without_symmetry_up_to = 0});
}

/// "" if the report by symmetry, if there is one, is that of every block, else what differs.
std::string difference(const Schedule& schedule) {
  const Report a = by_symmetry(schedule), b = verify(schedule, {.threads = 1});
  if (a.verdict != b.verdict) return "verdict";
  if (!(a.metrics == b.metrics)) return "metrics";
  for (std::size_t k = 0; k < a.properties.size(); ++k) {
    const PropertyResult &x = a.properties[k], &y = b.properties[k];
    if (x.summary != y.summary || x.violations != y.violations) return std::string(x.id);
    if (x.counterexample.has_value() != y.counterexample.has_value()) return std::string(x.id) + ": counterexample";
    if (x.counterexample && x.counterexample->facts().paths != y.counterexample->facts().paths) return "paths";
  }
  return "";
}

/// Messages of one axis from some indices of a ring of `ring` seats, of all `blocks`.
Pattern whole(Op op, Indices from, Rank ring, Rank shift, Block blocks) {
  return {.axes = {{.indices = from,
                    .ring = ring,
                    .to = Place::by(shift),
                    .blocks = Blocks::all(blocks),
                    .extent = blocks,
                    .rank_step = 1}},
          .op = op};
}

/// Rabenseifner's algorithm on 7 ranks: 4, 5 and 6 are folded onto 0, 1 and 2.
Steps seven() {
  return steps_of(*made("rabenseifner", {7}));
}

SchedulePtr on_seven(Steps steps) {
  return schedule_of(made("rabenseifner", {7})->header(), std::move(steps));
}

}  // namespace

TEST_CASE("folded ranks: one block of each orbit says what every block says, for all ways to fold") {
  int folded = 0;
  auto compare = [&](const SchedulePtr& schedule) {
    CAPTURE(schedule->header().algorithm, schedule->header().ranks, schedule->header().shape);
    folded += folded_ranks(*schedule) > 0 ? 1 : 0;
    REQUIRE(difference(*schedule) == "");
    if (schedule->header().ranks <= 16) REQUIRE(disagreement(*schedule) == "");
  };
  for (Rank p = 2; p <= 36; ++p) {
    for (const char* remainder : {"fold", "fold-neighbours", "eliminate-3-2"})
      compare(made("rabenseifner", {p}, {{"remainder", remainder}}));
    for (const char* remainder : {"fold", "fold-neighbours"}) {
      compare(made("rabenseifner", {p}, {{"remainder", remainder}, {"order", "far"}}));
      compare(made("recursive-doubling", {p}, {{"remainder", remainder}}));
    }
    compare(made("mirrored-recursive-doubling", {p}, {}, true));
  }
  for (const auto& shape : {std::vector<Rank>{3, 3}, {5, 6}, {7, 2}, {4, 3}, {3, 2, 5}, {3, 3, 3}})
    for (const bool all_lanes : {false, true}) compare(made("mirrored-recursive-doubling", shape, {}, all_lanes));
  CHECK(folded > 120);
}

TEST_CASE("folded ranks: the report says how many there are") {
  const auto scope_of = [](const SchedulePtr& schedule) { return by_symmetry(*schedule).scope; };
  CHECK(scope_of(made("rabenseifner", {7})) ==
        "1 of 4 blocks, one of each orbit of a checked symmetry: rank r to r xor m, after 3 ranks are folded onto "
        "others");
  CHECK(
      scope_of(made("mirrored-recursive-doubling", {5, 4}, {}, true)) ==
      "4 of 64 blocks, one of each orbit of a checked symmetry: relabelled rank r to r xor m, after 4 ranks are folded "
      "onto others");
  CHECK(scope_of(made("recursive-doubling", {7})) == "every block");
}

TEST_CASE("folded ranks: what only looks like folding is none") {
  CHECK(folded_ranks(*on_seven(seven())) == 3);
  const std::vector<std::pair<const char*, std::function<void(Steps&)>>> changes{
      {"given to another rank than the one that gives back", [](Steps& s) { s[0][0].axes[0].to = Place::by(-3); }},
      {"given back by another rank", [](Steps& s) { s[5][0].axes[0].from = Place::by(-3); }},
      {"given back by a folded one",
       [](Steps& s) { s[5][0] = whole(Op::copy, Indices::range(0, 3), 7, 4, 4), s[5][0].axes[0].from = Place::at(4); }},
      {"given twice", [](Steps& s) { s[0].push_back(s[0][0]); }},
      {"given to two ranks", [](Steps& s) { s[0].push_back(whole(Op::reduce, Indices::only(6), 7, -3, 4)); }},
      {"given by a rank that was given something",
       [](Steps& s) { s[0].push_back(whole(Op::reduce, Indices::only(0), 7, 3, 4)); }},
      {"given by a rank that is given something later",
       [](Steps& s) { s[0].insert(s[0].begin(), whole(Op::reduce, Indices::only(0), 7, 3, 4)); }},
      {"given by too few", [](Steps& s) { --s[0][0].axes[0].indices.count; }},
      {"given back to too few", [](Steps& s) { --s[5][0].axes[0].indices.count; }},
      {"given back twice", [](Steps& s) { s[5].push_back(whole(Op::copy, Indices::only(0), 7, 4, 4)); }},
      {"not given", [](Steps& s) { s[0].clear(); }},
      {"not given back", [](Steps& s) { s[5].clear(); }},
      {"given back too early", [](Steps& s) { std::swap(s[4], s[5]); }},
      {"given too late", [](Steps& s) { std::swap(s[0], s[1]); }},
      {"given as copies", [](Steps& s) { s[0][0].op = Op::copy; }},
      {"given back by adding", [](Steps& s) { s[5][0].op = Op::reduce; }},
      {"given a part",
       [](Steps& s) {
         s[0][0].axes[0].blocks = Blocks::fixed({0, 1, 3});
       }},
      {"given back a part",
       [](Steps& s) {
         s[5][0].axes[0].blocks = Blocks::fixed({1, 2, 3});
       }},
      {"a folded rank works along", [](Steps& s) { s[2].push_back(whole(Op::reduce, Indices::only(5), 7, -4, 4)); }},
      {"a folded rank gets something meanwhile",
       [](Steps& s) { s[3].push_back(whole(Op::copy, Indices::only(1), 7, 4, 4)); }},
      {"a folded rank works in place of another",
       [](Steps& s) {
         s[1][0].axes[0].rank_step = s[1][0].axes[0].rank_step == 2 ? 4 : s[1][0].axes[0].rank_step;
         s[1][0].axes[1].rank_step = s[1][0].axes[1].rank_step == 2 ? 4 : s[1][0].axes[1].rank_step;
       }},
      {"all work three seats on",
       [](Steps& s) {
         const auto labels = std::make_shared<const std::vector<Rank>>(std::vector<Rank>{3, 4, 5, 6, 0, 1, 2});
         for (std::size_t k = 1; k < 5; ++k)
           for (Pattern& p : s[k]) p.labels = labels;
       }},
  };
  for (const auto& [what, change] : changes) {
    CAPTURE(what);
    Steps steps = seven();
    change(steps);
    const SchedulePtr schedule = on_seven(std::move(steps));
    CHECK(folded_ranks(*schedule) == 0);
    CHECK(difference(*schedule) == "");
    CHECK(disagreement(*schedule) == "");
  }
}

TEST_CASE("folded ranks: they may be folded onto any rank that is left, and onto folded ones before these are") {
  Steps steps = seven();
  steps[0][0].axes[0].to = Place::by(-3);  // 4, 5 and 6 onto 1, 2 and 3
  steps[5][0].axes[0].from = Place::by(-3);
  CHECK(folded_ranks(*on_seven(steps)) == 3);
  CHECK(by_symmetry(*on_seven(steps)).verdict == Verdict::pass);
  steps = seven();
  steps[0][0].axes[0].to = steps[5][0].axes[0].from = Place::at(3);
  CHECK(folded_ranks(*on_seven(steps)) == 3);
  CHECK(difference(*on_seven(steps)) == "");
  CHECK(by_symmetry(*on_seven(steps)).verdict == Verdict::pass);
  // First 6 onto 5, then 4 and 5 onto 0 and 1; unfolded in the same order, 5 gives what it doesn't have yet.
  const Pattern first = whole(Op::reduce, Indices::only(6), 7, -1, 4),
                back = whole(Op::copy, Indices::only(5), 7, 1, 4);
  steps = seven();
  --steps[0][0].axes[0].indices.count, --steps[5][0].axes[0].indices.count;
  Steps chained = steps;
  chained.insert(chained.begin(), {first});
  chained.push_back({back});
  CHECK(folded_ranks(*on_seven(chained)) == 3);
  CHECK(difference(*on_seven(chained)) == "");
  CHECK(by_symmetry(*on_seven(chained)).verdict == Verdict::pass);
  std::swap(chained.end()[-1], chained.end()[-2]);
  CHECK(folded_ranks(*on_seven(chained)) == 0);
  CHECK(difference(*on_seven(chained)) == "");
  CHECK(verify(*on_seven(chained)).verdict == Verdict::fail);
}

TEST_CASE("folded ranks: where the work between is wrong, every block is executed") {
  for (const auto& shape : {std::vector<Rank>{7}, {3, 3}})
    for (std::size_t k = 0; k < steps_of(*made("rabenseifner", shape)).size(); ++k) {
      const SchedulePtr right = made("rabenseifner", shape);
      Steps steps = steps_of(*right);
      steps[k].clear();
      const SchedulePtr wrong = schedule_of(right->header(), std::move(steps));
      CAPTURE(shape, k);
      CHECK(by_symmetry(*wrong).scope == "every block");
      CHECK(verify(*wrong).verdict == Verdict::fail);
      CHECK(difference(*wrong) == "");
    }
}

TEST_CASE("folded ranks: where sums aren't equally deep, every block is executed") {
  // A ring of ranks 0 to 3. Folded ranks make a block's sum deeper if they are far down in it.
  for (const Rank surplus : {1, 2, 3, 4}) {
    Steps ring = steps_of(*made("ring", {4}));
    ring.insert(ring.begin(), {whole(Op::reduce, Indices::range(4, 4 + surplus), 4 + surplus, -4, 4)});
    ring.push_back({whole(Op::copy, Indices::range(0, surplus), 4 + surplus, 4, 4)});
    const SchedulePtr schedule = schedule_of({.ranks = 4 + surplus, .blocks = 4}, std::move(ring));
    CAPTURE(surplus);
    CHECK(folded_ranks(*schedule) == surplus);
    CHECK(by_symmetry(*schedule).scope == "every block");
    CHECK(by_symmetry(*schedule).metrics.term_depth == 4);
    CHECK(difference(*schedule) == "");
    CHECK(disagreement(*schedule) == "");
  }
}

}  // namespace folded_ranks_test
