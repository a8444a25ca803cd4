// What the program prints, word for word. Rewrite it with scripts/approve, then read the diff.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "run_program.h"

using namespace onceover;

namespace {

/// Command lines by the name of their approved output. They run in tests/data.
const std::vector<std::pair<std::string, std::string>> commands{
    {"version", "verify --version"},
    {"help", "verify --help"},
    {"help-export", "verify export --help"},
    {"list", "verify list"},
    {"list-one", "verify list swing"},
    {"list-json", "verify list ring --json"},
    {"list-unknown", "verify list swingg"},
    {"pass", "verify --algo swing --p 7"},
    {"pass-one-rank", "verify --algo swing --p 1"},
    {"pass-range", "verify --algo ring --collective allgather --p 2..5,9"},
    {"pass-powers", "verify --algo swing-latency --p 2^1..2^6"},
    {"pass-json", "verify --algo swing --p 7 --json"},
    {"pass-file", "verify chain-reduce.json"},
    {"fail-duplicate", "verify swing-latency-6.json"},
    {"fail-duplicate-json", "verify swing-latency-6.json --json"},
    {"fail-missing-both", "verify swing-6-keep-first.json"},
    {"fail-missing", "verify lost.json"},
    {"fail-missing-json", "verify lost.json --json"},
    {"fail-replaced", "verify replaced.json"},
    {"fail-not-held", "verify not-held.json"},
    {"fail-into-nothing", "verify into-nothing.json"},
    {"fail-conflict", "verify conflict.json"},
    {"fail-conflict-json", "verify conflict.json --json"},
    {"fail-self-transfer", "verify self-transfer.json"},
    {"unknown-budget", "verify --algo swing --p 6..8 --budget 100"},
    {"unknown-budget-json", "verify --algo swing --p 8 --budget 100 --json"},
    {"export", "verify export --algo swing --p 3 --to json"},
    {"export-range", "verify export --algo swing --p 3,4 --to json"},
    {"export-format", "verify export --algo swing --p 3 --to jsn"},
    {"export-too-large", "verify export --algo ring --p 65536 --to json"},
    {"usage-nothing", "verify"},
    {"usage-no-ranks", "verify --algo swing"},
    {"usage-p-zero", "verify --algo swing --p 0"},
    {"usage-p-negative", "verify --algo swing --p -3"},
    {"usage-p-letters", "verify --algo swing --p 7x"},
    {"usage-p-huge", "verify --algo swing --p 2^40"},
    {"usage-p-large", "verify --algo ring --p 2^24"},
    {"usage-p-empty-range", "verify --algo swing --p 9..3"},
    {"usage-algorithm", "verify --algo swong --p 7"},
    {"usage-collective", "verify --algo swing --collective allreduc --p 7"},
    {"usage-collective-not-offered", "verify --algo swing-latency --collective broadcast --p 8"},
    {"usage-domain", "verify --algo swing-latency --p 2..64"},
    {"usage-property", "verify --algo swing --p 7 --require exactly-onec"},
    {"usage-flag", "verify --algo swing --ranks 7"},
    {"usage-flag-typo", "verify --allgo swing"},
    {"usage-p-twice", "verify --algo swing --p 3 --p 4"},
    {"usage-p-open-range", "verify --algo swing --p 2.."},
    {"usage-early-option", "verify --json list"},
    {"usage-torus", "verify --algo swing --torus 4x"},
    {"usage-torus-sides", "verify --algo swing --torus 3x3x3x3x3x3x3"},
    {"usage-torus-line-only", "verify --algo ring --torus 4x4"},
    {"usage-lanes", "verify --algo swing --torus 4x4 --lanes 2"},
    {"usage-set", "verify --algo rabenseifner --p 8 --set odrer=near"},
    {"usage-set-value", "verify --algo rabenseifner --p 8 --set order=nera"},
    {"pass-torus", "verify --algo swing --torus 4x4 --lanes all"},
    {"pass-tori", "verify --algo bucket --torus 4x4 --torus 2x3"},
    {"full", "verify --algo swing --p 8 --full"},
    {"full-several", "verify --algo ring --p 2,3 --full"},
    {"full-unknown", "verify --algo swing --p 8 --budget 10 --full"},
    {"require-several", "verify --algo rabenseifner --p 8 --require order-preserving --require contiguous"},
    {"require-order", "verify --algo swing --p 8 --require order-preserving"},
    {"require-bits", "verify --algo swing-latency --p 8 --require bitwise-reproducible"},
    {"require-bits-json", "verify --algo swing-latency --p 8 --require bitwise-reproducible --json"},
    {"require-redundant", "verify --algo swing-figure-3 --p 4 --require no-redundant-transfer"},
    {"ports", "verify --algo swing --p 7 --ports 2"},
    {"ports-enough", "verify --algo swing --p 7 --ports 3"},
    {"ports-none", "verify --algo swing --p 7 --require ports"},
    {"staging", "verify --algo pat --collective allgather --p 16 --set aggregation=2 --staging 4"},
    {"staging-enough", "verify --algo pat --collective allgather --p 16 --set aggregation=2 --staging 5"},
    {"explain-well-formed", "verify explain well-formed"},
    {"explain-exactly-once", "verify explain exactly-once"},
    {"explain-no-redundant-transfer", "verify explain no-redundant-transfer"},
    {"explain-ports", "verify explain ports"},
    {"explain-order-preserving", "verify explain order-preserving"},
    {"explain-bitwise-reproducible", "verify explain bitwise-reproducible"},
    {"explain-contiguous", "verify explain contiguous"},
    {"explain-staging", "verify explain staging"},
    {"explain-unknown", "verify explain port"},
    {"list-as-printed", "verify list --as-printed"},
    {"peer", "verify --peer 'even(r) ? r + rho(s) : r - rho(s)' --p 2..9"},
    {"peer-json", "verify --peer 'r + pow2(s)' --p 3 --json"},
    {"peer-fails", "verify --peer 'even(r) ? r + delta(s) : r - delta(s)' --p 2..6"},
    {"peer-fail-fast", "verify --peer 'even(r) ? r + delta(s) : r - delta(s)' --p 2..6 --fail-fast"},
    {"peer-malformed", "verify --peer 'even(r ? r + 1 : r - 1' --p 4"},
    {"peer-no-value", "verify --peer 'r / s' --p 4"},
    {"peer-too-large", "verify --peer 'r + 1' --steps 'p * p' --p 4096"},
    {"peer-and-algo", "verify --peer 'r + 1' --algo ring --p 4"},
    {"help-draw", "verify draw --help"},
    {"draw-steps", "verify draw --view steps --algo swing --p 6 --steps 0..1"},
    {"draw-steps-torus",
     "verify draw --view steps --algo swing --torus 2x4 --lanes all --steps 0..1 --ranks 0 --counts"},
    {"draw-time", "verify draw --view time --algo bruck --p 4"},
    {"draw-tree", "verify draw --view tree --algo pat --p 8 --set aggregation=2 --block 0,3"},
    {"draw-matrix", "verify draw --view matrix --algo ring --p 3"},
    {"draw-term", "verify draw --view term --algo swing-latency --p 8"},
    {"draw-counterexample", "verify draw --view counterexample swing-latency-6.json"},
    {"draw-counterexample-none", "verify draw --view counterexample --algo swing --p 6"},
    {"draw-escaped", "verify draw --view time hostile-name.json"},
    {"draw-view", "verify draw --view stpes --algo swing --p 6"},
    {"draw-no-view", "verify draw --algo swing --p 6"},
    {"draw-format", "verify draw --view time --algo swing --p 6 -o x.jpg"},
    {"draw-no-extension", "verify draw --view time --algo swing --p 6 -o x"},
    {"draw-many-messages", "verify draw --view steps --algo swing --p 4096"},
    {"draw-many-ranks", "verify draw --view time --algo swing --p 4096 --steps 0"},
    {"draw-many-cells", "verify draw --view matrix --algo ring --p 128"},
    {"draw-many-leaves", "verify draw --view term --algo ring --p 256"},
    {"draw-many-nodes", "verify draw --view tree --algo swing --p 4096"},
    {"draw-large-torus", "verify draw --view steps --algo swing --torus 64x64"},
    {"draw-no-rank", "verify draw --view time --algo swing --p 6 --ranks 0,6"},
    {"draw-no-step", "verify draw --view time --algo swing --p 6 --steps 5..6"},
    {"draw-no-block", "verify draw --view tree --algo swing --p 6 --block 6"},
    {"draw-ranks-malformed", "verify draw --view time --algo swing --p 6 --ranks 0..x"},
    {"draw-width", "verify draw --view time --algo swing --p 6 --width 3"},
    {"draw-range", "verify draw --view time --algo swing --p 6..8"},
    {"peer-collective", "verify --peer 'r + 1' --collective broadcast --p 4"},
    {"exec-no-place", "verify --exec 'cat chain-reduce.json' --p 2..4"},
    {"exec-other-p", "verify --exec 'cat chain-reduce.json' --p 9"},
    {"exec-dies", "verify --exec 'echo oops >&2; exit 3' --p 4"},
    {"exec-nothing", "verify --exec true --p 4"},
    {"exec-timeout", "verify --exec true --p 4 --exec-timeout 0"},
    {"usage-missing-value", "verify --algo swing --p"},
    {"usage-both", "verify --algo swing chain-reduce.json"},
    {"usage-file-and-p", "verify chain-reduce.json --p 4"},
    {"usage-mistyped-command", "verify lsit"},
    {"usage-missing-file", "verify no-such-file.json"},
    {"usage-directory", "verify ."},
    {"usage-json-out", "verify --algo swing --p 7 --json-out no/such/folder/out.json"},
    {"usage-budget", "verify --algo swing --p 7 --budget many"},
    {"malformed-empty", "verify empty.json"},
    {"malformed-text", "verify not-json.txt"},
    {"malformed-truncated", "verify truncated.json"},
    {"malformed-unknown-key", "verify unknown-key.json"},
    {"malformed-range", "verify out-of-range.json"},
};

std::string transcript(const std::string& command) {
  const std::string program = ONCEOVER_VERIFY;
  const Ended ended = run_program(program.substr(0, program.rfind('/') + 1) + command, ONCEOVER_TEST_DATA);
  std::ostringstream text;
  text << "$ " << command << "\n" << ended.out;
  if (!ended.err.empty()) text << "--- standard error\n" << ended.err;
  text << "--- exit code " << ended.code << "\n";
  return text.str();
}

}  // namespace

TEST_CASE("approved: every printed format is as approved") {
  for (const auto& [name, command] : commands) {
    const std::string path = std::string(ONCEOVER_APPROVED) + "/" + name + ".txt";
    const std::string now = transcript(command);
    if (std::getenv("ONCEOVER_APPROVE") != nullptr) std::ofstream(path) << now;
    std::ifstream file(path);
    std::ostringstream approved;
    approved << file.rdbuf();
    CAPTURE(name);
    CHECK(now == approved.str());
  }
}
