#include "gpu/engine.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "small_launch.h"

namespace onceover::gpu::engine_test {
namespace {

using Kinds = std::vector<FindingKind>;

GpuOutcome outcome_of(const std::vector<std::string>& bodies, std::uint32_t threads = 1, std::uint32_t blocks = 1) {
  return run(small_launch(bodies, threads, blocks), {});
}

/// Rank 0 writes the data and then a flag; rank 1 waits for the flag and reads the data.
GpuOutcome message(const std::string& write, const std::string& read, const RunOptions& options = {}) {
  return run(small_launch(
                 {"mov.b32 %r1, 7; st.global.b32 [%data], %r1; mov.b32 %r2, 1; " + write,
                  "W: " + read +
                      " setp.ne.u32 %p1, %r3, 1; @%p1 bra W; ld.global.b32 %r4, [%data]; st.global.b32 [%out], %r4;"}),
             options);
}

const std::string release = "st.release.sys.global.u32 [%flag], %r2;";
const std::string acquire = "ld.acquire.sys.global.u32 %r3, [%flag];";
const std::string relaxed_write = "st.relaxed.sys.global.u32 [%flag], %r2;";
const std::string relaxed_read = "ld.relaxed.sys.global.u32 %r3, [%flag];";
const std::string fence = "fence.acq_rel.sys;";

TEST_CASE("an input's element reaches the output as it is") {
  const GpuOutcome outcome = outcome_of({"ld.global.f32 %f1, [%in+8]; st.global.f32 [%out], %f1;"});
  CHECK(outcome.is_finished);
  CHECK(kinds(outcome).empty());
  const HeldElement held = first_out(outcome, 0);
  const TermNode node = (*outcome.terms)[held.term];
  CHECK(node.kind == TermKind::leaf);
  CHECK(node.b == 2);
  CHECK((*outcome.terms)[first_out(outcome, 0, 1).term].kind == TermKind::unwritten);
}

TEST_CASE("sums are terms, whichever way they are made") {
  const GpuOutcome outcome =
      outcome_of({"ld.global.v2.f32 {%f1, %f2}, [%in]; add.f32 %f3, %f1, %f2; fma.rn.f32 %f4, %f2, 0f3F800000, %f1;"
                  "sub.f32 %f5, %f1, %f2; st.global.v2.f32 [%out], {%f3, %f4}; st.global.f32 [%out+8], %f5;"});
  CHECK(first_out(outcome, 0, 0).term == first_out(outcome, 0, 1).term);
  CHECK((*outcome.terms)[first_out(outcome, 0, 0).term].kind == TermKind::combined);
  CHECK((*outcome.terms)[first_out(outcome, 0, 2).term].kind == TermKind::opaque);
}

TEST_CASE("halves of a word move as they are") {
  const GpuOutcome outcome = outcome_of(
      {"ld.global.b32 %r1, [%in]; mov.b32 {%h1, %h2}, %r1; mov.b32 %r2, {%h1, %h2}; st.global.b32 [%out], %r2;"
       "shr.u32 %r3, %r1, 16; shl.b32 %r4, %r3, 16; and.b32 %r5, %r1, 65535; or.b32 %r6, %r4, %r5;"
       "st.global.b32 [%out+4], %r6; prmt.b32 %r7, %r1, %r1, 0x1032; prmt.b32 %r8, %r7, %r7, 0x1032;"
       "st.global.b32 [%out+8], %r8;"});
  for (std::size_t element = 0; element < 3; ++element)
    CHECK((*outcome.terms)[first_out(outcome, 0, element).term].kind == TermKind::leaf);
}

TEST_CASE("a release that is acquired orders what came before") {
  const GpuOutcome outcome = message(release, acquire);
  CHECK(kinds(outcome) == Kinds{});
  CHECK(first_out(outcome, 1).bits == 7);
}

TEST_CASE("a relaxed write or read orders nothing") {
  CHECK(kinds(message(relaxed_write, acquire)) == Kinds{FindingKind::data_race});
  CHECK(kinds(message(release, relaxed_read)) == Kinds{FindingKind::data_race});
  CHECK(kinds(message("st.volatile.global.u32 [%flag], %r2;", "ld.volatile.global.u32 %r3, [%flag];")) ==
        Kinds{FindingKind::data_race});
}

TEST_CASE("fences make a release and an acquire of relaxed accesses") {
  CHECK(kinds(message(fence + relaxed_write, relaxed_read + fence)) == Kinds{});
  CHECK(kinds(message("membar.sys;" + relaxed_write, acquire)) == Kinds{});
  CHECK(kinds(message(relaxed_write + fence, relaxed_read + fence)) == Kinds{FindingKind::data_race});
}

TEST_CASE("a scope must include the other rank") {
  CHECK(kinds(message("st.release.gpu.global.u32 [%flag], %r2;", acquire)) ==
        Kinds{FindingKind::narrow_scope, FindingKind::data_race});
  CHECK(kinds(message("fence.acq_rel.gpu;" + relaxed_write, acquire)) == Kinds{FindingKind::data_race});
}

TEST_CASE("an atomic update passes on what the write before it released") {
  const std::string chain =
      "W: ld.relaxed.sys.global.u32 %r3, [%flag]; setp.ne.u32 %p1, %r3, 1; @%p1 bra W; red.relaxed.sys.global.add.u32 "
      "[%flag], 1;";
  const std::string reader =
      "W: ld.acquire.sys.global.u32 %r3, [%flag]; setp.ne.u32 %p1, %r3, 2; @%p1 bra W; ld.global.b32 %r4, [%data]; "
      "st.global.b32 [%out], %r4;";
  const std::string writer = "mov.b32 %r1, 7; st.global.b32 [%data], %r1; mov.b32 %r2, 1; " + release;
  CHECK(kinds(outcome_of({writer, chain, reader})) == Kinds{});
  const std::string plain =
      "W: ld.relaxed.sys.global.u32 %r3, [%flag]; setp.ne.u32 %p1, %r3, 1; @%p1 bra W; st.relaxed.sys.global.u32 "
      "[%flag], 2;";
  CHECK(kinds(outcome_of({writer, plain, reader})) == Kinds{FindingKind::data_race});
}

TEST_CASE("the last of those that count may reset the counter") {
  const auto counts = [](const std::string& count) {
    return count + " setp.ne.u32 %p1, %r3, 2; @%p1 bra E; st.relaxed.sys.global.u32 [%flag], 0; E: ret;";
  };
  const std::string add = "atom.relaxed.sys.global.add.u32 %r3, [%flag], 1;";
  CHECK(kinds(outcome_of({counts(add), counts(add), counts(add)})) == Kinds{});
  const std::string narrow = "atom.relaxed.gpu.global.add.u32 %r3, [%flag], 1;";
  CHECK_FALSE(kinds(outcome_of({counts(narrow), counts(add), counts(add)})).empty());
}

TEST_CASE("a reset may lose what an exchange or a compare-and-swap wrote") {
  const std::string reset = "st.relaxed.sys.global.u32 [%flag], 0;";
  CHECK(kinds(outcome_of({"atom.relaxed.sys.global.exch.b32 %r1, [%flag], 1;", reset})) ==
        Kinds{FindingKind::unordered_writes});
  CHECK(kinds(outcome_of({"atom.relaxed.sys.global.cas.b32 %r1, [%flag], 0, 1;", reset})) ==
        Kinds{FindingKind::unordered_writes});
  CHECK(kinds(outcome_of({"atom.relaxed.sys.global.cas.b32 %r1, [%flag], 5, 1;", reset})) == Kinds{});
}

TEST_CASE("a lock orders what its holders do") {
  const std::string holder =
      "W: atom.acquire.sys.global.exch.b32 %r1, [%flag], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra W;"
      "ld.global.u32 %r2, [%data]; add.u32 %r2, %r2, 1; st.global.u32 [%data], %r2; st.release.sys.global.u32 [%flag], "
      "0;";
  const Launch launch = small_launch({holder, holder, holder});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RunOptions options;
    options.schedule = {ScheduleKind::seeded, seed, 0};
    const GpuOutcome outcome = run(launch, options);
    CHECK(outcome.is_finished);
    CHECK(kinds(outcome) == Kinds{});
  }
}

TEST_CASE("what is made of unwritten memory decides nothing either") {
  CHECK(kinds(outcome_of({"ld.global.u32 %r1, [%out]; mul.lo.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0;"})) ==
        Kinds{FindingKind::unwritten_value});
}

TEST_CASE("an atomic whose scope is too narrow passes nothing on") {
  const std::string writer = "mov.b32 %r1, 7; st.global.b32 [%data], %r1; mov.b32 %r2, 1; " + release;
  const std::string reader =
      "W: ld.acquire.sys.global.u32 %r3, [%flag]; setp.ne.u32 %p1, %r3, 2; @%p1 bra W; ld.global.b32 %r4, [%data];";
  const std::string chain =
      "W: ld.relaxed.sys.global.u32 %r3, [%flag]; setp.ne.u32 %p1, %r3, 1; @%p1 bra W; red.relaxed.gpu.global.add.u32 "
      "[%flag], 1;";
  const GpuOutcome outcome = outcome_of({writer, chain, reader});
  CHECK(std::find_if(outcome.findings.begin(), outcome.findings.end(), [](const GpuFinding& finding) {
          return finding.kind == FindingKind::data_race;
        }) != outcome.findings.end());
}

TEST_CASE("the read of a reduction doesn't acquire") {
  const std::string writer = "mov.b32 %r1, 7; st.global.b32 [%data], %r1; mov.b32 %r2, 1; " + release;
  const auto reader = [](const std::string& update) {
    return "W: ld.relaxed.sys.global.u32 %r5, [%flag]; setp.ne.u32 %p1, %r5, 1; @%p1 bra W; " + update +
           " ld.global.b32 %r4, [%data];";
  };
  CHECK(kinds(outcome_of({writer, reader("atom.acquire.sys.global.add.u32 %r3, [%flag], 1;")})) == Kinds{});
  CHECK(kinds(outcome_of({writer, reader("fence.acq_rel.sys;")})) == Kinds{});
  const std::string only_reduces =
      "mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2000; @%p1 bra L;"
      "red.relaxed.sys.global.add.u32 [%flag], 1; fence.acq_rel.sys; ld.global.b32 %r4, [%data];";
  CHECK(kinds(outcome_of({writer, only_reduces})) == Kinds{FindingKind::unordered_writes, FindingKind::data_race});
}

TEST_CASE("two strong writes may come in either order, unless one saw the other") {
  const std::string reset = "st.relaxed.sys.global.u32 [%flag], 0;";
  CHECK(kinds(outcome_of({"mov.b32 %r2, 1;" + relaxed_write, reset})) == Kinds{FindingKind::unordered_writes});
  const std::string waits = "W: " + relaxed_read + "setp.ne.u32 %p1, %r3, 1; @%p1 bra W;" + reset;
  CHECK(kinds(outcome_of({"mov.b32 %r2, 1;" + relaxed_write, waits})) == Kinds{});
  CHECK(kinds(outcome_of(
            {"red.relaxed.sys.global.add.u32 [%flag], 1;", "red.relaxed.sys.global.add.u32 [%flag], 1;"})) == Kinds{});
}

TEST_CASE("strong accesses of different sizes don't go together") {
  CHECK(kinds(outcome_of({"st.relaxed.sys.global.u32 [%flag], 1;",
                          "ld.relaxed.sys.global.u64 %rd1, [%flag]; st.global.u64 [%out], %rd1;"})) ==
        Kinds{FindingKind::mixed_sizes});
}

TEST_CASE("a thread that waits for good is a deadlock") {
  const GpuOutcome outcome = outcome_of({"ret;", "W: " + acquire + " setp.ne.u32 %p1, %r3, 1; @%p1 bra W;"});
  REQUIRE(kinds(outcome) == Kinds{FindingKind::deadlock});
  CHECK_FALSE(outcome.is_finished);
  CHECK(outcome.findings[0].memory == "flag of rank 0");
  CHECK(outcome.findings[0].sentence == "1 thread spins forever; the first reads 0 there");
  CHECK(outcome.findings[0].first.action == "ld.acquire.sys.global.u32 %r3, [%flag]");
}

TEST_CASE("a loop that counts while it waits may end by itself") {
  const GpuOutcome outcome = outcome_of(
      {"mov.b32 %r1, 0; W: " + acquire +
       "add.u32 %r1, %r1, 1; setp.gt.u32 %p2, %r1, 500; @%p2 bra E; setp.ne.u32 %p1, %r3, 1; @%p1 bra W; E: ret;"});
  CHECK(outcome.is_finished);
  CHECK(kinds(outcome).empty());
}

TEST_CASE("threads of a block need a barrier") {
  const std::string write =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, room; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;";
  const std::string read = "xor.b32 %r3, %r3, 4; add.u32 %r4, %r2, %r3; ld.shared.u32 %r5, [%r4];";
  CHECK(kinds(outcome_of({write + "bar.sync 0;" + read}, 2)) == Kinds{});
  CHECK(kinds(outcome_of({write + "bar.warp.sync 3;" + read}, 2)) == Kinds{});
  const GpuOutcome outcome = outcome_of({write + read}, 2);
  REQUIRE(kinds(outcome) == Kinds{FindingKind::data_race, FindingKind::data_race});
  CHECK(outcome.findings[0].memory == "shared memory of block 0 of rank 0");
}

TEST_CASE("threads of one warp come to an aligned barrier at the same place") {
  const auto body = [](const std::string& barrier) {
    return "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; " + barrier + " 0; ret; A: " + barrier + " 0;";
  };
  CHECK(kinds(outcome_of({body("bar.sync")}, 2)) == Kinds{FindingKind::divergent_barrier});
  CHECK(kinds(outcome_of({body("barrier.sync")}, 2)) == Kinds{});
}

TEST_CASE("a producer may arrive at a barrier without waiting") {
  const std::string one =
      "setp.ne.u32 %p2, %r1, 32; mov.u32 %r2, room; setp.lt.u32 %p1, %r1, 32; @%p1 bra C; @!%p2 st.shared.u32 [%r2], "
      "%r1; bar.arrive 1, 64; ret;";
  CHECK(kinds(outcome_of({"mov.u32 %r1, %tid.x;" + one + "C: bar.sync 1, 64; ld.shared.u32 %r3, [%r2];"}, 64)) ==
        Kinds{});
  CHECK(kinds(outcome_of({"mov.u32 %r1, %tid.x;" + one + "C: ld.shared.u32 %r3, [%r2]; bar.sync 1, 64;"}, 64)) ==
        Kinds{FindingKind::data_race});
}

/// Two blocks of a cluster: block 0 writes the data, block 1 reads it behind the cluster's barrier.
GpuOutcome cluster_message(const std::string& arrive, const std::string& wait) {
  Launch launch =
      small_launch({"mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra A;"
                    "mov.b32 %r2, 7; st.global.b32 [%data], %r2; A: " +
                    arrive + wait + "@!%p1 bra E; ld.global.b32 %r3, [%data]; st.global.b32 [%out], %r3; E:"},
                   1, 2);
  launch.calls.front().ranks.front().kernels.front().cluster.x = 2;
  return run(launch, {});
}

TEST_CASE("the barrier of a cluster orders the threads of its blocks") {
  const GpuOutcome outcome = cluster_message("barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;");
  CHECK(outcome.is_finished);
  CHECK(kinds(outcome) == Kinds{});
  CHECK(first_out(outcome, 0).bits == 7);
  CHECK(kinds(cluster_message("barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;")) == Kinds{});
}

TEST_CASE("a relaxed arrival at the barrier of a cluster, or one that isn't waited for, orders nothing") {
  CHECK(kinds(cluster_message("barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;")) ==
        Kinds{FindingKind::data_race});
  CHECK(kinds(cluster_message("barrier.cluster.arrive;", "")) == Kinds{FindingKind::data_race});
}

TEST_CASE("a thread of a cluster waits for all that haven't ended") {
  const std::string meet = "barrier.cluster.arrive; barrier.cluster.wait;";
  CHECK(kinds(cluster_message(meet + meet + "@%p1 ret;" + meet, "")) == Kinds{});
  CHECK(kinds(cluster_message("barrier.cluster.wait;", "")) == Kinds{FindingKind::divergent_barrier});
  CHECK(kinds(cluster_message("barrier.cluster.arrive; barrier.cluster.arrive;", "")) ==
        Kinds{FindingKind::divergent_barrier});
  CHECK(cluster_message("@%p1 bra L; " + meet + " L:", "").is_finished);
}

TEST_CASE("blocks count at the barrier of their grid in a workspace of the driver's") {
  const GpuOutcome outcome = outcome_of(
      {"mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra A; mov.b32 %r2, 7; st.global.b32 [%data], %r2;"
       "A: mov.u32 %r3, %envreg2; mov.u32 %r4, %envreg1; mov.b64 %rd1, {%r3, %r4};"
       "atom.add.release.gpu.global.u32 %r5, [%rd1+4], 1; W: ld.acquire.gpu.global.u32 %r6, [%rd1+4];"
       "setp.ne.u32 %p2, %r6, 2; @%p2 bra W; @!%p1 bra E; ld.global.b32 %r7, [%data]; st.global.b32 [%out], %r7; E:"},
      1, 2);
  CHECK(outcome.is_finished);
  CHECK(kinds(outcome) == Kinds{});
  CHECK(first_out(outcome, 0).bits == 7);
  REQUIRE(outcome.notes.size() == 1);
  CHECK(outcome.notes.front().find("cooperative") != std::string::npos);
}

TEST_CASE("what isn't supported stops a run only where it would run") {
  const std::string tensor = "wgmma.fence.sync.aligned;";
  CHECK(kinds(outcome_of({"bra E; " + tensor + " E: ret;"})) == Kinds{});
  const GpuOutcome outcome = outcome_of({tensor});
  REQUIRE(kinds(outcome) == Kinds{FindingKind::unsupported});
  CHECK(outcome.findings[0].first.action == "wgmma.fence.sync.aligned");
  CHECK_FALSE(outcome.is_finished);
  for (const char* other :
       {"fence.proxy.async;", "griddepcontrol.wait.all;", "add.rz.f32 %f1, %f2, %f3;",
        "ld.global.unknown.u32 %r1, [%data];", "st.async.weak.shared::cluster.u32 [%r1], %r2, [%r3];"})
    CHECK(kinds(outcome_of({other})) == Kinds{FindingKind::unsupported});
}

TEST_CASE("a kernel that lets the next one start early is noted, since here it starts after the end") {
  const GpuOutcome waits = outcome_of({"griddepcontrol.wait;"});
  CHECK(waits.is_finished);
  CHECK(waits.notes.empty());
  const GpuOutcome lets_start = outcome_of({"griddepcontrol.launch_dependents;"});
  CHECK(lets_start.is_finished);
  REQUIRE(lets_start.notes.size() == 1);
  CHECK(lets_start.notes.front().find("griddepcontrol") != std::string::npos);
}

TEST_CASE("accesses stay inside their buffers and at multiples of their size") {
  CHECK(kinds(outcome_of({"ld.global.u32 %r1, [%data+64];"})) == Kinds{FindingKind::out_of_bounds});
  CHECK(kinds(outcome_of({"ld.global.u32 %r1, [%data+4096];"})) == Kinds{FindingKind::out_of_bounds});
  CHECK(kinds(outcome_of({"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%data+8];"})) == Kinds{FindingKind::misaligned});
  CHECK(kinds(outcome_of({"ld.global.u32 %r1, [%data+100000000];"})) == Kinds{FindingKind::wild_address});
  CHECK(kinds(outcome_of({"mov.u64 %rd1, 0; ld.u32 %r1, [%rd1];"})) == Kinds{FindingKind::wild_address});
}

TEST_CASE("memory that nobody wrote decides nothing") {
  CHECK(kinds(outcome_of({"ld.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0;"})) ==
        Kinds{FindingKind::unwritten_value});
  CHECK(kinds(outcome_of({"ld.global.u64 %rd1, [%out]; ld.global.u32 %r1, [%rd1];"})) ==
        Kinds{FindingKind::unwritten_value});
  CHECK(kinds(outcome_of({"ld.global.u32 %r1, [%out]; st.global.u32 [%data], %r1;"})) == Kinds{});
}

TEST_CASE("a racing read whose value is used for nothing is told apart") {
  const std::string writer = "st.global.u32 [%data], 7;";
  const auto reader = [&](const std::string& use) {
    const GpuOutcome outcome = outcome_of({writer, "ld.global.u32 %r1, [%data]; add.u32 %r2, %r1, 5; " + use});
    REQUIRE(kinds(outcome) == Kinds{FindingKind::data_race});
    return outcome.findings[0].reaches_nothing;
  };
  CHECK(reader(""));
  CHECK(reader("mul.lo.u32 %r3, %r2, 3;"));
  CHECK_FALSE(reader("st.global.u32 [%out], %r2;"));
  CHECK_FALSE(reader("setp.eq.u32 %p1, %r2, 1;"));
  CHECK_FALSE(reader("mul.wide.u32 %rd1, %r2, 0; add.s64 %rd1, %rd1, %out; ld.global.u32 %r4, [%rd1];"));
}

TEST_CASE("a non-coherent read sees only what was there when the kernel began") {
  const std::string body =
      "st.global.u32 [%data], 1; bar.sync 0; ld.global.nc.u32 %r1, [%data+4]; st.global.u32 [%out], %r1;";
  CHECK(kinds(outcome_of({body})) == Kinds{});
  const std::string wrong =
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%data], 1; bar.sync 0; ld.global.nc.u32 %r2, "
      "[%data];";
  CHECK(kinds(outcome_of({wrong}, 2)) == Kinds{FindingKind::non_coherent_read});
}

