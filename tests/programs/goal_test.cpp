#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "agreement.h"
#include "formats/lowering.h"
#include "formats/msccl_xml.h"
#include "program_runner.h"
#include "programs/verify_program.h"
#include "schedules/catalogue.h"
#include "written.h"

namespace goal_test {

using namespace onceover::support;

namespace {

GoalFile read(const std::string& text) {
  auto file = read_goal("f", text);
  if (!file) FAIL(file.error().render());
  return *std::move(file);
}

std::string of_two(const std::string& rank0, const std::string& rank1) {
  return "num_ranks 2\nrank 0 {\n" + rank0 + "}\nrank 1 {\n" + rank1 + "}\n";
}

Verdict verdict(const std::string& text, std::uint32_t fifo = 1) {
  return verify(read(text), {.fifo = fifo}).verdict;
}

/// Calls visit(schedule) for the rows that are right, in all their collectives, to 16 ranks.
template <class Visit>
void for_each_schedule(Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = 2; p <= 16; ++p) {
        const Request request = on_line(collective, p);
        if (row.as_printed || refusal(row, request) || is_carried(collective)) continue;
        CAPTURE(row.name, name(collective), p);
        visit(*row.make(request));
      }
}

std::string goal_of(const Schedule& schedule, bool in_place) {
  const auto program = lower(schedule, {.style = ProgramStyle::requests, .in_place = in_place, .bytes = 4096});
  if (!program) FAIL(program.error().why);
  return written([&](std::FILE* file) { return write_goal(*program, file); });
}

}  // namespace

TEST_CASE("in a circle, a message or calculation of several runs of chunks stands once") {
  std::string text = goal_of(*find_algorithm("swing")->make(on_line(Collective::allreduce, 8)), false);
  text.insert(text.find("\n}") + 1, "l0 requires l3\n");
  const Report report = verify(read(text), {});
  const auto& told = std::get<Counterexample::Told>(report.find(deadlock_free_property)->counterexample->what);
  CHECK(told.lines.front() == "2 operations wait for each other in a circle");
  REQUIRE(told.facts.sites.size() == 2);
  CHECK(told.facts.sites[0].line != told.facts.sites[1].line);
  const Report alone = verify(read(of_two("a: calc 1\na requires a\n", "a: calc 1\n")), {});
  const auto& itself = std::get<Counterexample::Told>(alone.find(deadlock_free_property)->counterexample->what);
  CHECK(itself.lines.front() == "an operation waits for itself");
}

TEST_CASE("a file without operations is no pass, whatever is waived") {
  const GoalFile hollow = read(of_two("", ""));
  CHECK(verify(hollow, {}).verdict == Verdict::unknown);
  CHECK(verify(hollow, {.waived = {"deadlock-free"}}).verdict == Verdict::unknown);
  CHECK(verify(hollow, {.waived = {"well-formed"}}).verdict == Verdict::unknown);
  CHECK(verdict(of_two("a: calc 1\n", "a: calc 1\n")) == Verdict::pass);
}

TEST_CASE("GOAL: every algorithm is exported, read back and passes, under rendezvous, too") {
  for_each_schedule([](const Schedule& schedule) {
    for (const bool in_place : {false, true}) {
      const GoalFile file = read(goal_of(schedule, in_place));
      const Report report = verify(file, {.fifo = 0});
      CAPTURE(in_place);
      REQUIRE(report.verdict == Verdict::pass);
      REQUIRE(verdict_of(report, "exactly-once") == Verdict::pass);
      REQUIRE(verdict_of(report, "race-free") == Verdict::pass);
    }
  });
}

TEST_CASE("MSCCL XML: every algorithm is exported for every protocol, read back and passes with FIFOs of one message") {
  for_each_schedule([](const Schedule& schedule) {
    for (const bool in_place : {false, true}) {
      const std::string protocol = schedule.header().ranks % 3 == 0   ? "Simple"
                                   : schedule.header().ranks % 3 == 1 ? "LL"
                                                                      : "LL128";
      const auto program = lower_for_msccl(schedule, in_place, std::nullopt, {.protocol = protocol});
      REQUIRE(program);
      const std::string text =
          written([&](std::FILE* file) { return write_msccl(*program, {.protocol = protocol}, file); });
      const auto file = read_msccl("f", text);
      CAPTURE(in_place, protocol, file ? "" : file.error().render());
      REQUIRE(file);
      const Report report = verify(*file, {.fifo = 1});
      REQUIRE(report.verdict == Verdict::pass);
      REQUIRE(verdict_of(report, "exactly-once") == Verdict::pass);
    }
  });
}

