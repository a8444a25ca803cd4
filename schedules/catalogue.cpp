#include "schedules/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "schedules/algorithms/algorithms.h"

namespace onceover {

namespace {

std::vector<Algorithm> sorted_rows() {
  std::vector<Algorithm> rows{ring_algorithm, swing_algorithm, swing_latency_algorithm};
  std::sort(rows.begin(), rows.end(), [](const Algorithm& a, const Algorithm& b) { return a.name < b.name; });
  auto same_name = [](const Algorithm& a, const Algorithm& b) { return a.name == b.name; };
  assert(std::adjacent_find(rows.begin(), rows.end(), same_name) == rows.end());
  return rows;
}

}  // namespace

std::span<const Algorithm> catalogue() {
  static const std::vector<Algorithm> rows = sorted_rows();
  return rows;
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm& row : catalogue())
    if (row.name == name) return &row;
  return nullptr;
}

std::string collective_list(const Algorithm& algorithm) {
  std::string list;
  for (const Collective c : algorithm.collectives) list += (list.empty() ? "" : ", ") + std::string(name(c));
  return list;
}

std::optional<std::string> refusal(const Algorithm& algorithm, const Request& request) {
  const auto& offered = algorithm.collectives;
  if (std::find(offered.begin(), offered.end(), request.collective) == offered.end())
    return fmt::format("{} has no {}; it has {}", algorithm.name, name(request.collective), collective_list(algorithm));
  return algorithm.outside(request);
}

SchedulePtr from_reduce_scatter(const Algorithm& row, const Request& request, PatternedSchedule::Builder&& builder) {
  if (request.collective == Collective::allgather) builder.reverse();
  if (request.collective == Collective::allreduce) builder.append_reversal();
  Header header{.collective = request.collective,
                .ranks = request.ranks,
                .blocks = request.ranks,
                .shape = {request.ranks},
                .algorithm = std::string(row.name)};
  return std::make_shared<PatternedSchedule>(std::move(header), std::move(builder));
}

std::span<const Collective> reduce_scatter_family() {
  static constexpr std::array family{Collective::allreduce, Collective::reduce_scatter, Collective::allgather};
  return family;
}

std::optional<std::string> refuse_above(const Algorithm& row, const Request& request, Rank most) {
  if (request.ranks <= most) return std::nullopt;
  return fmt::format("{} is made for at most {} ranks, not {}", row.name, most, request.ranks);
}

}  // namespace onceover
