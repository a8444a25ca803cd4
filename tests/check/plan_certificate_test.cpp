// verify-check accepts the certificates of plans that pass, and no others.

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

#include "base/json.h"
#include "check/certificate.h"
#include "formats/plan_file.h"
#include "programs/program_certificate.h"
#include "programs/verify_plan.h"

namespace plan_certificate_test {

using namespace onceover::programs;
using Kind = check::Outcome::Kind;

namespace {

const std::vector<std::string> covered{"allgather.json", "allreduce_packets.json", "allreduce_switch.json",
                                       "reducescatter_blocks.json", "sendrecv_port.json"};

std::string plan_text(const std::string& name) {
  std::ifstream file(std::string(ONCEOVER_TEST_DATA) + "/plans/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string certificate_of(const std::string& text) {
  const auto plan = read_plan("p.json", text);
  REQUIRE(plan);
  const auto certificate = plan_certificate(*plan);
  if (!certificate) FAIL(certificate.error());
  return *certificate;
}

check::Outcome judged(const std::string& plan, const std::string& certificate) {
  return check::check_certificate({"p.json", plan}, {"p.cert", certificate});
}

/// The text with `to` for each `from`, which it must have.
std::string with(std::string text, const std::string& from, const std::string& to) {
  if (text.find(from) == std::string::npos) FAIL("no " << from);
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// Drops, repeats, moves or swaps operations of a block, moves a range, or halves scratch.
void mutate(Json& plan, std::mt19937& random) {
  Json& gpu = plan["gpus"][random() % plan["gpus"].size()];
  Json& block = gpu["threadblocks"][random() % gpu["threadblocks"].size()];
  std::vector<Json> all(block["ops"].begin(), block["ops"].end());
  if (all.empty()) return;
  const std::size_t k = random() % all.size(), other = random() % all.size();
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(k);
  switch (random() % 6) {
    case 0:
    case 1: all.erase(at); break;
    case 2: std::swap(all[k], all[other]); break;
    case 3: all.insert(at, Json(all[other])); break;
    case 4:
      if (all[k].contains("dst_buff")) all[k]["dst_buff"][0]["index"] = random() % 2;
      break;
    default: plan["use_double_scratch_buffer"] = random() % 2 == 0; break;
  }
  block["ops"] = Json(all);
}

}  // namespace

TEST_CASE("plan certificates: those of plans that pass are accepted") {
  for (const std::string& name : covered) {
    CAPTURE(name);
    const std::string text = plan_text(name);
    REQUIRE(verify(*read_plan(name, text)).verdict == Verdict::pass);
    const check::Outcome outcome = judged(text, certificate_of(text));
    CAPTURE(outcome.message);
    CHECK(outcome.kind == Kind::proved);
  }
}

TEST_CASE("plan certificates: each line and each claim counts") {
  for (const std::string& name : covered) {
    CAPTURE(name);
    const std::string text = plan_text(name);
    const std::vector<std::string> lines = lines_of(certificate_of(text));
    const std::size_t by = lines.size() > 400 ? lines.size() / 200 : 1;
    for (std::size_t k = 1; k < lines.size(); k += by) {
      CAPTURE(k, lines[k]);
      std::vector<std::string> mutant = lines;
      mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(k));
      CHECK(judged(text, joined(mutant)).kind != Kind::proved);
      mutant.insert(mutant.begin() + static_cast<std::ptrdiff_t>(k), 2, lines[k]);
      CHECK(judged(text, joined(mutant)).kind != Kind::proved);
      for (std::size_t colon = lines[k].find(':'); colon != std::string::npos; colon = lines[k].find(':', colon + 1)) {
        mutant = lines;
        mutant[k].insert(colon + 1, "9");  // far more than the block knows
        CHECK(judged(text, joined(mutant)).kind != Kind::proved);
      }
    }
  }
}

TEST_CASE("plan certificates: without what a wait has seen, nothing is ordered") {
  const std::string text = plan_text("allgather.json");
  std::string certificate = certificate_of(text);
  std::size_t dropped = 0;
  for (std::size_t at = certificate.find(" over "); at != std::string::npos; at = certificate.find(" over ", at + 1)) {
    // Keep the block's own entry, which must be exact, and drop what it knows of the others.
    const std::size_t line = certificate.rfind('\n', at) + 1;
    const std::string own = certificate.substr(line).find(" 0 0") < 12 ? " 2:" : " 3:";
    std::istringstream words(certificate.substr(at + 6, certificate.find('\n', at) - at - 6));
    std::string kept;
    for (std::string word; words >> word;)
      if (word == "seen" || (" " + word).starts_with(own)) kept += " " + word;
    certificate.replace(at + 5, certificate.find('\n', at) - at - 5, kept);
    ++dropped;
  }
  REQUIRE(dropped > 10);
  const check::Outcome outcome = judged(text, certificate);
  CHECK(outcome.kind == Kind::unproven);
  CHECK_THAT(outcome.message, Catch::Contains("isn't known to come after"));
}

TEST_CASE("plan certificates: what verify fails, no certificate proves") {
  std::mt19937 random(3);
  std::size_t proved = 0, refused = 0, foreign = 0;
  for (std::size_t n = 0; n < 600; ++n) {
    const std::string& name = covered[n % covered.size()];
    CAPTURE(n, name);
    const std::string original = plan_text(name);
    Json json = *Json::parse(original);
    mutate(json, random);
    const std::string text = json.dump();
    const auto plan = read_plan(name, text);
    if (!plan) continue;
    const bool passes = verify(*plan).verdict == Verdict::pass;
    if (const auto certificate = plan_certificate(*plan)) {
      const bool is_proved = judged(text, *certificate).kind == Kind::proved;
      if (!passes) REQUIRE(!is_proved);
      ++(is_proved ? proved : refused);
    }
    if (passes || text == json.parse(original)->dump()) continue;
    ++foreign;
    CHECK(judged(text, certificate_of(original)).kind != Kind::proved);
  }
  CAPTURE(proved, refused, foreign);
  CHECK(proved > 100);
  CHECK(refused > 100);
  CHECK(foreign > 100);
}

TEST_CASE("plan certificates: only operations on channels have a type of channel") {
  const std::string flush = "{\"name\": \"flush\", \"channel_type\": \"port\", \"channel_ids\": [0]},";
  const std::string twice = with(plan_text("sendrecv_port.json"), flush, flush + flush);
  const std::string acquire = "{\"name\": \"sem_acquire\", \"channel_type\": \"port\", \"semaphore_ids\": [0]},";
  const std::string hangs =
      with(with(twice, flush + flush, flush + acquire), "\"semaphores\": []", "\"semaphores\": [{\"init_value\": 0}]");
  REQUIRE(verify(*read_plan("p.json", hangs)).verdict == Verdict::fail);
  CHECK(judged(hangs, certificate_of(twice)).kind == Kind::unproven);

  const std::string release = "{\"name\": \"sem_release\", \"channel_type\": \"port\", \"semaphore_ids\": [0]},";
  const std::string ends = with(hangs, flush + acquire, flush + release + acquire);
  REQUIRE(verify(*read_plan("p.json", ends)).verdict == Verdict::pass);
  CHECK(judged(ends, certificate_of(ends)).kind == Kind::proved);
}

TEST_CASE("plan certificates: plans that are malformed prove nothing") {
  const std::string text = plan_text("allgather.json"), certificate = certificate_of(text);
  const auto kind = [&](const std::string& from, const std::string& to) {
    const std::string changed = with(text, from, to);
    CAPTURE(from, to);
    CHECK(!read_plan("p.json", changed));
    return judged(changed, certificate).kind;
  };
  const std::string type = "\"channel_type\": \"memory\"", ids = "\"channel_ids\": [\n        0\n       ]";
  for (const char* other : {"switch", "none", "None"})
    CHECK(kind(type + ",\n       " + ids, "\"channel_type\": \"" + std::string(other) + "\",\n       " + ids) ==
          Kind::malformed);
  CHECK(kind("\"access_channel_types\": [\n      \"memory\"", "\"access_channel_types\": [\n      \"port\"") ==
        Kind::malformed);
  CHECK(kind("\"access_channel_type\": \"memory\"", "\"access_channel_type\": \"none\"") == Kind::malformed);
  const std::string signal = "\"name\": \"signal\"";
  CHECK(kind(signal, signal + ", \"barrier_id\": 0") == Kind::malformed);
  CHECK(kind(signal, signal + ", \"src_buff\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]") == Kind::malformed);
  CHECK(kind("\"type\": \"i\",", "\"type\": \"i\", \"buffer_id\": 0,") == Kind::malformed);
  CHECK(kind(ids + "\n      },", "\"channel_ids\": [0, 0, 0, 0, 0, 0, 0, 0, 0]\n      },") == Kind::malformed);
}

TEST_CASE("plan certificates: in place, no access goes to another GPU's share") {
  const std::string text = with(plan_text("allgather.json"), "\"inplace\": false", "\"inplace\": true");
  const std::string certificate = certificate_of(text);
  CHECK(judged(text, certificate).kind == Kind::proved);
  // The peer's input, of which the runtime finds the own share in the peer's output.
  const std::string shares = with(text, "\"type\": \"o\",\n     \"access", "\"type\": \"i\",\n     \"access");
  CHECK_THAT(judged(shares, certificate).message, Catch::Contains("begins at one place on all GPUs"));
  std::string port = with(text, "\"memory\"", "\"port\"");
  port = with(port, "\"channel_type\": \"port\"\n", "\"channel_type\": \"port\", \"channel_ids\": [0]\n");
  CHECK_THAT(judged(port, certificate).message, Catch::Contains("that a port channel finds in place"));
}

TEST_CASE("plan certificates: GPUs come to their multicast groups together") {
  const std::string text = plan_text("allreduce_switch.json"), certificate = certificate_of(text);
  Json alone = *Json::parse(text);
  Json& channels = alone["gpus"][1]["channels"];
  const Json memory = channels[0], group = channels[1];
  channels = Json::array({memory, group, group});
  CHECK_THAT(judged(alone.dump(), certificate).message, Catch::Contains("groups that all their members have"));
  Json& of_first = alone["gpus"][0]["channels"];
  const Json memory_of_first = of_first[0];
  of_first = Json::array({memory_of_first, group, group});
  CHECK(judged(alone.dump(), certificate).kind == Kind::proved);
  Json& buffer = of_first[2]["buffer_type"];
  buffer = "o";
  CHECK(judged(alone.dump(), certificate).kind == Kind::malformed);
}

TEST_CASE("plan certificates: each channel and semaphore needs a thread") {
  const std::string text = R"({"name": "n", "collective": "allgather", "protocol": "Simple", "inplace": false,
    "num_threads_per_block": 2, "gpus": [{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0,
    "channels": [], "remote_buffers": [], "semaphores": [{"init_value": 0}, {"init_value": 0}], "threadblocks": [
      {"id": 0, "channels": [], "ops": [
        {"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}],
         "dst_buff": [{"type": "o", "index": 0, "size": 1}]}, {"name": "nop"},
        {"name": "sem_release", "semaphore_ids": [0, 1]}]},
      {"id": 1, "channels": [], "ops": [{"name": "sem_acquire", "semaphore_ids": [1, 0]}]}]}]})";
  const std::string certificate = certificate_of(text);
  CHECK(judged(text, certificate).kind == Kind::proved);
  CHECK(judged(with(text, "_block\": 2", "_block\": 1"), certificate).kind == Kind::malformed);
}

