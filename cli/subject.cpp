#include "cli/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/files.h"
#include "cli/rank_list.h"
#include "schedules/catalogue.h"
#include "schedules/closest.h"
#include "schedules/schedule_file.h"

namespace onceover::cli {

namespace {

/// Sides of a torus at most: as many as the largest machines have. Patterns multiply with each odd side.
constexpr std::size_t most_dimensions = 6;

Result<const Algorithm*> algorithm_named(const std::string& name) {
  if (const Algorithm* row = find_algorithm(name)) return row;
  std::vector<std::string_view> names;
  for (const Algorithm& row : catalogue()) names.push_back(row.name);
  return usage_error(fmt::format("--algo: no algorithm '{}'{} (see 'verify list')", name, suggestion(name, names)));
}

Result<Collective> collective_or_default(const std::string& name, const Algorithm& row) {
  if (name.empty()) return row.collectives.front();
  if (const auto collective = collective_named(name)) return *collective;
  std::vector<std::string_view> names;
  for (const Contract& c : contracts) names.push_back(c.name);
  return usage_error(fmt::format("--collective: no collective '{}'{}; there are {}", name, suggestion(name, names),
                                 collective_names()));
}

Result<std::vector<Rank>> parse_torus(const std::string& text) {
  std::vector<Rank> shape;
  std::int64_t product = 1;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    std::int64_t side = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, side);
    if (error != std::errc{} || stop != text.data() + end || begin == end || side < 1 || side > max_ranks)
      return usage_error(fmt::format("--torus: expected sides like 4x6 or 2x4x8, found '{}'", text));
    product = std::min<std::int64_t>(product * side, std::int64_t{max_ranks} + 1);
    shape.push_back(static_cast<Rank>(side));
    begin = end + 1;
  }
  if (product > max_ranks || shape.size() > most_dimensions)
    return usage_error(fmt::format("--torus: {} has more than {} ranks or {} sides", text, max_ranks, most_dimensions));
  return shape;
}

Result<std::vector<std::vector<Rank>>> shapes_of(const SubjectOptions& options, const Algorithm& row) {
  if (!options.ranks.empty() && !options.tori.empty()) return usage_error("either --p LIST or --torus AxB, not both");
  if (options.ranks.empty() && options.tori.empty())
    return usage_error(fmt::format("--algo {} needs a number of ranks: --p 7, --p 2..64, --p 2^1..2^6{}", row.name,
                                   row.on_tori ? ", --torus 4x6" : ""));
  std::vector<std::vector<Rank>> shapes;
  for (const std::string& torus : options.tori) {
    const auto shape = parse_torus(torus);
    if (!shape) return tl::unexpected(shape.error());
    shapes.push_back(*shape);
  }
  if (!options.tori.empty()) return shapes;
  const auto ranks = parse_rank_list(options.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  for (const Rank p : *ranks) shapes.push_back({p});
  return shapes;
}

Result<Request> request_of(const SubjectOptions& options, const Algorithm& row) {
  Request request;
  const auto collective = collective_or_default(options.collective, row);
  if (!collective) return tl::unexpected(collective.error());
  request.collective = *collective;
  if (!options.lanes.empty() && options.lanes != "1" && options.lanes != "all")
    return usage_error(fmt::format("--lanes: expected 1 or all, found '{}'", options.lanes));
  request.all_lanes = options.lanes == "all";
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      return usage_error(fmt::format("--set: expected name=value, found '{}'", setting));
    if (!request.settings.emplace(setting.substr(0, equals), setting.substr(equals + 1)).second)
      return usage_error(fmt::format("--set: '{}' is set twice", setting.substr(0, equals)));
  }
  return request;
}

Result<std::vector<Subject>> from_catalogue(const SubjectOptions& options) {
  const auto row = algorithm_named(options.algorithm);
  if (!row) return tl::unexpected(row.error());
  const auto shapes = shapes_of(options, **row);
  if (!shapes) return tl::unexpected(shapes.error());
  auto request = request_of(options, **row);
  if (!request) return tl::unexpected(request.error());
  std::vector<Subject> subjects;
  for (const auto& shape : *shapes) {
    request->shape = shape;
    if (const auto reason = refusal(**row, *request)) return usage_error(*reason);
    subjects.push_back({"", request->ranks(), [row = *row, request = *request] { return row->make(request); }});
  }
  std::stable_sort(subjects.begin(), subjects.end(),
                   [](const Subject& a, const Subject& b) { return a.ranks < b.ranks; });
  return subjects;
}

Result<std::vector<Subject>> from_file(const SubjectOptions& options) {
  const std::array given{std::pair{"--p", !options.ranks.empty()}, std::pair{"--torus", !options.tori.empty()},
                         std::pair{"--lanes", !options.lanes.empty()}, std::pair{"--set", !options.settings.empty()},
                         std::pair{"--collective", !options.collective.empty()}};
  for (const auto& [flag, is_given] : given)
    if (is_given)
      return usage_error(fmt::format("{} goes with --algo; a schedule file says itself what it is for", flag));
  const auto text = read_file(options.file);
  if (!text) return tl::unexpected(text.error());
  if (!looks_like_schedule_file(*text)) {
    const bool is_blank = text->find_first_not_of(" \t\r\n") == std::string::npos;
    const std::string what = is_blank ? "the file is empty" : "this is no format that verify knows";
    const auto error =
        source_error(options.file, *text, 0, what + "; expected a JSON object {\"format\":\"onceover-schedule\", ..}");
    return tl::unexpected(Failure{ExitCode::malformed, error.render()});
  }
  auto schedule = read_schedule(options.file, *text);
  if (!schedule) return tl::unexpected(Failure{ExitCode::malformed, schedule.error().render()});
  return std::vector<Subject>{{options.file, (*schedule)->header().ranks, [s = *schedule] { return s; }}};
}

}  // namespace

Result<std::vector<Subject>> resolve(const SubjectOptions& options) {
  if (!options.algorithm.empty() && !options.file.empty()) return usage_error("either --algo NAME or a FILE, not both");
  if (!options.algorithm.empty()) return from_catalogue(options);
  if (!options.file.empty()) return from_file(options);
  return usage_error("nothing to verify; say --algo NAME --p LIST, or a schedule FILE (see 'verify --help')");
}

}  // namespace onceover::cli
