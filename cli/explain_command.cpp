#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "cli/commands.h"
#include "subjects/explanation.h"
#include "verifier/property.h"

namespace onceover::cli {

Result<const Property*> parse_explained(const std::string& text) {
  const auto rows = properties();
  std::vector<std::string_view> ids;
  for (const Property& p : rows) {
    if (p.id == text) return &p;
    ids.push_back(p.id);
  }
  return usage_error(
      fmt::format("explain: no property '{}'{}; there are {}", text, suggestion(text, ids), fmt::join(ids, ", ")));
}

Result<ExitCode> run(const ExplainCommand& command) {
  auto printed = print(explanation(*command.property));
  if (!printed) return tl::unexpected(printed.error());
  return ExitCode::ok;
}

}  // namespace onceover::cli
