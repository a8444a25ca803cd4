#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace command_test {

using namespace onceover::cli;
using namespace onceover::support;

namespace {

const std::string verify_program = ONCEOVER_VERIFY;

Ended verify(const std::string& arguments, const TemporaryFolder& folder) {
  return run_program(verify_program + " " + arguments, folder.path());
}

nlohmann::json run_of(const Ended& ended) {
  return nlohmann::json::parse(ended.out)["runs"][0];
}

}  // namespace

TEST_CASE("an exported schedule read back has the same verdict, metrics and properties") {
  const TemporaryFolder folder;
  for (const std::string subject :
       {"--algo swing --p 6", "--algo ring --p 5 --collective allgather", "--algo swing-latency --p 8"}) {
    REQUIRE(verify("export " + subject + " --to json -o s.json", folder).code == 0);
    auto direct = run_of(verify(subject + " --json", folder));
    direct.erase("theorem");  // is about the catalogue's
    auto read_back = run_of(verify("s.json --json", folder));
    REQUIRE(read_back["subject"]["file"] == "s.json");
    read_back["subject"].erase("file");
    REQUIRE(read_back == direct);
  }
}

TEST_CASE("an option that may come several times takes one value each time") {
  const TemporaryFolder folder;
  REQUIRE(verify("export --algo ring --p 5 --to json -o s.json", folder).code == 0);
  CHECK(verify("--require ports s.json --ports 2", folder).code == 0);
  CHECK(verify("--limit 'steps <= 8' s.json", folder).code == 0);
  CHECK(verify("--torus 2x2 s.json", folder).err.find("--torus goes with --algo") != std::string::npos);
}

TEST_CASE("prove takes several algorithms, and proves what they share once") {
  const TemporaryFolder folder;
  const auto ids = [&](const std::string& names) {
    const auto json = nlohmann::json::parse(verify("prove --json --algo " + names, folder).out);
    std::vector<std::string> theorems, kernel;
    for (const auto& theorem : json["theorems"]) theorems.push_back(theorem["id"]);
    for (const auto& theorem : json["kernel"]) kernel.push_back(theorem["algorithm"]);
    return std::pair(theorems, kernel);
  };
  const auto [ring, ring_kernel] = ids("ring");
  const auto [bruck, bruck_kernel] = ids("bruck");
  const auto [both, both_kernel] = ids("ring,bruck,ring");
  for (const auto& part : {ring, bruck})
    for (const std::string& id : part) CHECK(std::count(both.begin(), both.end(), id) == 1);
  CHECK(both.size() < ring.size() + bruck.size());
  CHECK(both_kernel.size() == ring_kernel.size() + bruck_kernel.size());
  const std::string text = verify("prove --algo ring,bruck", folder).out;
  CHECK(text.find("ring\nkernel ") == 0);
  CHECK(text.find("\nbruck\nkernel ") != std::string::npos);
}

TEST_CASE("what would be read and not used is refused: empty texts, the time limit of a command that isn't given") {
  const TemporaryFolder folder;
  for (const std::string options :
       {"--algo ring --p 4 --blocking \"\"", "--algo ring --p 4 --exec \"\"", "\"\" --algo ring --p 4",
        "--algo ring --p 4 --exec-time-limit 5s", "live --schedule \"\"", "live --preload \"\"", "live --root \"\"",
        "live --call-time-limit \"\"", "live --sweep \"\"", "--algo ring --p 4 --profile \"\"",
        "prove --all --algo \"\"", "cost --algo \"\" --p 4", "--algo ring,swing --p 4 --blocking all"}) {
    CAPTURE(options);
    CHECK(verify(options, folder).code == 2);
  }
}

