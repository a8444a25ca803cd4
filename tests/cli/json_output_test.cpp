// --json prints the result as JSON, --json-out writes the same, in every command that has a result.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace json_output_test {

using namespace onceover::cli;
using namespace onceover::support;

namespace {

Ended verify(const std::string& arguments, const TemporaryFolder& folder) {
  return run_program(ONCEOVER_VERIFY " " + arguments, folder.path());
}

}  // namespace

TEST_CASE("JSON is printed in place of the text, or written beside it") {
  const TemporaryFolder folder;
  REQUIRE(verify("export --algo ring --p 4 --to msccl-xml -o a.xml", folder).code == 0);
  folder.write("gate.toml", "[[check]]\nname = \"a\"\nalgo = \"ring\"\np = \"2..4\"\n");
  for (const std::string line :
       {"--algo ring --p 4", "list", "prove ring", "contention --algo ring --p 4", "cost --algo ring --p 4 --bytes 1Ki",
        "bound --p 4", "optimum --p 3", "lint a.xml --profile azure", "gate gate.toml", "claims swing-least-steps"}) {
    CAPTURE(line);
    const Ended text = verify(line, folder);
    const Ended json = verify(line + " --json", folder);
    CHECK(json.code == text.code);
    CHECK(json.out.find_first_of("{[") == 0);
    const Ended both = verify(line + " --json-out out.json", folder);
    CHECK(both.code == text.code);
    CHECK(both.out.find_first_of("{[") != 0);
    CHECK(folder.read("out.json").find_first_of("{[") == 0);
    CHECK(verify(line + " --json-out -", folder).out.find_first_of("{[") == 0);
    CHECK(verify(line + " --json --json-out -", folder).out.find_first_of("{[") == 0);
    CHECK(verify(line + " --json-out no/such/folder", folder).code == 2);
  }
}

TEST_CASE("a result that a limit prevents takes the place of an older one, and a mistake or an interrupt leaves it") {
  const TemporaryFolder folder;
  const auto left_by = [&](const std::string& line, int code) {
    CAPTURE(line);
    folder.write("out.json", "old");
    CHECK(verify(line + " --json-out out.json", folder).code == code);
    return folder.read("out.json");
  };
  std::vector<std::string> unfinished{"contention --algo ring --p 4 --budget 1",
                                      "cost --algo ring --p 4 --budget 1",
                                      "bound --p 4 --budget 1",
                                      "cost --algo swing --torus 128x128 --mode asynchronous --time-limit 1ms",
                                      "prove --algo swing-delta",
                                      "contention --exec 'exec sleep 9' --p 2 --exec-time-limit 1s"};
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer reserves more address space than that
  unfinished.push_back("contention --algo ring --p 900 --memory-limit 8MiB");
#endif
  for (const std::string& line : unfinished) {
    const auto document = nlohmann::json::parse(left_by(line, 4));
    CHECK(document["verdict"] == "unknown");
    CHECK_FALSE(document["reason"].get<std::string>().empty());
  }
  // Of several, what was finished counts, and there are runs. However long a machine needs to start, some limit lets it
  // begin and not end.
  std::string runs;
  for (const std::string limit : {"1s", "3s", "9s", "30s", "100s"})
    if (runs.find("\"runs\"") == std::string::npos) runs = left_by("--algo swing --p 2..9000 --time-limit " + limit, 4);
  CHECK(runs.find("\"runs\"") != std::string::npos);
  for (const std::string line : {"contention --algo ring --p 4 --map no-such-map", "cost --algo rign --p 4"})
    CHECK(left_by(line, 2) == "old");
  CHECK(left_by("contention --exec 'kill -INT $PPID; exec sleep 9' --p 2", 130) == "old");
  CHECK(verify("cost --algo ring --p 4 --budget 1 --json-out -", folder).out.empty());
}

TEST_CASE("standard output takes one result") {
  const TemporaryFolder folder;
  folder.write("gate.toml", "[[check]]\nname = \"a\"\nalgo = \"ring\"\np = 4\n");
  for (const std::string line :
       {"contention --algo ring --p 4 --json-out - --csv-out -", "cost --algo ring --p 4 --json-out - --csv-out -",
        "cost --algo ring --p 4 --json --plot -", "claims --markdown --json-out -", "gate --json --junit-out -"}) {
    const Ended ended = verify(line, folder);
    CAPTURE(line, ended.err);
    CHECK(ended.code == 2);
  }
  CHECK(verify("cost --algo ring --p 4 --json-out a.json --csv-out -", folder).out.find("bytes,") == 0);
  CHECK(folder.read("a.json").find('{') == 0);
}

}  // namespace json_output_test
