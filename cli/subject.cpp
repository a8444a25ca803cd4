#include "cli/subject.h"

#include <fmt/format.h>

#include "cli/files.h"
#include "cli/rank_list.h"
#include "schedules/catalogue.h"
#include "schedules/closest.h"
#include "schedules/schedule_file.h"

namespace onceover::cli {

namespace {

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

Result<std::vector<Subject>> from_catalogue(const SubjectOptions& options) {
  const auto row = algorithm_named(options.algorithm);
  if (!row) return tl::unexpected(row.error());
  const auto collective = collective_or_default(options.collective, **row);
  if (!collective) return tl::unexpected(collective.error());
  if (options.ranks.empty())
    return usage_error(fmt::format("--algo {} needs a number of ranks: --p 7, --p 2..64, --p 2^1..2^6", (*row)->name));
  const auto ranks = parse_rank_list(options.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  std::vector<Subject> subjects;
  for (const Rank p : *ranks) {
    const Request request{*collective, p};
    if (const auto reason = refusal(**row, request)) return usage_error(*reason);
    subjects.push_back({"", p, [row = *row, request] { return row->make(request); }});
  }
  return subjects;
}

Result<std::vector<Subject>> from_file(const SubjectOptions& options) {
  for (const auto& [flag, value] : {std::pair{"--p", options.ranks}, std::pair{"--collective", options.collective}})
    if (!value.empty())
      return usage_error(fmt::format("{} goes with --algo; a schedule file says itself what it is for", flag));
  const auto text = read_file(options.file);
  if (!text) return tl::unexpected(text.error());
  if (!looks_like_schedule_file(*text)) {
    const std::string what = text->empty() ? "the file is empty" : "this is no format that verify knows";
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
