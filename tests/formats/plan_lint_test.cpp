// What the runtime of MSCCL++ makes of a plan: what it refuses, what it takes silently, and how it runs it.

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "formats/lint.h"
#include "formats/plan.h"
#include "formats/plan_file.h"

namespace onceover::formats {

namespace {

std::string linted_text(const std::string& name = "allgather.json") {
  std::ifstream file(std::string(ONCEOVER_TEST_DATA) + "/plans/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The findings if the first `from` is `to`: "silent: ..; note: ..".
std::string findings(const std::string& from, const std::string& to, std::string text = linted_text()) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) FAIL("no " << from);
  text.replace(at, from.size(), to);
  const auto found = lint_plan("p.json", text);
  REQUIRE(found);
  std::string all;
  for (const LintFinding& f : *found)
    all += (all.empty() ? "" : "; ") + std::string(f.is_note ? "note: " : f.is_silent ? "silent: " : "") + f.at.message;
  return all;
}

}  // namespace

TEST_CASE("plan lint: a plan that is loaded and runs as it says") {
  CHECK(findings("ag2", "mine").empty());
  CHECK(!lint_plan("p.json", "{"));
}

TEST_CASE("plan lint: what the runtime refuses") {
  CHECK(findings("\"ag2\"", "null") == "expected a text for \"name\", found null");
  CHECK(findings("\"collective\"", "\"colective\"") == "the key \"collective\" is missing");
  CHECK(findings("\"id\": 0", "\"id\": 1") == "the id of this GPU is 1, and its position 0");
  CHECK(findings("\"put\"", "\"puts\"") == "the runtime has no operation 'puts'; did you mean 'put'?");
  CHECK(findings("\"type\": \"o\"", "\"type\": \"x\"") == "\"type\" can't be 'x'");
  CHECK(findings("\"input_chunks\"", "\"inputChunks\"").starts_with("this plan is of the first generation"));
}

TEST_CASE("plan lint: what it takes silently, and goes wrong") {
  CHECK(findings("\"output_chunks\": 2", "\"output_chunks\": 0") ==
        "silent: output_chunks is 0: it divides by it when the plan is called");
  CHECK(findings("\"put\"", "\"pws\"") == "silent: pws on a memory channel puts, and doesn't signal");
  CHECK(findings("\"name\": \"ag2\"", "\"name\": \"ag2\", \"buffer_alignment\": 8") ==
        "silent: buffer_alignment is not a multiple of 16: what remains behind the last 16 bytes goes wrong");
  const std::string plan =
      R"({"name": "n", "collective": "c", "protocol": "Simple", "inplace": false, "gpus": [{"id": 0, "input_chunks": 1,
      "output_chunks": 1, "scratch_chunks": 0, "channels": [], "remote_buffers": [], "threadblocks": [{"id": 0,
      "channels": [{"channel_type": "memory", "channel_ids": [0]}], "ops": []}]}]})";
  CHECK(findings("[0]", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", plan).starts_with("silent: 17 channel_ids in a block"));
  CHECK(findings("\"ops\": []",
                 R"("ops": [{"name": "signal", "channel_type": "memory", "channel_ids": [0,1,2,3,4,5,6,7,8]}])",
                 plan) == "silent: signal has 9 channel_ids: beyond 8 it overwrites what is next to them");
  CHECK(findings("\"threadblocks\": [{\"id\": 0", "\"threadblocks\": [{\"id\": 1", plan).find("another block") !=
        std::string::npos);
  CHECK(findings("\"ops\": []", R"("ops": [{"name": "barrier", "barrier_id": 16, "num_threadblocks": 1}])", plan) ==
        "silent: barrier 16: there are 16");
  CHECK(findings("\"ops\": []", R"("ops": [{"name": "re", "reduce_op": "max"}])", plan) ==
        "silent: reduce_op is max, and the runtime adds");
  CHECK(findings("\"ops\": []", R"("ops": [{"name": "flush", "channel_type": "port", "channel_ids": [0]}])", plan) ==
        "note: the runtime skips every flush");
}

TEST_CASE("plan lint: plain accesses to a peer's scratch don't follow its halves") {
  const std::string halves = R"("use_double_scratch_buffer": true, "inplace": false)";
  const std::string peers = "stays in the first half of the peer's scratch";
  CHECK(findings("\"inplace\": false", halves).empty());  // it puts to the output
  std::string text = linted_text();
  text.replace(text.find("\"scratch_chunks\": 0"), 19, "\"scratch_chunks\": 4");
  text.replace(text.find("\"type\": \"o\""), 11, "\"type\": \"s\"");
  CHECK(findings("\"ag2\"", "\"ag2\"", text).empty());
  CHECK(findings("\"inplace\": false", halves, text).find(peers) != std::string::npos);
  CHECK(findings("\"inplace\": false", halves, linted_text("sendrecv_port.json")).find(peers) != std::string::npos);
  const std::string packets = linted_text("allreduce_packets.json");
  CHECK(packets.find("use_double_scratch_buffer") != std::string::npos);
  CHECK(findings("\"name\"", "\"name\"", packets).empty());
}

TEST_CASE("plan lint: keys of other operations, and too few threads") {
  const std::string signal = "\"name\": \"signal\"", text = linted_text();
  CHECK(findings(signal, signal + ", \"barrier_id\": 0") == "silent: it writes \"barrier_id\" over what signal needs");
  CHECK(findings("\"inplace\"", "\"num_threads_per_block\": 1, \"inplace\"").empty());
  const std::string few =
      R"({"name": "n", "collective": "c", "protocol": "Simple", "inplace": false, "num_threads_per_block": 1, "gpus": [
      {"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0, "channels": [], "remote_buffers": [],
      "threadblocks": [{"id": 0, "channels": [], "ops": [{"name": "sem_release", "semaphore_ids": [0, 1]}]}]}]})";
  CHECK(findings("n", "n", few) ==
        "silent: sem_release has 2 semaphore_ids, and a block 1 threads: it leaves out the rest");
  const std::string lists = R"("channels": [{"channel_type": "switch", "channel_ids": [0,1,2,3,4,5,6,7,8]},
      {"channel_type": "switch", "channel_ids": [0,1,2,3,4,5,6,7,8]}], "ops": [])";
  CHECK(findings(R"("channels": [], "ops": [{"name": "sem_release", "semaphore_ids": [0, 1]}])", lists, few)
            .starts_with("silent: 18 channel_ids in a block"));
}

