// Programs: what is said of them agrees with an interpreter that tries all orders.

#include "formats/program.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <tuple>

#include "agreement.h"
#include "formats/lowering.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "formats/schedule_file.h"
#include "program_agreement.h"
#include "programs/program_faults.h"
#include "programs/verify_program.h"
#include "reference_interpreter.h"
#include "reference_machine.h"
#include "schedules/catalogue.h"
#include "small_msccl.h"

namespace program_test {

using namespace onceover::support;

namespace {

const PropertyResult& result_of(const Report& report, std::string_view id) {
  for (const PropertyResult& p : report.properties)
    if (p.id == id) return p;
  throw std::logic_error("no property");
}

struct Tally : ProgramTally {
  int judged = 0, refused = 0, passed = 0;
};

void compare(const SmallMsccl& file, Tally& tally) {
  const std::string text = file.text();
  const auto program = read_msccl("small.xml", text);
  if (!program) {
    ++tally.refused;
    return;
  }
  const Report report = verify(*program);
  ++tally.judged;
  if (report.verdict == Verdict::pass) ++tally.passed;
  INFO(text);
  REQUIRE(disagreement(*program, tally) == "");
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Program program_of(const std::string& text) {
  auto program = read_msccl("test.xml", text);
  if (!program) throw std::runtime_error(program.error().render());
  return std::move(*program);
}

}  // namespace

TEST_CASE("small allreduces are right, and the interpreter agrees") {
  Tally tally;
  for (const SmallMsccl& file :
       {small_ring(2), small_ring(3), small_split_ring(2), small_split_ring(3), small_pairs(2)}) {
    const Program program = program_of(file.text());
    INFO(file.text());
    CHECK(verify(program).verdict == Verdict::pass);
    CHECK(disagreement(program, tally) == "");
  }
  CHECK(tally.too_large == 0);
  CHECK(verify(program_of(small_pairs(3).text())).verdict == Verdict::pass);
  CHECK(verify(program_of(small_split_ring(16).text())).verdict == Verdict::pass);
}

namespace {

void judge_mutants(int each) {
  std::mt19937 random(7);
  Tally tally;
  for (const SmallMsccl& base :
       {small_ring(2), small_ring(3), small_split_ring(2), small_split_ring(3), small_pairs(2)})
    for (int k = 0; k < each; ++k) {
      SmallMsccl file = changed(base, random);
      if (k % 3 == 0) file = changed(std::move(file), random);
      compare(file, tally);
    }
  CHECK(tally.judged > each);
  CHECK(tally.passed > 0);
  CHECK(tally.passed < tally.judged);
  CHECK(tally.too_large < tally.judged / 10);
  for (const int seen : {tally.stuck, tally.racing, tally.wrong}) CHECK(seen > each / 12);
}

void judge_random(int count) {
  std::mt19937 random(11);
  Tally tally;
  for (int k = 0; k < count; ++k) {
    SmallMsccl file = random_msccl(random);
    compare(file, tally);
    compare(changed(std::move(file), random), tally);
  }
  CHECK(tally.judged > count * 2 / 5);
  CHECK(tally.too_large < tally.judged / 10);
  for (const int seen : {tally.stuck, tally.racing, tally.wrong, tally.uneven}) CHECK(seen > count / 150);
}

}  // namespace

TEST_CASE("mutants of small allreduces are judged as the interpreter judges them") {
  judge_mutants(24);
}

TEST_CASE("more mutants of small allreduces are judged as the interpreter judges them", "[long]") {
  judge_mutants(120);
}

TEST_CASE("random programs are judged as the interpreter judges them") {
  judge_random(300);
}

TEST_CASE("more random programs are judged as the interpreter judges them", "[long]") {
  judge_random(1500);
}

namespace {

struct RaceTally {
  int judged = 0, racing = 0, late = 0;  // late: not if it were of Simple
};

void compare_races(Program program, const std::string& profile, RaceTally& tally) {
  set_profile(program, *find_msccl_profile(profile));
  const Report report = verify(program);
  if (!report.program->fifo_depth || reference::lacks_slots(program)) return;
  const bool races = reference::has_race(program);
  REQUIRE(verdict_of(report, "race-free") == (races ? Verdict::fail : Verdict::pass));
  program.runtime->protocol = "Simple";
  ++tally.judged;
  tally.racing += races;
  tally.late += races && !reference::has_race(program);
}

void judge_races(int count) {
  std::mt19937 random(17);
  for (const std::string protocol : {"Simple", "LL", "LL128", ""})
    for (const std::string profile : {"msccl", "rccl", "azure"}) {
      CAPTURE(protocol, profile);
      RaceTally tally;
      for (int k = 0; k < count; ++k) {
        SmallMsccl file = k % 8 == 0   ? random_msccl(random)
                          : k % 8 == 1 ? changed(small_split_ring(2 + k % 2), random)
                                       : random_relays(random);
        file.protocol = protocol;
        INFO(file.text());
        if (auto program = read_msccl("small.xml", file.text())) compare_races(*std::move(program), profile, tally);
      }
      CHECK(tally.judged > count * 2 / 5);
      CHECK(tally.racing > count / 15);
      CHECK(tally.racing < tally.judged * 4 / 5);
      CAPTURE(tally.judged, tally.racing, tally.late);
      CHECK((tally.late > (count < 1500 ? 0 : 10)) == (protocol != "Simple"));
    }
}

}  // namespace

TEST_CASE("programs of every protocol race on every profile where threads of a machine do") {
  judge_races(300);
}

TEST_CASE("more programs of every protocol race on every profile where threads of a machine do", "[long]") {
  judge_races(1500);
}

TEST_CASE("what passes in several chunks at once runs right as a whole and in single chunks") {
  std::mt19937 random(13);
  int passed = 0, cut_only = 0;
  for (int k = 0; k < 1500; ++k) {
    SmallMsccl file = k % 3 == 0 ? changed(small_ring(2), random) : random_msccl(random);
    file.chunks *= 2;
    file.scratch *= 2;
    for (auto& gpu : file.gpus)
      for (auto& thread : gpu)
        for (SmallStep& step : thread.steps) {
          step.count = 2;
          step.src = 2 * step.src + static_cast<int>(random() % 8 == 0);
          step.dst = 2 * step.dst + static_cast<int>(random() % 8 == 0);
        }
    const auto program = read_msccl("small.xml", file.text());
    if (!program) continue;
    const Report report = verify(*program, {.fifo = 1000});
    const PropertyResult& race = result_of(report, "race-free");
    cut_only += race.verdict == Verdict::fail && race.summary.substr(0, 4) == "with";
    if (report.verdict != Verdict::pass) continue;
    ++passed;
    INFO(file.text());
    for (const Program& way : {*program, in_single_chunks(*program)}) {
      const reference::Behaviour b = reference::interpret(way, reference::unlimited);
      if (b.too_large) continue;
      CHECK((b.ends && !b.races && !b.reads_unset && b.is_right));
    }
  }
  CHECK(passed > 10);
  CHECK(cut_only > 0);
}

namespace {

Program program_of_file(const std::string& name) {
  return program_of(file_text(std::string(ONCEOVER_TEST_DATA) + "/msccl/" + name));
}

}  // namespace

TEST_CASE("a program of each kind gets its verdict") {
  struct Case {
    std::string file;
    std::vector<std::string> fails;
    std::uint32_t fifo;
  };
  const Case cases[] = {
      {"alltoall.xml", {}, 1},
      {"chain.xml", {}, 0},
      {"copies.xml", {}, 0},
      {"doubling.xml", {}, 1},
      {"early-send.xml", {"race-free"}, 1},
      {"late-store.xml", {"race-free"}, 0},
      {"lost-block.xml", {"exactly-once", "bitwise-reproducible"}, 1},
      {"overwrites-input.xml", {"input-preserved"}, 0},
      {"reduce-scatter.xml", {"order-preserving"}, 2},
      {"two-ahead.xml", {}, 2},
      {"uneven.xml", {"order-preserving", "bitwise-reproducible"}, 1},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.file);
    const Report report = verify(program_of_file(expected.file));
    std::vector<std::string> fails;
    for (const PropertyResult& p : report.properties)
      if (p.verdict == Verdict::fail) fails.emplace_back(p.id);
    CHECK(fails == expected.fails);
    CHECK(report.program->fifo_depth == expected.fifo);
    CHECK(verdict_of(report, "deadlock-free") == Verdict::pass);
  }
}

TEST_CASE("ranks that add up in different orders end with different sums") {
  const Report report = verify(program_of_file("uneven.xml"), {.required = {"bitwise-reproducible"}});
  CHECK(report.verdict == Verdict::fail);
  const auto c = result_of(report, "bitwise-reproducible").counterexample->facts();
  CHECK(c.shown.size() == 2);
  CHECK(c.shown[0] != c.shown[1]);
  CHECK(c.sites.size() == 2);
}

TEST_CASE("sums of three ranks that are two are counted as two") {
  // Ranks 0 and 2 end with (0+1)+2, rank 1 between them with (1+2)+0.
  const auto schedule = read_schedule("s.json", R"({"format":"onceover-schedule","version":1,"collective":"allreduce",
    "ranks":3,"blocks":1,"steps":[
    [{"src":2,"dst":1,"blocks":[0],"op":"reduce"},{"src":0,"dst":1,"blocks":[0],"op":"reduce"},
     {"src":1,"dst":0,"blocks":[0],"op":"reduce"}],
    [{"src":2,"dst":0,"blocks":[0],"op":"reduce"}],
    [{"src":0,"dst":2,"blocks":[0],"op":"copy"}]]})");
  REQUIRE(schedule);
  const auto program = lower(**schedule, {});
  REQUIRE(program);
  const PropertyResult bits = result_of(verify(*program), "bitwise-reproducible");
  CHECK(bits.summary == "up to 2 different sums of one block over the ranks");
}

