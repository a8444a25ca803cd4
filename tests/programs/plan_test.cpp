#include "formats/plan.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "formats/plan_file.h"
#include "plan_interpreter.h"
#include "programs/plan_graph.h"
#include "programs/plan_pipelines.h"
#include "programs/plan_size.h"
#include "programs/program_certificate.h"
#include "programs/verify_plan.h"

namespace plan_test {

using namespace onceover::support;

namespace {

ExecutionPlan plan_of(const std::string& name) {
  std::ifstream file(std::string(ONCEOVER_TEST_DATA) + "/plans/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  auto plan = read_plan(name, text.str());
  if (!plan) FAIL(plan.error().render());
  return *std::move(plan);
}

std::vector<PlanOperation>& operations(ExecutionPlan& plan, std::size_t rank, std::size_t block = 0) {
  return plan.gpus[rank].blocks[block].operations;
}

void drop(ExecutionPlan& plan, std::size_t rank, std::size_t k) {
  auto& all = operations(plan, rank);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
}

/// The same for an operation of a block with pipelines.
void drop(ExecutionPlan& plan, std::size_t rank, std::size_t block, std::size_t k) {
  auto& all = operations(plan, rank, block);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
  for (PlanPipeline& p : plan.gpus[rank].blocks[block].pipelines)
    if (k < p.first)
      --p.first;
    else if (k < p.first + p.count)
      --p.count;
}

constexpr std::uint64_t mebi = 1 << 20;

VerifyOptions up_to(std::uint64_t bytes) {
  return {.sizes = MessageSizes{.most = bytes}};
}

Verdict verdict(const Report& report, const Property& property) {
  return report.find(property)->verdict;
}

/// The properties that fail, in words.
std::string failing(const ExecutionPlan& plan, const VerifyOptions& options = {}) {
  std::string all;
  for (const PropertyResult& p : verify(plan, options).properties)
    if (p.verdict == Verdict::fail) all += (all.empty() ? "" : " ") + std::string(p.id);
  return all;
}

}  // namespace

TEST_CASE("plans: an allgather with handshakes passes") {
  const Report report = verify(plan_of("allgather.json"));
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.program->operations == 16);
}

TEST_CASE("plans: each edit of the allgather fails as it should") {
  ExecutionPlan plan = plan_of("allgather.json");
  SECTION("no nop before the signal: other threads may still be storing") {
    drop(plan, 0, 5);
    CHECK(failing(plan) == "race-free");
  }
  SECTION("no nop behind the wait: other threads put before it") {
    drop(plan, 0, 3);
    CHECK(failing(plan) == "repeatable");
  }
  SECTION("one rank doesn't wait for the data") {
    drop(plan, 0, 7);
    CHECK(failing(plan) == "race-free balanced");
  }
  SECTION("nobody signals or waits for the data") {
    for (const std::size_t rank : {0U, 1U})
      for (const std::size_t k : {7U, 6U}) drop(plan, rank, k);
    CHECK(failing(plan) == "race-free exactly-once");
  }
  SECTION("a put to the wrong chunk") {
    operations(plan, 1)[4].targets[0].index = 0;
    CHECK(failing(plan) == "race-free exactly-once");
  }
  SECTION("both wait first") {
    for (const std::size_t rank : {0U, 1U}) std::swap(operations(plan, rank)[0], operations(plan, rank)[2]);
    CHECK(failing(plan) == "deadlock-free");
  }
  SECTION("no handshake at the begin: the second call puts into an output that may be in use") {
    for (const std::size_t rank : {0U, 1U})
      for (const std::size_t k : {2U, 0U}) drop(plan, rank, k);
    CHECK(failing(plan) == "repeatable");
  }
  SECTION("a relaxed handshake suffices") {
    for (const std::size_t rank : {0U, 1U})
      for (const std::size_t k : {0U, 2U}) operations(plan, rank)[k].is_relaxed = true;
    CHECK(verify(plan).verdict == Verdict::pass);
  }
  SECTION("data published by relaxed signals isn't known to be seen") {
    for (const std::size_t rank : {0U, 1U})
      for (const std::size_t k : {6U, 7U}) operations(plan, rank)[k].is_relaxed = true;
    const Report report = verify(plan);
    CHECK(report.verdict == Verdict::unknown);
    CHECK(verdict(report, race_free_property) == Verdict::unknown);
    CHECK(report.find(race_free_property)->summary.starts_with("relaxed"));
  }
}

namespace {

/// The repair in the counterexample of a property.
std::optional<NopRepair> repair(const Report& report) {
  for (const PropertyResult& p : report.properties)
    if (p.counterexample)
      if (const NopRepair* found = nop_repair(*p.counterexample)) return *found;
  return std::nullopt;
}

ExecutionPlan repaired(ExecutionPlan plan, const NopRepair& repair) {
  auto& all = operations(plan, static_cast<std::size_t>(repair.rank), static_cast<std::size_t>(repair.block));
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const PlanOperation& o) { return o.position == repair.before; });
  all.insert(at, PlanOperation{.word = "nop"});
  return plan;
}

/// Each operation's position is its place, as the reader leaves it.
void renumber(ExecutionPlan& plan) {
  for (PlanGpu& gpu : plan.gpus)
    for (PlanBlock& block : gpu.blocks)
      for (std::size_t k = 0; k < block.operations.size(); ++k)
        block.operations[k].position = static_cast<std::int32_t>(k);
}

}  // namespace