TEST_CASE("no output replaces the schedule that was read, or another output") {
  const TemporaryFolder folder;
  REQUIRE(verify("export --algo swing --p 4 --to json -o s.json", folder).code == 0);
  const std::string before = folder.read("s.json");
  for (const std::string options :
       {"s.json --certify s.json", "s.json --json-out ./s.json", "--algo swing --p 4 --json-out x --certify x",
        "contention s.json --json-out ./s.json", "cost s.json --csv-out s.json", "report s.json -o s.json",
        "draw s.json --view steps --to svg -o s.json", "lint s.json --profile msccl --json-out s.json",
        "contention --algo ring --p 4 --json-out x --gnuplot ./x", "cost --algo ring --p 4 --json-out x --csv-out x"}) {
    CAPTURE(options);
    const Ended ended = verify(options, folder);
    CHECK(ended.code == 2);
    CHECK(ended.err.find("name one file") != std::string::npos);
  }
  folder.write("s.dot", "graph { 0 -- 1; 1 -- 2; 2 -- 3 }\n");
  folder.write("s.map", "0\n1\n2\n3\n");
  for (const std::string options :
       {"contention s.json --topology ./s.dot --csv-out s.dot", "cost s.json --map s.map --json-out s.map",
        "report s.json --topology ./s.dot -o s.dot", "draw s.json --view contention --topology ./s.dot -o s.dot",
        "s.json --limit 'congestion <= 9' --topology ./s.dot --json-out s.dot"})
    CHECK(verify(options, folder).err.find("name one file") != std::string::npos);
  CHECK(folder.read("s.dot").find("graph") == 0);
  CHECK(folder.read("s.json") == before);
  CHECK(verify("--algo swing --p 4 --json-out /dev/null --certify /dev/null", folder).code == 0);
  CHECK(verify("--algo swing --p 4 --json-out x --certify ./x", folder).code == 2);
  std::filesystem::create_symlink("x", folder.path("y"));
  CHECK(verify("--algo swing --p 4 --json-out x --certify y", folder).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path("x")));
  CHECK(verify("--algo swing --p 4 --json-out y", folder).code == 0);
  CHECK(std::filesystem::is_symlink(folder.path("y")));
  CHECK(folder.read("x").substr(0, 1) == "{");
}

TEST_CASE("shells are told what may stand at the end of a command line") {
  const TemporaryFolder folder;
  auto completed = [&](const std::string& words) { return verify("complete -- " + words, folder).out; };
  CHECK(completed("--algo swin") == "swing\nswing-latency\n");
  CHECK(completed("dr") == "draw\tDraw a schedule or program: who sends what to whom, step by step\n:files\n");
  CHECK(completed("draw --vi") == "--view\tWhat to show; the views are listed below (default: steps)\n");
  CHECK(completed("draw --view cont") == "contention\n");
  CHECK(completed("draw --view hap") == "happens-before\n");
  CHECK(completed("draw -o ''") == ":files\n");
  CHECK(completed("contention --topology fat") == "fat-tree\n:files\n");
  CHECK(completed("prove --peer ''").empty());
  CHECK(completed("explain por") == "ports\n");
  CHECK(completed("lint --profile rccl ''") == ":files\n");
  CHECK(completed("draw --full --no-such-option ''") == ":files\n");
  CHECK(completed("--no-such").empty());
  CHECK(completed("watch ga") == "gate\tJudge everything that a gate file lists, as CI does\n:files\n");
  CHECK(completed("watch code --numb") == completed("code --numb"));
  CHECK(completed("watch --al") ==
        "--also\tRun again when this file changes, too; may be repeated\n" + completed("--al"));
  CHECK(completed("watch --also x --runs 3 gate --shar") == completed("gate --shar"));
  CHECK(completed("watch --also ''") == ":files\n");
  CHECK(completed("watch --algo swing-l") == "swing-latency\n");
  CHECK(completed("--tim") == completed("list --tim"));
  // Every command is named, and this one isn't.
  const std::string all = completed("''");
  for (const std::string command : {"list", "explain", "export", "claims", "completion", "manual", "help"})
    CHECK(("\n" + all).find("\n" + command + "\t") != std::string::npos);
  CHECK(all.find("complete\t") == std::string::npos);
}

TEST_CASE("each shell completes by asking the program") {
  const TemporaryFolder folder;
  const std::string path = "PATH=" + verify_program.substr(0, verify_program.rfind('/')) + ":$PATH; ";
  for (const std::string shell : {"bash", "zsh", "fish"})
    REQUIRE(verify("completion " + shell + " > verify." + shell, folder).code == 0);
  folder.write("some-file.json", "");
  folder.write("bash_completes",
               "source ./verify.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _verify; echo \"${COMPREPLY[@]}\"");
  auto in_bash = [&](const std::string& words) {
    return run_program(path + "bash bash_completes " + words, folder.path()).out;
  };
  CHECK(in_bash("verify --algo swin") == "swing swing-latency\n");
  CHECK(in_bash("verify draw --view cont") == "contention\n");
  CHECK(in_bash("verify some-f") == "some-file.json\n");
  folder.write("two words.json", "");
  CHECK(in_bash("verify two") == "two words.json\n");
  folder.write("zsh_completes",
               "compdef() {}; _files() { echo files }; _describe() { print -l $found }; source ./verify.zsh\n"
               "words=(\"$@\"); CURRENT=$#; _verify");
  auto in_zsh = [&](const std::string& words) {
    return run_program(path + "zsh zsh_completes " + words, folder.path()).out;
  };
  CHECK(in_zsh("verify --algo swin") == "swing:\nswing-latency:\n");
  CHECK(in_zsh("verify dr") == "files\ndraw:Draw a schedule or program: who sends what to whom, step by step\n");
  auto in_fish = [&](const std::string& line) {
    return run_program(path + "fish -c \"source verify.fish; complete -C '" + line + "'\"", folder.path()).out;
  };
  CHECK(in_fish("verify --algo swin") == "swing\nswing-latency\n");
  CHECK(in_fish("verify dr") == "draw\tDraw a schedule or program: who sends what to whom, step by step\n");
  CHECK(in_fish("verify draw --vi") == "--view\tWhat to show; the views are listed below (default: steps)\n");
  CHECK(in_fish("verify some-f") == "some-file.json\n");
}

