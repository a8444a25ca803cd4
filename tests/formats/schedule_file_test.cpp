#include "formats/schedule_file.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "json_schedule.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"
#include "written.h"

namespace schedule_file_test {

using namespace onceover::programs;

namespace {

std::string written_text(const Schedule& schedule) {
  return onceover::support::written([&](std::FILE* file) { return write_schedule(schedule, file); });
}

std::string error_of(std::string_view text) {
  const auto schedule = read_schedule("s.json", text);
  return schedule ? "" : schedule.error().render();
}

/// A good file with one part replaced.
std::string with(std::string_view part, std::string_view replacement) {
  std::string text =
      R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":3,"steps":[[{"src":0,"dst":1,"blocks":[0,[1,2]],"op":"reduce"}]]})";
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), replacement);
}

/// The message alone, and the text that it points at.
std::pair<std::string, std::string> mistake(std::string_view text) {
  const auto schedule = read_schedule("s.json", text);
  REQUIRE_FALSE(schedule);
  REQUIRE(schedule.error().line == 1);
  return {schedule.error().message, std::string(text.substr(schedule.error().column - 1))};
}

}  // namespace

TEST_CASE("every catalogue schedule survives writing and reading, byte for byte, verdict and metrics") {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const Rank p : {1, 2, 3, 6, 7, 8, 16, 33}) {
        if (refusal(row, on_line(collective, p))) continue;
        CAPTURE(row.name, name(collective), p);
        const SchedulePtr schedule = row.make(on_line(collective, p));
        const std::string text = written_text(*schedule);
        const auto read = read_schedule("s.json", text);
        REQUIRE(read);
        REQUIRE(written_text(**read) == text);
        REQUIRE((*read)->header().names == schedule->header().names);
        const Report before = verify(*schedule);
        const Report after = verify(**read);
        REQUIRE(after.verdict == before.verdict);
        REQUIRE(after.metrics == before.metrics);
      }
}

TEST_CASE("owners, root, shape, lanes and escaped names survive") {
  const std::string text =
      R"({"format":"onceover-schedule","version":1,"collective":"reduce","ranks":4,"blocks":2,"owners":[3,1],"root":2,"shape":[2,2],"algorithm":"a \"b\"\\ \u00fc",
"steps":[
[{"src":0,"dst":2,"blocks":[0],"op":"reduce","lane":0},
 {"src":1,"dst":2,"blocks":[[0,1]],"op":"reduce","lane":1}],
[]
]}
)";
  const auto schedule = read_schedule("s.json", text);
  REQUIRE(schedule);
  const Header& h = (*schedule)->header();
  REQUIRE(h.owners == std::vector<Rank>{3, 1});
  REQUIRE(h.root == 2);
  REQUIRE(h.lanes == 2);
  REQUIRE(h.algorithm == "a \"b\"\\ ü");
  REQUIRE(written_text(**schedule) == text);
}

TEST_CASE("names of ranks and steps survive, in either version") {
  const std::string names =
      R"("algorithm":"a","grid":[["node",2],["gpu \"x\"",2]],"phases":[["up",0],["",1],["down",2]],)";
  const std::string versions[] = {R"("version":1,"collective":"allreduce","ranks":4,"blocks":2,)",
                                  R"("version":2,"collective":"allreduce","ranks":4,"blocks":2,"scratch":1,)"};
  for (const std::string& version : versions) {
    std::string text = R"({"format":"onceover-schedule",)" + version + names + "\n\"steps\":[\n[],\n[],\n[]\n]}\n";
    const auto schedule = read_schedule("s.json", text);
    REQUIRE(schedule);
    const Names& read = (*schedule)->header().names;
    CHECK(read.grid == std::vector<Names::Axis>{{"node", 2}, {"gpu \"x\"", 2}});
    CHECK(read.phases == std::vector<Names::Phase>{{"up", 0}, {"", 1}, {"down", 2}});
    CHECK(onceover::support::says(text, **schedule));
    if (version == versions[0]) CHECK(written_text(**schedule) == text);
  }
}

TEST_CASE("the sizes may stand after the steps, and still bound what stands before") {
  const std::string good =
      R"({"steps":[[{"op":"reduce","dst":1,"blocks":[0],"src":0}]],"blocks":1,"ranks":2,"collective":"reduce","root":1,"version":1,"format":"onceover-schedule"})";
  REQUIRE(read_schedule("s.json", good));
  std::string bad = good;
  bad.replace(bad.find("\"dst\":1"), 7, "\"dst\":2");
  REQUIRE(
      error_of(bad) ==
      "s.json:1:33: expected a rank from 0 to 1, found 2\n"
      "  "
      "{\"steps\":[[{\"op\":\"reduce\",\"dst\":2,\"blocks\":[0],\"src\":0}]],\"blocks\":1,\"ranks\":2,\"collective\":\n"
      "                                  ^");
}

