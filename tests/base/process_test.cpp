// Programs that we start: those that end well, and those that hang, flood, die or aren't there.

#include "base/process.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/resource_limits.h"
#include "run_program.h"

namespace process_test {

using namespace onceover::base;
using onceover::support::TemporaryFolder;
using Exceeded = ProcessEnd::Exceeded;

namespace {

/// How a shell command ends.
ProcessEnd ended(const std::string& command, const ProcessLimits& limits = {}) {
  return run_process(shell(command), limits).value();
}

/// A time to sleep that no other process sleeps for.
std::string long_time(int number) {
  return std::to_string(2'000'000 + getpid() * 10L + number);
}

/// Does a process still sleep for that long? One that was killed may take a moment to go, on a busy machine many.
bool is_sleeping(const std::string& time) {
  const std::string look = "pgrep -f 'sleep [" + time.substr(0, 1) + "]" + time.substr(1) + "'";
  for (int tries = 0; tries < 200; ++tries) {
    if (ended(look).exit_code != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace

TEST_CASE("how a program ends is known even where a parent had SIGCHLD ignored") {
  for (const char* command : {"exit 3", "kill -9 $$"}) {
    std::signal(SIGCHLD, SIG_IGN);
    const ProcessEnd end = ended(command);
    CHECK(end.exit_code != 0);
  }
  CHECK(ended("exit 3").exit_code == 3);
}

TEST_CASE("a program gets its arguments and its input as they are") {
  const auto end = run_process({"printf", {"%s|", "a b", "it's", ""}}, {});
  REQUIRE(end);
  CHECK(end->out == "a b|it's||");
  CHECK(end->exit_code == 0);
  CHECK_FALSE(complaint(*end, {}));
  const std::string large(3'000'000, 'x');
  CHECK(run_process({"cat", {}, large}, {})->out == large);
  CHECK(run_process({"cat"}, {})->out.empty());
  CHECK(run_process({"true", {}, large}, {})->exit_code == 0);  // doesn't read it
}

TEST_CASE("what a program writes on either stream is kept, of errors the end") {
  const ProcessEnd end = ended("echo out; echo err >&2; exit 7");
  CHECK(end.out == "out\n");
  CHECK(end.errors == "err\n");
  CHECK(end.exit_code == 7);
  CHECK(complaint(end, {}) == "ended with exit code 7");
  CHECK(last_words(end.errors) == "; it wrote on standard error:\nerr");
  CHECK(last_words("") == "; it wrote nothing on standard error");
  CHECK(last_words("a\x1b[1mb\n") == "; it wrote on standard error:\na?[1mb");
  const ProcessEnd much = ended("yes | head -n 1000000 >&2; echo last >&2");
  CHECK(much.errors.size() < 5000);
  CHECK(much.errors.ends_with("y\nlast\n"));
}

TEST_CASE("a program that isn't there can't be started") {
  CHECK(run_process({"no-such-program-of-ours"}, {}).error() == ENOENT);
  CHECK(run_process({"/no/such/program"}, {}).error() == ENOENT);
  const TemporaryFolder folder;
  folder.write("file", "text");
  CHECK(run_process({folder.path("file")}, {}).error() == EACCES);
  CHECK(find_on_path("sh"));
  CHECK_FALSE(find_on_path("no-such-program-of-ours"));
}

TEST_CASE("a program that runs too long is killed with all that it started") {
  const std::string child = long_time(1), stray = long_time(2), own = long_time(3);
  const auto begin = std::chrono::steady_clock::now();
  const ProcessEnd end =
      ended("sleep " + child + " & setsid sleep " + stray + " & echo begun; sleep " + own, {.seconds = 1});
  CHECK(end.exceeded == Exceeded::seconds);
  CHECK(end.out == "begun\n");
  CHECK(complaint(end, {.seconds = 1}) == "ran longer than 1 s");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  for (const std::string& time : {child, stray, own}) CHECK_FALSE(is_sleeping(time));
}

TEST_CASE("what a program leaves running is killed when it ends, and isn't waited for") {
  const std::string child = long_time(4);
  CHECK(ended("sleep " + child + " & echo done").out == "done\n");
  CHECK_FALSE(is_sleeping(child));
}

TEST_CASE("a program that floods is killed") {
  const ProcessLimits limits{.seconds = 60, .bytes = std::size_t{1} << 20};
  const ProcessEnd end = ended("yes", limits);
  CHECK(end.exceeded == Exceeded::bytes);
  CHECK(complaint(end, limits) == "printed more than 1 MiB");
  CHECK(ended("yes >&2", {.seconds = 1}).exceeded == Exceeded::seconds);
}

TEST_CASE("a program that a signal ends says which") {
  const ProcessEnd end = ended("kill -SEGV $$");
  CHECK(end.signal == SIGSEGV);
  CHECK(end.exit_code == -1);
  CHECK(complaint(end, {}) == "was killed by signal 11");
}

TEST_CASE("programs have no signal blocked, whatever the thread has that starts them") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const ProcessEnd end = ended("kill -TERM $$; sleep 5", {.seconds = 4});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(end.signal == SIGTERM);
}

}  // namespace process_test
