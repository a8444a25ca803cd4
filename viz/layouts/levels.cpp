// Ranks below levels of switches, each joined to the next level only: fat-trees, also those of files.
//
// A level's nodes are ordered by the mean place of what they are joined to below. Ranks stand under the switch that
// they are joined to; if their numbers can't be read, each such switch has the range of its ranks below it.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr double half_switch = 4.5;
constexpr double closest_ranks = 2.8;  // points
constexpr double closest_lines = 1.3;
constexpr double from_rank_to_its_switch = 36;
constexpr double level_margin = 5;
constexpr double line_of_ranges = 9;

/// The nodes of each level, the ranks first; nothing if a link joins others than neighbouring levels.
std::optional<std::vector<std::vector<Node>>> levels_of(const Network& network) {
  const std::vector<int> level = distances_from_ranks(network);
  const auto of = [&](Node node) { return level[static_cast<std::size_t>(node)]; };
  for (const LinkData& l : network.links())
    if (std::abs(of(l.from) - of(l.to)) != 1) return std::nullopt;
  const int highest = *std::max_element(level.begin(), level.end());
  if (highest == 0 || std::find(level.begin(), level.end(), -1) != level.end()) return std::nullopt;
  std::vector<std::vector<Node>> levels(static_cast<std::size_t>(highest) + 1);
  for (Node node = 0; node < network.nodes(); ++node) levels[static_cast<std::size_t>(of(node))].push_back(node);
  return levels;
}

class LevelsLayout final : public NetworkLayout {
 public:
  LevelsLayout(const Network& network, double width, std::vector<std::vector<Node>> levels)
      : NetworkLayout(network), width_(width), levels_(std::move(levels)), places_(size_of(network)) {
    find_neighbours();
    for (std::size_t k = 1; k < levels_.size(); ++k) {
      order(k);
      spread(k);
    }
    place_ranks();
    radius_ = std::min(7.0, 0.42 * apart_);
    has_numbers_ = fits_numbers(network, radius_);
    names_switches_ = true;
    names_switches_ = std::all_of(levels_.begin() + 1, levels_.end(), [&](const auto& level) {
      return std::all_of(level.begin(), level.end(), [&](Node node) {
        return 2 * half_width(node) + 2 < width_ / static_cast<double>(level.size());
      });
    });
  }

  double width() const override { return width_; }
  double height() const override {
    return 2 * level_margin + half_switch + radius_ + ranks_rise_ + rise() * static_cast<double>(levels_.size() - 2) +
           (has_numbers_ ? 0 : line_of_ranges);
  }
  double radius() const override { return radius_; }
  double half_height(Node node) const override { return is_rank(node) ? radius_ : half_switch; }
  double widest_line() const override { return std::clamp(0.22 * apart_, 0.7, 1.6); }
  Point at(Node node) const override { return places_[static_cast<std::size_t>(node)]; }

  /// Between two ranks under a switch, in points.
  double apart() const { return apart_; }

