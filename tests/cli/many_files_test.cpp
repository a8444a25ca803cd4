// Several files, and folders, judged by one command.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace many_files_test {

using namespace onceover::support;

namespace {

Ended verify(const std::string& arguments, const TemporaryFolder& folder) {
  return run_program(ONCEOVER_VERIFY " " + arguments, folder.path());
}

const std::string right = R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":2,"blocks":1,
 "steps":[[{"src":0,"dst":1,"blocks":[0],"op":"copy"}]]})";
const std::string wrong = R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":2,"blocks":1,
 "steps":[]})";

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("several files have a verdict each, in the order of the words, and one of all") {
  const TemporaryFolder folder;
  folder.write("b.json", right);
  folder.write("a.json", wrong);
  folder.write("half.json", right.substr(0, 90));
  const Ended both = verify("b.json a.json", folder);
  CHECK(both.code == 1);
  CHECK(both.out.find("b.json (") < both.out.find("\npass  "));
  CHECK(both.out.find("\npass  ") < both.out.find("a.json ("));
  CHECK(has(both.out, "\nfail  exactly-once\n"));
  CHECK(last_line(both.out) == "fail  1 of 2 files: a.json\n");
  const Ended fine = verify("b.json b.json", folder);
  CHECK(fine.code == 0);
  CHECK(last_line(fine.out) == "pass  all 2 files\n");
  const Ended half = verify("half.json b.json", folder);
  CHECK(half.code == 3);
  CHECK(half.out.starts_with("half.json:"));
  CHECK(has(half.out, "\nunknown  half.json was not judged\n"));
  CHECK(last_line(half.out) == "unknown  1 of 2 files: half.json\n");
  CHECK(verify("half.json a.json", folder).code == 1);
  const Ended fast = verify("a.json b.json --fail-fast", folder);
  CHECK(has(fast.out, "not tried: b.json (after the first failure)\nfail  1 of 1 file: a.json\n"));
}

TEST_CASE("a folder's files are judged, those in other formats are named, and nothing is not a pass") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(std::filesystem::path(folder.path()) / "plans/old");
  std::filesystem::create_directories(std::filesystem::path(folder.path()) / "empty");
  folder.write("plans/b.json", right);
  folder.write("plans/old/a.json", right);
  folder.write("plans/README", "Right ones.");
  folder.write("plans/package.json", R"({"name": "x"})");
  folder.write("plans/flows.json", R"({"7-Flows": []})");
  folder.write("plans/.hidden.json", "{");
  const Ended all = verify("plans", folder);
  CHECK(all.code == 0);
  CHECK(has(all.out, "not tried: plans/README, plans/package.json (no format that I read); "));
  CHECK(has(all.out, "plans/flows.json (a TE-CCL schedule, which I don't read)"));
  CHECK(last_line(all.out) == "pass  all 2 files\n");
  CHECK_FALSE(has(all.out, "hidden"));
  folder.write("plans/bad.json", wrong);
  CHECK(verify("plans", folder).code == 1);
  const auto json = nlohmann::json::parse(verify("plans --json", folder).out);
  CHECK(json["runs"].size() == 3);
  CHECK(json["summary"]["fail"] == 1);
  CHECK(json["left_out"].size() == 3);
  const Ended none = verify("empty", folder);
  CHECK(none.code == 4);
  CHECK(none.out == "unknown  nothing was judged\n");
  const Ended half = verify("empty plans/b.json", folder);
  CHECK(half.code == 4);
  CHECK(has(half.out, "empty: there is no file in it that I read\n"));
  CHECK(last_line(half.out) == "unknown  1 of 2 files: empty\n");
}

TEST_CASE("options that are about one schedule, and files that are not there, are refused before anything is judged") {
  const TemporaryFolder folder;
  folder.write("a.json", right);
  folder.write("b.json", right);
  for (const std::string option : {"--certify c", "--repair-out r", "--draw-counterexample c.svg", "--blocking all"}) {
    const Ended ended = verify("a.json b.json " + option, folder);
    CAPTURE(option, ended.err);
    CHECK(ended.code == 2);
    CHECK(has(ended.err, "is about one file; judge it by itself"));
    CHECK(ended.out.empty());
  }
  CHECK(verify("a.json none.json", folder).code == 2);
  CHECK(verify("a.json b.json --algo ring --p 3", folder).code == 2);
  CHECK(verify("a.json b.json --profile msccl", folder).code == 2);
}

}  // namespace many_files_test