TEST_CASE("line, column and excerpt point at the place") {
  REQUIRE(error_of("{\n  \"format\": \"onceover-schedule\",\n  \"ranks\": 0,\n}") ==
          "s.json:3:12: expected a number of ranks from 1 to 16777216, found 0\n    \"ranks\": 0,\n             ^");
}

struct Case {
  std::string part, replacement, message, at;
};

TEST_CASE("mistakes with scratch have their messages and places") {
  const std::string good =
      R"({"format":"onceover-schedule","version":2,"collective":"allreduce","ranks":2,"blocks":2,"scratch":3,"steps":[[{"src":0,"dst":1,"blocks":[0,[1,2],0],"into":[[1,4]],"op":"reduce"}]]})";
  REQUIRE(read_schedule("s.json", good));
  const std::vector<Case> cases{
      {R"("version":2)", R"("version":1)", R"(the key "scratch" needs "version":2)", R"("scratch")"},
      {R"("scratch":3)", R"("scratch":-1)", "expected a number of scratch blocks from 0 to 2097150, found -1", "-1,"},
      {R"("blocks":2,"scratch":3)", R"("scratch":3,"blocks":3000000)",
       "expected a number of blocks from 1 to 2097152, found 3000000", "3000000"},
      {R"("blocks":2,"scratch":3)", R"("scratch":3,"blocks":"2")",
       "expected a number of blocks from 1 to 2097152, found \"2\"", "\"2\""},
      {R"("blocks":2,"scratch":3)", R"("scratch":3,"blocks":2097150)",
       "expected a number of scratch blocks from 0 to 2, found 3", "3,"},
      {R"("scratch":3)", R"("scratch":2)", "expected the run's last block from 1 to 3, found 4", "4]]"},
      {R"("scratch":3,)", "", "expected the run's last block from 1 to 1, found 2", "2],0]"},
      {R"("into":[[1,4]],)", "", "block 0 is in this list twice", R"(],"op")"},
      {R"([[1,4]])", "[[1,3]]", R"(expected 4 blocks, as many as in "blocks", found 3)", R"(],"op")"},
      {R"([[1,4]])", "[[1,3],2]", "block 2 is in this list twice", R"(],"op")"},
      {R"([[1,4]])", "[]", "expected a block from 0 to 4 or a run [first,last], found an empty list", R"(],"op")"},
      {R"([[1,4]])", "1", "expected a list of blocks and [first,last] runs, found 1", R"(1,"op")"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.part, c.replacement);
    std::string text = good;
    text.replace(text.find(c.part), c.part.size(), c.replacement);
    const auto [message, at] = mistake(text);
    CHECK(message == c.message);
    CHECK(at.starts_with(c.at));
  }
}

