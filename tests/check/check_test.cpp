// The second judge accepts what is right, and nothing else.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>

#include "agreement.h"
#include "check/certificate.h"
#include "formats/schedule_file.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "processor_time.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"
#include "verifier/certificate.h"
#include "written.h"

namespace check_test {

using namespace onceover::support;
using Kind = check::Outcome::Kind;

namespace {

std::string file_of(const Schedule& schedule) {
  return written([&](std::FILE* file) { return write_schedule(schedule, file); });
}

std::string certificate_of(const Schedule& schedule) {
  const Report report = verify(schedule, {.threads = 1});
  REQUIRE(no_certificate(schedule, report) == "");
  return written([&](std::FILE* file) { return write_certificate(schedule, report, file); });
}

check::Outcome judged(const std::string& schedule, const std::string& certificate) {
  return check::check_certificate({"s.json", schedule}, {"s.cert", certificate});
}

/// What the checker says of the schedule with the verifier's certificate.
check::Outcome certified(const Schedule& schedule) {
  return judged(file_of(schedule), certificate_of(schedule));
}

bool says(const check::Outcome& outcome, std::string_view verdict) {
  UNSCOPED_INFO(outcome.message);
  return outcome.kind == Kind::proved && outcome.message.starts_with(verdict);
}

/// Visits all that the catalogue has on a shape.
void for_each_schedule(const std::vector<Rank>& shape, const std::function<void(const Schedule&)>& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const bool all_lanes : {false, true}) {
        const Request request{collective, shape, all_lanes, {}};
        if (refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), shape_text(shape), all_lanes);
        visit(*row.make(request));
      }
}

/// Calls visit(text) for the text with each of its numbers changed in several ways.
void for_each_changed_number(const std::string& text, const std::function<void(const std::string&)>& visit) {
  auto is_digit = [&](std::size_t k) { return k < text.size() && text[k] >= '0' && text[k] <= '9'; };
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    for (end = begin; is_digit(end);) ++end;
    if (begin == end) continue;
    const long value = std::stol(text.substr(begin, end - begin));
    for (const long other : {value + 1, value - 1, value + 7, 0L, 1000000L}) {
      if (other < 0 || other == value) continue;
      std::string changed = text;
      visit(changed.replace(begin, end - begin, std::to_string(other)));
    }
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Is what a certificate of a fail says so? Judged by the reference engine.
bool is_true(const std::string& fail, const reference::Outcome& truth, const Header& header) {
  int block = 0, rank = 0, contributor = 0;
  unsigned long times = 0;
  const std::size_t line = fail.find("wrong block");
  if (line == std::string::npos) return !truth.well_formed;
  REQUIRE(std::sscanf(fail.c_str() + line, "wrong block %d rank %d contributor %d times %lu", &block, &rank,
                      &contributor, &times) == 4);
  const auto& value = truth.final_values[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
  return truth.block_is_defined[static_cast<std::size_t>(block)] && reference::must_hold(header, rank, block) &&
         times == (value ? (*value)[static_cast<std::size_t>(contributor)] : 0) &&
         times != reference::wanted(header, contributor, block);
}

SchedulePtr generalized(Rank p, int removed) {
  const Algorithm& row = *find_algorithm("generalized");
  const Request request{Collective::allreduce, {p}, false, {{"removed-steps", std::to_string(removed)}}};
  REQUIRE_FALSE(refusal(row, request));
  return row.make(request);
}

/// A reduction whose two blocks use one scratch block, one after the other.
const std::string shared = R"({"format":"onceover-schedule","version":2,"collective":"reduce","ranks":2,"blocks":2,
"scratch":1,"steps":[[{"src":1,"dst":0,"blocks":[0],"into":[2],"op":"copy"}],
[{"src":0,"dst":0,"blocks":[2],"into":[0],"op":"reduce"}],
[{"src":1,"dst":0,"blocks":[1],"into":[2],"op":"copy"}],
[{"src":0,"dst":0,"blocks":[2],"into":[1],"op":"reduce"}]]})";
// Ranks 0 and 1 are the cells 0 and 1 of the block itself, 2 and 3 of the other block, 4 and 5 of the scratch.
const std::string proof_of_shared =
    "onceover-certificate 2\ncollective reduce\nranks 2\nblocks 2\nverdict pass\n"
    "block 0 moves 4\nholds 0=0.0\nblock 1 moves 4\nholds 0=0.0\n";