TEST_CASE("a schedule is read from a pipe") {
  const TemporaryFolder folder;
  REQUIRE(verify("export --algo swing --p 4 --to json -o s.json", folder).code == 0);
  CHECK(verify("/dev/stdin < s.json", folder).code == 0);
  CHECK(run_program("cat s.json | " ONCEOVER_VERIFY " /dev/stdin", folder.path()).code == 0);
}

TEST_CASE("a sweep that rests on symmetries says so once") {
  const TemporaryFolder folder;
  const Ended sweep = verify("--algo swing --p 8,10,12,9 --symmetry", folder);
  REQUIRE(sweep.code == 0);
  REQUIRE(sweep.out.find("(one block of each orbit of a checked symmetry: shifts of ranks by multiples of 2); ") !=
          std::string::npos);
  REQUIRE(sweep.out.find("(every block)") != std::string::npos);
  REQUIRE(sweep.out.size() < 600);
}

// Not every retargeted transfer is wrong: at p = 6 rank 0 may as well hand block 1 to rank 3, which passes it on later.
// Four ranks further on it is, at every step.
TEST_CASE("an exported schedule with a transfer removed, doubled or retargeted fails with exit code 1") {
  const TemporaryFolder folder;
  REQUIRE(verify("export --algo swing --p 6 --to json -o s.json", folder).code == 0);
  const auto good = nlohmann::json::parse(folder.read("s.json"));
  for (std::size_t step = 0; step < good["steps"].size(); ++step)
    for (const char* change : {"removed", "doubled", "retargeted"}) {
      auto bad = good;
      auto& transfers = bad["steps"][step];
      if (change == std::string("removed")) transfers.erase(0);
      if (change == std::string("doubled")) transfers.push_back(transfers[0]);
      if (change == std::string("retargeted")) transfers[0]["dst"] = (transfers[0]["dst"].get<int>() + 4) % 6;
      folder.write("bad.json", bad.dump());
      const Ended ended = verify("bad.json --json", folder);
      CAPTURE(step, change, ended.out);
      REQUIRE(ended.code == 1);
      REQUIRE(run_of(ended)["properties"][1]["counterexample"]["text"].size() >= 1);
    }
}

TEST_CASE("the option --json-out writes what --json prints, whole or not at all") {
  const TemporaryFolder folder;
  const Ended both = verify("--algo swing --p 7 --json --json-out out.json", folder);
  REQUIRE(both.code == 0);
  REQUIRE(folder.read("out.json") == both.out);
  folder.write("out.json", "precious");
  REQUIRE(verify("--algo swong --p 7 --json-out out.json", folder).code == 2);
  REQUIRE(folder.read("out.json") == "precious");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  REQUIRE(files == 1);  // no temporary is left
}

TEST_CASE("standard output that can't be written is an error") {
  const TemporaryFolder folder;
  REQUIRE(verify("--algo swing --p 7 >/dev/full", folder).code == 5);
  REQUIRE(verify("export --algo swing --p 7 --to json >/dev/full", folder).code == 5);
}

