// `verify-mpi` under an MPI: mpirun starts a process for each rank. With --sweep there is one process, without MPI,
// that starts such runs (sweep.h).

#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "base/interrupts.h"
#include "base/progress.h"
#include "live/mpi/settings.h"
#include "live/mpi/verify_mpi.h"
#include "live/sweep_command.h"

namespace onceover::live {

namespace {

ExitCode sweep_alone(const std::vector<std::string>& words) {
  handle_interrupts();
  const Progress progress("sweep");
  const auto end = run_sweep(words);
  if (!end) fmt::print(stderr, "verify-mpi: {}\n", end.error().message);
  if (was_interrupted()) return ExitCode::interrupted;
  return end ? *end : end.error().code;
}

ExitCode run_program(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (asks_for_sweep(words)) return sweep_alone(words);
  if (argc == 2 && std::string_view(argv[1]) == "--settings") {
    fmt::print("{}", settings_text());
    return ExitCode::ok;
  }
  return run_rank(argc, argv);
}

}  // namespace

}  // namespace onceover::live

int main(int argc, char** argv) {
  using namespace onceover::live;
  try {
    return static_cast<int>(run_program(argc, argv));
  } catch (const std::exception& e) {
    fmt::print(stderr, "verify-mpi: internal error: {}\n", e.what());
    return static_cast<int>(ExitCode::internal);
  }
}
