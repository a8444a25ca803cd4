// The graph has several events for an operation. A certificate has one line, which stands where the last of them does:
// edges between events become edges between lines, and the lines are sorted by these.

#include "programs/plan_certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "formats/plan_instructions.h"
#include "programs/plan_packets.h"
#include "programs/plan_pipelines.h"
#include "programs/plan_results.h"
#include "programs/plan_run.h"
#include "programs/plan_size.h"
#include "programs/verify_plan.h"

namespace onceover::programs {

namespace {

/// A line of a certificate: what happens, and for a meeting of a block its event.
struct CertificateLine {
  std::string words;
  std::optional<std::size_t> block = {};  // of all blocks
  std::optional<PlanEvent> meeting = {};
};

bool is_meeting_of_block(const PlanOperation& o) {
  return o.instruction == PlanInstruction::nop || o.instruction == PlanInstruction::barrier;
}

/// Writes the order and clocks of one size.
class SizeCertificate {
 public:
  SizeCertificate(const ExecutionPlan& plan, const PlanGraph& graph, const PlanClocks& clocks, std::int32_t calls)
      : plan_(plan), graph_(graph), clocks_(clocks), calls_(calls), lines_of_event_(graph.events.size()) {
    name_chains();
    add_lines();
    for (const PlanEdge& e : graph.edges)
      for (const std::size_t before : lines_of_event_[e.before])
        for (const std::size_t after : lines_of_event_[e.after])
          if (before != after) edges_.emplace_back(before, after);
  }

  /// The lines in order; nothing if some depend on each other.
  std::optional<std::string> text() const {
    std::vector<std::vector<std::size_t>> after(lines_.size());
    std::vector<std::size_t> waits(lines_.size(), 0);
    for (const auto& [a, b] : edges_) {
      after[a].push_back(b);
      ++waits[b];
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t k = 0; k < lines_.size(); ++k)
      if (waits[k] == 0) ready.push(k);
    std::string text;
    std::vector<std::optional<PlanEvent>> last(block_chains_.size());
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::size_t k = ready.top();
      ready.pop();
      text += lines_[k].words;
      if (lines_[k].meeting) {
        std::optional<PlanEvent>& before = last[*lines_[k].block];
        text += " over" + changes(before, *lines_[k].meeting, &PlanClocks::known);
        text += " seen" + changes(before, *lines_[k].meeting, &PlanClocks::seen);
        before = lines_[k].meeting;
      }
      text += '\n';
      for (const std::size_t b : after[k])
        if (--waits[b] == 0) ready.push(b);
    }
    return done == lines_.size() ? std::optional(std::move(text)) : std::nullopt;
  }

 private:
  using Known = std::uint32_t (PlanClocks::*)(PlanEvent, std::uint32_t) const;

  /// The entries of the clock that aren't as at the event before.
  std::string changes(std::optional<PlanEvent> before, PlanEvent event, Known known) const {
    std::string text;
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      const std::uint32_t now = (clocks_.*known)(event, chains_[c]);
      if (now != (before ? (clocks_.*known)(*before, chains_[c]) : 0)) text += fmt::format(" {}:{}", numbers_[c], now);
    }
    return text;
  }

  /// Chains are numbered by GPU, then by block, then by port channel.
  void name_chains() {
    std::size_t next = plan_.gpus.size();
    for (const PlanGpu& gpu : plan_.gpus) {
      first_block_.push_back(block_chains_.size());
      block_chains_.resize(block_chains_.size() + gpu.blocks.size());
    }
    next += block_chains_.size();
    std::vector<std::size_t> first_port;
    for (const PlanGpu& gpu : plan_.gpus) {
      first_port.push_back(next);
      next += gpu.port_channels.size();
    }
    std::map<std::size_t, std::uint32_t> named;
    for (const ChainStep& step : graph_.steps)
      if (const PlanSite& site = graph_.events[step.event]; site.block >= 0 && site.operation < 0) {
        const std::size_t block = block_of(site.rank, site.block);
        block_chains_[block] = step.mark.chain;
        named[plan_.gpus.size() + block] = step.mark.chain;
      }
    for (const PlanTask& task : graph_.tasks) {
      const auto rank = static_cast<std::size_t>(task.site.rank);
      if (task.kind != PlanTask::Kind::operation) named[rank] = task.done.chain;
      if (task.kind == PlanTask::Kind::operation && task.movement >= 0) {
        const std::int32_t id = operation_at(plan_, task.site).ids[static_cast<std::size_t>(task.movement)];
        named[first_port[rank] + static_cast<std::size_t>(id)] = task.done.chain;
      }
    }
    for (const auto& [number, chain] : named) {
      numbers_.push_back(number);
      chains_.push_back(chain);
    }
  }

