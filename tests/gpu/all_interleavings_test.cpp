// Searches through all interleavings: how many there are, and what only few of them show.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "gpu/judge.h"
#include "gpu/launch/program.h"
#include "small_launch.h"

namespace onceover::gpu::all_interleavings_test {
namespace {

struct Explored {
  Exploration exploration;
  std::set<std::vector<std::uint64_t>> seen;  // the first words of the ranks' `out`
  std::set<FindingKind> findings;
};

Explored explored(const std::vector<std::string>& bodies, std::uint64_t most_runs = 10'000) {
  Explored all;
  all.exploration = explore(small_launch(bodies), {}, most_runs, [&](const GpuOutcome& outcome) {
    for (const GpuFinding& finding : outcome.findings) all.findings.insert(finding.kind);
    if (!outcome.is_finished) return true;
    std::vector<std::uint64_t> words;
    for (std::size_t rank = 0; rank < bodies.size(); ++rank) words.push_back(first_out(outcome, rank).bits);
    all.seen.insert(words);
    return true;
  });
  return all;
}

const std::string wait_for_flag = "W: ld.acquire.sys.global.u32 %r3, [%flag]; setp.eq.u32 %p1, %r3, 0; @%p1 bra W;\n";
const std::string store_result = "st.global.u32 [%out], %r3;";

TEST_CASE("a loop that spins is one read: message passing has one interleaving") {
  const std::string writer =
      "st.global.u32 [%data], 7; st.release.sys.global.u32 [%flag], 1; mov.u32 %r3, 0;" + store_result;
  const std::string reader = wait_for_flag + "ld.global.u32 %r3, [%data];" + store_result;
  const Explored all = explored({writer, reader});
  CHECK(all.exploration.why_incomplete.empty());
  CHECK(all.exploration.interleavings == 1);
  CHECK(all.seen == std::set<std::vector<std::uint64_t>>{{0, 7}});
  CHECK(all.findings.empty());
  const Explored turned = explored({reader, writer});
  CHECK(turned.exploration.interleavings == 1);
  CHECK(turned.seen == std::set<std::vector<std::uint64_t>>{{7, 0}});
}

TEST_CASE("atomics come in each order") {
  const std::string add = "atom.relaxed.sys.global.add.u32 %r3, [%flag], 1;" + store_result;
  const Explored all = explored({add, add, add});
  CHECK(all.exploration.why_incomplete.empty());
  CHECK(all.exploration.interleavings == 6);
  CHECK(all.seen.size() == 6);
}

TEST_CASE("a lock by compare-and-swap never fails to end") {
  const std::string lock =
      "L: atom.acquire.sys.global.cas.b32 %r1, [%flag], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
      "ld.global.u32 %r3, [%data]; add.u32 %r2, %r3, 1; st.global.u32 [%data], %r2;\n"
      "st.release.sys.global.u32 [%flag], 0;" +
      store_result;
  const Explored all = explored({lock, lock, lock});
  CHECK(all.exploration.why_incomplete.empty());
  CHECK(all.seen.size() == 6);
  CHECK(all.findings.empty());
}

TEST_CASE("a flag that is taken back before all have seen it is a deadlock in few interleavings") {
  const std::string writer =
      "st.relaxed.sys.global.u32 [%flag], 1; ld.relaxed.sys.global.u32 %r3, [%data]; st.relaxed.sys.global.u32 "
      "[%flag], "
      "0;" +
      store_result;
  const std::string reader = wait_for_flag + store_result;
  const Explored all = explored({writer, reader});
  CHECK(all.exploration.why_incomplete.empty());
  CHECK(all.findings == std::set<FindingKind>{FindingKind::deadlock});
  CHECK(all.seen.contains({0, 1}));
}

TEST_CASE("what accesses don't decide, and what is too much, is said") {
  CHECK(explored({"mov.u32 %r3, %clock;" + store_result}).exploration.why_incomplete == "the kernel reads a clock");
  const std::string add = "atom.relaxed.sys.global.add.u32 %r3, [%flag], 1;" + store_result;
  const Explored few = explored({add, add, add}, 5);
  CHECK(few.exploration.runs == 5);
  CHECK(few.exploration.why_incomplete == "the limit of runs is reached");
}

const std::string folder = std::string(ONCEOVER_SOURCE) + "/examples/gpu/";

/// An example at p = 2, with few threads.
GpuRun judged(const std::string& name, const std::string& program, const std::string& extent, std::int64_t n,
              const GpuJudgeOptions& options) {
  const std::string path = folder + name + ".toml";
  std::string text = read_file(path).value();
  const std::size_t block = text.find("block = ");
  text.replace(block, text.find('\n', block) - block, "block = " + extent);
  auto description = read_description(path, text, {.has_program = true, .ranks = {2}, .sizes = {n}});
  if (!description) FAIL(description.error().render());
  const LoadedProgram loaded = load_ptx(folder + "ptx/" + program + ".ptx").value();
  const auto launch = concrete(*description, loaded.module, 2, n);
  if (!launch) FAIL(launch.error().render());
  return judge(*launch, *description, options);
}

TEST_CASE("examples pass in all interleavings") {
  const std::string name = GENERATE("one_shot", "two_shot", "reduce_scatter", "allgather", "ring_ll", "two_kernels");
  const GpuRun run = judged(name, name + ".sm_80", "32", 8, {.seeds = 0, .most_starved = 0, .exhaustive = true});
  INFO(name << ": " << run.interleavings);
  CHECK(run.report.verdict == verifier::Verdict::pass);
  CHECK(run.has_all_interleavings);
  CHECK(run.report.scope.starts_with("all interleavings of p = 2, n = 8; 2 blocks of 32 threads"));
}

TEST_CASE("bugs that only some interleavings show are found in all of them") {
  const std::string bug = GENERATE("two_shot-5", "double_buffer-6", "packets-1", "packets-3", "ring_ll-2");
  const std::string name = bug.substr(0, bug.rfind('-'));
  const GpuRun run = judged(name, "bugs/" + bug, "4", 8, {.seeds = 0, .most_starved = 0, .exhaustive = true});
  INFO(bug << ", when " << run.failed_when);
  CHECK(run.report.verdict == verifier::Verdict::fail);
  CHECK(run.failed_when.starts_with("all interleavings"));
}

TEST_CASE("a search that doesn't end has no verdict") {
  const GpuRun run = judged("one_shot", "one_shot.sm_80", "32", 8,
                            {.seeds = 0, .most_starved = 0, .exhaustive = true, .most_runs = 1});
  CHECK(run.report.verdict == verifier::Verdict::unknown);
  CHECK_FALSE(run.has_all_interleavings);
}

}  // namespace
}  // namespace onceover::gpu::all_interleavings_test