const std::string chain = R"({"format":"onceover-schedule","version":1,"collective":"reduce","ranks":3,"blocks":1,
"steps":[[{"src":2,"dst":1,"blocks":[0],"op":"reduce"}],[{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]]})";
const std::string proof_of_chain =
    "onceover-certificate 2\ncollective reduce\nranks 3\nblocks 1\nverdict pass\n"
    "block 0 moves 2\nholds 0=0.0\n";

}  // namespace

TEST_CASE("all of the catalogue is certified and checked, p = 1..16") {
  int count = 0;
  for (Rank p = 1; p <= 16; ++p)
    for_each_schedule({p}, [&](const Schedule& schedule) {
      // What is wrong as printed is in the catalogue, too.
      const bool passes = verify(schedule, {.threads = 1}).verdict == Verdict::pass;
      REQUIRE(says(certified(schedule), passes ? "pass: " : "fail: "));
      ++count;
    });
  REQUIRE(count > 500);
}

TEST_CASE("all of the catalogue is certified and checked on tori, with all lanes") {
  const std::vector<std::vector<Rank>> tori{{2, 2}, {2, 3}, {4, 4}, {3, 5}, {2, 2, 3}, {4, 6}, {2, 4, 3}};
  for (const auto& shape : tori)
    for_each_schedule(shape, [](const Schedule& schedule) {
      const bool passes = verify(schedule, {.threads = 1}).verdict == Verdict::pass;
      REQUIRE(says(certified(schedule), passes ? "pass: " : "fail: "));
    });
}

TEST_CASE("collectives that the catalogue doesn't have are certified and checked") {
  PlainSchedule gather{{.collective = Collective::gather, .ranks = 3, .blocks = 3, .root = 1}, {{}}};
  for (const Rank r : {0, 2}) gather.steps[0].push_back({r, 1, {r}, Op::copy});
  REQUIRE(says(certified(*listed(gather)), "pass: "));
  PlainSchedule scatter{{.collective = Collective::scatter, .ranks = 3, .blocks = 3, .owners = {1, 2, 0}, .root = 2},
                        {{}}};
  scatter.steps[0] = {{2, 1, {0}, Op::copy}, {2, 0, {2}, Op::copy}};
  REQUIRE(says(certified(*listed(scatter)), "pass: "));
  PlainSchedule alltoall{{.collective = Collective::alltoall, .ranks = 3, .blocks = 18}, {{}}};
  for (Rank s = 0; s < 3; ++s)
    for (Rank d = 0; d < 3; ++d)
      if (s != d) alltoall.steps[0].push_back({s, d, {3 * s + d, 9 + 3 * s + d}, Op::copy});
  REQUIRE(says(certified(*listed(alltoall)), "pass: "));
  alltoall.steps[0].pop_back();
  REQUIRE(says(certified(*listed(alltoall)), "fail: "));
}

TEST_CASE("schedules with scratch are certified and checked") {
  for (Rank p = 2; p <= 20; ++p)
    for (int removed = 0; removed <= ceil_log2(p); ++removed)
      REQUIRE(says(certified(*generalized(p, removed)), "pass: "));
  const SchedulePtr read = *read_schedule("s.json", shared);
  CHECK(certificate_of(*read) == proof_of_shared);
  CHECK(says(judged(shared, proof_of_shared), "pass: "));
}

TEST_CASE("what is wrong with schedules with scratch is certified and checked") {
  auto outcome = [](const std::string& file) { return certified(**read_schedule("s.json", file)); };
  auto is_wrong = [&](const std::string& from, const std::string& to, const std::string& message) {
    CHECK(says(outcome(replaced(shared, from, to)), message));
  };
  is_wrong(R"([{"src":1,"dst":0,"blocks":[1])", R"([{"src":1,"dst":0,"blocks":[0])",
           "fail: block 1: rank 0 ends with the contribution of 1 to block 0 1 times");
  is_wrong(R"("blocks":[2],"into":[0])", R"("blocks":[2],"into":[2])",
           "fail: block 2: self-transfer at rank 0 in step 1");
  is_wrong(R"({"src":0,"dst":0,"blocks":[2],"into":[0],"op":"reduce"})",
           R"({"src":0,"dst":1,"blocks":[2],"into":[2],"op":"reduce"})",
           "fail: block 2: nothing-held at rank 1 in step 1");
  is_wrong(R"("into":[0],"op":"reduce"}])", R"("into":[0],"op":"reduce"},{"src":1,"dst":0,"blocks":[0],"op":"copy"}])",
           "fail: block 0: conflict at rank 0 in step 1");
}

