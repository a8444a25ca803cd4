#include "schedules/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

std::vector<Algorithm> sorted_rows() {
  auto rows = base::mapped(algorithm_rows, [](const Algorithm* row) { return *row; });
  std::sort(rows.begin(), rows.end(), [](const Algorithm& a, const Algorithm& b) { return a.name < b.name; });
  auto same_name = [](const Algorithm& a, const Algorithm& b) { return a.name == b.name; };
  assert(std::adjacent_find(rows.begin(), rows.end(), same_name) == rows.end());
  return rows;
}

bool allows(const Parameter& parameter, std::string_view value) {
  if (value == parameter.preset) return true;
  if (parameter.is_free()) return true;
  const auto& choices = parameter.choices;
  if (!choices.empty()) return std::find(choices.begin(), choices.end(), value) != choices.end();
  const auto number = parse_whole<std::int64_t>(value);
  return number && *number >= parameter.least && *number <= parameter.most;
}

const Parameter* find_parameter(const Algorithm& row, std::string_view name) {
  return row_with(row.parameters, &Parameter::name, name);
}

std::optional<std::string> setting_refusal(const Algorithm& row, const std::string& name, const std::string& value) {
  if (row.parameters.empty()) return fmt::format("{} has no parameters, so no '{}'", row.name, name);
  const Parameter* parameter = find_parameter(row, name);
  const auto names = mapped(row.parameters, &Parameter::name);
  if (parameter == nullptr)
    return fmt::format("{} has no parameter '{}'{}; it has {}", row.name, name, suggestion(name, names),
                       fmt::join(names, ", "));
  if (allows(*parameter, value)) return std::nullopt;
  return fmt::format("{}: {} is {}, not '{}'{}", row.name, name, values_text(*parameter), value,
                     suggestion(value, parameter->choices));
}

std::optional<std::string> root_refusal(const Request& request) {
  if (request.root == 0) return std::nullopt;
  if (!is_rooted(request.collective))
    return fmt::format("{} has no root, so none can be rank {}", name(request.collective), request.root);
  if (request.root > 0 && request.root < request.ranks()) return std::nullopt;
  return fmt::format("the root is a rank from 0 to {}, not {}", request.ranks() - 1, request.root);
}

/// For each rank of a torus, the one as far from the root as it is from rank 0, in the same directions.
std::vector<Rank> seats_around(Rank root, const std::vector<Rank>& shape) {
  std::vector<Rank> seats{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Rank rest = 1;
    for (std::size_t k = d + 1; k < shape.size(); ++k) rest *= shape[k];
    std::vector<Rank> more;
    more.reserve(seats.size() * static_cast<std::size_t>(shape[d]));
    for (const Rank seat : seats)
      for (Rank c = 0; c < shape[d]; ++c) more.push_back(seat * shape[d] + (c + root / rest) % shape[d]);
    seats = std::move(more);
  }
  return seats;
}

/// Who owns the blocks of all lanes; empty where each block is that of the rank with its number.
std::vector<Rank> owners_of(const LaneLabels& lanes, Rank ranks) {
  std::vector<Rank> owners;
  bool is_usual = true;
  for (const auto& labels : lanes)
    for (Rank b = 0; b < ranks; ++b) {
      owners.push_back(labels ? (*labels)[static_cast<std::size_t>(b)] : b);
      is_usual = is_usual && owners.back() == b;
    }
  return is_usual ? std::vector<Rank>{} : owners;
}

}  // namespace

Rank Request::ranks() const {
  std::int64_t product = 1;
  for (const Rank side : shape) product *= side;
  return static_cast<Rank>(product);
}

std::string shape_text(const std::vector<Rank>& shape) {
  return shape.size() == 1 ? fmt::format("p = {}", shape[0]) : fmt::format("torus {}", fmt::join(shape, "x"));
}

std::string values_text(const Parameter& parameter) {
  if (parameter.is_free()) return "any text";
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, " or "));
  const std::string number = fmt::format("a number from {} to {}", parameter.least, parameter.most);
  return parse_whole<std::int64_t>(parameter.preset) ? number : fmt::format("{} or {}", number, parameter.preset);
}

std::span<const Algorithm> catalogue() {
  static const std::vector<Algorithm> rows = sorted_rows();
  return rows;
}

