#include "verifier/symmetry.h"

#include <catch2/catch.hpp>

#include "agreement.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "schedules/patterned_schedule.h"

namespace symmetry_test {

using namespace onceover::support;

namespace {

constexpr std::string_view all = "every block";

Report by_symmetry(const Schedule& schedule) {
  return verify(schedule, {.threads = 2, .without_symmetry_up_to = 0});
}

/// "" if both reports say the same, but for what they rest on, else what differs.
std::string difference(const Report& a, const Report& b) {
  if (a.verdict != b.verdict) return "verdict";
  if (!(a.metrics == b.metrics)) return "metrics";
  if (a.properties.size() != b.properties.size()) return "properties";
  for (std::size_t k = 0; k < a.properties.size(); ++k) {
    const PropertyResult& x = a.properties[k];
    const PropertyResult& y = b.properties[k];
    if (x.id != y.id || x.verdict != y.verdict || x.summary != y.summary) return std::string(x.id);
    if (x.counterexample.has_value() != y.counterexample.has_value()) return std::string(x.id) + ": counterexample";
    if (x.counterexample &&
        (x.counterexample->kind() != y.counterexample->kind() || x.counterexample->rank != y.counterexample->rank ||
         x.counterexample->block != y.counterexample->block ||
         x.counterexample->facts().paths != y.counterexample->facts().paths))
      return std::string(x.id) + ": counterexample";
  }
  return "";
}

/// Visits every schedule of the catalogue on this shape, on one lane and on all.
template <class Visit>
void for_each_schedule(const std::vector<Rank>& shape, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const bool all_lanes : {false, true}) {
        Request request{.collective = collective, .shape = shape, .all_lanes = all_lanes};
        if (!refusal(row, request)) visit(row, row.make(request));
      }
}

std::string scope_of(const char* algorithm, std::vector<Rank> shape, Collective collective = Collective::allreduce) {
  return by_symmetry(*find_algorithm(algorithm)->make({.collective = collective, .shape = std::move(shape)})).scope;
}

std::string one_of(int executed, int blocks, const std::string& symmetry) {
  return std::to_string(executed) + " of " + std::to_string(blocks) +
         " blocks, one of each orbit of a checked symmetry: " + symmetry;
}

std::vector<std::size_t> sizes_of(const PlainSchedule& schedule) {
  std::vector<std::size_t> sizes;
  for (const auto& step : schedule.steps) sizes.push_back(step.size());
  return sizes;
}

}  // namespace

TEST_CASE("symmetry: the translations that algorithms have") {
  CHECK(scope_of("ring", {7}) == one_of(1, 7, "shifts of ranks by multiples of 1"));
  CHECK(scope_of("generalized", {12}) == one_of(1, 12, "shifts of ranks by multiples of 1"));
  CHECK(scope_of("bruck", {11}, Collective::allgather) == one_of(1, 11, "shifts of ranks by multiples of 1"));
  CHECK(scope_of("pat", {13}, Collective::allgather) == one_of(1, 13, "shifts of ranks by multiples of 1"));
  CHECK(scope_of("swing", {10}) == one_of(2, 10, "shifts of ranks by multiples of 2"));
  CHECK(scope_of("swing", {4, 6}) == one_of(4, 24, "shifts by multiples of 2x2 on the torus of 4x6"));
  CHECK(scope_of("swing", {3, 4}) == one_of(6, 12, "shifts by multiples of 2x2 on the torus of 3x4 within 2 parts"));
  CHECK(scope_of("swing", {25}) == one_of(10, 25, "shifts of ranks by multiples of 2 within 6 parts"));
  CHECK(scope_of("bucket", {3, 5}) == one_of(1, 15, "shifts by multiples of 1x1 on the torus of 3x5"));
  CHECK(scope_of("hamiltonian-ring", {3, 9}) == one_of(1, 27, "shifts of relabelled ranks by multiples of 1"));
  CHECK(scope_of("hamiltonian-ring", {7}) == one_of(1, 7, "shifts of ranks by multiples of 1"));
  CHECK(scope_of("rabenseifner", {16}) == one_of(1, 16, "rank r to r xor m"));
}

TEST_CASE("symmetry: where there is none, every block is executed") {
  CHECK(scope_of("swing", {9}) == all);
  CHECK(scope_of("binomial-tree", {8}, Collective::broadcast) == all);
  CHECK(scope_of("ring", {1}) == all);
}

