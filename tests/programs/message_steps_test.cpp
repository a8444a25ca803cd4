#include "programs/message_steps.h"

#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "formats/lowering.h"
#include "network/contention.h"
#include "network/cost.h"
#include "networks.h"
#include "programs/verify_program.h"
#include "schedules/catalogue.h"

namespace message_steps_test {

using namespace onceover::support;

namespace {

constexpr std::uint64_t bytes_of_block = 12;

GoalFile read(std::string_view text) {
  auto file = read_goal("f", text);
  if (!file) FAIL(file.error().render());
  return *std::move(file);
}

MessageSteps steps_of(const Program& program) {
  auto steps = message_steps(program);
  if (!steps) FAIL(steps.error());
  return *std::move(steps);
}

Program lowered(const Schedule& schedule, ProgramStyle style) {
  auto program =
      lower(schedule, {.style = style, .bytes = bytes_of_block * static_cast<std::uint64_t>(schedule.header().blocks)});
  REQUIRE(program);
  return *std::move(program);
}

/// The schedule's program without its data, as if it came from a GOAL file without comments.
MessageSteps by_bytes(const Schedule& schedule) {
  return steps_of(without_data(GoalFile{.program = lowered(schedule, ProgramStyle::requests)}));
}

/// Bytes between any two ranks, at each step or over all.
std::map<std::tuple<int, Rank, Rank>, std::uint64_t> traffic(const Schedule& schedule, std::uint64_t block,
                                                             bool by_step) {
  std::map<std::tuple<int, Rank, Rank>, std::uint64_t> bytes;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      bytes[{by_step ? step : 0, t.src, t.dst}] += static_cast<std::uint64_t>(t.blocks.size()) * block;
  }
  return bytes;
}

/// Calls visit(schedule) for the rows that are right, in all their collectives, to 16 ranks.
template <class Visit>
void for_each_schedule(Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = 2; p <= 16; ++p) {
        const Request request = on_line(collective, p);
        if (row.as_printed || refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        const SchedulePtr schedule = row.make(request);
        if (lower(*schedule, {})) visit(*schedule);
      }
}

}  // namespace

TEST_CASE("a message's step is how many messages must have arrived before it, one after another") {
  const MessageSteps steps = steps_of(
      without_data(read("num_ranks 4\n"
                        "rank 0 {\na: send 64b to 1\nb: send 96b to 2\nb requires a\nc: recv 32b from 1 tag 1\n}\n"
                        "rank 1 {\na: recv 64b from 0\nb: calc 5\nb requires a\nc: send 32b to 3\nc requires b\nd: "
                        "send 32b to 0 tag 1\n}\n"
                        "rank 2 {\na: recv 96b from 0\n}\n"
                        "rank 3 {\na: recv 32b from 1\n}\n")));
  CHECK(steps.block_bytes == 32);
  CHECK(steps.schedule->steps() == 2);
  CHECK(traffic(*steps.schedule, steps.block_bytes, true) ==
        std::map<std::tuple<int, Rank, Rank>, std::uint64_t>{
            {{0, 0, 1}, 64}, {{0, 0, 2}, 96}, {{0, 1, 0}, 32}, {{1, 1, 3}, 32}});
}

TEST_CASE("messages to oneself need no network, messages without bytes have no blocks") {
  const MessageSteps steps = steps_of(
      without_data(read("num_ranks 2\nrank 0 {\na: send 8b to 0\nb: recv 8b from 0\nc: send 0b to 1\nc requires b\n}\n"
                        "rank 1 {\na: recv 0b from 0\n}\n")));
  CHECK(steps.block_bytes == 1);
  CHECK(steps.schedule->steps() == 2);
  CHECK(steps.schedule->header().blocks == 1);
  CHECK(steps.schedule->block_transfers() == 0);
  const auto loads = contention(*steps.schedule, network_of("torus", {2}), {});
  REQUIRE(loads);
  CHECK(loads->total.most_messages() == 1);
}

TEST_CASE("a program that never ends has no steps, nor have messages that can't be counted") {
  const auto circle =
      message_steps(without_data(read("num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
                                      "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n")));
  REQUIRE_FALSE(circle);
  CHECK(circle.error() == "the program never ends, so its messages have no steps; 'verify' says why");
  CHECK_FALSE(message_steps(without_data(read("num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\n}\n"))));
  Program hanging = without_data(read("num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n"));
  CHECK(message_steps(hanging));
  hanging.hangs.push_back({0, "for nothing"});
  CHECK_FALSE(message_steps(hanging));
  const auto odd =
      message_steps(without_data(read("num_ranks 2\nrank 0 {\na: send 8589934593b to 1\nb: send 2b to 1 tag 1\n}\n"
                                      "rank 1 {\na: recv 8589934593b from 0\nb: recv 2b from 0 tag 1\n}\n")));
  REQUIRE_FALSE(odd);
  CHECK(odd.error().find("1 is the largest size that all are multiples of") != std::string::npos);
}

TEST_CASE("a program sends what its schedule sends, in no more steps") {
  for_each_schedule([](const Schedule& schedule) {
    const auto expected = traffic(schedule, bytes_of_block, false);
    const MessageSteps steps = by_bytes(schedule);
    REQUIRE(traffic(*steps.schedule, steps.block_bytes, false) == expected);
    REQUIRE(steps.schedule->steps() <= schedule.steps());
    const MessageSteps chunks = steps_of(lowered(schedule, ProgramStyle::threads));
    REQUIRE(chunks.block_bytes == 0);
    REQUIRE(traffic(*chunks.schedule, bytes_of_block, false) == expected);
  });
}

TEST_CASE("where each step needs the one before, a program's steps are its schedule's, and so is its time") {
  for (const std::string_view algorithm : {"swing", "ring", "rabenseifner"})
    for (const Rank p : {2, 4, 8, 16}) {
      CAPTURE(algorithm, p);
      const SchedulePtr schedule = find_algorithm(algorithm)->make(on_line(Collective::allreduce, p));
      const MessageSteps steps = by_bytes(*schedule);
      REQUIRE(traffic(*steps.schedule, steps.block_bytes, true) == traffic(*schedule, bytes_of_block, true));
      const Network network = network_of("torus", {p});
      const auto of_schedule = cost(*schedule, network, {}, {});
      const auto of_program = cost(*steps.schedule, network, {}, {});
      REQUIRE(of_schedule);
      REQUIRE(of_program);
      const auto largest = static_cast<double>(steps.block_bytes) * steps.schedule->header().blocks;
      REQUIRE(of_program->time(largest) ==
              Approx(of_schedule->time(static_cast<double>(bytes_of_block) * schedule->header().blocks)));
    }
}

}  // namespace message_steps_test
