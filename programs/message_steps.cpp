#include "programs/message_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "base/result.h"
#include "formats/msccl_profile.h"
#include "programs/happens_before.h"
#include "programs/plan_findings.h"
#include "programs/plan_pipelines.h"
#include "programs/plan_waits.h"
#include "schedules/listed_schedule.h"

namespace onceover::programs {

namespace {

struct Message {
  std::uint32_t step;
  OperationId send;
  OperationId receive;
};

/// Which operations are joined by messages, and what must arrive before them.
struct Joined {
  std::vector<OperationId> sender_of;  // by operation; -1: it receives nothing
  std::vector<std::uint32_t> before;   // by event: messages, one after another

  std::uint32_t step(OperationId id) const { return before[middle_of(id)]; }
};

/// Nothing if the program never ends.
std::optional<Joined> joined_of(const Program& program) {
  Matching matching = match(program);
  if (!matching.mismatches.empty() || !program.hangs.empty()) return std::nullopt;
  const std::vector<Edge> all = edges(program, matching, std::nullopt);
  const auto order = order_of(event_count(program), all);
  if (!order) return std::nullopt;
  return Joined{std::move(matching.sender_of), messages_before(all, *order)};
}

/// All messages between different ranks, with their steps; nothing if the program never ends.
std::optional<std::vector<Message>> messages_of(const Program& program) {
  const auto joined = joined_of(program);
  if (!joined) return std::nullopt;
  std::vector<Message> messages;
  for (OperationId receive = 0; receive < static_cast<OperationId>(program.operations.size()); ++receive) {
    const OperationId send = joined->sender_of[static_cast<std::size_t>(receive)];
    const bool is_message = send >= 0 && !at(program, receive).is_part;
    if (is_message && at(program, send).rank != at(program, receive).rank)
      messages.push_back({joined->step(send), send, receive});
  }
  std::stable_sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
    return a.step != b.step ? a.step < b.step : a.send < b.send;
  });
  return messages;
}

/// How many chunks the vector has; in a format without chunks, how often the common divisor fits into the largest
/// message.
tl::expected<std::uint64_t, std::string> block_count(const Program& program, std::uint64_t largest,
                                                     std::uint64_t block_bytes) {
  const std::uint64_t blocks =
      program.has_data ? static_cast<std::uint64_t>(program.chunks) : std::max<std::uint64_t>(1, largest / block_bytes);
  if (program.has_data && largest > blocks)
    return tl::unexpected(fmt::format("a message has {} chunks, the whole vector {}", largest, blocks));
  if (blocks > static_cast<std::uint64_t>(max_blocks))
    return tl::unexpected(
        fmt::format("the largest message has {} bytes, but {} is the largest size that all are multiples of: more "
                    "than {} times it can't be counted",
                    largest, block_bytes, max_blocks));
  return blocks;
}

}  // namespace

tl::expected<MessageSteps, std::string> message_steps(const Program& program, std::vector<Rank> shape) {
  const auto messages = messages_of(program);
  if (!messages)
    return tl::unexpected(std::string("the program never ends, so its messages have no steps; 'verify' says why"));
  std::uint64_t largest = 0, divisor = 0;
  for (const Message& m : *messages) {
    const std::uint64_t size = message_size(program, m.send);
    largest = std::max(largest, size);
    divisor = std::gcd(divisor, size);
  }
  const std::uint64_t block = program.has_data ? 1 : std::max<std::uint64_t>(1, divisor);
  const auto blocks = TRY(block_count(program, largest, block));
  ListedSchedule::Builder builder;
  std::uint32_t begun = 0;
  for (const Message& m : *messages) {
    for (; begun <= m.step; ++begun) builder.begin_step();
    const auto size = static_cast<Block>(message_size(program, m.send) / block);
    const Run run{0, size - 1};
    builder.add(at(program, m.send).rank, at(program, m.receive).rank, {&run, size > 0 ? 1u : 0u},
                combines(at(program, m.receive).instruction) ? Op::reduce : Op::copy);
  }
  Header header{.collective = program.collective,
                .ranks = program.ranks,
                .blocks = static_cast<Block>(blocks),
                .root = program.root,
                .shape = std::move(shape),
                .algorithm = program.name};
  return MessageSteps{std::make_shared<ListedSchedule>(std::move(header), std::move(builder)),
                      program.has_data ? 0 : block};
}

