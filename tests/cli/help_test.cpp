// Help, and what is said about options that aren't there.

#include "cli/help.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "run_program.h"

namespace help_test {

using namespace onceover::base;
using namespace onceover::cli;
using namespace onceover::support;

namespace {

Ended verify(const std::string& arguments, const TemporaryFolder& folder) {
  return run_program(ONCEOVER_VERIFY " " + arguments, folder.path());
}

/// The examples of a command, without what they are for.
std::vector<std::string> examples_of(const Command& command) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(command.examples, '\n'))
    if (!line.empty() && !line.starts_with("  # ")) lines.emplace_back(line.substr(2));
  return lines;
}

std::vector<Command> all_commands() {
  std::vector<Command> all{verify_command()};
  all.insert(all.end(), commands().begin(), commands().end());
  return all;
}

}  // namespace

TEST_CASE("help: what a command is for, its usage, three examples, then its options, within 80 columns") {
  const CommandLine line;
  for (const Command& command : all_commands()) {
    const CLI::App& app = command.name == "verify" ? line.app() : *line.app().get_subcommand(std::string(command.name));
    const std::string text = help_text(app);
    CAPTURE(text);
    const auto lines = split(text, '\n');
    CHECK(lines[0].ends_with("."));
    CHECK(lines[1].empty());
    CHECK(lines[2].starts_with("Usage: verify"));
    CHECK(text.find("\nUsage: ") < text.find("\nExamples:\n  # "));
    CHECK(text.find("\nExamples:\n") < text.find("\nHelp:\n  -h, --help"));
    CHECK(examples_of(command).size() == 3);
    for (const std::string_view each : lines) {
      const bool is_example = each.starts_with("  verify");
      CHECK((is_example || each.size() <= 100));
    }
    // Options are told under a heading of ours.
    for (const CLI::Option* option : app.get_options()) {
      CAPTURE(option->get_name());
      CHECK(option->get_group() != "Options");
      CHECK(!option->get_description().empty());
    }
  }
}

TEST_CASE("help: 'verify help COMMAND' prints what 'verify COMMAND --help' does") {
  const TemporaryFolder folder;
  CHECK(verify("help", folder).out == verify("--help", folder).out);
  CHECK(verify("help verify", folder).out == verify("--help", folder).out);
  for (const Command& command : commands()) {
    const std::string name(command.name);
    const Ended ended = verify("help " + name, folder);
    CHECK(ended.code == 0);
    CHECK(ended.out == verify(name + " --help", folder).out);
    CHECK(ended.out.find(std::string(command.about) + ".\n") == 0);
  }
  const Ended wrong = verify("help darw", folder);
  CHECK(wrong.code == 2);
  CHECK(wrong.err == "verify: no command 'darw'; did you mean 'draw'?; 'verify help' lists them\n");
}

// Whether MPI is installed, and what a shell or man does, isn't about the examples.
TEST_CASE("help: every example runs") {
  const TemporaryFolder folder;
  REQUIRE(verify("export --algo swing --p 4 --to json -o my-schedule.json", folder).code == 0);
  REQUIRE(verify("export --algo ring --p 4 --to msccl-xml -o algo.xml", folder).code == 0);
  REQUIRE(verify("export --algo ring --p 4 --to mscclpp -o plan.json", folder).code == 0);
  folder.write("gate.toml", "[[check]]\nname = \"a\"\nalgo = \"swing\"\np = \"2..4\"\n");
  REQUIRE(run_program("cp " ONCEOVER_SOURCE "/examples/claims.toml my-claims.toml", folder.path()).code == 0);
  REQUIRE(run_program("ln -s " ONCEOVER_SOURCE "/examples examples", folder.path()).code == 0);
  REQUIRE(
      run_program("cp examples/gpu/one_shot.toml allreduce.toml; cp examples/gpu/ptx/one_shot.sm_80.ptx allreduce.ptx",
                  folder.path())
          .code == 0);
  for (const Command& command : all_commands())
    for (std::string line : examples_of(command)) {
      if (command.name == "live" || command.name == "completion" || command.name == "manual") continue;
      CAPTURE(line);
      REQUIRE(line.starts_with("verify"));
      if (command.name == "watch") line.insert(line.find("watch") + 5, " --runs 1");
      line.insert(line.find("verify") + 6, command.name == "verify" ? " --time-limit 300ms" : "");
      if (command.name != "verify") line += " --time-limit 300ms";
      const Ended ended = run_program(
          "PATH=" + std::string(ONCEOVER_VERIFY).substr(0, std::string(ONCEOVER_VERIFY).rfind('/')) + ":$PATH; " + line,
          folder.path());
      CAPTURE(ended.err);
      CHECK((ended.code == 0 || ended.code == 1 || ended.code == 4));
    }
}

