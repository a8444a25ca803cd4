// Runs a launch under one schedule, and says what it found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gpu/launch/launch.h"
#include "gpu/run_trace.h"
#include "gpu/value_terms.h"

namespace onceover::gpu {

/// What a launch may rely on beyond PTX.
struct Grants {
  bool kernel_boundary =
      false;              // a relaxed write publishes what the stream did before the kernel, a relaxed read acquires it
  bool lockstep = false;  // accesses of one warp are ordered
  bool weak_stores_seen = false;  // weak accesses of global memory are volatile
  bool whole_vectors = false;     // a vector access isn't torn
};

enum class ScheduleKind : std::uint8_t {
  round_robin,   // each warp in turn
  seeded,        // random turns, by `seed`
  starve_warp,   // warp `index` (counted through all ranks and blocks) runs only when nothing else can
  starve_block,  // block `index` (counted through all ranks) does
  first,         // the lowest warp that can run
  last,          // the highest
};

struct ScheduleChoice {
  ScheduleKind kind = ScheduleKind::round_robin;
  std::uint64_t seed = 0;  // of `seeded`, and of choices of older values
  std::uint32_t index = 0;
};

class ChoiceTree;

struct RunOptions {
  ScheduleChoice schedule;
  Grants grants;
  bool older_values = false;          // strong relaxed reads may return values that coherence allows, by the seed
  bool torn_vectors = false;          // parts of a vector access apart
  std::uint32_t resident_blocks = 0;  // of a rank at a time; 0: all
  std::uint64_t most_instructions = 4'000'000'000;
  std::size_t most_findings = 100;           // races of different places; further ones are counted
  ChoiceTree* choices = nullptr;             // of `explore`; null: the schedule decides
  std::optional<WatchedPlace> watched = {};  // make a trace, with all accesses of this place
};

enum class FindingKind : std::uint8_t {
  data_race,          // two accesses, at least one of them weak, at least one a write
  narrow_scope,       // two strong accesses whose scopes don't include each other
  mixed_sizes,        // two strong accesses that overlap partly
  unordered_writes,   // two strong writes that nothing orders: either may come last
  non_coherent_read,  // ld.global.nc of what the same kernel's time saw written
  out_of_bounds,
  wild_address,
  misaligned,
  unwritten_value,    // memory that holds nothing decides a branch or an address
  write_of_constant,  // a store to constant memory or to a buffer that is said to be constant
  deadlock,
  trap,               // trap, or a failed assert of the device
  divergent_barrier,  // a barrier or a warp's operation used against its rules
  unsupported,        // an instruction that we don't model would run: no verdict
  too_long,           // the limit of instructions: no verdict
};

std::string_view name(FindingKind kind);

/// A line of the author's source, or of the PTX text if there is no .loc.
struct LinePlace {
  std::string file = {};  // as .file has it, or the PTX file; empty: none
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t ptx_line = 0;  // the line of the PTX text
};

/// Where the instruction of a site is; nothing for a stream.
LinePlace source_line(const ptx::Module& module, const AccessSite& site);

/// "s.cu:42 (inlined at s.cu:67)", or the line of the PTX text if there is no .loc; empty for a stream.
std::string place_of(const ptx::Module& module, const AccessSite& site);

/// The places that have code, by the file, its line and the line of the PTX, and whether any of it ran.
using PlacesRun = std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, bool>;

/// The places of the functions of which anything ran (GpuOutcome::ran).
PlacesRun places_run(const ptx::Module& module, const std::vector<std::uint8_t>& ran);

struct GpuFinding {
  FindingKind kind;
  std::string sentence;  // without the places
  AccessSite first;
  std::optional<AccessSite> second;  // the later of two accesses
  std::string memory;                // "sig of rank 1", "shared memory of block 0"; empty without memory
  std::uint64_t offset = 0;          // in it, in bytes
  std::uint64_t times = 1;           // how often between these two places
  bool same_value = false;           // both write the same value
  bool reaches_nothing = false;      // what was read reaches no store, address or branch

  bool is_harmless() const { return same_value || reaches_nothing; }
};

/// What an element holds: a term and the bits.
struct HeldElement {
  ValueTerm term = ValueTerm::none;
  std::uint64_t bits = 0;
};

/// What a buffer that the host read held.
struct HeldBuffer {
  std::uint32_t call;
  std::size_t buffer;  // Launch::buffers
  std::vector<HeldElement> elements;
};

/// What one schedule showed.
struct GpuOutcome {
  std::vector<GpuFinding> findings;  // in the order in which they were found
  std::uint64_t findings_left_out = 0;
  std::uint64_t harmless_left_out = 0;  // of writes of the same value
  bool is_finished = false;             // all calls of all ranks ended
  std::vector<HeldBuffer> held;
  std::shared_ptr<const ValueTerms> terms;
  std::uint64_t instructions = 0;
  std::uint64_t data_branches = 0;  // branches that contributions decided
  std::vector<std::string> notes;
  bool is_redundant = false;  // of `explore`: other runs show how it goes on
  std::string approximation;  // why what failed may be right; empty if it isn't
  std::string order_matters;  // why runs that `explore` takes for the same may differ; empty if they don't
  RunTrace trace = {};        // if it was asked for
  std::vector<std::uint8_t> ran =
      {};  // by instruction, and the end of each function, in the module's order: did it run?
};

struct CodeModule;
/// The code of a launch's module, for all its runs.
using LaunchCode = std::shared_ptr<const CodeModule>;
LaunchCode code_of(const Launch& launch);

/// Runs all calls of the launch. Deterministic.
GpuOutcome run(const Launch& launch, const RunOptions& options);
/// With the launch's code, which takes longer to make than a small launch to run.
GpuOutcome run(const Launch& launch, const RunOptions& options, const LaunchCode& code);

/// What was explored.
struct Exploration {
  std::uint64_t runs = 0;
  std::uint64_t interleavings = 0;  // runs that aren't redundant
  std::string why_incomplete = {};  // empty: these are all
  bool is_stopped = false;          // by `see`
};

/// Runs the launch through all interleavings of strong accesses, with all older values that a strong read may return:
/// once for each choice of which write every read returns, and of the order of atomics. Stops if `see` doesn't want
/// more, or after `most_runs`. Not with Grants::lockstep. The options' schedule has no effect. Deterministic.
Exploration explore(const Launch& launch, RunOptions options, std::uint64_t most_runs,
                    const std::function<bool(const GpuOutcome&)>& see);

}  // namespace onceover::gpu
