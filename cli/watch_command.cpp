// Each run is a process of its own: it reads the files afresh, and a crash or a limit ends only the run. It is forked,
// not started anew, so that nothing must know where the program is. It prints into files, one of them JSON, which is
// compared with the run before.
//
// Files are polled, because that also sees changes made by another machine of a shared file system, and files that are
// not there yet. A file is read once it has been the same for a tenth of a second: then a change while it is being read
// has another time, and leads to another run. Editors that empty a file, or rename another one to it, have finished
// by then.
//
// Cost: a look at each file, five times a second, or less often if that would take more than a tenth of the time.

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/interrupts.h"
#include "base/report_output.h"
#include "base/result.h"
#include "base/stop.h"
#include "cli/colors.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/watch_findings.h"
#include "cli/watched_files.h"
#include "subjects/option_values.h"

namespace onceover::cli {

namespace {

struct WatchCommand {
  static constexpr bool waits_for_user = true;  // shows no progress
  std::vector<std::string> also = {};           // more files to watch
  std::optional<int> runs = {};                 // how often to judge; not given: until an interrupt
  const CLI::App* line = nullptr;               // whose remaining words are the command line that is run
};

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_looks{200};
constexpr milliseconds at_rest{100};
constexpr int idle_part = 10;  // looking takes at most one of so many parts of the time

/// Sleeps, unless all work is to stop.
void rest(Clock::duration time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    stop_point();
    std::this_thread::sleep_for(std::min<Clock::duration>(end - Clock::now(), milliseconds(20)));
  }
  stop_point();
}

/// How a run ended, and what it printed.
struct ForkedRun {
  ExitCode code;
  std::string text;
  std::string errors;
  std::optional<Findings> findings;  // nothing: nothing was judged
};

/// In the forked process: carries out the line, with its output in the folder's files.
[[noreturn]] void carry_out_into(const ScratchFolder& folder, std::vector<std::string> words) {
  for (const auto& [name, descriptor] : {std::pair{"out", STDOUT_FILENO}, std::pair{"errors", STDERR_FILENO}}) {
    const int file = open(folder.file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(static_cast<int>(ExitCode::internal));
  }
  handle_interrupts();
  prctl(PR_SET_PDEATHSIG, SIGHUP);  // it ends with the program that looks at the files, even if that is killed
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const End end = carry_out(static_cast<int>(words.size()), pointers.data());
  if (!end.message.empty()) fmt::print(stderr, "{}\n", end.message);
  std::fflush(nullptr);
  _exit(static_cast<int>(end.code));
}

/// Waits for the process; kills it, and what it started, if all work is to stop.
int wait_for(pid_t child) {
  const KilledOnInterrupt killer(child);
  int status = 0;
  try {
    while (waitpid(child, &status, WNOHANG) == 0) rest(milliseconds(5));
  } catch (const Stopped&) {
    // It stops what it started, or is killed when nobody would wait any longer.
    kill(child, SIGTERM);
    for (int tries = 0; tries < 100 && waitpid(child, &status, WNOHANG) == 0; ++tries)
      std::this_thread::sleep_for(milliseconds(10));
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    throw;
  }
  return status;
}

Result<ForkedRun> judge(const std::vector<std::string>& line) {
  const auto folder = TRY(ScratchFolder::make());
  std::vector<std::string> words{"verify"};
  words.insert(words.end(), line.begin(), line.end());
  words.insert(words.end(), {"--json-out", folder.file("result.json")});
  const pid_t child = fork();
  if (child < 0) return tl::unexpected(Failure{ExitCode::internal, "watch: no process can be started"});
  if (child == 0) {
    setpgid(0, 0);
    carry_out_into(folder, std::move(words));
  }
  setpgid(child, child);
  const int status = wait_for(child);
  const auto read = [&](const char* name) { return read_file(folder.file(name)).value_or(""); };
  ForkedRun run{WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::internal,
                read("out"),
                read("errors"),
                {}};
  if (!WIFEXITED(status)) run.errors += fmt::format("verify: killed by signal {}\n", WTERMSIG(status));
  if (const auto json = Json::parse(read("result.json"))) run.findings = findings_in(*json);
  return run;
}

/// The last line, which is the verdict.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string indented(const std::string& text) {
  std::string lines;
  bool is_begin = true;
  for (const char c : text) {
    if (is_begin) lines += "  ";
    lines += c;
    is_begin = c == '\n';
  }
  return lines.ends_with('\n') ? lines : lines + '\n';
}

/// "a.json changed", "a.json is gone", "a.json, b.xml changed". A file that no pattern names any more isn't gone.
std::string change_text(const FileStates& before, const FileStates& now) {
  std::vector<std::string> changed, gone;
  for (const auto& [file, state] : now) {
    const auto old = before.find(file);
    if (old != before.end() && old->second == state) continue;
    (state ? changed : gone).push_back(file);
  }
  for (const auto& [file, state] : before)
    if (!now.contains(file) && access(file.c_str(), F_OK) != 0) gone.push_back(file);
  std::vector<std::string> parts;
  if (!changed.empty()) parts.push_back(fmt::format("{} changed", fmt::join(changed, ", ")));
  if (!gone.empty()) parts.push_back(fmt::format("{} {} gone", fmt::join(gone, ", "), gone.size() == 1 ? "is" : "are"));
  return fmt::format("{}\n", fmt::join(parts, "; "));
}

class Watch {
 public:
  Watch(const WatchedLine& line, const std::vector<std::string>& also) : line_(line), also_(also) {}

