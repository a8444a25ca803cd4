#include "cli/program.h"

#include <fmt/format.h>

#include <exception>

#include "base/interrupts.h"
#include "base/resource_limits.h"
#include "cli/command_line.h"

namespace onceover::cli {

namespace {

std::string message(const Failure& failure) {
  return (failure.code == ExitCode::malformed ? "" : "verify: ") + failure.message;
}

/// Do all processes have the same arguments? With different ones, a mixture of answers could seem to have no fault.
bool are_asked_the_same(int argc, char** argv, Team& team) {
  std::string arguments;
  for (int k = 1; k < argc; ++k) arguments.append(argv[k]).push_back('\0');
  return is_same_in_all(team, arguments);
}

End carried_out(int argc, char** argv, Team* team) {
  try {
    if (team != nullptr && !are_asked_the_same(argc, argv, *team))
      return {ExitCode::usage, "verify: --distributed: all processes must be started with the same arguments"};
    const Result<ExitCode> end = CommandLine(team).run(argc, argv);
    return end ? End{*end} : End{end.error().code, message(end.error())};
  } catch (const std::bad_alloc&) {
    return {ExitCode::unknown, "verify: " + out_of_memory()};
  } catch (const std::exception& e) {
    return {ExitCode::internal, fmt::format("verify: internal error: {}", e.what())};
  }
}

}  // namespace

End carry_out(int argc, char** argv, Team* team) {
  End end = carried_out(argc, argv, team);
  if (was_interrupted()) end.code = code_of_interrupt();
  return end;
}

}  // namespace onceover::cli
