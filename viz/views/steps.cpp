// steps: which rank sends to which, with a panel for each step.

#include "viz/views/steps.h"

#include "base/try.h"

namespace onceover::viz {

namespace {

Drawn<std::string> draw_steps(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  const bool is_torus = header.shape.size() > 1;
  const auto selection = TRY(select(schedule, options));
  if (is_torus) return draw_steps_on_a_torus(header, selection, options);
  if (selection.ranks.size() > most_in_a_row(options.style))
    return tl::unexpected(row_too_long(selection.ranks.size(), options.style));
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
