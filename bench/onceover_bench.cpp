// How fast schedules of the catalogue are verified: block transfers per second, and memory.
//
//   cmake --preset bench && cmake --build --preset bench
//   build/bench/bench/onceover_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
//
// Sizes: 1024 and 4096 ranks are the smaller networks of the Swing paper's evaluation (section 5); an allreduce on 4096
// ranks moves 33.5 million blocks. It runs on one thread and on two, as many cores as the machine of
// docs/performance.md has.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "network/contention.h"
#include "network/topology.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"

namespace {

using namespace onceover::network;
using namespace onceover::programs;

/// The largest resident memory of this process since the last reset, in MiB; Linux only.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;)
    if (key == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  return 0;
}

void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

void verify_allreduce(benchmark::State& state, const char* algorithm) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const auto threads = static_cast<int>(state.range(1));
  const SchedulePtr schedule = find_algorithm(algorithm)->make(on_line(Collective::allreduce, ranks));
  reset_peak();
  for (auto _ : state) {
    const Report report = verify(*schedule, {.threads = threads});
    if (report.verdict != Verdict::pass) state.SkipWithError("the schedule does not pass");
  }
  const auto transfers = static_cast<double>(schedule->block_transfers());
  state.counters["block_transfers"] =
      benchmark::Counter(transfers, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
  state.counters["peak_MiB"] = peak_mib();
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"ranks", "threads"})
      ->ArgsProduct({{1024, 4096}, {1, 2}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

BENCHMARK_CAPTURE(verify_allreduce, swing, "swing")->Apply(sizes);
BENCHMARK_CAPTURE(verify_allreduce, ring, "ring")->Apply(sizes);

/// Measures every step of an allreduce on all lanes of a square torus.
void contention_on_torus(benchmark::State& state, const char* algorithm) {
  const auto side = static_cast<Rank>(state.range(0));
  Request request{.shape = {side, side}};
  request.all_lanes = true;
  const SchedulePtr schedule = find_algorithm(algorithm)->make(request);
  const auto network = make_topology({.name = "torus", .shape = request.shape});
  reset_peak();
  for (auto _ : state) benchmark::DoNotOptimize(contention(*schedule, *network, {}));
  state.counters["peak_MiB"] = peak_mib();
}

void sides(benchmark::internal::Benchmark* bench) {
  bench->ArgName("side")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(contention_on_torus, swing, "swing")->Apply(sides);
BENCHMARK_CAPTURE(contention_on_torus, hamiltonian_ring, "hamiltonian-ring")->Apply(sides);

/// How many bytes a second one thread reads in order, from more memory than caches hold: a lower bound for any pass
/// over a list of all transfers.
void memory_pass(benchmark::State& state) {
  const std::vector<std::uint64_t> numbers(std::size_t{1} << 26, 1);
  for (auto _ : state) benchmark::DoNotOptimize(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(numbers.size() * sizeof(std::uint64_t)));
}

BENCHMARK(memory_pass)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