namespace {

/// What is told of a race of a file as a profile runs it, but for the headline; empty: there is none.
std::vector<std::string> race_of(const std::string& file, const std::string& profile) {
  Program program = program_of_file(file);
  set_profile(program, *find_msccl_profile(profile));
  const PropertyResult race = result_of(verify(program), "race-free");
  if (!race.counterexample) return {};
  const std::vector<std::string> told = describe(*race.counterexample);
  return {told.begin() + 1, told.end()};
}

}  // namespace

TEST_CASE("a wait for a send of LL protects its source where all threads meet behind a send") {
  CHECK(race_of("early-send.xml", "rccl") ==
        std::vector<std::string>{"rank 0, thread block 0, step 0 (line 4) reads it",
                                 "rank 0, thread block 1, step 0 (line 7) writes it",
                                 "step 0 of thread block 1 comes after the end of step 0 of thread block 0, which may "
                                 "still read its source then: LL on rccl"});
  CHECK(race_of("early-send.xml", "msccl").empty());
  CHECK(race_of("early-send.xml", "azure").empty());
  const Program any = program_of_file("missing-proto.xml");
  CHECK(any.runtime->protocol == "");
  CHECK(any.notes == std::vector<std::string>{
                         "<algo> has no proto, which all runtimes require; the one that guarantees least is assumed"});
  CHECK(any.guarantees == Guarantees{false, false, false, 2});
  CHECK(verdict_of(verify(any), "race-free") == Verdict::fail);
  CHECK_FALSE(is_alike_on_all(*any.runtime));
  CHECK(text(*any.runtime) == "any protocol on rccl");
}

TEST_CASE("a message of LL or LL128 doesn't tell that its sender has stored, on any profile") {
  for (const std::string profile : {"msccl", "rccl", "azure"})
    CHECK(race_of("late-store.xml", profile) ==
          std::vector<std::string>{"rank 1, thread block 1, step 0 (line 15) writes it",
                                   "rank 1, thread block 0, step 0 (line 12) writes it",
                                   "step 0 of thread block 1 may come when step 0 of thread block 0 has passed its "
                                   "message on, but not yet stored it: LL128 on " +
                                       profile});
  std::string simple = file_text(std::string(ONCEOVER_TEST_DATA) + "/msccl/late-store.xml");
  simple.replace(simple.find("LL128"), 5, "Simple");
  CHECK(verdict_of(verify(program_of(simple)), "race-free") == Verdict::pass);
}

namespace {

/// Two ranks, the first with a copy to s[1] and then these steps in one thread block, the second with what these need.
Report after_a_send(const std::vector<SmallStep>& steps, const std::string& profile = "rccl") {
  SmallMsccl file{.protocol = "LL", .chunks = 3, .scratch = 2};
  SmallThread first{.send = 1, .recv = 1, .steps = {{.type = "cpy", .src = 1, .dst_buffer = 's', .dst = 1}}},
      second{.send = 0, .recv = 0};
  first.steps.insert(first.steps.end(), steps.begin(), steps.end());
  for (const SmallStep& step : steps) {
    if (step.type == "s") second.steps.push_back({.type = "r", .dst_buffer = 's'});
    if (step.type == "r") second.steps.push_back({.type = "s"});
  }
  file.gpus = {{first, SmallThread{.steps = {{.type = "cpy", .src = 2, .dst_buffer = 's'}}}}, {second}};
  Program program = program_of(file.text());
  set_profile(program, *find_msccl_profile(profile));
  return verify(program);
}

}  // namespace