TEST_CASE("plans: any nop whose absence makes a plan fail is found") {
  std::size_t failures = 0;
  for (const char* name :
       {"allgather.json", "reducescatter_blocks.json", "sendrecv_port.json", "allreduce_switch.json"}) {
    const ExecutionPlan whole = plan_of(name);
    for (std::size_t rank = 0; rank < whole.gpus.size(); ++rank)
      for (std::size_t block = 0; block < whole.gpus[rank].blocks.size(); ++block)
        for (std::size_t k = 0; k < whole.gpus[rank].blocks[block].operations.size(); ++k) {
          CAPTURE(name, rank, block, k);
          ExecutionPlan plan = whole;
          auto& all = operations(plan, rank, block);
          if (all[k].instruction != PlanInstruction::nop) continue;
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
          renumber(plan);
          const Report report = verify(plan);
          if (report.verdict != Verdict::fail) continue;
          ++failures;
          const auto found = repair(report);
          REQUIRE(found);
          CHECK(found->passes);
          CHECK(found->still_fails.empty());
          CHECK(verify(repaired(plan, *found)).verdict == Verdict::pass);
        }
  }
  CHECK(failures >= 6);
}

TEST_CASE("plans: a nop is offered only for what it was seen to repair") {
  ExecutionPlan plan = plan_of("allgather.json");
  SECTION("two copies to one place in a block") {
    auto& all = operations(plan, 0);
    all.insert(all.begin() + 1, PlanOperation(all[1]));
    renumber(plan);
    const auto found = repair(verify(plan));
    REQUIRE(found);
    CHECK(text(*found) == "needs a nop between operations 1 and 2 of gpu 0, block 0; the plan with it passes");
  }
  SECTION("both ranks lack one") {
    for (const std::size_t rank : {0U, 1U}) drop(plan, rank, 5);
    renumber(plan);
    const Report report = verify(plan);
    CHECK(!repair(report));
    CHECK(describe(*report.find(race_free_property)->counterexample).back() ==
          "needs a nop between operations 4 and 5 of block 0 on every GPU; the plan with them passes");
  }
  SECTION("one nop of two that are missing in different places") {
    drop(plan, 0, 5);
    drop(plan, 1, 3);
    renumber(plan);
    const auto found = repair(verify(plan));
    REQUIRE(found);
    CHECK(!found->passes);
    CHECK(text(*found) ==
          "a nop between operations 4 and 5 of gpu 0, block 0 removes this race, but the plan with it still fails "
          "repeatable");
    CHECK(verify(repaired(plan, *found)).verdict == Verdict::fail);
  }
  SECTION("blocks that share an operation in many slices") {
    plan = plan_of("reducescatter_blocks.json");
    for (PlanGpu& gpu : plan.gpus)
      for (PlanBlock& block : gpu.blocks)
        for (PlanOperation& o : block.operations)
          if (o.slice.parts > 1) o.slice.parts = 16;
    // The other 14 parts are left out, so the result is wrong; the race is repaired all the same.
    auto& all = operations(plan, 0, 1);
    std::erase_if(all, [](const PlanOperation& o) { return o.instruction == PlanInstruction::nop; });
    renumber(plan);
    CHECK(repair(verify(plan)));
  }
  SECTION("nobody signals: no nop orders the ranks") {
    for (const std::size_t rank : {0U, 1U})
      for (const std::size_t k : {7U, 6U}) drop(plan, rank, k);
    renumber(plan);
    const Report report = verify(plan);
    CHECK(verdict(report, race_free_property) == Verdict::fail);
    CHECK(!repair(report));
  }
  SECTION("ranges of one operation overlap") {
    operations(plan, 0)[1].targets.push_back(operations(plan, 0)[1].targets[0]);
    const Report report = verify(plan);
    CHECK(verdict(report, race_free_property) == Verdict::fail);
    CHECK(!repair(report));
  }
  SECTION("the block has no room for another operation") {
    drop(plan, 0, 5);
    auto& all = operations(plan, 0);
    all.resize(static_cast<std::size_t>(most_block_operations) - 1, PlanOperation{.word = "nop"});
    renumber(plan);
    CHECK(repair(verify(plan)));
    all.push_back(PlanOperation{.word = "nop"});
    renumber(plan);
    const Report report = verify(plan);
    CHECK(report.verdict == Verdict::fail);
    CHECK(!repair(report));
  }
}

TEST_CASE("plans: the data of a collective that isn't known isn't judged, and the name that it may be is told") {
  ExecutionPlan plan = plan_of("allgather.json");
  plan.collective = "all_gather";
  const Report report = verify(plan);
  CHECK(report.verdict == Verdict::unknown);
  CHECK(report.find(exactly_once_property)->required);
  CHECK(report.find(exactly_once_property)->summary.ends_with("did you mean 'allgather'?"));
  const Report without = verify(plan, {.without_data = true});
  CHECK(without.verdict == Verdict::pass);
  CHECK(without.scope.ends_with("its data isn't judged"));
  plan.collective = "custom";
  CHECK(verify(plan).verdict == Verdict::unknown);
  SECTION("what else fails still does") {
    drop(plan, 0, 5);
    CHECK(failing(plan, {.without_data = true}) == "race-free");
  }
  SECTION("in place nothing says what is shared") {
    plan.in_place = true;
    CHECK(verify(plan, {.without_data = true}).verdict == Verdict::unknown);
  }
  SECTION("what is known is judged all the same") {
    plan.collective = "allgather";
    operations(plan, 0)[1].targets[0].index = 1;
    CHECK(!failing(plan, {.without_data = true}).empty());
  }
  SECTION("whoever asks for it gets it") {
    const VerifyOptions asked{.required = {"exactly-once"}, .without_data = true};
    CHECK(verify(plan, asked).verdict == Verdict::unknown);
  }
}

