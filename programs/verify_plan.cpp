// A plan is judged size by size (plan_size.h). Each property keeps its worst finding.

#include "programs/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/counted.h"
#include "programs/plan_findings.h"
#include "programs/plan_results.h"
#include "programs/plan_size.h"

namespace onceover::programs {

namespace {

constexpr std::uint32_t most_sizes = 256;
constexpr std::uint64_t most_cells = std::uint64_t{1} << 22;
constexpr std::uint64_t most_cells_to_repair = std::uint64_t{1} << 16;   // of all sizes together
constexpr std::uint64_t most_clocks_to_repair = std::uint64_t{1} << 23;  // operations * blocks, the same

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
    for (const std::uint32_t units : *sizes) take(judge_size(plan_, units, is_balanced()), units, sizes->size() > 1);
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
  void take(PlanSizeFindings found, std::uint32_t units, bool are_several) {
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
  PlanSizeFindings worst_;
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