TEST_CASE("lanes of a warp exchange values") {
  const GpuOutcome outcome =
      outcome_of({"mov.u32 %r1, %tid.x; shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, -1; vote.sync.ballot.b32 %r3, %p1, -1;"
                  "redux.sync.add.u32 %r4, %r1, -1; setp.ne.u32 %p2, %r1, 5; @%p2 bra E;"
                  "st.global.u32 [%out], %r2; st.global.u32 [%out+4], %r3; st.global.u32 [%out+8], %r4; E: ret;"},
                 32);
  CHECK(kinds(outcome) == Kinds{});
  CHECK(first_out(outcome, 0, 0).bits == 4);
  CHECK(first_out(outcome, 0, 1).bits == 0xFFFFFFFF);
  CHECK(first_out(outcome, 0, 2).bits == 496);
}

TEST_CASE("a register of 128 bits is one access") {
  const GpuOutcome outcome =
      outcome_of({"ld.relaxed.sys.global.b128 %q1, [%in]; mov.b128 {%rd1, %rd2}, %q1; mov.b128 %q2, {%rd2, %rd1};"
                  "st.global.b128 [%out], %q2;"});
  CHECK(kinds(outcome) == Kinds{});
  CHECK((*outcome.terms)[first_out(outcome, 0, 0).term].b == 2);
  CHECK((*outcome.terms)[first_out(outcome, 0, 3).term].b == 1);
}

