// The view of programs: every operation, every message, and what is wrong in red.

#include "viz/program_view.h"

#include <catch2/catch.hpp>

#include "formats/msccl_reader.h"
#include "viz/graphviz.h"

using namespace onceover::viz;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string step(int s, const std::string& type) {
  return "<step s=\"" + std::to_string(s) + "\" type=\"" + type +
         "\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
}

/// Two ranks whose one thread block runs the steps, for each rank.
Program two_ranks(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  std::string text =
      "<algo name=\"x\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"2\" "
      "coll=\"allreduce\" inplace=\"1\">\n";
  for (const int rank : {0, 1}) {
    const std::string other = std::to_string(1 - rank);
    text += "<gpu id=\"" + std::to_string(rank) +
            "\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n<tb id=\"0\" send=\"" + other + "\" recv=\"" + other +
            "\" chan=\"0\">\n";
    int s = 0;
    for (const std::string& type : rank == 0 ? first : second) text += step(s++, type);
    text += "</tb>\n</gpu>\n";
  }
  const auto program = read_msccl("x.xml", text + "</algo>\n");
  INFO((program ? "" : program.error().render()));
  REQUIRE(program);
  return *program;
}

constexpr const char* red = "#D55E00";

}  // namespace

TEST_CASE("every operation is a node, every message and step of a thread an edge, nothing red where nothing is wrong") {
  const Program program = two_ranks({"s", "rrc"}, {"s", "rrc"});
  ProgramDrawOptions options;
  const auto dot = draw_happens_before(program, options);
  REQUIRE(dot);
  CHECK(count(*dot, "[label=") == 1 + 4 + 4);  // the caption, operations, two messages and two steps of threads
  CHECK(count(*dot, " -> ") == 4);
  CHECK(count(*dot, red) == 0);
  CHECK(render(*dot, "svg"));
}

TEST_CASE("a deadlock is a red circle, at the depth that is asked for") {
  const Program waiting = two_ranks({"r", "s"}, {"r", "s"});
  CHECK(count(*draw_happens_before(waiting, {}), red) == 4 + 4);
  const Program sending = two_ranks({"s", "r"}, {"s", "r"});
  CHECK(count(*draw_happens_before(sending, {}), red) == 0);
  CHECK(count(*draw_happens_before(sending, {.fifo = 0}), red) > 0);
}

TEST_CASE("a race that there is only as the runtime runs it is red, and so is a deadlock at the depth that it has") {
  Program program = two_ranks({"s", "re"}, {"r"});
  program.operations[1].source = {Buffer::output, 0, 1};
  CHECK(count(*draw_happens_before(program, {}), red) == 0);
  program.guarantees.reads_before_end = false;
  CHECK_THAT(*draw_happens_before(program, {}), Catch::Contains("a race: nothing orders these two"));
  const Program ahead = two_ranks({"s", "s", "s", "r", "r", "r"}, {"s", "s", "s", "r", "r", "r"});
  CHECK(count(*draw_happens_before(ahead, {}), red) > 0);
  CHECK(count(*draw_happens_before(ahead, {.fifo = 3}), red) == 0);
}

TEST_CASE("a message without a counterpart is red") {
  const auto dot = draw_happens_before(two_ranks({"s", "s", "r"}, {"s", "r"}), {});
  REQUIRE(dot);
  CHECK(count(*dot, red) == 1);
  CHECK_THAT(*dot, Catch::Contains("a message without its counterpart"));
}

TEST_CASE("a program too large to be seen is refused, unless something is wrong with it") {
  std::vector<std::string> sends(100, "s"), receives(100, "r");
  const auto refused = draw_happens_before(two_ranks(sends, receives), {});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Catch::Contains("name some ranks: --ranks 0,1"));
  CHECK(draw_happens_before(two_ranks(sends, receives), {.ranks = {0}}));
  receives.pop_back();
  CHECK(draw_happens_before(two_ranks(sends, receives), {}));
  CHECK_FALSE(draw_happens_before(two_ranks({"s"}, {"r"}), {.ranks = {2}}));
}
