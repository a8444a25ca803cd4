// `verify gate` as a whole: what turns red where, what is cached, what an interrupt leaves.

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "run_program.h"

namespace gate_command_test {

using namespace onceover::support;

namespace {

const std::string program = ONCEOVER_VERIFY;
const std::string source = ONCEOVER_SOURCE;

/// Runs `verify gate ARGUMENTS` in the folder, with a cache there.
Ended gate(const TemporaryFolder& folder, const std::string& arguments = "") {
  return run_program("XDG_CACHE_HOME=$PWD/cache '" + program + "' gate " + arguments, folder.path());
}

const std::string outputs_in_one = "--json-out o.json --markdown-out o.md";

constexpr std::string_view outputs = "--json-out o.json --junit-out o.xml --sarif-out o.sarif --markdown-out o.md";

/// An output as it is without a cache.
std::string without_cached(std::string text) {
  text = std::regex_replace(text, std::regex(" *cached: an earlier run of this program found it(\n|&#10;)"), "");
  text = std::regex_replace(text, std::regex(", [0-9]+ cached\n"), "\n");
  text = std::regex_replace(text, std::regex("\"cached\": true"), "\"cached\": false");
  return std::regex_replace(text, std::regex("(\n\\| a .*\\| )[0-9]+ \\|"), "$010 |");
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

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

/// make.sh P, which prints the schedule of "ALGORITHM COLLECTIVE".
void write_generator(const TemporaryFolder& folder, const std::string& words) {
  const std::size_t space = words.find(' ');
  folder.write("make.sh", "#!/bin/sh\nexec '" + program + "' export --algo " + words.substr(0, space) +
                              " --collective " + words.substr(space + 1) + " --p $1 --to json\n");
  std::filesystem::permissions(folder.path("make.sh"), std::filesystem::perms::owner_all);
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
               "limit = ['steps <= ceil(log2(p))', 'congestion <= 1.2', 'staging <= 2']\n");
  const auto first = five(folder);
  for (std::string output : first) CHECK(without_cached(output) == output);
  const auto second = five(folder);
  for (std::size_t k = 0; k < first.size(); ++k) CHECK(without_cached(second[k]) == first[k]);
  gate(folder, "--no-cache --jobs 1 " + std::string(outputs));
  CHECK(folder.read("o.json") == first[1]);
}

TEST_CASE("gate: what an earlier run found is said to be cached, limits are judged anew") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = '4..5'\nlimit = ['steps <= 5']\n");
  CHECK_THAT(gate(folder, outputs_in_one).out, !Catch::Contains("cached"));
  CHECK_THAT(folder.read("o.json"), Catch::Contains("\"cached\": false") && !Catch::Contains("\"cached\": true"));
  CHECK_THAT(folder.read("o.md"), Catch::Contains("| a | 2 | 0 | 2 | 0 | 0 |"));
  CHECK_THAT(gate(folder, outputs_in_one).out,
             Catch::Contains("    cached: an earlier run of this program found it\n") &&
                 Catch::Contains("  a  0 of 2 pass, 2 cached\n"));
  CHECK_THAT(folder.read("o.json"), Catch::Contains("\"cached\": true") && !Catch::Contains("\"cached\": false"));
  CHECK_THAT(folder.read("o.md"), Catch::Contains("| a | 2 | 0 | 2 | 0 | 2 |") &&
                                      Catch::Contains("cached: an earlier run of this program found it"));
  // Units that are the same are no earlier run's.
  folder.write(
      "twice.toml",
      "[[check]]\nname = 'b'\nalgo = 'swing'\np = '4..20'\n[[check]]\nname = 'c'\nalgo = 'swing'\np = '4..20'\n");
  CHECK_THAT(gate(folder, "twice.toml --jobs 1").out, !Catch::Contains("cached"));
  CHECK_THAT(gate(folder, "twice.toml").out, Catch::Contains("c  17 of 17 pass, 17 cached"));
  replace_once(folder, "gate.toml", "steps <= 5", "steps <= 7");
  const Ended partly = gate(folder);
  CHECK(partly.code == 1);
  CHECK_THAT(partly.out, Catch::Contains("a  1 of 2 pass, 2 cached"));
}

TEST_CASE("gate: a network from files is cached by what is in them") {
  const TemporaryFolder folder;
  folder.write("net.dot", "graph { 0 -- 1; 1 -- 2; 2 -- 3 }\n");
  folder.write("map.txt", "0 1 2 3\n");
  folder.write("gate.toml",
               "[[check]]\nname = 'a'\nalgo = 'swing'\np = 4\nlimit = ['congestion <= 2']\n"
               "topology = 'net.dot'\nmap = 'map.txt'\n");
  const Ended first = gate(folder);
  CHECK_THAT(first.out, !Catch::Contains("cached"));
  CHECK_THAT(gate(folder).out, Catch::Contains("1 cached"));
  for (const auto& [file, text] :
       {std::pair{"net.dot", "graph { 0 -- 1; 1 -- 2; 2 -- 3; 3 -- 0 }\n"}, {"map.txt", "3 1 2 0\n"}}) {
    folder.write(file, text);
    CHECK_THAT(gate(folder).out, !Catch::Contains("cached"));
    CHECK_THAT(gate(folder).out, Catch::Contains("1 cached"));
  }
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

TEST_CASE("gate: shards that update one baseline at the same time lose no record") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = '2..41'\n");
  CHECK(gate(folder, "--baseline alone.json --update-baseline").code == 0);
  // A link to a file that isn't there yet is one name of that file.
  std::filesystem::create_directory(folder.path("other"));
  std::filesystem::create_symlink("other/c.json", folder.path("link.json"));
  for (const std::string name : {"b.json", "link.json"}) {
    const std::string shards = "for i in 1 2 3 4 5 6 7 8; do " ONCEOVER_VERIFY
                               " gate --no-cache --shard $i/8 --baseline " +
                               name + " --update-baseline & done; wait";
    run_program("sh -c '" + shards + "'", folder.path());
    CHECK(folder.read(name) == folder.read("alone.json"));
  }
}

TEST_CASE("gate: a metric that got worse than the baseline fails") {
  const TemporaryFolder folder;
  const std::string head = "[[check]]\nname = 'a'\np = '4..6'\nlimit = ['congestion <= 9']\n";
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
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = 8\nbudget = 10\nlimit = ['steps <= 99']\n");
  CHECK(gate(folder).code == 4);
  folder.write("s.json", "{\"format\":");
  folder.write("gate.toml", "[[check]]\nname = 'a'\nfile = 's.json'\n");
  CHECK(gate(folder).code == 3);
  folder.write("gate.toml",
               "[[check]]\nname = 'a'\nfile = 's.json'\n[[check]]\nname = 'b'\nalgo = 'ring'\np = 8\n"
               "limit = ['steps <= 1']\n");
  CHECK(gate(folder).code == 1);
}

TEST_CASE("gate: a property that a schedule can't have is refused, not judged") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = 8\nrequire = ['race-free']\n");
  CHECK(gate(folder).code == 2);
}