TEST_CASE("scratch that nothing promised flows into or out of belongs to block 0") {
  const std::string with_more = replaced(replaced(shared, "\"scratch\":1", "\"scratch\":3"), "]]}",
                                         R"(],[{"src":0,"dst":1,"blocks":[3],"into":[4],"op":"copy"}]]})");
  CHECK(says(certified(**read_schedule("s.json", with_more)), "fail: block 3: nothing-held at rank 0 in step 4"));
  CHECK(judged(with_more, proof_of_shared).kind == Kind::unproven);
}

TEST_CASE("mutants of schedules with scratch are judged alike") {
  Mutator mutator(31);
  int fails = 0;
  for (const SchedulePtr& schedule : {*read_schedule("s.json", shared), generalized(5, 1), generalized(6, 2)}) {
    const std::string pass = certificate_of(*schedule);
    for (int k = 0; k < 500; ++k) {
      const SchedulePtr mutant = listed(mutator.mutant_of(plain(*schedule)));
      const std::string file = file_of(*mutant), own = certificate_of(*mutant);
      const bool is_right = verify(*mutant, {.threads = 1}).verdict == Verdict::pass;
      CAPTURE(file, own, pass);
      REQUIRE(says(judged(file, own), is_right ? "pass: " : "fail: "));
      if (is_right) continue;
      ++fails;
      REQUIRE_FALSE(says(judged(file, pass), "pass"));
    }
  }
  REQUIRE(fails > 1000);
}

TEST_CASE("a certificate of a pass with scratch, with any number changed, proves nothing") {
  std::vector<std::pair<std::string, std::string>> files{{shared, proof_of_shared}};
  for (const auto& schedule : {generalized(5, 1), generalized(7, 2)})
    files.emplace_back(file_of(*schedule), certificate_of(*schedule));
  for (const auto& [file, proof] : files)
    for_each_changed_number(proof, [&, &file = file](const std::string& changed) {
      CAPTURE(file, changed);
      REQUIRE(judged(file, changed).kind != Kind::proved);
    });
}

namespace {

void change_scratch(bool all) {
  int passes = 0, fails = 0;
  // The checker passes over shapes.
  auto without_shape = [](const Schedule& schedule, const std::string& shape) {
    return replaced(file_of(schedule), shape, "");
  };
  std::vector<std::string> files{shared};
  if (all) {
    files.push_back(without_shape(*generalized(5, 1), "\"shape\":[5],"));
    files.push_back(without_shape(*generalized(6, 2), "\"shape\":[6],"));
  }
  for (const std::string& file : files)
    for_each_changed_number(file, [&](const std::string& changed) {
      const auto read = read_schedule("s.json", changed);
      CAPTURE(changed);
      if (!read) {
        REQUIRE(judged(changed, proof_of_shared).kind == Kind::malformed);
        return;
      }
      const bool is_right = verify(**read, {.threads = 1}).verdict == Verdict::pass;
      REQUIRE(says(judged(changed, certificate_of(**read)), is_right ? "pass: " : "fail: "));
      ++(is_right ? passes : fails);
    });
  CHECK(passes > (all ? 10 : 0));
  CHECK(fails > (all ? 500 : 10));
}

int count_changed_certificates(const std::vector<Rank>& sizes) {
  int count = 0;
  for (const Rank p : sizes)
    for_each_schedule({p}, [&](const Schedule& schedule) {
      if (verify(schedule, {.threads = 1}).verdict != Verdict::pass) return;
      const std::string file = file_of(schedule);
      for_each_changed_number(certificate_of(schedule), [&](const std::string& changed) {
        CAPTURE(file, changed);
        REQUIRE(judged(file, changed).kind != Kind::proved);
        ++count;
      });
    });
  return count;
}

}  // namespace

TEST_CASE("a small schedule with scratch and any number changed is judged as the verifier judges it") {
  change_scratch(false);
}

TEST_CASE("a schedule with scratch and any number changed is judged as the verifier judges it", "[long]") {
  change_scratch(true);
}

TEST_CASE("a certificate of a small pass with any number changed proves nothing") {
  REQUIRE(count_changed_certificates({1, 3}) > 1000);
}

