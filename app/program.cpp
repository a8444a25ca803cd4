#include "app/program.h"

#include <fmt/format.h>

#include <exception>

#include "app/command_line.h"
#include "cli/resource_limits.h"

namespace onceover::cli {

namespace {

std::string message(const Failure& failure) {
  return (failure.code == ExitCode::malformed ? "" : "verify: ") + failure.message;
}

}  // namespace

End carry_out(int argc, char** argv, Team* team) {
  try {
    const Result<ExitCode> end = CommandLine(team).run(argc, argv);
    return end ? End{*end} : End{end.error().code, message(end.error())};
  } catch (const std::bad_alloc&) {
    return {ExitCode::unknown, "verify: " + out_of_memory()};
  } catch (const Stopped& stopped) {
    return {ExitCode::unknown, fmt::format("verify: {}", stopped.what())};
  } catch (const LimitRanOut& limit) {
    return {ExitCode::unknown, fmt::format("verify: {}", limit.what())};
  } catch (const std::exception& e) {
    return {ExitCode::internal, fmt::format("verify: internal error: {}", e.what())};
  }
}

}  // namespace onceover::cli