TEST_CASE("GOAL: what is exported fails once a line of it is lost or changed") {
  const SchedulePtr ring = find_algorithm("ring")->make(on_line(Collective::allreduce, 3));
  std::istringstream lines(goal_of(*ring, true));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  int caught = 0;
  int needless = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_wait = all[k].find("requires") != std::string::npos;
    const bool is_message = all[k].find("send") != std::string::npos || all[k].find("recv") != std::string::npos;
    if (!is_wait && !is_message) continue;
    std::string text;
    for (std::size_t j = 0; j < all.size(); ++j) {
      std::string line = all[j];
      if (j == k && is_wait) continue;
      if (j == k) line[line.find("tag ") + 4] = '9';
      text += line + "\n";
    }
    const Verdict verdict = verify(read(text)).verdict;
    if (is_message) REQUIRE(verdict == Verdict::fail);
    ++(verdict == Verdict::fail ? caught : needless);
  }
  // Some dependencies are implied by messages around the ring.
  CHECK(caught > 35);
  CHECK(needless < 10);
}

TEST_CASE("GOAL: of files changed at random, what passes runs right in random orders") {
  std::mt19937 random(7);
  auto below = [&](std::size_t n) { return random() % n; };
  int passes = 0;
  int failures = 0;
  for (const auto& [algorithm, p] :
       {std::pair("swing", 2), std::pair("ring", 3), std::pair("swing-latency", 4), std::pair("swing", 6)}) {
    const std::string text = goal_of(*find_algorithm(algorithm)->make(on_line(Collective::allreduce, p)), true);
    for (int k = 0; k < 3000; ++k) {
      std::string copy = text;
      for (auto changes = 1 + below(2); changes > 0; --changes) {
        std::size_t at = copy.find_first_of("0123456789", below(copy.size()));
        if (below(3) == 0) at = copy.rfind('\n', below(copy.size()));
        if (at == std::string::npos) continue;
        if (copy[at] != '\n')
          copy[at] = static_cast<char>('0' + below(5));
        else
          copy.erase(at, copy.find('\n', at + 1) - at);
      }
      const auto file = read_goal("f", copy);
      if (!file || file->program.ranks != p || file->program.chunks > 8) continue;
      const Verdict verdict = verify(*file).verdict;
      ++(verdict == Verdict::pass ? passes : failures);
      if (verdict != Verdict::pass || !file->program.has_data) continue;
      CAPTURE(copy);
      for (std::uint32_t seed = 0; seed < 5; ++seed) REQUIRE(run_once(file->program, 1, seed) == "");
    }
  }
  CHECK(passes > 100);
  CHECK(failures > 1000);
}

TEST_CASE("GOAL: the comments are what is judged: a wrong one fails") {
  const SchedulePtr ring = find_algorithm("ring")->make(on_line(Collective::allreduce, 3));
  const std::string text = goal_of(*ring, true);
  auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    copy.replace(copy.find(from), from.size(), to);
    return verify(read(copy)).verdict;
  };
  CHECK(changed("op=sum", "op=copy") == Verdict::fail);
  CHECK(changed("blocks=o0 */", "blocks=o1 */") == Verdict::fail);
  CHECK(changed("in-place=1", "in-place=0") == Verdict::fail);
  CHECK(changed("send 1365b", "send 1364b") == Verdict::fail);
}

