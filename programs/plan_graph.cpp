// The graph is built call by call, GPU by GPU, block by block. `BlockBuilder` walks the operations of a block and holds
// what the next one may have to come after: the last meeting, and for each thread its last event since then.

#include "programs/plan_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rows.h"
#include "base/sentences.h"
#include "formats/plan.h"
#include "programs/plan_waits.h"

namespace onceover::programs {

namespace {

using I = PlanInstruction;
constexpr Event no_event = UINT32_MAX;

/// What goes on from one call to the next.
struct Chain {
  std::uint32_t number;
  std::uint32_t value = 0;
};

/// The requests of a GPU on one of its port channels.
struct PortQueue {
  Chain transfers;
  Event last = no_event;  // the last transfer or signal
  PlanSite site = {};     // of the last request
  std::uint32_t meetings = 0;
  std::size_t thread = 0;
};

class GraphBuilder {
 public:
  GraphBuilder(const ExecutionPlan& plan, std::int32_t calls) : plan_(plan), calls_(calls) {}

  PlanGraph build();

  Event add(const PlanSite& site) {
    graph_.sites.push_back(site);
    return graph_.events++;
  }
  void edge(Event before, Event after, Why why = Why::rule) {
    if (before != no_event) graph_.edges.push_back({before, after, why});
  }
  void step(Chain& chain, Event event) { graph_.steps.push_back({event, {chain.number, ++chain.value}}); }
  Chain new_chain() { return {graph_.chains++}; }

  const ExecutionPlan& plan_;
  std::int32_t calls_;
  PlanGraph graph_;
  PlanCounters counters_;
  std::map<std::pair<Rank, std::int32_t>, PortQueue> ports_;
  /// The meeting of a barrier's blocks, by GPU, barrier and how often they have met.
  std::map<std::tuple<Rank, std::int32_t, std::int32_t>, Event> barriers_;
};

/// Adds the events of one block in one call.
class BlockBuilder {
 public:
  BlockBuilder(GraphBuilder& to, PlanSite site, Chain& meetings, std::map<std::int32_t, std::int32_t>& barriers)
      : to_(to), site_(site), meetings_(meetings), barriers_(barriers) {}

  /// From the start of the call to its end on the GPU.
  void build(Event start, Event end) {
    meet(to_.add(site_));
    to_.edge(start, meeting_);
    const auto& operations =
        to_.plan_.gpus[static_cast<std::size_t>(site_.rank)].blocks[static_cast<std::size_t>(site_.block)].operations;
    for (std::size_t k = 0; k < operations.size(); ++k) {
      site_.operation = static_cast<std::int32_t>(k);
      add(operations[k]);
      if (last_.empty()) continue;  // it does nothing, and the next one follows what came before it
      before_ = std::move(last_);
      last_.clear();
    }
    site_.operation = -1;
    meet(to_.add(site_));
    to_.edge(meeting_, end);
  }

 private:
  void add(const PlanOperation& o) {
    switch (o.instruction) {
      case I::nop: return meet(to_.add(site_));
      case I::barrier: return meet(o.barrier_blocks == 1 ? to_.add(site_) : barrier(o));
      case I::signal:
      case I::release:
      case I::wait:
      case I::acquire:
      case I::flush:
        for (std::size_t k = 0; k < o.ids.size(); ++k) add_single(o, k);
        return;
      default: o.channel == ChannelType::port ? add_requests(o) : add_data(o);
    }
  }

  /// The whole block meets at `event`, and goes on from there.
  void meet(Event event) {
    for (const Event e : since_) to_.edge(e, event);
    if (meeting_ != no_event) to_.edge(meeting_, event);
    since_.clear();
    threads_.clear();
    meeting_ = event;
    to_.step(meetings_, event);
    last_ = {event};
    sequence(event);
  }

  Event barrier(const PlanOperation& o) {
    const auto [at, is_new] =
        to_.barriers_.try_emplace({site_.rank, o.barrier, barriers_[o.barrier]++}, Event{no_event});
    if (is_new) at->second = to_.add(site_);
    return at->second;
  }

  /// An event that begins after the last meeting, before the next one, and in some runs after the operation before.
  Event event() {
    const Event e = to_.add(site_);
    to_.edge(meeting_, e);
    since_.push_back(e);
    sequence(e);
    return e;
  }

  void sequence(Event e) {
    for (const Event b : before_)
      if (b != e) to_.edge(b, e, Why::some_run);
  }

  /// An event of one thread.
  Event event_of(std::size_t thread) {
    const Event e = event();
    const auto [at, is_first] = threads_.try_emplace(thread, e);
    if (!is_first) to_.edge(at->second, e);
    at->second = e;
    last_.push_back(e);
    return e;
  }