TEST_CASE("behind a send of LL on RCCL a thread has read only its own part of the source, until the block meets") {
  const SmallStep send{.type = "s"}, copy{.type = "cpy", .src_buffer = 's', .src = 1},
      reduce{.type = "re", .src_buffer = 's', .src = 1}, other{.type = "cpy", .src_buffer = 's', .src = 1, .dst = 1},
      receive{.type = "r"};
  auto race = [](const Report& report) { return verdict_of(report, "race-free"); };
  SmallStep waiting = reduce;
  waiting.dep_thread = 1;
  waiting.dep_step = 0;
  const SmallStep idle{.type = "nop"};
  SmallStep idle_wait = idle;
  idle_wait.dep_thread = 1;
  idle_wait.dep_step = 0;
  // The same place of a message is one thread's; of a reduction another's.
  CHECK(race(after_a_send({send, receive})) == Verdict::pass);
  CHECK(race(after_a_send({send, copy})) == Verdict::pass);
  CHECK(race(after_a_send({send, reduce})) == Verdict::fail);
  CHECK(race(after_a_send({send, idle, reduce})) == Verdict::fail);
  CHECK(race(after_a_send({send, reduce}, "msccl")) == Verdict::pass);
  // A wait, another send and the end of what comes between bring all together.
  CHECK(race(after_a_send({send, waiting})) == Verdict::pass);
  CHECK(race(after_a_send({send, idle_wait, reduce})) == Verdict::pass);
  CHECK(race(after_a_send({send, send, reduce})) == Verdict::fail);
  CHECK(race(after_a_send({send, {.type = "s", .src = 1}, reduce})) == Verdict::pass);
  CHECK(race(after_a_send({send, other, reduce})) == Verdict::pass);
  // Nothing comes behind the last one.
  CHECK(race(after_a_send({other, send})) == Verdict::pass);
  const Report same = after_a_send({send, reduce});
  CHECK(
      describe(*result_of(same, "race-free").counterexample).back() ==
      "step 2 of thread block 0 comes after the end of step 1 of thread block 0, which may still read its source then: "
      "LL on rccl");
}

namespace {

/// A rank sends chunks from `first` on along another rank, and gets them back into chunks from `into` on.
Verdict shifted(const std::string& protocol, int first, int into) {
  SmallMsccl file{.protocol = protocol, .chunks = 3, .scratch = 2};
  file.gpus = {{{.send = 1, .steps = {{.type = "s", .src = first, .count = 2}}},
                {.recv = 1, .steps = {{.type = "r", .dst = into, .count = 2}}}},
               {{.send = 0, .recv = 0, .steps = {{.type = "rcs", .dst_buffer = 's', .count = 2}}}}};
  return verdict_of(verify(program_of(file.text())), "race-free");
}

}  // namespace

TEST_CASE("lines of a message come each alone, memory in order") {
  for (const std::string protocol : {"Simple", "LL", "LL128"}) {
    CAPTURE(protocol);
    CHECK(shifted(protocol, 0, 0) == Verdict::pass);
    CHECK(shifted(protocol, 0, 1) == Verdict::fail);
    CHECK(shifted(protocol, 1, 0) == (protocol == "Simple" ? Verdict::pass : Verdict::fail));
  }
}

TEST_CASE("the last chunk first, an operation waits with its first piece and has ended with its last") {
  SmallMsccl file{.chunks = 3, .scratch = 3};
  file.gpus = {{{.send = 1, .steps = {{.type = "s", .src = 1, .count = 2}}},
                {.recv = 1, .steps = {{.type = "r", .dst = 1, .count = 2, .dep_thread = 0, .dep_step = 0}}}},
               {{.send = 0, .recv = 0, .steps = {{.type = "rcs", .dst_buffer = 's', .count = 2}}}}};
  const Program down = in_single_chunks(program_of(file.text()), ChunkOrder::downward);
  std::vector<int> first;
  for (const Operation& o : down.operations)
    first.push_back(reads_source(o.instruction) ? o.source.first : o.target.first);
  CHECK(first == std::vector<int>{2, 1, 2, 1, 1, 0});
  REQUIRE(down.dependencies.size() == 1);
  CHECK(down.dependencies[0].before == 1);
  CHECK(down.dependencies[0].after == 2);
}

TEST_CASE("out of place an input must stay as it is, in place nobody asks") {
  const Report report = verify(program_of_file("overwrites-input.xml"));
  CHECK(report.verdict == Verdict::fail);
  const PropertyResult& kept = result_of(report, "input-preserved");
  CHECK(kept.required);
  CHECK(kept.summary == "1 operation writes to an input");
  CHECK(kept.violations == 1);
  CHECK(kept.counterexample->kind() == overwritten_fault.name);
  CHECK(kept.counterexample->facts().slot == "i[0]");
  CHECK(kept.counterexample->facts().sites == std::vector<Counterexample::Site>{{0, 0, 0, 4}});
  CHECK_FALSE(kept.counterexample->block);
  std::string text = file_text(std::string(ONCEOVER_TEST_DATA) + "/msccl/overwrites-input.xml");
  // In place it isn't asked; who asks is told so.
  text.replace(text.find("inplace=\"0\" outofplace=\"1\""), 26, "inplace=\"1\" outofplace=\"0\"");
  const Report in_place = verify(program_of(text));
  CHECK(in_place.verdict == Verdict::pass);
  CHECK_THROWS(result_of(in_place, "input-preserved"));
  const Report asked = verify(program_of(text), {.required = {"input-preserved"}});
  CHECK(asked.verdict == Verdict::unknown);
  CHECK(result_of(asked, "input-preserved").summary == "not judged: in place, the result takes the place of the input");
  // A file for both must keep it out of place.
  text.replace(text.find("outofplace=\"0\""), 14, "outofplace=\"1\"");
  for (const std::vector<std::string>& required : {std::vector<std::string>{}, {"input-preserved"}}) {
    const Report both = verify(program_of(text), {.required = required});
    CHECK(both.verdict == Verdict::fail);
    CHECK(result_of(both, "input-preserved").summary == "out of place: 1 operation writes to an input");
    CHECK(describe(*result_of(both, "input-preserved").counterexample).back() == "this happens out of place");
    CHECK(both.properties[3].id == "input-preserved");
  }
}

TEST_CASE("a program whose pieces are too many to be judged still tells whether it keeps its input") {
  SmallMsccl file{.collective = "broadcast", .chunks = 8, .in_place = false};
  file.gpus = {
      {{.send = 1, .steps = {{.type = "s", .count = 8}}}, {.steps = {{.type = "cpy", .dst_buffer = 'o', .count = 8}}}},
      {{.recv = 0, .steps = {{.type = "r", .dst_buffer = 'o', .count = 8}}}}};
  const Report report = verify(program_of(file.text()), {.budget = 23});
  CHECK(verdict_of(report, "input-preserved") == Verdict::pass);
  CHECK(verdict_of(report, "race-free") == Verdict::unknown);
  CHECK(verdict_of(verify(program_of(file.text())), "race-free") == Verdict::pass);
}