namespace {

/// How many schedules of these shapes are symmetric: one block of each orbit says there what every block says.
int count_symmetric(const std::vector<std::vector<Rank>>& shapes) {
  int symmetric = 0;
  auto compare = [&](const Algorithm& row, const SchedulePtr& schedule) {
    CAPTURE(row.name, schedule->header().ranks, name(schedule->header().collective));
    const Report report = by_symmetry(*schedule);
    symmetric += report.scope == all ? 0 : 1;
    REQUIRE(difference(report, verify(*schedule)) == "");
  };
  for (const auto& shape : shapes) for_each_schedule(shape, compare);
  return symmetric;
}

void require_no_difference(const std::vector<std::vector<Rank>>& shapes) {
  for (const auto& shape : shapes)
    for_each_schedule(shape, [](const Algorithm& row, const SchedulePtr& schedule) {
      CAPTURE(row.name, schedule->header().shape, name(schedule->header().collective));
      REQUIRE(difference(by_symmetry(*schedule), verify(*schedule)) == "");
    });
}

}  // namespace

TEST_CASE("symmetry: one block of each orbit says what every block says, whatever the algorithm") {
  CHECK(count_symmetric({{4}, {6}, {7}, {8}, {9}, {12}, {16}, {25}, {33}, {4, 4}, {3, 4}, {2, 2, 4}}) > 100);
  require_no_difference({{64}, {8, 8}});
}

TEST_CASE("symmetry: one block of each orbit says what every block says, to 40 ranks and for some to 128", "[long]") {
  std::vector<std::vector<Rank>> shapes{{4, 4}, {2, 6}, {3, 4}, {5, 3}, {2, 2, 4}, {8, 4}};
  for (Rank p = 1; p <= 40; ++p) shapes.push_back({p});
  CHECK(count_symmetric(shapes) > 500);
  require_no_difference({{64}, {100}, {127}, {128}, {8, 8}, {4, 4, 4}});
}

TEST_CASE("symmetry: up to 1024 ranks one block of each orbit says what every block says", "[long]") {
  require_no_difference({{255}, {512}, {1000}, {1024}, {32, 32}, {8, 8, 16}});
}

TEST_CASE("symmetry: a file has the symmetry of the schedule that it was written from") {
  for (const char* algorithm : {"swing", "ring", "rabenseifner", "generalized"}) {
    const SchedulePtr schedule = find_algorithm(algorithm)->make(on_line(Collective::allreduce, 16));
    CAPTURE(algorithm);
    CHECK(by_symmetry(*listed(plain(*schedule))).scope == by_symmetry(*schedule).scope);
  }
}

TEST_CASE("symmetry: what lands elsewhere must land in blocks that turn with those that are sent") {
  PlainSchedule schedule = plain(*find_algorithm("ring")->make(on_line(Collective::allreduce, 2)));
  schedule.header.scratch = 4;
  auto move = [](Rank rank, Block from, Block into) { return PlainTransfer{rank, rank, {from}, Op::copy, {into}}; };
  schedule.steps.push_back({move(0, 0, 3), move(1, 1, 2)});
  schedule.steps.push_back({move(0, 3, 5), move(1, 2, 4)});
  CHECK(by_symmetry(*listed(schedule)).scope == one_of(1, 2, "shifts of ranks by multiples of 1"));
  CHECK(by_symmetry(*listed(schedule)).verdict == Verdict::pass);
  // As far away is elsewhere: rank 1 keeps its value in block 4, and block 2, which it reads, is empty.
  schedule.steps[2][1] = move(1, 1, 4);
  CHECK(by_symmetry(*listed(schedule)).scope == all);
  CHECK(difference(by_symmetry(*listed(schedule)), verify(*listed(schedule))) == "");
  CHECK(verify(*listed(schedule)).verdict == Verdict::fail);
}

TEST_CASE("symmetry: a shape of another number of ranks is not looked at") {
  PlainSchedule swing = plain(*find_algorithm("swing")->make(on_line(Collective::allreduce, 12)));
  for (const auto& shape : {std::vector<Rank>{2, 2}, {5, 4}, {0, 3}, {0, 12}}) {
    swing.header.shape = shape;
    CHECK(by_symmetry(*listed(swing)).scope == one_of(2, 12, "shifts of ranks by multiples of 2"));
  }
}