TEST_CASE("plan lint: slices that older runtimes get wrong") {
  const auto notes = [](const std::string& text) { return findings("\"name\"", "\"name\"", text); };
  std::string text = linted_text("small_slices.json");
  CHECK_THAT(notes(text), Catch::Contains("4 blocks share 1 chunks: runtimes before 2c4cc6f1 (18 August 2026) go "
                                          "wrong on messages with less than 4 units"));
  text.replace(text.find("\"name\""), 6, "\"min_message_size\": 64, \"name\"");
  CHECK(notes(text).empty());
  text.replace(text.find(": 64"), 4, ": 48");
  CHECK(!notes(text).empty());
}

TEST_CASE("plan reading: the executor swaps the positions of a get, and skips flushes") {
  auto plan = read_plan("p.json", linted_text());
  REQUIRE(plan);
  CHECK(plan->notes.empty());
  PlanOperation& o = plan->gpus[0].blocks[0].operations[4];
  o.instruction = PlanInstruction::get;
  o.word = "get";
  std::swap(o.sources, o.targets);
  o.sources[0].index = 1;
  CHECK(differences_of_executor(*plan) == std::vector<std::string>{"swaps the positions of 1 get"});
  const ExecutionPlan swapped = as_executed(*plan);
  const PlanOperation& run = swapped.gpus[0].blocks[0].operations[4];
  CHECK(run.sources[0].index == 0);
  CHECK(run.targets[0].index == 1);
  CHECK(swapped.unjudged);  // the input has one chunk
  auto port = read_plan("p.json", linted_text("sendrecv_port.json"));
  REQUIRE(port);
  const bool has_flush = linted_text("sendrecv_port.json").find("flush") != std::string::npos;
  CHECK(port->notes.empty() != has_flush);
}

}  // namespace onceover::formats
