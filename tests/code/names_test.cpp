// Names of the runtime meet none of the user's.

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "base/process.h"
#include "code/code_run.h"
#include "code/compiled_headers.h"
#include "tests/code/built.h"

namespace onceover::code {

namespace {

/// The global names that a file defines.
std::vector<std::string> names_in(const std::string& file, const std::string& option) {
  const auto end = run_process({.program = "nm", .arguments = {"-g", option, "--defined-only", "-P", file}}, {});
  REQUIRE((end && end->exit_code == 0));
  std::vector<std::string> names;
  std::istringstream lines(end->out);
  for (std::string name, rest; lines >> name && std::getline(lines, rest);) names.push_back(name);
  CHECK(!names.empty());
  return names;
}

bool is_ours(const std::string& name) {
  return name.starts_with("onceover_");
}

}  // namespace

TEST_CASE("what calls the function under test doesn't know the user's name for it") {
  Sources sources{.function = "own", .collective = &live_collective("allreduce")};
  const std::string header = tested_header(sources);
  for (const char* name : {"from", "to", "op", "call", "main", "free"}) {
    sources.function = name;
    CHECK(tested_header(sources) == header);
  }
}

TEST_CASE("a function may have the name of a variable of the runtime, or be main, and a main beside it isn't run") {
  if (!find_on_path("smpicc")) return;
  for (const char* name : {"own", "main"}) {
    const Executable program = built("named.c", name, "allreduce");
    live::Options options{.calls = {{.collective = &live_collective("allreduce"), .ranks = 2}}, .repeats = 1};
    const auto runs = run_code(program, plain_trial({.ranks = 2}, options), options, false);
    REQUIRE(runs);
    CHECK(runs->at(0).judged.report.verdict == Verdict::pass);
    for (const char* object : {"harness.o", "probes.o", "recorder.o"})
      for (const std::string& defined : names_in(program.folder.file(object), "-p")) {
        INFO(object << " defines " << defined);
        CHECK((is_ours(defined) || defined == "main" || defined.starts_with("MPI_") || defined.starts_with("__cyg_")));
      }
  }
  const std::string ledger = *find_on_path("libonceover-ledger.so");
  for (const std::string& defined : names_in(ledger, "-D")) {
    INFO("the ledger defines " << defined);
    CHECK(is_ours(defined));
  }
}

}  // namespace onceover::code
