// `verify gate` as a whole: what turns red where, what is cached, what an interrupt leaves.

#include <catch2/catch.hpp>
#include <filesystem>

#include "run_program.h"

using namespace onceover;

namespace {

const std::string program = ONCEOVER_VERIFY;
const std::string source = ONCEOVER_SOURCE;

/// Runs `verify gate ARGUMENTS` in the folder, with a cache there.
Ended gate(const TemporaryFolder& folder, const std::string& arguments = "") {
  return run_program("XDG_CACHE_HOME=$PWD/cache '" + program + "' gate " + arguments, folder.path());
}

constexpr std::string_view outputs = "--json-out o.json --junit-out o.xml --sarif-out o.sarif --markdown-out o.md";

/// Each of the five outputs.
std::vector<std::string> five(const TemporaryFolder& folder) {
  const Ended ended = gate(folder, std::string(outputs));
  return {ended.out, folder.read("o.json"), folder.read("o.xml"), folder.read("o.sarif"), folder.read("o.md")};
}

void check_red(const TemporaryFolder& folder, const std::vector<std::string>& words) {
  CHECK(gate(folder).code == 1);
  for (const std::string& output : five(folder))
    for (const std::string& word : words) CHECK_THAT(output, Catch::Contains(word));
}

void copy_example(const TemporaryFolder& folder, const std::string& name) {
  std::filesystem::copy(source + "/examples/" + name, folder.path(name));
}

void replace_once(const TemporaryFolder& folder, const std::string& name, const std::string& old,
                  const std::string& with) {
  std::string text = folder.read(name);
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  folder.write(name, text.replace(at, old.size(), with));
}

}  // namespace

TEST_CASE("gate: a formula with one character changed turns all five outputs red") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'mine'\npeer = 'even(r) ? r + rho(s) : r - rho(s)'\np = '2..8'\n");
  CHECK(gate(folder).code == 0);
  replace_once(folder, "gate.toml", "r - rho", "r + rho");
  check_red(folder, {"r + rho(s) : r + rho(s)", "p = 4", "exactly-once"});
}

TEST_CASE("gate: a generator with one character changed turns all five outputs red") {
  const TemporaryFolder folder;
  copy_example(folder, "pairwise.py");
  folder.write("gate.toml", "[[check]]\nname = 'pairwise'\nexec = './pairwise.py {p}'\np = '2..6'\n");
  CHECK(gate(folder).code == 0);
  replace_once(folder, "pairwise.py", "range(1, ranks)", "range(2, ranks)");
  check_red(folder, {"pairwise", "p = 2", "exactly-once"});
}

TEST_CASE("gate: a schedule file with one character changed turns all five outputs red, cached as it was") {
  const TemporaryFolder folder;
  run_program("'" + program + "' export --algo swing --p 4 --to json -o s.json", folder.path());
  folder.write("gate.toml", "[[check]]\nname = 'file'\nfile = 's.json'\n");
  CHECK(gate(folder).code == 0);
  CHECK(gate(folder).code == 0);
  const std::string good = folder.read("s.json");
  replace_once(folder, "s.json", "\"dst\":1", "\"dst\":3");
  check_red(folder, {"s.json", "exactly-once"});
  folder.write("s.json", good);
  CHECK(gate(folder).code == 0);
}

TEST_CASE("gate: results are the same with the cache and without") {
  const TemporaryFolder folder;
  folder.write("gate.toml",
               "[defaults]\np = '2..6'\n[[check]]\nname = 'a'\nalgo = 'all'\n"
               "limits = ['steps <= ceil(log2(p))', 'congestion <= 1.2', 'staging <= 2']\n");
  const auto first = five(folder);
  CHECK(five(folder) == first);
  gate(folder, "--no-cache --jobs 1 " + std::string(outputs));
  CHECK(folder.read("o.json") == first[1]);
}

TEST_CASE("gate: shards are parts of the units, and together all of them") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = '2..6'\n");
  CHECK_THAT(gate(folder, "--shard 1/2").out, Catch::Contains("a  3 of 3 pass"));
  CHECK_THAT(gate(folder, "--shard 2/2").out, Catch::Contains("a  2 of 2 pass"));
  const Ended none = gate(folder, "--shard 6/6");
  CHECK(none.code == 0);
  CHECK(none.out == "pass  nothing to do (shard 6/6 of 5 units)\n");
}

