// `verify live`: starts verify-mpi under an MPI, once for each number of ranks, and passes on what it prints.
//
// What verify-mpi would refuse is refused here, by its own reader of options, before any rank starts. Its exit code
// comes through mpirun, which has codes of its own. So the code counts only if verify-mpi has printed a verdict, or an
// error under its name. Any other end is the MPI's: a rank was killed, or none could be started.
//
// Example: mpirun ends with 1. After the line "fail" that is a violation. With "verify-mpi: rank 2 .." among the errors
// a call crashed or hung, which is a violation, too. With neither, nobody knows: exit code 4.
//
// It ends: each call has a limit of its own (--call-time-limit), a run of mpirun a day. One mpirun runs at a time.

#include "cli/live_command.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/parallel.h"
#include "base/process.h"
#include "base/report_output.h"
#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"
#include "cli/colors.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "live/element.h"
#include "live/launcher.h"
#include "live/options.h"
#include "live/scope.h"
#include "live/sweep.h"
#include "subjects/rank_list.h"

namespace onceover::cli {

namespace {

/// The MPIs for which verify-mpi may have been built; "default" is the one whose compiler is plain mpicc, and "simgrid"
/// a simulator's.
constexpr std::array<std::string_view, 5> known{"openmpi", "mpich", "default", "simgrid", "gloo"};

constexpr std::string_view how_to_install =
    "install one and run ./verify live again, which builds verify-mpi for it:\n"
    "  apt-get install openmpi-bin libopenmpi-dev    Open MPI\n"
    "  apt-get install mpich libmpich-dev            MPICH\n"
    "  apt-get install libsimgrid-dev                SimGrid, which simulates one\n"
    "  apt-get install libgloo-dev                   Gloo, which is judged in the same way";

/// An MPI that can run: its name, and the program for its ranks.
struct Found {
  std::string mpi;
  std::string program;
};

/// The MPI that is asked for, or the first that is installed.
Result<Found> find_mpi(std::optional<std::string_view> asked) {
  bool has_starter = false;
  for (const std::string_view mpi : known) {
    if (asked && *asked != mpi) continue;
    const bool starts = is_one_process(mpi) || starter(std::string(mpi)).has_value();
    has_starter = has_starter || (starts && !is_one_process(mpi));
    if (const auto program = find_program(fmt::format("verify-mpi-{}", mpi)); program && starts)
      return Found{std::string(mpi), *program};
  }
  if (has_starter)
    return usage_error(fmt::format("live: {} is there, but no verify-mpi for it, which needs its compiler, mpicc; {}",
                                   asked.value_or("mpirun"), how_to_install));
  return usage_error(fmt::format("live: {} isn't there; {}", asked.value_or("an MPI"), how_to_install));
}

/// Did verify-mpi print a verdict as JSON?
bool has_summary(const std::string& out) {
  return out.find("\n  \"summary\": ") != std::string::npos;
}

/// The exit code of verify-mpi, with which mpirun ended. MPIs have codes of their own if a rank was killed or none
/// could be started, and they take a rank that ends early with 0 for a success.
Result<ExitCode> exit_code_of(const ProcessEnd& end, bool has_verdict) {
  const bool is_own = end.exit_code >= 0 && end.exit_code <= static_cast<int>(ExitCode::internal);
  const bool is_told = end.exit_code != 0 && end.errors.find("verify-mpi: ") != std::string::npos;
  if (is_own && (is_told || has_verdict)) return static_cast<ExitCode>(end.exit_code);
  const bool is_found = end.errors.find("verify-mpi: rank ") != std::string::npos ||  // a call crashed or hung
                        end.errors.find("verify-mpi: a rank: ") != std::string::npos;
  return tl::unexpected(Failure{
      is_found ? ExitCode::violated : ExitCode::unknown,
      fmt::format("live: mpirun ended with exit code {} {} a verdict: a rank was killed, or couldn't be started, "
                  "or the library ended it",
                  end.exit_code, has_verdict ? "after" : "without")});
}

void tell_errors(const std::string& errors) {
  const ReportOutput output;
  fmt::print(stderr, "{}", errors);
}

/// Runs a shell command and prints its output, with colours if it is a report.
Result<ProcessEnd> run_shell(const std::string& command, bool is_report) {
  constexpr int a_day = 24 * 60 * 60;
  const auto end = run_process(shell(command), {.seconds = a_day});
  if (!end)
    return tl::unexpected(
        Failure{ExitCode::internal, fmt::format("live: cannot start '{}': {}", command, std::strerror(end.error()))});
  TRY(print(is_report ? painted(end->out) : end->out));
  tell_errors(end->errors);
  if (end->exceeded != ProcessEnd::Exceeded::nothing || end->exit_code < 0)
    return tl::unexpected(Failure{ExitCode::unknown, fmt::format("live: '{}' was killed", command)});
  return *end;
}

/// Of two exit codes the one that counts: a violation before `unknown`.
ExitCode worse(ExitCode a, ExitCode b) {
  if (a == ExitCode::ok || b == ExitCode::violated) return b;
  return a;
}

/// Refuses to start more processes than a machine can bear, unless the user wants that.
Result<void> ask_for(Rank processes, bool is_wanted) {
  constexpr int usual = 8;  // for each core
  if (is_wanted || processes <= usual * cores()) return {};
  const std::string what =
      fmt::format("{} processes are more than {} for each of the {} cores here", processes, usual, cores());
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0)
    return usage_error(fmt::format("live: {}; --yes starts them", what));
  const ReportOutput output;
  fmt::print(stderr, "verify: {}; start them? [y/N] ", what);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return {};
  return usage_error("live: nothing was started");
}

/// Refuses what verify-mpi would refuse, before anything is started.
Result<void> check_words(const LiveCommand& command, const std::vector<Rank>& ranks) {
  for (const Rank p : ranks) {
    const auto options = TRY(read_options(command.words(), p));
    TRY(schedule_for(options));
  }
  return {};
}

/// A file in memory that ranks on this machine can open.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, 0)) {}
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }
  std::string text() const { return read_file(path()).value_or(""); }

  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(file_, text.data(), text.size());
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

