#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/cut_grounds.h"
#include "viz/free_places.h"

namespace onceover::viz {

namespace {

constexpr double full_circle = 6.28318530717959;
constexpr double least_star_radius = 6.5;
constexpr double seen_of_spoke = 20;  // of its line, in points
constexpr double beside_spoke = 2;    // between a line and its number
constexpr double from_star = 0.8;     // between a node and a line
constexpr double thick_border_of_star = 2.2;

/// The step between two neighbours in a grid: in which dimension, counted from the last one, and which way. No way:
/// they aren't neighbours.
struct StepOnGrid {
  std::size_t dimension = 0;
  int way = 0;
};

StepOnGrid step_between(Rank from, Rank to, const std::vector<Rank>& sides) {
  StepOnGrid step;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    const Rank side = sides[sides.size() - 1 - d], away = to % side - from % side;
    from /= side;
    to /= side;
    if (away == 0) continue;
    const bool is_direct = std::abs(away) == 1;
    if (step.way != 0 || (!is_direct && std::abs(away) != side - 1)) return {};
    step = {d, (away > 0) == is_direct ? 1 : -1};
  }
  return step;
}

/// Unit vectors to `ends`, if all are neighbours of the centre in a grid, each in another direction; else none.
std::vector<Point> ways_along_grid(const Network& network, Node centre, const std::vector<Node>& ends) {
  static const double diagonal = std::sqrt(0.5);
  static const std::array<Point, 4> axes{{{1, 0}, {0, 1}, {diagonal, -diagonal}, {diagonal, diagonal}}};
  if (!network.grid() || network.nodes() > network.ranks() || network.grid()->lines.size() > axes.size()) return {};
  std::vector<Point> ways;
  for (const Node end : ends) {
    const StepOnGrid step = step_between(centre, end, network.grid()->sides());
    const Point way = step.way * axes[step.dimension];
    const auto is_taken = [&](Point other) { return other.x == way.x && other.y == way.y; };
    if (step.way == 0 || std::any_of(ways.begin(), ways.end(), is_taken)) return {};
    ways.push_back(way);
  }
  return ways;
}

std::vector<Point> ways_around(std::size_t count) {
  std::vector<Point> ways;
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = full_circle * static_cast<double>(k) / static_cast<double>(count);
    ways.push_back({std::cos(angle), std::sin(angle)});
  }
  return ways;
}

std::string links_text(const CutPiece::Spoke& spoke) {
  return spoke.links > 1 ? fmt::format("{} links", spoke.links) : "";
}

}  // namespace

CutStar::CutStar(const CutPiece& piece, const CutGrounds& grounds, const Network& network)
    : piece_(piece), grounds_(grounds), network_(network), radius_(least_star_radius), places_{{piece.centre, false}} {
  for (const CutPiece::Spoke& spoke : piece.spokes) {
    const auto is_end = [&](const Place& place) { return place.node == spoke.far && !piece.is_bundled; };
    const auto found = std::find_if(places_.begin(), places_.end(), is_end);
    end_of_.push_back(static_cast<std::size_t>(found - places_.begin()));
    if (found == places_.end()) places_.push_back({spoke.far, piece.is_bundled});
  }
  for (const Place& place : places_)
    if (is_rank(place)) radius_ = std::max(radius_, radius_for(label(place), smallest_letters + 1));
  place_ends();
}

std::string CutStar::label(const Place& place) const {
  if (place.stands_for_more) return "..";
  const std::string text = node_label(network_, place.node);
  constexpr std::string_view word = "switch ";
  return text.starts_with(word) ? text.substr(word.size()) : text;
}

Point CutStar::half(const Place& place) const {
  if (is_rank(place)) return {radius_, radius_};
  return {std::max(radius_, text_width(label(place), smallest_letters + 1) / 2 + 1.5), radius_};
}

/// How far from a node's middle a line begins that leads away from it.
double CutStar::edge(const Place& place, Point way, double aside) const {
  if (is_rank(place)) return std::sqrt(radius_ * radius_ - aside * aside) + from_star;
  const Point reach = half(place);
  const auto until = [](double length, double part) { return std::abs(part) < 1e-6 ? 1e9 : length / std::abs(part); };
  return std::min(until(reach.x, way.x), until(reach.y, way.y)) + from_star;
}