TEST_CASE("a runtime holds two messages of Simple and eight of the others, unless told otherwise") {
  auto ahead = [](const std::string& protocol, int messages) {
    SmallMsccl file{.collective = "broadcast", .protocol = protocol, .chunks = messages};
    SmallThread first{.send = 1, .recv = 1}, second{.send = 0, .recv = 0};
    for (int k = 0; k < messages; ++k) first.steps.push_back({.type = "s", .src = k, .dst = k});
    for (int k = 0; k < messages; ++k) first.steps.push_back({.type = "r", .src = k, .dst = k});
    for (int k = 0; k < messages; ++k) second.steps.push_back({.type = "rcs", .src = k, .dst = k});
    file.gpus = {{first}, {second}};
    return program_of(file.text());
  };
  for (const auto& [protocol, holds] :
       {std::pair("Simple", 2), std::pair("LL", 8), std::pair("LL128", 8), std::pair("", 2)}) {
    CAPTURE(protocol);
    CHECK(verdict_of(verify(ahead(protocol, 2 * holds)), "deadlock-free") == Verdict::pass);
    CHECK(verdict_of(verify(ahead(protocol, 2 * holds + 1)), "deadlock-free") == Verdict::fail);
    CHECK(verdict_of(verify(ahead(protocol, 2 * holds), {.fifo = 1}), "deadlock-free") == Verdict::fail);
  }
  CHECK(result_of(verify(program_of_file("two-ahead.xml")), "deadlock-free").summary ==
        "ends with FIFOs of 2 messages; less doesn't suffice");
}

TEST_CASE("what ends under rendezvous says so, and what isn't judged says why") {
  const Program program = program_of_file("chain.xml");
  CHECK(result_of(verify(program, {.fifo = 0}), "deadlock-free").summary == "ends with rendezvous");
  CHECK(result_of(verify(program), "deadlock-free").summary == "ends with FIFOs of 2 messages; rendezvous suffices");
  const Report report = verify(program, {.required = {"deterministic", "contiguous"}});
  CHECK(result_of(report, "deterministic").summary == "not judged: this is about running libraries");
  CHECK(result_of(report, "contiguous").summary ==
        "not judged: this is about the steps of schedules, and a program has none");
}

TEST_CASE("what is exported for LL waits for a copy behind each send") {
  Program program{.ranks = 2, .chunks = 1, .buffers = {{1, 1, 0}, {1, 1, 3}}, .connections = {{0, 1, 0}, {1, 0, 0}}};
  const ChunkRange input{Buffer::input, 0, 1};
  for (Rank r = 0; r < 2; ++r) {
    program.operations.push_back(
        {.rank = r, .thread = 0, .number = 0, .instruction = Instruction::send, .source = input, .to = r});
    program.operations.push_back(
        {.rank = r, .thread = 0, .number = 1, .instruction = Instruction::send, .source = input, .to = r});
    program.operations.push_back(
        {.rank = r, .thread = 1, .number = 0, .instruction = Instruction::receive, .target = input, .from = 1 - r});
    program.operations.push_back(
        {.rank = r, .thread = 1, .number = 1, .instruction = Instruction::receive, .target = input, .from = 1 - r});
  }
  program.dependencies = {{0, 2}, {1, 2}, {5, 6}, {4, 7, true}};
  const Program guarded = with_send_guards(program);
  std::vector<std::tuple<Rank, int, int, Instruction>> all;
  for (const Operation& o : guarded.operations) all.emplace_back(o.rank, o.thread, o.number, o.instruction);
  CHECK(all == std::vector<std::tuple<Rank, int, int, Instruction>>{{0, 0, 0, Instruction::send},
                                                                    {0, 0, 1, Instruction::copy},
                                                                    {0, 0, 2, Instruction::send},
                                                                    {0, 0, 3, Instruction::copy},
                                                                    {0, 1, 0, Instruction::receive},
                                                                    {0, 1, 1, Instruction::receive},
                                                                    {1, 0, 0, Instruction::send},
                                                                    {1, 0, 1, Instruction::send},
                                                                    {1, 0, 2, Instruction::copy},
                                                                    {1, 1, 0, Instruction::receive},
                                                                    {1, 1, 1, Instruction::receive}});
  CHECK(guarded.buffers[0].scratch == 1);
  CHECK(guarded.buffers[1].scratch == 4);
  CHECK(guarded.operations[8].target.first == 3);
  CHECK(guarded.operations[8].target.buffer == Buffer::scratch);
  std::vector<std::tuple<int, int, bool>> orders;
  for (const Dependency& order : guarded.dependencies) orders.emplace_back(order.before, order.after, order.on_start);
  CHECK(orders == std::vector<std::tuple<int, int, bool>>{{1, 4, false}, {3, 4, false}, {8, 9, false}, {6, 10, true}});
}

TEST_CASE("a wait on a step that tells nobody is over with a later one that tells, or never") {
  SmallMsccl file = small_pairs(3);
  std::string text = file.text();
  const Program good = program_of(text);
  CHECK(verify(good).verdict == Verdict::pass);
  for (std::size_t at = text.find("hasdep=\"1\""); at != std::string::npos; at = text.find("hasdep=\"1\"", at))
    text.replace(at, 10, "hasdep=\"0\"");
  const Program silent = program_of(text);
  CHECK(!silent.hangs.empty());
  const Report report = verify(silent);
  CHECK(verdict_of(report, "deadlock-free") == Verdict::fail);
  CHECK(result_of(report, "deadlock-free").counterexample->kind() == starved_fault.name);
}

TEST_CASE("rounds are the messages of the longest chain in which each waits for the one before") {
  for (const int p : {2, 3, 4, 7}) {
    CHECK(verify(program_of(small_ring(p).text())).program->rounds == static_cast<std::uint64_t>(2 * (p - 1)));
    CHECK(verify(program_of(small_split_ring(p).text())).program->rounds == static_cast<std::uint64_t>(2 * (p - 1)));
    CHECK(verify(program_of(small_pairs(p).text())).program->rounds == 1);
  }
}

TEST_CASE("a program's operations, threads, connections and messages are counted") {
  const Report report = verify(program_of(small_split_ring(3).text()));
  CHECK(report.program->operations == 24);
  CHECK(report.program->threads == 6);
  CHECK(report.program->connections == 3);
  CHECK(report.metrics.messages == 12);
  CHECK(report.metrics.block_transfers == 12);
  CHECK(report.metrics.blocks_sent_min == 4);
  CHECK(report.metrics.blocks_sent_max == 4);
}

TEST_CASE("a file for both places must be right in both") {
  std::string text = small_ring(2).text();
  text.replace(text.find("inplace=\"1\""), 11, "inplace=\"1\" outofplace=\"1\"");
  const Report report = verify(program_of(text));
  CHECK(report.verdict == Verdict::fail);  // the ring leaves its result in the input
  CHECK(result_of(report, "exactly-once").summary.substr(0, 12) == "out of place");
}

