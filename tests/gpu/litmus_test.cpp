// Litmus tests of the memory model: what PTX allows is shown by some seed, unless docs/gpu-memory-model.md says that we
// are stronger; what it forbids is shown by none.
#include <catch2/catch.hpp>

#include "gpu/engine.h"
#include "small_launch.h"

namespace onceover::gpu::litmus_test {
namespace {

const std::string release = "st.release.sys.global.u32 [%flag], %r2;";
const std::string acquire = "ld.acquire.sys.global.u32 %r3, [%flag];";
const std::string relaxed_write = "st.relaxed.sys.global.u32 [%flag], %r2;";
const std::string relaxed_read = "ld.relaxed.sys.global.u32 %r3, [%flag];";
const std::string fence = "fence.acq_rel.sys;";

/// How many of 200 seeds show an outcome: of store buffering, coherence and the like.
template <class Shows>
int seeds_with(const std::vector<std::string>& bodies, Shows shows) {
  int count = 0;
  const Launch launch = small_launch(bodies);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RunOptions options;
    options.schedule = {ScheduleKind::seeded, seed, 0};
    options.older_values = true;
    if (shows(run(launch, options))) ++count;
  }
  return count;
}

bool both_read(const GpuOutcome& outcome, std::uint64_t first, std::uint64_t second) {
  return first_out(outcome, 0).bits == first && first_out(outcome, 1).bits == second;
}

TEST_CASE("store buffering: both may miss the other's write, unless fence.sc is between") {
  const auto body = [](const std::string& mine, const std::string& other, const std::string& between) {
    return "st.relaxed.sys.global.u32 [" + mine + "], 1; " + between + " ld.relaxed.sys.global.u32 %r1, [" + other +
           "]; st.global.u32 [%out], %r1;";
  };
  const auto both_miss = [](const GpuOutcome& outcome) { return both_read(outcome, 0, 0); };
  CHECK(seeds_with({body("%data", "%flag", ""), body("%flag", "%data", "")}, both_miss) > 0);
  CHECK(seeds_with({body("%data", "%flag", "fence.acq_rel.sys;"), body("%flag", "%data", "fence.acq_rel.sys;")},
                   both_miss) > 0);
  CHECK(seeds_with({body("%data", "%flag", "fence.sc.sys;"), body("%flag", "%data", "fence.sc.sys;")}, both_miss) == 0);
  CHECK(seeds_with({body("%data", "%flag", "fence.sc.gpu;"), body("%flag", "%data", "fence.sc.gpu;")}, both_miss) > 0);
}

TEST_CASE("message passing: a relaxed flag may be seen before relaxed data, a released one not") {
  const auto reader = [](const std::string& read) {
    return read + " ld.relaxed.sys.global.u32 %r2, [%data]; st.global.v2.u32 [%out], {%r3, %r2};";
  };
  const auto misses = [](const GpuOutcome& outcome) {
    return first_out(outcome, 1, 0).bits == 1 && first_out(outcome, 1, 1).bits == 0;
  };
  const std::string data = "mov.b32 %r2, 1; st.relaxed.sys.global.u32 [%data], 1;";
  CHECK(seeds_with({data + relaxed_write, reader(relaxed_read)}, misses) > 0);
  CHECK(seeds_with({data + release, reader(acquire)}, misses) == 0);
  CHECK(seeds_with({data + fence + relaxed_write, reader(relaxed_read + fence)}, misses) == 0);
}

TEST_CASE("coherence: reads of one place never go back") {
  const std::string writer = "st.relaxed.sys.global.u32 [%data], 1; st.relaxed.sys.global.u32 [%data], 2;";
  const std::string reader =
      "ld.relaxed.sys.global.u32 %r1, [%data]; ld.relaxed.sys.global.u32 %r2, [%data]; st.global.v2.u32 [%out], {%r1, "
      "%r2};";
  CHECK(seeds_with({writer, reader}, [](const GpuOutcome& outcome) {
          return first_out(outcome, 1, 0).bits > first_out(outcome, 1, 1).bits;
        }) == 0);
}

TEST_CASE("a vector is torn on request only") {
  const std::string writer = "st.relaxed.sys.global.v2.u32 [%data], {1, 1};";
  const std::string reader = "ld.relaxed.sys.global.v2.u32 {%r1, %r2}, [%data]; st.global.v2.u32 [%out], {%r1, %r2};";
  const Launch launch = small_launch({writer, reader});
  const auto torn = [&](bool on_request) {
    int count = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      RunOptions options;
      options.schedule = {ScheduleKind::seeded, seed, 0};
      options.older_values = true;
      options.torn_vectors = on_request;
      const GpuOutcome outcome = run(launch, options);
      if (first_out(outcome, 1, 0).bits != first_out(outcome, 1, 1).bits) ++count;
    }
    return count;
  };
  CHECK(torn(false) == 0);
  CHECK(torn(true) > 0);
}