TEST_CASE("plans: nothing says what sendrecv shares in place") {
  ExecutionPlan plan = plan_of("sendrecv_port.json");
  CHECK(verify(plan).verdict == Verdict::pass);
  plan.in_place = true;
  const Report report = verify(plan);
  CHECK(report.verdict == Verdict::unknown);
  CHECK(failing(plan).empty());
  CHECK(!plan_certificate(plan));
}

TEST_CASE("plans: a pass says what was tried, and what wasn't") {
  ExecutionPlan plan = plan_of("allreduce_packets.json");
  const Report report = verify(plan);
  CHECK(report.scope.find("4 calls in a row") != std::string::npos);
  CHECK(report.not_tried.front() == "calls of different sizes in a row");
  CHECK(report.not_tried[1] == "other plans between the calls");
  plan = plan_of("allgather.json");
  CHECK(verify(plan).scope.find("out of place, for all sizes of messages below 4 GiB, 2 calls") != std::string::npos);
  CHECK(verify(plan_of("sendrecv_port.json")).not_tried[1].starts_with("what the runtime of August 2026"));
}

TEST_CASE("plans: a packet that is written twice is a race, and that alone") {
  ExecutionPlan plan = plan_of("allreduce_packets.json");
  for (const std::size_t rank : {0U, 1U}) operations(plan, rank).push_back(operations(plan, rank)[0]);
  renumber(plan);
  CHECK(failing(plan) == "race-free");
  const Report report = verify(plan);
  CHECK(verdict(report, deadlock_free_property) == Verdict::pass);
  const auto lines = describe(*report.find(race_free_property)->counterexample);
  CHECK(lines[0] == "the packets in gpu 0's s[0] of half 0 are written twice in a call");
  CHECK(lines[1].starts_with("gpu 1, block 0, operation 0 (ppkt"));
  CHECK(lines[2].starts_with("gpu 1, block 0, operation 2 (ppkt"));
  CHECK(lines[3].starts_with("gpu 0, block 0, operation 1 (repkt"));
}

namespace {

/// The lines about the property that fails.
std::vector<std::string> lines_of(const ExecutionPlan& plan, const Property& property) {
  const Report report = verify(plan);
  REQUIRE(report.find(property)->counterexample);
  return describe(*report.find(property)->counterexample);
}

bool has_line(const std::vector<std::string>& lines, const std::string& begin) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(begin); });
}

}  // namespace

TEST_CASE("plans: a race names the wait that seems to order it, and why it doesn't") {
  ExecutionPlan plan = plan_of("allgather.json");
  SECTION("no nop before the signal") {
    drop(plan, 0, 5);
    renumber(plan);
    const auto lines = lines_of(plan, race_free_property);
    CHECK(has_line(lines, "gpu 1, block 0, operation 7 (wait"));
    CHECK(has_line(lines,
                   "but the threads of gpu 0, block 0 don't meet between operations 4 and 5: no nop stands there"));
  }
  SECTION("the signal comes before the put") {
    for (const std::size_t rank : {0U, 1U})
      std::rotate(&operations(plan, rank)[4], &operations(plan, rank)[6], &operations(plan, rank)[7]);
    renumber(plan);
    const auto lines = lines_of(plan, race_free_property);
    CHECK(has_line(lines, "gpu 1, block 0, operation 7 (wait"));
    CHECK(has_line(lines, "but it waits for gpu 0, block 0, operation 4 (signal"));
  }
  SECTION("nobody waits") {
    for (const std::size_t rank : {0U, 1U})
      for (const std::size_t k : {7U, 6U, 2U, 0U}) drop(plan, rank, k);
    renumber(plan);
    CHECK(has_line(lines_of(plan, race_free_property), "nothing makes either wait"));
  }
}

TEST_CASE("plans: where waits on a channel have no order, what races under any matching races") {
  ExecutionPlan plan = plan_of("allgather.json");
  auto& first = operations(plan, 0);
  const PlanOperation wait = first[2], nop = first[3], copy = first[1];
  operations(plan, 1).insert(operations(plan, 1).begin(), PlanOperation(operations(plan, 1)[0]));  // a signal more
  SECTION("two copies to one place") {
    plan.gpus[0].blocks.push_back({{wait, nop, copy}});
    renumber(plan);
    CHECK(failing(plan) == "race-free");
    CHECK(has_line(lines_of(plan, race_free_property), "whichever of the waits"));
  }
  SECTION("a block that only waits") {
    plan.gpus[0].blocks.push_back({{wait}});
    renumber(plan);
    CHECK(failing(plan).empty());
    CHECK(verify(plan).verdict == Verdict::unknown);
  }
}

