// A plan is judged size by size. For each size, one call is judged, and then, if it is sound, several calls in a row.
// Each property keeps its worst finding. The calls are so many that what follows repeats what was seen: two; twice that
// if they use the halves of scratch in turn; and those in which semaphores still live on what they began with.

#include "programs/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/counted.h"
#include "programs/plan_findings.h"
#include "programs/plan_packets.h"
#include "programs/plan_repairs.h"
#include "programs/plan_results.h"

namespace onceover::programs {

namespace {

constexpr std::uint32_t most_sizes = 256;
constexpr std::uint64_t most_cells = std::uint64_t{1} << 22;
constexpr std::int32_t most_calls = 8;
constexpr std::uint64_t most_cells_to_repair = std::uint64_t{1} << 16;   // of all sizes together
constexpr std::uint64_t most_clocks_to_repair = std::uint64_t{1} << 23;  // operations * blocks, the same

Finding not_judged(std::string_view why) {
  return {Verdict::unknown, fmt::format("not judged: {}", why)};
}

Finding failed(std::string summary, Counterexample counterexample, std::uint64_t violations = 1) {
  return {Verdict::fail, std::move(summary), std::move(counterexample), violations};
}

/// A finding, and the race by which it fails, if it is one.
struct Found : Finding {
  Found(Finding finding, std::optional<PlanRaceSeen> by = {}) : Finding(std::move(finding)), seen(std::move(by)) {}
  std::optional<PlanRaceSeen> seen;
};

Found passed(std::string_view summary) {
  return Finding{Verdict::pass, std::string(summary)};
}

/// What is found at one size.
struct Findings {
  Found deadlock = passed("every wait has its signals and packets, and none wait in a circle");
  Found race = passed("all accesses to a unit of memory, one of them a write, are ordered");
  Found preserved = passed("no operation writes to an input");
  Found exactly_once = passed("every unit of every output is what the collective promises");
  Found bits = passed("all ranks add in one order");
  Found repeatable = passed("later calls find everything as the first does");
  std::uint32_t term_depth = 0;

  std::array<Found*, 6> all() { return {&deadlock, &race, &preserved, &exactly_once, &bits, &repeatable}; }
};

/// In how many calls everything that can happen between calls has happened.
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

/// Judges a plan at one size.
class SizeJudge {
 public:
  SizeJudge(const ExecutionPlan& plan, std::uint32_t units) : plan_(plan), memory_(plan, units) {}

