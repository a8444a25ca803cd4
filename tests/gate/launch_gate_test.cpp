// Launches of GPU kernels in gates: units, what is cached, mistakes, and where findings are.

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/json.h"
#include "run_program.h"

namespace launch_gate_test {

using namespace onceover::gate;
using namespace onceover::support;
namespace support = onceover::support;

namespace {

const std::string source = ONCEOVER_SOURCE;

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), with);
}

/// A folder with launch.toml, of kernel.ptx, and with gate.toml, which judges it.
class Workplace {
 public:
  explicit Workplace(const std::string& kernel, const std::string& keys = "") {
    put_kernel(kernel);
    std::filesystem::copy(source + "/examples/gpu/one_shot.cu", folder_.path("one_shot.cu"));
    std::filesystem::copy(source + "/examples/gpu/collective.cuh", folder_.path("collective.cuh"));
    const std::string launch = read_all(source + "/tests/data/gpu/pass.toml");
    folder_.write("launch.toml", replaced(launch, "../../../examples/gpu/ptx/one_shot.sm_80.ptx", "kernel.ptx"));
    folder_.write("gate.toml", "[[check]]\nname = \"mine\"\ngpu = \"launch.toml\"\n" + keys);
  }

  void put_kernel(const std::string& kernel) const {
    folder_.write("kernel.ptx", read_all(source + "/examples/gpu/ptx/" + kernel));
  }

  const TemporaryFolder& folder() const { return folder_; }

  support::Ended gate(const std::string& arguments = "") const {
    return run_program("XDG_CACHE_HOME=$PWD/cache '" ONCEOVER_VERIFY "' gate " + arguments, folder_.path());
  }

 private:
  static std::string read_all(const std::string& path) { return run_program("cat '" + path + "'", ".").out; }

  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("gate: each launch of a description is a unit, with the description's ranks or the check's") {
  const Workplace mine("one_shot.sm_80.ptx");
  const support::Ended ended = mine.gate("--no-cache --json");
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("\"mine/launch.toml/p=2,n=8\"") && Catch::Contains("p=2,n=9"));
  CHECK_THAT(ended.out, Catch::Contains("other sizes, grids and numbers of ranks"));
  const Workplace more("one_shot.sm_80.ptx", "p = \"2..3\"\n");
  CHECK_THAT(more.gate("--no-cache --filter 'p=3,n=8'").out, Catch::Contains("pass  1 unit"));
}

TEST_CASE("gate: a launch is judged anew if its PTX or its description changes") {
  const Workplace mine("one_shot.sm_80.ptx");
  REQUIRE(mine.gate().code == 0);
  CHECK_THAT(mine.gate().out, Catch::Contains("2 cached"));
  mine.put_kernel("bugs/one_shot-7.ptx");
  const support::Ended wrong = mine.gate();
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, Catch::Contains("race-free") && !Catch::Contains("cached") &&
                            Catch::Contains("one_shot.cu:39: verify gpu launch.toml --p 2 --n 8"));
  mine.put_kernel("one_shot.sm_80.ptx");
  CHECK_THAT(mine.gate().out, Catch::Contains("2 cached"));
  mine.folder().write("launch.toml",
                      replaced(mine.folder().read("launch.toml"), "allreduce(in)", "allreduce(in, max)"));
  CHECK(mine.gate().code == 1);
}

TEST_CASE("gate: a launch that can't be judged doesn't pass") {
  const Workplace mine("one_shot.sm_80.ptx");
  const std::string launch = mine.folder().read("launch.toml");
  mine.folder().write("launch.toml", replaced(launch, "role = \"output\"", "role = \"outptu\""));
  const support::Ended malformed = mine.gate();
  CHECK(malformed.code == 3);
  CHECK_THAT(malformed.out, Catch::Contains("launch.toml:22:") && Catch::Contains("did you mean 'output'"));
  mine.folder().write("launch.toml", replaced(launch, "ranks = 2", ""));
  CHECK(mine.gate().code == 3);
  mine.folder().write("launch.toml", "[[check]]\n");
  CHECK(mine.gate().code == 3);
  mine.folder().write("launch.toml", launch);
  mine.folder().write("kernel.ptx", replaced(mine.folder().read("kernel.ptx"), "bar.sync", "bar.unheard"));
  CHECK(mine.gate().code == 4);
  std::filesystem::remove(mine.folder().path("kernel.ptx"));
  CHECK(mine.gate().code != 0);
}

TEST_CASE("gate: what is waived of a launch is told, and nothing passes with everything waived") {
  const Workplace mine("bugs/one_shot-7.ptx", "waive = \"race-free\"\n");
  const support::Ended ended = mine.gate("--no-cache");
  CHECK_THAT(ended.out, Catch::Contains("race-free waived in all"));
  const Workplace none("one_shot.sm_80.ptx",
                       "waive = [\"well-formed\", \"race-free\", \"deadlock-free\", \"exactly-once\", "
                       "\"bitwise-reproducible\", \"input-preserved\"]\n");
  CHECK(none.gate("--no-cache").code == 2);
}

TEST_CASE("gate: SARIF has both places of a race, and JUnit its line") {
  const Workplace mine("bugs/one_shot-7.ptx");
  CHECK(mine.gate("--no-cache --sarif-out o.sarif --junit-out o.xml").code == 1);
  const auto sarif = onceover::base::Json::parse(mine.folder().read("o.sarif"));
  REQUIRE(sarif);
  const auto& result = (*sarif)["runs"].begin()->operator[]("results").begin();
  const auto& related = (*result)["relatedLocations"];
  REQUIRE(related.size() == 2);
  CHECK_THAT(related.dump(), Catch::Contains("launch.toml") && Catch::Contains("one_shot.cu"));
  CHECK_THAT(related.dump(), Catch::Contains("the stream writes it before a call") && Catch::Contains("ld.global"));
  CHECK_THAT((*result)["locations"].dump(), Catch::Contains("one_shot.cu") && Catch::Contains("39"));
  CHECK_THAT(mine.folder().read("o.xml"), Catch::Contains("file=\"one_shot.cu\" line=\"39\""));
}

}  // namespace launch_gate_test
