// `verify bound`: how little time and how few steps could any schedule take on a network?
//
// The text says each bound, then why it holds, so that a person can add up the certificate. Long lists are cut; the
// JSON has them whole. Capacities are in ports: 1/2 is a link of half the speed of a port.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/program_messages.h"
#include "network/bounds.h"
#include "network/least_time.h"
#include "schedules/catalogue.h"
#include "subjects/network_plan.h"
#include "subjects/option_values.h"
#include "subjects/rank_list.h"

namespace onceover::cli {

namespace {

struct BoundCommand {
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  Collective collective = Collective::allreduce;
  std::optional<Rank> root = {};
  NetworkOptions network = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // links that maximum flows look at
};

/// Bounds, and what they are about.
struct NetworkBounds {
  Collective collective;
  Rank root;
  Network network;
  PortGraph graph;
  TimeBound time;
  bool is_reached;
  int steps;  // by the ports
  Distance farthest;
};

constexpr std::size_t most_links_shown = 8;

/// "15/16 (0.938)", or a whole number alone.
std::string exact(const Rational& x) {
  return x.is_whole() ? x.str() : fmt::format("{} ({})", x.str(), number_text(static_cast<double>(x)));
}

Rational power(int base, int exponent) {
  Rational product = 1;
  for (; exponent > 0; --exponent) product *= base;
  return product;
}

std::string vertex_text(const NetworkBounds& b, std::int32_t vertex) {
  const Rank p = b.graph.ranks;
  if (vertex < p) return fmt::format("rank {}", vertex);
  const Node node = vertex - p;
  return node < p ? "place of " + b.network.node_text(node) : b.network.node_text(node);
}

std::string capacity_text(const NetworkBounds& b, Whole capacity) {
  return Rational(capacity, b.graph.port).str();
}

/// The arc that shares the capacity of this one; -1: none.
Link reverse_link(const NetworkBounds& b, std::size_t arc) {
  return arc < static_cast<std::size_t>(b.graph.links) ? b.network.reverse_link(static_cast<Link>(arc)) : -1;
}

std::string arc_text(const NetworkBounds& b, std::size_t arc) {
  const auto links = static_cast<std::size_t>(b.graph.links);
  if (arc < links) return b.network.link_text(static_cast<Link>(arc));
  const bool is_out = (arc - links) % 2 == 0;
  return fmt::format("ports of rank {}, {}", (arc - links) / 2, is_out ? "out" : "in");
}

std::vector<std::size_t> with_length(const LengthsProof& proof) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < proof.lengths.size(); ++k)
    if (proof.lengths[k] > 0) found.push_back(k);
  return found;
}

/// Is the way back that shares the arc's capacity one of these, too? They ascend.
bool has_way_back(const NetworkBounds& b, const std::vector<std::size_t>& arcs, std::size_t arc) {
  const Link back = reverse_link(b, arc);
  return back >= 0 && std::binary_search(arcs.begin(), arcs.end(), static_cast<std::size_t>(back));
}

/// The arcs, but of two that share a capacity the first alone.
std::vector<std::size_t> wires(const NetworkBounds& b, std::vector<std::size_t> arcs) {
  const auto all = arcs;
  std::erase_if(arcs, [&](std::size_t arc) {
    return has_way_back(b, all, arc) && static_cast<std::size_t>(reverse_link(b, arc)) < arc;
  });
  return arcs;
}

/// "rank 0 -> rank 4 has 1; ..", up to a number of them.
std::string arcs_text(const NetworkBounds& b, const std::vector<std::size_t>& all, const Lengths* lengths = nullptr) {
  const auto arcs = wires(b, all);
  std::string text;
  for (std::size_t k = 0; k < std::min(arcs.size(), most_links_shown); ++k)
    text +=
        fmt::format("{}{}{} has {}{}", k == 0 ? "" : "; ", arc_text(b, arcs[k]),
                    has_way_back(b, all, arcs[k]) ? " and back" : "", capacity_text(b, b.graph.arcs[arcs[k]].capacity),
                    lengths == nullptr ? "" : fmt::format(" and counts {}", (*lengths)[arcs[k]]));
  if (arcs.size() > most_links_shown) text += fmt::format("; and {} more, see --json", arcs.size() - most_links_shown);
  return text;
}

