// The view of programs: every operation, every message, and what is wrong in red.

#include "viz/program_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/files.h"
#include "count.h"
#include "drawn_text.h"
#include "formats/msccl_xml.h"
#include "formats/plan_file.h"
#include "schedules/catalogue.h"

namespace program_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

std::string step(int s, const std::string& type) {
  return "<step s=\"" + std::to_string(s) + "\" type=\"" + type +
         "\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
}

/// Two ranks whose one thread block runs the steps, for each rank.
Program two_ranks(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  std::string text =
      "<algo name=\"x\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"2\" "
      "coll=\"allreduce\" inplace=\"1\">\n";
  for (const int rank : {0, 1}) {
    const std::string other = std::to_string(1 - rank);
    text += "<gpu id=\"" + std::to_string(rank) +
            "\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n<tb id=\"0\" send=\"" + other + "\" recv=\"" + other +
            "\" chan=\"0\">\n";
    int s = 0;
    for (const std::string& type : rank == 0 ? first : second) text += step(s++, type);
    text += "</tb>\n</gpu>\n";
  }
  const auto program = read_msccl("x.xml", text + "</algo>\n");
  INFO((program ? "" : program.error().render()));
  REQUIRE(program);
  return *program;
}

constexpr const char* red = "#D55E00";

}  // namespace

TEST_CASE("every operation is a node, every message and step of a thread an edge, nothing red where nothing is wrong") {
  const Program program = two_ranks({"s", "rrc"}, {"s", "rrc"});
  ProgramDrawOptions options;
  const auto dot = as_text(draw_happens_before(program, options));
  REQUIRE(dot);
  CHECK(count(*dot, " [label=") == 4);  // operations
  CHECK(count(*dot, " -> ") == 4);      // two messages and two steps of threads
  CHECK(count(*dot, red) == 0);
  CHECK(dot->svg());
}

TEST_CASE("a deadlock is a red circle, at the depth that is asked for") {
  const Program waiting = two_ranks({"r", "s"}, {"r", "s"});
  CHECK(count(*as_text(draw_happens_before(waiting, {})), red) == 4 + 4);
  const Program sending = two_ranks({"s", "r"}, {"s", "r"});
  CHECK(count(*as_text(draw_happens_before(sending, {})), red) == 0);
  CHECK(count(*as_text(draw_happens_before(sending, {.fifo = 0})), red) > 0);
}

TEST_CASE("of ranks that have nothing near a fault there is no frame") {
  Program waiting = two_ranks({"r", "s"}, {"r", "s"});
  waiting.ranks = 4;
  waiting.operations.push_back({.rank = 3, .instruction = Instruction::wait});
  const auto dot = as_text(draw_happens_before(waiting, {.fold = Fold::always}));
  REQUIRE(dot);
  CHECK(count(*dot, "label=\"rank 1\"") == 1);
  CHECK(count(*dot, "label=\"rank 3\"") == 0);
  CHECK(dot->svg());
}

TEST_CASE("a race that there is only as the runtime runs it is red, and so is a deadlock at the depth that it has") {
  Program program = two_ranks({"s", "re"}, {"r"});
  program.operations[1].source = {Buffer::output, 0, 1};
  CHECK(count(*as_text(draw_happens_before(program, {})), red) == 0);
  program.guarantees.reads_before_end = false;
  const DrawnText race = *as_text(draw_happens_before(program, {}));
  CHECK_THAT(race, Catch::Contains("what joins these two"));
  CHECK(count(race, "penwidth=1.80") == 2);                    // the two accesses
  CHECK(count(race, "color=\"#999999\" penwidth=0.60") == 1);  // the third operation is light
  const Program ahead = two_ranks({"s", "s", "s", "r", "r", "r"}, {"s", "s", "s", "r", "r", "r"});
  CHECK(count(*as_text(draw_happens_before(ahead, {})), red) > 0);
  CHECK(count(*as_text(draw_happens_before(ahead, {.fifo = 3})), red) == 0);
}

TEST_CASE("a message without a counterpart is red") {
  const auto dot = as_text(draw_happens_before(two_ranks({"s", "s", "r"}, {"s", "r"}), {}));
  REQUIRE(dot);
  CHECK(count(*dot, red) == 1);
  CHECK_THAT(*dot, Catch::Contains("a message without its counterpart"));
}

