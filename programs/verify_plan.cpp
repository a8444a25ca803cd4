// A plan is judged size by size (plan_size.h). Each property keeps its worst finding.

#include "programs/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/sentences.h"
#include "formats/plan.h"
#include "programs/plan_findings.h"
#include "programs/plan_memory.h"
#include "programs/plan_pipelines.h"
#include "programs/plan_size.h"

namespace onceover::programs {

namespace {

constexpr std::uint32_t most_sizes = 256;
constexpr const char* no_message = "the plan is for no size of message that its chunks divide";
constexpr std::uint64_t most_cells = std::uint64_t{1} << 22;
constexpr std::uint64_t cells_of_few_operations = std::uint64_t{1} << 19;
constexpr std::uint64_t most_cells_to_repair = std::uint64_t{1} << 20;   // of all sizes together
constexpr std::uint64_t most_clocks_to_repair = std::uint64_t{1} << 23;  // operations * blocks, the same

/// "4 GiB", "1000 bytes": in the largest unit of which it is a multiple.
std::string bytes_words(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{30, "GiB"}, {20, "MiB"}, {10, "KiB"}})
    if (bytes >> shift << shift == bytes) return fmt::format("{} {}", bytes >> shift, unit);
  return fmt::format("{} bytes", bytes);
}

class PlanJudge {
 public:
  PlanJudge(const ExecutionPlan& plan, const VerifyOptions& options, bool repairs)
      : plan_(plan), options_(options), repairs_(repairs) {}