/// "ranks 0..11", or what is missing if that is shorter.
std::string inside_text(const NetworkBounds& b, const Cut& cut) {
  std::vector<Rank> in, out;
  for (Rank r = 0; r < b.graph.ranks; ++r) (cut.inside[static_cast<std::size_t>(r)] ? in : out).push_back(r);
  const auto list = [](const std::vector<Rank>& ranks) {
    return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", rank_list_text(ranks));
  };
  const auto first_switch = cut.inside.begin() + 2 * std::ptrdiff_t{b.graph.ranks};
  const auto switches = cut.inside.end() - first_switch;
  const std::string text = out.size() < in.size() ? "all but " + list(out) : list(in);
  if (switches == 0) return text;
  return fmt::format("{}, with {} of {}", text, std::count(first_switch, cut.inside.end(), true),
                     switches == 1 ? "1 switch" : fmt::format("{} switches", switches));
}

/// "15/16 of the vector must leave them".
std::string demand_text(const CutProof& proof, std::string_view them) {
  using Direction = CutProof::Direction;
  if (proof.direction == Direction::both)
    return proof.weight == 2 ? fmt::format("the whole vector must leave {0} and enter {0}", them)
                             : fmt::format("what leaves {0} and what enters {0} are the whole vector", them);
  return fmt::format("{} must {} {}",
                     proof.weight == 1 ? "the whole vector" : fmt::format("{} of the vector", proof.weight.str()),
                     proof.direction == Direction::enters ? "enter" : "leave", them);
}

std::string_view way_text(CutProof::Direction direction) {
  switch (direction) {
    case CutProof::Direction::leaves: return "way out";
    case CutProof::Direction::enters: return "way in";
    case CutProof::Direction::both: return "ways out and in";
  }
  return "";
}

std::string reason_text(const NetworkBounds& b, const CutProof& proof) {
  const auto arcs = crossed(b.graph, proof);
  const std::string capacity = capacity_text(b, proof.cut.leaving);
  const bool is_one = proof.cut.ranks_inside == 1;
  return fmt::format("    {}: {}\n    {}: {}\n    capacity {}, and {} divided by {} is {}\n", inside_text(b, proof.cut),
                     demand_text(proof, is_one ? "it" : "them"), way_text(proof.direction), arcs_text(b, arcs),
                     capacity, proof.weight.str(), capacity, b.time.vectors.str());
}

/// "2 at rank 0; 3 at rank 1; ..", or "4 each".
std::string ranks_text(const NetworkBounds& b, const std::vector<Whole>& of_rank) {
  if (std::count(of_rank.begin(), of_rank.end(), of_rank[0]) == std::ssize(of_rank))
    return capacity_text(b, of_rank[0]) + " each";
  std::string text;
  for (std::size_t r = 0; r < std::min(of_rank.size(), most_links_shown); ++r)
    text += fmt::format("{}{} at rank {}", r == 0 ? "" : "; ", capacity_text(b, of_rank[r]), r);
  if (of_rank.size() > most_links_shown)
    text += fmt::format("; and {} more, see --json", of_rank.size() - most_links_shown);
  return text;
}

std::string reason_text(const NetworkBounds& b, const RanksProof& proof) {
  const std::string capacity = capacity_text(b, proof.capacity);
  return fmt::format(
      "    each block moves from rank to rank {0} times or more, 2 for each rank but one\n"
      "    what {1} ranks has capacity {2}: {4}\n"
      "    {0} divided by {2} is {3}\n",
      2 * (b.graph.ranks - 1), proof.enters ? "enters" : "leaves", capacity, b.time.vectors.str(),
      ranks_text(b, proof.of_rank));
}

std::string reason_text(const NetworkBounds& b, const LengthsProof& proof) {
  const auto arcs = with_length(proof);
  const std::string capacity = capacity_text(b, proof.capacity);
  const std::string links = counted(wires(b, arcs).size(), "link");
  if (!proof.are_all_one())
    return fmt::format(
        "    count {0} of the network, some of them more than once: {1}\n"
        "    each block crosses {2} of them or more, as counted: twice the shortest tree that joins the ranks\n"
        "    their capacity, as counted, is {3}, and {2} divided by {3} is {4}\n",
        links, arcs_text(b, arcs, &proof.lengths), 2 * proof.tree, capacity, b.time.vectors.str());
  const std::string which = proof.links == LengthsProof::Links::all ? "all" : arcs_text(b, arcs);
  return fmt::format(
      "    count {0} of the network and no others: {1}\n"
      "    each block crosses {2} of them or more, twice the shortest tree that joins the ranks\n"
      "    their capacity is {3}, and {2} divided by {3} is {4}\n",
      links, which, 2 * proof.tree, capacity, b.time.vectors.str());
}