TEST_CASE("a program too large to be seen is refused, unless something is wrong with it") {
  std::vector<std::string> sends(100, "s"), receives(100, "r");
  const auto refused = as_text(draw_happens_before(two_ranks(sends, receives), {}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == DrawError::Kind::too_large);
  CHECK(as_text(draw_happens_before(two_ranks(sends, receives), {.ranks = {0}})));
  receives.pop_back();
  CHECK(as_text(draw_happens_before(two_ranks(sends, receives), {})));
  CHECK_FALSE(as_text(draw_happens_before(two_ranks({"s"}, {"r"}), {.ranks = {2}})));
}

TEST_CASE("folded, a program's ranks that do alike are one, and of what is wrong, what is near is drawn") {
  const auto folded = as_text(draw_happens_before(two_ranks({"s", "rrc"}, {"s", "rrc"}), {.fold = Fold::always}));
  REQUIRE(folded);
  CHECK(count(*folded, "rank 0: 1 of 2") == 1);
  CHECK(count(*folded, "0.0 send to 1") == 1);
  CHECK(count(*folded, "0.1 receive-reduce from 1") + count(*folded, "0.1 receive-reduce-copy from 1") == 1);
  const std::vector<std::string> first(10, "s"), second(9, "r");
  const auto wrong = as_text(draw_happens_before(two_ranks(first, second), {.fold = Fold::always}));
  REQUIRE(wrong);
  CHECK(count(*wrong, red) == 1);
  CHECK(count(*wrong, " [label=") == 2);  // the send without a receive, and what comes before it
  CHECK_THAT(*wrong, Catch::Contains("only those next to them are drawn"));
  CHECK(count(*as_text(draw_happens_before(two_ranks(first, second), {})), "only those next to them are drawn") == 0);
}

namespace {

ExecutionPlan ring_plan(Rank p, bool with_packets) {
  const auto plan = lower_for_mscclpp(*find_algorithm("ring")->make(on_line(Collective::allreduce, p)),
                                      {.with_packets = with_packets});
  REQUIRE(plan);
  return *plan;
}

constexpr Style wide{.width = 7};

std::size_t operations_of(const ExecutionPlan& plan) {
  std::size_t n = 0;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks) n += block.operations.size();
  return n;
}

}  // namespace

TEST_CASE("of a plan every operation is a box, and so is the memory that a put goes to") {
  const ExecutionPlan plan = ring_plan(2, false);
  const auto dot = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "shape=\"box\"") == operations_of(plan) + 4);
  CHECK(count(*dot, "arrowhead=vee") == 6 + 2);  // signals: two handshakes, four messages; two in the key
  CHECK(count(*dot, "arrowhead=normal") >= 4);   // data
  CHECK(count(*dot, red) == 0);
  CHECK(count(*dot, "memory") == 2);
  CHECK(dot->svg());
}

TEST_CASE("packets go to their readers, and nothing to memory") {
  const auto dot = as_text(draw_happens_before(ring_plan(2, true), {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "arrowhead=empty") == 4 + 1);  // one in the key
  CHECK(count(*dot, "memory") == 0);
}

TEST_CASE("what is wrong in a plan has two red outlines, and the verifier's words") {
  ExecutionPlan plan = ring_plan(2, false);
  auto& operations = plan.gpus[0].blocks[0].operations;
  const auto put = std::find_if(operations.begin(), operations.end(), [](const auto& o) { return o.word == "put"; });
  REQUIRE((put + 1)->word == "nop");
  operations.erase(put + 1);
  for (std::size_t k = 0; k < operations.size(); ++k) operations[k].position = static_cast<std::int32_t>(k);
  const auto dot = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "race-free: nothing orders two accesses to") == 1);
  CHECK(count(*dot, red) == 2 * 2 + 1 + 1);  // two operations, the line between them, and the key
}

TEST_CASE("a plan that waits in a circle is drawn, too") {
  ExecutionPlan plan = ring_plan(2, false);
  for (PlanGpu& gpu : plan.gpus) {
    auto& operations = gpu.blocks[0].operations;
    std::swap(operations[0], operations[1]);
    for (std::size_t k = 0; k < operations.size(); ++k) operations[k].position = static_cast<std::int32_t>(k);
  }
  const auto dot = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "deadlock-free: ") == 1);
  CHECK(count(*dot, red) >= 4);
}

TEST_CASE("blocks that meet at a barrier are in one row") {
  ExecutionPlan plan = ring_plan(2, true);
  PlanOperation barrier{.instruction = PlanInstruction::barrier, .word = "barrier", .barrier_blocks = 2};
  plan.gpus[0].blocks.push_back({{barrier}});
  barrier.position = static_cast<std::int32_t>(plan.gpus[0].blocks[0].operations.size());
  plan.gpus[0].blocks[0].operations.push_back(barrier);
  const auto dot = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "barrier 0") == 2);
}

