// Fuzz target: whatever text comes, the reader ends with a plan or with a short message, and a plan is judged.

#include <cstdint>
#include <cstdlib>

#include "formats/plan_reader.h"
#include "programs/verify_plan.h"

using namespace onceover::programs;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const ExecutionPlan& plan) {
  const auto ranks = static_cast<Rank>(plan.gpus.size());
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations) {
        require(o.line > 0 && o.column > 0 && o.position >= 0);
        for (const auto* ranges : {&o.sources, &o.targets})
          for (const PlanRange& range : *ranges) {
            require(!range.ranks.empty() && range.index >= 0 && range.size > 0);
            for (const Rank rank : range.ranks) require(rank >= 0 && rank < ranks);
          }
      }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = read_plan("fuzz", {reinterpret_cast<const char*>(data), size});
  if (!plan) {
    require(plan.error().render().size() <= 2000);
    return 0;
  }
  check(*plan);
  verify(*plan, {.budget = 1 << 12});
  return 0;
}