TEST_CASE("gate: an interrupt ends it with 130, told on standard output and in no file") {
  const TemporaryFolder folder;
  folder.write("gate.toml",
               "[[check]]\nname = 'slow'\nexec = 'test {p} -ne 2 || kill -INT $PPID; sleep 30'\np = '2..9'\n");
  const Ended ended = run_program("XDG_CACHE_HOME=$PWD/cache '" + program + "' gate " + std::string(outputs) +
                                      " --baseline b.json --update-baseline; echo $?; ls",
                                  folder.path());
  CHECK(ended.out.ends_with("unknown  8 of 8 units: subject\n130\ngate.toml\n"));
}

TEST_CASE("gate: outputs that can't be written are found out first") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'slow'\nexec = 'sleep 30; echo {p}'\np = 2\n");
  CHECK(gate(folder, "--json-out no/such/folder.json").code == 2);
  CHECK(gate(folder, "--jobs 0").code == 2);
  CHECK(gate(folder, "--shard 3/2").code == 2);
}

TEST_CASE("gate: a generator or file that changes its collective fails where the gate names it") {
  const TemporaryFolder folder;
  write_generator(folder, "swing allreduce");
  folder.write("gate.toml",
               "[[check]]\nname = 'mine'\nexec = './make.sh {p}'\np = 4\ncollective = 'allreduce'\n"
               "[[check]]\nname = 'file'\nfile = 's.json'\ncollective = 'allreduce'\n");
  run_program("./make.sh 4 > s.json", folder.path());
  const Ended good = gate(folder, "--markdown-out o.md");
  CHECK(good.out == "  mine  1 of 1 pass (allreduce)\n  file  1 of 1 pass (allreduce)\npass  2 units\n");
  CHECK_THAT(folder.read("o.md"), Catch::Contains("| mine \\(allreduce\\) | 1 | 1 |"));
  write_generator(folder, "swing reduce-scatter");
  run_program("./make.sh 4 > s.json", folder.path());
  check_red(folder, {"this is reduce-scatter; the gate asks for allreduce", "subject"});
  CHECK_THAT(gate(folder).out,
             Catch::StartsWith("fail  mine: ./make.sh {p} (reduce-scatter), p = 4: subject: this is reduce-scatter;") &&
                 Catch::Contains("fail  file: s.json (reduce-scatter): subject: "));
}

