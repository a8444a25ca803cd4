#include "subjects/generator.h"

#include <fmt/format.h>

#include <cstring>

#include "base/resource_limits.h"

namespace onceover::subjects {

Result<std::string> run_generator(const std::string& command, const GeneratorLimits& limits) {
  auto end = run_process(shell(command), limits);
  if (!end)
    return tl::unexpected(Failure{or_unknown(ExitCode::internal),
                                  fmt::format("--exec: cannot start '{}': {}", command, std::strerror(end.error()))});
  const auto why = complaint(*end, limits);
  if (!why) return std::move(end->out);
  const bool is_late = end->exceeded == ProcessEnd::Exceeded::seconds;
  const bool is_cut = end->exceeded != ProcessEnd::Exceeded::nothing;
  return tl::unexpected(Failure{is_cut ? ExitCode::unknown : or_unknown(ExitCode::malformed),
                                fmt::format("--exec: '{}' {}{}{}", command, *why,
                                            is_late ? " (see --exec-time-limit)" : "", last_words(end->errors))});
}

}  // namespace onceover::subjects