TEST_CASE("a file that reads its output before anything is there is well-formed only in place") {
  SmallMsccl file = small_ring(2);
  for (auto& gpu : file.gpus)
    for (SmallStep& step : gpu[0].steps) step.src_buffer = step.dst_buffer = 'o';
  std::string text = file.text();
  CHECK(verify(program_of(text)).verdict == Verdict::pass);
  text.replace(text.find("inplace=\"1\""), 11, "inplace=\"1\" outofplace=\"1\"");
  const Report report = verify(program_of(text));
  const PropertyResult& well_formed = result_of(report, "well-formed");
  REQUIRE(well_formed.verdict == Verdict::fail);
  CHECK(well_formed.summary == "out of place: 1 operations have no defined meaning");
  CHECK(well_formed.counterexample->kind() == unset_fault.name);
  CHECK_FALSE(well_formed.counterexample->block);
  CHECK(describe(*well_formed.counterexample).back() == "this happens out of place");
}

TEST_CASE("a sum across a gap is told with both of its sides") {
  const Report report = verify(program_of(small_pairs(3).text()));
  const auto& c = *result_of(report, "order-preserving").counterexample;
  CHECK(c.kind() == Counterexample::Gap::kind);
  CHECK(describe(c) ==
        std::vector<std::string>{"block 0: rank 2, thread block 0, step 3 (line 33) joins rank 0 with rank 2, "
                                 "which aren't neighbours"});
}

namespace {

/// Two ranks exchange `count` chunks at once by one thread block each, in scratch memory, and add up.
std::string exchange(int count) {
  std::string text = "<algo name=\"t\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\" nchunksperloop=\"" +
                     std::to_string(count) + "\">\n";
  for (int rank = 0; rank < 2; ++rank) {
    const std::string me = std::to_string(rank), other = std::to_string(1 - rank), n = std::to_string(count);
    const std::string rest = "\" cnt=\"" + n + "\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
    text += "<gpu id=\"" + me + "\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"" + n + "\"><tb id=\"0\" send=\"" + other +
            "\" recv=\"" + other + "\" chan=\"0\">\n" +
            R"(<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0)" + rest +
            R"(<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0)" + rest +
            R"(<step s="2" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="0)" + rest + "</tb></gpu>\n";
  }
  return text + "</algo>\n";
}

}  // namespace

TEST_CASE("how much room single chunks need is told, but doesn't weigh") {
  CHECK(verify(program_of(exchange(1))).scope == "every chunk, in place");
  const Program program = program_of(exchange(64));
  const Report report = verify(program);
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.scope == "every chunk, in place, messages whole and in single chunks");
  CHECK(result_of(report, "deadlock-free").summary ==
        "ends with FIFOs of 2 messages; FIFOs of 1 message suffice; with messages in single chunks, only with FIFOs of "
        "64 "
        "messages or more, which doesn't change the verdict");
  CHECK(result_of(verify(program, {.fifo = 64}), "deadlock-free").summary ==
        "ends with FIFOs of 64 messages; FIFOs of 1 message suffice");
  CHECK(verify(program, {.budget = 300}).verdict == Verdict::unknown);
}

TEST_CASE("a short program of many chunks takes no memory for them, and doesn't pass") {
  const Report report = verify(program_of(exchange(1 << 19)));
  CHECK(report.verdict == Verdict::unknown);
  for (const char* id : {"exactly-once", "race-free"}) {
    const PropertyResult& unjudged = result_of(report, id);
    CHECK(unjudged.verdict == Verdict::unknown);
    CHECK(unjudged.summary.starts_with("not judged: the buffers have 2097152 chunks, more than the"));
  }
}

TEST_CASE("what races only in single chunks doesn't pass, and says so") {
  // Rank 1 sends back what it receives. As a whole it comes back when all of it was sent; its first chunk is written
  // over the second, which may still have to be sent.
  const std::string rest = "srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>";
  const Report report = verify(program_of(
      "<algo name=\"t\" ngpus=\"2\" coll=\"broadcast\" inplace=\"1\" nchunksperloop=\"3\">\n"
      "<gpu id=\"0\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"0\">\n"
      "<tb id=\"0\" send=\"1\" recv=\"-1\" chan=\"0\"><step s=\"0\" type=\"s\" dstoff=\"0\" " +
      rest + "</tb>\n<tb id=\"1\" send=\"-1\" recv=\"1\" chan=\"0\"><step s=\"0\" type=\"r\" dstoff=\"1\" " + rest +
      "</tb></gpu>\n<gpu id=\"1\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"0\">\n"
      "<tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\"><step s=\"0\" type=\"rcs\" dstoff=\"0\" " +
      rest + "</tb></gpu></algo>\n"));
  const PropertyResult& race = result_of(report, "race-free");
  CHECK(race.verdict == Verdict::fail);
  CHECK(race.summary.substr(0, 31) == "with messages in single chunks:");
  CHECK(describe(*race.counterexample).back() == "this happens with messages in single chunks");
}

TEST_CASE("a program that moves more than the budget is unknown, but for its waits") {
  const Program program = program_of(exchange(1));
  const Report report = verify(program, {.budget = 5});
  CHECK(report.verdict == Verdict::unknown);
  CHECK(verdict_of(report, "deadlock-free") == Verdict::pass);
  CHECK(verdict_of(report, "race-free") == Verdict::unknown);
}

TEST_CASE("a rank whose own order suffices is judged without the others") {
  const SchedulePtr schedule = find_algorithm("ring")->make(on_line(Collective::allreduce, 128));
  const auto program = lower(*schedule, {.style = ProgramStyle::requests});
  REQUIRE(program);
  CHECK(verdict_of(verify(*program), "race-free") == Verdict::pass);
}

TEST_CASE("where threads don't order operations, only waits do") {
  const SchedulePtr ring = find_algorithm("ring")->make(on_line(Collective::allreduce, 3));
  const Program program = *lower(*ring, {.style = ProgramStyle::requests});
  CHECK(verdict_of(verify(program), "race-free") == Verdict::pass);
  Program loose = program;
  loose.dependencies.clear();
  CHECK(verdict_of(verify(loose), "race-free") == Verdict::fail);
  Program begun = program;
  for (Dependency& order : begun.dependencies) order.on_start = true;
  CHECK(verdict_of(verify(begun), "race-free") == Verdict::fail);
}

TEST_CASE("an operation that waits for the start of the one before it races with it") {
  Program program{.buffers = {{.input = 1, .output = 1, .scratch = 1}}, .threads_are_ordered = false};
  const ChunkRange input{Buffer::input, 0, 1}, output{Buffer::output, 0, 1}, scratch{Buffer::scratch, 0, 1};
  program.operations = {{.rank = 0, .instruction = Instruction::copy, .source = input, .target = scratch},
                        {.rank = 0, .instruction = Instruction::copy, .source = scratch, .target = output}};
  for (const bool on_start : {false, true}) {
    program.dependencies = {{0, 1, on_start}};
    CHECK(verdict_of(verify(program), "race-free") == (on_start ? Verdict::fail : Verdict::pass));
  }
}

