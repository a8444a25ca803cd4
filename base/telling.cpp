#include "base/telling.h"

#include <fmt/format.h>

#include <atomic>

#include "base/progress.h"
#include "base/resource_limits.h"
#include "base/stop.h"

namespace onceover::base {

namespace {

std::atomic<int> telling = 0;
std::atomic<unsigned> told_so_far = 0;

}  // namespace

Telling::Telling() {
  ++telling;
  Progress::hide();
}

Telling::~Telling() {
  ++told_so_far;
  --telling;
}

bool is_telling() {
  return telling > 0;
}

unsigned lines_told() {
  return told_so_far;
}

Result<void> print(const std::string& text) {
  return print([&](std::FILE* out) { return std::fwrite(text.data(), 1, text.size(), out) == text.size(); });
}

Result<void> print(const std::function<bool(std::FILE*)>& write) {
  const Telling telling;
  if (write(stdout) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return tl::unexpected(Failure{ExitCode::internal, "standard output can't be written"});
}

void warn(const std::string& message) {
  const Telling telling;
  fmt::print(stderr, "verify: {}\n", message);
}

ExitCode after_giving(ExitCode verdict, const std::function<Result<void>()>& give) {
  try {
    return after_output(verdict, give());
  } catch (const Stopped& stopped) {
    return after_output(verdict, tl::unexpected(Failure{ExitCode::unknown, stopped.what()}));
  } catch (const std::bad_alloc&) {
    return after_output(verdict, tl::unexpected(Failure{ExitCode::unknown, out_of_memory()}));
  }
}

ExitCode after_output(ExitCode verdict, const Result<void>& output) {
  if (output) return verdict;
  warn(output.error().message);
  return verdict == ExitCode::violated ? verdict : output.error().code;
}

}  // namespace onceover::base
