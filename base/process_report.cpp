// What is said of programs that ran, apart from running them.

#include <fmt/format.h>

#include "base/process.h"
#include "base/resource_limits.h"

namespace onceover::base {

namespace {

constexpr std::size_t shown_errors = 2000;

}  // namespace

Invocation shell(const std::string& command) {
  return {.program = "/bin/sh", .arguments = {"-c", command}};
}

std::optional<std::string> complaint(const ProcessEnd& end, const ProcessLimits& limits) {
  if (end.exceeded == ProcessEnd::Exceeded::seconds) return fmt::format("ran longer than {} s", limits.seconds);
  if (end.exceeded == ProcessEnd::Exceeded::bytes) return fmt::format("printed more than {} MiB", limits.bytes >> 20);
  if (end.signal != 0) return fmt::format("was killed by signal {}{}", end.signal, limit_of_started_program());
  if (end.exit_code != 0) return fmt::format("ended with exit code {}{}", end.exit_code, limit_of_started_program());
  return std::nullopt;
}

std::string last_words(const std::string& errors) {
  std::string text = errors.size() > shown_errors ? ".." + errors.substr(errors.size() - shown_errors) : errors;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text)
    if (c != '\n' && c != '\t' && (static_cast<unsigned char>(c) < ' ' || c == '\x7f')) c = '?';
  return text.empty() ? "; it wrote nothing on standard error" : "; it wrote on standard error:\n" + text;
}

}  // namespace onceover::base
