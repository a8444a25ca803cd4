#include "formats/goal_file.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "formats/lowering.h"
#include "schedules/catalogue.h"
#include "written.h"

namespace goal_file_test {

using namespace onceover::formats;

namespace {

/// The first line of the error that the text gives.
std::string error_of(const std::string& text) {
  const auto file = read_goal("f", text);
  if (file) return "none";
  const std::string error = file.error().render();
  return error.substr(0, error.find('\n'));
}

std::string goal_text(const Program& program) {
  return onceover::support::written([&](std::FILE* file) { return write_goal(program, file); });
}

GoalFile goal(const std::string& text) {
  const auto file = read_goal("f", text);
  if (!file) FAIL(file.error().render());
  return *file;
}

/// A file of two ranks: what rank 0 and rank 1 do.
std::string of_two(const std::string& rank0, const std::string& rank1) {
  return "num_ranks 2\nrank 0 {\n" + rank0 + "}\nrank 1 {\n" + rank1 + "}\n";
}

}  // namespace

TEST_CASE("GOAL: everything that the format has is read") {
  const GoalFile file = goal(
      "// a file\r\n/* of\n two ranks */ num_ranks 2\nrank 0 {\n"
      "a: send 10b to 1 tag 7 cpu 1 nic 2\n\tb:recv 4 b from 1\nb requires a\ncalc 5 cpu 255\nc: calc 0\nc irequires "
      "a\n}\n"
      "rank 1\t{ \n/* receives */ recv 10b from 0 tag 7\nsend 4b to 0 cpu 3\n}\n\n// end");
  const Program& p = file.program;
  REQUIRE(p.ranks == 2);
  REQUIRE_FALSE(p.has_data);
  REQUIRE(p.operations.size() == 6);
  REQUIRE(p.connections.size() == 2);
  REQUIRE(p.dependencies.size() == 2);
  CHECK(p.dependencies[1].on_start);
  CHECK(p.operations[0].bytes == 10);
  CHECK(p.operations[0].line == 5);
  CHECK(p.operations[0].column == 4);
  CHECK(p.operations[p.operations.size() - 2].line == 13);
  CHECK(file.wildcards.empty());
  CHECK_FALSE(file.ambiguity);
}

TEST_CASE("GOAL: a receive from any rank or of any tag has no connection") {
  const GoalFile file = goal(of_two("recv 1b from -1\nrecv 1b from 1 tag -1\n", "send 1b to 0\n"));
  REQUIRE(file.wildcards.size() == 2);
  for (const OperationId id : file.wildcards) CHECK(file.program.operations[static_cast<std::size_t>(id)].from == -1);
}

TEST_CASE("GOAL: messages of one tag are matched in the order that dependencies make, not that of the file") {
  const GoalFile file =
      goal(of_two("late: send 2b to 1\nearly: send 1b to 1\nlate requires early\n", "recv 1b from 0 tag 9\n"));
  const Program& p = file.program;
  REQUIRE_FALSE(file.ambiguity);
  REQUIRE(p.connections.size() == 3);
  for (const Operation& o : p.operations) {
    if (o.bytes == 1 && o.instruction == Instruction::send) CHECK(o.to == 0);
    if (o.bytes == 2) CHECK(o.to == 2);
  }
}

TEST_CASE("GOAL: messages of one tag that nothing orders are ambiguous") {
  CHECK(goal(of_two("send 1b to 1\nsend 1b to 1\n", "")).ambiguity);
  CHECK(goal(of_two("", "recv 1b from 0\nrecv 1b from 0\n")).ambiguity);
  CHECK_FALSE(goal(of_two("send 1b to 1\nsend 1b to 1 tag 1\n", "")).ambiguity);
  CHECK_FALSE(goal(of_two("a: send 1b to 1\nb: calc 1\nc: send 1b to 1\nb requires a\nc irequires b\n", "")).ambiguity);
}

TEST_CASE("GOAL: threads are chains of what waits for each other") {
  const GoalFile file = goal(of_two("a: calc 1\nb: calc 2\nc: calc 3\nc requires a\nd: calc 4\nd irequires c\n", ""));
  const auto& o = file.program.operations;
  REQUIRE(o.size() == 4);
  CHECK(o[0].bytes == 1);
  CHECK(o[1].bytes == 3);
  CHECK(o[1].thread == o[0].thread);
  CHECK(o[1].number == 1);
  CHECK(o[2].thread != o[0].thread);
  CHECK(o[3].thread != o[0].thread);
}

TEST_CASE("GOAL: what is wrong is refused, with its place") {
  CHECK(error_of("") == "f:1:1: expected 'num_ranks' first, found the end of the file");
  CHECK(error_of("num_ranks x") == "f:1:11: expected the number of ranks, found 'x'");
  CHECK(error_of("num_ranks 0") == "f:1:12: expected at least one rank");
  CHECK(error_of("num_ranks 99999999999999999999999") == "f:1:11: expected the number of ranks, at most 16777216");
  CHECK(error_of("num_ranks 2\nrank 0 {\n}\n") == "f:4:1: expected the block of rank 1, of 2 ranks");
  CHECK(error_of("num_ranks 2\nrank 1 {\n}\n") ==
        "f:2:6: expected rank 0, found rank 1; every rank has one block, in order");
  CHECK(error_of("num_ranks 1\nrank 1 {\n}\n") == "f:2:6: there is no rank 1; num_ranks is 1");
  CHECK(error_of("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}") ==
        "f:4:1: expected nothing after the block of rank 0, the last; found 'rank'");
  CHECK(error_of("num_ranks 1\nrank 0 {\nsend 1b to 1\n}") == "f:3:12: there is no rank 1; num_ranks is 1");
  CHECK(error_of("num_ranks 1\nrank 0 {\nsend 1b to 0 cpu 1 tag 1\n}") ==
        "f:3:20: expected 'tag', 'cpu', 'nic', in this order, or the end of the line, found 'tag'");
  CHECK(error_of("num_ranks 1\nrank 0 {\ncalc 1 cpu 256\n}") == "f:3:12: expected the number of the cpu, at most 255");
  CHECK(error_of("num_ranks 1\nrank 0 {\na requires b\n}") ==
        "f:3:1: no label 'a' above in rank 0; labels are local to their rank");
  CHECK(error_of("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}") ==
        "f:4:12: no label 'b' above in rank 0; labels are local to their rank");
  CHECK(error_of("num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}") ==
        "f:4:1: label 'a' is defined twice in rank 0; a simulator would take the first");
  CHECK(error_of("num_ranks 1\nrank 0 {\ncalc 1\n") == "f:4:1: expected '}' to end the block of rank 0");
  CHECK(error_of("num_ranks 1\nrank 0 {\nrank 1 {\n") == "f:3:1: expected '}' to end the block of rank 0");
  CHECK(error_of("num_ranks 1\nrank 0 {\nsned 1b to 0\n}") ==
        "f:3:1: expected an operation, 'sned: ..', 'sned requires ..' or 'sned irequires ..'; did you mean 'send'?");
  CHECK(error_of("num_ranks 1\nrank 0 {\nput 1b to 0\n}").find("LogGOPSim2") != std::string::npos);
  CHECK(error_of("num_ranks 1\nrank 0 {\na: append 1b\n}").find("LogGOPSim2") != std::string::npos);
  CHECK(error_of("num_ranks 1\n/* rank 0 {\n}") == "f:2:1: this comment isn't closed; expected */");
  CHECK(error_of("num_ranks 1\nrank 0 {\nsend 1b to -1\n}") == "f:3:14: rank -1 is any rank; a send needs one");
  CHECK(error_of("\xef\xbb\xbfnum_ranks 1") == "f:1:1: a byte order mark; txt2bin knows none, GOAL is plain ASCII");
  CHECK(error_of("num_ranksx") == "f:1:10: expected the number of ranks, found 'x'");
  CHECK(goal("num_ranks1\nrank 0 {\n}").program.ranks == 1);
  for (const char* text : {"num_ranks2", "\xef\xbb\xbfnum_ranks 1", "/* never closed", "// c\nnum_ranks 1"})
    CHECK(looks_like_goal(text));
  CHECK(error_of("/* never closed") == "f:1:1: this comment isn't closed; expected */");
}

TEST_CASE("GOAL: comments that tell data are read strictly") {
  const std::string head = "num_ranks 1\n/* onceover 1 collective=allreduce chunks=4 root=0 in-place=1 */\nrank 0 {\n";
  const std::string sizes = "/* input=4 output=4 scratch=2 */\n";
  CHECK(error_of("num_ranks 1\n/* onceover 2 */\nrank 0 {\n}") == "f:2:13: expected version 1, found '2'");
  CHECK(error_of("num_ranks 1\n/* onceover 1 chunks=4 */\nrank 0 {\n}") ==
        "f:2:3: expected collective=.. in the comment");
  CHECK(error_of(head + "}") ==
        "f:4:1: expected a comment with the sizes of the rank's memory, /* input=4 output=4 scratch=0 */");
  CHECK(error_of(head + "/* input=2 output=4 scratch=0 */\n}") == "f:4:10: input: expected 4, found '2'");
  CHECK(error_of("num_ranks 1\n/* onceover 1 collective=alltoall chunks=4 root=0 in-place=1 */\n}").substr(0, 7) ==
        "f:2:26:");
  CHECK(error_of(head + sizes + "send 1b to 0\n}").find("expected a comment before this") != std::string::npos);
  CHECK(error_of(head + sizes + "/* blocks=o4 */\nsend 1b to 0\n}") ==
        "f:5:11: expected chunks like o2-3 of the rank's input=4 output=4 scratch=2, found 'o4'");
  CHECK(error_of(head + sizes + "/* blocks=o1 op=sum */\nsend 1b to 0\n}") == "f:5:17: a send has blocks=.. only");
  CHECK(error_of(head + sizes + "/* blocks=o1 op=add */\nrecv 1b from 0\n}") ==
        "f:5:17: op: expected sum or copy, found 'add'");
  CHECK(error_of(head + sizes + "/* blocks=o1-2 op=sum from=s0 */\ncalc 0\n}") ==
        "f:5:28: from=.. must have runs of the same lengths as blocks=..");
  CHECK(error_of(head + sizes + "/* blocks=o1 blocks=o2 */\nsend 1b to 0\n}") == "f:5:14: 'blocks' stands twice");
  CHECK(goal(head + sizes + "/* blocks=o1,o3 op=sum from=s0,s1 */\ncalc 0\n}").program.operations.size() == 2);
}

TEST_CASE("GOAL: the comment that says what a program is for is found before the first rank, or wrong") {
  const std::string header = "/* onceover 1 collective=broadcast chunks=1 root=0 in-place=1 */\n";
  const std::string rank = "rank 0 {\n/* input=1 output=1 scratch=0 */\n}\n";
  CHECK(goal("num_ranks 1\n" + header + rank).program.has_data);
  CHECK(goal(header + "num_ranks 1\n" + rank).program.has_data);
  CHECK(goal("num_ranks 1\n/* Copyright me */\n" + header + "/* more */\n" + rank).program.has_data);
  std::string capital = header;
  capital[3] = 'O';
  CHECK(goal("num_ranks 1\n" + capital + rank).program.has_data);
  CHECK(!goal("num_ranks 1\n" + rank).program.has_data);
  CHECK(error_of(header + "num_ranks 1\n" + header + rank) ==
        "f:3:3: a second comment that says what the program is for");
  CHECK(error_of("num_ranks 1\nrank 0 {\n" + header + "}") ==
        "f:3:3: this comment must stand before the first rank, once");
  CHECK(error_of("num_ranks 1\nrank 0 {\n}\n" + header) ==
        "f:4:3: this comment must stand before the first rank, once");
  CHECK(error_of("num_ranks 1\nrank 0 {\n/* blocks=o0 */\nsend 1b to 0\n}").substr(0, 29) ==
        "f:3:3: this comment tells dat");
}

TEST_CASE("GOAL: what is lowered and written is read as it was") {
  for (const char* algorithm : {"swing", "ring", "bruck"}) {
    const Algorithm& row = *find_algorithm(algorithm);
    const SchedulePtr schedule = row.make(on_line(row.collectives.front(), 7));
    const auto program = lower(*schedule, {.style = ProgramStyle::requests, .bytes = 1000});
    REQUIRE(program);
    const std::string text = goal_text(*program);
    const Program read = goal(text).program;
    CHECK(read.has_data);
    CHECK(read.operations.size() == program->operations.size());
    CHECK(read.dependencies.size() == program->dependencies.size());
    CHECK(read.connections.size() == program->connections.size());
    CHECK(read.chunks == program->chunks);
  }
}

}  // namespace goal_file_test
