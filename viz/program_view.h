// Views of programs and of launches of GPU kernels; view.h has those of schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/plan.h"
#include "formats/program.h"
#include "gpu/description_judge.h"
#include "viz/drawn.h"
#include "viz/ink/picture.h"
#include "viz/view.h"

namespace onceover::viz {

struct ProgramDrawOptions {
  std::vector<Rank> ranks = {};            // ascending; only their operations; empty: all
  std::optional<std::uint32_t> fifo = {};  // messages that a connection holds, 0 for rendezvous; not given: what the
                                           // runtime guarantees
  std::vector<Rank> launch_ranks = {};     // of a launch of GPU kernels: how many ranks, if not what it says
  Fold fold = Fold::where_needed;          // always: what is alike is drawn once (folded_order.h), if nothing is wrong
  Style style = {};
};

/// Pictures of what waits for what. What is wrong is found when this is made, once for all of them.
using OrderPictures = std::function<Drawn<Picture>(const ProgramDrawOptions&)>;

/// Draws operations by rank and thread, and messages between them. A circle of waits, a race, or a message without a
/// counterpart is red, the first of these that exists. If there are too many operations, it shows only those in red and
/// what is next to them. The program must outlive it.
OrderPictures happens_before(const Program& program, std::optional<std::uint32_t> fifo);

/// The same of a plan of MSCCL++: its blocks side by side, and the memory of each GPU, where the data of peers arrives.
/// Orders of one block aren't shown, since time goes downward. What is wrong is what the verifier says first. The plan
/// must outlive it.
OrderPictures happens_before(const ExecutionPlan& plan);

/// One such picture.
inline Drawn<Picture> draw_happens_before(const Program& program, const ProgramDrawOptions& options) {
  return happens_before(program, options.fifo)(options);
}
inline Drawn<Picture> draw_happens_before(const ExecutionPlan& plan, const ProgramDrawOptions& options) {
  return happens_before(plan)(options);
}

inline constexpr std::string_view happens_before_name = "happens-before";

/// Draws the first launch that fails, under the interleaving that failed; the first launch if none does. Ranks' streams
/// and blocks are rows, and time goes to the right, not to scale. Flags are arrows, from their writes to the reads that
/// saw them. The accesses that the first counterexample is about are marked and have their lines. Of a deadlock it
/// shows who waits, for which place in memory, at which line. Of `options.ranks` it shows only these. Cost: the
/// interleaving, once more.
Drawn<Picture> draw_launches(const gpu::LoadedDescription& loaded, const gpu::GpuReport& report,
                             const ProgramDrawOptions& options);

}  // namespace onceover::viz
