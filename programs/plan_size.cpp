// One call is judged, and then, if it is sound, several calls in a row. The calls are so many that what follows repeats
// what was seen: two; twice that if they use the halves of scratch in turn; and those in which semaphores still live on
// what they began with.

#include "programs/plan_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sentences.h"
#include "programs/plan_findings.h"
#include "programs/plan_waits.h"

namespace onceover::programs {

namespace {

constexpr std::int32_t most_calls = 8;

/// Judges a plan at one size.
class SizeJudge {
 public:
  SizeJudge(const ExecutionPlan& plan, std::uint32_t units) : plan_(plan), memory_(plan, units) {}

  PlanSizeFindings judge(bool is_balanced) {
    if (auto run = run_calls(1, findings_.deadlock, findings_.race)) {
      judge_one(*run);
    } else {
      const std::string_view why = findings_.deadlock.verdict == Verdict::fail
                                       ? "the plan never ends"
                                       : "it isn't known what the plan's operations wait for";
      if (findings_.race.verdict == Verdict::pass) findings_.race = not_judged(why);
      for (Found* f : {&findings_.preserved, &findings_.exactly_once, &findings_.bits}) *f = not_judged(why);
    }
    judge_repeated(is_balanced);
    return std::move(findings_);
  }

 private:
  /// Runs calls of the plan, if nothing keeps it from ending; otherwise sets the findings.
  std::optional<PlanFindings> run_calls(std::int32_t calls, Finding& deadlock, Found& race) {
    PlanGraph graph = plan_graph(plan_, calls);
    connect_packets(plan_, memory_, calls, graph);
    if (!graph.starved.empty()) {
      deadlock = failed("an operation waits for what never comes", fault_of(plan_, graph.starved.front()),
                        graph.starved.size());
      return std::nullopt;
    }
    if (!order_of(graph.events, graph.edges, false)) {
      deadlock =
          failed("operations wait in a circle", circle_of(plan_, graph, shortest_cycle(graph.events, graph.edges)));
      return std::nullopt;
    }
    if (graph.clash) race = failed("packets are written twice", clash_of(plan_, memory_, *graph.clash));
    if (graph.undetermined) {
      deadlock = not_judged(*graph.undetermined);
      if (race.verdict == Verdict::pass && calls == 1) race = race_under_any_matching(std::move(graph));
      return std::nullopt;
    }
    const auto order = order_of(graph.events, graph.edges);
    if (!order) {
      deadlock = not_judged("whether it ends depends on how far the threads of a block run ahead of each other");
      return std::nullopt;
    }
    if (EventClocks::are_too_large(graph, *order, beginnings(graph))) {
      race = not_judged("too many operations and blocks");
      return std::nullopt;
    }
    PlanFindings run = run_plan(plan_, memory_, graph, *order, calls);
    if (run.race) run.race->why = seeming_order(plan_, graph, *run.race);
    return run;
  }

  /// Where several threads wait on a channel, which signal a wait takes isn't fixed. If each waited for all signals,
  /// more would be ordered than in any run. So what races even then, races.
  Found race_under_any_matching(PlanGraph graph) const {
    Found race = passed("");
    if (graph.has_free_requests) return race;
    add_any_matching(graph);
    const auto order = order_of(graph.events, graph.edges);
    if (!order || EventClocks::are_too_large(graph, *order, beginnings(graph))) return race;
    PlanFindings run = run_plan(plan_, memory_, graph, *order, 1);
    if (!run.race) return race;
    run.race->why = {"whichever of the waits on one channel takes which signal"};
    return raced("operations race", run, 1);
  }

  void judge_one(const PlanFindings& run) {
    if (run.race && findings_.race.verdict == Verdict::pass) findings_.race = raced("operations race", run, 1);
    if (run.lost_packets && findings_.race.verdict == Verdict::pass)
      findings_.race = failed("packets are replaced before they are read",
                              fault_of(plan_, {*run.lost_packets, "the packets that it waits for are replaced"}));
    if (run.relaxed && findings_.race.verdict == Verdict::pass)
      findings_.race = Finding{Verdict::unknown, relaxed_text(*run.relaxed)};
    if (run.plain_packets && findings_.race.verdict == Verdict::pass)
      findings_.race = Finding{Verdict::unknown, plain_text(*run.plain_packets)};
    if (run.overwritten)
      findings_.preserved =
          failed("an operation writes to an input", fault_of(plan_, {*run.overwritten, "it writes to an input"}));
    judge_data(run);
  }

  Found raced(std::string_view summary, const PlanFindings& run, std::int32_t calls) const {
    return {
        failed(std::string(summary), race_of(plan_, memory_, *run.race, "nothing orders two accesses to"), run.races),
        PlanRaceSeen{*run.race, memory_.units(), calls}};
  }

