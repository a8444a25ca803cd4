// happens-before: a program's operations, and which of them wait for which.

#include "programs/happens_before.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "programs/races.h"
#include "viz/folded_order.h"
#include "viz/ink/graph.h"
#include "viz/key.h"
#include "viz/program_view.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_operations = 120;

constexpr Stroke thread_stroke{palette::grey, "solid", 0.7};
constexpr Stroke dependency_stroke{palette::black, "dashed", 0.8};
constexpr Stroke message_stroke{palette::blue, "solid", 0.9};
constexpr Stroke red_stroke{palette::vermilion, "solid", 2.0};
constexpr Stroke red_room_stroke{palette::vermilion, "dotted", 2.0};

/// The parts that are red.
struct Marks {
  std::set<OperationId> operations = {};
  std::vector<Edge> circle = {};
  std::optional<Race> race = {};
  std::string caption = "";
};

/// Does the second operation wait for the first, even if not long enough?
bool waits(const std::vector<Edge>& edges, OperationId first, OperationId second) {
  return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
    return operation_of(edge.before) == first && operation_of(edge.after) == second;
  });
}

Marks marks_of_circle(std::vector<Edge> circle) {
  Marks marks;
  for (const Edge& edge : circle) {
    marks.operations.insert(operation_of(edge.before));
    marks.operations.insert(operation_of(edge.after));
  }
  marks.circle = std::move(circle);
  marks.caption = "a deadlock: these wait for each other";
  return marks;
}

Marks marks_of_mismatch(const Mismatch& mismatch) {
  Marks marks{.caption = "a message without its counterpart"};
  for (const OperationId id : {mismatch.send, mismatch.receive})
    if (id >= 0) marks.operations.insert(id);
  return marks;
}

Marks find_marks(const Program& program, Depth fifo) {
  const Matching matching = match(program);
  if (!matching.mismatches.empty()) return marks_of_mismatch(matching.mismatches.front());
  const std::vector<Edge> with_room = edges(program, matching, fifo);
  if (!order_of(event_count(program), with_room))
    return marks_of_circle(shortest_cycle(event_count(program), with_room));
  const std::vector<Edge> all = edges(program, matching, std::nullopt);
  const auto order = order_of(event_count(program), all);
  if (!program.has_data || !order) return {};
  const Races races = find_races(program, Memory(program, program.in_place), reliable_edges(program, matching), *order);
  if (!races.example) return {};
  return {.operations = {races.example->first, races.example->second},
          .circle = {},
          .race = races.example,
          .caption = waits(all, races.example->first, races.example->second) ||
                             waits(all, races.example->second, races.example->first)
                         ? "a race: what joins these two doesn't order them"
                         : "a race: nothing orders these two"};
}

/// The operations to show.
class Shown {
 public:
  Shown(const Program& program, const ProgramDrawOptions& options, const Marks& marks, const std::vector<Edge>& edges) {
    for (OperationId id = 0; id < static_cast<OperationId>(program.operations.size()); ++id)
      if (is_wanted(options, program.operations[static_cast<std::size_t>(id)].rank)) ids_.insert(id);
    const bool is_small = ids_.size() <= most_operations && options.fold != Fold::always;
    if (is_small || marks.operations.empty()) return;
    is_part_ = true;
    ids_ = marks.operations;
    for (const Edge& edge : edges) {
      const bool touches =
          marks.operations.contains(operation_of(edge.before)) || marks.operations.contains(operation_of(edge.after));
      if (touches && ids_.size() < most_operations) ids_.insert({operation_of(edge.before), operation_of(edge.after)});
    }
  }

  bool has(OperationId id) const { return ids_.contains(id); }
  std::size_t size() const { return ids_.size(); }

  /// Only what is wrong, and what is next to it?
  bool is_part() const { return is_part_; }

 private:
  static bool is_wanted(const ProgramDrawOptions& options, Rank rank) {
    return options.ranks.empty() || std::binary_search(options.ranks.begin(), options.ranks.end(), rank);
  }

  std::set<OperationId> ids_;
  bool is_part_ = false;
};

std::string label(const Operation& o) {
  const std::string line = o.line == 0 ? "" : fmt::format("\nline {}", o.line);
  return fmt::format("{}.{} {}{}", o.thread, o.number, name(o.instruction), line);
}

std::string node_id(OperationId id) {
  return fmt::format("o{}", id);
}

/// Beside red operations, the others are light.
Stroke border_of(OperationId id, const Marks& marks) {
  if (marks.operations.contains(id)) return {palette::vermilion, "solid", 1.8};
  return {marks.operations.empty() ? palette::black : palette::grey, "solid", 0.6};
}

void draw_operations(Graph& graph, const Program& program, const Shown& shown, const Marks& marks) {
  const auto& operations = program.operations;
  for (std::size_t k = 0; k < operations.size();) {
    const Rank rank = operations[k].rank;
    graph.begin_cluster(fmt::format("rank {}", rank));
    for (; k < operations.size() && operations[k].rank == rank; ++k) {
      const auto id = static_cast<OperationId>(k);
      if (!shown.has(id)) continue;
      graph.add({.id = node_id(id),
                 .label = label(operations[k]),
                 .outline = Graph::Node::Outline::box,
                 .border = border_of(id, marks)});
    }
    graph.end_cluster();
  }
}

const Stroke& look_of(const Edge& edge) {
  return edge.why == Why::message ? message_stroke : edge.why == Why::dependency ? dependency_stroke : thread_stroke;
}

