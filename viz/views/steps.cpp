// steps: which rank sends to which, with a panel for each step.

#include "viz/views/steps.h"

#include <fmt/format.h>

#include "base/try.h"

namespace onceover::viz {

namespace {

/// A torus can't leave ranks out, so there must be room for all.
constexpr Rank largest_torus = 512;

Drawn<std::string> draw_steps(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  const bool is_torus = header.shape.size() > 1;
  if (is_torus && header.ranks > largest_torus)
    return unsuitable(
        fmt::format("steps: a torus of {} ranks is more than {}; --view time --ranks 0,1 draws what some "
                    "of them send",
                    header.ranks, largest_torus));
  const auto selection = TRY(select(schedule, options));
  if (is_torus) return draw_steps_on_a_torus(header, selection, options);
  if (selection.ranks.size() > most_in_a_row)
    return unsuitable(
        fmt::format("steps: {} ranks are more than fit into a row of {}; thin them out with --ranks 0,1 "
                    "(what these send) and --steps 0..2",
                    selection.ranks.size(), most_in_a_row));
  return draw_steps_on_a_line(header, selection, options);
}

}  // namespace

const View steps_view{
    .name = "steps",
    .summary = "who sends to whom: a panel for each step, ranks in a row or on their torus",
    .heeds = "--ranks --steps --counts --no-wrap",
    .draw = draw_steps,
};

}  // namespace onceover::viz