  CounterEvent counted_event(Event e, std::size_t thread, bool is_relaxed) const {
    return {e, site_, meetings_.value, thread, is_relaxed};
  }

  /// The counter on which the peer of a channel waits, or this GPU itself.
  CounterName counter(const PlanOperation& o, std::int32_t id, bool is_wait) const {
    const bool is_semaphore = o.instruction == I::acquire || o.instruction == I::release;
    if (is_semaphore) return {site_.rank, site_.rank, CounterName::Type::semaphore, id};
    const bool is_port = o.channel == ChannelType::port;
    const PlanGpu& gpu = to_.plan_.gpus[static_cast<std::size_t>(site_.rank)];
    const PlanChannel& c = (is_port ? gpu.port_channels : gpu.memory_channels)[static_cast<std::size_t>(id)];
    return {is_wait ? site_.rank : c.peer, is_wait ? c.peer : site_.rank,
            is_port ? CounterName::Type::port : CounterName::Type::memory, c.occurrence};
  }

  void add_single(const PlanOperation& o, std::size_t k) {
    const std::int32_t id = o.ids[k];
    const Event e = event_of(k);
    if (o.instruction == I::flush) return flush(id, e, k);
    const bool is_wait = o.instruction == I::wait || o.instruction == I::acquire;
    const CounterName name = counter(o, id, is_wait);
    if (is_wait) return to_.counters_.wait(name, counted_event(e, k, o.is_relaxed));
    const bool is_asynchronous = o.instruction == I::signal && o.channel == ChannelType::port;
    to_.counters_.signal(name, counted_event(is_asynchronous ? queue(id, e, k) : e, k, o.is_relaxed));
  }

  /// Does what the proxy does for a request of thread `k`, after the requests before it on the channel.
  Event queue(std::int32_t id, Event request, std::size_t k) {
    PortQueue& port = port_of(id, k);
    const Event done = to_.add(site_);
    to_.edge(request, done);
    to_.edge(port.last, done);
    port.last = done;
    return done;
  }

  PortQueue& port_of(std::int32_t id, std::size_t k) {
    const auto [at, is_new] = to_.ports_.try_emplace({site_.rank, id}, PortQueue{});
    PortQueue& port = at->second;
    if (is_new) port.transfers = to_.new_chain();
    const bool follows = is_new || port.site.call < site_.call ||
                         (port.site.block == site_.block && (port.meetings < meetings_.value || port.thread == k));
    if (!follows) {
      to_.graph_.has_free_requests = true;
      to_.graph_.undetermined = fmt::format(
          "several threads of gpu {} put requests on port channel {}, and their order isn't fixed", site_.rank, id);
    }
    port.site = site_;
    port.meetings = meetings_.value;
    port.thread = k;
    return port;
  }

  void flush(std::int32_t id, Event e, std::size_t k) { to_.edge(port_of(id, k).last, e); }

  void add_data(const PlanOperation& o) {
    PlanTask task{.site = site_};
    task.begin = task.origin = event();
    task.end = ending(task.begin);
    task.done = {meetings_.number, meetings_.value + 1};
    task.only_waits = o.channel == ChannelType::port;
    to_.graph_.tasks.push_back(task);
    last_ = {task.end};
  }

  /// All threads are through with what began at `begin`, so also with what each did before.
  Event ending(Event begin) {
    const Event end = to_.add(site_);
    to_.edge(begin, end);
    for (const auto& [thread, e] : threads_) to_.edge(e, end);
    since_.push_back(end);
    return end;
  }

  void add_requests(const PlanOperation& o) {
    Event all_have_read = no_event;
    if (o.instruction == I::read_put_packets) {
      add_data(o);
      all_have_read = last_.front();
    }
    for (std::size_t k = 0; k < o.ids.size(); ++k) {
      const Event request = event_of(k);
      to_.edge(all_have_read, request);
      const Event transfer = queue(o.ids[k], request, k);
      Chain& chain = port_of(o.ids[k], k).transfers;
      to_.step(chain, transfer);
      PlanTask task{.site = site_, .movement = static_cast<std::int32_t>(k)};
      task.begin = task.end = transfer;
      task.origin = request;
      task.done = {chain.number, chain.value};
      to_.graph_.tasks.push_back(task);
      if (o.instruction == I::put_signal || o.instruction == I::put_signal_flush)
        to_.counters_.signal(counter(o, o.ids[k], false), counted_event(queue(o.ids[k], request, k), k, false));
      if (o.instruction == I::put_signal_flush) flush(o.ids[k], event_of(k), k);
    }
  }