TEST_CASE("folded, a plan's GPUs that do alike are one, and of what is wrong, what is near is drawn") {
  ExecutionPlan plan = ring_plan(8, true);
  const auto folded = as_text(draw_happens_before(plan, {.fold = Fold::always, .style = wide}));
  REQUIRE(folded);
  CHECK(count(*folded, "gpu 0: 1 of 8") == 1);
  CHECK(count(*folded, "times more") >= 1);
  auto& operations = plan.gpus[3].blocks[0].operations;
  operations.erase(operations.begin());
  const auto wrong = as_text(draw_happens_before(plan, {.fold = Fold::always, .style = wide}));
  REQUIRE(wrong);
  CHECK(count(*wrong, red) > 0);
  CHECK(count(*wrong, "Only what is near these operations is drawn") == 1);
}

TEST_CASE("of a large plan only what is beside a fault is drawn, or what is asked for") {
  ExecutionPlan plan = ring_plan(8, false);
  const auto all = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE_FALSE(all);
  CHECK(all.error().message ==
        fmt::format("{} operations are too many to be seen; up to 200 can be drawn", operations_of(plan)));
  CHECK(as_text(draw_happens_before(plan, {.ranks = {0}, .style = wide})));
  auto& operations = plan.gpus[3].blocks[0].operations;
  operations.erase(operations.begin());
  const auto part = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(part);
  CHECK(count(*part, red) > 0);
  CHECK(as_text(draw_happens_before(ring_plan(2, false), {.style = {.width = 1}})).error().kind ==
        DrawError::Kind::too_large);
}

namespace {

ExecutionPlan plan_of(const std::string& file) {
  const std::string name = std::string(ONCEOVER_TEST_DATA) + "/plans/" + file;
  const auto plan = read_plan(name, *onceover::base::read_file(name));
  REQUIRE(plan);
  return *plan;
}

/// Without one of a block's operations.
void drop(PlanBlock& block, std::size_t k) {
  block.operations.erase(block.operations.begin() + static_cast<std::ptrdiff_t>(k));
  for (PlanPipeline& p : block.pipelines) (k < p.first ? p.first : p.count) -= k < p.first + p.count ? 1 : 0;
}

}  // namespace

TEST_CASE("of a plan with pipelines two iterations are drawn") {
  ExecutionPlan plan = plan_of("pipeline.json");
  const auto dot = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "Here each pipeline has 2 iterations.") == 1);
  CHECK(count(*dot, "put i[0] (1)") == 2);
  CHECK(count(*dot, "put i[0] (2)") == 2);
  CHECK(count(*dot, red) == 0);
  const auto folded = as_text(draw_happens_before(plan, {.fold = Fold::always, .style = wide}));
  REQUIRE(folded);
  CHECK(count(*folded, "Here each pipeline has 2 iterations.") == 1);
  REQUIRE(plan.gpus[0].blocks[0].operations[5].word == "nop");
  drop(plan.gpus[0].blocks[0], 5);
  const auto marked = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(marked);
  CHECK(count(*marked, "race-free: nothing orders two accesses to") == 1);
  CHECK(count(*marked, red) == 2 + 1);  // the put of the first iteration, which the caller reads too early; and the key
}

TEST_CASE("of a fault that takes several iterations these are drawn, and just its operations are red") {
  ExecutionPlan plan = plan_of("scratch_ring.json");
  for (PlanGpu& gpu : plan.gpus) {
    drop(gpu.blocks[0], 0);
    drop(gpu.blocks[1], 8);
  }
  const auto dot = as_text(draw_happens_before(plan, {.style = wide}));
  REQUIRE(dot);
  CHECK(count(*dot, "Here each pipeline has 5 iterations.") == 1);
  CHECK(count(*dot, "this happens with 5 iterations of each pipeline") == 1);
  CHECK(count(*dot, "(5)") >= 1);
  CHECK(count(*dot, "(6)") == 0);
  CHECK(count(*dot, red) <= 2 * 2 + 1 + 1);
  CHECK(count(*dot, red) >= 2 * 2 + 1);
}

TEST_CASE("what is wrong is found once, for pictures of any width") {
  const Program program = two_ranks({"s", "rrc"}, {"s", "rrc"});
  const OrderPictures pictures = happens_before(program, std::nullopt);
  for (const double width : {3.3, 5.0, 7.0}) {
    const ProgramDrawOptions options{.style = {.width = width}};
    CHECK(as_text(pictures(options)).value() == as_text(draw_happens_before(program, options)).value());
  }
}

}  // namespace program_view_test