  std::size_t block_of(Rank rank, std::int32_t block) const {
    return first_block_[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(block);
  }

  std::size_t add(CertificateLine line, std::optional<std::size_t> before) {
    lines_.push_back(std::move(line));
    const std::size_t k = lines_.size() - 1;
    if (before) edges_.emplace_back(*before, k);
    if (lines_[k].meeting) lines_of_event_[*lines_[k].meeting].push_back(k);
    return k;
  }

  void add_lines() {
    std::vector<std::vector<PlanEvent>> meetings(block_chains_.size());
    std::map<std::uint32_t, std::size_t> by_chain;
    for (std::size_t b = 0; b < block_chains_.size(); ++b) by_chain[block_chains_[b]] = b;
    for (const ChainStep& step : graph_.steps)
      if (const auto found = by_chain.find(step.mark.chain); found != by_chain.end())
        meetings[found->second].push_back(step.event);
    std::vector<std::size_t> met(meetings.size(), 0);
    std::map<std::tuple<std::int32_t, Rank, std::int32_t, std::int32_t>, std::size_t> of_operation;
    std::vector<std::optional<std::size_t>> last(plan_.gpus.size());
    for (std::int32_t call = 0; call < calls_; ++call)
      for (Rank r = 0; r < static_cast<Rank>(plan_.gpus.size()); ++r) {
        const auto rank = static_cast<std::size_t>(r);
        const std::size_t start = add({fmt::format("start {}", r)}, last[rank]);
        std::vector<std::size_t> left;
        for (std::int32_t b = 0; b < static_cast<std::int32_t>(plan_.gpus[rank].blocks.size()); ++b) {
          const std::size_t block = block_of(r, b);
          const auto meet = [&] { return meetings[block][met[block]++]; };
          std::size_t at = add({fmt::format("enter {} {}", r, b), block, meet()}, start);
          const auto& operations = plan_.gpus[rank].blocks[static_cast<std::size_t>(b)].operations;
          for (std::int32_t k = 0; k < static_cast<std::int32_t>(operations.size()); ++k) {
            CertificateLine line{fmt::format("run {} {} {}", r, b, k)};
            if (is_meeting_of_block(operations[static_cast<std::size_t>(k)])) line.block = block, line.meeting = meet();
            at = add(std::move(line), at);
            of_operation[{call, r, b, k}] = at;
          }
          left.push_back(add({fmt::format("leave {} {}", r, b), block, meet()}, at));
        }
        last[rank] = add({fmt::format("end {}", r)}, start);
        for (const std::size_t at : left) edges_.emplace_back(at, *last[rank]);
      }
    for (PlanEvent e = 0; e < graph_.events.size(); ++e)
      if (const PlanSite& site = graph_.events[e]; site.operation >= 0 && lines_of_event_[e].empty())
        lines_of_event_[e].push_back(of_operation.at({site.call, site.rank, site.block, site.operation}));
  }

  const ExecutionPlan& plan_;
  const PlanGraph& graph_;
  const PlanClocks& clocks_;
  std::int32_t calls_;
  std::vector<std::size_t> first_block_;     // by GPU
  std::vector<std::uint32_t> block_chains_;  // of the graph
  std::vector<std::size_t> numbers_;         // of chains in the certificate, ascending
  std::vector<std::uint32_t> chains_;        // their numbers in the graph
  std::vector<CertificateLine> lines_;
  std::vector<std::vector<std::size_t>> lines_of_event_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

/// Why certificates don't cover the plan; nothing if they may.
std::optional<std::string> uncovered(const ExecutionPlan& plan) {
  if (has_pipelines(plan)) return "the plan has pipelines";
  if (plan.reuses_resources) return "the plan shares scratch with others";
  if (!has_postcondition(plan)) return fmt::format("nothing says what '{}' promises", plan.collective);
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations)
        if (o.channel == ChannelType::port && !o.targets.empty() && is_packet_target(o, 0))
          return "there are packets on port channels";
  return std::nullopt;
}

}  // namespace

tl::expected<std::string, std::string> plan_certificate(const ExecutionPlan& plan) {
  if (const auto why = uncovered(plan)) return tl::unexpected(*why);
  const auto sizes = sizes_to_judge(plan, sizes_of(plan));
  if (!sizes) return tl::unexpected(std::string("there are too many sizes"));
  const std::int32_t calls = calls_to_judge(plan);
  std::string text = "onceover-plan-certificate 1\n";
  for (const std::uint32_t units : *sizes) {
    const PlanMemory memory(plan, units);
    PlanGraph graph = plan_graph(plan, calls);
    connect_packets(plan, memory, calls, graph);
    const auto order = order_of(graph, true);
    if (!order) return tl::unexpected(std::string("its operations have no order"));
    if (PlanClocks::are_too_large(graph, *order)) return tl::unexpected(std::string("the plan is too large"));
    if (graph.has_free_signals) return tl::unexpected(std::string("several threads signal on one channel"));
    if (run_plan(plan, memory, graph, *order, calls).uses_packet_chains)
      return tl::unexpected(std::string("packets order single units, and not whole operations"));
    const auto lines = SizeCertificate(plan, graph, PlanClocks(graph, *order, KeptClocks::of_meetings), calls).text();
    if (!lines) return tl::unexpected(std::string("its operations wait for parts of each other"));
    text += fmt::format("size {} calls {}\n{}", units, calls, *lines);
  }
  return text;
}

}  // namespace onceover::programs
