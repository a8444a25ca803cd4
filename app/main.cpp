// `verify`: carries out one command line, and ends with its exit code.

#include <fmt/format.h>

#include <exception>

#include "app/command_line.h"
#include "cli/interrupts.h"
#include "cli/resource_limits.h"

namespace onceover::cli {

namespace {

int run_program(int argc, char** argv) {
  handle_interrupts();
  const Result<ExitCode> end = CommandLine().run(argc, argv);
  if (end) return static_cast<int>(*end);
  fmt::print(stderr, "{}{}\n", end.error().code == ExitCode::malformed ? "" : "verify: ", end.error().message);
  return static_cast<int>(end.error().code);
}

}  // namespace

}  // namespace onceover::cli

int main(int argc, char** argv) {
  try {
    return onceover::cli::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "verify: {}\n", onceover::cli::out_of_memory());
    return static_cast<int>(onceover::cli::ExitCode::unknown);
  } catch (const onceover::Stopped& stopped) {
    fmt::print(stderr, "verify: {}\n", stopped.what());
    return static_cast<int>(onceover::cli::ExitCode::unknown);
  } catch (const std::exception& e) {
    fmt::print(stderr, "verify: internal error: {}\n", e.what());
    return static_cast<int>(onceover::cli::ExitCode::internal);
  }
}
