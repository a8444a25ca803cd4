#include "subjects/network_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/files.h"
#include "base/result.h"
#include "base/text.h"
#include "formats/foreign_formats.h"
#include "network/nccl_topology.h"
#include "network/network_file.h"
#include "network/pinned_routes.h"

namespace onceover::subjects {

namespace {

/// Sets `value` if the option was given.
void take(double& value, const NumberOption& option) {
  if (option) value = option->value;
}

/// Is the choice a file, not the name of a topology with or without settings?
bool is_file(const TopologyChoice& choice) {
  if (choice.is_known()) return false;
  if (is_standard_stream(choice.text)) return true;
  std::error_code ignored;
  return choice.text.find('/') != std::string::npos || choice.text.find('.') != std::string::npos ||
         std::filesystem::exists(choice.text, ignored);
}

Result<Network> network_from_file(const std::string& file, const NetworkPlan& plan, Rank ranks) {
  const auto text = TRY(read_file(file));
  if (begins_with_element(text, "system")) {
    auto network = read_nccl_topology(text, file, plan.links, ranks);
    if (!network) return tl::unexpected(malformed(network.error()));
    return std::move(*network);
  }
  if (const ForeignFormat* foreign = foreign_format_of(text); foreign && foreign->kind != ForeignFormat::Kind::network)
    return tl::unexpected(malformed(source_error(file, text, 0, foreign->message())));
  auto network = read_network(text, file, plan.links);
  if (!network) return tl::unexpected(malformed(network.error()));
  return std::move(*network);
}

Result<Network> network_by_name(const TopologyChoice& choice, const NetworkPlan& plan, const Header& header) {
  auto request = choice.request;
  if (!request) return usage_error("--topology: " + request.error());
  request->shape = header.sides();
  request->speeds = plan.links;
  auto network = make_topology(*request);
  if (!network) return usage_error("--topology: " + network.error());
  return std::move(*network);
}

/// Reads the seats from a file of numbers: each node below `ranks` once.
Result<std::vector<Node>> read_map(const std::string& path, Rank ranks) {
  const auto text = TRY(read_file(path));
  auto error = [&](std::size_t offset, const std::string& message) {
    return tl::unexpected(malformed(source_error(path, text, offset, message)));
  };
  std::vector<Node> seats;
  std::vector<bool> taken(static_cast<std::size_t>(ranks));
  constexpr std::string_view blanks = " \t\r\n,\xef\xbb\xbf";  // with a byte order mark
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string::npos;
       at = text.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    const auto node = parse_whole<Node>(std::string_view(text).substr(at, end - at));
    if (!node || *node < 0 || *node >= ranks)
      return error(at, fmt::format("expected the place of rank {}, a number from 0 to {}, found '{}'", seats.size(),
                                   ranks - 1, text.substr(at, std::min<std::size_t>(end - at, 40))));
    if (taken[static_cast<std::size_t>(*node)]) return error(at, fmt::format("place {} is taken twice", *node));
    taken[static_cast<std::size_t>(*node)] = true;
    seats.push_back(*node);
    at = end;
  }
  if (static_cast<Rank>(seats.size()) != ranks)
    return error(text.size(), fmt::format("expected {} places, found {}", ranks, seats.size()));
  return seats;
}

/// The ways that a file names, by rules or as NCCL's graph, whose errors then stand at its beginning.
Result<PinnedRoutes> pinned_by(const std::string& file, const Network& network, const Header& header) {
  const std::string_view schedule = header.algorithm.empty() ? "the schedule" : std::string_view(header.algorithm);
  const auto text = TRY(read_file(file));
  const bool is_graph = begins_with_element(text, "graphs");
  const auto rules = is_graph ? ways_of_nccl_graph(text, file, network, header.lanes, schedule) : text;
  if (!rules) return tl::unexpected(malformed(rules.error()));
  if (is_graph && rules->empty()) return PinnedRoutes();
  auto pinned = read_pinned_routes(*rules, file, network, header.lanes, schedule);
  if (!pinned)
    return tl::unexpected(malformed(is_graph ? source_error(file, text, 0, pinned.error().message) : pinned.error()));
  return std::move(*pinned);
}

}  // namespace

NetworkPlan plan_of(const NetworkOptions& options) {
  NetworkPlan plan;
  plan.routing = options.routing.value_or(Routing::minimal);
  take(plan.links.bandwidth, options.bandwidth);
  take(plan.links.latency, options.latency);
  take(plan.links.hop, options.hop_latency);
  take(plan.ranks.overhead, options.overhead);
  if (options.reduction) plan.ranks.reduction = 8 / options.reduction->value;
  if (options.ports) plan.ports = static_cast<int>(options.ports->value);
  return plan;
}

Result<void> check_topology(const TopologyChoice& choice) {
  if (is_file(choice)) return {};
  if (!choice.request) return usage_error("--topology: " + choice.request.error());
  if (choice.is_known()) return {};
  auto request = *choice.request;
  request.shape = {2};
  return usage_error("--topology: " + make_topology(request).error());
}

Result<Network> make_network(const NetworkOptions& options, const NetworkPlan& plan, const Header& header) {
  const TopologyChoice choice = options.topology.value_or(TopologyChoice{});
  auto network =
      is_file(choice) ? network_from_file(choice.text, plan, header.ranks) : network_by_name(choice, plan, header);
  if (!network) return network;
  if (network->ranks() != header.ranks)
    return usage_error(fmt::format("{} has {} ranks, the schedule {}", options.topology ? choice.text : "",
                                   network->ranks(), header.ranks));
  if (plan.routing == Routing::dimension_order && !network->grid())
    return usage_error(fmt::format("--routing dimension-order needs a grid, which {} is not", network->name()));
  if (plan.ports > 0) network->use_ports(plan.ports);
  if (!options.map.empty()) {
    auto seats = TRY(read_map(options.map, network->ranks()));
    network->place(std::move(seats));
  }
  if (!options.ways.empty()) {
    network->pin(std::make_shared<const PinnedRoutes>(TRY(pinned_by(options.ways, *network, header))));
    network->rename(fmt::format("{}, ways of {}", network->name(), options.ways));
  }
  return network;
}

Failure failure_of(const Unroutable& reason) {
  return {reason.kind == Unroutable::Kind::ill_formed ? ExitCode::violated : ExitCode::unknown, reason.text};
}

}  // namespace onceover::subjects