  Findings judge(bool is_balanced) {
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
  std::optional<PlanFindings> run_calls(std::int32_t calls, Finding& deadlock, Finding& race) {
    PlanGraph graph = plan_graph(plan_, calls);
    connect_packets(plan_, memory_, calls, graph);
    if (!graph.starved.empty()) {
      deadlock = failed("an operation waits for what never comes", fault_of(plan_, graph.starved.front()),
                        graph.starved.size());
      return std::nullopt;
    }
    if (!order_of(graph, false)) {
      deadlock = failed("operations wait in a circle", circle_of(plan_, graph, circle_of(graph)));
      return std::nullopt;
    }
    if (graph.clash)
      race = failed("packets are written twice",
                    fault_of(plan_, {graph.clash->reader, fmt::format("waits for a packet in {}, which is "
                                                                      "written several times in a call",
                                                                      memory_.text(graph.clash->cell))}));
    if (graph.undetermined) {
      deadlock = not_judged(*graph.undetermined);
      return std::nullopt;
    }
    const auto order = order_of(graph, true);
    if (!order) {
      deadlock = not_judged("whether it ends depends on how far the threads of a block run ahead of each other");
      return std::nullopt;
    }
    if (graph.events.size() * graph.chains > PlanClocks::most_entries) {
      race = not_judged("too many operations and blocks");
      return std::nullopt;
    }
    return run_plan(plan_, memory_, graph, *order, calls);
  }

  void judge_one(const PlanFindings& run) {
    if (run.race) findings_.race = raced("operations race", run, 1);
    if (run.lost_packets && findings_.race.verdict == Verdict::pass)
      findings_.race = failed("packets are replaced before they are read",
                              fault_of(plan_, {*run.lost_packets, "the packets that it waits for are replaced"}));
    if (run.relaxed && findings_.race.verdict == Verdict::pass)
      findings_.race = Finding{Verdict::unknown, relaxed_text(*run.relaxed)};
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

  void judge_data(const PlanFindings& run) {
    findings_.term_depth = run.term_depth;
    if (run.wrong)
      findings_.exactly_once = failed(fmt::format("units that end wrong: {}", run.wrong_results),
                                      result_of(plan_, memory_, *run.wrong, "ends with"), run.wrong_results);
    if (run.different)
      findings_.bits = failed("ranks add in different orders",
                              result_of(plan_, memory_, *run.different, "is added in another order than on gpu 0:"));
    if (run.wrong) findings_.bits = not_judged("not exactly once");
    if (!run.has_postcondition)
      findings_.exactly_once = findings_.bits =
          Finding{Verdict::unknown, fmt::format("not applicable: nothing says what '{}' promises", plan_.collective)};
    if (findings_.race.verdict == Verdict::pass) return;
    for (Found* f : {&findings_.exactly_once, &findings_.bits})
      if (f->verdict == Verdict::pass)
        *f = not_judged(findings_.race.verdict == Verdict::fail ? "operations race, so the result depends on the timing"
                                                                : "it isn't known whether operations race");
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
    Finding deadlock{Verdict::pass, ""}, race{Verdict::pass, ""};
    const auto run = run_calls(calls, deadlock, race);
    for (const Finding* f : {&deadlock, &race})
      if (f->verdict != Verdict::pass) repeatable = *f;
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
    else if (run.relaxed_between_calls)
      repeatable = Finding{Verdict::unknown, relaxed_text(*run.relaxed_between_calls)};
  }

  const ExecutionPlan& plan_;
  PlanMemory memory_;
  Findings findings_;
};

std::uint64_t message_units(const ExecutionPlan& plan) {
  const Buffers& chunks = plan.gpus.front().chunks;
  return static_cast<std::uint64_t>(plan.collective == "allgather" ? chunks.output : chunks.input);
}

class PlanJudge {
 public:
  PlanJudge(const ExecutionPlan& plan, const VerifyOptions& options, bool repairs)
      : plan_(plan), options_(options), repairs_(repairs) {}

  Report report() {
    count();
    report_.scope = "every unit of memory, for all sizes of messages below 4 GiB";
    if (const auto barrier = ill_formed_barrier(plan_))
      well_formed_ = failed("a barrier doesn't fit its blocks", fault_of(plan_, *barrier));
    if (well_formed_.verdict == Verdict::pass)
      judge_sizes();
    else
      set_all(not_judged("not well-formed"));
    return finished();
  }

 private:
  void count() {
    ProgramMetrics m;
    for (const PlanGpu& gpu : plan_.gpus) {
      m.threads += gpu.blocks.size();
      m.connections += gpu.memory_channels.size() + gpu.port_channels.size();
      std::uint64_t sent = 0;
      for (const PlanBlock& block : gpu.blocks) {
        m.operations += block.operations.size();
        for (const PlanOperation& o : block.operations) sent += count_messages(o);
      }
      report_.metrics.block_transfers += sent;
      report_.metrics.blocks_sent_max = std::max(report_.metrics.blocks_sent_max, sent);
      report_.metrics.blocks_sent_min =
          &gpu == &plan_.gpus.front() ? sent : std::min(report_.metrics.blocks_sent_min, sent);
    }
    report_.program = m;
  }

  /// Counts what the operation moves between GPUs, and returns its chunks.
  std::uint64_t count_messages(const PlanOperation& o) {
    std::uint64_t chunks = 0;
    for (const auto* ranges : {&o.sources, &o.targets})
      for (const PlanRange& range : *ranges) {
        if (range.where == PlanRange::Where::local) continue;
        ++report_.metrics.messages;
        chunks += static_cast<std::uint64_t>(range.size);
      }
    return chunks;
  }

  void set_all(const Finding& finding) {
    balanced_ = finding;
    for (Found* f : worst_.all()) *f = finding;
  }

  void judge_sizes() {
    const auto sizes = sizes_to_judge(plan_);
    if (plan_.unjudged) return set_all(not_judged(*plan_.unjudged));
    if (plan_.in_place && !has_postcondition(plan_))
      return set_all(not_judged(fmt::format("nothing says which chunks '{}' shares in place", plan_.collective)));
    if (!sizes) return set_all(not_judged("the blocks divide ranges in so many ways that there are too many sizes"));
    if (sizes->empty()) {
      well_formed_ =
          failed("no message fits", {.what = Counterexample::Unsafe{"the plan is for no size of message that "
                                                                    "its chunks divide"}});
      return set_all(not_judged("not well-formed"));
    }
    if (cells_needed(plan_, sizes->back()) > std::min(most_cells, options_.budget))
      return set_all(not_judged("too much memory"));
    judge_balance();
    for (const std::uint32_t units : *sizes)
      take(SizeJudge(plan_, units).judge(is_balanced()), units, sizes->size() > 1);
    if (repairs_ && is_small_enough_to_repair(*sizes)) repair();
  }

  bool is_small_enough_to_repair(const std::vector<std::uint32_t>& sizes) const {
    return sizes.size() * cells_needed(plan_, sizes.back()) <= most_cells_to_repair &&
           sizes.size() * report_.program->operations * report_.program->threads <= most_clocks_to_repair;
  }

  void repair() {
    const auto judge = [this](const ExecutionPlan& plan) { return PlanJudge(plan, options_, false).report(); };
    for (Found* f : {&worst_.race, &worst_.repeatable})
      if (f->seen) std::get<Counterexample::Unsafe>(f->counterexample->what).repair = repair_of(plan_, *f->seen, judge);
  }

  bool is_balanced() const { return balanced_.verdict == Verdict::pass; }

  void judge_balance() {
    const PlanGraph graph = plan_graph(plan_, 1);
    if (graph.unbalanced.empty()) return;
    balanced_ = failed("counters aren't used up", fault_of(plan_, graph.unbalanced.front()), graph.unbalanced.size());
  }

  /// Keeps the worst finding on each property.
  void take(Findings found, std::uint32_t units, bool are_several) {
    report_.metrics.term_depth = std::max(report_.metrics.term_depth, found.term_depth);
    const auto theirs = found.all(), ours = worst_.all();
    for (std::size_t k = 0; k < ours.size(); ++k) {
      if (worse(theirs[k]->verdict, ours[k]->verdict) == ours[k]->verdict) continue;
      *ours[k] = std::move(*theirs[k]);
      if (are_several && ours[k]->counterexample)
        ours[k]->counterexample->ways.push_back(
            fmt::format("with chunks of {} bytes", std::uint64_t{units} * plan_.alignment));
    }
  }

  void add(const Property& p, Finding finding, bool is_required) {
    report_.properties.push_back({std::move(finding), p.id, is_required});
  }

  Report finished() {
    const auto is_required = [&](const Property& p) { return p.required_by_default || asks_for(options_.required, p); };
    const bool has_data = has_postcondition(plan_);
    add(well_formed_property, well_formed_, true);
    add(deadlock_free_property, worst_.deadlock, true);
    add(race_free_property, worst_.race, true);
    if (!plan_.in_place) add(input_preserved_property, worst_.preserved, true);
    add(exactly_once_property, worst_.exactly_once, has_data || asks_for(options_.required, exactly_once_property));
    add(balanced_property, balanced_, true);
    add(repeatable_property, worst_.repeatable, true);
    add(bitwise_reproducible_property, worst_.bits, is_required(bitwise_reproducible_property));
    for (const Property& p : properties())
      if (asks_for(options_.required, p) && report_.find(p) == nullptr)
        add(p, not_judged("this is not about plans of MSCCL++"), true);
    report_.verdict = required_verdict(report_.properties);
    return std::move(report_);
  }

  const ExecutionPlan& plan_;
  const VerifyOptions& options_;
  bool repairs_;
  Finding well_formed_{Verdict::pass, "all operations, channels and barriers fit together"};
  Finding balanced_{Verdict::pass, "every signal is waited for, and every release acquired"};
  Findings worst_;
  Report report_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> sizes_to_judge(const ExecutionPlan& plan) {
  std::uint64_t common = 1, most_parts = 1;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations) {
        common = std::lcm(common, static_cast<std::uint64_t>(o.slice.parts));
        most_parts = std::max(most_parts, static_cast<std::uint64_t>(o.slice.parts));
        if (common > most_sizes) return std::nullopt;
      }
  // In a chunk of q * common + rest units, the ends of two slices are affine functions of q, and each is less than
  // most_parts / 4 beyond its exact place. So from this q on, ends that differ in place differ in order as well.
  const std::uint64_t enough = common * (common == 1 ? 1 : most_parts / 2 + 1);
  const std::uint64_t unit = message_units(plan) * plan.alignment;
  const std::uint64_t least = std::max<std::uint64_t>(1, plan.min_bytes / unit + (plan.min_bytes % unit != 0 ? 1 : 0));
  const std::uint64_t most = plan.max_bytes / unit;
  std::vector<std::uint32_t> sizes;
  if (most < least) return sizes;
  const std::uint64_t last = std::min(enough + common - 1, std::max(most, std::min(least, enough)));
  if (last > most_sizes) return std::nullopt;
  for (std::uint64_t units = std::min(least, enough); units <= last; ++units)
    sizes.push_back(static_cast<std::uint32_t>(units));
  return sizes;
}

Report verify(const ExecutionPlan& plan, const VerifyOptions& options) {
  return PlanJudge(plan, options, true).report();
}

}  // namespace onceover::programs