std::vector<std::optional<MessagePlace>> places_of(const Program& program,
                                                   const std::vector<Counterexample::Site>& sites) {
  std::vector<std::optional<MessagePlace>> places(sites.size());
  const auto joined = joined_of(program);
  if (!joined) return places;
  const auto message_place = [&](OperationId send, OperationId receive) {
    MessagePlace place{static_cast<int>(joined->step(send))};
    const Rank from = at(program, send).rank, to = at(program, receive).rank;
    if (from != to) place.message = {from, to};
    return place;
  };
  const auto note = [&](OperationId id, const MessagePlace& place) {
    const Operation& o = at(program, id);
    for (std::size_t k = 0; k < sites.size(); ++k)
      if (sites[k].rank == o.rank && sites[k].thread == o.thread && sites[k].number == o.number) places[k] = place;
  };
  const auto count = static_cast<OperationId>(program.operations.size());
  for (OperationId id = 0; id < count; ++id) note(id, {static_cast<int>(joined->step(id))});
  for (OperationId id = 0; id < count; ++id)
    if (const OperationId send = joined->sender_of[static_cast<std::size_t>(id)]; send >= 0) {
      note(id, message_place(send, id));
      note(send, message_place(send, id));
    }
  return places;
}

namespace {

constexpr std::uint64_t most_units = 4096;
constexpr std::uint64_t most_followed_cells = std::uint64_t{1} << 24;

tl::unexpected<NoPlanSteps> no_steps(std::string why) {
  return tl::unexpected(NoPlanSteps{false, std::move(why)});
}

/// How many messages have arrived, one after another: at an event, and where the event has been heard of.
struct Arrivals {
  std::uint32_t here = 0;
  std::uint32_t heard = 0;  // of those that the GPU has sent, the last with all before it
};

/// Messages by step, sender, receiver and operation, in units.
using PlanMessages = std::map<std::tuple<std::uint32_t, Rank, Rank, Op>, std::vector<std::uint64_t>>;

/// The units of a chunk, so that all slices are whole.
tl::expected<std::uint32_t, NoPlanSteps> whole_units(const ExecutionPlan& plan) {
  std::uint64_t units = 1;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations) {
        units = std::lcm(units, static_cast<std::uint64_t>(o.slice.parts));
        if (units > most_units)
          return no_steps("its blocks divide ranges in so many ways that messages can't be counted");
        if (o.channel == ChannelType::multicast)
          return no_steps("it moves data through a switch to several GPUs at once, which isn't a message between two");
      }
  if (cells_needed(plan, units) > most_followed_cells) return no_steps("it has too much memory");
  return static_cast<std::uint32_t>(units);
}

/// Is called for what moves data, with the messages that it sends, or once if it sends none.
using PlaceVisitor = std::function<void(const PlanTask&, const MessagePlace&)>;

/// Follows one call in an order of its events.
class Messages {
 public:
  Messages(const ExecutionPlan& plan, const PlanMemory& memory, const PlanGraph& graph, std::uint64_t vector,
           const PlaceVisitor& visit)
      : plan_(plan), memory_(memory), graph_(graph), vector_(vector), visit_(visit), at_(graph.events) {}

  PlanMessages follow(const std::vector<Event>& order) {
    std::vector<std::vector<const Edge*>> after(graph_.events);
    for (const Edge& e : graph_.edges) after[e.before].push_back(&e);
    std::vector<std::vector<const PlanTask*>> ending(graph_.events);
    for (const PlanTask& t : graph_.tasks) ending[t.end].push_back(&t);
    for (const Event e : order) {
      for (const PlanTask* task : ending[e]) end(*task);
      for (const Edge* edge : after[e]) pass(*edge);
    }
    return std::move(messages_);
  }

 private:
  void pass(const Edge& edge) {
    const Arrivals& from = at_[edge.before];
    Arrivals& to = at_[edge.after];
    const bool stays = graph_.sites[edge.before].rank == graph_.sites[edge.after].rank;
    to.here = std::max({to.here, from.here, stays ? 0 : from.heard});
    if (stays) to.heard = std::max(to.heard, from.heard);
  }

  void end(const PlanTask& task) {
    const Rank own = task.site.rank;
    const std::uint32_t step = at_[task.end].here;
    const auto add = [&](Rank src, Rank dst, Op op, std::uint64_t units) {
      add_message(step, src, dst, op, units);
      visit_(task, {static_cast<int>(step), std::pair(src, dst)});
    };
    visit_(task, {static_cast<int>(step)});
    for (const Movement& m : movements_of(plan_, memory_, task)) {
      for (const Operand& target : m.targets)
        if (const Rank rank = memory_.rank_of(target.cells.first); rank != own) {
          add(own, rank, Op::copy, target.units());
          at_[task.end].heard = std::max(at_[task.end].heard, step + 1);
        }
      for (const Operand& source : m.sources)
        if (const Rank rank = memory_.rank_of(source.cells.first); rank != own) {
          add(rank, own, m.sources.size() > 1 ? Op::reduce : Op::copy, source.units());
          at_[task.end].here = step + 1;
        }
    }
  }