TEST_CASE("plan certificates: the verdict is about the sizes that the plan is for") {
  Json plan = *Json::parse(plan_text("allgather.json"));
  const auto message = [&] { return judged(plan.dump(), certificate_of(plan.dump())).message; };
  plan["max_message_size"] = 1000;
  CHECK_THAT(message(), Catch::EndsWith("for all messages of 32 to 992 bytes"));
  plan["min_message_size"] = 33;
  CHECK_THAT(message(), Catch::EndsWith("for all messages of 64 to 992 bytes"));
  plan["max_message_size"] = std::uint64_t{1} << 32;
  CHECK_THAT(message(), Catch::EndsWith("for all messages of 64 bytes or more, below 4 GiB"));
  // Blocks that share an operation: one size that stands for one remainder.
  plan = *Json::parse(plan_text("reducescatter_blocks.json"));
  plan["min_message_size"] = plan["max_message_size"] = 64000;
  CHECK_THAT(message(), Catch::EndsWith("for all messages of 64000 to 64000 bytes"));
}

TEST_CASE("plan certificates: nothing says what sendrecv shares in place") {
  const std::string apart = plan_text("sendrecv_port.json"), certificate = certificate_of(apart);
  CHECK(judged(apart, certificate).kind == Kind::proved);
  const std::string text = with(apart, "\"inplace\": false", "\"inplace\": true");
  CHECK(judged(text, certificate).kind == Kind::unproven);
  const auto refused = plan_certificate(*read_plan("p.json", text));
  CHECK(!refused);
  CHECK(judged(with(apart, "\"sendrecv\"", "\"send_recv\""), certificate).kind == Kind::unproven);
}