TEST_CASE("a certificate of a pass with any number changed proves nothing", "[long]") {
  REQUIRE(count_changed_certificates({1, 3, 4, 6}) > 10000);
}

TEST_CASE("mutants are judged alike, and none passes with the certificate of what it was") {
  Mutator mutator(10);
  int fails = 0;
  for (const Rank p : {3, 4, 6, 8})
    for_each_schedule({p}, [&](const Schedule& schedule) {
      if (verify(schedule, {.threads = 1}).verdict != Verdict::pass) return;
      const PlainSchedule original = plain(schedule);
      const std::string pass = certificate_of(schedule);
      for (int k = 0; k < 6; ++k) {
        const SchedulePtr mutant = listed(mutator.mutant_of(original));
        const std::string file = file_of(*mutant);
        const bool passes = verify(*mutant, {.threads = 1}).verdict == Verdict::pass;
        const std::string own = certificate_of(*mutant);
        CAPTURE(file, own, pass);
        REQUIRE(says(judged(file, own), passes ? "pass: " : "fail: "));
        if (passes) continue;
        ++fails;
        REQUIRE_FALSE(says(judged(file, pass), "pass"));
      }
    });
  REQUIRE(fails > 600);
}

TEST_CASE("a certificate of a fail with any number changed is rejected, or true as well") {
  Mutator mutator(12);
  int rejected = 0;
  for (const Rank p : {3, 5})
    for_each_schedule({p}, [&](const Schedule& schedule) {
      if (verify(schedule, {.threads = 1}).verdict != Verdict::pass) return;
      const SchedulePtr mutant = listed(mutator.mutant_of(plain(schedule)));
      if (verify(*mutant, {.threads = 1}).verdict != Verdict::fail) return;
      const std::string file = file_of(*mutant);
      const reference::Outcome truth = reference::execute(*mutant);
      for_each_changed_number(certificate_of(*mutant), [&](const std::string& changed) {
        CAPTURE(file, changed);
        if (judged(file, changed).kind == Kind::proved)
          REQUIRE(is_true(changed, truth, mutant->header()));
        else
          ++rejected;
      });
    });
  REQUIRE(rejected > 500);
}

TEST_CASE("a right schedule has no certificate of a fail") {
  const std::string head = "onceover-certificate 2\ncollective reduce\nranks 3\nblocks 1\nverdict fail\n";
  for (const char* kind : {"nothing-held", "conflict", "self-transfer"})
    for (const char* rank : {"0", "1", "2"})
      for (const char* step : {"0", "1", "2"})
        REQUIRE(judged(chain, head + kind + " block 0 rank " + rank + " step " + step + "\n").kind == Kind::unproven);
  for (const char* rank : {"0", "1", "2", "3"})
    for (const char* contributor : {"0", "1", "2", "3", "4", "4294967296"})
      for (const char* times : {"0", "1", "2"})
        REQUIRE(judged(chain,
                       head + "wrong block 0 rank " + rank + " contributor " + contributor + " times " + times + "\n")
                    .kind == Kind::unproven);
}

TEST_CASE("names of sums don't depend on the order of the ranks in a step") {
  // Ranks 2 and 0 get the same sum; the file lists 2 first.
  const std::string file = R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":3,"blocks":1,
"steps":[[{"src":0,"dst":2,"blocks":[0],"op":"reduce"},{"src":2,"dst":0,"blocks":[0],"op":"reduce"}],
[{"src":1,"dst":2,"blocks":[0],"op":"reduce"},{"src":0,"dst":1,"blocks":[0],"op":"reduce"},
{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]]})";
  const std::string proof =
      "onceover-certificate 2\ncollective allreduce\nranks 3\nblocks 1\nverdict pass\n"
      "block 0 moves 5\nagain 2.0=0.0 1.0=0.1 2.1=0.1\nholds 0..2=0.1\n";
  CHECK(certificate_of(**read_schedule("s.json", file)) == proof);
  CHECK(says(judged(file, proof), "pass: "));
  for_each_changed_number(proof, [&](const std::string& changed) {
    CAPTURE(changed);
    REQUIRE(judged(file, changed).kind != Kind::proved);
  });
}