namespace {

/// How many schedules of these shapes are broken at a single transfer: it is not found there.
int count_broken(const std::vector<std::vector<Rank>>& shapes) {
  Mutator mutator(3);
  const auto changes = schedule_changes();
  int broken = 0;
  auto break_it = [&](const Algorithm& row, const SchedulePtr& schedule) {
    if (by_symmetry(*schedule).scope == all) return;
    const PlainSchedule original = plain(*schedule);
    for (std::size_t change = 0; change < changes.size(); ++change) {
      const auto mutant = mutator.mutant_of(original, change);
      if (!mutant) continue;
      CAPTURE(row.name, schedule->header().ranks, changes[change]);
      const SchedulePtr changed = listed(*mutant);
      const Report report = by_symmetry(*changed);
      REQUIRE(difference(report, verify(*changed)) == "");
      const bool is_single = changes[change].find("transfer") == 0 || changes[change].find("block ") == 0 ||
                             changes[change] == "another receiver" || changes[change] == "another sender";
      // Put to another place within its step, a transfer is still there.
      const bool stays = changes[change] == "transfer moved to a step" && sizes_of(*mutant) == sizes_of(original);
      if (!is_single || stays) continue;
      CHECK(report.scope == all);
      ++broken;
    }
  };
  for (const auto& shape : shapes) for_each_schedule(shape, break_it);
  return broken;
}

}  // namespace

TEST_CASE("symmetry: broken at a single transfer it is not found, and the verdict is that of every block, of 7 ranks") {
  CHECK(count_broken({{7}}) > 50);
}

TEST_CASE("symmetry: broken at a single transfer it is not found, and the verdict is that of every block", "[long]") {
  CHECK(count_broken({{4}, {6}, {7}, {8}, {12}, {4, 4}}) > 500);
}

TEST_CASE("symmetry: a schedule that is wrong in the same way everywhere fails by it, with the same counterexample") {
  const SchedulePtr swing = find_algorithm("swing")->make(on_line(Collective::allreduce, 12));
  PlainSchedule wrong = plain(*swing);
  std::erase_if(wrong.steps[1], [](const PlainTransfer& t) { return t.dst % 2 == 0; });
  const SchedulePtr schedule = listed(wrong);
  const Report report = by_symmetry(*schedule);
  CHECK(report.scope == one_of(2, 12, "shifts of ranks by multiples of 2"));
  CHECK(report.verdict == Verdict::fail);
  CHECK(difference(report, verify(*schedule)) == "");
}