std::string_view direction_word(CutProof::Direction direction) {
  switch (direction) {
    case CutProof::Direction::leaves: return "leaves";
    case CutProof::Direction::enters: return "enters";
    case CutProof::Direction::both: return "both";
  }
  return "";
}

Json arcs_json(const NetworkBounds& b, const std::vector<std::size_t>& arcs) {
  Json list = Json::array();
  for (const std::size_t k : arcs)
    list.push_back({{"from", vertex_text(b, b.graph.arcs[k].from)},
                    {"to", vertex_text(b, b.graph.arcs[k].to)},
                    {"capacity", capacity_text(b, b.graph.arcs[k].capacity)}});
  for (std::size_t k = 0; k < arcs.size(); ++k)
    if (b.graph.arcs[arcs[k]].is_half) list[k]["duplex"] = "half";
  return list;
}

Json reason_json(const NetworkBounds& b, const CutProof& proof) {
  Json inside = Json::array();
  for (std::size_t v = 0; v < proof.cut.inside.size(); ++v)
    if (proof.cut.inside[v]) inside.push_back(vertex_text(b, static_cast<std::int32_t>(v)));
  return {{"kind", "cut"},
          {"direction", direction_word(proof.direction)},
          {"inside", inside},
          {"ranks_inside", proof.cut.ranks_inside},
          {"share", proof.weight.str()},
          {"links", arcs_json(b, crossed(b.graph, proof))},
          {"capacity", capacity_text(b, proof.cut.leaving)}};
}

Json reason_json(const NetworkBounds& b, const RanksProof& proof) {
  return {{"kind", "ranks"},
          {"direction", proof.enters ? "enters" : "leaves"},
          {"moves", 2 * (b.graph.ranks - 1)},
          {"of_rank", mapped(proof.of_rank, [&](Whole c) { return capacity_text(b, c); })},
          {"capacity", capacity_text(b, proof.capacity)}};
}

Json reason_json(const NetworkBounds& b, const LengthsProof& proof) {
  const auto arcs = with_length(proof);
  Json links = arcs_json(b, arcs);
  for (std::size_t k = 0; k < arcs.size(); ++k) links[k]["length"] = proof.lengths[arcs[k]];
  return {{"kind", "lengths"},
          {"links", std::move(links)},
          {"tree", proof.tree},
          {"capacity", capacity_text(b, proof.capacity)}};
}

std::string bound_text(const NetworkBounds& b) {
  const int ports = b.network.ports();
  std::string text = fmt::format("{} on {}: {} with {}\n", name(b.collective), b.network.name(),
                                 counted(static_cast<std::uint64_t>(b.graph.ranks), "rank"),
                                 counted(static_cast<std::uint64_t>(ports), "port"));
  text += fmt::format("  at least {} {} at the speed of a port\n", exact(b.time.vectors),
                      b.time.vectors == 1 ? "vector" : "vectors");
  text += std::visit([&](const auto& proof) { return reason_text(b, proof); }, b.time.proof);
  text += b.is_reached ? "    many small chunks come as near to this as you like\n"
                       : "    whether this can be reached is not known here\n";
  const bool is_gathered = b.collective == Collective::reduce;  // only the root has to be reached
  text += fmt::format("  at least {} if a rank {} {} a step: data then {} {}^{} = {} ranks at most\n",
                      counted(static_cast<std::uint64_t>(b.steps), "step"), is_gathered ? "receives" : "sends",
                      counted(static_cast<std::uint64_t>(ports), "message"), is_gathered ? "comes from" : "reaches",
                      ports + 1, b.steps, power(ports + 1, b.steps).str());
  text += fmt::format("  at least {} if no message passes a third rank: from rank {} to rank {}\n",
                      counted(static_cast<std::uint64_t>(b.farthest.messages), "step"), b.farthest.from, b.farthest.to);
  return text;
}