TEST_CASE("two threads that write one cell race, whichever they are") {
  for (const auto& [first, second] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 2}}) {
    Program program{.buffers = {{.input = 2, .output = 2, .scratch = 1}}};
    const ChunkRange scratch{Buffer::scratch, 0, 1};
    program.operations = {{.rank = 0,
                           .thread = first,
                           .instruction = Instruction::copy,
                           .source = {Buffer::input, 0, 1},
                           .target = scratch},
                          {.rank = 0,
                           .thread = second,
                           .instruction = Instruction::copy,
                           .source = {Buffer::input, 1, 1},
                           .target = scratch}};
    CHECK(verdict_of(verify(program), "race-free") == Verdict::fail);
  }
}

TEST_CASE("a long circle is told in few lines, and what ends it") {
  // Two ranks send many messages before they receive one.
  constexpr int many = 200;
  std::string text = "<algo name=\"t\" ngpus=\"2\" coll=\"allgather\" inplace=\"1\" nchunksperloop=\"2\">\n";
  for (int rank = 0; rank < 2; ++rank) {
    const std::string me = std::to_string(rank), other = std::to_string(1 - rank);
    text += "<gpu id=\"" + me + "\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"0\"><tb id=\"0\" send=\"" + other +
            "\" recv=\"" + other + "\" chan=\"0\">\n";
    auto step = [&](int s, const char* type, const std::string& chunk) {
      text += "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" srcbuf=\"o\" srcoff=\"" + chunk +
              "\" dstbuf=\"o\" dstoff=\"" + chunk + "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
    };
    for (int s = 0; s < 2; ++s) step(s, "s", me);
    for (int s = 2; s < many; ++s) step(s, "cpy", me);
    for (int s = many; s < many + 2; ++s) step(s, "r", other);
    text += "</tb></gpu>\n";
  }
  const Report report = verify(program_of(text + "</algo>\n"), {.fifo = 0});
  const auto told = describe(*result_of(report, "deadlock-free").counterexample);
  CHECK(told.front() == "402 operations wait for each other in a circle");
  CHECK(told.size() < 12);
  CHECK(std::count_if(told.begin(), told.end(), [](const std::string& line) {
          return line.find(" more in thread block 0, each after the one before ...") != std::string::npos;
        }) == 2);
  CHECK(told.back() == "it ends with FIFOs of 2 messages or more (--fifo 2)");
}

namespace {

ChunkRange one(Buffer buffer, std::int32_t first) {
  return {buffer, first, 1};
}

/// Adds `source` to `target`, both in rank 0's scratch memory.
Operation add(std::int32_t target, std::int32_t source) {
  const ChunkRange from = one(Buffer::scratch, source), to = one(Buffer::scratch, target);
  return {.rank = 0, .instruction = Instruction::reduce, .source = from, .target = to};
}

/// Copies from rank 0's scratch memory to its output.
Operation put(std::int32_t output, std::int32_t source) {
  return {.rank = 0,
          .instruction = Instruction::copy,
          .source = one(Buffer::scratch, source),
          .target = one(Buffer::output, output)};
}

void append(Program& program, Operation operation) {
  const auto& all = program.operations;
  operation.number = all.empty() || all.back().rank != operation.rank ? 0 : all.back().number + 1;
  program.operations.push_back(operation);
}

/// A reduce or gather to rank 0, whose scratch memory takes the inputs of all ranks, `share` chunks each, one rank's
/// after the other's; then it does the rest.
Program at_root(Collective collective, Rank ranks, std::int32_t share, const std::vector<Operation>& rest) {
  const std::int32_t whole = collective == Collective::gather ? ranks * share : share;
  Program program{.collective = collective, .ranks = ranks, .chunks = whole};
  const Buffers sizes{.input = share, .output = whole, .scratch = ranks * share};
  program.buffers.assign(static_cast<std::size_t>(ranks), sizes);
  for (std::int32_t k = 0; k < share; ++k)
    append(program, {.rank = 0,
                     .instruction = Instruction::copy,
                     .source = one(Buffer::input, k),
                     .target = one(Buffer::scratch, k)});
  for (Rank r = 1; r < ranks; ++r) {
    program.connections.push_back({r, 0, 0});
    for (std::int32_t k = 0; k < share; ++k)
      append(program, {.rank = 0,
                       .instruction = Instruction::receive,
                       .target = one(Buffer::scratch, r * share + k),
                       .from = r - 1});
  }
  for (const Operation& operation : rest) append(program, operation);
  for (Rank r = 1; r < ranks; ++r)
    for (std::int32_t k = 0; k < share; ++k)
      append(program, {.rank = r, .instruction = Instruction::send, .source = one(Buffer::input, k), .to = r - 1});
  return program;
}

/// Two ranks, shares of two chunks: all inputs go where they belong.
Program two_shares(Collective collective) {
  Program program{.collective = collective, .ranks = 2, .chunks = 4, .connections = {{0, 1, 0}, {1, 0, 0}}};
  const Buffers sizes{.input = 4, .output = collective == Collective::alltoall ? 4 : 2, .scratch = 1};
  program.buffers.assign(2, sizes);
  for (Rank r = 0; r < 2; ++r)
    for (std::int32_t k = 0; k < 2; ++k) {
      const Rank other = 1 - r;
      const ChunkRange own = one(Buffer::input, 2 * r + k);
      if (collective == Collective::alltoall)
        append(program,
               {.rank = r, .instruction = Instruction::copy, .source = own, .target = one(Buffer::output, 2 * r + k)});
      if (collective == Collective::scatter && r == 0)
        append(program, {.rank = r, .instruction = Instruction::copy, .source = own, .target = one(Buffer::output, k)});
      if (collective != Collective::scatter || r == 0)
        append(program,
               {.rank = r, .instruction = Instruction::send, .source = one(Buffer::input, 2 * other + k), .to = r});
      if (collective == Collective::alltoall)
        append(program, {.rank = r,
                         .instruction = Instruction::receive,
                         .target = one(Buffer::output, 2 * other + k),
                         .from = other});
      if (collective == Collective::reduce_scatter)
        append(program, {.rank = r,
                         .instruction = Instruction::receive_reduce,
                         .source = own,
                         .target = one(Buffer::output, k),
                         .from = other});
      if (collective == Collective::scatter && r == 1)
        append(program,
               {.rank = r, .instruction = Instruction::receive, .target = one(Buffer::output, k), .from = other});
    }
  return program;
}

}  // namespace

TEST_CASE("sums of neighbours on either side keep the order, and budgets hold to the last access and part") {
  const Program program = at_root(Collective::reduce, 5, 1, {add(2, 3), add(0, 1), add(0, 2), add(0, 4), put(0, 0)});
  const Report report = verify(program);
  CHECK(report.verdict == Verdict::pass);
  const PropertyResult& order = result_of(report, "order-preserving");
  CHECK(order.verdict == Verdict::pass);
  CHECK(order.summary == "all 4 sums join neighbouring runs of ranks, so their sides can be chosen in order");
  CHECK(report.metrics.term_depth == 3);
  CHECK(report.metrics.blocks_sent_min == 0);
  CHECK(report.metrics.blocks_sent_max == 1);
  // 20 chunks are read or written; the result has 9 parts, each of which costs 64.
  const Report few = verify(program, {.budget = 19});
  CHECK(verdict_of(few, "race-free") == Verdict::unknown);
  CHECK(verdict_of(few, "well-formed") == Verdict::unknown);
  CHECK(verdict_of(verify(program, {.budget = 20}), "race-free") == Verdict::pass);
  const Report short_of_one = verify(program, {.budget = 575});
  CHECK(verdict_of(short_of_one, "exactly-once") == Verdict::unknown);
  CHECK(short_of_one.verdict == Verdict::unknown);
  CHECK(verify(program, {.budget = 576}).verdict == Verdict::pass);
}