TEST_CASE("plans: the caller may overwrite what a port channel still reads, until a flush") {
  ExecutionPlan plan = plan_of("sendrecv_port.json");
  drop(plan, 0, 5);
  renumber(plan);
  SECTION("on one GPU") {
    const auto lines = lines_of(plan, repeatable_property);
    CHECK(lines[0] ==
          "the caller of call 2 may overwrite gpu 0's i[0] while port channel 0 still reads it: no flush after "
          "the put");
    CHECK(has_line(lines, "before call 2 starts, the caller may overwrite it"));
    CHECK(lines.back() == "needs a flush of port channel 0 at the end of gpu 0, block 0; the plan with it passes");
  }
  SECTION("on all") {
    drop(plan, 1, 5);
    renumber(plan);
    CHECK(lines_of(plan, repeatable_property).back() ==
          "needs a flush of its port channels at the end of each block that puts on some; the plan with them passes");
  }
}

TEST_CASE("plans: of two puts that race, the one that nobody waits for is told first") {
  ExecutionPlan plan = plan_of("allgather.json");
  const PlanOperation put = operations(plan, 0)[4];
  plan.gpus[0].blocks.push_back({{put}});
  renumber(plan);
  const auto lines = lines_of(plan, race_free_property);
  CHECK(lines[1].starts_with("gpu 0, block 1, operation 0 (put"));
}

TEST_CASE("plans: packets need two halves of scratch to be called again") {
  ExecutionPlan plan = plan_of("allreduce_packets.json");
  CHECK(verify(plan).verdict == Verdict::pass);
  SECTION("one half") {
    plan.has_two_halves = false;
    CHECK(failing(plan) == "repeatable");
  }
  SECTION("a packet that nobody sends") {
    drop(plan, 0, 0);
    CHECK(failing(plan) == "deadlock-free");
  }
  SECTION("what can't be judged is unknown") {
    plan.unjudged = "a reason";
    const Report report = verify(plan);
    CHECK(report.verdict == Verdict::unknown);
    CHECK(failing(plan).empty());
  }
}

TEST_CASE("plans: halves of scratch of different sizes aren't judged") {
  ExecutionPlan plan = plan_of("allreduce_packets.json");
  ++plan.gpus[0].chunks.scratch;
  CHECK(verify(plan).verdict == Verdict::unknown);
  CHECK(failing(plan).empty());
  for (PlanGpu& gpu : plan.gpus) gpu.chunks.scratch = plan.gpus[0].chunks.scratch;
  CHECK(verify(plan).verdict == Verdict::pass);
}

TEST_CASE("plans: packets where data is written aren't judged") {
  ExecutionPlan plan = plan_of("plain_packets.json");
  const Report report = verify(plan);
  CHECK(report.verdict == Verdict::unknown);
  CHECK(failing(plan).empty());
  CHECK(report.find(race_free_property)->summary.find("waits for packets where plain data") != std::string::npos);
  for (std::size_t rank : {0, 1}) operations(plan, rank)[0].targets[0].index = 1;  // apart from the packets
  CHECK(verify(plan).verdict == Verdict::unknown);                                 // the packet has two cells
  for (PlanGpu& gpu : plan.gpus) gpu.chunks.scratch = 4;
  for (std::size_t rank : {0, 1}) operations(plan, rank)[0].targets[0].index = 2;
  CHECK(verify(plan).verdict == Verdict::pass);
}

TEST_CASE("plans: an operation that does nothing changes no verdict") {
  ExecutionPlan plan = as_executed(plan_of("skipped_flush.json"));
  CHECK(verify(plan).verdict == Verdict::unknown);  // a signal that may wait for the packets before it
  drop(plan, 0, 2);
  CHECK(verify(plan).verdict == Verdict::unknown);
  std::swap(operations(plan, 0)[1], operations(plan, 0)[2]);
  CHECK(verify(plan).verdict == Verdict::pass);
}

TEST_CASE("plans: slices that get no unit") {
  const ExecutionPlan plan = plan_of("small_slices.json");
  CHECK(plan.notes.empty());
  CHECK(verify(plan).verdict == Verdict::pass);
  CHECK(verify(as_executed(plan)).verdict == Verdict::pass);
}

TEST_CASE("plans: what the executor does isn't known of all operations") {
  ExecutionPlan plan = plan_of("allreduce_packets.json");
  CHECK(!as_executed(plan).unjudged);
  for (PlanGpu& gpu : plan.gpus)
    for (PlanOperation& o : gpu.blocks[0].operations)
      if (o.instruction == PlanInstruction::put_packets) o.channel = ChannelType::port;
  CHECK(as_executed(plan).unjudged);
  CHECK(differences_of_executor(plan).size() == 1);
  plan = plan_of("scratch_ring.json");
  const VerifyOptions options = up_to(8 * mebi);
  CHECK(verify(as_executed(plan), options).verdict == verify(plan, options).verdict);
  for (PlanGpu& gpu : plan.gpus)
    for (PlanBlock& block : gpu.blocks)
      for (const PlanPipeline& p : block.pipelines) block.operations[p.first].instruction = PlanInstruction::reduce;
  CHECK(as_executed(plan).unjudged);
}

