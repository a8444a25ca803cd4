#include "subjects/network_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/lexical_cast.hpp>
#include <cmath>
#include <filesystem>

#include "base/closest.h"
#include "base/files.h"
#include "base/number_text.h"
#include "network/network_file.h"

namespace onceover::subjects {

namespace {

constexpr std::array routings{Routing::minimal, Routing::ecmp, Routing::dimension_order};

Result<Routing> routing_named(const std::string& text) {
  if (text.empty()) return Routing::minimal;
  std::vector<std::string_view> names;
  for (const Routing r : routings) {
    if (name(r) == text) return r;
    names.push_back(name(r));
  }
  return usage_error(
      fmt::format("--routing: no routing '{}'{}; there are {}", text, suggestion(text, names), fmt::join(names, ", ")));
}

/// Sets `value` where the flag was given.
Result<void> read_into(double& value, std::string_view flag, const std::string& text, double least) {
  if (text.empty()) return {};
  const auto number = parse_number(flag, text, least, 1e12);
  if (!number) return tl::unexpected(number.error());
  value = *number;
  return {};
}

/// What isn't the name of a topology, with or without settings.
bool is_file(const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  const auto rows = topologies();
  if (std::any_of(rows.begin(), rows.end(), [&](const Topology& row) { return row.name == name; })) return false;
  std::error_code ignored;
  if (is_standard_stream(text)) return true;
  return text.find('/') != std::string::npos || text.find('.') != std::string::npos ||
         std::filesystem::exists(text, ignored);
}

Result<Network> network_from_file(const NetworkOptions& options, const NetworkPlan& plan) {
  const auto text = read_file(options.topology);
  if (!text) return tl::unexpected(text.error());
  auto network = read_network(*text, options.topology, plan.links);
  if (!network) return tl::unexpected(Failure{ExitCode::malformed, network.error().render()});
  return std::move(*network);
}

Result<Network> network_by_name(const NetworkOptions& options, const NetworkPlan& plan, const Header& header) {
  auto request = parse_topology(options.topology.empty() ? "torus" : options.topology);
  if (!request) return usage_error("--topology: " + request.error());
  request->shape = header.sides();
  request->speeds = plan.links;
  auto network = make_topology(*request);
  if (!network) return usage_error("--topology: " + network.error());
  return std::move(*network);
}

/// The seats in a text of numbers: each node below `ranks` once.
Result<std::vector<Node>> read_map(const std::string& path, Rank ranks) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto error = [&](std::size_t offset, const std::string& message) {
    return tl::unexpected(Failure{ExitCode::malformed, source_error(path, *text, offset, message).render()});
  };
  std::vector<Node> seats;
  std::vector<bool> taken(static_cast<std::size_t>(ranks));
  constexpr std::string_view blanks = " \t\r\n,\xef\xbb\xbf";  // and a byte order mark
  for (std::size_t at = text->find_first_not_of(blanks); at != std::string::npos;
       at = text->find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(text->find_first_of(blanks, at), text->size());
    const auto node = parse_whole<Node>(std::string_view(*text).substr(at, end - at));
    if (!node || *node < 0 || *node >= ranks)
      return error(at, fmt::format("expected the place of rank {}, a number from 0 to {}, found '{}'", seats.size(),
                                   ranks - 1, text->substr(at, std::min<std::size_t>(end - at, 40))));
    if (taken[static_cast<std::size_t>(*node)]) return error(at, fmt::format("place {} is taken twice", *node));
    taken[static_cast<std::size_t>(*node)] = true;
    seats.push_back(*node);
    at = end;
  }
  if (static_cast<Rank>(seats.size()) != ranks)
    return error(text->size(), fmt::format("expected {} places, found {}", ranks, seats.size()));
  return seats;
}

}  // namespace

Result<double> parse_number(std::string_view flag, const std::string& text, double least, double most) {
  double value = 0;
  if (!boost::conversion::try_lexical_convert(text, value) || !std::isfinite(value) || value < least || value > most)
    return usage_error(fmt::format("{}: expected a number from {} to {}, found '{}'", flag, least, most, text));
  return value;
}

Result<NetworkPlan> plan_of(const NetworkOptions& options) {
  NetworkPlan plan;
  double ports = 0;
  double reduction = 0;
  constexpr double slowest = 1e-6;
  for (const auto& done :
       {read_into(plan.links.bandwidth, "--bandwidth", options.bandwidth, slowest),
        read_into(plan.links.latency, "--latency", options.latency, 0),
        read_into(plan.links.hop, "--hop-latency", options.hop_latency, 0),
        read_into(plan.ranks.overhead, "--overhead", options.overhead, 0),
        read_into(reduction, "--reduction", options.reduction, slowest), read_into(ports, "--ports", options.ports, 1)})
    if (!done) return tl::unexpected(done.error());
  if (ports != std::floor(ports) || ports > 1024)
    return usage_error(fmt::format("--ports: expected a whole number up to 1024, found '{}'", options.ports));
  plan.ranks.reduction = reduction == 0 ? 0 : 8 / reduction;
  plan.ports = static_cast<int>(ports);
  const auto routing = routing_named(options.routing);
  if (!routing) return tl::unexpected(routing.error());
  plan.routing = *routing;
  return plan;
}

Result<Network> make_network(const NetworkOptions& options, const NetworkPlan& plan, const Header& header) {
  auto network = is_file(options.topology) ? network_from_file(options, plan) : network_by_name(options, plan, header);
  if (!network) return network;
  if (network->ranks() != header.ranks)
    return usage_error(
        fmt::format("{} has {} ranks, the schedule {}", options.topology, network->ranks(), header.ranks));
  if (plan.routing == Routing::dimension_order && !network->grid())
    return usage_error(fmt::format("--routing dimension-order needs a grid, which {} is not", network->name()));
  if (plan.ports > 0) network->use_ports(plan.ports);
  if (options.map.empty()) return network;
  auto seats = read_map(options.map, network->ranks());
  if (!seats) return tl::unexpected(seats.error());
  network->place(std::move(*seats));
  return network;
}

Failure failure_of(const Unroutable& reason) {
  return {reason.kind == Unroutable::Kind::ill_formed ? ExitCode::violated : ExitCode::unknown, reason.text};
}

}  // namespace onceover::subjects
