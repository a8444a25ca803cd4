// The view vectors: blocks that move alike as one, every move of every block compared, and PAT's parallel trees.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "count.h"
#include "drawn_text.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "viz/distributed_vector.h"
#include "viz/messages.h"
#include "viz/view.h"

namespace vectors_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

SchedulePtr schedule_of(std::string_view algorithm, std::vector<Rank> shape,
                        std::map<std::string, std::string, std::less<>> settings = {},
                        std::optional<Collective> collective = {}) {
  const Algorithm* row = find_algorithm(algorithm);
  const Request request{.collective = collective.value_or(row->collectives.front()),
                        .shape = std::move(shape),
                        .settings = std::move(settings)};
  REQUIRE_FALSE(refusal(*row, request));
  return row->make(request);
}

DistributedVector vector_of(const Schedule& schedule, Block block = 0) {
  auto vector = distributed_vector(schedule, block);
  if (!vector) FAIL(vector.error().message);
  return *std::move(vector);
}

std::string refusal_of(const Schedule& schedule) {
  const auto vector = distributed_vector(schedule, 0);
  return vector ? "" : vector.error().message;
}

DrawnText drawn(const Schedule& schedule, const DrawOptions& options = {}) {
  const auto dot = as_text(draw(vectors_view, schedule, options));
  if (!dot) FAIL(dot.error().message);
  return *dot;
}

std::vector<Rank> roots_of(const Schedule& schedule) {
  const DistributedVector vector = vector_of(schedule);
  const bool is_backwards = vector.moves.front().op == Op::reduce;
  const auto trees = parallel_trees(vector.moves, is_backwards);
  return trees ? trees->roots : std::vector<Rank>{};
}

}  // namespace

TEST_CASE("the bandwidth-optimal schedule for 7 ranks folds 7 vectors to 4, 2 and 1") {
  const auto moves = vector_of(*schedule_of("generalized", {7})).moves;
  const std::vector<VectorMove> expected{{0, Op::reduce, 4, 1}, {0, Op::reduce, 5, 2}, {0, Op::reduce, 6, 3},
                                         {1, Op::reduce, 2, 0}, {1, Op::reduce, 3, 1}, {2, Op::reduce, 1, 0},
                                         {3, Op::copy, 0, 1},   {4, Op::copy, 0, 2},   {4, Op::copy, 1, 3},
                                         {5, Op::copy, 1, 4},   {5, Op::copy, 2, 5},   {5, Op::copy, 3, 6}};
  CHECK(moves == expected);
  const std::string dot = drawn(*schedule_of("generalized", {7}));
  for (const std::string right : {"3 by t^-3", "2 by t^-2", "1 by t^-1", "1 by t^1", "2 by t^2", "3 by t^3"})
    CHECK(count(dot, "label=\"" + right + "\\l") == 1);
  CHECK(count(dot, "label=\"all\"") == 1 + 2 + 4 + 7);
  CHECK(count(dot, "label=\"1,4\"") == 1);
}

TEST_CASE("the moves of a vector are those of all its blocks") {
  const std::vector<SchedulePtr> schedules{
      schedule_of("ring", {7}),      schedule_of("generalized", {12}), schedule_of("bruck", {7}),
      schedule_of("circulant", {9}), schedule_of("rabenseifner", {8}), schedule_of("swing", {8}),
      schedule_of("swing", {4, 4}),  schedule_of("bucket", {2, 3, 4}), schedule_of("pat", {7}, {{"aggregation", "2"}}),
      schedule_of("swing", {2, 6})};
  for (const SchedulePtr& schedule : schedules) {
    CAPTURE(title_of(schedule->header()));
    const DistributedVector vector = vector_of(*schedule, schedule->header().blocks - 1);
    std::size_t moved = 0;
    const SelectedMessages selection = select(*schedule, {}).value();
    for (const Message& m : selection.messages) moved += static_cast<std::size_t>(m.size);
    CHECK(vector.moves.size() * static_cast<std::size_t>(schedule->header().blocks) == moved);
    // Places are those of each block: the sender and the receiver of a move are found by them.
    const auto plain_schedule = plain(*schedule);
    for (const VectorMove& move : vector.moves)
      for (Block block = 0; block < schedule->header().blocks; ++block) {
        const Rank owner = schedule->header().owner(block);
        const auto& transfers = plain_schedule.steps[static_cast<std::size_t>(move.step)];
        CHECK(std::any_of(transfers.begin(), transfers.end(), [&](const PlainTransfer& t) {
          return t.op == move.op && vector.placing.place(owner, t.src) == move.from &&
                 vector.placing.place(owner, t.dst) == move.to &&
                 std::find(t.blocks.begin(), t.blocks.end(), block) != t.blocks.end();
        }));
      }
  }
}

