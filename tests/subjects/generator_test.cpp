// Programs that print schedules: those that do, and those that hang, flood, die or print something else.

#include <unistd.h>

#include <catch2/catch.hpp>

#include "run_program.h"

namespace generator_test {

using namespace onceover::subjects;
using namespace onceover::support;

namespace {

const std::string verify_program = ONCEOVER_VERIFY;
const std::string examples = std::string(ONCEOVER_SOURCE) + "/examples/";

/// A command that sleeps for long, and one that lists the processes that run it: a time that no other test sleeps for.
struct Sleeper {
  explicit Sleeper(int number) : seconds(std::to_string(1'000'000 + getpid() * 10L + number)) {}

  std::string command() const { return "sleep " + seconds; }

  /// Without a word of this that the shell that runs it could be found by.
  std::string list() const { return "pgrep -fa 'sleep [" + seconds.substr(0, 1) + "]" + seconds.substr(1) + "'"; }

  /// Those that don't go. What was killed may take a moment, on a busy machine many.
  std::string list_left() const {
    return "for try in $(seq 100); do " + list() + " >/dev/null || break; sleep 0.1; done; " + list();
  }

  std::string seconds;
};

Ended verify_exec(const TemporaryFolder& folder, const std::string& command, const std::string& more) {
  folder.write("command", command);
  return run_program(verify_program + " --exec \"$(cat command)\" " + more, folder.path());
}

}  // namespace

TEST_CASE("the example programs print right schedules for many p") {
  const TemporaryFolder folder;
  REQUIRE(verify_exec(folder, examples + "pairwise.py {p}", "--p 2..16").code == 0);
  REQUIRE(verify_exec(folder, examples + "chain.sh {p}", "--p 2..16").code == 0);
}

TEST_CASE("a program is told the torus, and must print a schedule for it") {
  const TemporaryFolder folder;
  const std::string print = verify_program + " export --algo swing --to json --torus ";
  REQUIRE(verify_exec(folder, print + "{shape}", "--torus 2x4 --torus 3x5").code == 0);
  const Ended other = verify_exec(folder, print + "4x2", "--torus 2x4");
  REQUIRE(other.code == 3);
  REQUIRE(other.err.find("printed a schedule for torus 4x2, not for torus 2x4") != std::string::npos);
  const Ended line = verify_exec(folder, verify_program + " export --algo ring --to json --p 8", "--torus 2x4");
  REQUIRE(line.err.find("a schedule for p = 8, not for torus 2x4; let it print \"shape\": [2, 4], too\n") !=
          std::string::npos);
}

TEST_CASE("what is still running can be seen, or the tests below say nothing") {
  const TemporaryFolder folder;
  const Sleeper sleeper(1);
  const Ended ended = run_program(sleeper.command() + " & " + sleeper.list() + "; kill $!", folder.path());
  REQUIRE(ended.out.find(sleeper.command()) != std::string::npos);
}

TEST_CASE("a program that hangs is killed with all that it started") {
  const TemporaryFolder folder;
  const Sleeper sleeper(2);
  const std::string command = sleeper.command() + " & echo begun >&2; " + sleeper.command();
  const Ended ended = verify_exec(folder, command, "--p 4 --exec-time-limit 1s; " + sleeper.list_left());
  REQUIRE(ended.out.empty());  // nobody is left
  REQUIRE(ended.err.find("ran longer than 1 s") != std::string::npos);
  REQUIRE(ended.err.find("begun") != std::string::npos);
  REQUIRE(verify_exec(folder, "sleep 60", "--p 4 --exec-time-limit 1s").code == 4);
}

TEST_CASE("what a program leaves running is killed when it ends, and need not be waited for") {
  const TemporaryFolder folder;
  const Sleeper sleeper(3);
  const std::string command = sleeper.command() + " >&2 & " + examples + "chain.sh {p}";
  const Ended ended = verify_exec(folder, command, "--p 4 >&2; " + sleeper.list_left());
  REQUIRE(ended.err.find("pass") != std::string::npos);
  REQUIRE(ended.out.empty());
}

TEST_CASE("what leaves the group of processes is killed, too") {
  const TemporaryFolder folder;
  const Sleeper sleeper(5);
  const std::string command = "setsid " + sleeper.command() + " >&2 & " + examples + "chain.sh {p}";
  const Ended ended = verify_exec(folder, command, "--p 4..12 >&2; " + sleeper.list_left());
  REQUIRE(ended.err.find("pass") != std::string::npos);
  REQUIRE(ended.out.empty());
}

TEST_CASE("an interrupt kills the program") {
  const TemporaryFolder folder;
  const Sleeper sleeper(4);
  folder.write("command", "kill -INT $PPID; " + sleeper.command());
  const Ended ended =
      run_program(verify_program + " --exec \"$(cat command)\" --p 4; echo $?; " + sleeper.list_left(), folder.path());
  REQUIRE(ended.out.find("interrupted\nunknown\n130\n") != std::string::npos);
}

TEST_CASE("in a sweep a program that fails for one p leaves the others judged") {
  const TemporaryFolder folder;
  const std::string dies = "if [ {p} = 5 ]; then exit 1; fi; " + examples + "chain.sh {p}";
  const Ended sweep = verify_exec(folder, dies, "--p 3..6");
  REQUIRE(sweep.code == 3);
  REQUIRE(sweep.out.find("pass  p = 3, 4\n") != std::string::npos);
  REQUIRE(sweep.out.find("no schedule for p = 5") != std::string::npos);
  const std::string wrong =
      "if [ {p} = 5 ]; then exit 1; fi; " + verify_program + " export --algo swing-keep-first --p 6 --to json";
  REQUIRE(verify_exec(folder, wrong, "--p 5,6").code == 1);
}

TEST_CASE("what a program has no schedule for is left out and named, and if that is all, nothing is judged") {
  const TemporaryFolder folder;
  const std::string even = "if [ $(({p} % 2)) = 1 ]; then echo first >&2; echo for even p only >&2; exit 77; fi; " +
                           examples + "chain.sh {p}";
  const Ended sweep = verify_exec(folder, even, "--p 2..7");
  CHECK(sweep.code == 0);
  CHECK(sweep.out.find(", p = 2, 4, 6: 3 schedules\n") != std::string::npos);
  CHECK(sweep.out.find("\nnot tried: p = 3, p = 5, p = 7 (for even p only)\npass  ") != std::string::npos);
  const Ended json = verify_exec(folder, even, "--p 2..4 --json");
  CHECK(json.out.find("\"left_out\": [\n    {\n      \"what\": \"p = 3\",") != std::string::npos);
  const Ended none = verify_exec(folder, even, "--p 3,5");
  CHECK(none.code == 4);
  CHECK(none.err == "verify: nothing was judged; not tried: p = 3, p = 5 (for even p only)\n");
  const Ended drawn = run_program(verify_program + " draw --exec 'exit 77' --p 3", folder.path());
  CHECK(drawn.code == 4);
  CHECK(drawn.err == "verify: --exec: 'exit 77' says that it has no schedule for p = 3\n");
}

TEST_CASE("a crash for many p is shown once") {
  const TemporaryFolder folder;
  const Ended sweep = verify_exec(folder, "echo no {p} >&2; exit 1", "--p 2..9");
  CHECK(sweep.code == 3);
  CHECK(sweep.out.find("no schedule for p = 2..9: for p = 2: --exec: 'echo no 2 >&2") != std::string::npos);
  CHECK(sweep.out.find("no 3") == std::string::npos);
}

TEST_CASE("a program that floods is stopped") {
  const TemporaryFolder folder;
  const Ended out = verify_exec(folder, "yes", "--p 4");
  REQUIRE(out.code == 4);
  REQUIRE(out.err.find("printed more than 256 MiB") != std::string::npos);
  const Ended errors = verify_exec(folder, "yes >&2", "--p 4 --exec-time-limit 1s");
  REQUIRE(errors.code == 4);
  REQUIRE(errors.err.size() < 3000);
}

TEST_CASE("a program that dies says how, and what it wrote on standard error") {
  const TemporaryFolder folder;
  const Ended code = verify_exec(folder, "echo no such p >&2; exit 7", "--p 4");
  REQUIRE(code.code == 3);
  REQUIRE(code.err.find("ended with exit code 7; it wrote on standard error:\nno such p") != std::string::npos);
  const Ended killed = verify_exec(folder, "kill -SEGV $$", "--p 4");
  REQUIRE(killed.code == 3);
  REQUIRE(killed.err.find("was killed by signal 11") != std::string::npos);
  REQUIRE(verify_exec(folder, "/no/such/program", "--p 4").code == 3);
}

TEST_CASE("half a schedule, none, and one for another p are refused") {
  const TemporaryFolder folder;
  REQUIRE(verify_exec(folder, examples + "chain.sh {p} | head -c 150", "--p 4").code == 3);
  REQUIRE(verify_exec(folder, "true", "--p 4").code == 3);
  const Ended other = verify_exec(folder, examples + "chain.sh 5", "--p 4");
  REQUIRE(other.code == 3);
  REQUIRE(other.err.find("printed a schedule for p = 5, not for p = 4") != std::string::npos);
  REQUIRE(verify_exec(folder, examples + "chain.sh 5", "--p 4,5").code == 2);  // no {p}
}

TEST_CASE("what is certified or drawn is the schedule that was judged, from a program that never prints it again") {
  const TemporaryFolder folder;
  auto verify = [&](const std::string& arguments) {
    return run_program(verify_program + " " + arguments, folder.path()).code;
  };
  const std::string right = "export --algo swing --p 4 --collective reduce-scatter --to json -o right.json";
  const std::string wrong = "export --algo swing-keep-first --p 6 --collective reduce-scatter --to json -o wrong.json";
  REQUIRE(verify(right) == 0);
  REQUIRE(verify(wrong) == 0);
  REQUIRE(verify("right.json --certify right.cert") == 0);
  REQUIRE(verify("wrong.json --draw-counterexample wrong.dot") == 1);
  auto once = [](const std::string& file) {
    return "if test -e " + file + ".ran; then cat command; else touch " + file + ".ran; cat " + file + "; fi";
  };
  CHECK(verify_exec(folder, once("right.json"), "--p 4 --certify now.cert").code == 0);
  CHECK(folder.read("now.cert") == folder.read("right.cert"));
  CHECK(verify_exec(folder, once("wrong.json"), "--p 6 --draw-counterexample now.dot").code == 1);
  CHECK(folder.read("now.dot") == folder.read("wrong.dot"));
}

}  // namespace generator_test