  /// How much of the width each line from a level to the next has, at the narrowest.
  double room_for_line() const {
    std::vector<std::size_t> lines(levels_.size());
    for (std::size_t k = 1; k < levels_.size(); ++k)
      for (const Node node : levels_[k]) lines[k] += 2 * below_[static_cast<std::size_t>(node)].size();
    lines[1] = 0;  // those of ranks don't cross
    return width_ / static_cast<double>(std::max<std::size_t>(1, *std::max_element(lines.begin(), lines.end())));
  }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network().link(link);
    const bool is_of_rank = is_rank(l.from) || is_rank(l.to);
    return {between(l.from, l.to, is_of_rank ? std::min(0.42 * radius_, 1.6) : 1.2)};
  }

  std::string label(Node node) const override {
    if (is_rank(node) ? !has_numbers_ : !names_switches_) return "";
    return NetworkLayout::label(node);
  }

  void draw_behind(Picture& picture, Point origin) const override {
    if (has_numbers_) return;
    const double y = height() - line_of_ranges / 2;
    for (const Node node : levels_[1]) {
      const auto& ranks = below_[static_cast<std::size_t>(node)];
      if (!ranks.empty()) picture.text(origin + Point{at(node).x, y}, range_text(ranks), picture.style().small());
    }
  }

  void explain(PictureKey& key) const override {
    NetworkLayout::explain(key);
    if (!has_numbers_) key.add_disc(palette::white, {.width = 0.6}, "rank, from left to right");
  }

 private:
  static std::size_t size_of(const Network& network) { return static_cast<std::size_t>(network.nodes()); }

  /// From a level of switches to the next, in points.
  double rise() const { return std::clamp(0.15 * width_, 44.0, 100.0); }

  double& x(Node node) { return places_[static_cast<std::size_t>(node)].x; }

  void find_neighbours() {
    std::vector<std::size_t> level(places_.size());
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      for (const Node node : levels_[k]) level[static_cast<std::size_t>(node)] = k;
      for (std::size_t n = 0; n < levels_[k].size(); ++n) x(levels_[k][n]) = static_cast<double>(n);
    }
    below_.resize(places_.size());
    for (const LinkData& l : network().links())
      if (level[static_cast<std::size_t>(l.from)] > level[static_cast<std::size_t>(l.to)])
        below_[static_cast<std::size_t>(l.from)].push_back(l.to);
    for (auto& nodes : below_) std::sort(nodes.begin(), nodes.end());
  }

  /// Orders a level by what is below it.
  void order(std::size_t level) {
    const auto mean = [&](Node node) {
      const auto& below = below_[static_cast<std::size_t>(node)];
      const double sum =
          std::accumulate(below.begin(), below.end(), 0.0, [&](double before, Node n) { return before + at(n).x; });
      return sum / static_cast<double>(std::max<std::size_t>(1, below.size()));
    };
    for (const Node node : levels_[level]) x(node) = mean(node);
    std::stable_sort(levels_[level].begin(), levels_[level].end(), [&](Node a, Node b) { return at(a).x < at(b).x; });
  }

  void spread(std::size_t level) {
    const double slot = width_ / static_cast<double>(levels_[level].size());
    for (std::size_t n = 0; n < levels_[level].size(); ++n)
      x(levels_[level][n]) = (static_cast<double>(n) + 0.5) * slot;
    for (const Node node : levels_[level])
      places_[static_cast<std::size_t>(node)].y =
          level_margin + half_switch + rise() * static_cast<double>(levels_.size() - 1 - level);
  }

  /// Under their switches if each rank has one, else evenly.
  void place_ranks() {
    std::size_t most = 1, joined = 0;
    for (const Node node : levels_[1]) {
      most = std::max(most, below_[static_cast<std::size_t>(node)].size());
      joined += below_[static_cast<std::size_t>(node)].size();
    }
    const bool has_one_switch_each = joined == levels_[0].size();
    const double slot = width_ / static_cast<double>(levels_[1].size());
    ranks_rise_ = has_one_switch_each ? from_rank_to_its_switch : rise();
    apart_ = has_one_switch_each ? std::min(20.0, slot * 0.95 / static_cast<double>(most))
                                 : width_ / static_cast<double>(levels_[0].size());
    const double y = level_margin + half_switch + rise() * static_cast<double>(levels_.size() - 2) + ranks_rise_;
    for (std::size_t n = 0; n < levels_[0].size(); ++n)
      places_[static_cast<std::size_t>(levels_[0][n])] = {(static_cast<double>(n) + 0.5) * apart_, y};
    if (!has_one_switch_each) return;
    for (const Node node : levels_[1]) {
      const auto& ranks = below_[static_cast<std::size_t>(node)];
      for (std::size_t n = 0; n < ranks.size(); ++n)
        x(ranks[n]) = at(node).x + apart_ * (static_cast<double>(n) - static_cast<double>(ranks.size() - 1) / 2);
    }
  }

  std::string range_text(const std::vector<Node>& ranks) const {
    if (ranks.size() == 1) return node_label(network(), ranks.front());
    const bool is_range =
        ranks.back() - ranks.front() + 1 == std::ssize(ranks) && network().seat(ranks.front()) == ranks.front();
    return is_range ? fmt::format("{}\u2013{}", ranks.front(), ranks.back()) : fmt::format("{} ranks", ranks.size());
  }

  double width_;
  std::vector<std::vector<Node>> levels_;  // ranks, then level by level, from left to right
  std::vector<Point> places_;
  std::vector<std::vector<Node>> below_;  // by node: what it is joined to on the level below
  double ranks_rise_ = 0;                 // from the ranks to the first switches
  double apart_ = 0;
  double radius_ = 0;
  bool has_numbers_ = false;
  bool names_switches_ = false;
};

}  // namespace

Drawn<std::unique_ptr<NetworkLayout>> levels_layout(const Network& network, double width) {
  auto levels = levels_of(network);
  if (!levels) return nullptr;
  auto layout = std::make_unique<LevelsLayout>(network, width, *std::move(levels));
  if (layout->apart() < closest_ranks)
    return too_large(fmt::format("{} ranks in a row need more width than {:.3g} in", network.ranks(), width / 72));
  if (layout->room_for_line() < closest_lines)
    return too_large(
        fmt::format("the links between two levels of switches need more width than {:.3g} in", width / 72));
  return layout;
}

}  // namespace onceover::viz