TEST_CASE("a place is one rank for each owner, and each rank once") {
  for (const auto kind : {Placing::Kind::turned, Placing::Kind::exclusive, Placing::Kind::mirrored}) {
    const Placing placing(kind, {2, 4});
    for (Rank owner = 0; owner < 8; ++owner) {
      CHECK(placing.place(owner, owner) == 0);
      std::set<Rank> places;
      for (Rank rank = 0; rank < 8; ++rank) places.insert(placing.place(owner, rank));
      CHECK(places.size() == 8);
      CHECK((*places.begin() == 0 && *places.rbegin() == 7));
    }
  }
  CHECK(Placing(Placing::Kind::turned, {7}).permutation(5, 2) == "t^-3");
  CHECK(Placing(Placing::Kind::turned, {4, 4}).permutation(0, 13) == "t(-1,1)");
  CHECK(Placing(Placing::Kind::exclusive, {8}).permutation(3, 6) == "xor 5");
}

TEST_CASE("one block that moves otherwise is refused") {
  std::mt19937 random(1);
  for (int k = 0; k < 50; ++k) {
    PlainSchedule ring = plain(*schedule_of("ring", {5}));
    auto& step = ring.steps[random() % ring.steps.size()];
    PlainTransfer& transfer = step[random() % step.size()];
    switch (k % 3) {
      case 0: transfer.blocks[0] = (transfer.blocks[0] + 1 + static_cast<Block>(random() % 4)) % 5; break;
      case 1: transfer.op = transfer.op == Op::copy ? Op::reduce : Op::copy; break;
      default: transfer = PlainTransfer(step[(static_cast<std::size_t>(&transfer - step.data()) + 1) % step.size()]);
    }
    CHECK_THAT(refusal_of(*listed(ring)), Catch::Contains("don't move alike"));
  }
  CHECK_THAT(refusal_of(*schedule_of("swing", {7})), Catch::Contains("don't move alike"));
  CHECK_THAT(refusal_of(*schedule_of("binomial-tree", {8})), Catch::Contains("broadcast has no blocks"));
  CHECK_THAT(refusal_of(*schedule_of("swing-latency", {8})), Catch::Contains("so blocks make no vectors"));
}

TEST_CASE("of 4096 ranks one block of each orbit is compared, and one that moves otherwise is found") {
  const SchedulePtr schedule = schedule_of("swing", {64, 64});
  const DistributedVector vector = vector_of(*schedule);
  CHECK(vector.moves.size() * static_cast<std::size_t>(schedule->header().blocks) == schedule->block_transfers());
  PlainSchedule wrong = plain(*schedule_of("swing", {8, 8}));
  REQUIRE(vector_of(*listed(wrong)).moves == vector_of(*schedule_of("swing", {8, 8})).moves);
  for (PlainTransfer& t : wrong.steps[3])
    if (t.src == 61) std::swap(t.op, wrong.steps[9].front().op);
  CHECK_THAT(refusal_of(*listed(wrong)), Catch::Contains("don't move alike"));
}

TEST_CASE("one step less needs scratch, and its places are numbered on") {
  const SchedulePtr schedule = schedule_of("generalized", {7}, {{"removed-steps", "1"}});
  const DistributedVector vector = vector_of(*schedule);
  CHECK(vector.slots == 2);
  const std::string dot = drawn(*schedule);
  CHECK(count(dot, "From 7 on") == 1);
  CHECK(count(dot, "label=\"4 by t^-3\\l") == 1);  // one vector more in each step that reduces
  CHECK(count(dot, "!\"") == 0);                   // and none twice
}

