// Programs: what is said of them agrees with an interpreter that tries all orders.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agreement.h"
#include "program_agreement.h"
#include "reference_interpreter.h"
#include "schedules/catalogue.h"
#include "schedules/lowering.h"
#include "schedules/msccl_reader.h"
#include "schedules/single_chunks.h"
#include "small_msccl.h"
#include "verifier/verify_program.h"

using namespace onceover;

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

TEST_CASE("mutants of small allreduces are judged as the interpreter judges them", "[slow]") {
  std::mt19937 random(7);
  Tally tally;
  for (const SmallMsccl& base :
       {small_ring(2), small_ring(3), small_split_ring(2), small_split_ring(3), small_pairs(2)})
    for (int k = 0; k < 120; ++k) {
      SmallMsccl file = changed(base, random);
      if (k % 3 == 0) file = changed(std::move(file), random);
      compare(file, tally);
    }
  CHECK(tally.judged > 200);
  CHECK(tally.passed > 0);
  CHECK(tally.passed < tally.judged);
  CHECK(tally.too_large < tally.judged / 10);
  for (const int seen : {tally.stuck, tally.racing, tally.wrong}) CHECK(seen > 10);
}

TEST_CASE("random programs are judged as the interpreter judges them") {
  std::mt19937 random(11);
  Tally tally;
  for (int k = 0; k < 1500; ++k) {
    SmallMsccl file = random_msccl(random);
    compare(file, tally);
    compare(changed(std::move(file), random), tally);
  }
  CHECK(tally.judged > 1000);
  CHECK(tally.too_large < tally.judged / 10);
  for (const int seen : {tally.stuck, tally.racing, tally.wrong, tally.uneven}) CHECK(seen > 10);
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

TEST_CASE("every published file gets its verdict") {
  const std::string folder = std::string(ONCEOVER_TEST_DATA) + "/corpus";
  int files = 0, passed = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    ++files;
    const std::string name = entry.path().filename().string();
    INFO(name);
    const auto program = read_msccl(name, file_text(entry.path().string()));
    if (name == "swing_latency.xml" || name == "allreduce_binary_tree_p_Simple_gpu64_ins1.xml") {
      CHECK(!program);
      continue;
    }
    REQUIRE(program);
    const Report report = verify(*program);
    const bool is_wrong = name == "ar_ll.3c7182d.xml";
    CHECK(report.verdict == (is_wrong ? Verdict::fail : Verdict::pass));
    CHECK(verdict_of(report, "deadlock-free") == Verdict::pass);
    CHECK(verdict_of(report, "race-free") == Verdict::pass);
    const bool is_one_sum = is_wrong || name == "allreduce-1step-4n-ll-1pass.xml";
    CHECK(verdict_of(report, "bitwise-reproducible") == (is_one_sum ? Verdict::fail : Verdict::pass));
    if (report.verdict == Verdict::pass) ++passed;
  }
  CHECK(files == 19);
  CHECK(passed == 16);
}

TEST_CASE("the withdrawn allreduce makes different sums on different ranks") {
  const auto text = file_text(std::string(ONCEOVER_TEST_DATA) + "/corpus/ROCm+rccl/allreduce-1step-4n-ll-1pass.xml");
  const Report report = verify(program_of(text), {.required = {"bitwise-reproducible"}});
  CHECK(report.verdict == Verdict::fail);
  const auto& c = *result_of(report, "bitwise-reproducible").counterexample;
  CHECK(c.shown.size() == 2);
  CHECK(c.shown[0] != c.shown[1]);
  CHECK(c.sites.size() == 2);
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
  CHECK(result_of(report, "deadlock-free").counterexample->kind == Counterexample::Kind::starved);
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
  CHECK(well_formed.counterexample->kind == Counterexample::Kind::unset);
  CHECK_FALSE(well_formed.counterexample->has_block());
  CHECK(well_formed.counterexample->told.back() == "that is so out of place");
}

TEST_CASE("a sum across a gap is told with both of its sides") {
  const Report report = verify(program_of(small_pairs(3).text()));
  const auto& c = *result_of(report, "order-preserving").counterexample;
  CHECK(c.kind == Counterexample::Kind::gap);
  CHECK(c.told ==
        std::vector<std::string>{"block 0: rank 2, thread block 0, step 3 (line 33) joins rank 0 with rank 2, "
                                 "which are no neighbours"});
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
  CHECK(verify(program_of(exchange(1))).scope == "every chunk");
  const Program program = program_of(exchange(64));
  const Report report = verify(program);
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.scope == "every chunk, messages whole and in single chunks");
  CHECK(result_of(report, "deadlock-free").summary ==
        "ends with FIFOs of 1 message; less doesn't suffice; with messages in single chunks, which doesn't weigh, only "
        "with FIFOs of 64 messages or more");
  CHECK(result_of(verify(program, {.fifo = 64}), "deadlock-free").summary ==
        "ends with FIFOs of 64 messages; FIFOs of 1 message suffice");
  CHECK(verify(program, {.budget = 300}).verdict == Verdict::unknown);
}

TEST_CASE("what can't be judged in single chunks doesn't pass") {
  const Report report = verify(program_of(exchange(1 << 19)));
  CHECK(verdict_of(report, "well-formed") == Verdict::pass);
  CHECK(report.verdict == Verdict::unknown);
  for (const char* id : {"exactly-once", "deadlock-free", "race-free"}) {
    const PropertyResult& unjudged = result_of(report, id);
    CHECK(unjudged.verdict == Verdict::unknown);
    CHECK(unjudged.summary.substr(0, 42) == "not judged with messages in single chunks,");
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
  CHECK(race.counterexample->told.back() == "that is so with messages in single chunks");
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
  loose.orders.clear();
  CHECK(verdict_of(verify(loose), "race-free") == Verdict::fail);
  Program begun = program;
  for (Order& order : begun.orders) order.on_start = true;
  CHECK(verdict_of(verify(begun), "race-free") == Verdict::fail);
}

TEST_CASE("an operation that waits for the start of the one before it races with it") {
  Program program{.buffers = {{.input = 1, .output = 1, .scratch = 1}}, .threads_are_ordered = false};
  const Slots input{Buffer::input, 0, 1}, output{Buffer::output, 0, 1}, scratch{Buffer::scratch, 0, 1};
  program.operations = {{.rank = 0, .act = Act::copy, .source = input, .target = scratch},
                        {.rank = 0, .act = Act::copy, .source = scratch, .target = output}};
  for (const bool on_start : {false, true}) {
    program.orders = {{0, 1, on_start}};
    CHECK(verdict_of(verify(program), "race-free") == (on_start ? Verdict::fail : Verdict::pass));
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
  const auto& c = *result_of(report, "deadlock-free").counterexample;
  CHECK(c.told.front() == "402 operations wait for each other in a circle");
  CHECK(c.told.size() < 12);
  CHECK(std::count_if(c.told.begin(), c.told.end(), [](const std::string& line) {
          return line.find(" more in thread block 0, each after the one before ...") != std::string::npos;
        }) == 2);
  CHECK(c.told.back() == "it ends with FIFOs of 2 messages or more (--fifo 2)");
}
