// Launches of GPU kernels as a kind of input.

#include <catch2/catch.hpp>

#include "run_program.h"
#include "subjects/judgeable.h"
#include "subjects/subject.h"

namespace gpu_launch_test {

using namespace onceover::subjects;

namespace {

/// The launch in tests/data/gpu.
JudgeablePtr launch(const std::string& name) {
  const std::string path = std::string(ONCEOVER_SOURCE) + "/tests/data/gpu/" + name;
  const auto content = parse_file(path, onceover::support::run_program("cat '" + path + "'", ".").out);
  INFO((content ? "" : content.error().message));
  REQUIRE(content);
  REQUIRE(content->program);
  return content->program;
}

Verification judged(const std::string& name, const JudgeOptions& options = {}) {
  auto run = launch(name)->judge(options);
  INFO((run ? "" : run.error().message));
  REQUIRE(run);
  return *std::move(run);
}

std::vector<std::string_view> failing(const Verification& run) {
  std::vector<std::string_view> ids;
  for (const PropertyResult& property : run.report.properties)
    if (property.required && property.verdict == Verdict::fail) ids.push_back(property.id);
  return ids;
}

}  // namespace

TEST_CASE("launches: the findings of all are joined") {
  const Verification right = judged("pass.toml");
  CHECK(right.verdict() == Verdict::pass);
  CHECK_THAT(right.report.scope, Catch::StartsWith("p = 2, n = 8, 9; 1 block of 32 threads; 2 calls"));
  CHECK_FALSE(right.report.not_tried.empty());
  const Verification race = judged("race.toml", {.launches = {.ranks = {2, 3}}});
  CHECK(failing(race).front() == "race-free");
  const auto lines = describe(*race.report.find(onceover::verifier::race_free_property)->counterexample);
  CHECK_THAT(lines.back(), Catch::Contains("at p = 2, n = 40"));
  CHECK(failing(judged("wrong.toml")) == std::vector<std::string_view>{"exactly-once"});
  CHECK(failing(judged("deadlock.toml")).front() == "deadlock-free");
  CHECK(judged("unknown.toml").verdict() == Verdict::unknown);
}

TEST_CASE("launches: other ranks can be asked for, up to 64") {
  CHECK_THAT(judged("pass.toml", {.launches = {.ranks = {3}, .sizes = {5}}}).report.scope,
             Catch::StartsWith("p = 3, n = 5;"));
  const auto many = launch("pass.toml")->judge({.launches = {.ranks = {65}}});
  REQUIRE_FALSE(many);
  CHECK(many.error().message == "--p: a launch has at most 64 ranks, not 65");
}

TEST_CASE("launches: a budget that runs out is unknown") {
  CHECK(judged("pass.toml", {.verify = {.budget = 100}}).verdict() == Verdict::unknown);
}

TEST_CASE("launches: what is waived is told, and isn't claimed") {
  const Verification run = judged("pass.toml", {.verify = {.waived = {"race-free", "exactly-once"}}});
  CHECK_THAT(text_report({run}, false), Catch::Contains("; race-free, exactly-once waived)") &&
                                            Catch::Contains("\npass  the same bits on all ranks, no deadlocks (") &&
                                            !Catch::Contains("no races"));
}

TEST_CASE("launches: there is no message to follow through a network") {
  const auto messages = launch("pass.toml")->messages({});
  REQUIRE_FALSE(messages);
  CHECK(messages.error().kind == NoMessages::Kind::none);
  CHECK_THAT(messages.error().why, Catch::StartsWith("this is a launch of GPU kernels"));
}

TEST_CASE("launches: they are told from gates, claims and other TOML by their content") {
  const auto name = [](std::string_view text) {
    const InputKind* kind = input_kind_of(text);
    return kind == nullptr ? std::string_view("none") : kind->name;
  };
  CHECK(name("# Two-shot\nranks = 2\nptx = \"a.ptx\"\n[[") == "GPU launch");
  CHECK(name("source='a.cu'") == "GPU launch");
  CHECK(name("[buffer.in]\n") == "GPU launch");
  CHECK(name("[[check]]\nptx = \"a.ptx\"\n") == "format of other tools");
  CHECK(name("[[claim]]\n") == "format of other tools");
  CHECK(name("ptx and source\nsource : \"x\"\nptxas = \"x\"\n") == "none");
}

}  // namespace gpu_launch_test