TEST_CASE("plans: a barrier needs exactly its blocks") {
  ExecutionPlan plan = plan_of("allgather.json");
  PlanOperation barrier;
  barrier.instruction = PlanInstruction::barrier;
  barrier.word = "barrier";
  barrier.barrier_blocks = 2;
  operations(plan, 0).push_back(barrier);
  CHECK(failing(plan) == "well-formed");
  plan.gpus[0].blocks.push_back({{barrier}});
  CHECK(failing(plan).empty());
  operations(plan, 0, 1).push_back(barrier);
  CHECK(failing(plan) == "well-formed");
}

TEST_CASE("plans: sizes stand for all others") {
  ExecutionPlan plan = plan_of("allgather.json");
  CHECK(sizes_to_judge(plan, sizes_of(plan)) == std::vector<std::uint32_t>{1});
  operations(plan, 0)[1].slice = {0, 2};
  CHECK(sizes_to_judge(plan, sizes_of(plan)) == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
  plan.max_bytes = 2 * 16 * 2;  // of the output: two units in each of two chunks
  CHECK(sizes_to_judge(plan, sizes_of(plan)) == std::vector<std::uint32_t>{1, 2});
  plan.min_bytes = plan.max_bytes = 1;
  CHECK(sizes_to_judge(plan, sizes_of(plan))->empty());
  CHECK(failing(plan) == "well-formed");
  plan.min_bytes = 0;
  plan.max_bytes = UINT64_MAX;
  operations(plan, 0)[1].slice = {0, 251};
  CHECK(!sizes_to_judge(plan, sizes_of(plan)));
  CHECK(verify(plan).verdict == Verdict::unknown);
}

TEST_CASE("plans: sizes that are asked for") {
  ExecutionPlan plan = plan_of("allgather.json");
  CHECK(verify(plan, up_to(mebi)).verdict == Verdict::pass);
  CHECK(verify(plan, up_to(mebi)).scope ==
        "every unit of memory, out of place, for all messages of 32 to 1048576 bytes, 2 calls in a row");
  CHECK(failing(plan, up_to(16)) == "well-formed");  // the output has two chunks of at least 16 bytes
  plan.max_bytes = mebi;
  CHECK(verify(plan, up_to(mebi)).verdict == Verdict::pass);
  CHECK(failing(plan, up_to(mebi + 1)) == "well-formed");
  CHECK(verify(plan, {.sizes = MessageSizes{.least = 64}}).verdict == Verdict::pass);
  const auto scope = [&](std::uint64_t least, std::uint64_t most) {
    return verify(plan, {.sizes = MessageSizes{least, most}}).scope;
  };
  CHECK(scope(100, 2000) ==
        "every unit of memory, out of place, for all messages of 128 to 1984 bytes, 2 calls in a row");
  CHECK(scope(64, UINT64_MAX) ==
        "every unit of memory, out of place, for all messages of 64 to 1048576 bytes, 2 calls in a row");
  plan.min_bytes = 1024;
  CHECK(scope(0, 2048) ==
        "every unit of memory, out of place, for all messages of 1024 to 2048 bytes, 2 calls in a row");
}

TEST_CASE("plans: a verdict names the sizes that the plan is for") {
  ExecutionPlan plan = plan_of("allgather.json");
  CHECK(verify(plan).scope ==
        "every unit of memory, out of place, for all sizes of messages below 4 GiB, 2 calls in a row");
  plan.max_bytes = 1000;
  CHECK(verify(plan).scope ==
        "every unit of memory, out of place, for all messages of 32 to 992 bytes, 2 calls in a row");
  plan.min_bytes = 33;
  CHECK(verify(plan).scope ==
        "every unit of memory, out of place, for all messages of 64 to 992 bytes, 2 calls in a row");
  plan.max_bytes = UINT64_MAX;
  CHECK(verify(plan).scope ==
        "every unit of memory, out of place, for all messages of 64 bytes or more, below 4 GiB, 2 calls in a row");
}

TEST_CASE("plans: only sizes that are asked for are judged") {
  ExecutionPlan plan = plan_of("allgather.json");
  operations(plan, 0)[1].slice = {0, 2};
  using Sizes = std::vector<std::uint32_t>;
  CHECK(sizes_to_judge(plan, {6400, 6400}) == Sizes{4});  // chunks of 200 units, and those of 4 are alike
  CHECK(sizes_to_judge(plan, {6432, 6432}) == Sizes{5});
  CHECK(sizes_to_judge(plan, {64, 6400}) == Sizes{2, 3, 4, 5});
  CHECK(sizes_to_judge(plan, {6401, 6431}) == Sizes{});
  // Slices 0 of 2, 2 of 4 and 3 of 4 cover a chunk, unless it has 2 units more than a multiple of 4.
  auto& blocks = plan.gpus[0].blocks;
  const PlanOperation copy = operations(plan, 0)[1];
  for (const PlanSlice& slice : {PlanSlice{2, 4}, PlanSlice{3, 4}}) {
    blocks.push_back({{copy}});
    blocks.back().operations[0].slice = slice;
  }
  CHECK(verify(plan, {.sizes = MessageSizes{6400, 6400}}).verdict == Verdict::pass);
  const Report report = verify(plan, {.sizes = MessageSizes{6464, 6464}});
  CHECK(report.verdict == Verdict::fail);
  const auto& ways = report.find(exactly_once_property)->counterexample->ways;
  REQUIRE(!ways.empty());
  CHECK(ways.back() == "with chunks of 3232 bytes, for which 224 bytes stand");
}

TEST_CASE("plans: sizes whose offsets overflow aren't judged") {
  constexpr std::uint64_t gibi = 1 << 30;
  ExecutionPlan plan = plan_of("allgather.json");
  const auto verdict = [&](std::uint64_t least, std::uint64_t most) {
    return verify(plan, {.sizes = MessageSizes{least, most}}).verdict;
  };
  CHECK(message_limit(plan) == 4 * gibi);
  CHECK(verdict(gibi, 4 * gibi - 1) == Verdict::pass);
  CHECK(verdict(gibi, UINT64_MAX) == Verdict::pass);
  CHECK(verdict(gibi, 4 * gibi) == Verdict::unknown);
  CHECK(verdict(5 * gibi, 6 * gibi) == Verdict::unknown);
  plan.min_bytes = 5 * gibi;
  CHECK(verify(plan).verdict == Verdict::unknown);
  plan = plan_of("allreduce_packets.json");
  const std::uint64_t limit = message_limit(plan);
  CHECK(limit < 4 * gibi);
  CHECK(verify(plan).scope.find("4 GiB") == std::string::npos);
  CHECK(verdict(0, limit - 1) == Verdict::pass);
  CHECK(verdict(limit, limit) == Verdict::unknown);
}

TEST_CASE("plans: the GPU's own copy of a multicast may land late") {
  const char* text = R"({"name": "late", "collective": "custom", "protocol": "LL", "inplace": false, "gpus": [
    {"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1, "remote_buffers": [], "channels": [
      {"channel_type": "switch", "buffer_type": "s", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}],
     "threadblocks": [{"id": 0, "channels": [{"channel_type": "switch", "channel_ids": [0]}], "ops": [
      {"name": "gstorepkt", "channel_type": "switch", "src_buff": [{"type": "s", "index": 0, "size": 1}],
       "dst_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}]}]}]},
    {"id": 1, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1, "channels": [
      {"channel_type": "switch", "buffer_type": "s", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}],
     "remote_buffers": [{"rank": 0, "type": "s", "access_channel_types": ["memory"]}],
     "threadblocks": [{"id": 0, "channels": [], "remote_buffer_refs": [
       {"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
      {"name": "ppkt", "channel_type": "memory", "src_buff": [{"type": "i", "index": 0, "size": 1}],
       "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}]},
      {"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}],
       "dst_buff": [{"type": "o", "index": 0, "size": 1}]}]}]}]})";
  const auto plan = read_plan("late.json", text);
  REQUIRE(plan);
  CHECK(failing(*plan) == "repeatable");
}

TEST_CASE("plans: shares of scratch are rounded up, as the runtime does") {
  ExecutionPlan plan = plan_of("scratch_ring.json");
  for (PlanGpu& gpu : plan.gpus) {
    gpu.chunks.scratch = 23;
    for (PlanBlock& block : gpu.blocks)
      for (PlanPipeline& p : block.pipelines) p.unit_bytes = 972592;  // 64 MiB / 23 / 3, down to a multiple of 16
  }
  CHECK(most_shared_chunk(plan) == 2917792);
  const MessageSizes window = sizes_of(plan);
  CHECK(pipeline_sizes(plan, window, UINT64_MAX).iterations == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(!pipeline_sizes(plan, window, UINT64_MAX).are_all);
  for (PlanGpu& gpu : plan.gpus) gpu.chunks.scratch = 3;
  plan.alignment = 64 * mebi;
  CHECK(unjudged_pipelines(plan)->find("is too small") != std::string::npos);
}

TEST_CASE("plans: the executor takes gets from elsewhere where scratch is a ring") {
  const std::string get = R"({"name": "pipeline", "iter_context": {"unit_size": 262144, "num_chunks": 1}, "ops": [
    {"name": "wait", "channel_type": "memory", "channel_ids": [0]}, {"name": "nop"},
    {"name": "get", "channel_type": "memory", "src_buff": [{"buffer_id": 0, "index": 0, "size": 1}],
     "dst_buff": [{"type": "o", "index": 0, "size": 1}]}, {"name": "nop"},
    {"name": "signal", "channel_type": "memory", "channel_ids": [1]}]})";
  const std::string copy = R"({"name": "pipeline", "iter_context": {"unit_size": 262144, "num_chunks": 1}, "ops": [
    {"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}],
     "dst_buff": [{"type": "s", "index": 0, "size": 1}]}, {"name": "nop"},
    {"name": "signal", "channel_type": "memory", "channel_ids": [0]},
    {"name": "wait", "channel_type": "memory", "channel_ids": [1]}, {"name": "nop"}]})";
  const auto gpu = [&](int here, int there) {
    const std::string lists =
        R"("channels": [{"channel_type": "memory", "channel_ids": [0, 1]}], "remote_buffer_refs": [
      {"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [)";
    return fmt::format(R"({{"id": {}, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 64, "channels": [
      {{"channel_type": "memory", "connected_to": [{}, {}]}}], "remote_buffers": [{{"rank": {}, "type": "s",
      "access_channel_types": ["memory"]}}], "threadblocks": [{{"id": 0, {}{}]}}, {{"id": 1, {}{}]}}]}})",
                       here, there, there, there, lists, copy, lists, get);
  };
  const auto plan =
      read_plan("gets.json", fmt::format(R"({{"name": "gets", "collective": "sendrecv", "protocol": "Simple",
    "inplace": false, "reuse_resources": true, "gpus": [{}, {}]}})",
                                         gpu(0, 1), gpu(1, 0)));
  if (!plan) FAIL(plan.error().render());
  CHECK(verify(*plan, up_to(2 * mebi)).verdict == Verdict::pass);
  CHECK(verify(as_executed(*plan), up_to(mebi)).verdict == Verdict::pass);
  CHECK(verify(as_executed(*plan), up_to(2 * mebi)).verdict == Verdict::unknown);
}