TEST_CASE("a register that nothing has set is noted, one that is set before is not") {
  CHECK(outcome_of({"mov.u32 %r1, 7; st.global.u32 [%out], %r1;"}).notes.empty());
  const GpuOutcome outcome = outcome_of({"st.global.u32 [%out], %r1;"});
  REQUIRE(outcome.notes.size() == 1);
  CHECK(outcome.notes.front().find("rank0 may read a register that nothing has set") == 0);
}

/// How often the reader of 16 bytes sees the flag, which is behind the payload, and not the payload, in 100 schedules.
int flags_without_payload(const std::string& writes) {
  const Launch launch = small_launch({"mov.b64 %rd1, 7; mov.b64 %rd2, 1; " + writes,
                                      "mov.u32 %r1, 0; W: ld.relaxed.sys.global.v2.u64 {%rd3, %rd4}, [%data];"
                                      "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; setp.eq.u64 %p2, %rd4, 0;"
                                      "and.pred %p3, %p1, %p2; @%p3 bra W; st.global.u64 [%out], %rd3;"
                                      "st.global.u64 [%out+8], %rd4;"});
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RunOptions options;
    options.schedule = {ScheduleKind::seeded, seed, 0};
    options.older_values = true;
    options.grants.whole_vectors = true;
    const GpuOutcome outcome = run(launch, options);
    found += first_out(outcome, 1, 2).bits == 1 && first_out(outcome, 1, 0).bits == 0 ? 1 : 0;
  }
  return found;
}