  GraphBuilder& to_;
  PlanSite site_;
  Chain& meetings_;
  std::map<std::int32_t, std::int32_t>& barriers_;  // how often the block has met at each
  Event meeting_ = no_event;
  std::vector<Event> since_;              // events since the meeting
  std::map<std::size_t, Event> threads_;  // the last event of each since then
  std::vector<Event> last_;               // that end this operation
  std::vector<Event> before_;             // that ended the one before
};

PlanGraph GraphBuilder::build() {
  const std::size_t ranks = plan_.gpus.size();
  std::vector<Chain> gpus;
  std::vector<std::vector<Chain>> meetings(ranks);
  std::vector<std::vector<std::map<std::int32_t, std::int32_t>>> barriers(ranks);
  std::vector<Event> ends(ranks, no_event);
  for (std::size_t r = 0; r < ranks; ++r) {
    gpus.push_back(new_chain());
    for (std::size_t b = 0; b < plan_.gpus[r].blocks.size(); ++b) meetings[r].push_back(new_chain());
    barriers[r].resize(meetings[r].size());
  }
  for (std::int32_t call = 0; call < calls_; ++call)
    for (std::size_t r = 0; r < ranks; ++r) {
      PlanSite site{.rank = static_cast<Rank>(r), .call = call};
      const auto use_memory = [&](PlanTask::Kind kind) {
        const Event e = add(site);
        step(gpus[r], e);
        graph_.tasks.push_back(
            {.kind = kind, .site = site, .begin = e, .end = e, .done = {gpus[r].number, gpus[r].value}});
        return e;
      };
      const Event start = use_memory(PlanTask::Kind::start), end = use_memory(PlanTask::Kind::end);
      edge(ends[r], start);
      edge(start, end);
      ends[r] = end;
      for (std::size_t b = 0; b < meetings[r].size(); ++b) {
        site.block = static_cast<std::int32_t>(b);
        BlockBuilder(*this, site, meetings[r][b], barriers[r][b]).build(start, end);
      }
    }
  counters_.connect(plan_, graph_);
  return std::move(graph_);
}

}  // namespace

PlanGraph plan_graph(const ExecutionPlan& plan, std::int32_t calls) {
  return GraphBuilder(plan, calls).build();
}

std::vector<Event> beginnings(const PlanGraph& graph) {
  return mapped(graph.tasks, &PlanTask::begin);
}

std::optional<PlanStarved> ill_formed_barrier(const ExecutionPlan& plan) {
  struct Use {
    PlanSite first;
    std::map<std::int32_t, std::int32_t> by_block;
  };
  std::map<std::pair<Rank, std::int32_t>, Use> uses;
  for (std::size_t r = 0; r < plan.gpus.size(); ++r)
    for (std::size_t b = 0; b < plan.gpus[r].blocks.size(); ++b)
      for (std::size_t k = 0; k < plan.gpus[r].blocks[b].operations.size(); ++k) {
        const PlanOperation& o = plan.gpus[r].blocks[b].operations[k];
        if (o.instruction != I::barrier || o.barrier_blocks == 1) continue;
        const PlanSite site{static_cast<Rank>(r), static_cast<std::int32_t>(b), static_cast<std::int32_t>(k), 0};
        Use& use = uses.try_emplace({site.rank, o.barrier}, Use{site, {}}).first->second;
        if (operation_at(plan, use.first).barrier_blocks != o.barrier_blocks)
          return PlanStarved{
              site, fmt::format("waits for {} blocks at barrier {}, where another waits for {}", o.barrier_blocks,
                                o.barrier, operation_at(plan, use.first).barrier_blocks)};
        ++use.by_block[site.block];
      }
  for (const auto& [name, use] : uses) {
    const auto wanted = static_cast<std::size_t>(operation_at(plan, use.first).barrier_blocks);
    if (use.by_block.size() != wanted)
      return PlanStarved{use.first,
                         fmt::format("waits for {} at barrier {}, which {} of the GPU use", counted(wanted, "block"),
                                     name.second, counted(use.by_block.size(), "block"))};
    const std::int32_t times = use.by_block.begin()->second;
    for (const auto& [block, here] : use.by_block)
      if (here != times)
        return PlanStarved{use.first, fmt::format("meets others at barrier {}, where block {} comes {} times and block "
                                                  "{} {} times",
                                                  name.second, use.by_block.begin()->first, times, block, here)};
  }
  return std::nullopt;
}

}  // namespace onceover::programs
