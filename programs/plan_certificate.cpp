// The graph has several events for an operation. A certificate has one line, which stands where the last of them does:
// edges between events become edges between lines, and the lines are sorted by these.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/rows.h"
#include "formats/plan.h"
#include "programs/plan_memory.h"
#include "programs/plan_pipelines.h"
#include "programs/plan_run.h"
#include "programs/plan_size.h"
#include "programs/plan_waits.h"
#include "programs/program_certificate.h"
#include "programs/verify_plan.h"

namespace onceover::programs {

namespace {

bool is_meeting_of_block(const PlanOperation& o) {
  return o.instruction == PlanInstruction::nop || o.instruction == PlanInstruction::barrier;
}

/// Writes the order and clocks of one size.
class SizeCertificate {
 public:
  SizeCertificate(const ExecutionPlan& plan, const PlanGraph& graph, const EventClocks& clocks, std::int32_t calls)
      : plan_(plan), graph_(graph), clocks_(clocks), calls_(calls), lines_(graph.events) {
    name_chains();
    add_lines();
  }

  /// The lines in order; nothing if some depend on each other.
  std::optional<std::string> text() const { return lines_.sorted(graph_.edges); }

 private:
  using Known = std::uint32_t (EventClocks::*)(Event, std::uint32_t) const;

  /// The entries of the clock that aren't as at the event before.
  std::string changes(const Event* before, Event event, Known known) const {
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
      if (const PlanSite& site = graph_.sites[step.event]; site.block >= 0 && site.operation < 0) {
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

  std::size_t add(std::string words, std::optional<std::size_t> before) {
    const std::size_t line = lines_.add(std::move(words));
    if (before) lines_.order(*before, line);
    return line;
  }

  /// Adds a line in which a block meets, for the next time.
  std::size_t add_meeting(std::size_t block, std::string words, std::size_t before) {
    Meetings& meetings = meetings_[block];
    const Event now = meetings.events[meetings.done];
    const Event* last = meetings.done > 0 ? &meetings.events[meetings.done - 1] : nullptr;
    ++meetings.done;
    words += " over" + changes(last, now, &EventClocks::known) + " seen" + changes(last, now, &EventClocks::seen);
    const std::size_t line = add(std::move(words), before);
    lines_.put(now, line);
    return line;
  }

  void find_meetings() {
    meetings_.resize(block_chains_.size());
    std::map<std::uint32_t, std::size_t> by_chain;
    for (std::size_t b = 0; b < block_chains_.size(); ++b) by_chain[block_chains_[b]] = b;
    for (const ChainStep& step : graph_.steps)
      if (const auto found = by_chain.find(step.mark.chain); found != by_chain.end())
        meetings_[found->second].events.push_back(step.event);
  }

  void add_lines() {
    find_meetings();
    std::vector<std::optional<std::size_t>> last(plan_.gpus.size());
    for (std::int32_t call = 0; call < calls_; ++call)
      for (Rank r = 0; r < static_cast<Rank>(plan_.gpus.size()); ++r) {
        const auto rank = static_cast<std::size_t>(r);
        const std::size_t start = add(fmt::format("start {}", r), last[rank]);
        std::vector<std::size_t> left;
        for (std::int32_t b = 0; b < static_cast<std::int32_t>(plan_.gpus[rank].blocks.size()); ++b)
          left.push_back(add_block(call, r, b, start));
        last[rank] = add(fmt::format("end {}", r), start);
        for (const std::size_t at : left) lines_.order(at, *last[rank]);
      }
    for (Event e = 0; e < graph_.events; ++e)
      if (const PlanSite& site = graph_.sites[e]; site.operation >= 0 && !lines_.has(e))
        lines_.put(e, of_operation_.at({site.call, site.rank, site.block, site.operation}));
  }

  /// Adds the lines of a block in a call, and returns the last.
  std::size_t add_block(std::int32_t call, Rank r, std::int32_t b, std::size_t start) {
    const std::size_t block = block_of(r, b);
    std::size_t at = add_meeting(block, fmt::format("enter {} {}", r, b), start);
    const auto& operations = plan_.gpus[static_cast<std::size_t>(r)].blocks[static_cast<std::size_t>(b)].operations;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(operations.size()); ++k) {
      std::string words = fmt::format("run {} {} {}", r, b, k);
      at = is_meeting_of_block(operations[static_cast<std::size_t>(k)]) ? add_meeting(block, std::move(words), at)
                                                                        : add(std::move(words), at);
      of_operation_[{call, r, b, k}] = at;
    }
    return add_meeting(block, fmt::format("leave {} {}", r, b), at);
  }

  /// The meetings of a block, and how many of them have lines.
  struct Meetings {
    std::vector<Event> events = {};
    std::size_t done = 0;
  };

  const ExecutionPlan& plan_;
  const PlanGraph& graph_;
  const EventClocks& clocks_;
  std::int32_t calls_;
  std::vector<std::size_t> first_block_;     // by GPU
  std::vector<std::uint32_t> block_chains_;  // of the graph
  std::vector<std::size_t> numbers_;         // of chains in the certificate, ascending
  std::vector<std::uint32_t> chains_;        // their numbers in the graph
  std::vector<Meetings> meetings_;           // by block
  std::map<std::tuple<std::int32_t, Rank, std::int32_t, std::int32_t>, std::size_t> of_operation_;
  CertificateLines lines_;
};

/// Why certificates don't cover the plan; nothing if they may.
std::optional<std::string> uncovered(const ExecutionPlan& plan) {
  if (has_pipelines(plan)) return "the plan has pipelines";
  if (plan.reuses_resources) return "the plan shares scratch with others";
  if (!has_postcondition(plan)) return fmt::format("nothing says what '{}' promises", plan.collective);
  if (!has_known_places(plan)) return fmt::format("nothing says which memory '{}' shares in place", plan.collective);
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
    const auto order = order_of(graph.events, graph.edges);
    if (!order) return tl::unexpected(std::string("its operations have no order"));
    if (EventClocks::are_too_large(graph, *order, mapped(graph.steps, &ChainStep::event)))
      return tl::unexpected(std::string("the plan is too large"));
    if (graph.has_free_signals) return tl::unexpected(std::string("several threads signal on one channel"));
    if (run_plan(plan, memory, graph, *order, calls).uses_packet_chains)
      return tl::unexpected(std::string("packets order single units, and not whole operations"));
    const auto lines =
        SizeCertificate(plan, graph, EventClocks(graph, *order, mapped(graph.steps, &ChainStep::event)), calls).text();
    if (!lines) return tl::unexpected(std::string("its operations wait for parts of each other"));
    text += fmt::format("size {} calls {}\n{}", units, calls, *lines);
  }
  return text;
}

}  // namespace onceover::programs
