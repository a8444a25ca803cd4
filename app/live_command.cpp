#include "app/live_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "cli/generator.h"
#include "cli/rank_list.h"
#include "live/element.h"
#include "live/launcher.h"
#include "schedules/closest.h"

namespace onceover::cli {

namespace {

/// The MPIs that verify-mpi may have been built for; "default" is the one whose compiler is plain mpicc.
constexpr std::array<std::string_view, 3> known{"openmpi", "mpich", "default"};

constexpr std::string_view how_to_install =
    "install one and run ./verify live again, which builds verify-mpi for it:\n"
    "  apt-get install openmpi-bin libopenmpi-dev    Open MPI\n"
    "  apt-get install mpich libmpich-dev            MPICH";

/// An MPI that can be run: what starts ranks, and the program for them.
struct Found {
  std::string mpi;
  std::string program;
};

Result<Found> find_mpi(const std::string& asked) {
  if (!asked.empty() && std::find(known.begin(), known.end(), asked) == known.end())
    return usage_error(fmt::format("--mpi: expected openmpi or mpich, found '{}'{}", asked, suggestion(asked, known)));
  bool has_starter = false;
  for (const std::string_view mpi : known) {
    if (!asked.empty() && asked != mpi) continue;
    const bool starts = live::starter(std::string(mpi)).has_value();
    has_starter = has_starter || starts;
    if (const auto program = live::find_program(fmt::format("verify-mpi-{}", mpi)); program && starts)
      return Found{std::string(mpi), *program};
  }
  const std::string which = asked.empty() ? "an MPI" : asked;
  if (has_starter)
    return usage_error(fmt::format("live: {} is there, but no verify-mpi for it, which needs its compiler, mpicc; {}",
                                   asked.empty() ? "mpirun" : asked, how_to_install));
  return usage_error(fmt::format("live: {} isn't there; {}", which, how_to_install));
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// Did verify-mpi get as far as a verdict, as text or as JSON?
bool has_verdict(const std::string& out) {
  return out.find("\n  \"summary\": ") != std::string::npos || has_line(out, "pass") || has_line(out, "fail");
}

/// The exit code of verify-mpi, which mpirun ended with. MPIs have codes of their own where a rank was killed or none
/// could be started, and take one that ends early with 0 for a success.
Result<ExitCode> exit_code_of(const CommandEnd& end) {
  const bool is_own = end.exit_code >= 0 && end.exit_code <= static_cast<int>(ExitCode::internal);
  const bool is_told = end.exit_code != 0 && end.errors.find("verify-mpi: ") != std::string::npos;
  if (is_own && (is_told || has_verdict(end.out))) return static_cast<ExitCode>(end.exit_code);
  const bool is_found = end.errors.find("verify-mpi: rank ") != std::string::npos;  // what crashed or hung
  return tl::unexpected(Failure{
      is_found ? ExitCode::violated : ExitCode::unknown,
      fmt::format("live: mpirun ended with exit code {} {} a verdict: a rank was killed, or couldn't be started, "
                  "or the library ended it",
                  end.exit_code, has_verdict(end.out) ? "after" : "without")});
}

/// Runs a shell command and prints what it printed.
Result<CommandEnd> run_shell(const std::string& command) {
  constexpr int a_day = 24 * 60 * 60;
  const auto end = run_command(command, {.seconds = a_day});
  if (!end)
    return tl::unexpected(
        Failure{ExitCode::internal, fmt::format("live: cannot start '{}': {}", command, std::strerror(end.error()))});
  fmt::print("{}", end->out);
  fmt::print(stderr, "{}", end->errors);
  if (end->exceeded != CommandEnd::Exceeded::nothing || end->exit_code < 0)
    return tl::unexpected(Failure{ExitCode::unknown, fmt::format("live: '{}' was killed", command)});
  return *end;
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += " " + live::shell_word(word);
  return text;
}

/// Of two exit codes the one to end with: a violation before what isn't known.
ExitCode worse(ExitCode a, ExitCode b) {
  if (a == ExitCode::ok || b == ExitCode::violated) return b;
  return a;
}

}  // namespace

Result<ExitCode> run(const LiveCommand& command) {
  if (!command.sweep.empty() && command.sweep != "openmpi" && command.sweep != "mpich")
    return usage_error(fmt::format("live: --sweep: expected openmpi or mpich, found '{}'", command.sweep));
  const auto found = find_mpi(command.sweep.empty() ? command.mpi : command.sweep);
  if (!found) return tl::unexpected(found.error());
  if (!command.sweep.empty()) {
    if (!command.preload.empty())
      return usage_error("live: --preload isn't for sweeps, which force the MPI's own algorithms");
    if (!command.mpi.empty() && command.mpi != command.sweep)
      return usage_error(fmt::format("live: --mpi {} and --sweep {} are different MPIs", command.mpi, command.sweep));
    std::string line = live::shell_word(found->program) + " --sweep " + found->mpi;
    if (!command.ranks.empty()) line += " --p " + live::shell_word(command.ranks);
    const auto end = run_shell(line + words(command.passed_on) + (command.json ? " --json" : ""));
    if (!end) return tl::unexpected(end.error());
    return static_cast<ExitCode>(end->exit_code);
  }
  const auto ranks = parse_rank_list(command.ranks.empty() ? "4" : command.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  if (*std::max_element(ranks->begin(), ranks->end()) > live::ElementFormat::most_ranks)
    return usage_error(fmt::format("live: --p: at most {} ranks", live::ElementFormat::most_ranks));
  if (command.json && ranks->size() > 1) return usage_error("live: --json is for one number of ranks at a time");
  ExitCode end = ExitCode::ok;
  for (const Rank p : *ranks) {
    std::string program = live::shell_word(found->program) + words(command.passed_on) + (command.json ? " --json" : "");
    if (!command.preload.empty())
      program = "env " + live::shell_word("LD_PRELOAD=" + command.preload) + " " + program + " --preloaded";
    const auto run = run_shell(live::start_command(found->mpi, p, {}, program));
    if (!run) return tl::unexpected(run.error());
    const auto code = exit_code_of(*run);
    if (!code) return tl::unexpected(code.error());
    end = *code == ExitCode::ok ? end : worse(end, *code);
  }
  return end;
}

}  // namespace onceover::cli
