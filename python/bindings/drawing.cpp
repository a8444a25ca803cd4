#include <algorithm>

#include "base/rows.h"
#include "base/sentences.h"
#include "python/bindings/subjects.h"
#include "viz/legible.h"
#include "viz/renderer.h"

namespace onceover::python {

namespace {

constexpr double page_width = 7;  // inches

const View& view_named(const std::string& name) {
  if (const View* view = find_view(name)) return *view;
  or_raise(Result<void>(no_such("view: no view", name, mapped(views(), &View::name))));
  throw std::logic_error("a view that is refused was found");
}

Drawn<std::string> rendered(const View& view, const Schedule& schedule, const DrawOptions& options,
                            const std::string& format) {
  const auto drawing_of = [&](const View& drawn) {
    return Drawing{.draw = [&](const DrawOptions& shown) { return draw(drawn, schedule, shown); },
                   .heeds = drawn.heeds,
                   .steps = schedule.steps()};
  };
  Drawing drawing = drawing_of(view);
  const Drawing over_time = drawing_of(time_view);
  if (view.name == steps_view.name) drawing.otherwise = &over_time;
  return render_legibly(drawing, options, format);
}

}  // namespace

py::bytes picture_of(const View& view, const Schedule& schedule, DrawOptions options, const std::string& format) {
  if (std::ranges::find(picture_formats, format) == picture_formats.end())
    or_raise(Result<void>(no_such("format: no format", format, picture_formats)));
  const auto picture = without_gil([&] {
    auto drawn = rendered(view, schedule, options, format);
    if (drawn || drawn.error().kind != DrawError::Kind::too_large || options.style.width >= page_width) return drawn;
    options.style.width = page_width;
    return rendered(view, schedule, options, format);
  });
  if (!picture) {
    const bool is_slow = picture.error().kind == DrawError::Kind::slow;
    throw Raised{{is_slow ? ExitCode::unknown : ExitCode::usage, picture.error().message}};
  }
  return *picture;
}

namespace {

py::bytes draw_view(const HeldSchedule& held, const std::string& view, const std::string& format,
                    std::vector<Rank> ranks, std::optional<std::pair<int, int>> steps, std::vector<Block> blocks,
                    bool counts, double width, const NetworkTexts& network) {
  DrawOptions options{.steps = steps, .counts = counts, .style = {.width = width}};
  std::ranges::sort(ranks);
  options.ranks = std::move(ranks);
  if (!blocks.empty()) options.blocks = std::move(blocks);
  const PlacedNetwork placed = network_of(network, held.schedule->header());
  options.network = placed.network;
  options.routing = placed.plan.routing;
  return picture_of(view_named(view), *held.schedule, std::move(options), format);
}

}  // namespace

void add_drawing(py::module_& module) {
  module.def("draw", draw_view, "schedule"_a, "view"_a, "format"_a, "ranks"_a, "steps"_a, "blocks"_a, "counts"_a,
             "width"_a, "network"_a);
  module.def("views",
             [] { return mapped(views(), [](const View& each) { return std::pair(each.name, each.summary); }); });
}

}  // namespace onceover::python