namespace {

/// The program is right, but one of so many of its sums joins these two, which aren't neighbours.
void check_one_gap(const Program& program, int sums, const std::vector<std::string>& joined) {
  const Report report = verify(program);
  CHECK(report.verdict == Verdict::pass);
  const PropertyResult& order = result_of(report, "order-preserving");
  REQUIRE(order.verdict == Verdict::fail);
  CHECK(order.summary == "1 of " + std::to_string(sums) + " sums join runs of ranks that aren't neighbours");
  CHECK(order.counterexample->facts().shown == joined);
}

}  // namespace

TEST_CASE("only sums that results have in them are counted, and a gap once") {
  check_one_gap(at_root(Collective::reduce, 4, 1, {add(0, 2), add(0, 3), add(0, 1), put(0, 0), add(1, 3)}), 3,
                {"rank 0", "rank 2"});
}

TEST_CASE("a gap above sums of neighbours is found, whichever of them came first") {
  for (const auto& [into, other] : {std::pair{0, 1}, std::pair{1, 0}}) {
    CAPTURE(into);
    check_one_gap(
        at_root(Collective::reduce, 5, 1, {add(into, other), add(into, 2), add(into, 4), add(into, 3), put(0, into)}),
        4, {"rank 4", "ranks 0..2"});
  }
}

TEST_CASE("a contribution that counts twice is told with the operation that first added it to itself") {
  const Operation early{.rank = 0,
                        .instruction = Instruction::reduce,
                        .source = one(Buffer::scratch, 2),
                        .target = one(Buffer::output, 0)};
  const Report report = verify(
      at_root(Collective::reduce, 4, 1, {put(0, 0), early, add(0, 2), add(1, 1), add(0, 1), add(0, 3), put(0, 0)}));
  const PropertyResult& once = result_of(report, "exactly-once");
  REQUIRE(once.verdict == Verdict::fail);
  CHECK(once.violations == 1);
  const Counterexample& c = *once.counterexample;
  CHECK(c.kind() == Counterexample::Duplicate::kind);
  CHECK(c.facts().contributor == 1);
  CHECK(c.facts().times == 2);
  CHECK(c.facts().slot == "o[0]");
  CHECK(c.facts().sites == std::vector<Counterexample::Site>{{0, 0, 7, 0}, {0, 0, 10, 0}});
}

TEST_CASE("data that doesn't belong into a result is told with the rank that it is of") {
  struct Case {
    Collective collective;
    std::vector<Operation> rest;
    std::string_view kind;
    Block block;
    Rank contributor;
  };
  const auto gather = Collective::gather, reduce = Collective::reduce;
  const Case cases[] = {
      {gather, {put(0, 0), put(1, 1), put(2, 0), put(3, 3)}, Counterexample::WrongSource::kind, 2, 0},
      {gather, {put(0, 0), add(1, 3), put(1, 1), put(2, 2), put(3, 3)}, Counterexample::WrongSource::kind, 1, 1},
      {gather, {put(0, 0), put(1, 1), put(2, 2)}, Counterexample::Missing::kind, 3, 1},
      {reduce, {add(0, 2), add(0, 3), put(0, 0), add(1, 3), put(1, 1)}, Counterexample::WrongSource::kind, 0, 1},
  };
  for (const Case& wrong : cases) {
    CAPTURE(name(wrong.collective), wrong.block);
    const Report report = verify(at_root(wrong.collective, 2, 2, wrong.rest));
    const PropertyResult& once = result_of(report, "exactly-once");
    REQUIRE(once.verdict == Verdict::fail);
    CHECK(once.violations == 1);
    CHECK(once.counterexample->kind() == wrong.kind);
    CHECK(once.counterexample->block == wrong.block);
    CHECK(once.counterexample->facts().contributor == wrong.contributor);
  }
  const Program gathered = at_root(gather, 2, 2, {put(0, 0), put(1, 1), put(2, 2), put(3, 3)});
  const Report right = verify(gathered);
  CHECK(right.verdict == Verdict::pass);
  CHECK(right.metrics.term_depth == 0);
}

TEST_CASE("shares of several chunks go where the collective says") {
  for (const Collective collective : {Collective::alltoall, Collective::reduce_scatter, Collective::scatter}) {
    CAPTURE(name(collective));
    CHECK(verify(two_shares(collective)).verdict == Verdict::pass);
    Program wrong = two_shares(collective);
    append(wrong, {.rank = 1,
                   .instruction = Instruction::copy,
                   .source = one(Buffer::output, 0),
                   .target = one(Buffer::output, 1)});
    CHECK(verdict_of(verify(wrong), "exactly-once") == Verdict::fail);
  }
  Program program = two_shares(Collective::alltoall);
  append(
      program,
      {.rank = 1, .instruction = Instruction::copy, .source = one(Buffer::input, 0), .target = one(Buffer::output, 1)});
  const Report report = verify(program);
  REQUIRE(verdict_of(report, "exactly-once") == Verdict::fail);
  CHECK(result_of(report, "exactly-once").counterexample->block == 5);
  // Only the root of a scatter begins with data.
  program = two_shares(Collective::scatter);
  append(program, {.rank = 1,
                   .instruction = Instruction::copy,
                   .source = one(Buffer::input, 0),
                   .target = one(Buffer::scratch, 0)});
  const Report unset = verify(program);
  REQUIRE(verdict_of(unset, "well-formed") == Verdict::fail);
  CHECK(result_of(unset, "well-formed").counterexample->facts().slot == "i[0]");
}

TEST_CASE("a broadcast that mixes up its chunks is wrong") {
  auto broadcast = [](std::int32_t last) {
    Program program{
        .collective = Collective::broadcast, .ranks = 1, .chunks = 2, .buffers = {{.input = 2, .output = 2}}};
    for (const std::int32_t k : {0, last})
      append(program, {.rank = 0,
                       .instruction = Instruction::copy,
                       .source = one(Buffer::input, k),
                       .target = one(Buffer::output, k)});
    append(program, {.rank = 0,
                     .instruction = Instruction::copy,
                     .source = one(Buffer::input, last),
                     .target = one(Buffer::output, 1)});
    return verdict_of(verify(program), "exactly-once");
  };
  CHECK(broadcast(1) == Verdict::pass);
  CHECK(broadcast(0) == Verdict::fail);
}