  void add_message(std::uint32_t step, Rank src, Rank dst, Op op, std::uint64_t units) {
    std::vector<std::uint64_t>& sizes = messages_[{step, src, dst, op}];
    if (sizes.empty() || sizes.back() + units > vector_)
      sizes.push_back(units);
    else
      sizes.back() += units;
  }

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
  const PlanGraph& graph_;
  std::uint64_t vector_;
  const PlaceVisitor& visit_;
  std::vector<Arrivals> at_;  // by event
  PlanMessages messages_;
};

tl::expected<PlanMessages, NoPlanSteps> followed(const ExecutionPlan& plan, std::uint32_t units, std::uint64_t vector,
                                                 const PlaceVisitor& visit) {
  if (plan.unjudged) return no_steps(*plan.unjudged);
  if (has_pipelines(plan)) return no_steps("its pipelines cut messages in parts, as many as the size asks for");
  const tl::unexpected never(
      NoPlanSteps{true, "the plan never ends, so its messages have no steps; 'verify' says why"});
  if (ill_formed_barrier(plan)) return never;
  const PlanMemory memory(plan, units);
  PlanGraph graph = plan_graph(plan, 1);
  connect_packets(plan, memory, 1, graph);
  if (!graph.starved.empty() || !order_of(graph.events, graph.edges, false)) return never;
  if (graph.undetermined) return no_steps(*graph.undetermined);
  const auto order = order_of(graph.events, graph.edges);
  if (!order)
    return no_steps("whether the plan ends depends on how far the threads of a block run ahead of each other");
  return Messages(plan, memory, graph, vector, visit).follow(*order);
}

std::uint64_t vector_of(const ExecutionPlan& plan, std::uint32_t units) {
  const Buffers& chunks = plan.gpus.front().chunks;
  return std::uint64_t{units} * static_cast<std::uint64_t>(std::max(chunks.input, chunks.output));
}

}  // namespace

tl::expected<MessageSteps, NoPlanSteps> message_steps(const ExecutionPlan& plan, std::vector<Rank> shape) {
  const auto units = TRY(whole_units(plan));
  const std::uint64_t vector = vector_of(plan, units);
  const PlanMessages messages = TRY(followed(plan, units, vector, [](const PlanTask&, const MessagePlace&) {}));
  std::uint64_t divisor = vector;
  for (const auto& [name, sizes] : messages)
    for (const std::uint64_t size : sizes) {
      divisor = std::gcd(divisor, size);
      if (size > vector) return no_steps("it moves more than the whole vector at once");
    }
  if (vector / divisor > static_cast<std::uint64_t>(max_blocks)) return no_steps("it has too many chunks");
  ListedSchedule::Builder builder;
  std::uint32_t begun = 0;
  for (const auto& [name, sizes] : messages) {
    const auto& [step, src, dst, op] = name;
    for (; begun <= step; ++begun) builder.begin_step();
    for (const std::uint64_t size : sizes) {
      const Run run{0, static_cast<Block>(size / divisor) - 1};
      builder.add(src, dst, {&run, 1}, op);
    }
  }
  Header header{.collective = formats::msccl_collective(plan.collective).value_or(Collective::allreduce),
                .ranks = static_cast<Rank>(plan.gpus.size()),
                .blocks = static_cast<Block>(vector / divisor),
                .shape = std::move(shape),
                .algorithm = plan.name};
  return MessageSteps{std::make_shared<ListedSchedule>(std::move(header), std::move(builder)), 0};
}

std::vector<std::optional<MessagePlace>> places_of(const ExecutionPlan& plan,
                                                   const std::vector<Counterexample::Site>& sites) {
  std::vector<std::optional<MessagePlace>> places(sites.size());
  const auto note = [&](const PlanTask& task, const MessagePlace& place) {
    if (task.site.operation < 0) return;
    const Counterexample::Site own = site_of(plan, task.site);
    for (std::size_t k = 0; k < sites.size(); ++k)
      if (sites[k] == own && (!places[k] || !places[k]->message)) places[k] = place;
  };
  if (const auto units = whole_units(plan)) static_cast<void>(followed(plan, *units, vector_of(plan, *units), note));
  return places;
}

}  // namespace onceover::programs