/// Joins two operations that race. Beside a line that joins them, too, it lies next to that one.
void draw_race(Graph& graph, const Race& race, const std::vector<Edge>& all) {
  const bool is_backwards = waits(all, race.second, race.first);
  graph.add({.from = node_id(is_backwards ? race.second : race.first),
             .to = node_id(is_backwards ? race.first : race.second),
             .label = "\u00a0race",
             .stroke = red_stroke,
             .has_head = false,
             .orders = is_backwards || waits(all, race.first, race.second)});
}

void draw_waits(Graph& graph, const std::vector<Edge>& all, const Shown& shown, const Marks& marks) {
  auto joins = [](const Edge& a, const Edge& b) {
    return a.before == b.before && a.after == b.after && a.why == b.why;
  };
  std::set<std::tuple<OperationId, OperationId, Why>> drawn;
  auto draw = [&](const Edge& edge, const Stroke& stroke) {
    const OperationId from = operation_of(edge.before), to = operation_of(edge.after);
    if (from != to && shown.has(from) && shown.has(to) && drawn.emplace(from, to, edge.why).second)
      graph.add({.from = node_id(from), .to = node_id(to), .stroke = stroke});
  };
  for (const Edge& edge : all)
    if (std::none_of(marks.circle.begin(), marks.circle.end(), [&](const Edge& red) { return joins(red, edge); }))
      draw(edge, look_of(edge));
  for (const Edge& edge : marks.circle)
    draw(edge, edge.why == Why::room || edge.why == Why::partner ? red_room_stroke : red_stroke);
  if (marks.race) draw_race(graph, *marks.race, all);
}

/// What the lines mean, those that there are, and what is red.
std::string caption_of(const std::vector<Edge>& all, const Marks& marks, bool is_part) {
  const auto has = [&](Why why) {
    return std::any_of(all.begin(), all.end(), [&](const Edge& edge) { return edge.why == why; });
  };
  std::vector<std::string_view> lines;
  if (has(Why::thread)) lines.push_back("grey for the order in a thread");
  if (has(Why::dependency)) lines.push_back("dashed for dependencies");
  if (has(Why::message)) lines.push_back("blue for messages");
  return words_of({marks.caption.empty() ? "" : fmt::format("Thick and red: {}.", marks.caption),
                   is_part ? "Of the others, only those next to them are drawn." : "",
                   lines.empty() ? "" : fmt::format("Lines: {}.", fmt::join(lines, "; "))});
}

/// Whom the operation's connection joins it with.
std::vector<Rank> peer(const Program& program, ConnectionId connection, Rank Connection::*end) {
  if (connection == no_connection) return {};
  return {program.connections[static_cast<std::size_t>(connection)].*end};
}

OrderedProgram ordered(const Program& program, const std::string& title, const std::vector<Edge>& all) {
  OrderedProgram ordered{.title = title,
                         .threads_are_ordered = program.threads_are_ordered,
                         .operations = {},
                         .reasons = {{message_stroke, "message"}, {dependency_stroke, "dependency"}},
                         .waits = {}};
  for (const Operation& o : program.operations)
    ordered.operations.push_back({.rank = o.rank,
                                  .thread = o.thread,
                                  .number = fmt::format("{}", o.number),
                                  .words = std::string(name(o.instruction)),
                                  .from = peer(program, o.from, &Connection::src),
                                  .to = peer(program, o.to, &Connection::dst)});
  std::set<std::tuple<OperationId, OperationId, Why>> seen;
  for (const Edge& edge : all) {
    const OperationId from = operation_of(edge.before), to = operation_of(edge.after);
    const bool is_shown = edge.why == Why::message || edge.why == Why::dependency;
    if (is_shown && from != to && seen.emplace(from, to, edge.why).second)
      ordered.waits.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to),
                               edge.why == Why::message ? std::size_t{0} : std::size_t{1}});
  }
  return ordered;
}

/// A program, and what there is to see in it.
struct OrderedEvents {
  const Program& program;
  Marks marks;
  std::vector<Edge> edges;
};

Drawn<Picture> draw_order_of(const OrderedEvents& found, const ProgramDrawOptions& options) {
  const auto& [program, marks, all] = found;
  for (const Rank rank : options.ranks)
    if (rank >= program.ranks)
      return unsuitable(fmt::format("--ranks: there is no rank {}; ranks go from 0 to {}", rank, program.ranks - 1));
  const std::string title = program.name.empty() ? "a program" : program.name;
  if (options.fold == Fold::always && marks.operations.empty() && program.operations.size() <= most_operations_to_fold)
    return draw_folded(ordered(program, title, all), options.ranks, options.style);
  const Shown shown(program, options, marks, all);
  if (shown.size() > most_operations)
    return too_large(fmt::format("{} operations are too many to be seen, and none is wrong; up to {} can be drawn",
                                 shown.size(), most_operations));
  Graph graph(options.style, title + ", what waits for what", 8.6, 13);
  draw_operations(graph, program, shown, marks);
  draw_waits(graph, all, shown, marks);
  graph.caption(caption_of(all, marks, shown.is_part()));
  return std::move(graph).picture();
}

}  // namespace

OrderPictures happens_before(const Program& program, std::optional<std::uint32_t> fifo) {
  const auto found = std::make_shared<const OrderedEvents>(
      OrderedEvents{program, find_marks(program, fifo ? fifo : program.guarantees.fifo),
                    edges(program, match(program), std::nullopt)});
  return [found](const ProgramDrawOptions& options) { return draw_order_of(*found, options); };
}

}  // namespace onceover::viz