TEST_CASE("gate: a filter that matches nothing is no pass") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = '2..6'\n");
  CHECK(gate(folder, "--filter swing").code == 2);
  CHECK(gate(folder, "--filter 'a/*/p=7'").code == 2);
  CHECK_THAT(gate(folder, "--filter 'a/*/p=6'").out, Catch::Contains("1 of 1 pass"));
  CHECK_THAT(gate(folder, "--filter ring").out, Catch::Contains("5 of 5 pass"));
}

TEST_CASE("gate: a metric that got worse than the baseline fails") {
  const TemporaryFolder folder;
  const std::string head = "[[check]]\nname = 'a'\np = '4..6'\nlimits = ['congestion <= 9']\n";
  folder.write("gate.toml", head + "algo = 'swing'\n");
  CHECK(gate(folder, "--baseline b.json").code == 2);
  CHECK(gate(folder, "--baseline b.json --update-baseline").code == 0);
  CHECK(gate(folder, "--baseline b.json").code == 0);
  const std::string recorded = folder.read("b.json");
  replace_once(folder, "b.json", "\"steps\": \"4\"", "\"steps\": \"3\"");
  const Ended worse = gate(folder, "--baseline b.json");
  CHECK(worse.code == 1);
  CHECK_THAT(worse.out, Catch::Contains("baseline: steps got worse: 4, recorded 3"));
  // An update of a part leaves the rest as it was.
  CHECK(gate(folder, "--baseline b.json --update-baseline --filter p=4").code == 0);
  CHECK(folder.read("b.json") == recorded);
  // A metric that is no longer measured by a limit still is for the baseline.
  folder.write("gate.toml", "[[check]]\nname = 'a'\np = '4..6'\nalgo = 'swing'\n");
  CHECK(gate(folder, "--baseline b.json").code == 0);
  folder.write("b.json", "{}");
  CHECK(gate(folder, "--baseline b.json").code == 3);
  CHECK(gate(folder, "--update-baseline").code == 2);
}

TEST_CASE("gate: paths and commands are as from the gate file's folder, outputs as from here") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("ci"));
  copy_example(folder, "swing-latency-6.json");
  std::filesystem::rename(folder.path("swing-latency-6.json"), folder.path("ci/s.json"));
  folder.write("ci/gate.toml",
               "[[check]]\nname = 'file'\nfile = 's.json'\n[[check]]\nname = 'exec'\nexec = 'cat s.json'\np = 6\n");
  const Ended ended = gate(folder, "ci/gate.toml --sarif-out o.sarif");
  CHECK(ended.code == 1);
  CHECK_THAT(folder.read("o.sarif"), Catch::Contains("\"uri\": \"ci/s.json\"") && Catch::Contains("\"startLine\": 9"));
  CHECK_THAT(folder.read("o.sarif"), Catch::Contains("\"uri\": \"ci/gate.toml\""));
}

TEST_CASE("gate: a budget that runs out is unknown, a file that can't be read is malformed, a failure outweighs both") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = 8\nbudget = 10\nlimits = ['steps <= 99']\n");
  CHECK(gate(folder).code == 4);
  folder.write("s.json", "{\"format\":");
  folder.write("gate.toml", "[[check]]\nname = 'a'\nfile = 's.json'\n");
  CHECK(gate(folder).code == 3);
  folder.write("gate.toml",
               "[[check]]\nname = 'a'\nfile = 's.json'\n[[check]]\nname = 'b'\nalgo = 'ring'\np = 8\n"
               "limits = ['steps <= 1']\n");
  CHECK(gate(folder).code == 1);
}

TEST_CASE("gate: properties of programs are never passed by a schedule") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = 8\nrequire = ['race-free']\n");
  CHECK(gate(folder).code == 4);
}

TEST_CASE("gate: an interrupt ends it with 130 and leaves no output") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'slow'\nexec = 'sleep 30; echo {p}'\np = '2..9'\n");
  const Ended ended =
      run_program("XDG_CACHE_HOME=$PWD/cache '" + program + "' gate " + std::string(outputs) +
                      " --baseline b.json --update-baseline & sleep 1; kill -INT $!; wait $!; echo $?; ls",
                  folder.path());
  CHECK(ended.out == "130\ngate.toml\n");
}

TEST_CASE("gate: outputs that can't be written are found out first") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'slow'\nexec = 'sleep 30; echo {p}'\np = 2\n");
  CHECK(gate(folder, "--json-out no/such/folder.json").code == 2);
  CHECK(gate(folder, "--jobs 0").code == 2);
  CHECK(gate(folder, "--shard 3/2").code == 2);
}