TEST_CASE("GOAL: faults that simulators pass over in silence") {
  const std::string cycle = "a: calc 1\nb: calc 1\na requires b\nb requires a\n";
  CHECK(verdict(of_two("send 1b to 1\n", "recv 1b from 0\n")) == Verdict::pass);
  CHECK(verdict(of_two("send 1b to 1\n", "")) == Verdict::fail);
  CHECK(verdict(of_two("", "recv 1b from 0\n")) == Verdict::fail);
  CHECK(verdict(of_two("send 1b to 1 tag 1\n", "recv 1b from 0 tag 2\n")) == Verdict::fail);
  CHECK(verdict(of_two("send 8b to 1\n", "recv 16b from 0\n")) == Verdict::fail);
  CHECK(verdict(of_two("a: calc 1\na requires a\n", "")) == Verdict::fail);
  CHECK(verdict(of_two("a: calc 1\na irequires a\n", "")) == Verdict::fail);
  CHECK(verdict(of_two(cycle, "")) == Verdict::fail);
  CHECK(verdict(of_two("a: recv 1b from 1\nb: send 1b to 1\nb requires a\n",
                       "a: recv 1b from 0\nb: send 1b to 0\nb requires a\n")) == Verdict::fail);
}

TEST_CASE("GOAL: sends that wait for their receivers deadlock where buffered ones don't") {
  const std::string ends = "a: send 1b to 1\nb: recv 1b from 1\nb requires a\n";
  const std::string others = "a: send 1b to 0\nb: recv 1b from 0\nb requires a\n";
  CHECK(verdict(of_two(ends, others), 1) == Verdict::pass);
  CHECK(verdict(of_two(ends, others), 0) == Verdict::fail);
}

TEST_CASE("GOAL: what ends only because sends are buffered says so, and fails unbuffered") {
  const std::string ends = "a: send 1b to 1\nb: recv 1b from 1\nb requires a\n";
  const std::string others = "a: send 1b to 0\nb: recv 1b from 0\nb requires a\n";
  const GoalFile relies = read(of_two(ends, others));
  const Report report = verify(relies);
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.scope == "every operation, sends buffered");
  CHECK(report.not_tried.size() == 1);
  CHECK(verdict_of(report, "unbuffered") == Verdict::fail);
  CHECK(report.find(unbuffered_property)->counterexample->facts().sites.size() > 1);
  CHECK(verify(relies, {.required = {"unbuffered"}}).verdict == Verdict::fail);
  CHECK(verify(relies, {.fifo = 2}).scope == "every operation, room for 2 messages of each tag");
  const Report either = verify(read(of_two("send 1b to 1\n", "recv 1b from 0\n")));
  CHECK(either.scope == "every operation, sends buffered or not");
  CHECK(verdict_of(either, "unbuffered") == Verdict::pass);
  CHECK(verdict_of(verify(read(of_two("a: calc 1\na requires a\n", ""))), "unbuffered") == Verdict::unknown);
  const Report open = verify(read(of_two("recv 1b from -1\n", "send 1b to 0\n")), {.required = {"unbuffered"}});
  CHECK(verdict_of(open, "unbuffered") == Verdict::unknown);
}

TEST_CASE("GOAL: messages of one tag share its room") {
  const std::string text =
      "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 0\nb: send 8b to 1 tag 0\nb requires a\nc: send 8b to 1 tag 1\n"
      "c requires b\n}\nrank 1 {\nx: recv 8b from 0 tag 1\ny: recv 8b from 0 tag 0\ny requires x\n"
      "z: recv 8b from 0 tag 0\nz requires y\n}\n";
  CHECK(verdict(text, 1) == Verdict::fail);
  CHECK(verdict(text, 2) == Verdict::pass);
  CHECK(verify(read(text)).program->fifo_depth == 2);
}

TEST_CASE("GOAL: an operation that needs another begun doesn't wait for its end") {
  const std::string begun = "a: recv 1b from 1\nb: send 1b to 1\nb irequires a\n";
  const std::string ended = "a: recv 1b from 0\nb: send 1b to 0\nb requires a\n";
  CHECK(verdict(of_two(begun, ended)) == Verdict::pass);
}

TEST_CASE("GOAL: where it isn't fixed which message goes where, the verdict is unknown") {
  CHECK(verdict(of_two("recv 1b from -1\n", "send 1b to 0\n")) == Verdict::unknown);
  CHECK(verdict(of_two("recv 1b from 1 tag -1\n", "send 1b to 0\n")) == Verdict::unknown);
  CHECK(verdict(of_two("send 1b to 1\nsend 2b to 1\n", "a: recv 1b from 0\nb: recv 2b from 0\nb requires a\n")) ==
        Verdict::unknown);
  CHECK(verdict(of_two("recv 1b from -1\n", "")) == Verdict::unknown);
}