  Report report() {
    count();
    report_.scope = fmt::format("every unit of memory, {}, for {}, {} calls in a row",
                                plan_.in_place ? "in place" : "out of place", messages_text(), calls_to_judge(plan_));
    report_.not_tried = not_tried();
    if (!has_pipelines(plan_)) judge_barriers(plan_);
    if (well_formed_.verdict == Verdict::pass)
      judge_sizes();
    else
      set_all(not_judged("not well-formed"));
    if (asks_beyond_limit()) leave_beyond(limit_ - 1);
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

  std::string messages_text() const {
    const std::uint64_t step = message_chunks(plan_) * plan_.alignment;
    const auto [first, last] = options_.sizes.value_or(MessageSizes{plan_.min_bytes, plan_.max_bytes});
    const std::uint64_t begin = std::max({first, plan_.min_bytes, std::uint64_t{1}});
    const std::uint64_t least = (std::min(begin, limit_) + step - 1) / step * step;
    const std::uint64_t most = std::min(last, plan_.max_bytes);
    if (least >= limit_ || least > most) return fmt::format("messages of {} to {} bytes", first, last);
    if (!options_.sizes && least == step && most >= limit_) return "all sizes of messages below " + bytes_words(limit_);
    return most < limit_ ? fmt::format("all messages of {} to {} bytes", least, most / step * step)
                         : fmt::format("all messages of {} bytes or more, below {}", least, bytes_words(limit_));
  }

  std::vector<std::string> not_tried() const {
    std::vector<std::string> all{"calls of different sizes in a row"};
    if (plan_.has_two_halves || plan_.reuses_resources) all.emplace_back("other plans between the calls");
    if (!plan_.is_as_executed && !differences_of_executor(plan_).empty())
      all.emplace_back("what the runtime of August 2026 does otherwise (--reading executor)");
    if (!options_.sizes && plan_.max_bytes >= limit_)
      all.push_back(fmt::format("messages of {} or more", bytes_words(limit_)));
    return all;
  }

  bool asks_beyond_limit() const {
    return options_.sizes && options_.sizes->most >= limit_ && options_.sizes->most != UINT64_MAX;
  }

  /// Does the plan take all sizes that are asked for? An open end asks for none.
  bool takes_what_is_asked() const {
    if (!options_.sizes) return true;
    const auto [least, most] = *options_.sizes;
    return (least == 0 || least >= plan_.min_bytes) && (most == UINT64_MAX || most <= plan_.max_bytes);
  }

  void refuse(const std::string& why) {
    well_formed_ = failed("messages don't fit", {.what = told_unsafe(why)});
    set_all(not_judged("not well-formed"));
  }

  void judge_sizes() {
    if (plan_.unjudged) return set_all(not_judged(*plan_.unjudged));
    if (const auto why = unjudged_pipelines(plan_)) return set_all(not_judged(*why));
    if (!takes_what_is_asked())
      return refuse(fmt::format("the plan is for messages of {} to {} bytes, and not for all that are asked for",
                                plan_.min_bytes, plan_.max_bytes));
    if (sizes_of(plan_, options_.sizes).least >= limit_)
      return set_all(not_judged(fmt::format("from {} on, 32 bits of an offset overflow", bytes_words(limit_))));
    if (!has_known_places(plan_))
      return set_all(not_judged(fmt::format("nothing says which memory '{}' shares in place", plan_.collective)));
    if (has_pipelines(plan_)) return judge_iterations();
    const auto [window, is_cut] = judged_window();
    if (is_cut && window.least > window.most)
      return set_all(not_judged("messages are larger than the scratch that plans share"));
    const auto sizes = sizes_to_judge(plan_, window);
    if (!sizes) return set_all(not_judged("the blocks divide ranges in so many ways that there are too many sizes"));
    if (sizes->empty()) return refuse(no_message);
    if (const auto why = needs_too_much(plan_, sizes->back())) return set_all(not_judged(*why));
    judge_balance(plan_);
    for (const std::uint32_t units : *sizes)
      take(judge_size(plan_, units, is_balanced()), has_slices() ? chunks_text(units, window) : "");
    if (is_cut) leave_beyond(window.most);
    if (repairs_ && is_small_enough_to_repair(*sizes)) repair();
  }

  bool has_slices() const { return size_period(plan_) != std::optional<std::uint64_t>(1); }

  /// The chunks that a size stands for: the smallest of them that are asked for.
  std::string chunks_text(std::uint32_t units, const MessageSizes& window) const {
    const std::uint64_t step = message_chunks(plan_) * plan_.alignment, period = *size_period(plan_);
    const std::uint64_t least = (window.least + step - 1) / step;
    const std::uint64_t asked = units >= least ? units : units + (least - units + period - 1) / period * period;
    return fmt::format("with chunks of {} bytes{}", asked * plan_.alignment,
                       asked == units ? "" : fmt::format(", for which {} bytes stand", units * plan_.alignment));
  }

  /// Why judging chunks of so many units takes too much memory; nothing if it doesn't. A unit takes 180 bytes, so a
  /// plan of few operations may have fewer.
  std::optional<std::string> needs_too_much(const ExecutionPlan& plan, std::uint32_t units) const {
    const std::uint64_t operations = report_.program->operations, needed = cells_needed(plan, units);
    const std::uint64_t most = std::min({most_cells, options_.budget, cells_of_few_operations + 4096 * operations});
    if (needed <= most) return std::nullopt;
    return fmt::format("it has {} units of memory, more than the {} that are judged with {}", needed, most,
                       counted(operations, "operation"));
  }

  /// The messages that are judged, and whether larger ones are left out, for which shared scratch is too small.
  std::pair<MessageSizes, bool> judged_window() const {
    MessageSizes window = sizes_of(plan_, options_.sizes);
    const auto share = most_shared_chunk(plan_);
    if (!share) return {window, false};
    const std::uint64_t most = *share * message_chunks(plan_);
    const bool is_cut = window.most > most;
    window.most = std::min(window.most, most);
    return {window, is_cut};
  }

  /// Judges each number of iterations. Counters change evenly with it, so they are balanced for all if for two.
  void judge_iterations() {
    const MessageSizes window = sizes_of(plan_, options_.sizes);
    const PipelineSizes sizes = pipeline_sizes(plan_, window, options_.budget);
    if (sizes.iterations.empty() && sizes.are_all) return refuse(no_message);
    if (sizes.iterations.empty()) return set_all(not_judged("the pipelines have too many iterations"));
    const std::uint64_t unit = unrolled(plan_, 1).alignment;
    for (const std::uint32_t n : sizes.iterations) {
      const ExecutionPlan plan = unrolled(plan_, n);
      if (const auto why = needs_too_much(plan, n)) return set_all(not_judged(*why));
      judge_barriers(plan);
      if (well_formed_.verdict != Verdict::pass) return set_all(not_judged("not well-formed"));
      if (n <= sizes.iterations.front() + 1 && is_balanced()) judge_balance(plan);
      take(judge_size(plan, n, is_balanced()),
           fmt::format("with {} of each pipeline: chunks of {} to {} bytes", counted(n, "iteration"),
                       (n - 1) * unit + plan_.alignment, n * unit));
    }
    if (!sizes.are_all) leave_beyond(sizes.iterations.back() * unit * message_chunks(plan_));
  }

  /// Larger messages aren't judged.
  void leave_beyond(std::uint64_t bytes) {
    for (Found* f : worst_.all())
      if (f->verdict == Verdict::pass)
        *f = not_judged(fmt::format("messages of more than {} bytes; it passes for those up to there", bytes));
  }

  bool is_small_enough_to_repair(const std::vector<std::uint32_t>& sizes) const {
    return sizes.size() * cells_needed(plan_, sizes.back()) <= most_cells_to_repair &&
           sizes.size() * report_.program->operations * report_.program->threads <= most_clocks_to_repair;
  }

  void repair() {
    const auto judge = [this](const ExecutionPlan& plan) { return PlanJudge(plan, options_, false).report(); };
    for (Found* f : {&worst_.race, &worst_.repeatable}) {
      if (!f->seen) continue;
      auto& fault = std::get<Counterexample::Told>(f->counterexample->what);
      const auto nop = repair_of(plan_, *f->seen, judge);
      if (nop && nop->passes) {
        add_repair(*nop, fault);
        continue;
      }
      auto line = repair_on_every_gpu(plan_, *f->seen, judge);
      if (!line) line = repair_by_flush(plan_, *f->seen, judge);
      if (line)
        fault.lines.push_back(*std::move(line));
      else if (nop)
        add_repair(*nop, fault);
    }
  }

  static void add_repair(const NopRepair& repair, Counterexample::Told& fault) {
    fault.remedies.push_back(text(repair));
    fault.own = repair;
  }

  bool is_balanced() const { return balanced_.verdict == Verdict::pass; }

  void judge_barriers(const ExecutionPlan& plan) {
    if (const auto barrier = ill_formed_barrier(plan))
      well_formed_ = failed("a barrier doesn't fit its blocks", fault_of(plan, *barrier));
  }

  void judge_balance(const ExecutionPlan& plan) {
    const PlanGraph graph = plan_graph(plan, 1);
    if (graph.unbalanced.empty()) return;
    balanced_ = failed("counters aren't used up", fault_of(plan, graph.unbalanced.front()), graph.unbalanced.size());
  }

  /// Keeps the worst finding on each property.
  void take(PlanSizeFindings found, const std::string& way) {
    report_.metrics.term_depth = std::max(report_.metrics.term_depth, found.term_depth);
    const auto theirs = found.all(), ours = worst_.all();
    for (std::size_t k = 0; k < ours.size(); ++k) {
      if (worse(theirs[k]->verdict, ours[k]->verdict) == ours[k]->verdict) continue;
      *ours[k] = std::move(*theirs[k]);
      if (!way.empty() && ours[k]->counterexample) ours[k]->counterexample->ways.push_back(way);
    }
  }

  void add(const Property& p, Finding finding, bool is_required) {
    const bool is_waived = asks_for(options_.waived, p);
    report_.properties.push_back({std::move(finding), p.id, is_required && !is_waived, is_waived});
  }

  Report finished() {
    const auto is_required = [&](const Property& p) { return p.required_by_default || asks_for(options_.required, p); };
    add(well_formed_property, well_formed_, true);
    add(deadlock_free_property, worst_.deadlock, true);
    add(race_free_property, worst_.race, true);
    if (!plan_.in_place) add(input_preserved_property, worst_.preserved, true);
    const bool is_waived = options_.without_data && !has_postcondition(plan_);
    if (is_waived) report_.scope += "; its data isn't judged";
    add(exactly_once_property, worst_.exactly_once, !is_waived || asks_for(options_.required, exactly_once_property));
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
  std::uint64_t limit_ = message_limit(plan_);
  Finding well_formed_{Verdict::pass, "all operations, channels and barriers fit together"};
  Finding balanced_{Verdict::pass, "every signal is waited for, and every release acquired"};
  PlanSizeFindings worst_;
  Report report_;
};

}  // namespace

MessageSizes sizes_of(const ExecutionPlan& plan, const std::optional<MessageSizes>& asked) {
  const MessageSizes all = asked.value_or(MessageSizes{});
  return {std::max(plan.min_bytes, all.least), std::min({plan.max_bytes, all.most, message_limit(plan) - 1})};
}

std::optional<std::uint64_t> size_period(const ExecutionPlan& plan) {
  std::uint64_t common = 1;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations) {
        common = std::lcm(common, static_cast<std::uint64_t>(o.slice.parts));
        if (common > most_sizes) return std::nullopt;
      }
  return common;
}

