#include "verifier/repair/repair.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "catalogue_schedules.h"
#include "mutator.h"
#include "namespaces.h"
#include "plain_schedule.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"

namespace repair_test {

using namespace onceover::support;

namespace {

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape,
                 std::optional<Collective> collective = std::nullopt) {
  const Algorithm& row = *find_algorithm(algorithm);
  return row.make({.collective = collective.value_or(row.collectives.front()), .shape = std::move(shape)});
}

std::optional<Repair> repair_of(const Schedule& schedule, std::int64_t budget = usual_repair_budget) {
  const VerifyOptions options{.threads = 1};
  return find_repair(schedule, verify(schedule, options), options, budget);
}

bool is_right(const Schedule& schedule) {
  const auto outcome = reference::execute(schedule);
  return outcome.well_formed && outcome.exactly_once;
}

/// Moves of one block in the steps of a schedule.
std::vector<Move> all_moves(Rank ranks, int steps) {
  std::vector<Move> all;
  for (int step = 0; step < steps; ++step)
    for (Rank src = 0; src < ranks; ++src)
      for (Rank dst = 0; dst < ranks; ++dst)
        for (const Op op : {Op::reduce, Op::copy})
          if (src != dst) all.push_back({step, src, dst, op});
  return all;
}

/// Every edit that makes the block right, found by trying them all.
std::vector<MoveEdit> tried_one_by_one(const Header& header, int steps, const std::vector<Move>& moves) {
  BlockTrial trial(header);
  std::vector<MoveEdit> found;
  std::vector<std::optional<Move>> drops{std::nullopt};
  for (const Move& m : moves)
    if (std::find(drops.begin(), drops.end(), std::optional(m)) == drops.end()) drops.emplace_back(m);
  for (const auto& drop : drops) {
    if (drop && trial.is_right(0, edited(moves, {drop, {}}))) {
      found.push_back({drop, {}});  // and any further move that does no harm
      continue;
    }
    for (const Move& add : all_moves(header.ranks, steps))
      if (add != drop && trial.is_right(0, edited(moves, {drop, add}))) found.push_back({drop, add});
  }
  return found;
}

bool has_result(const Header& header, const std::vector<Move>& moves) {
  Trace trace;
  for (const Move& m : moves) trace.add(m.step, m.op, {m.src, m.dst});
  return !Execution(header).run(0, trace);
}

bool has(const std::vector<MoveEdit>& edits, const MoveEdit& edit) {
  return std::find(edits.begin(), edits.end(), edit) != edits.end();
}

/// Changes of messages and steps, by the names of the mutator; others change what is asked for.
bool is_of_messages(std::string_view change) {
  static constexpr std::string_view names[] = {"transfer dropped",
                                               "transfer twice in its step",
                                               "transfer again in a step",
                                               "transfer moved to a step",
                                               "another receiver",
                                               "another sender",
                                               "reduce and copy swapped",
                                               "block changed",
                                               "block dropped",
                                               "block added",
                                               "steps swapped"};
  return std::find(std::begin(names), std::end(names), change) != std::end(names);
}

bool may_be_repaired(const Schedule& schedule) {
  const Report report = verify(schedule, {.threads = 1});
  return report.verdict == Verdict::fail &&
         !std::holds_alternative<Counterexample::SelfTransfer>(report.properties[1].counterexample->what);
}

std::vector<SchedulePtr> originals() {
  std::vector<SchedulePtr> all;
  for (const Rank p : {5, 6, 8, 12, 16}) all.push_back(made("swing", {p}));
  for (const Rank p : {5, 8}) {
    all.push_back(made("ring", {p}));
    all.push_back(made("generalized", {p}));
    all.push_back(made("bruck", {p}, Collective::allgather));
    all.push_back(made("binomial-tree", {p}));
    all.push_back(made("pat", {p}, Collective::reduce_scatter));
    all.push_back(made("recursive-doubling", {p}));
    all.push_back(made("rabenseifner", {p}));
  }
  all.push_back(made("swing-latency", {8}));
  all.push_back(made("bucket", {3, 4}));
  return all;
}

/// So many mutants by one change of a message or of steps. All must get a repair, after which they are right.
void repair_mutants(int count, unsigned seed) {
  const auto schedules = originals();
  Mutator mutator(seed);
  int mutants = 0, least = 0;
  for (std::size_t k = 0; mutants < count; ++k) {
    const std::size_t change = k % schedule_changes().size();
    if (!is_of_messages(schedule_changes()[change])) continue;
    const auto mutant = mutator.mutant_of(plain(*schedules[k / schedule_changes().size() % schedules.size()]), change);
    if (!mutant) continue;
    const SchedulePtr schedule = listed(*mutant);
    if (!may_be_repaired(*schedule)) continue;
    ++mutants;
    INFO(mutant->header.algorithm << ", p = " << mutant->header.ranks << ": " << schedule_changes()[change]);
    const auto repair = repair_of(*schedule);
    REQUIRE(repair);
    CHECK(is_right(*repair->schedule));
    CHECK(!repair->text().empty());
    least += repair->is_least ? 1 : 0;
  }
  CHECK(least * 10 > mutants * 7);
}

}  // namespace

