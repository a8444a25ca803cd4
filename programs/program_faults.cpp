#include "programs/program_faults.h"

#include <fmt/format.h>

namespace onceover::programs {

std::string text(const NopRepair& it) {
  const std::string place =
      fmt::format("a nop between operations {} and {} of gpu {}, block {}", it.after, it.before, it.rank, it.block);
  if (it.passes) return fmt::format("needs {}; the plan with it passes", place);
  if (it.still_fails.empty()) return fmt::format("{} removes this race, but the verdict with it is unknown", place);
  return fmt::format("{} removes this race, but the plan with it still fails {}", place,
                     fmt::join(it.still_fails, ", "));
}

const NopRepair* nop_repair(const Counterexample& counterexample) {
  const auto* told = std::get_if<Counterexample::Told>(&counterexample.what);
  return told == nullptr ? nullptr : std::any_cast<NopRepair>(&told->own);
}

std::string text(const Counterexample::Site& site) {
  // Requests run in no threads that the program's author would know.
  if (!site.has_thread) return fmt::format("rank {}, line {}", site.rank, site.line);
  const std::string line = site.line == 0 ? "" : fmt::format(" (line {})", site.line);
  return fmt::format("rank {}, thread block {}, step {}{}", site.rank, site.thread, site.number, line);
}

}  // namespace onceover::programs
