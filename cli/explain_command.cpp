#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/run.h"
#include "schedules/closest.h"
#include "schedules/schedule_file.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

constexpr std::string_view file_name = "example.json";

/// The row's example, judged as `verify` would, with whatever bound makes it fail.
std::string judged(const Property& property) {
  const auto schedule = read_schedule(file_name, property.example);
  if (!schedule) throw std::logic_error(schedule.error().render());
  VerifyOptions options{.threads = 1, .required = {std::string(property.id)}};
  std::string flags = property.required_by_default ? "" : fmt::format(" --require {}", property.id);
  if (property.id == ports_property.id) options.limits.ports = 1, flags = " --ports 1";
  if (property.id == staging_property.id) options.limits.staging = 1, flags = " --staging 1";
  const Run run{
      Origin(Origin::Kind::file, std::string(file_name)), (*schedule)->header(), verify(**schedule, options), {}, {}};
  return fmt::format("$ verify {}{}\n{}", file_name, flags, text_report({run}, false));
}

}  // namespace

Result<ExitCode> run(const ExplainCommand& command) {
  const auto rows = properties();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Property& p) { return p.id == command.id; });
  if (row == rows.end()) {
    std::vector<std::string_view> ids;
    for (const Property& p : rows) ids.push_back(p.id);
    return usage_error(fmt::format("explain: no property '{}'{}; there are {}", command.id, suggestion(command.id, ids),
                                   fmt::join(ids, ", ")));
  }
  const std::string required = row->required_by_default ? "required" : "not required unless asked for";
  auto printed =
      print(fmt::format("{} ({})\n{}\n\n{}\n\nA schedule that violates it, {}:\n\n{}\n{}\n{}\n", row->id, required,
                        row->asks, row->matters, file_name, row->example, judged(*row), row->remedy));
  if (!printed) return tl::unexpected(printed.error());
  return ExitCode::ok;
}

}  // namespace onceover::cli