Json bound_json(const NetworkBounds& b) {
  Json json = result_json({{"collective", name(b.collective)},
                           {"network", b.network.name()},
                           {"ranks", b.graph.ranks},
                           {"ports", b.network.ports()},
                           {"port_gbps", b.network.port_bandwidth()}});
  if (is_rooted(b.collective)) json["root"] = b.root;
  json["time"] = {{"vectors", b.time.vectors.str()},
                  {"is_reached", b.is_reached},
                  {"proof", std::visit([&](const auto& proof) { return reason_json(b, proof); }, b.time.proof)}};
  std::vector<std::size_t> all(b.graph.arcs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  json["links"] = arcs_json(b, all);
  json["steps"] = {
      {"by_ports", b.steps}, {"by_distance", b.farthest.messages}, {"from", b.farthest.from}, {"to", b.farthest.to}};
  return json;
}

/// The ranks and the collective, as a schedule would state them.
Result<Header> header_of(const BoundCommand& command) {
  Header header;
  header.collective = command.collective;
  if (!is_bounded(header.collective))
    return usage_error(
        fmt::format("--collective: no bound is known here for {}; expected allreduce, allgather, reduce-scatter, "
                    "broadcast or reduce",
                    name(header.collective)));
  if (!command.network.ways.empty()) return usage_error("--ways: a bound holds whatever ways messages take");
  const std::size_t values = command.ranks ? command.ranks->value.size() : command.tori.size();
  if (command.ranks.has_value() == !command.tori.empty() || values != 1)
    return usage_error("bound is about one network: give one --p or one --torus");
  if (command.ranks)
    header.ranks = command.ranks->value.front();
  else
    header.shape = command.tori.front();
  for (const Rank side : header.shape) header.ranks *= side;
  if (header.ranks < 2) return usage_error("a bound needs 2 ranks or more");
  if (command.root && !is_rooted(header.collective))
    return usage_error(fmt::format("--root: {} has no root", name(header.collective)));
  header.root = command.root.value_or(0);
  if (header.root >= header.ranks)
    return usage_error(fmt::format("--root: expected a rank below {}, found {}", header.ranks, header.root));
  return header;
}

Result<NetworkBounds> bounded(const BoundCommand& command, const Header& header) {
  const auto plan = plan_of(command.network);
  auto network = TRY(make_network(command.network, plan, header));
  auto graph = port_graph(network);
  if (!graph) return tl::unexpected(Failure{ExitCode::unknown, graph.error()});
  auto time = time_bound(*graph, {header.collective, header.root}, command.budget);
  if (!time) return tl::unexpected(Failure{ExitCode::unknown, time.error()});
  const bool reached = is_reached(*graph, network, header.collective, *time);
  const Distance distance = farthest(network, header.collective, header.root);
  const int steps = least_steps(header.ranks, network.ports());
  return NetworkBounds{
      header.collective, header.root, std::move(network), std::move(*graph), std::move(*time), reached, steps,
      distance};
}

void describe(const CommandApp& app, BoundCommand& command) {
  app.group(subject_group);
  app.add_parsed("--p P", command.ranks, parse_ranks, "The number of ranks: 7, 2^10");
  add_tori(app, command.tori, "Ranks on a torus with these sides: 8x8, 4x6x2");
  app.add_parsed("--collective NAME", command.collective, parse_collective,
                 "allreduce, allgather, reduce-scatter, broadcast or reduce (default: allreduce)");
  app.add_parsed("--root R", command.root, parse_root, "The root of a broadcast or reduce (default: 0)");
  add_network(app, command.network);
  app.group(output_group);
  add_json(app, command.json);
  app.group(limits_group);
  add_flow_budget(app, command.budget);
}

Result<ExitCode> run(const BoundCommand& command) {
  const auto header = TRY(header_of(command));
  TRY(check_outputs(files_read({}, command.network), command.json, "", {}));
  const auto result = TRY(bounded(command, header));
  return after_output(ExitCode::ok,
                      give_result(
                          command.json, [&] { return dump(bound_json(result)); }, [&] { return bound_text(result); }));
}

}  // namespace

Runner add_bound(CLI::App& app) {
  return run_with<BoundCommand>(app);
}

}  // namespace onceover::cli
