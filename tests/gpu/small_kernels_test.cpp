// Verdicts on kernels of a few lines: what must not pass, and what must.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpu/judge.h"
#include "gpu/launch/concrete.h"
#include "gpu/launch/description.h"
#include "small_launch.h"

namespace onceover::gpu::small_kernels_test {
namespace {

using verifier::Verdict;

/// A copy of `in` to `out`. In the kernel %in, %out, %flags and %all are addresses: of `in`, `out`, 64 words that are
/// zero at first, and the next rank's 64 words. %tid is the thread.
struct Kernel {
  std::string body;
  std::string extent = "block = 1\n";
  std::string directives = {};
  std::string declarations = {};  // before the entry
};

/// The rest of a kernel: thread 0 copies the element and adds 1 to it where %bad is set.
const std::string copy_unless_bad =
    "setp.ne.u32 %p9, %tid, 0; @%p9 ret; ld.global.u32 %r10, [%in]; @%bad add.u32 %r10, %r10, 1; "
    "st.global.u32 [%out], %r10;";
const std::string copy = "setp.eq.u32 %bad, 0, 1;" + copy_unless_bad;

tl::expected<GpuRun, SourceError> judged_or_not(const Kernel& kernel, const GpuJudgeOptions& options) {
  const auto module = module_of(
      ".version 8.4\n.target sm_90\n.address_size 64\n" + kernel.declarations +
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) " + kernel.directives +
      "{\n.reg .pred %bad, %p<10>; .reg .b16 %h<10>; .reg .b32 %tid, %r<30>; .reg .b64 %in, %out, %flags, %next, "
      "%rd<10>; .reg .b128 %q<3>; .shared .align 16 .b8 room[512]; .local .align 4 .b8 own[16];\n"
      "ld.param.u64 %in, [a]; ld.param.u64 %out, [b]; ld.param.u64 %flags, [c]; ld.param.u64 %next, [d]; "
      "mov.u32 %tid, %tid.x;\n" +
      kernel.body + "\nret;\n}\n");
  const auto description = read_description(
      "k.toml", "ptx = \"k.ptx\"\nentry = \"k\"\nranks = 2\nn = [1]\ngrid = 1\ncalls = 1\n" + kernel.extent +
                    "[buffer.in]\ntype = \"u32\"\ncount = \"n\"\nrole = \"input\"\n"
                    "[buffer.out]\ntype = \"u32\"\ncount = \"n\"\nrole = \"output\"\n"
                    "[buffer.flags]\ntype = \"u32\"\ncount = 64\nrole = \"memory\"\nfill = 0\n"
                    "[arguments]\n0 = \"in@r\"\n1 = \"out@r\"\n2 = \"flags@r\"\n3 = \"flags@(p - 1 - r)\"\n"
                    "[expect]\nout = { of = \"in\", rule = \"out[r][k] = in[r][k]\" }\n");
  if (!description) FAIL(description.error().render());
  const auto launch = concrete(*description, module, 2, 1);
  if (!launch) return tl::unexpected(launch.error());
  return judge(*launch, *description, options);
}

GpuRun judged(const Kernel& kernel, const GpuJudgeOptions& options = {}) {
  auto run = judged_or_not(kernel, options);
  if (!run) FAIL(run.error().render());
  return *std::move(run);
}

const GpuJudgeOptions all_interleavings{.seeds = 0, .most_starved = 0, .exhaustive = true};

Verdict verdict(const Kernel& kernel, const GpuJudgeOptions& options = {}) {
  return judged(kernel, options).report.verdict;
}

const verifier::PropertyResult& result(const GpuRun& run, std::string_view id) {
  for (const verifier::PropertyResult& each : run.report.properties)
    if (each.id == id) return each;
  FAIL("no property " << id);
  return run.report.properties.front();
}

TEST_CASE("a copy passes") {
  const GpuRun run = judged({copy}, all_interleavings);
  CHECK(run.report.verdict == Verdict::pass);
  CHECK(run.has_all_interleavings);
}

TEST_CASE("what is waived doesn't make a run that never ended pass") {
  const Kernel spins{"L: ld.acquire.sys.global.u32 %r1, [%flags]; setp.ne.u32 %p1, %r1, 1; @%p1 bra L;" + copy};
  CHECK(verdict(spins) == Verdict::fail);
  CHECK(verdict(spins, {.waived = {"deadlock-free"}}) == Verdict::unknown);
  const Kernel outside{"ld.global.u32 %r1, [%in+400];" + copy};
  CHECK(verdict(outside) == Verdict::fail);
  CHECK(verdict(outside, {.waived = {"well-formed"}}) == Verdict::unknown);
}

TEST_CASE("harmless races hide no other finding") {
  std::string stores = "mov.u32 %r1, 5;";
  for (int k = 0; k < 110; ++k) stores += "st.global.u32 [%flags+128], %r1;";
  const std::string outside = "setp.ne.u32 %p1, %tid, 0; @!%p1 st.global.u32 [%out+4], %r1;";
  const GpuRun harmless = judged({stores + copy, "block = 2\n"});
  CHECK(harmless.report.verdict == Verdict::pass);
  REQUIRE(harmless.notes.size() == 1);
  CHECK(harmless.notes.front().starts_with("harmless: "));
  CHECK(verdict({stores + outside + copy, "block = 2\n"}) == Verdict::fail);
}

TEST_CASE("a harmless race doesn't keep all interleavings from being tried") {
  const Kernel kernel{
      "mov.u32 %r1, 1; st.global.u32 [%flags+128], %r1; setp.ne.u32 %p3, %tid, 0; @%p3 ret;"
      "st.release.sys.global.u32 [%next], %r1;"
      "L: ld.acquire.sys.global.u32 %r2, [%flags]; setp.ne.u32 %p1, %r2, 1; @%p1 bra L;" +
          copy,
      "block = 2\n"};
  const GpuRun run = judged(kernel, all_interleavings);
  CHECK(run.report.verdict == Verdict::pass);
  CHECK(run.has_all_interleavings);
}

TEST_CASE("a search that has no verdict hasn't tried all interleavings") {
  const GpuRun run = judged({"wgmma.fence.sync.aligned;" + copy}, all_interleavings);
  CHECK(run.report.verdict == Verdict::unknown);
  CHECK_FALSE(run.has_all_interleavings);
  CHECK_FALSE(run.report.scope.starts_with("all interleavings"));
}

TEST_CASE("what only a later interleaving runs has run") {
  const GpuRun run =
      judged({"mov.u32 %r1, 1; st.relaxed.sys.global.u32 [%next], %r1; st.relaxed.sys.global.u32 [%next+16], %r1;\n"
              "L: ld.relaxed.sys.global.u32 %r2, [%flags+16]; setp.ne.u32 %p1, %r2, 1; @%p1 bra L;\n"
              "ld.relaxed.sys.global.u32 %r3, [%flags]; setp.eq.u32 %p2, %r3, 1; @%p2 bra E;\nmov.u32 %r4, 9;\nE: " +
              copy},
             all_interleavings);
  CHECK(run.report.verdict == Verdict::pass);
  for (const auto& [place, has_run] : run.places) CHECK(has_run);
}

TEST_CASE("local memory and parameters hold nothing at first") {
  const std::string add = "ld.global.u32 %r10, [%in]; add.u32 %r10, %r10, %r1; st.global.u32 [%out], %r10;";
  CHECK(verdict({"ld.local.u32 %r1, [own];" + add}) == Verdict::fail);
  CHECK(verdict({"st.local.u32 [own], 0; ld.local.u32 %r1, [own];" + add}) == Verdict::pass);
  const GpuRun decides = judged({"ld.local.u32 %r1, [own]; setp.eq.u32 %p1, %r1, 0; @%p1 bra E; E: " + copy});
  CHECK(result(decides, "well-formed").verdict == Verdict::fail);
  const auto calls = [&](const std::string& gives) {
    return Kernel{
        "{ .param .b32 p0; .param .b32 q0; " + gives + " call.uni (q0), f, (p0); ld.param.b32 %r1, [q0]; }" + add,
        "block = 1\n", "",
        ".func (.param .b32 o) f(.param .b32 a) { .reg .b32 %r1; ld.param.u32 %r1, [a]; st.param.b32 [o], "
        "%r1; ret; }\n"};
  };
  CHECK(verdict(calls("")) == Verdict::fail);
  CHECK(verdict(calls("st.param.b32 [p0], 0;")) == Verdict::pass);
}

TEST_CASE("a non-coherent read doesn't see what its own thread wrote") {
  const GpuRun run = judged(
      {"ld.global.u32 %r1, [%in]; st.global.u32 [%flags], %r1; ld.global.nc.u32 %r2, [%flags]; st.global.u32 [%out], "
       "%r2;"});
  CHECK(result(run, "race-free").verdict == Verdict::fail);
}

TEST_CASE("a warp comes to an aligned barrier as a whole") {
  const std::string half =
      "and.b32 %r1, %tid, 31; setp.ge.u32 %p1, %r1, 16; @%p1 bra X; bar.sync 1, 32; X: bar.sync 0;";
  CHECK(result(judged({half + copy, "block = 64\n"}), "well-formed").verdict == Verdict::fail);
  const std::string arrives =
      "setp.lt.u32 %p1, %tid, 32; @%p1 bra A; bar.sync 2, 64; bra B; A: and.b32 %r1, %tid, 1; setp.eq.u32 %p2, %r1, 0; "
      "@%p2 bra C; bar.arrive 2, 64; bra B; C: bar.arrive 2, 64; B: ";
  CHECK(result(judged({arrives + copy, "block = 64\n"}), "well-formed").verdict == Verdict::fail);
  const std::string by_warp =
      "mov.u32 %r1, room; shl.b32 %r2, %tid, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %tid; bar.sync 1, 32;"
      "xor.b32 %r4, %r2, 64; add.u32 %r4, %r1, %r4; ld.shared.u32 %r5, [%r4]; setp.ge.u32 %p1, %r5, 64; @%p1 trap;";
  CHECK(verdict({by_warp + copy, "block = 64\n"}) == Verdict::pass);
  CHECK(verdict({"bar.sync 1, 64;" + copy, "block = 40\n"}) == Verdict::pass);
}

TEST_CASE("a kernel that is for certain blocks or clusters runs in no others") {
  const auto mistake = [](const std::string& directives, const std::string& extent) {
    const auto run = judged_or_not({copy, extent, directives}, {.seeds = 0, .most_starved = 0});
    return run ? "" : run.error().message;
  };
  CHECK(mistake(".reqntid 32, 1, 1", "block = 32\n").empty());
  CHECK(mistake(".reqntid 32", "block = 16\n") == "a block of 16; 'k' is for blocks of 32 x 1 x 1 threads (.reqntid)");
  CHECK(mistake(".reqntid 8, 4", "block = 32\n") == "a block of 32; 'k' is for blocks of 8 x 4 x 1 threads (.reqntid)");
  CHECK(mistake(".reqnctapercluster 2, 1, 1", "block = 1\n") ==
        "clusters of 1; 'k' is for clusters of 2 x 1 x 1 blocks (.reqnctapercluster)");
  CHECK(mistake(".explicitcluster", "block = 1\n") == "no 'cluster', which 'k' needs");
  CHECK(mistake(".explicitcluster .maxclusterrank 8", "block = 1\ncluster = 1\n").empty());
}

TEST_CASE("a race of which only the last writes are the same isn't harmless") {
  const Kernel hidden{
      "setp.eq.u32 %p1, %tid, 0; @%p1 bra A; barrier.sync 1, 64; setp.ne.u32 %p2, %tid, 32; @%p2 ret;"
      "st.global.u32 [%flags], 2; ret;"
      "A: barrier.arrive 1, 64; st.global.u32 [%flags], 1; ld.global.u32 %r2, [%flags]; st.global.u32 [%flags], 2;"
      "setp.ne.u32 %bad, %r2, 1;" +
          copy_unless_bad,
      "block = 64\n"};
  CHECK(result(judged(hidden, {.seeds = 0, .most_starved = 0}), "race-free").verdict == Verdict::fail);
  CHECK(result(judged(hidden, all_interleavings), "race-free").verdict == Verdict::fail);
}

TEST_CASE("threads that stop waiting after some rounds are found out") {
  const auto polls = [](const std::string& rounds) {
    return Kernel{
        "ld.global.u32 %r1, [%in]; st.global.u32 [%next+32], %r1; mov.u32 %r2, 1; st.release.sys.global.u32 [%next], "
        "%r2; mov.u32 %r3, 0;\n"
        "L: ld.acquire.sys.global.u32 %r4, [%flags]; setp.eq.u32 %p1, %r4, 1; @%p1 bra D; add.u32 %r3, %r3, 1; "
        "setp.lt.u32 %p2, %r3, " +
        rounds + "; @%p2 bra L;\nD: ld.global.u32 %r5, [%flags+32]; st.global.u32 [%flags+64], %r5;" + copy};
  };
  CHECK(result(judged(polls("8")), "race-free").verdict == Verdict::fail);
}

TEST_CASE("a loop that still counts when all others wait is no deadlock") {
  const Kernel polls{
      "mov.u32 %r3, 0; L: ld.relaxed.sys.global.u32 %r4, [%flags]; setp.eq.u32 %p1, %r4, 1; @%p1 bra D; add.u32 %r3, "
      "%r3, 1; setp.lt.u32 %p2, %r3, 5000; @%p2 bra L; D: " +
      copy};
  CHECK(verdict(polls) == Verdict::unknown);
}

TEST_CASE("both halves of 128 bits are of one write") {
  const Kernel kernel{
      "mov.u64 %rd1, 5; mov.u64 %rd2, 1; mov.b128 %q1, {%rd1, %rd2}; st.relaxed.sys.global.b128 [%next], %q1;\n"
      "L: ld.relaxed.sys.global.b128 %q2, [%flags]; mov.b128 {%rd3, %rd4}, %q2; setp.ne.u64 %p1, %rd4, 1; @%p1 bra "
      "L;\n setp.ne.u64 %bad, %rd3, 5;" +
      copy_unless_bad};
  CHECK(verdict(kernel, {.seeds = 40}) == Verdict::pass);
}

TEST_CASE("lanes of a warp may come to a shuffle at different places") {
  const auto shuffles = [](const std::string& one, const std::string& other) {
    return Kernel{"setp.lt.u32 %p1, %tid, 16; mov.u32 %r5, 3; @%p1 bra A; shfl.sync." + one +
                      ".b32 %r6, %r5, 0, 31, -1; bra B; A: shfl.sync." + other + ".b32 %r6, %r5, 0, 31, -1; B: " + copy,
                  "block = 32\n"};
  };
  CHECK(verdict(shuffles("idx", "idx")) == Verdict::pass);
  CHECK(verdict(shuffles("idx", "bfly")) == Verdict::fail);
}

/// Each rank writes a word for the other one, then flags of two bytes. It waits for one and copies the word.
Kernel halves(const std::string& writes, const std::string& waits) {
  return {"ld.global.u32 %r1, [%in]; st.global.u32 [%next+32], %r1; mov.u16 %h1, 1;" + writes + "L: " + waits +
          " setp.ne.u16 %p1, %h2, 1; @%p1 bra L; ld.global.u32 %r2, [%flags+32]; st.global.u32 [%next+64], %r2;" +
          copy};
}

TEST_CASE("a flag of two bytes is a flag") {
  const Kernel kernel =
      halves("st.release.sys.global.u16 [%next+2], %h1;", "ld.acquire.sys.global.u16 %h2, [%flags+2];");
  const GpuRun run = judged(kernel, {.exhaustive = true});
  CHECK(run.report.verdict == Verdict::pass);
  CHECK(run.has_all_interleavings);
  CHECK(verdict(halves("st.relaxed.sys.global.u8 [%next+3], %h1;", "ld.acquire.sys.global.u8 %h2, [%flags+3];")) ==
        Verdict::fail);
}

TEST_CASE("a release passes nothing on to who reads the other half of its word") {
  const Kernel kernel = halves("st.release.sys.global.u16 [%next], %h1; st.relaxed.sys.global.u16 [%next+2], %h1;",
                               "ld.acquire.sys.global.u16 %h2, [%flags+2];");
  CHECK(verdict(kernel) == Verdict::unknown);
  CHECK(verdict(kernel, all_interleavings) == Verdict::unknown);
}

TEST_CASE("two flags in one word are no reason to fail") {
  const Kernel kernel = halves(
      "st.release.sys.global.u16 [%next], %h1; st.release.sys.global.u16 [%next+2], %h1;",
      "ld.acquire.sys.global.u16 %h2, [%flags+2]; setp.ne.u16 %p1, %h2, 1; @%p1 bra L; ld.acquire.sys.global.u16 %h2, "
      "[%flags];");
  CHECK(verdict(kernel) != Verdict::fail);
  CHECK(verdict(kernel, all_interleavings) == Verdict::unknown);
}

TEST_CASE("strong reads of two bytes may be older") {
  const Kernel kernel{
      "mov.u16 %h1, 7; st.relaxed.sys.global.u16 [%next], %h1; st.relaxed.sys.global.u32 [%next+16], 1;\n"
      "L: ld.relaxed.sys.global.u32 %r1, [%flags+16]; setp.ne.u32 %p1, %r1, 1; @%p1 bra L;\n"
      "ld.relaxed.sys.global.u16 %h2, [%flags]; setp.ne.u16 %bad, %h2, 7;" +
      copy_unless_bad};
  CHECK(verdict(kernel, {.seeds = 40}) == Verdict::fail);
  CHECK(verdict(kernel, all_interleavings) == Verdict::fail);
  const Kernel packet{
      "mov.u16 %h1, 1; mov.u16 %h2, 7; st.volatile.global.v4.u16 [%next], {%h2, %h2, %h2, %h1};\n"
      "L: ld.volatile.global.v4.u16 {%h3, %h4, %h5, %h6}, [%flags]; setp.ne.u16 %p1, %h6, 1; @%p1 bra L;\n"
      "setp.ne.u16 %bad, %h3, 7;" +
      copy_unless_bad};
  CHECK(verdict(packet, {.seeds = 40}) != Verdict::pass);
  CHECK(verdict(packet, all_interleavings) != Verdict::pass);
}

TEST_CASE("strong reads of shared memory may be older") {
  const auto buffering = [](const std::string& between) {
    const std::string miss = between + "ld.relaxed.cta.shared.u32 %r2, ";
    return Kernel{
        "mov.u32 %r1, 1; setp.eq.u32 %p1, %tid, 0; setp.eq.u32 %p2, %tid, 32; mov.u32 %r2, 1;"
        "@%p1 st.shared.v2.u32 [room], {0, 0}; bar.sync 0; @%p1 bra A; @%p2 bra B; bra E;\n"
        "A: st.relaxed.cta.shared.u32 [room], %r1;" +
            miss + "[room+4]; st.global.u32 [%flags], %r2; bra E;\nB: st.relaxed.cta.shared.u32 [room+4], %r1;" + miss +
            "[room]; st.global.u32 [%flags+4], %r2;\n"
            "E: bar.sync 0; @!%p1 ret; ld.global.v2.u32 {%r3, %r4}, [%flags]; or.b32 %r3, %r3, %r4; setp.eq.u32 %bad, "
            "%r3, 0;" +
            copy_unless_bad,
        "block = 33\n"};
  };
  CHECK(verdict(buffering(""), {.seeds = 40}) == Verdict::fail);
  CHECK(verdict(buffering(""), all_interleavings) == Verdict::fail);
  CHECK(verdict(buffering("fence.sc.cta;"), {.seeds = 40}) == Verdict::pass);
  CHECK(verdict(buffering("fence.sc.cta;"), all_interleavings) == Verdict::pass);
}

}  // namespace
}  // namespace onceover::gpu::small_kernels_test