/// The content of standard input as a file that ranks on this machine can open.
std::string file_of_input() {
  const auto text = read_file("-");
  MemoryFile file("schedule");
  if (!text || !file.write(*text)) return "-";
  std::string path = file.path();
  file.release();  // as long as this program runs
  return path;
}

std::vector<std::string> words_for_ranks(const LiveCommand& command) {
  LiveCommand seen = command;
  for (Setting& call : seen.calls.given)
    if (call.name == "schedule" && is_standard_stream(call.value)) call.value = file_of_input();
  return seen.words();
}

Result<ExitCode> run_sweep(const LiveCommand& command, const std::vector<Rank>& ranks) {
  if (!command.preload.empty())
    return usage_error("live: --preload isn't for sweeps, which force the MPI's own algorithms");
  if (command.mpi && command.mpi != command.sweep)
    return usage_error(fmt::format("live: --mpi {} and --sweep {} are different MPIs", *command.mpi, *command.sweep));
  return live::run_sweep(
      {std::string(*command.sweep), ranks, command.calls, command.json, command.markdown, command.json_out});
}

/// Runs verify-mpi for each number of ranks. What mpirun says comes before the verdict, which is ours.
Result<ExitCode> run_each(const LiveCommand& command, const std::vector<Rank>& ranks, const Found& found) {
  ExitCode end = ExitCode::ok;
  const std::string arguments = shell_words(words_for_ranks(command));
  std::vector<std::pair<Rank, live::RanksPart>> parts;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    Progress::say(k, ranks.size(), fmt::format("p = {}", ranks[k]));
    const MemoryFile verdict("verdict");
    std::string program = shell_word(found.program) + arguments;
    if (!command.json) program += " --part " + verdict.path();
    if (!command.preload.empty())
      program = "env " + shell_word("LD_PRELOAD=" + command.preload) + " " + program + " --preloaded";
    const auto run = TRY(run_shell(start_command(found.mpi, ranks[k], {}, program), !command.json));
    const auto part = live::parse_ranks_part(verdict.text());
    const auto code = TRY(exit_code_of(run, command.json ? has_summary(run.out) : part.has_value()));
    end = code == ExitCode::ok ? end : worse(end, code);
    if (part) parts.emplace_back(ranks[k], *part);
  }
  const live::Options options = TRY(read_options(command.words(), ranks.back()));
  if (!parts.empty()) TRY(print(painted(live::ending_text(live::ending_of(options, ranks), parts))));
  return end;
}