const Algorithm* find_algorithm(std::string_view name) {
  return row_with(catalogue(), &Algorithm::name, name);
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
  if (request.dimensions() > 1 && !algorithm.on_tori)
    return fmt::format("{} is for a line of ranks, not for a {}", algorithm.name, shape_text(request.shape));
  if (request.all_lanes && !algorithm.has_lanes)
    return fmt::format("{} uses one port at a time: it has no --lanes all", algorithm.name);
  if (auto reason = root_refusal(request)) return reason;
  for (const auto& [name, value] : request.settings)
    if (auto reason = setting_refusal(algorithm, name, value)) return reason;
  return algorithm.outside(request);
}

Header header_of(const Algorithm& row, const Request& request, int lanes, Block blocks) {
  return {.collective = request.collective,
          .ranks = request.ranks(),
          .blocks = blocks,
          .root = request.root,
          .shape = request.shape,
          .lanes = lanes,
          .algorithm = std::string(row.name)};
}

SchedulePtr with_blocks(const Algorithm& row, const Request& request, int lanes, Block blocks,
                        PatternedSchedule::Builder&& builder, Block scratch) {
  if (request.root != 0) builder.seat(seats_around(request.root, request.shape));
  Header header = header_of(row, request, lanes, blocks);
  header.scratch = scratch;
  return std::make_shared<PatternedSchedule>(std::move(header), std::move(builder));
}

void append_allgather(const Algorithm& row, const Request& request, PatternedSchedule::Builder& builder) {
  if (merges(row, request))
    builder.append_merged_reversal();
  else
    builder.append_reversal();
}

namespace {

/// Makes the collective that is asked for from its reduce-scatter.
void complete(const Algorithm& row, const Request& request, PatternedSchedule::Builder& builder) {
  if (request.collective == Collective::allgather) builder.reverse();
  if (request.collective == Collective::allreduce) append_allgather(row, request, builder);
}

}  // namespace

SchedulePtr from_reduce_scatter(const Algorithm& row, const Request& request, int lanes,
                                PatternedSchedule::Builder&& builder) {
  complete(row, request, builder);
  return with_blocks(row, request, lanes, lanes * request.ranks(), std::move(builder));
}

SchedulePtr from_seated_reduce_scatter(const Algorithm& row, const Request& request, const LaneLabels& lanes,
                                       PatternedSchedule::Builder&& builder) {
  complete(row, request, builder);
  const int count = static_cast<int>(lanes.size());
  Header header = header_of(row, request, count, count * request.ranks());
  if (request.collective != Collective::allreduce) header.owners = owners_of(lanes, request.ranks());
  return std::make_shared<PatternedSchedule>(std::move(header), std::move(builder));
}

int lane_count(const Request& request) {
  return request.all_lanes ? 2 * request.dimensions() : 1;
}

std::string_view setting(const Algorithm& row, const Request& request, std::string_view name) {
  const auto given = request.settings.find(name);
  return given != request.settings.end() ? std::string_view(given->second) : find_parameter(row, name)->preset;
}

std::int64_t number_setting(const Algorithm& row, const Request& request, std::string_view name) {
  return *parse_whole<std::int64_t>(setting(row, request, name));
}

bool merges(const Algorithm& row, const Request& request) {
  return find_parameter(row, merge_parameter.name) != nullptr && setting(row, request, merge_parameter.name) == "yes";
}

std::optional<std::string> refuse_merging(const Algorithm& row, const Request& request, std::string_view why_not) {
  if (!merges(row, request)) return std::nullopt;
  if (request.collective != Collective::allreduce)
    return fmt::format("{}: merge=yes joins the two halves of an allreduce; {} is not made of two", row.name,
                       name(request.collective));
  if (why_not.empty()) return std::nullopt;
  return fmt::format("{}: merge=yes joins two exchanges in the middle, and {}", row.name, why_not);
}

std::optional<std::string> refuse_above(const Algorithm& row, const Request& request, Rank most) {
  if (request.ranks() <= most) return std::nullopt;
  return fmt::format("{} is made for at most {} ranks, not {}", row.name, most, request.ranks());
}

}  // namespace onceover::schedules