TEST_CASE("messages say where") {
  auto message = [](const std::string& certificate) { return judged(chain, certificate).message; };
  REQUIRE(message(proof_of_chain) == "pass: each contribution once, in each of 1 blocks");
  REQUIRE(message(replaced(proof_of_chain, "moves 2", "moves 3")) == "s.cert:6:16: this should be 2");
  for (const char* other : {"=1.0", "=0.1", "=0", "=4"})
    REQUIRE(message(replaced(proof_of_chain, "=0.0", other)) ==
            fmt::format("s.cert:7:{}: the rank ends with another value", 8 + std::string(other).size()));
  const auto with_again = [&](const std::string& names) {
    return message(replaced(proof_of_chain, "holds", "again" + names + "\nholds"));
  };
  REQUIRE(with_again(" 0.0=1.0") == "s.cert:8:1: block 0: wrong sum at rank 0 in step 1");
  REQUIRE(with_again(" 1.0=0.0") == "s.cert:8:1: block 0: wrong sum at rank 1 in step 0");
  REQUIRE(with_again(" 2.0=0.0") == "s.cert:8:1: the block has no sum of one of these names");
  REQUIRE(with_again(" 0.0=1.0 0.0=1.0") == "s.cert:7:22: this sum has a name already");
  REQUIRE(message(replaced(proof_of_chain, "verdict pass", "verdict maybe")) == "s.cert:5:1: expected 'verdict fail'");
  REQUIRE(message(proof_of_chain + "more") == "s.cert:8:1: expected the end of the certificate");
  REQUIRE(judged(replaced(chain, "\"op\"", "\"oq\""), proof_of_chain).message == "s.json:2:46: unknown key");
  REQUIRE(judged(replaced(chain, "\"ranks\":3", "\"ranks\":2"), proof_of_chain).message ==
          "s.json:2:18: expected a whole number from 0 to 1");
}

TEST_CASE("half a file proves nothing") {
  for (std::size_t k = 0; k < proof_of_chain.size(); ++k)
    REQUIRE(judged(chain, proof_of_chain.substr(0, k)).kind != Kind::proved);
  for (std::size_t k = 0; k < chain.size(); ++k)
    REQUIRE(judged(chain.substr(0, k), proof_of_chain).kind == Kind::malformed);
}

TEST_CASE("files that the verifier refuses are refused") {
  auto is_refused = [](const std::string& file) {
    CAPTURE(file);
    REQUIRE_FALSE(read_schedule("s.json", file).has_value());
    REQUIRE(judged(file, proof_of_chain).kind == Kind::malformed);
  };
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":0"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":03"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":3.0"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":3e0"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":-3"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":99999999999999999999"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":3,\"ranks\":3"));
  is_refused(replaced(chain, "\"ranks\":3", "\"ranks\":3,\"owners\":[0,1]"));
  is_refused(replaced(chain, "\"version\":1", "\"version\":3"));
  is_refused(replaced(chain, "\"version\":1", "\"version\":1,\"scratch\":1"));
  is_refused(replaced(chain, "[0]", "[0],\"into\":[0]"));
  is_refused(replaced(shared, "\"scratch\":1", "\"scratch\":0"));
  is_refused(replaced(shared, "\"scratch\":1", "\"scratch\":268435455"));
  is_refused(replaced(shared, "[2]", "[]"));
  is_refused(replaced(shared, "[2]", "[1,2]"));
  is_refused(replaced(shared, "\"blocks\":[0]", "\"blocks\":[0,1]"));
  is_refused(replaced(replaced(shared, "\"blocks\":[0]", "\"blocks\":[0,1]"), "[2]", "[2,2]"));
  is_refused(replaced(chain, "\"reduce\"", "\"reduces\""));
  is_refused(replaced(chain, "\"reduce\"", "\"alltoall\""));
  is_refused(replaced(chain, "[0]", "[]"));
  is_refused(replaced(chain, "[0]", "[0,0]"));
  is_refused(replaced(chain, "[0]", "[0,[0,0]]"));
  is_refused(replaced(chain, "[0]", "[[0,0,0]]"));
  is_refused(replaced(chain, "[0]", "[[[0,0]]]"));
  is_refused(replaced(chain, "[0]", "[1]"));
  is_refused(replaced(chain, "[0]", "[0],\"x\":1"));
  is_refused(replaced(chain, "[0]", "[0],\"lane\":1024"));
  is_refused(replaced(chain, "\"src\":2,", ""));
  is_refused(replaced(chain, "]]}", "]],}"));
  is_refused(chain + "{}");
}