TEST_CASE("plans: pipelines are judged for each number of iterations") {
  ExecutionPlan plan = plan_of("pipeline.json");
  SECTION("as it is") {
    CHECK(verify(plan, up_to(8 * mebi)).verdict == Verdict::pass);
    const Report report = verify(plan);
    CHECK(report.verdict == Verdict::unknown);
    CHECK(report.find(race_free_property)->summary.find("it passes for those up to there") != std::string::npos);
  }
  SECTION("no nop between a put and its signal") {
    drop(plan, 0, 0, 5);
    CHECK(failing(plan, up_to(8 * mebi)) == "race-free");
  }
  SECTION("a wait is missing: one iteration is unbalanced, and so are all") {
    drop(plan, 0, 0, 7);
    CHECK(failing(plan, up_to(8 * mebi)) == "race-free balanced");
  }
  SECTION("the put takes the chunk of the other GPU") {
    operations(plan, 0)[4].targets[0].index = 1;
    CHECK(failing(plan, up_to(8 * mebi)) == "race-free exactly-once");
  }
  SECTION("what can't be judged is unknown") {
    operations(plan, 0)[1].slice = {0, 2};
    CHECK(verify(plan, up_to(8 * mebi)).verdict == Verdict::unknown);
    CHECK(failing(plan, up_to(8 * mebi)).empty());
  }
  SECTION("pipelines of different units") {
    plan.gpus[0].blocks[0].pipelines[0].unit_bytes *= 2;
    CHECK(verify(plan, up_to(8 * mebi)).verdict == Verdict::unknown);
  }
}

