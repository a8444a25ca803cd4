// The module: runs one command line over files in memory, and ends with its exit code.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/program.h"

namespace {

/// Commands and options that need other programs, a solver's state, or a second thread.
constexpr std::array<std::string_view, 8> absent_commands{"claims", "code", "completion", "gate",
                                                          "gpu",    "live", "optimum",    "watch"};
constexpr std::array<std::string_view, 2> absent_options{"--memory-limit", "--time-limit"};

/// What the line asks for and isn't here; empty if there is nothing.
std::string_view absent(int argc, char** argv) {
  if (argc > 1 && std::find(absent_commands.begin(), absent_commands.end(), argv[1]) != absent_commands.end())
    return argv[1];
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = std::string_view(argv[k]).substr(0, std::string_view(argv[k]).find('='));
    if (std::find(absent_options.begin(), absent_options.end(), word) != absent_options.end()) return word;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace onceover;
  if (const std::string_view missing = absent(argc, argv); !missing.empty()) {
    fmt::print(stderr, "verify: {} isn't in the playground, only in the program\n", missing);
    return static_cast<int>(base::ExitCode::usage);
  }
  umask(022);  // Emscripten begins with 0777, and files would be nobody's to read.
  const cli::End end = cli::carry_out(argc, argv);
  if (!end.message.empty()) fmt::print(stderr, "{}\n", end.message);
  return static_cast<int>(end.code);
}
