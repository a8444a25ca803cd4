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
    {"contention", "verify contention --algo swing --torus 4x4 --lanes all"},
    {"contention-line", "verify contention --algo rabenseifner --p 16"},
    {"contention-halves", "verify contention --algo swing --torus 2x4 --lanes all --step 0"},
    {"contention-fat-tree",
     "verify contention --algo swing --torus 4x4 --lanes all --topology fat-tree:radix=8,taper=2"},
    {"contention-several", "verify contention --algo swing --p 2^1..2^6"},
    {"contention-json", "verify contention --algo ring --p 5 --json"},
    {"contention-csv", "verify contention --algo swing --p 4 --csv -"},
    {"contention-large", "verify contention --algo swing --torus 64x64 --step 0"},
    {"contention-wrong", "verify contention swing-latency-6.json"},
    {"contention-ill-formed", "verify contention out-of-range.json"},
    {"contention-topology", "verify contention --algo swing --p 4 --topology tours"},
    {"contention-setting", "verify contention --algo swing --p 4 --topology fat-tree:radx=8"},
    {"contention-routing", "verify contention --algo swing --p 4 --routing minimum"},
    {"contention-no-grid", "verify contention --algo swing --p 4 --topology fat-tree --routing dimension-order"},
    {"contention-step", "verify contention --algo swing --p 4 --step 4"},
    {"contention-budget", "verify contention --algo swing --p 64 --budget 100"},
    {"contention-file", "verify contention --algo ring --p 3 --topology networks/ring.dot"},
    {"contention-file-ranks", "verify contention --algo ring --p 4 --topology networks/ring.dot"},
    {"contention-file-cut", "verify contention --algo ring --p 4 --topology networks/cut.dot"},
    {"contention-map", "verify contention --algo ring --p 6 --map networks/places.txt"},
    {"contention-map-twice", "verify contention --algo ring --p 6 --map networks/twice.txt"},
    {"cost", "verify cost --algo swing+swing-latency,bucket --torus 8x8 --lanes all --bytes 32..512Mi"},
    {"cost-asynchronous", "verify cost --algo swing,ring --p 7 --bytes 1Ki,1Mi --mode asynchronous"},
    {"cost-json", "verify cost --algo ring --p 4 --bytes 1Ki --json"},
    {"cost-csv", "verify cost --algo ring,swing --p 4 --bytes 1Ki,1Mi --csv -"},
    {"cost-speeds",
     "verify cost --algo ring --p 4 --bytes 1Mi --bandwidth 100 --latency 10 --hop-latency 0 --overhead 5 "
     "--reduction 800"},
    {"cost-file", "verify cost swing-latency-6.json --bytes 1Ki"},
    {"cost-csv-json", "verify cost --algo ring --p 4 --json --csv -"},
    {"cost-bytes", "verify cost --algo ring --p 4 --bytes 1Qi"},
    {"cost-mode", "verify cost --algo ring --p 4 --mode fast"},
    {"cost-several", "verify cost --algo ring --p 4,5"},
    {"cost-algorithm", "verify cost --algo swing,rign --p 4"},
    {"cost-bandwidth", "verify cost --algo ring --p 4 --bandwidth 0"},
    {"cost-preset", "verify cost --preset swing-eq3"},
    {"cost-preset-jain", "verify cost --preset jain-sabharwal"},
    {"cost-preset-folding", "verify cost --preset kolmakov-zhang"},
    {"cost-preset-figure", "verify cost --preset swing-fig12"},
    {"cost-preset-unknown", "verify cost --preset swing-fig77"},
    {"cost-preset-and-algo", "verify cost --preset swing-fig7 --algo ring"},
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
