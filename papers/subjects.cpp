#include "papers/subjects.h"

#include <fmt/format.h>

#include "subjects/option_values.h"

namespace onceover::papers {

namespace {

Request request_of(const Algorithm& row, const Check& check, const std::vector<Rank>& shape) {
  const auto& collectives = check.collectives.named;
  Request request{.collective = collectives.empty() ? row.collectives.front() : collectives.front(),
                  .shape = shape,
                  .all_lanes = check.lanes == Lanes::all && row.has_lanes};
  if (!check.settings.empty()) request.settings = by_name(check.settings.front());
  return request;
}

}  // namespace

std::vector<std::vector<Rank>> shapes_of(const Check& check) {
  std::vector<std::vector<Rank>> shapes = check.tori;
  if (check.ranks)
    for (const Rank p : check.ranks->value) shapes.push_back({p});
  return shapes;
}

SchedulePtr made(const Check& check, const std::vector<Rank>& shape) {
  const Algorithm& row = *check.algorithms.named.front();
  const Request request = request_of(row, check, shape);
  if (refusal(row, request)) throw std::logic_error("a claim is about a schedule that the catalogue refuses");
  return row.make(request);
}

std::vector<Case> cases_of(const Check& check) {
  std::vector<Case> cases;
  for (const std::vector<Rank>& shape : shapes_of(check)) {
    if (!check.algorithms.all) {
      const std::string_view name = check.algorithms.named.front()->name;
      cases.push_back({fmt::format("{}, {}", name, shape_text(shape)), shape, made(check, shape)});
      continue;
    }
    for (const Algorithm& row : catalogue()) {
      const Request request = request_of(row, check, shape);
      if (row.as_printed || refusal(row, request)) continue;
      cases.push_back({fmt::format("{}, {}", row.name, shape_text(shape)), shape, row.make(request)});
    }
  }
  return cases;
}

Network network_of(std::string_view topology, const std::vector<Rank>& shape) {
  TopologyRequest request = sure(parse_topology(topology));
  request.shape = shape;
  return sure(make_topology(request));
}

Contention measured(const Schedule& schedule, const Network& network) {
  return sure(contention(schedule, network, {}));
}

}  // namespace onceover::papers
