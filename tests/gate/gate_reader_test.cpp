#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "gate/gate.h"
#include "processor_time.h"
#include "units/units.h"

namespace gate_reader_test {

using namespace onceover::gate;

namespace {

std::string error(const std::string& text) {
  const auto file = read_gate("gate.toml", text);
  if (!file) {
    CHECK(file.error().code == ExitCode::usage);
    return file.error().message;
  }
  const auto units = units_of(*file);
  REQUIRE(!units);
  CHECK(units.error().code == ExitCode::usage);
  return units.error().message;
}

/// The error of a check with a name and one more line, which is line 3.
std::string error_in_check(const std::string& lines) {
  return error("[[check]]\nname = \"c\"\n" + lines);
}

std::vector<std::string> ids(const std::string& text) {
  const auto file = read_gate("gate.toml", text);
  REQUIRE(file);
  const auto units = units_of(*file);
  REQUIRE(units);
  std::vector<std::string> ids;
  for (const Unit& unit : *units) ids.push_back(unit.id);
  return ids;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("gate file: mistakes are shown where they are") {
  CHECK(error("") ==
        "gate.toml:1:1: there is no [[check]] in it; a check is a [[check]] with a name and a subject, such as algo\n"
        "  \n  ^");
  CHECK(error_in_check("algo = \"swong\"\np = 7") ==
        "gate.toml:3:8: algo: no algorithm 'swong'; did you mean 'swing'?\n  algo = \"swong\"\n         ^");
  CHECK_THAT(error_in_check("algo = \"swing\np = 7"), Catch::StartsWith("gate.toml:3:14: "));
  CHECK_THAT(error_in_check("algo = \"swing\"\np = 7\nlimts = []"),
             Catch::StartsWith("gate.toml:5:1: no key 'limts' in a check; did you mean 'limit'?"));
  CHECK_THAT(
      error_in_check("algo = \"swing\"\np = 7.5"),
      Catch::StartsWith("gate.toml:4:5: p: expected a list such as \"2..64\", or a number, found a number with"));
  CHECK_THAT(error_in_check("algo = \"swing\"\np = \"9..3\""), Catch::StartsWith("gate.toml:4:5: p: the range 9..3"));
  CHECK_THAT(error_in_check("algo = \"swing\"\np = 7\nlimit = [\"stepz <= 3\"]"),
             Catch::StartsWith("gate.toml:5:11: limit: no variable or function 'stepz'; did you mean 'steps'?"));
  CHECK_THAT(error_in_check("peer = 'é r xr 1'\np = 4"), Catch::StartsWith("gate.toml:3:9: peer: expected a number"));
  CHECK_THAT(error_in_check("peer = \"r xr 1\"\np = 4"),
             Catch::StartsWith("gate.toml:3:11: peer: expected an operator"));
  CHECK(error("[[check]]\n[.a]") ==
        "gate.toml:2:2: expected a key: letters, digits, '_' and '-', or a text in quotes\n  [.a]\n   ^");
  CHECK_THAT(error("[\n"), Catch::StartsWith("gate.toml:1:2: expected a key"));
  CHECK_THAT(error("[[check]]\nname = \"\x80\""), Catch::StartsWith("gate.toml:"));
  CHECK_THAT(error(std::string(5 << 20, '#')), Catch::Contains("at most 4194304 bytes"));
  CHECK_THAT(error("[defaults]\nrequire = [\"exactly-onec\"]\n"),
             Catch::StartsWith("gate.toml:2:12: require: no property 'exactly-onec'; did you mean 'exactly-once'?"));
}

TEST_CASE("gate file: keys of thousands of parts are refused") {
  std::string parts = "a";
  for (int k = 0; k < 500'000; ++k) parts += ".a";
  CHECK_THAT(error("[[check]]\n" + parts + " = 1\n"),
             Catch::StartsWith("gate.toml:2:1: a line has at most 1000 points"));
  CHECK_THAT(error("a" + parts.substr(1, 2000) + " = 1\n"), Catch::StartsWith("gate.toml:1:1: no key 'a'"));
  CHECK_THAT(error("a = " + std::string(20, '[') + std::string(20, ']')), Catch::StartsWith("gate.toml:1:"));
}

TEST_CASE("gate file: more than a million units are refused before they are made") {
  std::string versions;
  for (int k = 0; k < 100; ++k) versions += "{ order = " + std::to_string(k) + " },";
  const std::string lines = "[[check]]\nname='c'\nalgo='all'\np='2..65000'\ncollective='all'\nset=[" + versions + "]\n";
  const auto file = read_gate("gate.toml", lines);
  REQUIRE(file);
  const double begin = onceover::support::processor_seconds();
  CHECK_THAT(check_count(*file).error().message,
             Catch::StartsWith("gate.toml:4:3: the gate has more than 1000000 units"));
  CHECK_THAT(units_of(*file).error().message, Catch::Contains("the gate has more than 1000000 units"));
  CHECK(onceover::support::processor_seconds() - begin < 10);  // making them takes minutes
}

TEST_CASE("gate file: what makes no check is refused") {
  CHECK_THAT(error("check = 3"), Catch::Contains("expected tables, [[check]], found a whole number"));
  CHECK_THAT(error("check = []"), Catch::Contains("expected tables"));
  CHECK_THAT(error("[[check]]\nalgo = \"ring\"\np = 3"), Catch::Contains("a check needs a name"));
  CHECK_THAT(error_in_check("p = 3"), Catch::Contains("a check needs a subject"));
  CHECK_THAT(error_in_check("algo = \"ring\""), Catch::Contains("algo needs numbers of ranks"));
  CHECK_THAT(error_in_check("algo = []\np = 3"), Catch::Contains("the list is empty"));
  CHECK_THAT(error_in_check("algo = \"ring\"\np = 3\ntorus = \"2x2\""), Catch::Contains("either p or torus"));
  CHECK_THAT(error_in_check("algo = \"ring\"\npeer = \"r\"\np = 3"), Catch::Contains("either algo or peer"));
  CHECK_THAT(error_in_check("file = \"s.json\"\np = 3"), Catch::Contains("p does not go with file"));
  CHECK_THAT(error_in_check("file = \"no-such-file.json\""), Catch::Contains("No such file"));
  CHECK_THAT(error_in_check("algo = \"ring\"\ntorus = \"4x4\""), Catch::StartsWith("gate.toml:4:9: "));
  CHECK_THAT(error_in_check("algo = \"all\"\ntorus = \"2x2\"\ncollective = \"alltoall\""),
             Catch::Contains("no algorithm of the catalogue is for any of these"));
  CHECK_THAT(error_in_check("exec = \"cat s.json\"\np = \"2..4\""), Catch::Contains("no {p} or {shape}"));
  CHECK_THAT(error_in_check("algo = \"ring\"\np = 3\nrequire = [\"staging\"]"), Catch::Contains("is a limit"));
  CHECK_THAT(error("[[check]]\nname=\"c\"\nalgo=\"ring\"\np=3\n[[check]]\nname=\"c\"\nalgo=\"ring\"\np=3"),
             Catch::StartsWith("gate.toml:6:6: name: there is another check 'c' above"));
}

TEST_CASE("gate file: in the place of a bound stands a limit on a metric that there is") {
  for (const Property& p : properties()) {
    if (!p.bound) continue;
    const std::string limit(p.bound->limit);
    CHECK(Limit::parse(limit));
    CHECK_THAT(error_in_check("algo = \"ring\"\np = 3\nrequire = [\"" + std::string(p.id) + "\"]"),
               Catch::Contains("a limit: limit = [\"" + limit + "\"]"));
  }
}

TEST_CASE("gate file: units by algorithm, collective, settings and shape") {
  CHECK(ids("[[check]]\nname='c'\nalgo=['swing','ring']\np='3,2'") ==
        Ids{"c/ring/allreduce/p=2", "c/ring/allreduce/p=3", "c/swing/allreduce/p=2", "c/swing/allreduce/p=3"});
  CHECK(ids("[[check]]\nname='c'\nalgo='rabenseifner'\np=8\nset=[{order='near'},{order='far'}]") ==
        Ids{"c/rabenseifner/allreduce/order=near/p=8", "c/rabenseifner/allreduce/order=far/p=8"});
  CHECK(ids("[[check]]\nname='c'\nalgo='swing'\ntorus=['4x4','2x4']\nlanes='all'") ==
        Ids{"c/swing/allreduce/lanes=all/2x4", "c/swing/allreduce/lanes=all/4x4"});
  CHECK(ids("[[check]]\nname='c'\npeer='r xor pow2(s)'\np='2,4'\ncollective=['allgather','allreduce']").size() == 4);
}

TEST_CASE("gate file: a file or command is of one collective") {
  CHECK_THAT(error_in_check("exec = \"./x {p}\"\np = 3\ncollective = \"all\""),
             Catch::StartsWith("gate.toml:5:14: collective: exec is of one collective; say here of which"));
  CHECK_THAT(error_in_check("exec = \"./x {p}\"\np = 3\ncollective = [\"allreduce\", \"allgather\"]"),
             Catch::StartsWith("gate.toml:5:14: collective: exec"));
  CHECK_THAT(error("[defaults]\ncollective = \"all\"\n[[check]]\nname = \"c\"\nfile = \"x\""),
             Catch::StartsWith("gate.toml:3:"));
  CHECK(ids("[defaults]\ncollective='all'\np=3\n[[check]]\nname='c'\nexec='x {p}'\ncollective='allgather'") ==
        Ids{"c/exec/p=3"});
}

namespace {

/// That many checks, as tables of their own and in one list.
std::array<std::string, 2> many_checks(int count) {
  std::string lines = "[defaults]\np = 4\n";
  std::string one_line = "check = [";
  for (int k = 0; k < count; ++k) {
    lines += "[[check]]\nname = 'c" + std::to_string(k) + "'\nalgo = 'ring'\n";
    one_line += "{ name = 'c" + std::to_string(k) + "', algo = 'ring', p = 4 },";
  }
  return {lines, one_line + "]\n"};
}

/// The processor time that reading them takes.
double reading_seconds(const std::string& text, std::size_t count) {
  const double begin = onceover::support::processor_seconds();
  const auto file = read_gate("gate.toml", text);
  const double taken = onceover::support::processor_seconds() - begin;
  REQUIRE(file);
  CHECK(file->checks.size() == count);
  return taken;
}

}  // namespace

TEST_CASE("gate file: thousands of checks are read in a time that grows with their number") {
  const auto few = many_checks(500);
  const auto many = many_checks(32000);
  for (const std::size_t k : {0U, 1U}) {
    const double least = std::min(reading_seconds(few[k], 500), reading_seconds(few[k], 500));
    // 64 times as many, with a factor of ten to spare; the square would be 4096 times as much.
    CHECK(reading_seconds(many[k], 32000) < 640 * least);
  }
  CHECK(read_gate("gate.toml", many[0])->checks.back().line == 3 * 32000);
}

TEST_CASE("gate file: a check's own range replaces that of the defaults") {
  CHECK(ids("[defaults]\np='2..9'\n[[check]]\nname='c'\nalgo='swing'\ntorus='4x4'") == Ids{"c/swing/allreduce/4x4"});
}

TEST_CASE("gate file: all algorithms are those in their domain, without the texts that are wrong as printed") {
  const auto all = ids("[[check]]\nname='c'\nalgo='all'\np=6");
  CHECK(std::find(all.begin(), all.end(), "c/swing/allreduce/p=6") != all.end());
  CHECK(std::find(all.begin(), all.end(), "c/swing-keep-first/allreduce/p=6") == all.end());
}

TEST_CASE("gate file: the printed configuration is a gate file that says the same") {
  const auto file = read_gate("gate.toml",
                              "[defaults]\np='2..9'\nlimit=['steps <= p']\n[[check]]\nname='a \"b\" \\'\nalgo='swing'\n"
                              "set={}\n[[check]]\nname='d'\npeer='r xor 1'\nrequire=['contiguous']\nlimit=[]\n");
  REQUIRE(!file);  // an empty table of settings
  const auto good = read_gate("gate.toml",
                              "[defaults]\np='2..9'\nlimit=['steps <= p']\n[[check]]\nname='a \"b\" \\'\nalgo='swing'\n"
                              "[[check]]\nname='d'\npeer='r xor 1'\nrequire=['contiguous']\nlimit=[]\n");
  REQUIRE(good);
  const std::string printed = config_text(*good);
  const auto again = read_gate("printed.toml", printed);
  REQUIRE(again);
  CHECK(config_text(*again) == printed);
  CHECK(again->checks[0].name == "a \"b\" \\");
  CHECK(again->checks[0].limits.size() == 1);
  CHECK(again->checks[1].limits.empty());
}

TEST_CASE("gate file: letters beyond ASCII stand in texts and comments only") {
  const std::string check = "algo = \"swing\"\np = \"2\"\n";
  for (const std::string fine :
       {"name = \"é\" # é\n", "name = 'é'\n", "name = \"\"\"é\"\"\"\"\"\n", "name = '''é\"''' # '\n",
        "name = \"\\\"é\\\"\"\n", "name=\"é\"\n", "name = \"\"\"a\\\n  b é\\\\é\"\"\"\n"}) {
    CAPTURE(fine);
    CHECK(read_gate("gate.toml", "[[check]]\n" + fine + check));
    CHECK(read_gate("gate.toml", "\xEF\xBB\xBF[[check]]\n" + fine + check));
  }
  for (const std::string wrong :
       {"name = \"a\" é\n", "é = \"a\"\n", "name = \"a\"\né\n", "name = \"\"\"a\"\"\" é\n", "\xEF\xBB\xBF\n",
        "name = 'a\\' é\n", "name = 0[\"é\"]\n", "name=0=\"é\"\n", "name = [\n0=\"é\"]\n", "set = {order=0.\"é\"}\n",
        "name = \"\"\"a\\é\"\"\"\n", "name = \"\"\"a\\ é\"\"\"\n", "name = \"\"\"a\\ \n\té\"\"\"\n",
        "name = \"\"\"\\\n\\é\"\"\"\n"}) {
    CAPTURE(wrong);
    const auto file = read_gate("gate.toml", "[[check]]\n" + wrong + check);
    REQUIRE_FALSE(file);
    CHECK_THAT(file.error().message, Catch::Contains("letters beyond ASCII"));
  }
}

TEST_CASE("gate file: whatever is changed in one, it is read or refused with its place") {
  const std::string text =
      "[defaults]\np = \"2..9\" # é\nlimit = [\"steps <= 2*ceil(log2(p)) and congestion <= 1.2\"]\n"
      "[[check]]\nname = \"a\"\nalgo = [\"swing\", 'ring']\nset = { order = \"near\", k = 2 }\n"
      "[[check]]\nname = \"b\"\npeer = \"even(r) ? r + rho(s) : r - rho(s)\"\nbudget = 9\n";
  for (std::size_t k = 0; k < text.size(); ++k)
    for (const std::string change : {"", "\"", "\n", "[", "]", "9", "\x80", "é", "\xE2\x80\x8B", ".", "(", "\\"}) {
      std::string changed = text;
      changed.replace(k, 1, change);
      const auto file = read_gate("gate.toml", changed);
      if (file) continue;
      CHECK(file.error().code == ExitCode::usage);
      CHECK_THAT(file.error().message, Catch::StartsWith("gate.toml:"));
      CHECK(file.error().message.size() < 2000);
    }
}

}  // namespace gate_reader_test
