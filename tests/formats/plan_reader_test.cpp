#include "formats/plan_reader.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

namespace onceover::formats {

namespace {

std::string plan_text(const std::string& name = "allgather.json") {
  std::ifstream file(std::string(ONCEOVER_TEST_DATA) + "/plans/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What is wrong if the first `from` is `to`.
std::string fault(const std::string& from, const std::string& to, std::string text = plan_text()) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) FAIL("no " << from);
  text.replace(at, from.size(), to);
  const auto plan = read_plan("p.json", text);
  return plan ? "none" : plan.error().message;
}

}  // namespace

TEST_CASE("plan reader: what a plan says") {
  const auto plan = read_plan("p.json", plan_text());
  REQUIRE(plan);
  CHECK(plan->collective == "allgather");
  CHECK(!plan->in_place);
  CHECK(plan->max_bytes == UINT64_MAX);
  REQUIRE(plan->gpus.size() == 2);
  const auto& operations = plan->gpus[1].blocks.at(0).operations;
  REQUIRE(operations.size() == 8);
  CHECK(operations[4].word == "put");
  CHECK(operations[4].targets.at(0).ranks == std::vector<Rank>{0});
  CHECK(operations[4].targets[0].where == PlanRange::Where::remote);
  CHECK(operations[4].targets[0].index == 1);
  CHECK(operations[7].position == 7);
  CHECK(operations[7].line > operations[6].line);
}

TEST_CASE("plan reader: an error has its place") {
  const auto plan = read_plan("p.json", "{\"name\": 1,\n \"gpus\": 2}");
  REQUIRE(!plan);
  CHECK(plan.error().render() == "p.json:2:10: expected a list for \"gpus\", found 2\n   \"gpus\": 2}\n           ^");
}

TEST_CASE("plan reader: what the runtime would not load, or read wrong, is refused") {
  CHECK(fault("\"allgather\"", "null").starts_with("expected a text for \""));
  CHECK(fault("\"Simple\"", "\"simple\"") == "the protocol is Simple or LL, not 'simple'");
  CHECK(fault("\"input_chunks\"", "\"inputChunks\"").starts_with("this plan is of the first generation"));
  CHECK(fault("\"output_chunks\": 2", "\"output_chunks\": 0") == "expected output_chunks from 1 to 1048576, found 0");
  CHECK(fault("\"output_chunks\": 2", "\"output_chunks\": 3").find("gpu 1 has") == 0);
  CHECK(fault("\"id\": 0", "\"id\": 1") == "expected the id of this GPU, its position, from 0 to 0, found 1");
  CHECK(fault("\"put\"", "\"putt\"") == "the runtime has no operation 'putt'; did you mean 'put'?");
  CHECK(fault("\"name\"", "\"name\": \"n\", \"name\"") == "the key \"name\" occurs twice in this object");
}

TEST_CASE("plan reader: numbers are positions in the block's own lists") {
  CHECK(fault("\"buffer_id\": 0", "\"buffer_id\": 1") == "buffer_id is 1; the block's list for it has 1");
  const std::string text = plan_text("sendrecv_port.json");
  CHECK(fault("\"remote_buffer_ids\": [0]", "\"remote_buffer_ids\": [1]", text) == "remote buffer 1; the GPU has 1");
  CHECK(fault("\"access_channel_types\": [\"port\"]", "\"access_channel_types\": [\"memory\"]", text) ==
        "remote buffer 0 has no 'port' in its access_channel_types");
}

}  // namespace onceover::formats