/// Where the user says none. JSON is one document, so one.
std::vector<Rank> usual_ranks(const LiveCommand& command) {
  return *parse_rank_list(command.sweep ? "2..8" : command.json ? "5" : "2..9");
}

}  // namespace

Result<std::string_view> parse_mpi(const std::string& text) {
  const auto mpi = std::find(known.begin(), known.end(), text);
  if (mpi != known.end()) return *mpi;
  return usage_error(
      fmt::format("--mpi: expected openmpi, mpich, simgrid or gloo, found '{}'{}", text, suggestion(text, known)));
}

Result<std::string_view> parse_swept_mpi(const std::string& text) {
  const auto all = swept_libraries();
  const auto mpi = std::find(all.begin(), all.end(), text);
  if (mpi != all.end()) return *mpi;
  return usage_error(fmt::format("live: --sweep: expected {}, found '{}'", fmt::join(all, ", "), text));
}

std::vector<std::string> LiveCommand::words() const {
  std::vector<std::string> all = calls.words();
  if (json) all.emplace_back("--json");
  return all;
}

void add_calls(const CommandApp& app, const std::vector<Option<live::CallWords>>& rows, live::CallWords& calls) {
  for (const auto& row : rows) {
    CLI::Option* option = app.add(row, calls);
    if (!row.is_flag()) option->check(not_empty);
  }
}

void describe(const CommandApp& app, LiveCommand& command) {
  const auto pass_on = [&](std::string_view heading) {
    for (const live::RankOption& option : live::rank_options())
      if (option.heading == heading) add_calls(app, {option.row}, command.calls);
  };
  app.group("MPI");
  app.add_parsed("--mpi NAME", command.mpi, parse_mpi,
                 "The MPI: openmpi, mpich, simgrid, or gloo (default: the first that is installed)");
  app.add_parsed("--sweep NAME", command.sweep, parse_swept_mpi,
                 "Make openmpi, mpich, simgrid or gloo use each algorithm that it offers, one after the other");
  app.add_file("--preload", command.preload, "A library of yours that defines collectives such as MPI_Allreduce");
  pass_on("MPI");
  app.group("Calls");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..16 (default: 2..9; of a sweep 2..8)");
  pass_on("Calls");
  app.group(property_group);
  pass_on(property_group);
  app.group(output_group);
  pass_on(output_group);
  app->add_flag("--json", command.json, "Print the result as JSON");
  app.add_file("--json-out", command.json_out, "Also write the table of a sweep as JSON to this file");
  app->add_flag("--markdown", command.markdown, "Print the table of a sweep as Markdown");
  app.group(limits_group);
  pass_on(limits_group);
  app->add_flag("--yes", command.yes, "Start more than 8 processes for each core without asking");
}

Result<ExitCode> run(const LiveCommand& command) {
  const std::vector<Rank> ranks = command.ranks ? command.ranks->value : usual_ranks(command);
  const Rank most = ranks.back();
  if (most > ElementFormat::most_ranks)
    return usage_error(fmt::format("live: --p: at most {} ranks", ElementFormat::most_ranks));
  if (command.sweep) {
    if (!is_one_process(*command.sweep)) TRY(ask_for(most, command.yes));
    return run_sweep(command, ranks);
  }
  if (command.markdown || !command.json_out.empty())
    return usage_error("live: --markdown and --json-out are of sweeps; add --sweep");
  if (command.json && ranks.size() > 1) return usage_error("live: --json is for one number of ranks at a time");
  TRY(check_words(command, ranks));
  const bool simulated = command.mpi && is_one_process(*command.mpi);
  if (simulated && !command.preload.empty())
    return usage_error("live: --preload isn't for simgrid and gloo, whose ranks share a process");
  if (!simulated) TRY(ask_for(most, command.yes));
  const auto found = TRY(find_mpi(command.mpi));
  return run_each(command, ranks, found);
}

Runner add_live(CLI::App& app) {
  return run_with<LiveCommand>(app);
}

}  // namespace onceover::cli
