// `verify-distributed`: `verify` in every process that mpirun starts. Only process 0 prints.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/interrupts.h"
#include "cli/distributed/mpi_team.h"
#include "cli/program.h"

namespace onceover::cli {

namespace {

/// From now on this process prints nothing.
void fall_silent() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  std::fflush(stdout);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

}  // namespace

}  // namespace onceover::cli

int main(int argc, char** argv) {
  using namespace onceover::cli;
  handle_interrupts();
  MpiTeam team(argc, argv);
  if (team.number() != 0) fall_silent();
  const End end = team.end(carry_out(argc, argv, &team));
  if (!end.message.empty()) fmt::print(stderr, "{}\n", end.message);
  // Otherwise, if another process ended with a code of its own, mpirun might end process 0 before it has printed.
  return team.number() == 0 ? static_cast<int>(end.code) : 0;
}