TEST_CASE("each kind of mistake has its message and points at its place") {
  const std::vector<Case> cases{
      {R"("ranks":2)", R"("rank":2)", R"(unknown key "rank"; did you mean 'ranks'?)", R"("rank":2)"},
      {R"("ranks":2)", R"("ranks":2,"ranks":3)", R"(the key "ranks" stands twice)", R"("ranks":3)"},
      {R"("ranks":2,)", "", R"(the key "ranks" is missing here)", "}<end>"},
      {R"("ranks":2)", R"("ranks":2.0)", "expected a number of ranks from 1 to 16777216, found 2.0", "2.0,"},
      {R"("ranks":2)", R"("ranks":-2)", "expected a number of ranks from 1 to 16777216, found -2", "-2,"},
      {R"("ranks":2)", R"("ranks":"2")", R"(expected a number of ranks from 1 to 16777216, found "2")", R"("2",)"},
      {R"("ranks":2)", R"("ranks":null)", "expected a number of ranks from 1 to 16777216, found null", "null,"},
      {R"("ranks":2)", R"("ranks":true)", "expected a number of ranks from 1 to 16777216, found true", "true,"},
      {R"("ranks":2)", R"("ranks":[2])", "expected a number of ranks from 1 to 16777216, found a list", "[2],"},
      {R"("ranks":2)", R"("ranks":{})", "expected a number of ranks from 1 to 16777216, found an object", "{},"},
      {R"("ranks":2)", R"("ranks":99999999999999999999)",
       "expected a number of ranks from 1 to 16777216, found 99999999999999999999", "99999999999999999999,"},
      {R"("version":1)", R"("version":3)", "expected version 1 or 2, found 3", "3,"},
      {"\"allreduce\"", "\"all-reduce\"",
       "expected one of allreduce, reduce-scatter, allgather, broadcast, reduce, scatter, gather, alltoall, found "
       "\"all-reduce\"",
       "\"all-reduce\""},
      {"onceover-schedule", "onceover", R"(expected "onceover-schedule", found "onceover")", "\"onceover\""},
      {R"("src":0)", R"("src":2)", "expected a rank from 0 to 1, found 2", "2,\"dst\""},
      {R"("src":0,)", "", R"(the key "src" is missing here)", "}]]}<end>"},
      {R"("src":0)", R"("scr":0)", R"(unknown key "scr"; did you mean 'src'?)", "\"scr\""},
      {R"("src":0)", R"("src":0,"src":1)", R"(the key "src" stands twice)", "\"src\":1"},
      {"[0,[1,2]]", "[]", "expected a block from 0 to 2 or a run [first,last], found an empty list", "],\"op\""},
      {"[0,[1,2]]", "[3]", "expected a block from 0 to 2 or a run [first,last], found 3", "3]"},
      {"[0,[1,2]]", "[[2,1]]", "expected the run's last block from 2 to 2, found 1", "1]]"},
      {"[0,[1,2]]", "[[1]]", "expected the run's last block from 1 to 2, found ']'", "]],"},
      {"[0,[1,2]]", "[[0,1,2]]", "expected ']' after the run's first and last block", "2]]"},
      {"[0,[1,2]]", "[1,[1,2]]", "block 1 is in this list twice", "],\"op\""},
      {"[0,[1,2]]", "[[[1,2]]]", "expected the run's first block from 0 to 2, found a list", "[1,2]]]"},
      {"[0,[1,2]]", "1", "expected a list of blocks and [first,last] runs, found 1", "1,\"op\""},
      {"\"reduce\"", "\"sum\"", R"(expected "reduce" or "copy", found "sum")", "\"sum\""},
      {"\"reduce\"", "\"reduce\",\"lane\":-1", "expected a lane from 0 to 1023, found -1", "-1}"},
      {"\"steps\":[[", "\"owners\":[0],\"steps\":[[", "expected 3 owners, one a block, found 1", "\"owners\""},
      {"\"steps\":[[", "\"shape\":[3],\"steps\":[[", "the sides multiply to 3, but there are 2 ranks", "\"shape\""},
      {"\"steps\":[[", "\"root\":0,\"steps\":[[", "allreduce has no root", "\"root\""},
      {R"("ranks":2)", R"("ranks":2,"$schema":3)", "expected an address of at most 256 printable bytes, found 3", "3,"},
      {R"("ranks":2)", R"("ranks":2,"schema":3)", R"(unknown key "schema"; did you mean '$schema'?)", "\"schema\""},
      {"}]]}", "}]]", "not JSON: unexpected end of input; expected '}'", "<end>"},
      {"}]]}", "}]]}x", "not JSON: invalid literal; last read: '\"reduce\"}]]}x'; expected end of input", "<end>"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.part, c.replacement);
    const auto [message, at] = mistake(with(c.part, c.replacement));
    CHECK(message == c.message);
    CHECK((at + "<end>").substr(0, c.at.size()) == c.at);
  }
  const std::string letters = "\"" + std::string(58, 'a') + "\xc3\xa9\"";
  CHECK(mistake(with("\"reduce\"", letters)).first ==
        "expected \"reduce\" or \"copy\", found \"" + std::string(58, 'a') + "?..");
  CHECK(mistake("[]").first == "expected an object {\"format\":\"onceover-schedule\", ..}, found a list");
  CHECK(mistake("{}").first == "the key \"format\" is missing here");
}

