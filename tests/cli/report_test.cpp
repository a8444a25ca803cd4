// `verify report`: what it writes, and how it ends.

#include <catch2/catch.hpp>

#include "run_program.h"

namespace report_test {

using namespace onceover::cli;
using namespace onceover::support;

namespace {

const std::string verify_program = ONCEOVER_VERIFY;

Ended report(const std::string& arguments, const TemporaryFolder& folder) {
  return run_program(verify_program + " report " + arguments, folder.path());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a report has all its sections, and the same bytes every time") {
  const TemporaryFolder folder;
  const Ended ended = report("--algo swing --torus 2x4 --lanes all -o a.html", folder);
  CHECK(ended.code == 0);
  CHECK(ended.out + ended.err == "");
  const std::string page = folder.read("a.html");
  for (const char* id : {"verdict", "steps", "sums", "contention", "time", "proofs", "reproduce"})
    CHECK(contains(page, std::string("<section id=\"") + id + "\""));
  CHECK_FALSE(contains(page, "<section id=\"counterexample\""));
  CHECK(contains(page, "verify report --algo swing --torus 2x4 --lanes all -o report.html"));
  CHECK(contains(page, "Theorem swing_torus_once (level kernel, for every torus, with any lanes)"));
  CHECK(report("--algo swing --torus 2x4 --lanes all -o -", folder).out == page);
}

TEST_CASE("a report says how far what is held for others is from PAT's bound") {
  const TemporaryFolder folder;
  const auto told = [&](const std::string& row) { return report(row + " -o -", folder).out; };
  CHECK(contains(told("--algo pat --p 16 --set aggregation=2 --collective allgather"),
                 "With messages of up to A = 2 of p = 16 blocks, PAT holds at most A (L - log2 A) - 1 = 5 for others, "
                 "where L = ceil(log2 p). This schedule holds 5: as many as that."));
  CHECK(contains(told("--algo ring --p 16 --collective reduce-scatter"),
                 "= 3 for others, where L = ceil(log2 p). This schedule holds 1: 2 fewer."));
  CHECK(contains(told("--algo bruck --p 12 --collective allgather"),
                 "= 7 for others, where L = ceil(log2 p). This schedule holds"));
  CHECK_FALSE(contains(told("--algo ring --p 16"), "PAT holds"));
}

TEST_CASE("a report judges blocking calls if it is asked to, with a picture of the deadlock, and then fails") {
  const TemporaryFolder folder;
  const Ended fails = report("--algo ring --p 4 --blocking all -o a.html", folder);
  CHECK(fails.code == 1);
  CHECK(contains(fails.err, "a.html: the verdict is fail"));
  const std::string page = folder.read("a.html");
  CHECK(contains(page, "As blocking calls it deadlocks"));
  CHECK(
      contains(page, "<p class=\"banner fail\"><strong>fail</strong> with blocking calls (all-send-first) ranks wait"));
  CHECK(contains(page, ">receive from 3<"));
  CHECK(contains(page, "verify --algo ring --p 4 --blocking even-odd,all-send-first,sendrecv\n"));
  CHECK(report("--algo ring --p 4 --blocking sendrecv -o b.html", folder).code == 0);
  CHECK(contains(folder.read("b.html"), "As blocking calls it ends"));
  CHECK(contains(folder.read("b.html"), "<p class=\"banner pass\">"));
  CHECK(report("../x.xml --blocking all -o c.html", folder).code != 0);
}

TEST_CASE("the first deadlock of blocking calls is drawn, the one that is printed, and none if all end") {
  const TemporaryFolder folder;
  const auto judge = [&](const std::string& arguments) {
    return run_program(verify_program + " --algo ring " + arguments, folder.path());
  };
  const Ended fails = judge("--p 3,4 --blocking sendrecv,all-send-first --draw-counterexample a.svg");
  CHECK(fails.code == 1);
  CHECK(contains(fails.out, "rank 2 sends to rank 0 (step 0)"));
  const std::string picture = folder.read("a.svg");
  CHECK(contains(picture, "step 0, all-send-first"));
  CHECK(contains(picture, ">send to 0<"));
  CHECK_FALSE(contains(picture, ">send to 3<"));
  CHECK(judge("--p 4 --blocking sendrecv --draw-counterexample b.svg").code == 0);
  CHECK(run_program("test -e b.svg", folder.path()).code == 1);
  CHECK(judge("--p 4 --blocking all --draw-counterexample a.gif").code == 2);
}

TEST_CASE("a report's commands say how many ports are required") {
  const TemporaryFolder folder;
  CHECK(report("--algo swing --p 4 --require ports --ports 2 -o a.html", folder).code == 0);
  const std::string page = folder.read("a.html");
  CHECK(contains(page, "verify --algo swing --p 4 --require ports --ports 2\n"));
  CHECK(contains(page, "verify report --algo swing --p 4 --require ports --ports 2 -o report.html\n"));
}

TEST_CASE("a report of a wrong schedule is written all the same, and the exit code is 1") {
  const TemporaryFolder folder;
  CHECK(report("--algo swing-keep-first --p 6 -o a.html", folder).code == 1);
  CHECK(contains(folder.read("a.html"), "<section id=\"counterexample\""));
  CHECK(report("--algo swing-latency --p 8 --require bitwise-reproducible -o b.html", folder).code == 1);
  CHECK(contains(folder.read("b.html"), "bitwise-reproducible: the ranks end with 2 different sums of block 0"));
}

TEST_CASE("a report of a schedule that can't be executed says so, part by part") {
  const TemporaryFolder folder;
  for (const std::string file : {"self-transfer", "not-held", "into-nothing", "conflict", "replaced"}) {
    CAPTURE(file);
    const Ended ended = report(std::string(ONCEOVER_TEST_DATA) + "/" + file + ".json -o a.html", folder);
    CHECK(ended.code == 1);
    CHECK(contains(folder.read("a.html"), "banner fail"));
  }
}

TEST_CASE("a report of a schedule beyond the budget is unknown") {
  const TemporaryFolder folder;
  CHECK(report("--algo swing --p 8 --budget 10 -o a.html", folder).code == 4);
  CHECK(contains(folder.read("a.html"), "banner unknown"));
}

TEST_CASE("reports of one rank, and of collectives without an optimum, are written") {
  const TemporaryFolder folder;
  for (const std::string subject : {"--algo swing --p 1", "--algo binomial-tree --p 6 --collective broadcast",
                                    "--algo ring --p 4 --collective allgather", "--peer 'r xor pow2(s)' --p 4",
                                    "--algo bucket --torus 2x2x2 --topology fat-tree:radix=4"}) {
    CAPTURE(subject);
    const Ended ended = report(subject + " -o a.html", folder);
    CHECK(ended.err == "");
    CHECK(ended.code == 0);
  }
}

TEST_CASE("names in a report are text") {
  const TemporaryFolder folder;
  folder.write("<script>x' .json", R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":2,
                   "blocks":1,"algorithm":"</script><script>alert(1)</script>",
                   "steps":[[{"src":0,"dst":1,"blocks":[0],"op":"copy"}]]})");
  CHECK(report("\"<script>x' .json\" -o a.html", folder).code == 0);
  const std::string page = folder.read("a.html");
  CHECK_FALSE(contains(page, "<script>x"));
  CHECK_FALSE(contains(page, "<script>alert"));
  CHECK(contains(page, "verify &#39;&lt;script&gt;x&#39;\\&#39;&#39; .json&#39;"));
}

TEST_CASE("without Graphviz the report says so where a picture is missing, and has all others") {
  const TemporaryFolder folder;
  const Ended ended =
      run_program("PATH=/nowhere " + verify_program + " report --algo ring --p 4 -o a.html", folder.path());
  CHECK(ended.code == 0);
  const std::string page = folder.read("a.html");
  CHECK(contains(page, "Not drawn. <code>verify draw</code> says: Graphviz isn&#39;t installed"));
  CHECK(contains(page, "<g class=\"links\">"));
}

TEST_CASE("a report of several schedules, of none, or to nowhere is a usage error") {
  const TemporaryFolder folder;
  CHECK(report("--algo ring --p 4,5 -o a.html", folder).err ==
        "verify: report shows one schedule; there are 2: give one number of ranks, or one torus\n");
  CHECK(report("--algo ring --p 4", folder).code == 2);
  CHECK(report("--algo rign --p 4 -o a.html", folder).code == 2);
  CHECK(report("--algo ring --p 4 --topology tours -o a.html", folder).code == 2);
  CHECK(report("--algo ring --p 4 --require prots -o a.html", folder).code == 2);
  CHECK(report("--algo ring --p 4 -o no/such/folder.html", folder).code == 2);
}

TEST_CASE("commands show two subjects, and refuse a second one that doesn't fit") {
  const TemporaryFolder folder;
  const auto verify = [&](const std::string& words) {
    return run_program(verify_program + " " + words, folder.path());
  };
  CHECK(report("--algo swing --torus 2x4 --beside ring -o a.html", folder).err ==
        "verify: --beside: ring is for a line of ranks, not for a torus 2x4\n");
  CHECK(report("--algo swing --p 8 --beside recursive-doubling -o a.html", folder).code == 0);
  const std::string page = folder.read("a.html");
  CHECK(contains(page, "<h2 id=\"beside-heading\">Beside recursive-doubling allreduce</h2>"));
  CHECK(contains(page, "verify report --algo swing --p 8 --beside recursive-doubling -o report.html"));

  const std::string contention = verify("contention --algo swing --p 8 --beside ring").out;
  CHECK(contains(contention, "steps  swing: messages  vectors on a link  ring: messages  vectors on a link"));
  CHECK(contains(contention,
                 "\n  6 to 13                -                  -               8              0.125  ring\n"));
  CHECK(verify("contention --algo swing --p 8 --beside ring --steps 1").code == 2);
  CHECK(verify("contention --algo swing --p 8,16 --beside ring").err ==
        "verify: --beside goes with a single schedule\n");
  CHECK(verify("contention --algo swing --p 8 --beside ring --json").out.find("\"ring\"") != std::string::npos);

  CHECK(contains(verify("draw --view steps --algo swing --p 8 --beside ringg").err,
                 "verify: --beside: no file or algorithm 'ringg'; did you mean 'ring'?"));
  CHECK(verify("draw --view tree --algo swing --p 8 --beside ring").err ==
        "verify: --beside is for --view steps, time and contention; tree shows one subject\n");
  CHECK(verify("draw --view time --algo swing --p 8 --beside ring").err ==
        "verify: --beside: with --view time, say --bytes, the size of the vector, too; steps have no lengths\n");
  CHECK(verify("draw --view time --algo swing --p 8 --beside ring --bytes 1Mi -o b.dot").code == 0);
  CHECK(verify("draw --view time --algo swing --p 8 -o a.gif").err ==
        "verify: gif: a film is of --view steps, not of time\n");
  CHECK(verify("draw --view steps --algo swing --p 8 --animate -o a.pdf").err ==
        "verify: --animate: a film is .svg or .gif, not .pdf\n");
  run_program("ln -s \"$(command -v dot)\" dot", folder.path());
  CHECK(
      run_program("PATH=. " + verify_program + " draw --view steps --algo swing --p 8 -o a.gif", folder.path()).err ==
      "verify: Gifsicle isn't installed: its program 'gifsicle' is not found. Install it, or write the film as SVG: -o "
      "picture.svg\n  apt-get install gifsicle                Debian, Ubuntu\n");
}

TEST_CASE("a program's messages are drawn over time, at the times of cost") {
  const TemporaryFolder folder;
  const auto verify = [&](const std::string& words) {
    return run_program(verify_program + " " + words, folder.path());
  };
  REQUIRE(verify("export --algo swing --p 4 --bytes 1048576 --to goal -o swing.goal").code == 0);
  REQUIRE(verify("export --algo swing --p 4 --to msccl-xml -o swing.xml").code == 0);
  const std::string picture = verify("draw --view time swing.goal").out;
  const std::string cost = verify("cost swing.goal").out;
  const std::size_t at = picture.find(" on torus 4, synchronous steps.");
  REQUIRE(at != std::string::npos);
  std::string time = picture.substr(picture.rfind('"', at) + 1, at - picture.rfind('"', at) - 1);
  time.replace(time.find("\u00b5"), 2, "u");
  CHECK(contains(cost, ": " + time + "\n"));
  const std::string drawn = "draw --view time swing.xml --bytes 1Mi";
  CHECK(contains(verify(drawn).out, " for 1 MiB on full network of 4 ranks, synchronous steps."));
  CHECK(contains(verify(drawn + " --torus 2x2").out, " for 1 MiB on torus 2x2, synchronous steps."));
  CHECK(verify("draw --view time swing.goal --bytes 1Mi").err ==
        "verify: --bytes: a GOAL file says itself how many bytes its messages have\n");
  CHECK(verify("draw --view time swing.xml").err ==
        "verify: --view time: say --bytes, the size of the vector, too; --view steps needs no size\n");
  CHECK(contains(verify("draw --view time swing.xml --bytes 1Mi --mode asynchronous").err,
                 "only --mode synchronous stands for"));
  CHECK(verify("draw --view time swing.goal --beside ring").err ==
        "verify: --beside: one subject has the sizes of its messages in bytes, the other in parts of a vector\n");
  CHECK(verify("draw --view time swing.goal --beside swing.goal -o a.dot").code == 0);
  CHECK(contains(folder.read("a.dot"), "Both take as long on torus 4"));
  CHECK(contains(verify("draw --view tree swing.goal").err, "a program has happens-before, steps and time"));
}

TEST_CASE("GPUs are linked with each other unless a network is named, and only then deficiencies say something") {
  const TemporaryFolder folder;
  const std::string ring = std::string(ONCEOVER_TEST_DATA) + "/../../examples/ring-2.xml -o a.html";
  const std::string caption = "Deficiencies, as the Swing paper defines them";
  CHECK(report(ring, folder).code == 0);
  CHECK(contains(folder.read("a.html"), "On full network of 2 ranks, 2 links, minimal routing."));
  CHECK(contains(folder.read("a.html"), "a link and hop, 1 port."));
  CHECK_FALSE(contains(folder.read("a.html"), caption));
  CHECK(report(ring + " --topology torus", folder).code == 0);
  CHECK(contains(folder.read("a.html"), "On torus 2, 4 links, minimal routing."));
  CHECK(contains(folder.read("a.html"), caption));
}

TEST_CASE("a program's counterexample has its place in the film") {
  const TemporaryFolder folder;
  CHECK(report(std::string(ONCEOVER_TEST_DATA) + "/../../examples/hasty.xml -o race.html", folder).code == 1);
  CHECK(contains(folder.read("race.html"),
                 R"("race-free":[{"step":0,"rank":0,"message":[0,1],"text":"rank 0, thread block 1, step 0)"));
  CHECK(report(std::string(ONCEOVER_TEST_DATA) + "/plans/missing_nop.json -o plan.html", folder).code == 1);
  CHECK(contains(folder.read("plan.html"), R"--("text":"gpu 0, block 0, operation 4 (line 6)")--"));
  CHECK(report("--algo swing-keep-first --p 6 -o schedule.html", folder).code == 1);
  CHECK(contains(folder.read("schedule.html"), R"("faults":null)"));
}

TEST_CASE("a program that never ends has a page, without a film") {
  const TemporaryFolder folder;
  const Ended ended = report(std::string(ONCEOVER_TEST_DATA) + "/../../examples/circle.goal -o a.html", folder);
  CHECK(ended.code == 1);
  CHECK(ended.err == "verify: a.html: the verdict is fail\n");
  const std::string page = folder.read("a.html");
  CHECK(contains(page, "the program never ends, so its messages have no steps"));
  CHECK(contains(page, "<section id=\"waits\""));
  CHECK_FALSE(contains(page, "<section id=\"contention\""));
}

}  // namespace report_test