TEST_CASE("a vector that arrives twice is marked") {
  PlainSchedule twice{{.collective = Collective::reduce_scatter, .ranks = 3, .blocks = 3}, {}};
  for (int step = 0; step < 2; ++step) {
    twice.steps.emplace_back();
    for (Rank r = 0; r < 3; ++r) twice.steps.back().push_back({(r + 1) % 3, r, {r}, Op::reduce});
  }
  const std::string dot = drawn(*listed(twice));
  CHECK(count(dot, "label=\"0,1!\"") == 1);
  CHECK(count(dot, "more than once.") == 1);
}

TEST_CASE("what doubles in each of many steps stays marked") {
  PlainSchedule doubling{{.collective = Collective::allreduce, .ranks = 2, .blocks = 2}, {}};
  for (int step = 0; step < 40; ++step) {
    doubling.steps.emplace_back();
    for (Rank r = 0; r < 2; ++r) doubling.steps.back().push_back({r, 1 - r, {0, 1}, Op::reduce});
  }
  CHECK(count(drawn(*listed(doubling), {.steps = {{38, 39}}}), "label=\"0,1!\"") == 6);
}

TEST_CASE("PAT has as many parallel trees as it aggregates blocks") {
  const auto pat = [](Rank p, int aggregation, Collective collective) {
    return roots_of(*schedule_of("pat", {p}, {{"aggregation", fmt::format("{}", aggregation)}}, collective));
  };
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    CHECK(pat(8, 2, collective) == std::vector<Rank>{0, 4});
    CHECK(pat(16, 4, collective) == std::vector<Rank>{0, 4, 8, 12});
    CHECK(pat(16, 2, collective) == std::vector<Rank>{0, 8});
    CHECK(pat(7, 2, collective) == std::vector<Rank>{0, 4});
    CHECK(pat(16, 8, collective).empty());  // Bruck's algorithm, far dimensions first
    CHECK(pat(8, 1, collective).empty());
  }
  CHECK(roots_of(*schedule_of("bruck", {16})).empty());
  CHECK(roots_of(*schedule_of("ring", {6}, {}, Collective::allgather)).empty());
  const std::string dot = drawn(*schedule_of("pat", {8}, {{"aggregation", "2"}}));
  CHECK(count(dot, "label=\"tree of 4\\l") == 1);
  CHECK(count(dot, "label=\"above the parallel trees\\l") == 1);
}

TEST_CASE("trees of both halves are told apart by their roots") {
  PlainSchedule both = plain(*schedule_of("pat", {8}, {{"aggregation", "2"}}, Collective::reduce_scatter));
  both.header.collective = Collective::allreduce;
  const std::vector<std::vector<std::pair<Rank, Rank>>> copies{
      {{0, 1}}, {{0, 2}, {1, 3}}, {{0, 4}, {1, 5}}, {{2, 6}, {3, 7}}};
  for (const auto& step : copies) {
    both.steps.emplace_back();
    for (const auto& [from, to] : step)
      for (Rank owner = 0; owner < 8; ++owner)
        both.steps.back().push_back({(owner + from) % 8, (owner + to) % 8, {owner}, Op::copy});
  }
  const std::string dot = drawn(*listed(both));
  for (const char* tree : {"tree of 0", "tree of 1", "tree of 4"}) CHECK(count(dot, tree) == 1);
}

TEST_CASE("many steps are thinned, or too tall before anything is computed") {
  DrawOptions options;
  const auto plain_picture = as_text(draw(vectors_view, *schedule_of("ring", {16}), options));
  REQUIRE_FALSE(plain_picture);
  CHECK(plain_picture.error().kind == DrawError::Kind::too_large);
  options.thinned = true;
  CHECK(count(drawn(*schedule_of("ring", {16}), options), "label=\"1 by t^1\\l") == 15);
  for (const Rank p : {128, 1024}) CHECK_FALSE(as_text(draw(vectors_view, *schedule_of("ring", {p}), options)));
}

TEST_CASE("a schedule's name stays in its quotes, and the picture can be rendered") {
  const auto svg_of = [](const std::string& name) {
    PlainSchedule ring = plain(*schedule_of("ring", {3}));
    ring.header.algorithm = name;
    return drawn(*listed(ring)).svg().value();
  };
  const std::string harmless = svg_of("harmless");
  for (const std::string name : {"\"];evil[label=\"", "<script>alert(1)</script>", "\\", "-->", "\xff\x01{|}"})
    CHECK(count(svg_of(name), "<") == count(harmless, "<"));
}

}  // namespace vectors_view_test
