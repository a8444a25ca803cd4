#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "cli/commands.h"
#include "subjects/explanation.h"
#include "verifier/property.h"

namespace onceover::cli {

Result<ExitCode> run(const ExplainCommand& command) {
  const auto rows = properties();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Property& p) { return p.id == command.id; });
  if (row == rows.end()) {
    std::vector<std::string_view> ids;
    for (const Property& p : rows) ids.push_back(p.id);
    return usage_error(fmt::format("explain: no property '{}'{}; there are {}", command.id, suggestion(command.id, ids),
                                   fmt::join(ids, ", ")));
  }
  auto printed = print(explanation(*row));
  if (!printed) return tl::unexpected(printed.error());
  return ExitCode::ok;
}

}  // namespace onceover::cli