TEST_CASE("devices, pipes and links that are written to stay what they are") {
  const TemporaryFolder folder;
  REQUIRE(run_program("mkfifo pipe; ln -s real.json link.json; : > real.json", folder.path()).code == 0);
  const Ended piped =
      run_program("cat pipe & " + verify_program + " export --algo ring --p 2 --to json -o pipe; wait", folder.path());
  REQUIRE(piped.code == 0);
  REQUIRE(piped.out == verify("export --algo ring --p 2 --to json", folder).out);
  REQUIRE(verify("export --algo ring --p 2 --to json -o link.json", folder).code == 0);
  REQUIRE(std::filesystem::is_fifo(folder.path("pipe")));
  REQUIRE(std::filesystem::is_symlink(folder.path("link.json")));
  REQUIRE(folder.read("real.json") == piped.out);
  REQUIRE(verify("export --algo ring --p 2 --to json -o /dev/full", folder).code == 2);
}

TEST_CASE("a hundred megabytes of brackets are refused in bounded memory") {
  const TemporaryFolder folder;
  folder.write("brackets.json", std::string(100 << 20, '['));
  const Ended ended = run_program("ulimit -v 1048576; " + verify_program + " brackets.json", folder.path());
#if defined(__SANITIZE_ADDRESS__)
  return;  // the sanitizer reserves more address space than that
#endif
  REQUIRE(ended.code == 3);
  REQUIRE(ended.err.size() < 300);
  REQUIRE(ended.err.find("brackets.json:1:1: expected an object") == 0);
}

TEST_CASE("an interrupt ends with 130, and leaves the old file and no other") {
  const TemporaryFolder folder;
  folder.write("s.json", "old");
  const Ended ended = run_program(
      verify_program + " export --exec 'kill -INT $PPID; exec sleep 99' --p 4 --to json -o s.json", folder.path());
  REQUIRE(ended.code == 130);
  REQUIRE(folder.read("s.json") == "old");
  std::filesystem::remove(folder.path("s.json"));
  REQUIRE(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("draw writes the format that the file's name, or --to, asks for") {
  const TemporaryFolder folder;
  for (const std::string format : {"svg", "pdf", "png", "dot"}) {
    CAPTURE(format);
    REQUIRE(verify("draw --view steps --algo swing --p 7 -o x." + format, folder).code == 0);
    REQUIRE(verify("draw --view steps --algo swing --p 7 -o other --to " + format, folder).code == 0);
    CHECK(folder.read("x." + format) == folder.read("other"));
    CHECK(verify("draw --view steps --algo swing --p 7 --to " + format, folder).out == folder.read("other"));
  }
  CHECK(verify("draw --view steps --algo swing --p 7", folder).out == folder.read("x.dot"));
}

TEST_CASE("without Graphviz draw says what to install, writes nothing, and still writes DOT") {
  const TemporaryFolder folder;
  const auto without = [&](const std::string& arguments) {
    return run_program("PATH=/nowhere " + verify_program + " draw --view tree --algo swing --p 7 " + arguments,
                       folder.path());
  };
  const Ended svg = without("-o x.svg");
  CHECK(svg.code == 2);
  CHECK(svg.err.find("apt-get install graphviz") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path("x.svg")));
  CHECK(without("-o x.dot").code == 0);
  CHECK(std::filesystem::exists(folder.path("x.dot")));
}

TEST_CASE("a picture that can't be drawn leaves the file that was there") {
  const TemporaryFolder folder;
  folder.write("x.svg", "before");
  CHECK(verify("draw --view time --algo swing --p 4096 --no-fold -o x.svg", folder).code == 2);
  CHECK(folder.read("x.svg") == "before");
  CHECK(verify("draw --view time --algo swing --p 4 -o no/such/folder/x.svg", folder).code == 2);
}

TEST_CASE("verify draws the first failure, and nothing where there is none") {
  const TemporaryFolder folder;
  const Ended failing = verify("--algo swing-keep-first --p 6,10 --draw-counterexample x.svg", folder);
  CHECK(failing.code == 1);
  CHECK(failing.err.empty());
  CHECK(folder.read("x.svg").find("rank 0 ends without rank 4") != std::string::npos);
  CHECK(verify("--algo swing --p 2..8 --draw-counterexample y.svg", folder).code == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path("y.svg")));
  CHECK(verify("--algo swing --p 2..8 --draw-counterexample y.jpg", folder).code == 2);
  const Ended order = verify("--algo swing --p 8 --require order-preserving --draw-counterexample y.svg", folder);
  CHECK(order.code == 1);
  CHECK(folder.read("y.svg").find("neighbours") != std::string::npos);
  const Ended bits =
      verify("--algo swing-latency --p 8 --require bitwise-reproducible --draw-counterexample z.svg", folder);
  CHECK(bits.code == 1);
  CHECK(bits.err.find("verify: not drawn: ") == 0);
}

}  // namespace command_test
