#include "viz/network_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace onceover::viz {

namespace {

constexpr double head_length = 3;
constexpr double thin_border = 0.6;

/// The links, those with thicker lines last.
std::vector<Link> by_thickness(const Network& network, const NetworkLook& look) {
  std::vector<Link> links(static_cast<std::size_t>(network.link_count()));
  std::iota(links.begin(), links.end(), 0);
  std::stable_sort(links.begin(), links.end(),
                   [&](Link a, Link b) { return look.stroke(a).width < look.stroke(b).width; });
  return links;
}

Curve moved(const Curve& c, Point by) {
  return {c.from + by, c.leaving + by, c.arriving + by, c.to + by};
}

/// "0 to switch 3: 8 blocks".
std::string link_title(const Network& network, Link link, const NetworkLook& look) {
  return fmt::format("{} to {}{}", node_label(network, network.link(link).from),
                     node_label(network, network.link(link).to), look.load ? ": " + look.load(link) : "");
}

void draw_node(Dot& dot, const NetworkLayout& layout, Node node, Point origin, const NetworkLook& look) {
  const bool is_rank = node < layout.network().ranks();
  const std::string_view fill = look.fill ? look.fill(node) : is_rank ? palette::white : palette::pale;
  const Stroke border{.width = look.border ? look.border(node) : thin_border};
  const std::string label = layout.label(node);
  const Point at = layout.at(node) + origin;
  if (is_rank) return dot.disc(at, layout.radius(), label, border, fill);
  const Point half{layout.half_width(node), layout.half_height(node)};
  dot.box(at - half, 2 * half.x, 2 * half.y, label, smallest_letters + 1, fill, border);
}

}  // namespace

void draw_network(Dot& dot, const NetworkLayout& layout, Point origin, const NetworkLook& look) {
  layout.draw_behind(dot, origin);
  for (const Link link : by_thickness(layout.network(), look)) {
    if (look.stroke(link).width <= 0) continue;
    const auto lines = layout.lines(link);
    for (std::size_t n = 0; n < lines.size(); ++n) {
      const Curve line = moved(lines[n], origin);
      const bool has_room = std::hypot((line.to - line.from).x, (line.to - line.from).y) > 2.5 * head_length;
      dot.curve(line, look.stroke(link), n + 1 == lines.size() && has_room ? Heads::at_end : Heads::none,
                head_length / 10, {}, link_title(layout.network(), link, look));
    }
  }
  for (Node node = 0; node < layout.network().nodes(); ++node) draw_node(dot, layout, node, origin, look);
}

}  // namespace onceover::viz
