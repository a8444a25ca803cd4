// A user's program that prints a schedule.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/resource_limits.h"
#include "subjects/subject.h"

namespace onceover::subjects {

namespace {

/// Without bytes that control a terminal.
std::string last_line(std::string_view text) {
  constexpr std::size_t most_shown = 200;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  text = text.substr(text.rfind('\n') + 1).substr(0, most_shown);
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return line;
}

}  // namespace

Result<Generated> run_generator(const std::string& command, const GeneratorLimits& limits) {
  auto end = run_process(shell(command), limits);
  if (!end)
    return tl::unexpected(Failure{or_unknown(ExitCode::internal),
                                  fmt::format("--exec: cannot start '{}': {}", command, std::strerror(end.error()))});
  const auto why = complaint(*end, limits);
  if (!why) return Generated{std::move(end->out)};
  if (end->exit_code == not_for_these && end->exceeded == ProcessEnd::Exceeded::nothing) {
    return Generated{{}, last_line(end->errors)};
  }
  const bool is_late = end->exceeded == ProcessEnd::Exceeded::seconds;
  const bool is_cut = end->exceeded != ProcessEnd::Exceeded::nothing;
  return tl::unexpected(Failure{is_cut ? ExitCode::unknown : or_unknown(ExitCode::malformed),
                                fmt::format("--exec: '{}' {}{}{}", command, *why,
                                            is_late ? " (see --exec-time-limit)" : "", last_words(end->errors))});
}

}  // namespace onceover::subjects