TEST_CASE("plans: scratch that plans share is a ring") {
  ExecutionPlan plan = plan_of("scratch_ring.json");
  CHECK(unrolled(plan, 5).scratch_ring == 4);
  SECTION("the producer waits for room") {
    CHECK(verify(plan, up_to(160 * mebi)).verdict == Verdict::pass);
  }
  SECTION("it doesn't: what is left is overwritten from the fifth iteration on") {
    for (const std::size_t rank : {0U, 1U}) {
      drop(plan, rank, 0, 0);
      drop(plan, rank, 1, 8);
    }
    CHECK(verify(plan, up_to(64 * mebi)).verdict == Verdict::pass);
    const Report report = verify(plan, up_to(65 * mebi));
    CHECK(verdict(report, race_free_property) == Verdict::fail);
    CHECK(report.find(race_free_property)->counterexample->ways.back() ==
          "with 5 iterations of each pipeline: chunks of 67108880 to 83886080 bytes");
  }
  SECTION("more room than the ring has") {
    plan.gpus[0].semaphores[1] = plan.gpus[1].semaphores[1] = 5;
    CHECK(verify(plan, up_to(64 * mebi)).verdict == Verdict::pass);
    CHECK(failing(plan, up_to(96 * mebi)) == "race-free exactly-once");
  }
  SECTION("without pipelines, larger messages aren't judged") {
    plan = plan_of("reducescatter_blocks.json");
    plan.reuses_resources = true;
    const bool has_scratch = plan.gpus[0].chunks.scratch > 0;
    CHECK((verify(plan).verdict == Verdict::unknown) == has_scratch);
    CHECK(verify(plan, up_to(mebi)).verdict == Verdict::pass);
  }
  SECTION("messages that are all too large aren't judged") {
    plan = plan_of("allgather.json");
    plan.reuses_resources = true;
    for (PlanGpu& gpu : plan.gpus) gpu.chunks.scratch = 64;
    plan.min_bytes = 8 * mebi;
    CHECK(verify(plan).verdict == Verdict::unknown);
    CHECK(failing(plan).empty());
    plan = plan_of("pipeline.json");
    plan.min_bytes = std::uint64_t{1} << 32;
    CHECK(verify(plan).verdict == Verdict::unknown);
    CHECK(failing(plan).empty());
  }
  SECTION("packets in it aren't judged") {
    plan = plan_of("allreduce_packets.json");
    plan.reuses_resources = true;
    CHECK(verify(plan).verdict == Verdict::unknown);
  }
}