TEST_CASE("GOAL: what is too large to tell the order of its messages is unknown, data or not") {
  GoalFile file = read(of_two("send 65535b to 1\n", "recv 65535b from 0\n"));
  CHECK_FALSE(file.program.guarantees.fifo);
  CHECK(verify(file).verdict == Verdict::pass);
  file.is_too_large = true;
  CHECK(verify(file).verdict == Verdict::unknown);
  const SchedulePtr ring = find_algorithm("ring")->make(on_line(Collective::allreduce, 3));
  file = read(goal_of(*ring, true));
  file.is_too_large = true;
  const Report report = verify(file);
  CHECK(report.verdict == Verdict::unknown);
  CHECK(verdict_of(report, "exactly-once") == Verdict::unknown);
}

TEST_CASE("GOAL: without data exactly-once doesn't apply, and is unknown if it was asked for") {
  const GoalFile file = read(of_two("send 1b to 1\n", "recv 1b from 0\n"));
  const Report report = verify(file);
  CHECK(report.verdict == Verdict::pass);
  CHECK(verdict_of(report, "exactly-once") == Verdict::unknown);
  CHECK(verify(file, {.required = {"exactly-once"}}).verdict == Verdict::unknown);
  CHECK(verify(file, {.required = {"bitwise-reproducible"}}).verdict == Verdict::unknown);
}

TEST_CASE("GOAL: unordered writes to one chunk race") {
  const std::string text =
      "num_ranks 2\n/* onceover 1 collective=broadcast chunks=1 root=0 in-place=1 */\n"
      "rank 0 {\n/* input=1 output=1 scratch=0 */\n/* blocks=o0 */\na: send 1b to 1\n/* blocks=o0 */\nb: send 1b to 1 "
      "tag 1\n}\n"
      "rank 1 {\n/* input=1 output=1 scratch=0 */\n/* blocks=o0 op=copy */\na: recv 1b from 0\n/* blocks=o0 op=copy "
      "*/\n"
      "b: recv 1b from 0 tag 1\nORDER}\n";
  auto with = [&](const std::string& order) { return std::string(text).replace(text.find("ORDER"), 5, order); };
  CHECK(verdict(with("")) == Verdict::fail);
  CHECK(verdict(with("b requires a\n")) == Verdict::pass);
  CHECK(verdict(with("b irequires a\n")) == Verdict::fail);
}

TEST_CASE("GOAL: a message of several runs is one message, however its ends cut it") {
  auto rank = [](const std::string& peer, const std::string& sent, const std::string& received) {
    return "/* input=3 output=3 scratch=3 */\n/* blocks=" + sent + " */\na: send 3b to " + peer +
           "\n/* blocks=" + received + " op=copy */\nb: recv 3b from " + peer +
           "\nb requires a\n/* blocks=o0-2 op=sum from=s0-2 */\nc: calc 0\nc requires b\n";
  };
  auto exchange = [&](const std::string& sent, const std::string& received) {
    return std::string("num_ranks 2\n/* onceover 1 collective=allreduce chunks=3 root=0 in-place=1 */\nrank 0 {\n") +
           rank("1", sent, received) + "}\nrank 1 {\n" + rank("0", "o0-2", "s0-2") + "}\n";
  };
  for (const auto& [sent, received] :
       {std::pair("o0-2", "s0-2"), std::pair("o0,o1,o2", "s0-2"), std::pair("o0-1,o2", "s0,s1-2")}) {
    CAPTURE(sent, received);
    const GoalFile file = read(exchange(sent, received));
    const Report report = verify(file, {.fifo = 1});
    CHECK(report.verdict == Verdict::pass);
    CHECK(report.metrics.messages == 2);
    CHECK(report.metrics.block_transfers == 6);
    CHECK(report.program->fifo_depth == 1);
    CHECK(verify(file, {.fifo = 0}).verdict == Verdict::fail);
    for (std::uint32_t seed = 0; seed < 5; ++seed) CHECK(run_once(file.program, 1, seed) == "");
  }
  CHECK(verdict(exchange("o0,o2,o1", "s0-2")) == Verdict::fail);
  CHECK(verdict(exchange("o0,o1", "s0-2")) == Verdict::fail);
}