  Result<ExitCode> run(std::optional<int> runs) {
    states_ = settled();
    if (states_.empty()) return usage_error("watch: no file is named that could change; --also FILE names one");
    if (const std::string why = why_unreadable(names()); !why.empty()) return usage_error("watch: " + why);
    const ExitCode first = TRY(first_run());
    // What the user wrote can't become right when files change.
    if (first == ExitCode::usage) return first;
    for (int done = 1; !runs || done < *runs; ++done) TRY(next_run());
    return *last_;
  }

  /// How the last run ended; nothing before the first one has.
  std::optional<ExitCode> last() const { return last_; }

 private:
  FileStates look() const {
    std::vector<std::string> files = line_.files();
    files.insert(files.end(), also_.begin(), also_.end());
    return states_of(files);
  }

  /// The files once they have been the same for a while.
  FileStates settled() const {
    FileStates last = look();
    for (;;) {
      rest(at_rest);
      FileStates now = look();
      if (now == last) return now;
      last = std::move(now);
    }
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [file, state] : states_) names.push_back(file);
    return names;
  }

  Result<ForkedRun> judged() {
    // Nobody might ever write into a pipe.
    const std::string why = why_unreadable(names());
    auto run = why.empty() ? TRY(judge(line_.words()))
                           : ForkedRun{ExitCode::malformed, "", fmt::format("nothing was judged: {}\n", why), {}};
    if (run.findings) findings_ = run.findings;
    if (!last_ && run.code == ExitCode::usage) return run;
    last_ = run.code;
    end_interrupted_with(run.code);  // also while it is printed
    return run;
  }

  Result<ExitCode> first_run() {
    const auto run = TRY(judged());
    TRY(print(painted(run.text)));
    fmt::print(stderr, "{}", run.errors);
    if (run.code == ExitCode::usage) return run.code;
    TRY(print(fmt::format("watching {}\n", fmt::join(names(), ", "))));
    return run.code;
  }

  Result<void> next_run() {
    FileStates now = changed();
    TRY(print("\n" + change_text(states_, now)));
    states_ = std::move(now);
    const std::optional<Findings> before = findings_;
    const auto run = TRY(judged());
    return print(painted(report(run, before)));
  }

  /// Waits for a change, and for its end.
  FileStates changed() const {
    for (;;) {
      const auto begin = Clock::now();
      const bool is_changed = look() != states_;
      if (!is_changed) {
        rest(std::max<Clock::duration>(between_looks, idle_part * (Clock::now() - begin)));
        continue;
      }
      FileStates now = settled();
      if (now != states_) return now;
    }
  }

  static std::string report(const ForkedRun& run, const std::optional<Findings>& before) {
    if (!run.findings) return indented(run.errors.empty() ? "nothing was judged" : run.errors);
    if (!before) return run.text + run.errors;
    std::string text;
    for (const std::string& line : differences(*before, *run.findings)) text += "  " + line + "\n";
    return (text.empty() ? "  no verdict changed\n" : text) + run.errors + last_line(run.text) + "\n";
  }

  const WatchedLine& line_;
  const std::vector<std::string>& also_;
  FileStates states_ = {};
  std::optional<Findings> findings_ = {};  // of the last run that judged anything
  std::optional<ExitCode> last_ = {};
};

/// Parses a number from 1 to 1,000,000.
Result<int> parse_runs(const std::string& text) {
  return parse_count("--runs", text, 1'000'000);
}

void describe(const CommandApp& app, WatchCommand& command) {
  app->prefix_command();
  command.line = app.operator->();
  app.group("Watch");
  app.add_option("--also FILE", command.also, "Run again when this file changes, too; may be repeated")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  app.add_parsed("--runs N", command.runs, parse_runs, "End after so many runs (default: at Ctrl-C)");
  app->footer(
      "The first word that is no option above begins a command line of 'verify',\n'verify code' or "
      "'verify gate'. Its files are watched, and those that a\ngate names or code includes.");
}

/// Runs until an interrupt, or until all runs are done, and ends with the last run's code. An interrupt before the
/// first run has ended is one like any other.
Result<ExitCode> run(const WatchCommand& command) {
  const auto line = TRY(WatchedLine::read(command.line->remaining()));
  if (!line) return ExitCode::ok;
  Watch watch(*line, command.also);
  try {
    return watch.run(command.runs);
  } catch (const Stopped&) {
    // This is how a watch ends that nothing else ends: with what was last judged.
    if (was_interrupted() && watch.last()) end_program(*watch.last());
    throw;
  }
}

}  // namespace

Runner add_watch(CLI::App& app) {
  return run_with<WatchCommand>(app);
}

}  // namespace onceover::cli