/// Sets the places of ends as close to the centre as lines and numbers allow, and the size.
void CutStar::place_ends() {
  std::vector<Node> ends;
  for (std::size_t k = 1; k < places_.size(); ++k) ends.push_back(places_[k].node);
  auto ways = piece_.is_bundled ? std::vector<Point>() : ways_along_grid(network_, piece_.centre, ends);
  if (ways.empty()) ways = ways_around(ends.size());
  double length = seen_of_spoke, beside = 0;
  for (const CutPiece::Spoke& spoke : piece_.spokes) {
    const Point number = extent_of(links_text(spoke), smallest_letters + 1);
    length = std::max(length, number.x + 2 * beside_spoke);
    if (spoke.links > 1) beside = number.y + beside_spoke;
  }
  Point least{0, 0}, most{0, 0};
  for (std::size_t k = 0; k < places_.size(); ++k) {
    Place& place = places_[k];
    if (k > 0) place.at = (edge(places_[0], ways[k - 1], 0) + length + edge(place, ways[k - 1], 0)) * ways[k - 1];
    const Point room = half(place) + Point{1, 1 + beside};
    least = {std::min(least.x, place.at.x - room.x), std::min(least.y, place.at.y - room.y)};
    most = {std::max(most.x, place.at.x + room.x), std::max(most.y, place.at.y + room.y)};
  }
  for (Place& place : places_) place.at = place.at - least;
  size_ = most - least;
}

Curve CutStar::line(const Place& from, const Place& to, double aside) const {
  const Point along = to.at - from.at;
  const double length = std::hypot(along.x, along.y);
  const Point way = (1 / length) * along;
  const Point right = aside * Point{-way.y, way.x};
  return Curve::straight(from.at + right + edge(from, way, aside) * way, to.at + right - edge(to, way, aside) * way);
}

void CutStar::draw(Picture& picture, Point corner) const {
  for (const bool thick : {false, true})
    for (std::size_t k = 0; k < piece_.spokes.size(); ++k)
      if ((piece_.spokes[k].counts > 0) == thick) draw_spoke(picture, corner, k);
  for (const Place& place : places_) draw_node(picture, corner, place);
}

void CutStar::draw_spoke(Picture& picture, Point corner, std::size_t spoke) const {
  const CutPiece::Spoke& link = piece_.spokes[spoke];
  const std::size_t end = end_of_[spoke];
  const bool has_company = std::count(end_of_.begin(), end_of_.end(), end) > 1;
  const double aside = has_company ? 0.4 * radius_ : 0;
  const Place &centre = places_[0], &far = places_[end];
  const Curve drawn = line(link.leaves ? centre : far, link.leaves ? far : centre, aside).moved(corner);
  const std::string title =
      fmt::format("{} to {}", label(link.leaves ? centre : far), label(link.leaves ? far : centre));
  picture.as(Role::link)->curve(drawn, link.counts > 0 ? counts : does_not_count, Heads::at_end, 0.35, {}, title);
  const std::string number = links_text(link);
  if (number.empty()) return;
  const Point along = drawn.to - drawn.from;
  const Point right = (1 / std::hypot(along.x, along.y)) * Point{-along.y, along.x};
  const Point room = 0.5 * extent_of(number, smallest_letters + 1);
  const double away = beside_spoke + std::abs(right.x) * room.x + std::abs(right.y) * room.y;
  picture.text(drawn.at(0.45) + away * right, number, smallest_letters + 1);
}

void CutStar::draw_node(Picture& picture, Point corner, const Place& place) const {
  const bool is_filled = grounds_.is_filled[static_cast<std::size_t>(place.node)];
  const bool is_thick = &place == places_.data() && piece_.ports > 0;
  const Stroke border{.width = is_thick ? thick_border_of_star : 0.6};
  const Point at = place.at + corner;
  if (is_rank(place)) return picture.disc(at, radius_, label(place), border, is_filled ? palette::sky : palette::white);
  picture.as(Role::node)
      ->box(at - half(place), 2 * half(place).x, 2 * half(place).y, label(place), smallest_letters + 1,
            is_filled ? palette::sky : palette::pale, border);
}

}  // namespace onceover::viz
