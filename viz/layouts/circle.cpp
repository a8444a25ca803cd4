// A ring as a circle, or ranks that are all joined, with a chord for each link.

#include <fmt/format.h>

#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr double pi = 3.14159265358979;
constexpr double narrowest_arc = 4;
constexpr double width_for_rank_with_chords = 13;
constexpr double shortest_link = 5;  // between the circles of two ranks

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

  Point at(Node node) const override {
    const double turn = 2 * pi * node / network().ranks();
    return {width_ / 2 + reach() * std::sin(turn), width_ / 2 - reach() * std::cos(turn)};
  }

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
  if (!fits_numbers(network, circle->radius()))
    return too_large(fmt::format("the numbers of {} ranks don't fit on a circle of {:.3g} in", line.side, width / 72));
  if (is_ring && circle->between_neighbours() < shortest_link)
    return too_large(
        fmt::format("the links of {} ranks can't be seen on a circle of {:.3g} in", line.side, width / 72));
  return circle;
}

}  // namespace onceover::viz