TEST_CASE("an option that has another name is refused by the new one") {
  const TemporaryFolder folder;
  struct Case {
    std::string line, old, now;
  };
  for (const auto& [line, old, now] :
       {Case{"--peer 'r + 1' --p 4 --steps 2", "--steps", "--peer-steps"},
        Case{"--exec true --p 4 --exec-timeout 9", "--exec-timeout", "--exec-time-limit"},
        Case{"contention --algo ring --p 4 --csv loads.csv", "--csv", "--csv-out"},
        Case{"draw --view tree --algo ring --p 4 --format svg", "--format", "--to"},
        Case{"export --algo ring --p 4 --to goal --inplace", "--inplace", "--in-place"},
        Case{"--algo ring --ranks 8", "--ranks", "--p"}, Case{"--algorithm ring --p 8", "--algorithm", "--algo"},
        Case{"cost --algo ring -n 4", "-n", "--p"}, Case{"--algo bucket --shape 4x4", "--shape", "--torus"},
        Case{"export --algo ring --p 4 --to goal --size 9", "--size", "--bytes"}}) {
    const Ended ended = verify(line, folder);
    CAPTURE(line, ended.err);
    CHECK(ended.code == 2);
    CHECK(ended.err.find("verify: no option '" + old + "'; it is called " + now + "; see 'verify ") == 0);
  }
  CHECK(verify("prove --exec 'gen {p}'", folder).err ==
        "verify: no option '--exec'; a program has no proof for every p; for some: verify --exec 'COMMAND' --p 2..64; "
        "see "
        "'verify prove --help'\n");
  // What means something else now, with a value that only the old meaning has.
  const Ended steps = verify("draw --view steps --peer 'r + 1' --p 4 --steps 'p - 1'", folder);
  CHECK(steps.code == 2);
  CHECK(steps.err.find("write --peer-steps") != std::string::npos);
  folder.write("gate.toml", "[[check]]\nname = \"a\"\nalgo = \"ring\"\np = 4\nlimits = [\"steps <= 9\"]\n");
  const Ended key = verify("gate", folder);
  CHECK(key.code == 2);
  CHECK(key.err.find("no key 'limits' in a check; did you mean 'limit'?") != std::string::npos);
}

TEST_CASE("a name is suggested only if it is near, and the command's own") {
  const TemporaryFolder folder;
  CHECK(verify("--bogus", folder).err == "verify: no option '--bogus'; see 'verify --help'\n");
  CHECK(verify("list --as-prited", folder).err.find("did you mean '--as-printed'?; see 'verify list --help'") !=
        std::string::npos);
  CHECK(verify("list --alog", folder).err == "verify: no option '--alog'; see 'verify list --help'\n");
  CHECK(verify("lint --algo ring --profile rccl x.xml", folder)
            .err.find("no option '--algo'; it is an option of verify itself, export, draw") != std::string::npos);
  CHECK(verify("list swing ring", folder).err == "verify: unexpected argument 'ring'; see 'verify list --help'\n");
}

TEST_CASE("options of the network are refused where nothing needs one") {
  const TemporaryFolder folder;
  const std::string ring = "--algo ring --p 4 ";
  CHECK(verify("draw --view steps " + ring + "--topology fat-tre", folder).code == 2);
  CHECK(verify("draw --view steps " + ring + "--bandwidth 9", folder).code == 2);
  CHECK(verify("draw --view contention " + ring + "--bandwidth 9", folder).code == 0);
  CHECK(verify(ring + "--blocking all --topology full", folder).code == 2);
  CHECK(verify(ring + "--topology full", folder).code == 2);
  const Ended ports = verify(ring + "--limit 'congestion <= 9' --network-ports 1.5", folder);
  CHECK(ports.code == 2);
  CHECK(ports.err == "verify: --network-ports: expected a whole number from 1 to 1024, found '1.5'\n");
  folder.write("gate.toml", "[[check]]\nname = \"a\"\nalgo = \"ring\"\np = 4\ntopology = \"fat-tre\"\n");
  const Ended gate = verify("gate --no-cache", folder);
  CHECK(gate.code == 2);
  CHECK(gate.err.find("gate.toml:5:12: ") != std::string::npos);
}

}  // namespace help_test
