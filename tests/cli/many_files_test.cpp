// Several files, and folders, judged by one command.

#include <sys/stat.h>

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

void make_folders(const TemporaryFolder& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) std::filesystem::create_directories(folder.path(name));
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
  make_folders(folder, {"plans/old", "empty"});
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
  CHECK(last_line(all.out) == "pass  all 2 files (3 files not tried)\n");
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

TEST_CASE("a damaged file in a folder is judged, and isn't taken for another tool's") {
  const TemporaryFolder folder;
  make_folders(folder, {"plans"});
  folder.write("plans/right.json", right);
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"cut.json", right.substr(0, 8)},
                                   {"empty.json", ""},
                                   {"hollow.json", "{}"},
                                   {"empty.xml", ""},
                                   {"cut.xml", "<?xml version=\"1.0\"?>\n<al"},
                                   {"a.goal", "ranks 2"},
                                   {"nameless.json", R"({"version":1,"ranks":2,"steps":[]})"},
                                   {"nameless", R"({"version":1,"ranks":2,"steps":[]})"}}) {
    CAPTURE(name);
    const std::string path = "plans/" + name;
    folder.write(path, text);
    const Ended ended = verify("plans", folder);
    CHECK(ended.code == 3);
    CHECK(has(ended.out, "\nunknown  " + path + " was not judged\n"));
    CHECK(last_line(ended.out) == "unknown  1 of 2 files: " + path + "\n");
    std::filesystem::remove(folder.path(path));
  }
  folder.write("plans/list.json", R"([{"file": "a.c"}])");
  folder.write("plans/pom.xml", "<project>\n</project>\n");
  folder.write("plans/notes.txt", "");
  CHECK(last_line(verify("plans", folder).out) == "pass  1 file (3 files not tried)\n");
}

TEST_CASE("links and pipes in a folder are named, and a file too large to be read ends nothing") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path plans = folder.path("plans");
  make_folders(folder, {"plans", "other"});
  folder.write("plans/a.json", right);
  folder.write("other/b.json", right);
  fs::create_symlink("../other", plans / "others");
  fs::create_symlink("nowhere.json", plans / "lost.json");
  fs::create_symlink("../other/b.json", plans / "b.json");
  REQUIRE(mkfifo((plans / "pipe.json").c_str(), 0600) == 0);
  const Ended links = verify("plans", folder);
  CHECK(links.code == 0);
  CHECK(has(links.out,
            "not tried: plans/lost.json (a link to nothing); plans/others (a link to a folder); plans/pipe.json "
            "(neither a file nor a folder)\npass  all 2 files (3 files not tried)\n"));
  folder.write("plans/large.bin", "");
  folder.write("plans/large.json", right);
  for (const char* name : {"large.bin", "large.json"}) fs::resize_file(plans / name, (std::uintmax_t{1} << 30) + 1);
  const Ended large = verify("plans", folder);
  CHECK(large.code == 3);
  CHECK(has(large.out, "plans/large.bin (no format that I read)"));
  CHECK(last_line(large.out) == "unknown  1 of 3 files: plans/large.json\n");
}

TEST_CASE("no output replaces one of several files, and what was waived stands in the last line") {
  const TemporaryFolder folder;
  make_folders(folder, {"plans"});
  folder.write("plans/a.json", right);
  folder.write("b.json", right);
  for (const std::string files : {"b.json plans/a.json --json-out b.json", "plans --json-out plans/a.json",
                                  "b.json plans --json-out ./plans/../plans/a.json"}) {
    CAPTURE(files);
    const Ended ended = verify(files, folder);
    CHECK(ended.code == 2);
    CHECK(has(ended.err, "--json-out name one file"));
  }
  CHECK(folder.read("plans/a.json") == right);
  const Ended waived = verify("b.json plans --waive exactly-once", folder);
  CHECK(last_line(waived.out) == "pass  all 2 files (exactly-once waived)\n");
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
  CHECK(verify("a.json b.json --suggest", folder).err == "verify: --suggest goes with --peer\n");
  CHECK(verify("a.json none.json", folder).code == 2);
  CHECK(verify("a.json b.json --algo ring --p 3", folder).code == 2);
  CHECK(verify("a.json b.json --profile msccl", folder).code == 2);
}

}  // namespace many_files_test