TEST_CASE("gate: a collective other than the recorded one fails, without being named in the gate") {
  const TemporaryFolder folder;
  write_generator(folder, "ring allreduce");
  folder.write("gate.toml", "[[check]]\nname = 'mine'\nexec = './make.sh {p}'\np = 4\n");
  CHECK(gate(folder, "--baseline b.json --update-baseline").code == 0);
  CHECK_THAT(folder.read("b.json"), Catch::Contains("\"collective\": \"allreduce\""));
  write_generator(folder, "ring allgather");
  CHECK(gate(folder).code == 0);
  const Ended changed = gate(folder, "--baseline b.json");
  CHECK(changed.code == 1);
  CHECK_THAT(changed.out, Catch::Contains("baseline: this is allgather; recorded is allreduce"));
}

TEST_CASE("gate: a file that doesn't tell its collective is unknown where one is asked for, and noted where not") {
  const TemporaryFolder folder;
  folder.write("s.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n");
  folder.write("gate.toml", "[[check]]\nname = 'goal'\nfile = 's.goal'\n");
  const Ended noted = gate(folder, "--markdown-out o.md");
  CHECK(noted.code == 0);
  CHECK_THAT(noted.out, Catch::Contains("  note: goal: GOAL says who sends how much to whom, not which data"));
  CHECK_THAT(folder.read("o.md"), Catch::Contains("- note: goal: GOAL says") && Catch::Contains("not applicable"));
  folder.write("gate.toml", "[[check]]\nname = 'goal'\nfile = 's.goal'\ncollective = 'allreduce'\n");
  const Ended asked = gate(folder);
  CHECK(asked.code == 4);
  CHECK_THAT(asked.out, Catch::Contains("it doesn't tell its collective; the gate asks for allreduce"));
}

TEST_CASE("gate: an update keeps the records of units that don't pass") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'swing'\np = '4..6'\n");
  CHECK(gate(folder, "--baseline b.json --update-baseline").code == 0);
  const std::string recorded = folder.read("b.json");
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'swing'\np = '4..6'\nlimit = ['steps <= 4']\n");
  CHECK(gate(folder, "--baseline b.json --update-baseline").code == 1);
  CHECK(folder.read("b.json") == recorded);
}

TEST_CASE("gate: recorded units that are gone fail a whole gate, in all outputs, until recorded anew") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'swing'\np = '4..6'\n");
  CHECK(gate(folder, "--baseline b.json --update-baseline").code == 0);
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'swing'\np = '4..5'\n");
  const Ended gone = gate(folder, "--baseline b.json " + std::string(outputs));
  CHECK(gone.code == 1);
  CHECK(gone.out ==
        "fail  baseline: 1 recorded unit is no longer in the gate: a/swing/allreduce/p=6\n"
        "  a  2 of 2 pass, 2 cached\nfail  0 of 2 units, and 1 that is gone: baseline\n");
  for (const std::string name : {"o.json", "o.xml", "o.sarif", "o.md"})
    CHECK_THAT(folder.read(name), Catch::Contains("a/swing/allreduce/p=6"));
  CHECK(gate(folder, "--baseline b.json --filter swing").code == 0);
  const Ended first = gate(folder, "--baseline b.json --shard 1/2");
  CHECK(first.code == 1);
  CHECK_THAT(first.out, Catch::Contains("no longer in the gate: a/swing/allreduce/p=6"));
  CHECK(gate(folder, "--baseline b.json --shard 2/2").code == 0);
  CHECK(gate(folder, "--baseline b.json --filter swing --shard 1/2").code == 0);
  const Ended anew = gate(folder, "--baseline b.json --update-baseline");
  CHECK(anew.code == 0);
  CHECK_THAT(anew.out, Catch::Contains("note: 1 recorded unit is no longer in the gate: a/swing/allreduce/p=6; not"));
  CHECK(gate(folder, "--baseline b.json").code == 0);
}

