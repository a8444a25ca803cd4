// Loads of links and times, as `verify contention` and `verify cost` compute them, and as arrays.

#include <pybind11/numpy.h>

#include <algorithm>

#include "base/rows.h"
#include "network/contention.h"
#include "network/flows.h"
#include "python/bindings/subjects.h"
#include "subjects/comparison.h"
#include "subjects/options.h"

namespace onceover::python {

namespace {

/// Python's name of an option: "hop_latency", and "ports" for a network's.
std::string in_python(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name == "network_ports" ? "ports" : name;
}

NetworkOptions options_of(const NetworkTexts& texts) {
  NetworkOptions options;
  for (const Option<NetworkOptions>& row : network_options())
    if (const auto given = texts.find(in_python(row.name)); given != texts.end())
      or_raise(row.read(given->second, options));
  return options;
}

template <class Of>
auto by_link(const Network& network, Of of) {
  using Value = decltype(of(Link{}));
  py::array_t<Value> values(network.link_count());
  auto* data = values.mutable_data();
  for (Link link = 0; link < network.link_count(); ++link) data[link] = of(link);
  return values;
}

/// A schedule's messages on a network.
struct Measured {
  PlacedNetwork placed;
  SchedulePtr schedule;
  Contention contention;

  const Network& network() const { return *placed.network; }
};

Measured measure(const HeldSchedule& held, const NetworkTexts& texts) {
  PlacedNetwork placed = network_of(texts, held.schedule->header());
  auto measured =
      without_gil([&] { return contention(*held.schedule, *placed.network, {.routing = placed.plan.routing}); });
  if (!measured) throw Raised{failure_of(measured.error())};
  return {std::move(placed), held.schedule, *std::move(measured)};
}

py::array_t<double> loads_of_links(const Network& network, const LinkLoads& loads) {
  return by_link(network, [&](Link link) { return loads.nearest_load(link); });
}

std::string node_name(const Measured& m, Node node) {
  if (node < 0 || node >= m.network().nodes()) raise_usage("node: the network has no node " + std::to_string(node));
  return m.network().node_text(node);
}

py::array_t<double> loads_of_step(const Measured& m, int step) {
  const auto loads =
      without_gil([&] { return loads_of(*m.schedule, m.network(), m.placed.plan.routing, step, step + 1); });
  if (!loads) throw Raised{{ExitCode::unknown, "the loads need more than 126 bits"}};
  return loads_of_links(m.network(), *loads);
}

py::array_t<std::int32_t> ends_of_links(const Measured& m) {
  py::array_t<std::int32_t> ends({static_cast<py::ssize_t>(m.network().link_count()), py::ssize_t{2}});
  auto out = ends.mutable_unchecked<2>();
  for (Link link = 0; link < m.network().link_count(); ++link) {
    out(link, 0) = m.network().link(link).from;
    out(link, 1) = m.network().link(link).to;
  }
  return ends;
}

py::dict step_of(const Measured& m, const StepContention& step) {
  py::dict fields("step"_a = step.kind.step, "times"_a = step.kind.times, "messages"_a = step.messages,
                  "block_transfers"_a = step.block_transfers, "hops_max"_a = step.hops_max,
                  "hops_mean"_a = step.hops_mean(), "links_used"_a = step.links_used,
                  "max_messages_per_link"_a = step.most_messages, "hottest"_a = step.hottest,
                  "load"_a = step.load.str());
  const auto node = [&](Node each) { return network::node_text(m.network(), each, m.schedule->header().names); };
  if (step.hottest >= 0)
    fields["hottest_link"] =
        py::make_tuple(node(m.network().link(step.hottest).from), node(m.network().link(step.hottest).to));
  return fields;
}

py::dict summary_of(const Measured& m) {
  py::list steps;
  for (const StepContention& step : m.contention.steps) steps.append(step_of(m, step));
  py::dict fields("network"_a = m.network().name(), "routing"_a = name(m.placed.plan.routing),
                  "ports"_a = m.network().ports(), "steps"_a = steps,
                  "vectors"_a = (m.contention.time / m.schedule->header().blocks).str());
  if (const auto& deficiencies = m.contention.deficiencies) {
    fields["latency"] = deficiencies->latency;
    fields["bandwidth"] = deficiencies->bandwidth;
    fields["congestion"] = deficiencies->congestion;
  }
  return fields;
}

py::tuple cost_of(const HeldSchedule& held, const std::string& bytes, const std::string& mode,
                  const NetworkTexts& texts) {
  const PlacedNetwork placed = network_of(texts, held.schedule->header());
  const Timing timing{
      .mode = or_raise(parse_mode(mode)), .flows = {.routing = placed.plan.routing}, .ranks = placed.plan.ranks};
  const std::vector<double> sizes = or_raise(parse_sizes(bytes));
  const auto times = or_raise(without_gil([&] { return times_of(*held.schedule, *placed.network, timing, sizes); }));
  const auto array = [](const std::vector<double>& v) { return py::array_t<double>(std::ssize(v), v.data()); };
  return py::make_tuple(placed.network->name(), array(sizes), array(times));
}

}  // namespace

PlacedNetwork network_of(const NetworkTexts& texts, const Header& header) {
  const NetworkOptions options = options_of(texts);
  const NetworkPlan plan = plan_of(options);
  return {plan, std::make_shared<const Network>(or_raise(make_network(options, plan, header)))};
}

void add_measuring(py::module_& module) {
  py::class_<Measured>(module, "Measured")
      .def_property_readonly("summary", summary_of)
      .def_property_readonly("links", ends_of_links)
      .def_property_readonly("loads", [](const Measured& m) { return loads_of_links(m.network(), m.contention.total); })
      .def_property_readonly("messages",
                             [](const Measured& m) {
                               return by_link(m.network(),
                                              [&](Link link) { return m.contention.total.messages(link); });
                             })
      .def("loads_of_step", loads_of_step, "step"_a)
      .def("node_name", node_name, "node"_a);
  module.def("contention", measure, "schedule"_a, "network"_a);
  module.def("cost", cost_of, "schedule"_a, "bytes"_a, "mode"_a, "network"_a);
  module.def("network_options", [] {
    return mapped(network_options(), [](const Option<NetworkOptions>& row) { return in_python(row.name); });
  });
  module.def("topologies", [] {
    return mapped(topologies(), [](const Topology& each) { return std::pair(each.name, each.summary); });
  });
}

}  // namespace onceover::python
