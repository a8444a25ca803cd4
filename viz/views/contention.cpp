// contention: a network whose links are as thick and dark as their loads.
//
// Each step that is asked for has a panel of its own if the network is flat (network_layout.h). Otherwise there is one
// line between two nodes, for the direction with more load.
//
// Example: 3 blocks on a link of 100 Gb/s beside links of 200 Gb/s are drawn as 6 blocks, because they take as long as
// 6 would on a fast link.
//
// O(links * panels), and the cost of the loads (network/contention.h). network_layout.h says what there is room for.

#include "network/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/try.h"
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

double fastest(const Network& network) {
  double most = 0;
  for (const LinkData& l : network.links()) most = std::max(most, l.bandwidth);
  return most;
}

bool is_uniform(const Network& network) {
  return std::all_of(network.links().begin(), network.links().end(),
                     [&](const LinkData& l) { return l.bandwidth == network.links()[0].bandwidth; });
}

/// Blocks on the link; if links differ in bandwidth, how many would take the fastest link as long.
double weight(const Network& network, const LinkLoads& loads, Link link) {
  return loads.nearest_load(link) * (fastest(network) / network.link(link).bandwidth);
}

std::string unit(const Network& network) {
  return is_uniform(network) ? "blocks" : fmt::format("blocks at {} Gb/s", fastest(network));
}

double most_of(const Network& network, const std::vector<LoadPanel>& panels) {
  double most = 0;
  for (const LoadPanel& panel : panels)
    for (Link l = 0; l < panel.loads.links(); ++l) most = std::max(most, weight(network, panel.loads, l));
  return most;
}

/// "most: 4 blocks on 0 to 1, 3 to 2" or "on each of 16 links".
std::string hottest_text(const Network& network, const LinkLoads& loads) {
  const Link hottest = loads.hottest(network);
  if (hottest < 0) return "nothing is sent";
  std::vector<std::string> names;
  for (Link l = 0; l < loads.links(); ++l)
    if (!loads.is_cooler(network, l, hottest))
      names.push_back(
          fmt::format("{} to {}", node_label(network, network.link(l).from), node_label(network, network.link(l).to)));
  const std::string where = names.size() <= most_named ? fmt::format("{}", fmt::join(names, ", "))
                                                       : fmt::format("each of {} links", names.size());
  return fmt::format("most: {} {} on {}", load_text(weight(network, loads, hottest)), unit(network), where);
}

std::string draw_placed(const std::string& title, const Network& network, const std::vector<LoadPanel>& panels,
                        const NetworkLayout& layout, const DrawOptions& options) {
  const double size = options.style.font_size;
  const double width = options.style.width_in_points() - 2 * margin;
  std::vector<std::vector<std::string>> captions;
  double height = 0;
  for (const LoadPanel& panel : panels) {
    captions.push_back(lines_within(hottest_text(network, panel.loads), width, size - 1));
    height += panel_title_height + layout.height() + (size + 1) * static_cast<double>(captions.back().size()) + 4;
  }
  Dot dot = Dot::pinned(options.style, title, height + LoadScale::height);
  const LoadScale scale(most_of(network, panels), unit(network), layout.widest_line());
  double top = 0;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    dot.text({margin + width / 2, top + panel_title_height / 2}, panels[k].title, size);
    const Point origin{margin, top + panel_title_height};
    draw_links(dot, network, layout, origin, [&](Link l) { return scale.stroke(weight(network, panels[k].loads, l)); });
    for (Node node = 0; node < network.ranks(); ++node)
      dot.disc(layout.at(node) + origin, layout.radius(), layout.radius() < 3 ? "" : node_label(network, node));
    top += panel_title_height + layout.height();
    for (const std::string& line : captions[k]) {
      dot.text({margin + width / 2, top + size / 2 + 1}, line, size - 1);
      top += size + 1;
    }
    top += 4;
  }
  scale.draw(dot, top);
  return dot.finish();
}

/// Draws any other network, placed by Graphviz: a line between two nodes shows the direction with more load.
std::string draw_laid_out(const std::string& title, const Network& network, const LoadPanel& panel,
                          const DrawOptions& options) {
  Dot dot = laid_out(options.style, title, network,
                     fmt::format("{}: {}; the fuller direction of each link, darker is more", panel.title,
                                 hottest_text(network, panel.loads)));
  for (Node node = 0; node < network.nodes(); ++node)
    add_node(dot, network, node, node < network.ranks() ? palette::white : palette::pale);
  std::map<std::pair<Node, Node>, double> fuller;
  for (Link l = 0; l < network.link_count(); ++l) {
    double& load = fuller[std::minmax(network.link(l).from, network.link(l).to)];
    load = std::max(load, weight(network, panel.loads, l));
  }
  const LoadScale scale(most_of(network, {panel}), unit(network), 3);
  for (const auto& [ends, load] : fuller)
    dot.edge(fmt::format("{}", ends.first), fmt::format("{}", ends.second), "", scale.stroke(load), {{"dir", "none"}});
  return dot.finish();
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

Drawn<std::string> draw_contention(const Schedule& schedule, const DrawOptions& options) {
  const auto shown = TRY(network_of(schedule.header(), options));
  const Network& network = *shown;
  auto panels = TRY(panels_of(schedule, network, options));
  const std::string title = fmt::format("{} on {}", title_of(schedule.header()), network.name());
  if (is_flat_grid(network)) {
    const auto layout = TRY(layout_of(network, options.style.width_in_points() - 2 * margin));
    return draw_placed(title, network, panels, *layout, options);
  }
  TRY(check_laid_out(network));
  if (panels.size() > 1)
    return unsuitable("only tori and meshes of up to two dimensions show several steps; say --steps S");
  return draw_laid_out(title, network, panels.front(), options);
}

}  // namespace

const View contention_view{
    .name = "contention",
    .summary = "the network, links as thick and dark as their load, over all steps or in each",
    .heeds = "--steps --topology and the other options of the network",
    .draw = draw_contention,
};

}  // namespace onceover::viz