TEST_CASE("gate: a record without metrics is no record") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'swing'\np = 4\n");
  folder.write("b.json",
               "{\"format\":\"onceover-baseline\",\"version\":1,\"units\":{\"a/swing/allreduce/p=4\":{},\"b\":{}}}");
  const Ended ended = gate(folder, "--baseline b.json");
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("note: the baseline has no record of 1 of the units"));
  folder.write("b.json",
               "{\"format\":\"onceover-baseline\",\"version\":1,\"units\":{\"b\":{\"collective\":\"allredcue\"}}}");
  CHECK(gate(folder, "--baseline b.json").code == 3);
}

TEST_CASE("gate: an empty shard of a filter that matches something is nothing to do") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = 'a'\nalgo = 'ring'\np = '2..6'\nlimit = []\nrequire = []\n");
  const Ended empty = gate(folder, "--filter p=2 --shard 2/2");
  CHECK(empty.code == 0);
  CHECK(empty.out == "pass  nothing to do (filter 'p=2', shard 2/2 of 5 units)\n");
  CHECK(gate(folder, "--filter p=7 --shard 2/2").code == 2);
}

TEST_CASE("gate: the printed commands work from the current folder") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("a folder"));
  for (const std::string name : {"swing-latency-6.json", "pairwise.py"}) {
    copy_example(folder, name);
    std::filesystem::rename(folder.path(name), folder.path("a folder/" + name));
  }
  folder.write("a folder/gate.toml",
               "[[check]]\nname = 'file'\nfile = 'swing-latency-6.json'\n"
               "[[check]]\nname = 'exec'\nexec = './pairwise.py {p}'\np = 6\nlimit = ['steps <= 1']\n");
  const Ended ended = gate(folder, "'a folder/gate.toml'");
  CHECK(ended.code == 1);
  const std::string of_file = "verify 'a folder/swing-latency-6.json'";
  const std::string of_exec = "(cd 'a folder/' && verify --exec './pairwise.py {p}' --p 6 --limit 'steps <= 1')";
  CHECK_THAT(ended.out, Catch::Contains(": " + of_file + "\n") && Catch::Contains(": " + of_exec + "\n"));
  const std::string path = "PATH=" + program.substr(0, program.rfind('/')) + ":$PATH; ";
  CHECK(run_program(path + of_file, folder.path()).code == 1);
  CHECK(run_program(path + of_exec, folder.path()).code == 1);
}

TEST_CASE("gate: outputs that would write over the gate file, the baseline or each other are refused") {
  const TemporaryFolder folder;
  const std::string text = "[[check]]\nname = 'a'\nalgo = 'ring'\np = 2\n";
  folder.write("gate.toml", text);
  CHECK_THAT(gate(folder, "--json-out ./gate.toml").err, Catch::Contains("--json-out would write over the gate file"));
  CHECK_THAT(gate(folder, "--json-out o --sarif-out ./o").err, Catch::Contains("--json-out and --sarif-out name one"));
  CHECK_THAT(gate(folder, "--baseline b --update-baseline --junit-out b").err, Catch::Contains("name one file"));
  CHECK(gate(folder, "--json-out $PWD/gate.toml").code == 2);
  CHECK(gate(folder, "--json-out o --sarif-out ./o").code == 2);
  CHECK(gate(folder, "--baseline gate.toml --update-baseline").code == 2);
  CHECK(folder.read("gate.toml") == text);
  CHECK(!std::filesystem::exists(folder.path("o")));
  CHECK(gate(folder, "--json-out /dev/null --sarif-out /dev/null").code == 0);
}

