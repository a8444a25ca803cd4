#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "formats/plan_file.h"

namespace onceover::formats {

namespace {

std::string plan_text(const std::string& name = "allgather.json") {
  std::ifstream file(std::string(ONCEOVER_TEST_DATA) + "/plans/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The text with `to` for each `from`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
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

TEST_CASE("plan reader: in place, other GPUs' shares are not where the runtime looks for them") {
  const std::string in_place = with(plan_text(), "\"inplace\": false", "\"inplace\": true");
  CHECK(fault("\"o\"", "\"i\"", in_place) ==
        "in place, the runtime takes the input of other GPUs to be at gpu 0's own share; the output has it, too");
  std::string port = with(with(plan_text(), "\"memory\"", "\"port\""), "\"inplace\": false", "\"inplace\": true");
  port = with(port, "\"channel_type\": \"port\"\n", "\"channel_type\": \"port\", \"channel_ids\": [0]\n");
  CHECK(fault("\"name\"", "\"name\"", port) ==
        "in place, a port channel takes the input from the beginning of its buffer, which isn't gpu 1's share");
  CHECK(fault("\"inplace\": true", "\"inplace\": false", port) == "none");
}

TEST_CASE("plan reader: GPUs come to their multicast groups together") {
  const std::string text = plan_text("allreduce_switch.json");
  REQUIRE(fault("\"name\"", "\"name\"", text) == "none");
  Json plan = *Json::parse(text);
  const auto channels = [&](std::size_t rank) -> Json& { return plan["gpus"][rank]["channels"]; };
  const auto message = [&] {
    const auto read = read_plan("p.json", plan.dump());
    return read ? "none" : read.error().message;
  };
  const auto group = [](const char* buffer, std::vector<int> ranks) {
    return Json{{"channel_type", "switch"},
                {"buffer_type", buffer},
                {"rank_groups", Json::array({Json{{"size", ranks.size()}, {"ranks", Json(ranks)}}})}};
  };
  const Json memory = channels(0)[0], peer_memory = channels(1)[0];
  const auto list = [&](std::vector<Json> first, std::vector<Json> second) {
    first.insert(first.begin(), memory);
    second.insert(second.begin(), peer_memory);
    channels(0) = Json(first), channels(1) = Json(second);
    return message();
  };
  const Json in = group("i", {0, 1}), out = group("o", {0, 1}), turned = group("i", {1, 0});
  CHECK(list({in, out}, {in, out}) == "none");
  CHECK(list({in}, {turned}) == "none");
  CHECK(list({in, group("i", {0})}, {in}) == "none");
  CHECK(list({in, out}, {out, in}).starts_with("gpu 0 waits here for all GPUs of this group"));
  CHECK(list({in}, {}).starts_with("gpu 0 waits here"));
  CHECK(list({in}, {in, in}).starts_with("gpu 1 waits here"));
  CHECK(list({in}, {out}).starts_with("gpu 0 waits here"));
}

TEST_CASE("plan reader: a block has 16 channels of a type, in any number of entries") {
  const std::string text = plan_text("allreduce_switch.json");
  Json plan = *Json::parse(text);
  for (std::size_t rank : {0, 1}) {
    Json& groups = plan["gpus"][rank]["channels"][1]["rank_groups"];
    groups = Json(std::vector<Json>(20, groups[0]));
  }
  const auto entries = [&](std::size_t first, std::size_t second) {
    std::vector<Json> all{plan["gpus"][0]["threadblocks"][0]["channels"][0]};
    for (const std::size_t size : {first, second})
      all.push_back(Json{{"channel_type", "switch"}, {"channel_ids", Json(std::vector<int>(size, 0))}});
    plan["gpus"][0]["threadblocks"][0]["channels"] = Json(all);
    const auto read = read_plan("p.json", plan.dump());
    return read ? "none" : read.error().message;
  };
  CHECK(entries(10, 6) == "none");
  CHECK(entries(10, 10) == "a block has at most 16 channels of a type");
}

TEST_CASE("plan reader: each channel and semaphore needs a thread") {
  const std::string text =
      R"({"name": "n", "collective": "test", "protocol": "Simple", "inplace": false, "num_threads_per_block": 2, "gpus": [
      {"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0, "channels": [], "remote_buffers": [],
       "semaphores": [{"init_value": 0}, {"init_value": 0}],
       "threadblocks": [{"id": 0, "channels": [], "ops": [{"name": "sem_release", "semaphore_ids": [0, 1]}]}]}]})";
  CHECK(fault("n", "n", text) == "none");
  CHECK(fault("_block\": 2", "_block\": 1", text) ==
        "sem_release has 2 channels or semaphores, and num_threads_per_block is 1: each needs a thread");
}

TEST_CASE("plan reader: keys of other operations are read, too") {
  const std::string signal = "\"name\": \"signal\"", copy = "\"name\": \"copy\"", local = "\"type\": \"i\"";
  CHECK(fault(signal, signal + ", \"barrier_id\": 0") ==
        "signal has \"barrier_id\", which the runtime writes over what signal needs");
  CHECK(fault(signal, signal + ", \"src_buff\": []") == "none");
  CHECK(fault(copy, copy + ", \"channel_type\": \"none\"") == "none");
  CHECK(fault(copy, copy + ", \"channel_type\": \"None\"") == "'None' is not a type of channel");
  CHECK(fault(copy, copy + ", \"channel_ids\": [0, 0, 0, 0, 0, 0, 0, 0, 0]") ==
        "\"channel_ids\" has 9 elements; the runtime has room for 8");
  CHECK(fault(local, local + ", \"buffer_id\": 0") ==
        "this range of copy can't have \"buffer_id\", which the runtime would take for it");
}

TEST_CASE("plan reader: numbers are positions in the block's own lists") {
  CHECK(fault("\"buffer_id\": 0", "\"buffer_id\": 1") == "buffer_id is 1; the block's list for it has 1");
  const std::string text = plan_text("sendrecv_port.json");
  CHECK(fault("\"remote_buffer_ids\": [0]", "\"remote_buffer_ids\": [1]", text) == "remote buffer 1; the GPU has 1");
  CHECK(fault("\"access_channel_types\": [\"port\"]", "\"access_channel_types\": [\"memory\"]", text) ==
        "remote buffer 0 has no 'port' in its access_channel_types");
}

}  // namespace onceover::formats