TEST_CASE("sizes may stand after what they bound, and spaces anywhere") {
  const std::string late = R"( { "steps" : [ [ { "src":2, "dst":1, "blocks":[ [0 , 0] ], "op":"reduce", "lane":3 } ],
    [ { "op":"reduce", "blocks":[0], "dst":0, "src":1 } ] ], "shape":[3], "algorithm":"a\"b", "root":0,
    "blocks":1, "ranks":3, "collective":"reduce", "version":1, "$schema":"a.json", "format":"onceover-schedule" } )";
  REQUIRE(read_schedule("s.json", late).has_value());
  REQUIRE(says(judged(late, proof_of_chain), "pass"));
}

TEST_CASE("random changes of both files prove nothing that isn't so") {
  std::mt19937 random(3);
  const std::string swing = file_of(*find_algorithm("swing")->make(on_line(Collective::allreduce, 4)));
  const std::string proof = certificate_of(*find_algorithm("swing")->make(on_line(Collective::allreduce, 4)));
  auto change = [&](std::string text) {
    for (auto k = random() % 3 + 1; k > 0; --k) text[random() % text.size()] = "0123456789=>.\n []\"x"[random() % 19];
    return text;
  };
  for (int k = 0; k < 20000; ++k) {
    const std::string file = random() % 2 == 0 ? swing : change(swing);
    const std::string certificate = random() % 4 == 0 ? proof : change(proof);
    if (!says(judged(file, certificate), "pass")) continue;
    CAPTURE(file, certificate);
    const auto read = read_schedule("s.json", file);
    REQUIRE(read.has_value());
    REQUIRE(verify(**read, {.threads = 1}).verdict == Verdict::pass);
  }
}

TEST_CASE("large sizes in small files cost nothing") {
  std::string file = R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":16777216,
"blocks":268435456,"steps":[)";
  for (int k = 0; k < 1000; ++k)
    file += std::string(k == 0 ? "" : ",") + R"([{"src":0,"dst":1,"blocks":[[0,268435455]],"op":"reduce"}])";
  file += "]}";
  const std::string head = "onceover-certificate 2\ncollective allreduce\nranks 16777216\nblocks 268435456\nverdict ";
  const double begin = onceover::support::processor_seconds();
  REQUIRE(judged(file, head + "pass\nblock 0 moves 1000\nholds 0..16777215=0\n").kind == Kind::unproven);
  REQUIRE(says(judged(file, head + "fail\nwrong block 268435455 rank 1 contributor 0 times 1000\n"), "fail"));
  REQUIRE(judged(std::string(1 << 20, '['), head).kind == Kind::malformed);
  REQUIRE(onceover::support::processor_seconds() - begin < 20);  // hours, if they were worked through
}

TEST_CASE("hostile files with scratch cost little") {
  auto file = [](const std::string& sizes, const std::string& blocks) {
    return R"({"format":"onceover-schedule","version":2,"collective":"allreduce",)" + sizes +
           R"(,"steps":[[{"src":0,"dst":1,"op":"copy",)" + blocks + "}]]}";
  };
  const std::string large = R"("ranks":16777216,"blocks":1000000,"scratch":1000000)";
  const std::string head =
      "onceover-certificate 2\ncollective allreduce\nranks 16777216\nblocks 1000000\nverdict fail\n";
  const double begin = onceover::support::processor_seconds();
  // A chain of all blocks in one group.
  const std::string in_chain = file(large, R"("blocks":[[0,1999998]],"into":[[1,1999999]])");
  CHECK(judged(in_chain, head + "conflict block 0 rank 1 step 0\n").kind == Kind::malformed);
  CHECK_FALSE(read_schedule("s.json", in_chain).has_value());
  const std::string apart = file(large, R"("blocks":[[0,999999]],"into":[[1000000,1999999]])");
  CHECK(says(judged(apart, head + "wrong block 7 rank 0 contributor 1 times 0\n"), "fail"));
  CHECK(onceover::support::processor_seconds() - begin < 60);  // minutes, if they were worked through
}

TEST_CASE("without a verdict there is no certificate") {
  const SchedulePtr ring = find_algorithm("ring")->make(on_line(Collective::allreduce, 4));
  CHECK(no_certificate(*ring, verify(*ring, {.budget = 1})) == "there is no verdict on exactly-once");
  CHECK(no_certificate(*ring, verify(*ring)) == "");
}

}  // namespace check_test
