// Litmus tests: what PTX says of each, what the axioms say, what the engine shows; and that the page has the same.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "axioms.h"
#include "small_launch.h"

namespace onceover::gpu::litmus_table_test {
namespace {

struct Litmus {
  std::string name;
  std::string section;  // of the PTX ISA
  std::vector<std::pair<std::string, std::string>> threads;
  Observed asked;         // may threads read this? Empty: is there a race?
  std::string published;  // allowed, forbidden, race, no race
  std::string ours;       // seen, never; found, none
};

const std::string block = "0.0.0";
const std::string same_block = "0.0.32";
const std::string same_warp = "0.0.1";
const std::string other_block = "0.1.0";
const std::string other_rank = "1.0.0";
const std::string third_rank = "2.0.0";
const std::string fourth_rank = "3.0.0";

std::vector<Litmus> litmus_tests() {
  return {
      {"message passing, relaxed",
       "8.10.6",
       {{block, "st.relaxed.sys.u32 x, 1; st.relaxed.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; ld.relaxed.sys.u32 x"}},
       {1, 0},
       "allowed",
       "seen"},
      {"message passing, release and acquire",
       "8.8",
       {{block, "st.relaxed.sys.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.acquire.sys.u32 y; ld.relaxed.sys.u32 x"}},
       {1, 0},
       "forbidden",
       "never"},
      {"message passing, release alone",
       "8.8",
       {{block, "st.relaxed.sys.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; ld.relaxed.sys.u32 x"}},
       {1, 0},
       "allowed",
       "seen"},
      {"message passing, fences",
       "8.10.6",
       {{block, "st.relaxed.sys.u32 x, 1; fence.acq_rel.sys; st.relaxed.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; fence.acq_rel.sys; ld.relaxed.sys.u32 x"}},
       {1, 0},
       "forbidden",
       "never"},
      {"message passing, a fence of narrow scope",
       "8.7",
       {{block, "st.relaxed.sys.u32 x, 1; fence.acq_rel.gpu; st.relaxed.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; fence.acq_rel.sys; ld.relaxed.sys.u32 x"}},
       {1, 0},
       "allowed",
       "seen"},
      {"weak data, release and acquire",
       "8.7.1",
       {{block, "st.weak.u32 x, 1; st.release.sys.u32 y, 1"}, {other_rank, "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"weak data, relaxed flag",
       "8.7.1",
       {{block, "st.weak.u32 x, 1; st.relaxed.sys.u32 y, 1"}, {other_rank, "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"weak data, release of narrow scope",
       "8.7",
       {{block, "st.weak.u32 x, 1; st.release.gpu.u32 y, 1"}, {other_rank, "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"weak data, the scope of one GPU",
       "8.5",
       {{block, "st.weak.u32 x, 1; st.release.gpu.u32 y, 1"},
        {other_block, "ld.acquire.gpu.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"store buffering, relaxed",
       "8.10.6",
       {{block, "st.relaxed.sys.u32 x, 1; ld.relaxed.sys.u32 y"},
        {other_rank, "st.relaxed.sys.u32 y, 1; ld.relaxed.sys.u32 x"}},
       {0, 0},
       "allowed",
       "seen"},
      {"store buffering, fence.acq_rel",
       "8.10.6",
       {{block, "st.relaxed.sys.u32 x, 1; fence.acq_rel.sys; ld.relaxed.sys.u32 y"},
        {other_rank, "st.relaxed.sys.u32 y, 1; fence.acq_rel.sys; ld.relaxed.sys.u32 x"}},
       {0, 0},
       "allowed",
       "seen"},
      {"store buffering, fence.sc",
       "8.9.3",
       {{block, "st.relaxed.sys.u32 x, 1; fence.sc.sys; ld.relaxed.sys.u32 y"},
        {other_rank, "st.relaxed.sys.u32 y, 1; fence.sc.sys; ld.relaxed.sys.u32 x"}},
       {0, 0},
       "forbidden",
       "never"},
      {"store buffering, fence.sc of narrow scope",
       "8.9.3",
       {{block, "st.relaxed.sys.u32 x, 1; fence.sc.gpu; ld.relaxed.sys.u32 y"},
        {other_rank, "st.relaxed.sys.u32 y, 1; fence.sc.gpu; ld.relaxed.sys.u32 x"}},
       {0, 0},
       "allowed",
       "seen"},
      {"load buffering",
       "8.10.4",
       {{block, "ld.relaxed.sys.u32 x; st.relaxed.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; st.relaxed.sys.u32 x, 1"}},
       {1, 1},
       "allowed",
       "never"},
      {"load buffering with dependencies",
       "8.10.4",
       {{block, "ld.relaxed.sys.u32 x; @0=1 st.relaxed.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; @0=1 st.relaxed.sys.u32 x, 1"}},
       {1, 1},
       "forbidden",
       "never"},
      {"independent reads of independent writes, relaxed",
       "8.10.6",
       {{block, "st.relaxed.sys.u32 x, 1"},
        {other_rank, "st.relaxed.sys.u32 y, 1"},
        {third_rank, "ld.relaxed.sys.u32 x; ld.relaxed.sys.u32 y"},
        {fourth_rank, "ld.relaxed.sys.u32 y; ld.relaxed.sys.u32 x"}},
       {1, 0, 1, 0},
       "allowed",
       "seen"},
      {"independent reads of independent writes, acquire",
       "8.10.6",
       {{block, "st.release.sys.u32 x, 1"},
        {other_rank, "st.release.sys.u32 y, 1"},
        {third_rank, "ld.acquire.sys.u32 x; ld.acquire.sys.u32 y"},
        {fourth_rank, "ld.acquire.sys.u32 y; ld.acquire.sys.u32 x"}},
       {1, 0, 1, 0},
       "allowed",
       "seen"},
      {"independent reads of independent writes, fence.sc",
       "8.9.3",
       {{block, "st.relaxed.sys.u32 x, 1"},
        {other_rank, "st.relaxed.sys.u32 y, 1"},
        {third_rank, "ld.relaxed.sys.u32 x; fence.sc.sys; ld.relaxed.sys.u32 y"},
        {fourth_rank, "ld.relaxed.sys.u32 y; fence.sc.sys; ld.relaxed.sys.u32 x"}},
       {1, 0, 1, 0},
       "forbidden",
       "never"},
      {"reads of one place (CoRR)",
       "8.10.5",
       {{block, "st.relaxed.sys.u32 x, 1"}, {other_rank, "ld.relaxed.sys.u32 x; ld.relaxed.sys.u32 x"}},
       {1, 0},
       "forbidden",
       "never"},
      {"a write, then a read of it (CoWR)",
       "8.10.5",
       {{block, "st.relaxed.sys.u32 x, 1; ld.relaxed.sys.u32 x"}, {other_rank, "ld.relaxed.sys.u32 x"}},
       {0, 1},
       "forbidden",
       "never"},
      {"atomic updates",
       "8.10.3",
       {{block, "atom.relaxed.sys.add.u32 x, 1"}, {other_rank, "atom.relaxed.sys.add.u32 x, 1"}},
       {0, 0},
       "forbidden",
       "never"},
      {"atomic updates, one of narrow scope",
       "8.10.3",
       {{block, "atom.relaxed.cta.add.u32 x, 1"}, {other_block, "atom.relaxed.gpu.add.u32 x, 1"}},
       {},
       "race",
       "found"},
      {"release, then an atomic update by another",
       "8.9.2",
       {{block, "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; @0=1 atom.relaxed.sys.add.u32 y, 1"},
        {third_rank, "ld.acquire.sys.u32 y; @0=2 ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"release, then a store by another",
       "8.9.2",
       {{block, "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; @0=1 st.relaxed.sys.u32 y, 2"},
        {third_rank, "ld.acquire.sys.u32 y; @0=2 ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"release, then an atomic update of narrow scope",
       "8.9.2",
       {{block, "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; @0=1 atom.relaxed.gpu.add.u32 y, 1"},
        {third_rank, "ld.acquire.sys.u32 y; @0=2 ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"two releases that count",
       "8.9.2",
       {{block, "st.weak.u32 x, 1; red.release.gpu.add.u32 y, 1"},
        {other_block, "st.weak.u32 x1, 1; red.release.gpu.add.u32 y, 1"},
        {"0.2.0", "ld.acquire.gpu.u32 y; @0=2 ld.weak.u32 x; @0=2 ld.weak.u32 x1"}},
       {},
       "no race",
       "none"},
      {"release, then a store by the same thread",
       "8.8",
       {{block, "st.weak.u32 x, 1; st.release.sys.u32 y, 1; st.relaxed.sys.u32 y, 2"},
        {other_rank, "ld.acquire.sys.u32 y; @0=2 ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"relaxed read, then an acquire",
       "8.8",
       {{block, "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.relaxed.sys.u32 y; @0=1 ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"message passing by red",
       "8.11.1",
       {{block, "st.weak.u32 x, 1; st.release.gpu.u32 y, 1"},
        {other_block, "red.relaxed.gpu.add.u32 y, 1; fence.acq_rel.gpu; ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"a third thread between",
       "8.9.5",
       {{block, "st.relaxed.sys.u32 x, 1; st.release.sys.u32 y, 1"},
        {other_rank, "ld.acquire.sys.u32 y; @0=1 st.release.sys.u32 z, 1"},
        {third_rank, "ld.acquire.sys.u32 z; ld.relaxed.sys.u32 x"}},
       {1, 1, 0},
       "forbidden",
       "never"},
      {"a write that was read",
       "8.9.5",
       {{block, "st.relaxed.sys.u32 x, 1"},
        {other_rank, "ld.relaxed.sys.u32 x; @0=1 st.release.sys.u32 y, 1"},
        {third_rank, "ld.acquire.sys.u32 y; ld.relaxed.sys.u32 x"}},
       {1, 1, 0},
       "forbidden",
       "never"},
      {"a barrier",
       "8.9.4",
       {{block, "st.weak.u32 x, 1; bar"}, {same_block, "bar; ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"no barrier", "8.9.4", {{block, "st.weak.u32 x, 1"}, {same_block, "ld.weak.u32 x"}}, {}, "race", "found"},
      {"no barrier in one warp",
       "8.5",
       {{block, "st.weak.u32 x, 1"}, {same_warp, "ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"a barrier, then a release by another thread",
       "8.9.5",
       {{block, "st.weak.u32 x, 1; bar"},
        {same_block, "bar; st.release.sys.u32 y, 1"},
        {other_rank, "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "no race",
       "none"},
      {"a release by another thread, then a barrier",
       "8.9.5",
       {{block, "st.weak.u32 x, 1; bar"},
        {same_block, "st.release.sys.u32 y, 1; bar"},
        {other_rank, "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}},
       {},
       "race",
       "found"},
      {"mixed sizes",
       "8.7.2",
       {{block, "st.relaxed.sys.u32 x, 1"}, {other_rank, "ld.relaxed.sys.u64 x"}},
       {},
       "race",
       "found"},
      {"one size of eight bytes",
       "8.10.3",
       {{block, "st.relaxed.sys.u64 x, 1"}, {other_rank, "ld.relaxed.sys.u64 x"}},
       {0, 1},
       "forbidden",
       "never"},
  };
}

std::string listed(const Observed& asked) {
  std::string text;
  for (const std::uint32_t value : asked) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

/// The row of docs/gpu-memory-model.md.
std::string row_of(const Litmus& litmus) {
  std::string threads;
  for (const auto& [place, steps] : litmus.threads)
    threads += (threads.empty() ? "" : "<br>") + ("`" + place + ": " + steps + "`");
  return "| " + litmus.name + " | " + litmus.section + " | " + threads + " | " +
         (litmus.asked.empty() ? "a race" : listed(litmus.asked)) + " | " + litmus.published + " | " + litmus.ours +
         " |\n";
}

LittleProgram program_of(const Litmus& litmus) {
  LittleProgram program;
  for (const auto& [place, steps] : litmus.threads) program.push_back(little_thread(place, steps));
  return program;
}

bool has_race(const EngineJudgement& engine) {
  return engine.findings.contains(FindingKind::data_race) || engine.findings.contains(FindingKind::narrow_scope) ||
         engine.findings.contains(FindingKind::mixed_sizes);
}

TEST_CASE("the axioms say of each litmus test what is published") {
  for (const Litmus& litmus : litmus_tests()) {
    INFO(litmus.name);
    const AxiomJudgement axioms = judge_by_axioms(program_of(litmus));
    const bool is_so = litmus.asked.empty() ? axioms.has_race : axioms.allowed.contains(litmus.asked);
    CHECK(litmus.published ==
          (litmus.asked.empty() ? (is_so ? "race" : "no race") : (is_so ? "allowed" : "forbidden")));
    CHECK(axioms.has_race == axioms.has_race_in_order);
  }
}

TEST_CASE("the engine shows of each litmus test what the page says") {
  for (const Litmus& litmus : litmus_tests()) {
    INFO(litmus.name);
    const EngineJudgement engine = run_by_engine(program_of(litmus), 400);
    CHECK(engine.all_finished);
    if (litmus.asked.empty())
      CHECK(litmus.ours == (has_race(engine) ? "found" : "none"));
    else
      CHECK(litmus.ours == (engine.seen.contains(litmus.asked) ? "seen" : "never"));
  }
}

TEST_CASE("the page of the memory model has each litmus test") {
  std::ostringstream page;
  page << std::ifstream(ONCEOVER_SOURCE "/docs/gpu-memory-model.md").rdbuf();
  for (const Litmus& litmus : litmus_tests()) {
    INFO(row_of(litmus));
    CHECK(page.str().find(row_of(litmus)) != std::string::npos);
  }
}

TEST_CASE("other proxies are refused, and non-coherent reads see only what was there before the kernel") {
  const auto kinds_of = [](const std::string& body) { return kinds(run(small_launch({body}), {})); };
  for (const char* other :
       {"fence.proxy.async;", "fence.proxy.tensormap::generic.release.gpu;", "fence.proxy.async.global;",
        "cp.async.bulk.commit_group;", "mbarrier.init.shared.b64 [%rd1], 1;"})
    CHECK(kinds_of(other) == std::vector<FindingKind>{FindingKind::unsupported});
  const std::string reads_others =
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%data], 1; bar.sync 0; "
      "ld.global.nc.u32 %r2, [%data];";
  CHECK(kinds(run(small_launch({reads_others}, 2), {})) == std::vector<FindingKind>{FindingKind::non_coherent_read});
}

TEST_CASE("print the rows", "[.rows]") {
  for (const Litmus& litmus : litmus_tests()) std::printf("%s", row_of(litmus).c_str());
}

}  // namespace
}  // namespace onceover::gpu::litmus_table_test
