// What `verify gate` finds wrong, the command that it prints finds wrong, too.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "run_program.h"
#include "subjects/limit.h"

namespace reproduction_test {

using namespace onceover::gate;
using namespace onceover::support;
namespace support = onceover::support;

namespace {

const std::string program = ONCEOVER_VERIFY;
const std::string source = ONCEOVER_SOURCE;

/// Runs the command as a user would, with `verify` on the path.
support::Ended run_command(const TemporaryFolder& folder, const std::string& command) {
  return run_program("verify() { '" + program + "' \"$@\"; }; " + command, folder.path());
}

/// The command behind "    ci/gate.toml:4: ", with that place.
std::pair<std::string, std::string> printed_command(const std::string& text) {
  std::smatch found;
  const std::regex line("\n    (\\S+:[0-9]+): (.*verify .*)\n");
  REQUIRE(std::regex_search(text, found, line));
  return {found[1], found[2]};
}

void write_files(const TemporaryFolder& folder) {
  std::filesystem::create_directory(folder.path("ci"));
  for (const std::string name : {"pairwise.py", "ring-2.xml"})
    std::filesystem::copy(source + "/examples/" + name, folder.path("ci/" + name));
  folder.write("ci/s.goal",
               "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n");
  run_program("'" + program + "' export --algo swing --p 4 --to json -o ci/s.json", folder.path());
  folder.write("ci/line.dot", "graph { 0 -- 1; 1 -- 2; 2 -- 3 }\n");
  folder.write("ci/map.txt", "3 2 1 0\n");
}

/// Fails the check on purpose by that limit, which is line 4 of the gate file, and runs the commands of the outputs.
void check_reproduced(const TemporaryFolder& folder, const std::string& subject, const std::string& limit) {
  CAPTURE(subject, limit);
  folder.write("ci/gate.toml", "[[check]]\nname = 'c'\nlimit = ['messages >= 0',\n  \"" + limit + "\"]\n" + subject);
  const support::Ended gate = run_program(
      "'" + program + "' gate --no-cache ci/gate.toml --json-out o.json --sarif-out o.sarif", folder.path());
  REQUIRE(gate.code == 1);
  const auto [place, command] = printed_command("\n" + gate.out);
  CHECK(place == "ci/gate.toml:4");
  const support::Ended alone = run_command(folder, command);
  CHECK(alone.code == 1);
  // The same message in both.
  const std::string message = gate.out.substr(gate.out.find(": limit: ") + 9);
  CHECK_THAT(alone.out, Catch::Contains("  limit fails: " + message.substr(0, message.find('\n') + 1)));
  const auto unit = nlohmann::json::parse(folder.read("o.json"))["units"][0];
  CHECK(run_command(folder, unit["command"]).code == 1);
  CHECK(unit["causes"][0]["place"] == nlohmann::json{{"file", "ci/gate.toml"}, {"line", 4}});
  CHECK(unit["causes"][0]["command"] == command);
  CHECK_THAT(folder.read("o.sarif"), Catch::Contains("\"startLine\": 4"));
}

}  // namespace

TEST_CASE("gate: every limit that is failed on purpose fails in the printed command, too") {
  const TemporaryFolder folder;
  write_files(folder);
  const std::string swing = "algo = 'swing'\ntorus = '2x4'\nlanes = 'all'\ncollective = 'reduce-scatter'\n";
  for (const Metric& metric : metrics()) {
    const bool is_shape = metric.source == Metric::Source::shape;
    const bool is_program = metric.source == Metric::Source::program;
    const std::string zero = is_shape                ? " - 0*steps"
                             : metric.beside.empty() ? ""
                                                     : fmt::format(" - 0*{}", metric.beside);
    check_reproduced(folder, is_program ? "file = 'ring-2.xml'\n" : swing,
                     fmt::format("{} <= -1{}", metric.name, zero));
  }
  for (const std::string limit :
       {"not (steps > 0)", "steps > 0 ? staging < 0 : congestion < 0", "even(steps) and odd(steps)", "steps / 7 == 1/3",
        "abs(steps) != steps or min(messages, 3) > max(p, 4)", "steps < ceil(log2(p)) or bandwidth < 0.5"})
    check_reproduced(folder, swing, limit);
}

TEST_CASE("gate: a limit is reproduced for each kind of subject, on its own network") {
  const TemporaryFolder folder;
  write_files(folder);
  const std::string network = "topology = 'line.dot'\nmap = 'map.txt'\nrouting = 'ecmp'\nnetwork-ports = 2\n";
  for (const std::string subject : {"algo = 'rabenseifner'\nset = { order = 'far' }\np = 4\n", "file = 's.json'\n",
                                    "exec = './pairwise.py {p}'\np = 4\nexec-time-limit = \"30s\"\nbudget = 100000\n",
                                    "peer = 'r xor pow2(s)'\npeer-steps = '2'\np = 4\n"}) {
    check_reproduced(folder, subject + network, "congestion < 0");
    check_reproduced(folder, subject, "steps < 0");
  }
  check_reproduced(folder, "algo = 'swing'\np = 8\ntopology = 'fat-tree:radix=4,taper=2'\n", "bandwidth < 0");
  check_reproduced(folder, "file = 's.goal'\nfifo = 0\n", "operations < 0");
  check_reproduced(folder, "file = 'ring-2.xml'\nfifo = 3\nrequire = 'deadlock-free'\n", "thread_blocks < 0");
}

TEST_CASE("gate: what got worse than the baseline, or another collective, is reproduced by the printed command") {
  const TemporaryFolder folder;
  write_files(folder);
  folder.write("ci/gate.toml", "[[check]]\nname = 'a [*'\nfile = 's.json'\ncollective = 'allreduce'\n");
  const std::string gate = "verify gate --no-cache ci/gate.toml";
  REQUIRE(run_command(folder, gate + " --baseline b.json --update-baseline").code == 0);
  folder.write("b.json",
               std::regex_replace(folder.read("b.json"), std::regex("\"steps\": \"4\""), "\"steps\": \"7/2\""));
  const support::Ended worse = run_command(folder, gate + " --baseline b.json");
  const auto [place, command] = printed_command("\n" + worse.out);
  CHECK(place == "ci/s.json:1");
  CHECK(command == "verify ci/s.json --limit 'steps <= 7/2'");
  CHECK(run_command(folder, command).code == 1);
  run_program("'" + program + "' export --algo swing --p 4 --collective allgather --to json -o ci/s.json",
              folder.path());
  const support::Ended other = run_command(folder, gate);
  const auto [where, judging] = printed_command("\n" + other.out);
  CHECK(where == "ci/gate.toml:4");
  CHECK_THAT(judging, Catch::StartsWith("verify gate ci/gate.toml --filter "));
  CHECK(run_command(folder, judging).code == 1);
  folder.write("ci/gate.toml", "[[check]]\nname = 'a [*'\nfile = 's.json'\n");
  const support::Ended recorded = run_command(folder, gate + " --baseline b.json");
  const auto [there, comparing] = printed_command("\n" + recorded.out);
  CHECK(run_command(folder, comparing).code == 1);
}

TEST_CASE("gate: a network that can't be made is named by the printed command, too") {
  const TemporaryFolder folder;
  write_files(folder);
  folder.write("ci/ways.txt", "0 -> 2 takes nowhere\n");
  folder.write("ci/gate.toml",
               "[[check]]\nname = 'c'\nalgo = 'swing'\np = 4\nlimit = ['steps <= 4', 'congestion <= 9']\n"
               "topology = 'line.dot'\nways = 'ways.txt'\n");
  const support::Ended gate = run_command(folder, "verify gate --no-cache ci/gate.toml");
  REQUIRE(gate.code == 3);
  const auto [place, command] = printed_command("\n" + gate.out);
  CHECK(command == "verify --algo swing --p 4 --limit 'congestion <= 9' --topology ci/line.dot --ways ci/ways.txt");
  const support::Ended alone = run_command(folder, command);
  CHECK(alone.code == 3);
  CHECK_THAT(alone.err, Catch::StartsWith("ci/ways.txt:1:14: "));
}

}  // namespace reproduction_test
