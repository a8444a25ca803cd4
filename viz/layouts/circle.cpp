// Layouts on circles.
//
// A ring is a circle; so are ranks that are all joined, with a chord for each link.
//
// Of a dragonfly, routers are on a circle, group by group, and outside of each router its ranks. Links to other groups
// cross the circle; those of a group are bent inward.

#include <fmt/format.h>

#include <algorithm>

#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr double pi = 3.14159265358979;
constexpr double full_turn = 2 * pi;
constexpr double narrowest_arc = 4;
constexpr double width_for_rank_with_chords = 13;
constexpr double shortest_link = 5;  // between the circles of two ranks

/// The place on a circle in the middle of a picture of that width, `turn` from its top.
Point on_circle(double width, double reach, double turn) {
  return {width / 2 + reach * std::sin(turn), width / 2 - reach * std::cos(turn)};
}

tl::unexpected<DrawError> numbers_do_not_fit(const Network& network, double width) {
  return too_large(
      fmt::format("the numbers of {} ranks don't fit on a circle of {:.3g} in", network.ranks(), width / 72));
}

class Circle final : public NetworkLayout {
 public:
  Circle(const Network& network, double width) : NetworkLayout(network), width_(width) {
    radius_ = circle_radius(network, pi * (width - 24) / network.ranks());
  }

  double width() const override { return width_; }
  double height() const override { return width_; }
  bool hides_unused() const override { return network().link_count() > 2 * network().ranks(); }
  double radius() const override { return radius_; }

  /// How much of a link is seen between the circles of two neighbours.
  double between_neighbours() const { return 2 * reach() * std::sin(pi / network().ranks()) - 2 * radius_; }

  Point at(Node node) const override { return on_circle(width_, reach(), full_turn * node / network().ranks()); }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network().link(link);
    // Two ranks have two links each way.
    const bool is_second = network().ranks() == 2 && link % 2 == 1;
    return {between(at(l.from), at(l.to), (is_second ? 0.75 : 0.35) * radius_)};
  }

 private:
  double reach() const { return width_ / 2 - radius_ - 4; }

  double width_;
  double radius_;
};

}  // namespace

Drawn<std::unique_ptr<NetworkLayout>> circle_layout(const Network& network, double width) {
  const auto& grid = network.grid();
  if (!grid || grid->lines.size() != 1 || network.nodes() > network.ranks()) return nullptr;
  const Line& line = grid->lines.front();
  const auto links = static_cast<Rank>(line.links.size());
  const bool is_ring = line.side > 1 && links == 2 * line.side;
  const bool is_complete = line.side > 1 && links == line.side * (line.side - 1);
  if (!is_ring && !is_complete) return nullptr;
  if (pi * width < narrowest_arc * line.side)
    return too_large(fmt::format("{} ranks are too many for a circle of {:.3g} in", line.side, width / 72));
  if (!is_ring && width < width_for_rank_with_chords * line.side)
    return too_large(fmt::format("{} links are too many for a circle of {:.3g} in", links, width / 72));
  auto circle = std::make_unique<Circle>(network, width);
  if (!fits_numbers(network, circle->radius())) return numbers_do_not_fit(network, width);
  if (is_ring && circle->between_neighbours() < shortest_link)
    return too_large(
        fmt::format("the links of {} ranks can't be seen on a circle of {:.3g} in", line.side, width / 72));
  return circle;
}

namespace {

constexpr double between_groups = 1.5;  // in places of ranks
constexpr double between_local_links = 2.2;
constexpr Node most_in_group = 12;
constexpr double room_per_global_link = 3.5;  // of the circle, in points

class GroupsLayout final : public NetworkLayout {
 public:
  GroupsLayout(const Network& network, double width)
      : NetworkLayout(network),
        width_(width),
        groups_(*network.groups()),
        router_of_(static_cast<std::size_t>(network.ranks())),
        host_number_(router_of_.size()) {
    std::vector<int> hosts(static_cast<std::size_t>(network.nodes()));
    for (const LinkData& l : network.links())
      if (is_rank(l.from)) {
        router_of_[static_cast<std::size_t>(l.from)] = l.to;
        host_number_[static_cast<std::size_t>(l.from)] = hosts[static_cast<std::size_t>(l.to)]++;
      }
    hosts_ = std::max(1, *std::max_element(hosts.begin(), hosts.end()));
    count_ = (network.nodes() - groups_.first) / groups_.size;
    const double places = count_ * (groups_.size * hosts_ + between_groups);
    turn_ = full_turn / places;
    radius_ = circle_radius(network, turn_ * (width / 2 - 12));
    outer_ = width / 2 - radius_ - 5;
    inner_ = outer_ - 2 * radius_ - 15;
  }

