// Views of programs: as those of schedules (view.h), of what ranks run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/program.h"
#include "viz/dot.h"
#include "viz/drawn.h"

namespace onceover::viz {

struct ProgramDrawOptions {
  std::vector<Rank> ranks = {};            // upward; only their operations; empty: all
  std::optional<std::uint32_t> fifo = {};  // messages that a connection holds, 0 for rendezvous; not given: what is
                                           // guaranteed to the program
  Style style = {};
};

/// What waits for what: operations by rank and thread, messages between them, and in red a circle of waits, a race, or
/// a message without a counterpart, the first of these that there is. Where the operations are too many, those in red
/// and what is next to them.
Drawn<std::string> draw_happens_before(const Program& program, const ProgramDrawOptions& options);

inline constexpr std::string_view happens_before_name = "happens-before";

}  // namespace onceover::viz