TEST_CASE("the edits that repair a block are those that trying all of them finds") {
  std::mt19937 random(3);
  int with_repairs = 0;
  for (int round = 0; round < 400; ++round) {
    const auto ranks = static_cast<Rank>(2 + random() % 3);
    const int steps = 2 + static_cast<int>(random() % 2);
    const Header header{.collective = contracts[random() % 3].collective, .ranks = ranks, .blocks = 1};
    const auto all = all_moves(ranks, steps);
    std::vector<Move> moves;
    for (unsigned k = 0; k < 2 + random() % 5; ++k) moves.push_back(all[random() % all.size()]);
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.step < b.step; });
    if (BlockTrial(header).is_right(0, moves)) continue;
    std::int64_t budget = usual_repair_budget;
    const auto found = EditSearch(header, steps).find(0, moves, budget);
    REQUIRE(found);
    const auto tried = tried_one_by_one(header, steps, moves);
    for (const MoveEdit& edit : *found) CHECK(has(tried, edit));
    // Where nothing is defined and yet nothing lacks, a move that brings nothing may do as well, which isn't looked
    // for.
    for (const MoveEdit& edit : tried) CHECK((has(*found, edit) || !has_result(header, moves)));
    with_repairs += tried.empty() ? 0 : 1;
  }
  CHECK(with_repairs > 40);
}

TEST_CASE("2,000 mutants by one change of a message are repaired") {
  repair_mutants(2000, 11);
}

TEST_CASE("the mistakes in print come out as repairs") {
  SECTION("Bruck's figure: the last step lacks a chunk") {
    const auto repair = repair_of(*made("bruck-as-printed", {7}));
    REQUIRE(repair);
    CHECK(repair->text() ==
          std::vector<std::string>{"at step 2, rank 2 also sends block 0 to rank 3, which it takes in place of its own",
                                   "and so in blocks 1..6, with ranks shifted as the owner is"});
  }
  SECTION("Kolmakov and Zhang: floor for ceil") {
    const auto repair = repair_of(*made("generalized-as-printed", {7}));
    REQUIRE(repair);
    CHECK(repair->text() == std::vector<std::string>{"at step 0, rank 3 doesn't send block 0 to rank 0",
                                                     "and so in blocks 1..6, with ranks shifted as the owner is"});
  }
}

TEST_CASE("a block in place of another is named as one change") {
  PlainSchedule changed = plain(*made("ring", {4}, Collective::allgather));
  changed.steps[1][2].blocks[0] = (changed.steps[1][2].blocks[0] + 1) % 4;
  const auto repair = repair_of(*listed(changed));
  REQUIRE(repair);
  CHECK(repair->text() == std::vector<std::string>{"at step 1, rank 3 sends block 0 to rank 2, not block 1"});
}

TEST_CASE("nothing is repaired that is right, and a small budget is enough for nothing") {
  CHECK(!repair_of(*made("swing", {6})));
  PlainSchedule changed = plain(*made("swing", {6}));
  changed.steps[0].pop_back();
  CHECK(repair_of(*listed(changed)));
  CHECK(!repair_of(*listed(changed), 100));
}

TEST_CASE("a wrong schedule of very many steps is left alone") {
  PlainSchedule changed = plain(*made("swing-latency", {2}));
  changed.steps[0].pop_back();
  changed.steps.resize(2'000'000);
  CHECK(repair_of(*listed(changed), INT64_MAX));
  changed.steps.resize(2'200'000);
  CHECK(!repair_of(*listed(changed), INT64_MAX));
}

TEST_CASE("no time is lost on steps in which nothing moves") {
  PlainSchedule nothing{{.collective = Collective::allreduce, .ranks = 2, .blocks = 1}, {}};
  nothing.steps.resize(100'000);
  CHECK(!repair_of(*listed(nothing)));
}

TEST_CASE("a repair speaks of ranks and steps by their names, and keeps them") {
  PlainSchedule ring = plain(*made("ring", {4}));
  ring.header.names = {{{"node", 2}, {"gpu", 2}}, {{"scatter", 0}, {"gather", 3}}};
  PlainSchedule lost = ring;
  std::erase_if(lost.steps[1], [](const PlainTransfer& t) { return t.src == 2; });
  const auto added = repair_of(*listed(lost));
  REQUIRE(added);
  CHECK(added->text().front().starts_with("at step 1 (scatter), rank 2 (node 1, gpu 0) also sends "));
  CHECK(added->schedule->header().names == ring.header.names);

  std::swap(ring.steps[1], ring.steps[4]);
  ring.header.names.phases = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 4}, {"e", 5}};
  const auto swapped = repair_of(*listed(ring));
  REQUIRE(swapped);
  REQUIRE(swapped->swap);
  CHECK(swapped->schedule->header().names.phases ==
        std::vector<Names::Phase>{{"a", 0}, {"d", 1}, {"c", 2}, {"b", 4}, {"e", 5}});
}

}  // namespace repair_test
