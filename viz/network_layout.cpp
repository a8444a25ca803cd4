#include "viz/network_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/result.h"
#include "network/topology.h"
#include "viz/free_places.h"

namespace onceover::viz {

namespace {

constexpr double clearance = 0.8;  // between a line and the node at its end

}  // namespace

std::string NetworkLayout::label(Node node) const {
  const std::string text = node_label(network_, node);
  constexpr std::string_view word = "switch ";
  return text.starts_with(word) ? text.substr(word.size()) : text;
}

double NetworkLayout::half_width(Node node) const {
  if (is_rank(node)) return radius();
  const std::string text = label(node);
  const double high = half_height(node);
  return text.empty() ? high : std::max(high, text_width(text, smallest_letters + 1) / 2 + 1.5);
}

void NetworkLayout::explain(PictureKey& key) const {
  if (network_.nodes() > network_.ranks()) key.add_box(palette::pale, {.width = 0.6}, "switch");
}

Curve NetworkLayout::outside(const Curve& curve, Node from, Node to) const {
  const auto first_outside = [&](const Curve& c, Node node) {
    const double wide = half_width(node) + clearance, high = half_height(node) + clearance;
    double in = 0, out = 0.5;
    for (int k = 0; k < 30; ++k) {
      const double t = (in + out) / 2;
      const Point away = c.at(t) - at(node);
      const bool is_inside =
          is_rank(node) ? std::hypot(away.x, away.y) < high : std::abs(away.x) < wide && std::abs(away.y) < high;
      (is_inside ? in : out) = t;
    }
    return out;
  };
  const double first = first_outside(curve, from), last = 1 - first_outside(curve.reversed(), to);
  return curve.before(last).after(std::min(first / last, 0.95));
}

Curve NetworkLayout::between(Node from, Node to, double aside) const {
  const Point along = at(to) - at(from);
  const double length = std::max(std::hypot(along.x, along.y), 1e-6);
  const Point right = (aside / length) * Point{-along.y, along.x};
  return outside(Curve::straight(at(from) + right, at(to) + right), from, to);
}

Curve NetworkLayout::between(Point from, Point to, double aside) const {
  const Point along = to - from;
  const double length = std::hypot(along.x, along.y);
  const Point unit = (1 / length) * along;
  const Point right = aside * Point{-unit.y, unit.x};
  const double reach = std::sqrt(std::max(0.0, radius() * radius() - aside * aside)) + clearance;
  return Curve::straight(from + right + reach * unit, to + right - reach * unit);
}

Curve NetworkLayout::bent(Node from, Node to, double bow) const {
  const Point along = at(to) - at(from);
  const double length = std::hypot(along.x, along.y);
  const Point right = (4.0 / 3 * bow / length) * Point{-along.y, along.x};
  return outside({at(from), at(from) + 0.2 * along + right, at(to) - 0.2 * along + right, at(to)}, from, to);
}

Drawn<std::unique_ptr<NetworkLayout>> layout_of(const Network& network, double width) {
  static constexpr std::array kinds{circle_layout, grid_layout, groups_layout, levels_layout};
  for (const auto make : kinds)
    if (auto layout = TRY(make(network, width))) return layout;
  return distances_layout(network, width);
}

std::vector<int> distances_from_ranks(const Network& network) {
  std::vector<std::vector<Node>> beside(static_cast<std::size_t>(network.nodes()));
  for (const LinkData& l : network.links()) beside[static_cast<std::size_t>(l.from)].push_back(l.to);
  std::vector<int> distance(beside.size(), -1);
  std::vector<Node> reached(static_cast<std::size_t>(network.ranks()));
  std::iota(reached.begin(), reached.end(), 0);
  std::fill(distance.begin(), distance.begin() + network.ranks(), 0);
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const auto here = static_cast<std::size_t>(reached[k]);
    for (const Node other : beside[here])
      if (int& of_other = distance[static_cast<std::size_t>(other)]; of_other < 0) {
        of_other = distance[here] + 1;
        reached.push_back(other);
      }
  }
  return distance;
}

double circle_radius(const Network& network, double apart) {
  const double needed = radius_for(fmt::format("{}", network.ranks() - 1), smallest_letters);
  return std::min(7.0, std::clamp(needed, 0.26 * apart, 0.4 * apart));
}

bool fits_numbers(const Network& network, double radius) {
  return radius > radius_for(fmt::format("{}", network.ranks() - 1), smallest_letters) - 0.05;
}

