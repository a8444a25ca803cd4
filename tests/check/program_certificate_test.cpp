// verify-check accepts the certificates of MSCCL XML and GOAL files that pass, and no others.

#include "programs/program_certificate.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "check/certificate.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "programs/verify_program.h"
#include "small_msccl.h"

namespace program_certificate_test {

using namespace onceover::programs;
using namespace onceover::support;
using Kind = check::Outcome::Kind;

namespace {

/// A file that is judged: GOAL, or MSCCL XML on a runtime.
struct JudgedFile {
  std::string text;
  bool passes = false;
  tl::expected<std::string, std::string> certificate = tl::unexpected(std::string("it isn't read"));
};

JudgedFile judged_msccl(const std::string& text, const std::string& profile = "") {
  JudgedFile file{text};
  auto program = read_msccl("p", text);
  if (!program) return file;
  if (!profile.empty()) set_profile(*program, *find_msccl_profile(profile));
  file.passes = verify(*program).verdict == Verdict::pass;
  file.certificate = program_certificate(*program, std::nullopt);
  return file;
}

JudgedFile judged_goal(const std::string& text, Depth fifo = {}) {
  JudgedFile file{text};
  const auto goal = read_goal("p", text);
  if (!goal) return file;
  file.passes = verify(*goal, {.fifo = fifo}).verdict == Verdict::pass;
  file.certificate = program_certificate(*goal, fifo);
  return file;
}

check::Outcome judged(const std::string& program, const std::string& certificate) {
  return check::check_certificate({"p", program}, {"p.cert", certificate});
}

std::string data_text(const std::string& name) {
  std::ifstream file(std::string(ONCEOVER_TEST_DATA) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Two ranks add up halves, in several chunks; on each, one thread block sends what another has received.
SmallMsccl small_relay(const std::string& protocol) {
  SmallMsccl file = small_split_ring(3);
  file.protocol = protocol;
  return file;
}

/// Rank 1 sums up what rank 0 sends in two runs, and cuts it elsewhere.
const std::string goal_of_runs =
    "num_ranks 2\n/* onceover 1 collective=reduce chunks=3 root=1 in-place=1 */\n"
    "rank 0 {\n/* input=3 output=3 scratch=0 */\n/* blocks=o0,o1-2 */\na: send 12b to 1 tag 5\n}\n"
    "rank 1 {\n/* input=3 output=3 scratch=3 */\n/* blocks=s0-1,s2 op=copy */\nb: recv 12b from 0 tag 5\n"
    "/* blocks=o0-2 op=sum from=s0-2 */\nc: calc 0\nc requires b\n}\n";

const std::string goal_without_data =
    "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 1\nb: send 9b to 1 tag 1\nb requires a\n}\n"
    "rank 1 {\na: recv 8b from 0 tag 1\nb: recv 9b from 0 tag 1\nb requires a\nc: calc 5\nc irequires b\n}\n";

/// Files that pass, with their certificates.
std::vector<JudgedFile> passing_files() {
  std::vector<JudgedFile> files{judged_goal(goal_of_runs),
                                judged_goal(goal_without_data),
                                judged_goal(data_text("goal/ring.goal")),
                                judged_msccl(small_pairs(2).text()),
                                judged_msccl(data_text("msccl/uneven.xml")),
                                judged_msccl(data_text("msccl/alltoall.xml")),
                                judged_msccl(data_text("../../examples/early-send.xml"), "azure")};
  for (const char* protocol : {"Simple", "LL", "LL128"}) files.push_back(judged_msccl(small_relay(protocol).text()));
  return files;
}

/// Drops, changes or swaps a line, or changes a digit.
std::string changed_goal(std::string text, std::mt19937& random) {
  std::size_t at = text.find_first_of("0123456789", random() % text.size());
  if (random() % 3 == 0) at = text.rfind('\n', random() % text.size());
  if (at == std::string::npos) return text;
  if (text[at] == '\n') return text.erase(at, text.find('\n', at + 1) - at);
  text[at] = static_cast<char>('0' + random() % 5);
  return text;
}

struct MutantTally {
  std::size_t proved = 0, refused = 0, foreign = 0;

  /// `original` is the certificate of a file that passes.
  void take(const JudgedFile& mutant, const std::string& original) {
    CAPTURE(mutant.text);
    if (mutant.certificate) {
      const check::Outcome outcome = judged(mutant.text, *mutant.certificate);
      CAPTURE(outcome.message, *mutant.certificate);
      const bool is_proved = outcome.kind == Kind::proved;
      if (!mutant.passes) REQUIRE(!is_proved);
      ++(is_proved ? proved : refused);
    }
    if (mutant.passes) return;
    ++foreign;
    REQUIRE(judged(mutant.text, original).kind != Kind::proved);
  }
};

}  // namespace

TEST_CASE("program certificates: those of programs that pass are accepted") {
  for (const JudgedFile& file : passing_files()) {
    CAPTURE(file.text, file.certificate ? *file.certificate : file.certificate.error());
    REQUIRE(file.passes);
    REQUIRE(file.certificate);
    const check::Outcome outcome = judged(file.text, *file.certificate);
    CAPTURE(outcome.message);
    CHECK(outcome.kind == Kind::proved);
  }
}

TEST_CASE("program certificates: each line and each claim counts") {
  std::size_t claims = 0;
  for (const JudgedFile& file : passing_files()) {
    std::vector<std::string> lines;
    std::istringstream in(*file.certificate);
    for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
    const auto judged_with = [&](std::size_t k, const std::string& instead) {
      std::string text;
      for (std::size_t j = 0; j < lines.size(); ++j) text += j == k ? instead : lines[j];
      return judged(file.text, text).kind;
    };
    const std::size_t by = lines.size() / 100 + 1;
    for (std::size_t k = 1; k < lines.size(); k += by) {
      CAPTURE(k, lines[k]);
      REQUIRE(judged_with(k, "") != Kind::proved);
      REQUIRE(judged_with(k, lines[k] + lines[k]) != Kind::proved);
      for (std::size_t colon = lines[k].find(':'); colon != std::string::npos; colon = lines[k].find(':', colon + 1)) {
        ++claims;
        REQUIRE(judged_with(k, std::string(lines[k]).insert(colon + 1, "9")) != Kind::proved);
      }
    }
  }
  CHECK(claims > 20);
}

TEST_CASE("program certificates: without what a thread has heard, nothing is ordered") {
  const JudgedFile file = judged_msccl(small_relay("Simple").text());
  std::string certificate = *file.certificate;
  std::size_t dropped = 0;
  for (std::size_t colon = certificate.find(':'); colon != std::string::npos; colon = certificate.find(':')) {
    const std::size_t begin = certificate.rfind(' ', colon);
    certificate.erase(begin, certificate.find_first_of(" \n", colon) - begin);
    ++dropped;
  }
  REQUIRE(dropped > 2);
  const check::Outcome outcome = judged(file.text, certificate);
  CHECK(outcome.kind == Kind::unproven);
  CHECK_THAT(outcome.message, Catch::Contains("isn't known to come after"));
}

TEST_CASE("program certificates: of changed MSCCL XML that fails, none is accepted") {
  std::mt19937 random(5);
  MutantTally tally;
  const char* protocols[] = {"Simple", "LL", "LL128"};
  const char* profiles[] = {"msccl", "rccl", "azure"};
  for (std::size_t n = 0; n < 1500; ++n) {
    SmallMsccl base = n % 3 == 0 ? small_pairs(2) : n % 3 == 1 ? small_split_ring(3) : random_relays(random);
    base.protocol = protocols[random() % 3];
    const std::string profile = profiles[random() % 3];
    const JudgedFile original = judged_msccl(base.text(), profile);
    tally.take(original, original.certificate ? *original.certificate : "onceover-program-certificate 1\n");
    const SmallMsccl mutant = changed(base, random);
    if (original.certificate) tally.take(judged_msccl(mutant.text(), profile), *original.certificate);
  }
  CAPTURE(tally.proved, tally.refused, tally.foreign);
  CHECK(tally.proved > 300);
  CHECK(tally.refused > 100);
  CHECK(tally.foreign > 300);
}

TEST_CASE("program certificates: of changed GOAL that fails, none is accepted") {
  std::mt19937 random(6);
  MutantTally tally;
  for (std::size_t n = 0; n < 1500; ++n) {
    const std::string text = n % 3 == 0 ? goal_of_runs : n % 3 == 1 ? goal_without_data : data_text("goal/ring.goal");
    const Depth fifo = n % 2 == 0 ? Depth{} : Depth{0};
    const std::string mutant = changed_goal(text, random);
    if (mutant.find("num_ranks 2") != 0 && mutant.find("num_ranks") == 0 && text != data_text("goal/ring.goal"))
      continue;
    const JudgedFile original = judged_goal(text, fifo);
    if (original.passes) tally.take(judged_goal(mutant, fifo), *original.certificate);
  }
  CAPTURE(tally.proved, tally.refused, tally.foreign);
  CHECK(tally.proved > 100);
  CHECK(tally.foreign > 100);
}

TEST_CASE("program certificates: what they don't cover") {
  CHECK(judged_msccl(data_text("msccl/copies.xml")).certificate.error() == "chunks are copied before the start");
  const JudgedFile file = judged_msccl(small_pairs(2).text());
  std::string copies = file.text;
  copies.insert(copies.find("<tb"), "<copy i_off=\"0\" o_off=\"0\"/>");
  CHECK_THAT(judged(copies, *file.certificate).message, Catch::Contains("copied before the start"));
  CHECK(judged("<algo", *file.certificate).kind == Kind::malformed);
  CHECK(judged("num_ranks 2\n", *file.certificate).kind == Kind::malformed);
  std::string nops = small_split_ring(2).text();
  nops.replace(nops.find("type=\"s\""), 8, "type=\"nop\"");
  CHECK_THAT(judged(nops, *file.certificate).message, Catch::Contains("this nop"));
}

}  // namespace program_certificate_test
