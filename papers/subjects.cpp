#include "papers/subjects.h"

#include <fmt/format.h>

#include "subjects/rank_list.h"
#include "subjects/subject.h"

namespace onceover::papers {

namespace {

Request request_of(const Algorithm& row, const Schedules& subject, const std::vector<Rank>& shape) {
  Request request{
      .collective = row.collectives.front(), .shape = shape, .all_lanes = subject.lanes == "all" && row.has_lanes};
  if (!subject.collective.empty()) request.collective = *collective_named(subject.collective);
  for (const std::string& setting : subject.settings)
    request.settings.emplace(setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
  return request;
}

}  // namespace

std::vector<std::vector<Rank>> shapes_of(const Schedules& subject) {
  std::vector<std::vector<Rank>> shapes;
  for (const std::string& torus : subject.tori) shapes.push_back(sure(parse_torus(torus)));
  if (!subject.ranks.empty())
    for (const Rank p : sure(parse_rank_list(subject.ranks))) shapes.push_back({p});
  return shapes;
}

SchedulePtr made(const Schedules& subject, const std::vector<Rank>& shape) {
  const Algorithm& row = *find_algorithm(subject.algorithm);
  const Request request = request_of(row, subject, shape);
  if (refusal(row, request)) throw std::logic_error("a claim is about a schedule that the catalogue refuses");
  return row.make(request);
}

std::vector<Case> cases_of(const Schedules& subject) {
  std::vector<Case> cases;
  for (const std::vector<Rank>& shape : shapes_of(subject)) {
    if (subject.algorithm != "all") {
      cases.push_back({fmt::format("{}, {}", subject.algorithm, shape_text(shape)), shape, made(subject, shape)});
      continue;
    }
    for (const Algorithm& row : catalogue()) {
      const Request request = request_of(row, subject, shape);
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
