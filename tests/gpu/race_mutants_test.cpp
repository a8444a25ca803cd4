// Random and mutated little programs, judged by the engine and by the axioms of PTX.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "axioms.h"

namespace onceover::gpu::race_mutants_test {
namespace {

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t count) {
  return random() % count;
}

LittleProgram program_of(const std::vector<std::pair<const char*, const char*>>& threads) {
  LittleProgram program;
  for (const auto& [place, steps] : threads) program.push_back(little_thread(place, steps));
  return program;
}

/// Programs without a race, whose mutants have one or not.
std::vector<LittleProgram> right_programs() {
  return {
      program_of({{"0.0.0", "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
                  {"1.0.0", "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; fence.acq_rel.sys; st.relaxed.sys.u32 y, 1"},
                  {"1.0.0", "ld.relaxed.sys.u32 y; fence.acq_rel.sys; @0=1 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; fence.sc.gpu; st.relaxed.gpu.u32 y, 1"},
                  {"0.1.0", "ld.relaxed.gpu.u32 y; fence.sc.gpu; @0=1 st.weak.u32 x, 2"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
                  {"1.0.0", "ld.relaxed.sys.u32 y; @0=1 atom.relaxed.sys.add.u32 y, 1"},
                  {"2.0.0", "ld.acquire.sys.u32 y; @0=2 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; st.release.gpu.u32 y, 1"},
                  {"0.1.0", "ld.acquire.gpu.u32 y; @0=1 st.release.sys.u32 z, 1"},
                  {"1.0.0", "ld.acquire.sys.u32 z; @0=1 ld.weak.u32 x"}}),
      program_of(
          {{"0.0.0", "st.weak.u32 x, 1; bar; ld.weak.u32 y"}, {"0.0.32", "st.weak.u32 y, 1; bar; ld.weak.u32 x"}}),
      program_of(
          {{"0.0.0", "st.weak.u32 x, 1; bar; ld.weak.u32 y"}, {"0.0.1", "st.weak.u32 y, 1; bar; ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; bar"},
                  {"0.0.1", "bar; st.release.sys.u32 y, 1"},
                  {"1.0.0", "ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; atom.acq_rel.gpu.add.u32 y, 1; @1=1 ld.weak.u32 z"},
                  {"0.1.0", "st.weak.u32 z, 1; atom.acq_rel.gpu.add.u32 y, 1; @1=1 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; red.release.gpu.add.u32 y, 1"},
                  {"0.1.0", "st.weak.u32 x1, 1; red.release.gpu.add.u32 y, 1"},
                  {"0.2.0", "ld.acquire.gpu.u32 y; @0=2 ld.weak.u64 x"}}),
      program_of({{"0.0.0", "atom.acquire.sys.exch.u32 y, 1; @0=0 st.weak.u32 x, 1; @0=0 st.release.sys.u32 y, 0"},
                  {"1.0.0", "atom.acquire.sys.exch.u32 y, 1; @0=0 st.weak.u32 x, 2; @0=0 st.release.sys.u32 y, 0"}}),
      program_of(
          {{"0.0.0", "st.relaxed.sys.u64 x, 1"}, {"1.0.0", "ld.relaxed.sys.u64 x; @0=1 st.relaxed.sys.u64 y, 1"}}),
      program_of({{"0.0.0", "st.relaxed.sys.u32 x, 1; fence.acq_rel.sys; st.relaxed.sys.u32 y, 1"},
                  {"1.0.0", "ld.relaxed.sys.u32 y; @0=1 ld.weak.u32 y; fence.acq_rel.sys; @0=1 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; st.release.sys.u32 y, 1; st.relaxed.sys.u32 y, 2"},
                  {"1.0.0", "ld.acquire.sys.u32 y; @0=2 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.weak.u32 x, 1; st.release.sys.u32 y, 1"},
                  {"1.0.0", "ld.relaxed.sys.u32 y; @0=1 ld.acquire.sys.u32 y; @0=1 ld.weak.u32 x"}}),
      program_of({{"0.0.0", "st.relaxed.sys.u32 x, 1; fence.sc.sys; ld.relaxed.sys.u32 y; @2=0 st.weak.u32 z, 1"},
                  {"1.0.0", "st.relaxed.sys.u32 y, 1; fence.sc.sys; ld.relaxed.sys.u32 x; @2=0 st.weak.u32 z, 2"}}),
      program_of({{"0.0.0", "st.relaxed.sys.u32 x, 1"},
                  {"1.0.0", "ld.relaxed.sys.u32 x; fence.acq_rel.sys; @0=1 st.relaxed.sys.u32 y, 1"},
                  {"2.0.0", "ld.relaxed.sys.u32 y; fence.acq_rel.sys; @0=1 ld.weak.u32 x"}}),
  };
}

Order weaker(const Step& step, Random& random) {
  if (step.action == Action::fence || step.order == Order::weak)
    return step.order == Order::sc ? Order::acq_rel : step.order;
  if (step.order == Order::acq_rel) return std::array{Order::acquire, Order::release, Order::relaxed}[pick(random, 3)];
  if (step.order == Order::relaxed) return step.is_atomic() ? Order::relaxed : Order::weak;
  return Order::relaxed;
}

void drop(LittleThread& thread, int at) {
  thread.steps.erase(thread.steps.begin() + at);
  for (Step& step : thread.steps) {
    if (step.condition == at) step.condition = -1;
    if (step.condition > at) --step.condition;
  }
}

void swap_with_next(LittleThread& thread, int at) {
  const auto next = static_cast<std::size_t>(at) + 1;
  if (next >= thread.steps.size() || thread.steps[next].condition == at) return;
  std::swap(thread.steps[next - 1], thread.steps[next]);
  for (Step& step : thread.steps) {
    if (step.condition == at)
      step.condition = at + 1;
    else if (step.condition == at + 1)
      step.condition = at;
  }
}

/// One change: a step dropped, moved, weakened, of another place or size; or a thread elsewhere.
void mutate(LittleProgram& program, Random& random) {
  LittleThread& thread = program[pick(random, program.size())];
  if (thread.steps.empty()) return;
  const auto at = static_cast<int>(pick(random, thread.steps.size()));
  Step& step = thread.steps[static_cast<std::size_t>(at)];
  switch (pick(random, 9)) {
    case 0: drop(thread, at); break;
    case 1:
    case 2: swap_with_next(thread, at); break;
    case 3: step.order = weaker(step, random); break;
    case 4:
      if (step.scope != Scope::none) step.scope = std::array{Scope::cta, Scope::gpu, Scope::sys}[pick(random, 3)];
      break;
    case 5: step.condition = -1; break;
    case 6:
      if (step.word % 2 == 0 && step.action != Action::add && step.action != Action::reduce)
        step.words = 3 - step.words;
      break;
    case 7: step.word = static_cast<std::uint32_t>(pick(random, 3)) * 2; break;
    default:
      thread.rank = static_cast<Rank>(pick(random, 2));
      thread.block = static_cast<std::uint32_t>(pick(random, 2));
      thread.thread = static_cast<std::uint32_t>(pick(random, 2)) * 32;
      break;
  }
  if (step.order == Order::weak) step.scope = Scope::none;
}

Step random_step(Random& random, const std::vector<Step>& before) {
  Step step;
  step.action =
      std::array{Action::load,  Action::load, Action::load,     Action::store,  Action::store,
                 Action::store, Action::add,  Action::exchange, Action::reduce, Action::fence}[pick(random, 10)];
  switch (step.action) {
    case Action::load: step.order = std::array{Order::weak, Order::relaxed, Order::acquire}[pick(random, 3)]; break;
    case Action::store: step.order = std::array{Order::weak, Order::relaxed, Order::release}[pick(random, 3)]; break;
    case Action::reduce: step.order = std::array{Order::relaxed, Order::release}[pick(random, 2)]; break;
    case Action::fence: step.order = std::array{Order::acq_rel, Order::sc}[pick(random, 2)]; break;
    default:
      step.order = std::array{Order::relaxed, Order::acquire, Order::release, Order::acq_rel}[pick(random, 4)];
      break;
  }
  if (step.order != Order::weak)
    step.scope = std::array{Scope::sys, Scope::sys, Scope::gpu, Scope::cta}[pick(random, 4)];
  step.word = step.order == Order::weak ? 0 : 2 * static_cast<std::uint32_t>(pick(random, 2));
  step.value = 1 + static_cast<std::uint32_t>(pick(random, 2));
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (!before[at].returns() || pick(random, 2) == 0) continue;
    step.condition = static_cast<int>(at);
    step.wanted = static_cast<std::uint32_t>(pick(random, 3));
  }
  return step;
}

LittleProgram random_program(Random& random) {
  LittleProgram program;
  const std::size_t threads = 2 + pick(random, 2);
  for (std::size_t at = 0; at < threads; ++at) {
    LittleThread thread;
    thread.rank = static_cast<Rank>(pick(random, 2));
    thread.block = static_cast<std::uint32_t>(at);
    const std::size_t steps = 2 + pick(random, 5 - threads);
    for (std::size_t step = 0; step < steps; ++step) thread.steps.push_back(random_step(random, thread.steps));
    program.push_back(thread);
  }
  return program;
}

/// Do threads differ in place, and do those of a block meet at the same barriers?
bool is_sound(const LittleProgram& program) {
  for (std::size_t a = 0; a < program.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool same_block = program[a].rank == program[b].rank && program[a].block == program[b].block;
      if (!same_block) continue;
      if (program[a].thread == program[b].thread) return false;
      const auto barriers = [](const LittleThread& thread) {
        return std::count_if(thread.steps.begin(), thread.steps.end(),
                             [](const Step& step) { return step.action == Action::barrier; });
      };
      if (barriers(program[a]) != barriers(program[b])) return false;
    }
  }
  return std::all_of(program.begin(), program.end(), [](const LittleThread& thread) { return !thread.steps.empty(); });
}

/// All interleavings show just what the axioms allow without load buffering, and a race if there is one.
void compare_all(const LittleProgram& program) {
  const AxiomJudgement axioms = judge_by_axioms(program);
  const EngineJudgement engine = explore_by_engine(program);
  INFO(text_of(program) << axioms.race);
  CHECK(engine.all_finished);
  if (axioms.has_race_in_order) CHECK_FALSE(engine.findings.empty());
  if (axioms.has_race) return;
  CHECK(engine.seen == axioms.allowed_in_order);
}

template <class Make>
void compare_all(std::uint32_t seed, int count, Make make) {
  Random random(seed);
  while (count > 0) {
    const LittleProgram program = make(random);
    if (!is_sound(program)) continue;
    compare_all(program);
    --count;
  }
}

LittleProgram random_mutant(Random& random) {
  const std::vector<LittleProgram> right = right_programs();
  LittleProgram program = right[pick(random, right.size())];
  for (std::size_t changes = 1 + pick(random, 3); changes > 0; --changes) mutate(program, random);
  return program;
}

struct Tally {
  int programs = 0;
  int with_race = 0;
  int only_by_load_buffering = 0;  // with a race that no run of the engine can show
  int needing_more_seeds = 0;      // with a race that few random schedules show
  int false_races = 0;             // found by the engine, but none by the axioms
  int other_findings = 0;          // unordered strong writes, where there is no race
};

void compare(const LittleProgram& program, std::uint64_t seeds, Tally& tally) {
  const AxiomJudgement axioms = judge_by_axioms(program);
  EngineJudgement engine = run_by_engine(program, seeds);
  if (axioms.has_race_in_order && engine.findings.empty()) {
    ++tally.needing_more_seeds;
    for (std::uint64_t more = 8 * seeds; engine.findings.empty() && more <= 512 * seeds; more *= 8)
      engine = run_by_engine(program, more);
  }
  ++tally.programs;
  INFO(text_of(program) << axioms.race);
  CHECK(engine.all_finished);
  if (axioms.has_race) {
    ++tally.with_race;
    if (axioms.has_race_in_order)
      CHECK_FALSE(engine.findings.empty());
    else
      ++tally.only_by_load_buffering;
    return;
  }
  for (const Observed& seen : engine.seen) {
    CAPTURE(seen);
    CHECK(axioms.allowed.contains(seen));
  }
  if (axioms.has_superseded_race) return;
  const bool finds_race = engine.findings.contains(FindingKind::data_race) ||
                          engine.findings.contains(FindingKind::narrow_scope) ||
                          engine.findings.contains(FindingKind::mixed_sizes);
  if (finds_race) {
    ++tally.false_races;
    WARN(text_of(program) << "a race by the engine alone: " << engine.first);
  }
  if (!finds_race && !engine.findings.empty()) ++tally.other_findings;
}

/// The engine may be too strict, but seldom.
void report(const Tally& tally) {
  CHECK(tally.false_races * 1000 <= tally.programs);
  WARN(tally.programs << " programs, " << tally.with_race << " with a race, " << tally.only_by_load_buffering
                      << " of them by load buffering only, " << tally.needing_more_seeds << " after more seeds; "
                      << tally.false_races << " false races, " << tally.other_findings
                      << " with unordered strong writes only");
}

Tally judge_mutants(std::uint32_t seed, int count, std::uint64_t schedules) {
  Random random(seed);
  const std::vector<LittleProgram> right = right_programs();
  Tally tally;
  while (tally.programs < count) {
    LittleProgram program = right[pick(random, right.size())];
    for (std::size_t changes = 1 + pick(random, 3); changes > 0; --changes) mutate(program, random);
    if (is_sound(program)) compare(program, schedules, tally);
  }
  return tally;
}

Tally judge_random(std::uint32_t seed, int count, std::uint64_t schedules) {
  Random random(seed);
  Tally tally;
  while (tally.programs < count) compare(random_program(random), schedules, tally);
  return tally;
}

TEST_CASE("right programs have no race, by the axioms and by the engine") {
  for (const LittleProgram& program : right_programs()) {
    INFO(text_of(program));
    const AxiomJudgement axioms = judge_by_axioms(program);
    INFO(axioms.race);
    CHECK_FALSE(axioms.has_race);
    Tally tally;
    compare(program, 20, tally);
    CHECK(tally.false_races == 0);
  }
}

TEST_CASE("all interleavings show just what the axioms allow") {
  for (const LittleProgram& program : right_programs()) compare_all(program);
  compare_all(3, 100, random_mutant);
  compare_all(4, 100, random_program);
}

TEST_CASE("all interleavings of more programs show just what the axioms allow", "[long]") {
  compare_all(5, 4000, random_mutant);
  compare_all(6, 4000, random_program);
}

TEST_CASE("a mutant of a right program that has a race doesn't pass") {
  report(judge_mutants(1, 200, 20));
}

TEST_CASE("a random program that has a race doesn't pass") {
  report(judge_random(1, 200, 20));
}

TEST_CASE("more mutants that have a race don't pass", "[long]") {
  report(judge_mutants(2, 6000, 40));
}

TEST_CASE("more random programs that have a race don't pass", "[long]") {
  report(judge_random(2, 6000, 40));
}

}  // namespace
}  // namespace onceover::gpu::race_mutants_test