TEST_CASE("gate: each file of a folder of plans is a unit, and a mistake is at its operation") {
  const TemporaryFolder folder;
  std::filesystem::copy(source + "/examples/plans", folder.path("ci"), std::filesystem::copy_options::recursive);
  const Ended right = gate(folder, "ci/gate.toml");
  CHECK(right.code == 0);
  CHECK_THAT(right.out, Catch::Contains("pass  2 units"));
  std::filesystem::copy(source + "/tests/data/plans/missing_nop.json", folder.path("ci/allgather/missing_nop.json"));
  std::filesystem::create_directory(folder.path("ci/allgather/.hidden"));
  folder.write("ci/allgather/.hidden/no_plan.json", "nothing");
  folder.write("ci/allreduce/broken.json", "{\"gpus\": 1}");
  const Ended wrong = gate(folder, "ci/gate.toml " + std::string(outputs));
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, Catch::Contains("fail  1 of 4 units: race-free"));
  CHECK_THAT(wrong.out, Catch::Contains("ci/allgather/missing_nop.json:6:"));
  CHECK_THAT(wrong.out, Catch::Contains("ci/allreduce/broken.json:1:"));
  CHECK_THAT(wrong.out, Catch::Contains("verify ci/allgather/missing_nop.json --sizes 1Ki..512Mi"));
  // Not by a pattern over the whole file: std::regex recurses at each character.
  const std::string sarif = without_spaces(folder.read("o.sarif"));
  CHECK(sarif.find("\"startLine\":6,\"startColumn\":4") != std::string::npos);
  const Ended again = gate(folder, "ci/gate.toml --filter missing_nop");
  CHECK(again.code == 1);
  CHECK_THAT(again.out, Catch::Contains("cached"));
}

TEST_CASE("gate: a plan whose data nobody can judge isn't green, unless the gate says so") {
  const TemporaryFolder folder;
  std::filesystem::copy(source + "/tests/data/plans/allgather.json", folder.path("a.json"));
  replace_once(folder, "a.json", "\"allgather\"", "\"all_gather\"");
  folder.write("gate.toml", "[[check]]\nname = 'plans'\nfile = 'a.json'\n");
  const Ended unknown = gate(folder);
  CHECK(unknown.code == 4);
  CHECK_THAT(unknown.out, Catch::Contains("did you mean 'allgather'?"));
  folder.write("gate.toml", "[[check]]\nname = 'plans'\nfile = 'a.json'\ncollective = 'none'\n");
  CHECK(gate(folder).code == 0);
  CHECK_THAT(gate(folder, "--print-config").out, Catch::Contains("collective = \"none\""));
  folder.write("gate.toml", "[[check]]\nname = 'plans'\nfile = 'a.json'\ncollective = 'allgather'\n");
  CHECK(gate(folder).code == 4);
  folder.write("s.goal", "num_ranks 1\nrank 0 {\ncalc 1\n}\n");
  folder.write("gate.toml", "[[check]]\nname = 'goal'\nfile = 's.goal'\ncollective = 'none'\n");
  CHECK(gate(folder).code != 0);
}

TEST_CASE("gate: plans that aren't for the GPUs or sizes that are asked for fail") {
  const TemporaryFolder folder;
  std::filesystem::copy(source + "/tests/data/plans/allgather.json", folder.path("a.json"));
  const auto check = [&](const std::string& lines) {
    folder.write("gate.toml", "[[check]]\nname = 'plans'\nfiles = ['a.json', '*.json']\n" + lines);
    return gate(folder);
  };
  CHECK(check("").code == 0);
  CHECK_THAT(check("").out, Catch::Contains("pass  1 unit\n"));
  CHECK(check("ranks = '4,8'\n").code == 1);
  CHECK(check("sizes = '1Ki..64Mi'\n").code == 0);
  CHECK(check("sizes = 32\n").code == 0);
  CHECK(check("sizes = 16\n").code == 1);
  CHECK(check("sizes = '2Mi..1Mi'\n").code == 2);
  CHECK(check("p = 2\n").code == 2);
  folder.write("gate.toml", "[[check]]\nname = 'plans'\nfiles = 'b/**/*.json'\n");
  CHECK_THAT(gate(folder).err, Catch::Contains("files: no file matches 'b/**/*.json'"));
  std::filesystem::create_symlink("loop", folder.path("loop"));
  folder.write("gate.toml", "[[check]]\nname = 'plans'\nfiles = ['*.json', 'loop/*.json']\n");
  CHECK_THAT(gate(folder).err, Catch::Contains("loop: Too many levels of symbolic links"));
  std::filesystem::remove(folder.path("loop"));
  run_program("'" + program + "' export --algo swing --p 4 --to json -o a.json", folder.path());
  CHECK(check("").code == 0);
  CHECK(check("sizes = 32\n").code == 2);
}

}  // namespace gate_command_test
