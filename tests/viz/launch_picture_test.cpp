// Pictures of GPU launches: what they show of a race, a lost flag, a deadlock and a wrong result.

#include <catch2/catch.hpp>

#include "drawn_text.h"
#include "run_program.h"
#include "viz/legible.h"
#include "viz/program_view.h"
#include "viz/renderer.h"

namespace launch_picture_test {

using namespace onceover;
using namespace onceover::viz;
using namespace onceover::support;

namespace {

gpu::JudgedDescription judged(const std::string& name, Rank p) {
  const std::string path = std::string(ONCEOVER_SOURCE) + "/tests/data/gpu/" + name;
  auto loaded = gpu::load_description(path, support::run_program("cat '" + path + "'", ".").out, {.ranks = {p}});
  INFO((loaded ? "" : loaded.error().message));
  REQUIRE(loaded);
  gpu::JudgedDescription judged{*std::move(loaded), {}};
  judged.report = gpu::judge(judged.loaded, {});
  return judged;
}

DrawnText drawn(const std::string& name, Rank p, ProgramDrawOptions options = {.style = {.width = 7}}) {
  const auto launches = judged(name, p);
  const auto dot = as_text(draw_launches(launches.loaded, launches.report, options));
  INFO((dot ? "" : dot.error().message));
  REQUIRE(dot);
  return *dot;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("picture of a launch: a race has both accesses, with their lines") {
  for (const Rank p : {2, 4}) {
    const std::string dot = drawn("race.toml", p);
    CHECK(count(dot, "label=\"A\"") == 1);
    CHECK(count(dot, "label=\"B\"") == 1);
    CHECK_THAT(dot, Catch::Contains("label=\"new input\"") && Catch::Contains("label=\"one_shot.cu:"));
    CHECK_THAT(dot, Catch::Contains("nothing orders A and B") && Catch::Contains("rank 1, stream"));
    CHECK_THAT(dot, Catch::Contains("digraph \"race.toml, p = ") && !Catch::Contains(ONCEOVER_SOURCE));
  }
}

TEST_CASE("picture of a launch: a lost flag has both writes, and the flags before them") {
  const std::string dot = drawn("lost-flag.toml", 4);
  CHECK_THAT(dot, Catch::Contains("collective.cuh:65") && Catch::Contains("collective.cuh:54"));
  CHECK_THAT(dot, Catch::Contains("a flag: its write, and a read that saw it"));
  CHECK(count(dot, palette::blue.data()) > 8);
}

TEST_CASE("picture of a launch: a deadlock says who waits for what, at which line") {
  const std::string dot = drawn("deadlock.toml", 2);
  CHECK(count(dot, "label=\"W\"") == 4);
  CHECK_THAT(dot,
             Catch::Contains("spins at allgather.cu:23 on signals of rank 0") && Catch::Contains("W waits for good"));
}

TEST_CASE("picture of a launch: a wrong result has its write and the host's read") {
  const std::string dot = drawn("wrong.toml", 2);
  CHECK_THAT(dot,
             Catch::Contains("the host reads") && Catch::Contains("one_shot.cu:41") && Catch::Contains("counts twice"));
  CHECK_THAT(dot, !Catch::Contains("nothing orders"));
}

TEST_CASE("picture of a launch: one that passes has flags, and only the ranks that are asked for") {
  const std::string dot = drawn("pass.toml", 3, {.ranks = {0, 2}, .style = {.width = 7}});
  CHECK_THAT(dot, Catch::Contains("rank 2, block 0") && !Catch::Contains("rank 1, block 0"));
  const auto launches = judged("pass.toml", 2);
  const auto narrow = as_text(draw_launches(launches.loaded, launches.report, {.style = {.width = 1.5}}));
  REQUIRE_FALSE(narrow);
  CHECK(narrow.error().kind == DrawError::Kind::too_large);
}

}  // namespace launch_picture_test