  std::string relaxed_text(const PlanRace& race) const {
    return fmt::format(
        "relaxed: {} is published by relaxed signals or packets alone, which order but needn't make it visible: {} "
        "writes it, {} uses it",
        memory_.text(race.cell), task_text(plan_, race.tasks[0]), task_text(plan_, race.tasks[1]));
  }

  std::string plain_text(const PlanSite& waiter) const {
    return fmt::format("{} waits for packets where plain data is written, too, which may look like their flags",
                       site_text(plan_, waiter));
  }

  void judge_data(const PlanFindings& run) {
    findings_.term_depth = run.term_depth;
    if (run.wrong)
      findings_.exactly_once = failed(fmt::format("units that end wrong: {}", run.wrong_results),
                                      result_of(plan_, memory_, *run.wrong, "ends with"), run.wrong_results);
    if (run.different)
      findings_.bits = failed("ranks add in different orders",
                              result_of(plan_, memory_, *run.different, "is added in another order than on gpu 0:"));
    if (run.wrong) findings_.bits = not_judged("not exactly once");
    if (!run.has_postcondition) findings_.exactly_once = findings_.bits = Finding{Verdict::unknown, unknown_promise()};
    if (findings_.race.verdict == Verdict::pass) return;
    for (Found* f : {&findings_.exactly_once, &findings_.bits})
      if (f->verdict == Verdict::pass)
        *f = not_judged(findings_.race.verdict == Verdict::fail ? "operations race, so the result depends on the timing"
                                                                : "it isn't known whether operations race");
  }

  std::string unknown_promise() const {
    return fmt::format("not judged: nothing says what '{}' promises (--collective none: judge the rest){}",
                       plan_.collective, suggestion(plan_.collective, plan_collectives));
  }

  void judge_repeated(bool is_balanced) {
    Found& repeatable = findings_.repeatable;
    if (!is_balanced) {
      repeatable = not_judged("the counters aren't balanced");
      return;
    }
    if (findings_.deadlock.verdict != Verdict::pass || findings_.race.verdict == Verdict::fail ||
        findings_.exactly_once.verdict == Verdict::fail) {
      repeatable = not_judged("one call isn't sound");
      return;
    }
    const std::int32_t calls = calls_to_judge(plan_);
    if (calls > most_calls) {
      repeatable = not_judged("semaphores begin with so much that the calls to judge are too many");
      return;
    }
    Finding deadlock{Verdict::pass, ""};
    Found race = passed("");
    const auto run = run_calls(calls, deadlock, race);
    if (deadlock.verdict != Verdict::pass) repeatable = deadlock;
    if (race.verdict != Verdict::pass) repeatable = race;
    if (run && repeatable.verdict == Verdict::pass) judge_calls(*run, calls);
  }

  void judge_calls(const PlanFindings& run, std::int32_t calls) {
    Found& repeatable = findings_.repeatable;
    if (run.race)
      repeatable = raced("calls race", run, calls);
    else if (run.lost_packets)
      repeatable = failed("packets are replaced before they are read",
                          fault_of(plan_, {*run.lost_packets, "the packets that it waits for are replaced"}));
    else if (run.wrong)
      repeatable = failed("a later call ends wrong", result_of(plan_, memory_, *run.wrong, "ends with"));
    else if (run.plain_packets)
      repeatable = Finding{Verdict::unknown, plain_text(*run.plain_packets)};
    else if (run.relaxed_between_calls)
      repeatable = Finding{Verdict::unknown, relaxed_text(*run.relaxed_between_calls)};
  }

  const ExecutionPlan& plan_;
  PlanMemory memory_;
  PlanSizeFindings findings_;
};

}  // namespace

Finding not_judged(std::string_view why) {
  return {Verdict::unknown, fmt::format("not judged: {}", why)};
}

Finding failed(std::string summary, Counterexample counterexample, std::uint64_t violations) {
  return {Verdict::fail, std::move(summary), std::move(counterexample), violations};
}

std::int32_t calls_to_judge(const ExecutionPlan& plan) {
  std::int32_t calls = plan.has_two_halves ? 4 : 2;
  for (const PlanGpu& gpu : plan.gpus) {
    std::vector<std::int32_t> acquires(gpu.semaphores.size(), 0);
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations)
        if (o.instruction == PlanInstruction::acquire)
          for (const std::int32_t id : o.ids) ++acquires[static_cast<std::size_t>(id)];
    for (std::size_t k = 0; k < acquires.size(); ++k)
      if (acquires[k] > 0 && gpu.semaphores[k] > 0) calls = std::max(calls, 3 + (gpu.semaphores[k] - 1) / acquires[k]);
  }
  return calls;
}

PlanSizeFindings judge_size(const ExecutionPlan& plan, std::uint32_t units, bool is_balanced) {
  return SizeJudge(plan, units).judge(is_balanced);
}

}  // namespace onceover::programs