TEST_CASE("load buffering: no read returns a write that comes later, though PTX allows it") {
  const auto body = [](const std::string& mine, const std::string& other) {
    return "ld.relaxed.sys.global.u32 %r1, [" + other + "]; st.relaxed.sys.global.u32 [" + mine +
           "], 1; st.global.u32 [%out], %r1;";
  };
  CHECK(seeds_with({body("%data", "%flag"), body("%flag", "%data")},
                   [](const GpuOutcome& outcome) { return both_read(outcome, 1, 1); }) == 0);
}

TEST_CASE(
    "independent reads of independent writes: two readers may see them in different orders, unless fence.sc is "
    "between") {
  const auto writer = [](const std::string& place) { return "st.relaxed.sys.global.u32 [" + place + "], 1;"; };
  const auto reader = [](const std::string& first, const std::string& second, const std::string& between) {
    return "ld.relaxed.sys.global.u32 %r1, [" + first + "]; " + between + " ld.relaxed.sys.global.u32 %r2, [" + second +
           "]; st.global.v2.u32 [%out], {%r1, %r2};";
  };
  const auto disagree = [](const GpuOutcome& outcome) {
    const auto saw_one = [&](std::size_t rank) {
      return first_out(outcome, rank, 0).bits == 1 && first_out(outcome, rank, 1).bits == 0;
    };
    return saw_one(2) && saw_one(3);
  };
  const auto all = [&](const std::string& between) {
    return std::vector<std::string>{writer("%data"), writer("%flag"), reader("%data", "%flag", between),
                                    reader("%flag", "%data", between)};
  };
  CHECK(seeds_with(all(""), disagree) > 0);
  CHECK(seeds_with(all("fence.sc.sys;"), disagree) == 0);
}

TEST_CASE("a read after a write of the same thread never goes back behind it") {
  const std::string writer = "st.relaxed.sys.global.u32 [%data], 2;";
  const std::string reader =
      "st.relaxed.sys.global.u32 [%data], 1; ld.relaxed.sys.global.u32 %r1, [%data]; st.global.u32 [%out], %r1;";
  CHECK(seeds_with({writer, reader}, [](const GpuOutcome& outcome) { return first_out(outcome, 1).bits == 0; }) == 0);
}

TEST_CASE("causality passes through a third thread") {
  const std::string first = "st.relaxed.sys.global.u32 [%data], 1; mov.b32 %r2, 1; " + release;
  const std::string second =
      acquire + "setp.ne.u32 %p1, %r3, 1; @%p1 bra E; st.release.sys.global.u32 [%flag+4], 1; E: ret;";
  const std::string third =
      "ld.acquire.sys.global.u32 %r1, [%flag+4]; ld.relaxed.sys.global.u32 %r2, [%data]; st.global.v2.u32 [%out], "
      "{%r1, %r2};";
  CHECK(seeds_with({first, second, third}, [](const GpuOutcome& outcome) {
          return first_out(outcome, 2, 0).bits == 1 && first_out(outcome, 2, 1).bits == 0;
        }) == 0);
}

TEST_CASE("atomics that add lose nothing") {
  const std::string add = "atom.relaxed.sys.global.add.u32 %r1, [%flag], 1; st.global.u32 [%out], %r1;";
  CHECK(seeds_with({add, add}, [](const GpuOutcome& outcome) {
          return first_out(outcome, 0).bits == first_out(outcome, 1).bits;
        }) == 0);
}

}  // namespace
}  // namespace onceover::gpu::litmus_test
