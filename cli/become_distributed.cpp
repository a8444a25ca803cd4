#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "cli/command_line.h"
#include "live/launcher.h"

namespace onceover::cli {

Failure become_distributed(char** argv) {
  const std::optional<std::string> program = find_program("verify-distributed");
  if (!program)
    return {ExitCode::usage,
            "--distributed: verify-distributed isn't there, which is built where an MPI is found:\n"
            "  apt-get install openmpi-bin libopenmpi-dev\n"
            "  cmake --preset default && cmake --build build/default --target verify-distributed"};
  execv(program->c_str(), argv);
  return {ExitCode::internal, fmt::format("--distributed: {}: {}", *program, std::strerror(errno))};
}

}  // namespace onceover::cli
