#include "cli/json_output.h"

#include "base/files.h"
#include "base/telling.h"
#include "base/try.h"
#include "cli/colors.h"

namespace onceover::cli {

bool JsonOutput::takes_output() const {
  return is_printed || is_standard_stream(file);
}

Result<void> check(const JsonOutput& output) {
  return output.file.empty() ? Result<void>() : check_writable(output.file);
}

Result<void> give_result(const JsonOutput& output, const std::function<std::string()>& json,
                         const std::function<std::string()>& text) {
  const std::string document = output.is_wanted() ? json() : "";
  if (!output.file.empty()) TRY(write_text(output.file, document));
  if (is_standard_stream(output.file)) return {};
  return print(output.is_printed ? document : painted(text()));
}

}  // namespace onceover::cli
