// Fuzz target: whatever text comes, the reader ends with a plan or with a short message, and a plan is judged, in both
// readings. What fails has no certificate that verify-check takes as proof.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "check/certificate.h"
#include "formats/lint.h"
#include "formats/plan.h"
#include "formats/plan_file.h"
#include "programs/program_certificate.h"
#include "programs/verify_plan.h"

using namespace onceover::programs;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_ranges(const ExecutionPlan& plan) {
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

/// Are its certificates short?
bool is_small(const ExecutionPlan& plan) {
  std::size_t operations = 0;
  for (const PlanGpu& gpu : plan.gpus) {
    if (gpu.chunks.input + gpu.chunks.output + gpu.chunks.scratch > 64) return false;
    for (const PlanBlock& block : gpu.blocks) operations += block.operations.size() + 1;
  }
  return operations <= 200;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto findings = lint_plan("fuzz", text)) require(findings->size() <= 1000);
  const auto plan = read_plan("fuzz", text);
  if (!plan) {
    require(plan.error().render().size() <= 2000);
    return 0;
  }
  check_ranges(*plan);
  const VerifyOptions options{.budget = 1 << 12};
  verify(as_executed(*plan), options);
  if (verify(*plan, options).verdict != Verdict::fail || !is_small(*plan)) return 0;
  if (const auto certificate = plan_certificate(*plan))
    require(check::check_certificate({"plan", text}, {"certificate", *certificate}).kind !=
            check::Outcome::Kind::proved);
  return 0;
}