TEST_CASE("plan certificates: what they don't cover") {
  const auto why = [](const std::string& name) {
    const auto certificate = plan_certificate(*read_plan(name, plan_text(name)));
    return certificate ? "" : certificate.error();
  };
  CHECK(why("pipeline.json") == "the plan has pipelines");
  const std::string plain = plan_text("plain_packets.json");
  CHECK_THAT(judged(plain, certificate_of(plain)).message, Catch::Contains("where plain data is written"));
  Json unequal = *Json::parse(plan_text("allreduce_packets.json"));
  unequal["gpus"][0]["scratch_chunks"] = 64;
  const std::string halves = unequal.dump();
  CHECK_THAT(judged(halves, certificate_of(halves)).message, Catch::Contains("halves of scratch"));
  Json huge = *Json::parse(plan_text("allgather.json"));
  huge["min_message_size"] = std::uint64_t{1} << 33;
  const auto outcome = judged(huge.dump(), certificate_of(plan_text("allgather.json")));
  CHECK_THAT(outcome.message, Catch::Contains("no message fits the plan"));
  std::string text = plan_text("allgather.json");
  text.replace(text.find("Simple"), 6, "S\\u0069mple");
  CHECK(judged(text, certificate_of(plan_text("allgather.json"))).kind == Kind::malformed);
  CHECK(judged("{}", certificate_of(plan_text("allgather.json"))).kind == Kind::malformed);
  CHECK(judged(plan_text("pipeline.json"), certificate_of(plan_text("allgather.json"))).kind == Kind::unproven);
}

}  // namespace plan_certificate_test