TEST_CASE("symmetry: 65,536 ranks within a budget that every block would exceed") {
  const SchedulePtr swing = find_algorithm("swing")->make(on_line(Collective::allreduce, 65536));
  const Report report = verify(*swing, {.budget = 10'000'000, .without_symmetry_up_to = 0});
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.scope == one_of(2, 65536, "shifts of ranks by multiples of 2"));
  CHECK(verify(*swing, {.budget = 10'000'000}).verdict == Verdict::unknown);
  CHECK(verify(*swing, {.budget = 300'000, .without_symmetry_up_to = 0}).verdict == Verdict::unknown);
}

TEST_CASE("symmetry: the shortest counterexample is that of the 64 lowest blocks that fail, as without it") {
  // Blocks of the first 16 lanes come two ranks far, the others stay at home, which would be told sooner.
  PlainSchedule unfinished{{.collective = Collective::allgather, .ranks = 4, .blocks = 160}, {{}, {}}};
  for (const Rank r : {0, 2, 1, 3}) {
    std::vector<Block> blocks;
    for (Block lane = 0; lane < 16; ++lane) blocks.push_back(lane * 4 + r);
    const Rank next = (r + 1) % 4;
    unfinished.steps[0].push_back({r, next, blocks, Op::copy});
    unfinished.steps[1].push_back({next, (r % 2 == 0 ? r + 2 : r + 3) % 4, blocks, Op::copy});
  }
  const SchedulePtr schedule = listed(unfinished);
  CHECK(by_symmetry(*schedule).scope == one_of(80, 160, "shifts of ranks by multiples of 2"));
  for (const Report& report :
       {by_symmetry(*schedule), verify(*schedule, {.threads = 1}), verify(*schedule, {.threads = 3})}) {
    CHECK(report.properties[1].violations == 64 + 96 * 3);
    CHECK(describe(counterexample_of(report, "exactly-once")) ==
          std::vector<std::string>{"rank 3 ends without rank 0's contribution to block 0",
                                   "it comes as far as: rank 0 -> 1 at step 0 -> 2 at step 1"});
  }
}

TEST_CASE("symmetry: none where what ranks must end with has none, or where one block of a message differs") {
  const PlainSchedule ring = plain(*find_algorithm("ring")->make(on_line(Collective::reduce_scatter, 4)));
  CHECK(by_symmetry(*listed(ring)).scope == one_of(1, 4, "shifts of ranks by multiples of 1"));
  PlainSchedule to_root = ring;
  to_root.header.collective = Collective::reduce;
  to_root.header.root = 0;
  PlainSchedule owned = ring;
  owned.header.owners = {0, 0, 0, 0};
  PlainSchedule one_more = ring;
  one_more.header.blocks = 5;
  for (const PlainSchedule& changed : {to_root, owned, one_more}) {
    const Report report = by_symmetry(*listed(changed));
    CHECK(report.scope == all);
    CHECK(report.verdict == Verdict::fail);
  }

  // Nor where one block of a message is another.
  PlainSchedule two_lanes{{.collective = Collective::allgather, .ranks = 4, .blocks = 8}, {}};
  for (Rank s = 0; s < 3; ++s) {
    auto& step = two_lanes.steps.emplace_back();
    for (Rank r = 0; r < 4; ++r) {
      const Rank owner = (r - s + 4) % 4;
      step.push_back({r, (r + 1) % 4, {owner, owner + 4}, Op::copy});
    }
  }
  CHECK(by_symmetry(*listed(two_lanes)).verdict == Verdict::pass);
  CHECK(by_symmetry(*listed(two_lanes)).scope == one_of(2, 8, "shifts of ranks by multiples of 1"));
  for (const auto& blocks : {std::vector<Block>{0, 7}, {1, 7}, {3, 4}}) {
    PlainSchedule changed = two_lanes;
    changed.steps[0][3].blocks = blocks;
    const Report report = by_symmetry(*listed(changed));
    CHECK(report.scope == all);
    CHECK(report.verdict == Verdict::fail);
  }
}

TEST_CASE("symmetry: none where blocks turn with their senders, but every other rank sends another") {
  for (const Block other : {0, 1}) {
    PatternedSchedule::Builder builder;
    for (Rank step = 0; step < 3; ++step) {
      builder.begin_step();
      for (const Rank parity : {0, 1}) {
        const Block offset = parity == 1 && step == 2 ? other - step : -step;
        builder.add({.indices = Indices::every_second(parity, 4),
                     .ring = 4,
                     .to = Place::by(1),
                     .blocks = Blocks::relative({offset})},
                    Op::copy);
      }
    }
    const PatternedSchedule schedule({.collective = Collective::allgather, .ranks = 4, .blocks = 4},
                                     std::move(builder));
    CAPTURE(other);
    // The patterns are of every second rank, whatever their messages have in common.
    CHECK(by_symmetry(schedule).scope == one_of(2, 4, "shifts of ranks by multiples of 2"));
    const Report report = by_symmetry(*listed(plain(schedule)));
    CHECK(report.verdict == (other == 0 ? Verdict::pass : Verdict::fail));
    CHECK(report.scope == (other == 0 ? one_of(1, 4, "shifts of ranks by multiples of 1")
                                      : one_of(2, 4, "shifts of ranks by multiples of 2")));
  }
}

TEST_CASE("bounds of the work are the most that is allowed") {
  // 264 messages of a block each, and 144 results; with the symmetry all messages, and a twelfth of all that. Patterns
  // cost nothing.
  const SchedulePtr patterns = find_algorithm("ring")->make(on_line(Collective::allreduce, 12));
  CHECK(verify(*patterns, {.budget = 34, .without_symmetry_up_to = 0}).verdict == Verdict::pass);
  CHECK(verify(*patterns, {.budget = 33, .without_symmetry_up_to = 0}).verdict == Verdict::unknown);
  const SchedulePtr ring = listed(plain(*patterns));
  auto with_budget = [&](std::uint64_t budget) {
    return verify(*ring, {.threads = 1, .budget = budget, .without_symmetry_up_to = 0});
  };
  CHECK(with_budget(298).verdict == Verdict::pass);
  CHECK(with_budget(297).verdict == Verdict::unknown);
  CHECK(with_budget(264).properties[0].summary.find("not judged: 298 ") == 0);
  CHECK(with_budget(263).properties[0].summary.find("not judged: 408 ") == 0);
  CHECK(verify(*ring, {.without_symmetry_up_to = 408}).scope == all);
  CHECK(verify(*ring, {.without_symmetry_up_to = 407}).scope == one_of(1, 12, "shifts of ranks by multiples of 1"));
  CHECK(verdict_of(verify(*ring, {.unrequired_up_to = 408}), "ports") == Verdict::pass);
  CHECK(verdict_of(verify(*ring, {.unrequired_up_to = 407}), "ports") == Verdict::unknown);
}

}  // namespace symmetry_test