TEST_CASE("GOAL: small messages find room without end, one large one makes all wait for their receivers") {
  const std::string ahead = "send 8b to 1 tag 0\na: send 8b to 1 tag 1\nb: recv 8b from 1\nb requires a\n";
  const std::string behind =
      "a: recv 8b from 0 tag 1\nb: recv 8b from 0 tag 0\nb requires a\nc: send 8b to 0\nc requires b\n";
  const GoalFile small = read(of_two(ahead, behind));
  CHECK_FALSE(small.program.guarantees.fifo);
  CHECK(verify(small).verdict == Verdict::pass);
  const GoalFile many =
      read(of_two("a: send 8b to 1\nb: send 8b to 1\nb requires a\nc: recv 8b from 1\nc requires b\n",
                  "a: send 8b to 0\nb: recv 8b from 0\nb requires a\nc: recv 8b from 0\nc requires b\n"));
  const Report report = verify(many);
  CHECK(report.verdict == Verdict::pass);
  for (const PropertyResult& p : report.properties)
    if (p.id == "deadlock-free") CHECK(p.summary == "ends; FIFOs of 1 message suffice");
  CHECK(verify(many, {.fifo = 0}).verdict == Verdict::fail);
  CHECK(read(of_two("send 65536b to 1\n", "recv 65536b from 0\n")).program.guarantees.fifo == 0);
}

TEST_CASE("GOAL: what tells its data must keep its input out of place") {
  auto copy = [](const std::string& place, const std::string& to) {
    return read(
        "num_ranks 1\n/* onceover 1 collective=allreduce chunks=1 root=0 in-place=" + place +
        " */\nrank 0 {\n/* input=1 output=1 scratch=1 */\n/* blocks=o0 op=copy from=i0 */\na: calc 0\n/* blocks=" + to +
        " op=copy from=o0 */\nb: calc 0\nb requires a\n}\n");
  };
  CHECK(verify(copy("0", "s0")).verdict == Verdict::pass);
  CHECK(verdict_of(verify(copy("0", "i0")), "input-preserved") == Verdict::fail);
  CHECK(verify(copy("0", "i0")).verdict == Verdict::fail);
  for (const PropertyResult& p : verify(copy("1", "i0")).properties) CHECK(p.id != "input-preserved");
  for (const PropertyResult& p : verify(read(of_two("", ""))).properties) CHECK(p.id != "input-preserved");
}

TEST_CASE("GOAL: what never ends is told with the operations that it concerns") {
  auto deadlock = [](const std::string& rank0, const std::string& rank1) {
    const Report report = verify(read(of_two(rank0, rank1)));
    for (const PropertyResult& p : report.properties)
      if (p.id == "deadlock-free" && p.counterexample) return *p.counterexample;
    throw std::logic_error("no deadlock");
  };
  CHECK(deadlock("send 8b to 1\n", "").facts().sites.size() == 1);
  CHECK(deadlock("", "recv 8b from 0\n").facts().sites.size() == 1);
  CHECK(deadlock("send 8b to 1\n", "recv 16b from 0\n").facts().sites.size() == 2);
  CHECK(deadlock("recv 16b from 1\n", "send 8b to 0\n").facts().sites.size() == 2);
  const std::string itself = "a: calc 1\na irequires a\n";
  const std::string two = "a: calc 1\nb: calc 1\na irequires b\nb irequires a\n";
  const std::string three = "a: calc 1\nb: calc 1\nc: calc 1\na requires b\nb requires c\nc requires a\n";
  CHECK(describe(deadlock(itself, three)).front() == "an operation waits for itself");
  CHECK(describe(deadlock(two, "")).front() == "2 operations wait for each other in a circle");
  CHECK(describe(deadlock(two, three)).front() == "2 operations wait for each other in a circle");
  CHECK(describe(deadlock(three, two)).front() == "2 operations wait for each other in a circle");
}

}  // namespace goal_test