  double width() const override { return width_; }
  double height() const override { return width_; }
  double radius() const override { return radius_; }
  double half_height(Node node) const override { return is_rank(node) ? radius_ : std::min(5.0, radius_); }
  double widest_line() const override { return std::min(NetworkLayout::widest_line(), 1.8); }

  /// Of the inner circle, for each link between groups.
  double room_for_link() const {
    const auto global = std::count_if(network().links().begin(), network().links().end(),
                                      [&](const LinkData& l) { return is_global(l); });
    return full_turn * inner_ / std::max(1.0, static_cast<double>(global));
  }

  Point at(Node node) const override {
    if (!is_rank(node)) return on_circle(width_, inner_, turn_of_router(node));
    const auto rank = static_cast<std::size_t>(node);
    return on_circle(width_, outer_,
                     turn_of_router(router_of_[rank]) + turn_ * (host_number_[rank] - (hosts_ - 1) / 2.0));
  }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network().link(link);
    const Node distance = std::abs(l.from - l.to);
    if (is_rank(l.from) || is_rank(l.to) || is_global(l) || distance == 1)
      return {between(l.from, l.to, 0.35 * radius_)};
    // Inside is on the right-hand side of links to higher numbers.
    const bool is_upward = l.to > l.from;
    const double bow = radius_ + 2 + (2 * (distance - 2) + (is_upward ? 0 : 1)) * between_local_links;
    return {bent(l.from, l.to, is_upward ? bow : -bow)};
  }

  void draw_behind(Picture& picture, Point origin) const override {
    const Stroke band{palette::faint, "solid", outer_ - inner_ + 2 * radius_ + 7};
    const double middle = (outer_ + inner_) / 2;
    for (Node group = 0; group < count_; ++group) {
      const Node first = groups_.first + group * groups_.size;
      const double begin = turn_of_router(first) - turn_ * (hosts_ + 0.4) / 2;
      const double end = turn_of_router(first + groups_.size - 1) + turn_ * (hosts_ + 0.4) / 2;
      const int parts = std::max(1, static_cast<int>(8 * (end - begin)));
      for (int k = 0; k < parts; ++k) {
        const double from = begin + (end - begin) * k / parts, to = begin + (end - begin) * (k + 1) / parts;
        picture.curve(arc(origin, middle, from, std::min(end, to + 0.01)), band, Heads::none);
      }
    }
  }

  void explain(PictureKey& key) const override {
    key.add_box(palette::pale, {.width = 0.6}, "switch (router)");
    key.add_box(palette::faint, {palette::grey, "solid", 0.0}, "group, with its ranks");
  }

 private:
  Node group_of(Node router) const { return (router - groups_.first) / groups_.size; }
  bool is_global(const LinkData& l) const {
    return !is_rank(l.from) && !is_rank(l.to) && group_of(l.from) != group_of(l.to);
  }

  double turn_of_router(Node router) const {
    const Node number = router - groups_.first;
    return turn_ * (number * hosts_ + group_of(router) * between_groups + between_groups / 2 + hosts_ / 2.0);
  }

  Curve arc(Point origin, double reach, double from, double to) const {
    const Point begin = origin + on_circle(width_, reach, from), end = origin + on_circle(width_, reach, to);
    const double pull = 4.0 / 3 * std::tan((to - from) / 4) * reach;
    const auto tangent = [](double turn) { return Point{std::cos(turn), std::sin(turn)}; };
    return {begin, begin + pull * tangent(from), end - pull * tangent(to), end};
  }

  double width_;
  SwitchGroups groups_;
  std::vector<Node> router_of_;   // by rank
  std::vector<int> host_number_;  // among the ranks of its router
  int hosts_;                     // of a router, at most
  Node count_;                    // of groups
  double turn_;                   // from one rank to the next
  double radius_;
  double outer_;  // of the circle of ranks
  double inner_;  // of that of routers
};

}  // namespace

Drawn<std::unique_ptr<NetworkLayout>> groups_layout(const Network& network, double width) {
  if (!network.groups()) return nullptr;
  auto layout = std::make_unique<GroupsLayout>(network, width);
  if (!fits_numbers(network, layout->radius())) return numbers_do_not_fit(network, width);
  if (network.groups()->size > most_in_group || layout->room_for_link() < room_per_global_link)
    return too_large(fmt::format("the links between routers need more width than {:.3g} in", width / 72));
  return layout;
}

}  // namespace onceover::viz
