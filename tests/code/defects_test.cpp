// Code that meets a defect of the simulator: right code is never said to fail, and wrong code fails by what doesn't
// depend on the defect (defects.c).

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "base/process.h"
#include "code/code_run.h"
#include "code/simulator.h"
#include "tests/code/built.h"

namespace onceover::code {

namespace {

/// A function of defects.c, and what is said of it where the simulator is SimGrid 3.32.
struct Meeting {
  const char* name;
  std::string_view reason;  // empty: the recorder mends it, so right code passes
  bool commutative = true;
};

constexpr Meeting meetings[] = {
    {"by_mprobe", "the simulator has no MPI_Mprobe"},
    {"by_neighbours", "the simulator has no MPI_Dist_graph_create_adjacent"},
    {"nonblocking", "nonblocking reductions lose sums"},
    {"by_reduce", "nonblocking reductions lose sums"},
    {"by_scan", "scans lose sums", false},
    {"by_starts", "loses a persistent send of no data"},
    {"by_key", ""},
};

struct Said {
  Verdict verdict = Verdict::pass;
  std::string notes = {};
};

Said said_of(const Executable& program, const Meeting& meeting, int slip) {
  setenv("ONCEOVER_CASE", meeting.name, 1);
  setenv("ONCEOVER_SLIP", std::to_string(slip).c_str(), 1);
  live::Options options{.repeats = 1};
  for (const int count : {1, 2})
    options.calls.push_back(
        {.collective = &live_collective("allreduce"), .commutative = meeting.commutative, .ranks = 4, .count = count});
  const auto runs = run_code(program, plain_trial({.ranks = 4, .hosts = {4}}, options), options, false);
  if (!runs) FAIL(runs.error().message);
  Said said;
  for (const CodeRun& run : *runs) {
    said.verdict = worse(said.verdict, run.judged.report.verdict);
    for (const std::string& note : run.judged.notes) said.notes += note + "\n";
  }
  return said;
}

}  // namespace

TEST_CASE("code that meets a defect of the simulator fails only if it is wrong besides") {
  if (!find_on_path("smpicc")) return;
  const Executable program = built("defects.c", "chosen", "allreduce");
  for (const Meeting& meeting : meetings) {
    INFO(meeting.name);
    const Said right = said_of(program, meeting, 0);
    INFO(right.notes);
    // Another version may have mended it.
    CHECK(right.verdict != Verdict::fail);
    if (meeting.reason.empty()) CHECK(right.verdict == Verdict::pass);
    if (right.verdict == Verdict::unknown) CHECK(right.notes.find(meeting.reason) != std::string::npos);
    CHECK(said_of(program, meeting, 1).verdict == Verdict::fail);
  }
}

}  // namespace onceover::code
