// contention: a network whose links are as thick and dark as their loads.
//
// Each step that is asked for has a panel of its own; of two schedules, one below the other, on the same scale. A
// network that can't be read in the width is shown as a heat map.
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
  double block = 1;  // the size of its blocks, in those of the picture

  double load(const LoadUnit& unit, Link link) const { return block * unit.load(loads, link); }
};

std::vector<double> loads_in(const LoadUnit& unit, const std::vector<LoadPanel>& panels) {
  std::vector<double> loads;
  for (const LoadPanel& panel : panels)
    for (Link l = 0; l < panel.loads.links(); ++l) loads.push_back(panel.load(unit, l));
  return loads;
}

/// "most: 4 blocks on 0 to 1, 3 to 2" "on each of 16 links" or "on all 32 links".
std::string hottest_text(const Network& network, const LoadUnit& unit, const LoadPanel& panel) {
  const LinkLoads& loads = panel.loads;
  const Link hottest = loads.hottest(network);
  if (hottest < 0) return "nothing is sent";
  std::vector<std::string> names;
  for (Link l = 0; l < loads.links(); ++l)
    if (!loads.is_cooler(network, l, hottest)) names.push_back(link_label(network, l));
  const std::string where =
      names.size() <= most_named
          ? fmt::format("{}", fmt::join(names, ", "))
          : fmt::format("{} {} links", std::ssize(names) == loads.links() ? "all" : "each of", names.size());
  return fmt::format("most: {} on {}", unit.text(panel.load(unit, hottest)), where);
}

Picture draw_panels(const Header& header, const std::vector<LoadPanel>& panels, const NetworkLayout& layout,
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
  if (panels.back().block != 1) key.add_words(fmt::format("A block is 1/{} of the vector.", header.blocks));
  if (layout.hides_unused()) key.add_words("Links without load are not drawn.");
  std::vector<std::vector<std::string>> captions;
  double height = key.height();
  for (const LoadPanel& panel : panels) {
    captions.push_back(lines_within(hottest_text(network, unit, panel), 0.97 * width, size - 1));
    height += panel_title_height + layout.height() + (size + 1) * static_cast<double>(captions.back().size()) + 4;
  }
  Picture picture(options.style, fmt::format("{} on {}", title_of(header), network.name()), height);
  double top = 0;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    picture.as(Role::panel_title)->text({margin + width / 2, top + panel_title_height / 2}, panels[k].title, size);
    const auto load = [&](Link l) { return panels[k].load(unit, l); };
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

/// The steps first .. end-1 of a schedule, in words.
struct PanelSteps {
  std::string words;
  int first, end;
};

/// Steps that only the other schedule has are there, and empty.
std::vector<PanelSteps> steps_of_panels(const Schedule& schedule, const DrawOptions& options) {
  if (!options.steps) return {{"all steps", 0, schedule.steps()}};
  std::vector<PanelSteps> all;
  for (int s = options.steps->first; s <= options.steps->second; ++s)
    all.push_back({fmt::format("step {}", s), std::min(s, schedule.steps()), std::min(s + 1, schedule.steps())});
  return all;
}

/// Adds the panels of a schedule; `name` says which it is, where there are two.
Drawn<void> add_panels(std::vector<LoadPanel>& panels, const Schedule& schedule, const std::string& name, double block,
                       const Network& network, const DrawOptions& options) {
  for (const PanelSteps& range : steps_of_panels(schedule, options)) {
    auto loads = loads_of(schedule, network, options.routing, range.first, range.end);
    if (!loads) return unsuitable("the loads outgrow 126 bits");
    panels.push_back({name.empty() ? range.words : fmt::format("{}, {}", name, range.words), std::move(*loads), block});
  }
  return {};
}

Drawn<std::vector<LoadPanel>> panels_of(const Schedule& schedule, const Network& network, const DrawOptions& options) {
  std::vector<LoadPanel> panels;
  if (!options.beside) {
    TRY(add_panels(panels, schedule, "", 1, network, options));
    return panels;
  }
  const Header &header = schedule.header(), &other = options.beside->header();
  TRY(add_panels(panels, schedule, title_of(header), 1, network, options));
  const double block = static_cast<double>(header.blocks) / static_cast<double>(other.blocks);
  TRY(add_panels(panels, *options.beside, title_of(other), block, network, options));
  return panels;
}

Drawn<Picture> draw_contention(const Schedule& schedule, const DrawOptions& options) {
  if (options.thinned && !options.beside) return heat_map_view.draw(schedule, options);
  const auto network = TRY(network_of(schedule.header(), options));
  const auto layout = TRY(layout_of(*network, options.style.width_in_points() - 2 * margin));
  const auto panels = TRY(panels_of(schedule, *network, options));
  return draw_panels(schedule.header(), panels, *layout, options);
}

}  // namespace

const View contention_view{
    .name = "contention",
    .summary = "the network, links as thick and dark as their load, over all steps or in each",
    .heeds = "--steps --beside --topology and the other options of the network",
    .draw = draw_contention,
};

}  // namespace onceover::viz