TEST_CASE("whole vectors are those of one store: what two relaxed stores write may come in either order") {
  CHECK(flags_without_payload("st.relaxed.sys.global.u64 [%data], %rd1; st.relaxed.sys.global.u64 [%data+8], %rd2;") >
        0);
  CHECK(flags_without_payload("st.relaxed.sys.global.v2.u64 [%data], {%rd1, %rd2};") == 0);
}

TEST_CASE("code that never ran is known by its place") {
  const Launch launch = small_launch({"setp.eq.s64 %p1, %data, 0;\n@!%p1 bra END;\nmov.u32 %r1, 1;\nEND:\n"});
  const PlacesRun places = places_run(*launch.module, run(launch, {}).ran);
  std::vector<bool> ran;
  for (const auto& [place, has_run] : places) ran.push_back(has_run);
  CHECK(std::count(ran.begin(), ran.end(), false) == 1);
  CHECK_FALSE(ran.at(ran.size() - 2));
}

TEST_CASE("the same schedule gives the same run") {
  RunOptions options;
  options.schedule = {ScheduleKind::seeded, 5, 0};
  const GpuOutcome first = message(release, acquire, options);
  const GpuOutcome second = message(release, acquire, options);
  CHECK(first.instructions == second.instructions);
}

}  // namespace
}  // namespace onceover::gpu::engine_test
