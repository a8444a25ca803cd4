// contention: a network whose links are as thick and dark as their loads.
//
// Each step that is asked for has a panel of its own. A network that can't be read in the width is shown as a heat map.
//
// Example: 3 blocks on a link of 100 Gb/s beside links of 200 Gb/s are drawn as 6 blocks, because they take as long as
// 6 would on a fast link.
//
// O(links * panels), and the cost of the loads (network/contention.h). network_layout.h says what there is room for.

#include "network/contention.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "viz/load_scale.h"
#include "viz/messages.h"
#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr double panel_title_height = 14;
constexpr std::size_t most_named = 8;  // hottest links whose names are shown

/// Loads, and a title that says what they are.
struct LoadPanel {
  std::string title;
  LinkLoads loads;
};

std::vector<double> loads_in(const LoadUnit& unit, const std::vector<LoadPanel>& panels) {
  std::vector<double> loads;
  for (const LoadPanel& panel : panels)
    for (Link l = 0; l < panel.loads.links(); ++l) loads.push_back(unit.load(panel.loads, l));
  return loads;
}

/// "most: 4 blocks on 0 to 1, 3 to 2" or "on each of 16 links".
std::string hottest_text(const Network& network, const LoadUnit& unit, const LinkLoads& loads) {
  const Link hottest = loads.hottest(network);
  if (hottest < 0) return "nothing is sent";
  std::vector<std::string> names;
  for (Link l = 0; l < loads.links(); ++l)
    if (!loads.is_cooler(network, l, hottest)) names.push_back(link_label(network, l));
  const std::string where = names.size() <= most_named ? fmt::format("{}", fmt::join(names, ", "))
                                                       : fmt::format("each of {} links", names.size());
  return fmt::format("most: {} on {}", unit.text(unit.load(loads, hottest)), where);
}

Picture draw_panels(const std::string& title, const std::vector<LoadPanel>& panels, const NetworkLayout& layout,
                    const DrawOptions& options) {
  const Network& network = layout.network();
  const LoadUnit unit(network);
  const double size = options.style.font_size;
  const double width = options.style.width_in_points() - 2 * margin;
  const LoadScale scale(loads_in(unit, panels), unit.name(), layout.widest_line());
  PictureKey key(options.style);
  scale.explain_lines(key);
  layout.explain(key);
  if (network.is_half_duplex()) key.add_words("A half-duplex link shows what goes either way.");
  if (layout.hides_unused()) key.add_words("Links without load are not drawn.");
  std::vector<std::vector<std::string>> captions;
  double height = key.height();
  for (const LoadPanel& panel : panels) {
    captions.push_back(lines_within(hottest_text(network, unit, panel.loads), 0.97 * width, size - 1));
    height += panel_title_height + layout.height() + (size + 1) * static_cast<double>(captions.back().size()) + 4;
  }
  Picture picture(options.style, title, height);
  double top = 0;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    picture.as(Role::panel_title)->text({margin + width / 2, top + panel_title_height / 2}, panels[k].title, size);
    const auto load = [&](Link l) { return unit.load(panels[k].loads, l); };
    const auto stroke = [&](Link l) {
      return load(l) <= 0 && layout.hides_unused() ? Stroke{.width = 0} : scale.stroke(load(l));
    };
    draw_network(picture, layout, {margin, top + panel_title_height},
                 {.stroke = stroke, .load = [&](Link l) { return unit.text(load(l)); }});
    top += panel_title_height + layout.height();
    top = picture.as(Role::note)->lines(top + 0.5, captions[k], size - 1, size + 1) + 3.5;
  }
  key.draw(picture, top);
  return picture;
}

Drawn<std::vector<LoadPanel>> panels_of(const Schedule& schedule, const Network& network, const DrawOptions& options) {
  std::vector<std::pair<std::string, std::pair<int, int>>> wanted;
  if (!options.steps) wanted.push_back({"all steps", {0, schedule.steps()}});
  if (options.steps)
    for (int s = options.steps->first; s <= options.steps->second; ++s)
      wanted.push_back({fmt::format("step {}", s), {s, s + 1}});
  std::vector<LoadPanel> panels;
  for (const auto& [title, range] : wanted) {
    auto loads = loads_of(schedule, network, options.routing, range.first, range.second);
    if (!loads) return unsuitable("the loads outgrow 126 bits");
    panels.push_back({title, std::move(*loads)});
  }
  return panels;
}

Drawn<Picture> draw_contention(const Schedule& schedule, const DrawOptions& options) {
  if (options.thinned) return heat_map_view.draw(schedule, options);
  const auto network = TRY(network_of(schedule.header(), options));
  const auto layout = TRY(layout_of(*network, options.style.width_in_points() - 2 * margin));
  const auto panels = TRY(panels_of(schedule, *network, options));
  return draw_panels(fmt::format("{} on {}", title_of(schedule.header()), network->name()), panels, *layout, options);
}

}  // namespace

const View contention_view{
    .name = "contention",
    .summary = "the network, links as thick and dark as their load, over all steps or in each",
    .heeds = "--steps --topology and the other options of the network",
    .draw = draw_contention,
};

}  // namespace onceover::viz