std::string node_label(const Network& network, Node node) {
  const std::string text = network.node_text(node);
  return node < network.ranks() ? text.substr(text.find(' ') + 1) : text;
}

std::string link_label(const Network& network, Link link) {
  return fmt::format("{} to {}", node_label(network, network.link(link).from),
                     node_label(network, network.link(link).to));
}

Drawn<std::shared_ptr<const Network>> network_of(const Header& header, const DrawOptions& options) {
  if (options.network) return options.network;
  auto torus = make_topology({.name = "torus", .shape = header.sides()});
  if (!torus) return unsuitable(torus.error());
  return std::make_shared<const Network>(std::move(*torus));
}

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

/// "0 to switch 3: 8 blocks".
std::string link_title(const Network& network, Link link, const NetworkLook& look) {
  return link_label(network, link) + (look.load ? ": " + look.load(link) : "");
}

void draw_node(Picture& picture, const NetworkLayout& layout, Node node, Point origin, const NetworkLook& look) {
  const bool is_rank = node < layout.network().ranks();
  const std::string_view fill = look.fill ? look.fill(node) : is_rank ? palette::white : palette::pale;
  const Stroke border{.width = look.border ? look.border(node) : thin_border};
  const std::string label = layout.label(node);
  const Point at = layout.at(node) + origin;
  if (is_rank) return picture.disc(at, layout.radius(), label, border, fill);
  const Point half{layout.half_width(node), layout.half_height(node)};
  picture.as(Role::node)->box(at - half, 2 * half.x, 2 * half.y, label, smallest_letters + 1, fill, border);
}

/// Writes numbers beside links, as near to the middle as there is room.
class LinkNumbers {
 public:
  explicit LinkNumbers(Picture& picture) : picture_(picture), places_(picture) {}

  /// Beside one of the lines, in the largest letters that fit; false if none do.
  bool write(const std::string& number, const std::vector<Curve>& lines, double thick) {
    for (const double size : {picture_.style().small(), smallest_letters})
      for (const Curve& line : lines)
        for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2})
          if (write_beside(line, t, thick, number, size)) return true;
    return false;
  }

 private:
  bool write_beside(const Curve& line, double t, double thick, const std::string& number, double size) {
    constexpr double beside_line = 1;
    const Point half = 0.5 * extent_of(number, size);
    const Point along = line.at(std::min(1.0, t + 0.01)) - line.at(t - 0.01);
    const Point right = (1 / std::hypot(along.x, along.y)) * Point{-along.y, along.x};
    const double away = thick / 2 + beside_line + std::abs(right.x) * half.x + std::abs(right.y) * half.y;
    const Point middle = line.at(t) + away * right;
    if (!places_.take(middle, number, size)) return false;
    picture_.text(middle, number, size);
    return true;
  }

  Picture& picture_;
  FreePlaces places_;
};

std::size_t write_numbers(Picture& picture, const NetworkLayout& layout, Point origin, const NetworkLook& look) {
  if (!look.number) return 0;
  LinkNumbers numbers(picture);
  const auto links = by_thickness(layout.network(), look);
  std::size_t without_room = 0;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    const std::string number = look.number(*link);
    const double thick = look.stroke(*link).width;
    if (number.empty() || thick <= 0) continue;
    auto lines = layout.lines(*link);
    for (Curve& line : lines) line = line.moved(origin);
    if (!numbers.write(number, lines, thick)) ++without_room;
  }
  return without_room;
}

}  // namespace

std::size_t draw_network(Picture& picture, const NetworkLayout& layout, Point origin, const NetworkLook& look) {
  layout.draw_behind(picture, origin);
  for (const Link link : by_thickness(layout.network(), look)) {
    if (look.stroke(link).width <= 0) continue;
    const auto lines = layout.lines(link);
    for (std::size_t n = 0; n < lines.size(); ++n) {
      const Curve line = lines[n].moved(origin);
      const bool has_room = std::hypot((line.to - line.from).x, (line.to - line.from).y) > 2.5 * head_length;
      picture.as(Role::link)
          ->curve(line, look.stroke(link), n + 1 == lines.size() && has_room ? Heads::at_end : Heads::none,
                  head_length / 10, {}, link_title(layout.network(), link, look));
    }
  }
  for (Node node = 0; node < layout.network().nodes(); ++node) draw_node(picture, layout, node, origin, look);
  return write_numbers(picture, layout, origin, look);
}

}  // namespace onceover::viz