std::optional<std::vector<std::uint32_t>> sizes_to_judge(const ExecutionPlan& plan, const MessageSizes& window) {
  const auto period = size_period(plan);
  if (!period) return std::nullopt;
  std::uint64_t most_parts = 1;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations)
        most_parts = std::max(most_parts, static_cast<std::uint64_t>(o.slice.parts));
  // In a chunk of q * period + rest units, the ends of two slices are affine functions of q, and each is less than
  // most_parts / 4 beyond its exact place. So from this q on, ends that differ in place differ in order as well.
  const std::uint64_t enough = *period * (*period == 1 ? 1 : most_parts / 2 + 1);
  const std::uint64_t unit = message_chunks(plan) * plan.alignment;
  const std::uint64_t least = std::max<std::uint64_t>(1, window.least / unit + (window.least % unit != 0 ? 1 : 0));
  const std::uint64_t most = std::min(window.most / unit, std::max(least, enough) + *period - 1);
  if (most >= least && std::min(most, enough + *period - 1) > most_sizes) return std::nullopt;
  std::vector<std::uint32_t> sizes;
  for (std::uint64_t units = least; units <= most; ++units)
    sizes.push_back(static_cast<std::uint32_t>(units < enough ? units : enough + (units - enough) % *period));
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

Report verify(const ExecutionPlan& plan, const VerifyOptions& options) {
  return PlanJudge(plan, options, true).report();
}

}  // namespace onceover::programs