TEST_CASE("of several chunks the one that isn't set is told, and overlapping ones have no meaning") {
  auto scratch = [](std::int32_t first, std::int32_t count) { return ChunkRange{Buffer::scratch, first, count}; };
  const ChunkRange input{Buffer::input, 0, 2}, output{Buffer::output, 0, 2};
  auto with = [&](std::int32_t set, Instruction instruction, ChunkRange source, ChunkRange target) {
    Program program{.chunks = 2, .buffers = {{.input = 2, .output = 2, .scratch = 4}}};
    append(program, {.rank = 0, .instruction = Instruction::copy, .source = input, .target = output});
    for (std::int32_t k = 0; k < set; ++k)
      append(program,
             {.rank = 0, .instruction = Instruction::copy, .source = one(Buffer::input, 0), .target = scratch(k, 1)});
    append(program, {.rank = 0, .instruction = instruction, .source = source, .target = target});
    return verify(program);
  };
  for (const Report& report :
       {with(1, Instruction::copy, scratch(0, 2), scratch(2, 2)), with(1, Instruction::reduce, input, scratch(0, 2))}) {
    const PropertyResult& well_formed = result_of(report, "well-formed");
    REQUIRE(well_formed.verdict == Verdict::fail);
    CHECK(well_formed.counterexample->kind() == unset_fault.name);
    CHECK(well_formed.counterexample->facts().slot == "s[1]");
    CHECK(well_formed.counterexample->facts().sites == std::vector<Counterexample::Site>{{0, 0, 2, 0}});
  }
  for (const auto& [from, to] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(0, 2), std::pair(2, 0)}) {
    CAPTURE(from, to);
    const Report report = with(4, Instruction::copy, scratch(from, 2), scratch(to, 2));
    const bool overlaps = from + to == 1;
    REQUIRE(report.verdict == (overlaps ? Verdict::fail : Verdict::pass));
    if (!overlaps) continue;
    const Counterexample& c = *result_of(report, "well-formed").counterexample;
    CHECK(c.kind() == range_fault_kind.name);
    CHECK(c.facts().sites == std::vector<Counterexample::Site>{{0, 0, 5, 0}});
  }
}

TEST_CASE("messages that are passed back need room for half of them, one way and the other") {
  for (const int messages : {1, 2, 3, 4, 7, 12}) {
    SmallMsccl file{.collective = "broadcast", .chunks = messages};
    SmallThread first{.send = 1, .recv = 1}, second{.send = 0, .recv = 0};
    for (int k = 0; k < messages; ++k) first.steps.push_back({.type = "s", .src = k, .dst = k});
    for (int k = 0; k < messages; ++k) first.steps.push_back({.type = "r", .src = k, .dst = k});
    for (int k = 0; k < messages; ++k) second.steps.push_back({.type = "rcs", .src = k, .dst = k});
    file.gpus = {{first}, {second}};
    const Program program = program_of(file.text());
    const auto enough = static_cast<std::uint32_t>(messages == 1 ? 0 : (messages + 1) / 2);
    CAPTURE(messages);
    CHECK(verify(program).program->fifo_depth == enough);
    CHECK(verdict_of(verify(program, {.fifo = enough}), "deadlock-free") == Verdict::pass);
    if (enough > 0) CHECK(verdict_of(verify(program, {.fifo = enough - 1}), "deadlock-free") == Verdict::fail);
  }
}

TEST_CASE("a circle of many waits is told to the fortieth, a short run of steps in full") {
  auto circle = [](int ranks, int copies) {
    SmallMsccl file;
    for (int r = 0; r < ranks; ++r) {
      SmallThread tb{.send = (r + 1) % ranks, .recv = (r + ranks - 1) % ranks};
      tb.steps.push_back({.type = "r"});
      for (int k = 0; k < copies; ++k) tb.steps.push_back({.type = "cpy"});
      tb.steps.push_back({.type = "s"});
      file.gpus.push_back({tb});
    }
    const Report report = verify(program_of(file.text()));
    const PropertyResult& deadlock = result_of(report, "deadlock-free");
    CHECK(deadlock.verdict == Verdict::fail);
    CHECK(deadlock.violations == 1);
    CHECK(describe(*deadlock.counterexample).back() == "deeper FIFOs don't help");
    return *deadlock.counterexample;
  };
  auto steps = [](const Counterexample& c) {
    std::vector<int> numbers;
    for (const auto& site : c.facts().sites) numbers.push_back(site.number);
    return numbers;
  };
  CHECK(describe(circle(20, 0)).size() == 42);
  const std::vector<std::string> large = describe(circle(21, 0));
  REQUIRE(large.size() == 43);
  CHECK(large.front() == "42 operations wait for each other in a circle");
  CHECK(large[41] == "and 2 more waits, back to the first");
  CHECK(steps(circle(2, 2)) == std::vector<int>{0, 3, 2, 1, 0, 3, 2, 1});
  CHECK(steps(circle(2, 3)) == std::vector<int>{0, 4, 1, 0, 4, 1});
}

TEST_CASE("a write waits for one of two reads, and races with the other") {
  Program program{.buffers = {{.input = 1, .output = 1, .scratch = 3}}, .threads_are_ordered = false};
  const ChunkRange input{Buffer::input, 0, 1}, used{Buffer::scratch, 0, 1};
  const Operation writer{.rank = 0, .instruction = Instruction::copy, .source = input, .target = used};
  auto reader = [&](int into) {
    return Operation{.rank = 0, .instruction = Instruction::copy, .source = used, .target = {Buffer::scratch, into, 1}};
  };
  program.initial_copies = {{0, input, used}};
  auto race = [&](std::vector<Operation> operations, std::vector<Dependency> dependencies) {
    program.operations = std::move(operations);
    program.dependencies = std::move(dependencies);
    return verdict_of(verify(program), "race-free");
  };
  CHECK(race({writer, reader(1), reader(2)}, {{2, 0}}) == Verdict::fail);
  CHECK(race({writer, reader(1), reader(2)}, {{1, 0}}) == Verdict::fail);
  CHECK(race({reader(1), reader(2), writer}, {{0, 2}}) == Verdict::fail);
  CHECK(race({reader(1), reader(2), writer}, {{1, 2}}) == Verdict::fail);
  CHECK(race({writer, reader(1), reader(2)}, {{1, 0}, {2, 0}}) == Verdict::pass);
  CHECK(race({reader(1), reader(2), writer}, {{0, 2}, {1, 2}}) == Verdict::pass);
}

TEST_CASE("too many operations that don't wait for each other don't pass") {
  for (const int count : {50, 9000}) {
    Program program{.buffers = {{.input = 1, .output = 1, .scratch = count}}, .threads_are_ordered = false};
    for (int k = 0; k < count; ++k)
      program.operations.push_back({.rank = 0,
                                    .instruction = Instruction::copy,
                                    .source = {Buffer::input, 0, 1},
                                    .target = {Buffer::scratch, k, 1}});
    CHECK(verdict_of(verify(program), "race-free") == (count == 50 ? Verdict::pass : Verdict::unknown));
  }
}

}  // namespace program_test