namespace {

/// Lets the range begin at a random chunk of its buffer.
void move_range(const ExecutionPlan& plan, PlanRange& range, std::mt19937& random) {
  const Buffers& chunks = plan.gpus[static_cast<std::size_t>(range.ranks[0])].chunks;
  const std::int32_t most = range.buffer == Buffer::input    ? chunks.input
                            : range.buffer == Buffer::output ? chunks.output
                                                             : chunks.scratch;
  range.index = static_cast<std::int32_t>(random() % static_cast<std::size_t>(most - range.size + 1));
}

/// Changes one operation of a plan at random, as an author might get it wrong.
void mutate(ExecutionPlan& plan, std::mt19937& random) {
  PlanGpu& gpu = plan.gpus[random() % plan.gpus.size()];
  auto& all = gpu.blocks[random() % gpu.blocks.size()].operations;
  if (all.empty()) return;
  const std::size_t k = random() % all.size();
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(k);
  PlanOperation& o = all[k];
  switch (random() % 7) {
    case 0: all.erase(at); return;
    case 1: return std::swap(o, all[random() % all.size()]);
    case 2: all.insert(at, PlanOperation(all[random() % all.size()])); return;
    case 3: {
      auto& ranges = random() % 2 == 0 ? o.sources : o.targets;
      if (!ranges.empty()) move_range(plan, ranges[random() % ranges.size()], random);
      return;
    }
    case 4: {
      PlanOperation moved = std::move(o);
      all.erase(at);
      auto& others = gpu.blocks[random() % gpu.blocks.size()].operations;
      others.insert(others.begin() + static_cast<std::ptrdiff_t>(random() % (others.size() + 1)), std::move(moved));
      return;
    }
    case 5: o.slice.part = static_cast<std::int32_t>(random() % static_cast<std::size_t>(o.slice.parts)); return;
    default: plan.has_two_halves = random() % 2 == 0; return;
  }
}

}  // namespace

namespace {

void judge_mutants(std::size_t count) {
  const std::vector<std::string> names{"allgather.json", "allreduce_packets.json", "sendrecv_port.json",
                                       "reducescatter_blocks.json", "allreduce_switch.json"};
  std::vector<ExecutionPlan> plans;
  for (const std::string& name : names) plans.push_back(plan_of(name));
  std::mt19937 random(1);
  std::size_t passes = 0, hangs = 0, failures = 0, confirmed = 0, repairs = 0;
  for (std::size_t n = 0; n < count; ++n) {
    CAPTURE(n, names[n % names.size()]);
    ExecutionPlan plan = plans[n % names.size()];
    for (std::size_t changes = 1 + random() % 2; changes > 0; --changes) mutate(plan, random);
    renumber(plan);
    const Report report = verify(plan);
    if (verdict(report, well_formed_property) != Verdict::pass) continue;
    const bool always_hangs = verdict(report, deadlock_free_property) == Verdict::fail;
    const PlanRuns runs = interpret(plan, 2, always_hangs ? 1 : 3, 500, 30, random);
    const bool is_bad = runs.wrong + runs.hung > 0;
    if (report.verdict == Verdict::pass) {
      ++passes;
      REQUIRE(!is_bad);
    }
    if (always_hangs) {
      ++hangs;
      REQUIRE(runs.right == 0);
    }
    if (report.verdict != Verdict::fail) continue;
    ++failures;
    confirmed += is_bad ? 1 : 0;
    const auto found = repair(report);
    if (!found || !found->passes) continue;
    ++repairs;
    std::mt19937 others = random;
    const PlanRuns repaired_runs = interpret(repaired(plan, *found), 2, 3, 500, 30, others);
    REQUIRE(repaired_runs.wrong + repaired_runs.hung == 0);
  }
  // The interpreter sees only faults that show in results: not a race that changes nothing, nor a counter that drifts.
  CAPTURE(passes, hangs, failures, confirmed, repairs);
  CHECK(repairs > count / 80);
  CHECK(passes > count / 4);
  CHECK(hangs > count / 20);
  CHECK(failures > count * 3 / 10);
  CHECK(2 * confirmed > failures);
}

}  // namespace

TEST_CASE("plans: all interleavings agree with the verifier on mutants") {
  judge_mutants(400);
}

TEST_CASE("plans: all interleavings agree with the verifier on more mutants", "[long]") {
  judge_mutants(2000);
}

TEST_CASE("plans: all interleavings agree with the verifier on mutants of unrolled pipelines") {
  const std::vector<std::string> names{"pipeline.json", "scratch_ring.json"};
  std::mt19937 random(2);
  std::size_t passes = 0, failures = 0, confirmed = 0;
  for (std::size_t n = 0; n < 150; ++n) {
    CAPTURE(n);
    const bool is_ring = n % names.size() == 1;
    const std::uint32_t iterations = is_ring ? 5 : 2;
    ExecutionPlan plan = unrolled(plan_of(names[n % names.size()]), iterations);
    mutate(plan, random);
    plan.has_two_halves = false;
    const bool is_balanced = plan_graph(plan, 1).unbalanced.empty();
    PlanSizeFindings found = judge_size(plan, iterations, is_balanced);
    const auto all = found.all();
    const auto is = [](Verdict v) { return [v](const Found* f) { return f->verdict == v; }; };
    const PlanRuns runs = interpret(plan, iterations, 2, 100, 10, random);
    const bool is_bad = runs.wrong + runs.hung > 0;
    const bool is_order = found.bits.verdict != Verdict::pass;
    if (is_balanced && std::all_of(all.begin(), all.end(), is(Verdict::pass)) && !is_order) {
      ++passes;
      REQUIRE(!is_bad);
    }
    if (!std::any_of(all.begin(), all.end(), is(Verdict::fail))) continue;
    ++failures;
    confirmed += is_bad ? 1 : 0;
  }
  CAPTURE(passes, failures, confirmed);
  CHECK(passes > 15);
  CHECK(failures > 40);
  CHECK(3 * confirmed > failures);
}

}  // namespace plan_test