TEST_CASE("mistakes in names have their messages and places") {
  const std::vector<Case> cases{
      {"", R"("grid":3,)", "expected a list of axes [name,size], found 3", "3,"},
      {"", R"("grid":["gpu",2],)", R"(expected an axis [name,size], found "gpu")", R"("gpu")"},
      {"", R"("grid":[[2,"gpu"]],)", "expected an axis's name of 1 to 64 printable bytes, found 2", "2,"},
      {"", R"("grid":[["",2]],)", R"(expected an axis's name of 1 to 64 printable bytes, found "")", R"("",2)"},
      {"", R"("grid":[["gpu",0]],)", "expected the axis's size from 1 to 16777216, found 0", "0]"},
      {"", R"("grid":[["gpu","2"]],)", R"(expected the axis's size from 1 to 16777216, found "2")", R"("2"]])"},
      {"", R"("grid":[["gpu"]],)", "expected the axis's size from 1 to 16777216, found ']'", "]],"},
      {"", R"("grid":[["gpu",2,2]],)", "expected ']' after the axis's name and size, found 2", "2]],"},
      {"", R"("grid":[["gpu",2,"a"]],)", R"(expected ']' after the axis's name and size, found "a")", R"("a"]])"},
      {"", R"("grid":[["gpu",3]],)", "the axes multiply to 3, but there are 2 ranks", R"("grid")"},
      {"", R"("grid":[["gpu",2],["gpu",1]],)", R"(two axes are called "gpu")", R"("grid")"},
      {"", R"("phases":{},)", "expected a list of phases [name,first step], found an object", "{}"},
      {"", R"("phases":[[null,0]],)", "expected a phase's name of at most 256 printable bytes, found null", "null"},
      {"", R"("phases":[["a",-1]],)", "expected the phase's first step from 0 to 1073741824, found -1", "-1"},
      {"", R"("phases":[["a",0],["b",0]],)", "expected the phase's first step from 1 to 1073741824, found 0", "0]],"},
      {"", R"("phases":[["a",0,1]],)", "expected ']' after the phase's name and first step, found 1", "1]],"},
      {"", R"("phases":[["a",1]],)", "the last phase begins at step 1, but there is 1 step", R"("phases")"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.replacement);
    const auto [message, at] = mistake(with("\"steps\"", c.replacement + "\"steps\""));
    CHECK(message == c.message);
    CHECK(at.starts_with(c.at));
  }
}

TEST_CASE("text after a NUL byte is not overlooked") {
  std::string text = with("\"ranks\":2", "\"ranks\":2");
  text += std::string(1, '\0') + "garbage";
  CHECK(mistake(text).first == "not JSON: a NUL byte");
}

TEST_CASE("names and messages can't forge lines of a report") {
  CHECK(mistake(with("\"steps\"", "\"algorithm\":\"a\\npass\",\"steps\"")).first.find('\n') == std::string::npos);
  CHECK(mistake(with("\"ranks\"", "\"ra\\u001b[2Jnks\"")).first.find('\033') == std::string::npos);
  for (const char* order :
       {"\\u0080", "\\u009b", "\\u009f", "\\u2028", "\\u2029", "\\u202a", "\\u202e", "\\u2066", "\\u2069"}) {
    CAPTURE(order);
    const std::string name = std::string("\"algorithm\":\"a") + order + "b\",\"steps\"";
    CHECK(mistake(with("\"steps\"", name)).first.starts_with("expected a name"));
  }
  CHECK(read_schedule("s", with("\"steps\"", "\"algorithm\":\"Ring \\u00e9\\u2027\\u202f\\u2065\",\"steps\"")));
}

TEST_CASE("an alltoall has a block for each pair of ranks, and no other owners") {
  auto alltoall = [&](std::string_view blocks) {
    return with("\"allreduce\",\"ranks\":2,\"blocks\":3", "\"alltoall\",\"ranks\":2," + std::string(blocks));
  };
  CHECK(mistake(alltoall("\"blocks\":3")).first == "alltoall of 2 ranks has a multiple of 4 blocks, found 3");
  CHECK(mistake(alltoall("\"blocks\":4,\"owners\":[0,0,1,1]")).first == "in an alltoall block s*ranks + d is rank d's");
  CHECK(read_schedule("s.json", alltoall("\"blocks\":8")));
}

TEST_CASE("every prefix of a good file is refused") {
  const std::string good = written_text(*find_algorithm("swing")->make(on_line(Collective::allreduce, 3)));
  const std::size_t end = good.find_last_not_of('\n') + 1;
  for (std::size_t size = 0; size < end; ++size) {
    CAPTURE(size);
    REQUIRE_FALSE(read_schedule("s.json", good.substr(0, size)));
  }
}

TEST_CASE("deep nesting is refused at once and in little memory") {
  REQUIRE(mistake(std::string(1 << 24, '[')).first ==
          "expected an object {\"format\":\"onceover-schedule\", ..}, found a list");
  REQUIRE(mistake(with("[0,[1,2]]", std::string(1 << 20, '['))).first ==
          "expected the run's first block from 0 to 2, found a list");
}

TEST_CASE("long lines are shown in part") {
  const std::string error = error_of(with("\"src\":0", "\"src\":" + std::string(5000, '9')));
  REQUIRE(error.size() < 500);
  REQUIRE(error.find("found 999") != std::string::npos);
}

}  // namespace schedule_file_test
