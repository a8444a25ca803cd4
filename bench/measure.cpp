// Runs a command several times: prints the medians of wall time and of processor time in seconds, and the most memory
// of a run in MiB.
//
//   measure TIMES COMMAND..
//
// It drops the command's standard output, and fails if the command does. Linux counts the pages of the process that
// starts another as that one's, so this is a small program; it can't measure less than 4 MiB.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern char** environ;

namespace {

struct Run {
  double seconds = 0;
  double processor_seconds = 0;
  double mib = 0;
  int status = 0;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Run run(char** command) {
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, command[0], &quiet, nullptr, command, environ)) {
    std::fprintf(stderr, "measure: %s: %s\n", command[0], std::strerror(error));
    std::exit(2);
  }
  posix_spawn_file_actions_destroy(&quiet);
  Run result;
  rusage usage{};
  wait4(child, &result.status, 0, &usage);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.processor_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  const int times = count > 2 ? std::atoi(arguments[1]) : 0;
  if (times < 1) {
    std::fprintf(stderr, "usage: measure TIMES COMMAND..\n");
    return 2;
  }
  std::vector<double> wall, processor;
  double mib = 0;
  for (int i = 0; i < times; ++i) {
    const Run done = run(arguments + 2);
    if (done.status != 0) {
      std::fprintf(stderr, "measure: %s ended with status %d\n", arguments[2],
                   WIFEXITED(done.status) ? WEXITSTATUS(done.status) : 128 + WTERMSIG(done.status));
      return 1;
    }
    wall.push_back(done.seconds);
    processor.push_back(done.processor_seconds);
    mib = std::max(mib, done.mib);
  }
  std::printf("%.6f %.6f %.1f\n", median(wall), median(processor), mib);
}
