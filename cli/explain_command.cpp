#include <fmt/format.h>

#include "base/closest.h"
#include "base/rows.h"
#include "base/try.h"
#include "cli/commands.h"
#include "subjects/required.h"
#include "verifier/property.h"

namespace onceover::cli {

Result<const Property*> parse_explained(const std::string& text) {
  if (const Property* property = row_with(properties(), &Property::id, text)) return property;
  return no_such("explain: no property", text, mapped(properties(), &Property::id));
}

Result<ExitCode> run(const ExplainCommand& command) {
  TRY(print(explanation(*command.property)));
  return ExitCode::ok;
}

}  // namespace onceover::cli
