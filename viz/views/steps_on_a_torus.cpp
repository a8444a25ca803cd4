// Steps on a torus: its grid, or slices of it, with every rank at its place. Each step is a panel, and as many are side
// by side as fit into the width.
//
// The last two sides of the torus make the grid; other sides make a row of such slices. Two messages that answer each
// other are one line with two heads. A line over other ranks is bent around them. A line around the torus becomes a
// stub that leaves the grid and one that comes in, both cut at the frame. Lines that join the same two ranks are drawn
// apart. If all ranks of a slice send to those at their places in another one, that is a single thick line.
//
// Example: in a row of 4, a message from 0 to 3 is nearer around the side. It leaves to the left of 0 and comes in from
// the right of 3.
//
// Answers are looked for among the lines of a step so far, so a step of m messages takes O(m^2), for pictures small
// enough to look at. Where a curve leaves the frame is found by halving it 30 times.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "viz/key.h"
#include "viz/rank_row.h"
#include "viz/views/steps.h"

namespace onceover::viz {

namespace {

constexpr double torus_title_height = 12;
constexpr double between_titles = 6;
constexpr double narrowest_cell = 23;
constexpr double widest_cell = 40;
constexpr double largest_part = 0.34;  // of a cell's width, for the radius of a circle
constexpr double head_scale = 0.3;
constexpr double arc_height = 10;
constexpr double apart = 3.6;  // between lines of different lanes that join the same ranks

/// The torus as a row of slices, each a grid of rows and columns.
struct Grid : LastSides {
  int slices;

  Grid(const Header& header, bool transposes)
      : LastSides(header.shape, transposes), slices(header.ranks / (rows * columns)) {}

  /// The width of all slices in cells, with a gap between neighbours.
  double cells_across() const { return slices * columns + (slices - 1) * 0.9 + 0.5; }
  double cells_down() const { return rows + 0.5; }
};

/// Messages between two ranks that are drawn as one line: a message, or an exchange.
struct PanelLink {
  const Message* message;  // the first of them
  bool both_ways = false;
  int number = 0;  // among the links that join these ranks in the step
  int of = 1;

  /// The class of the message; for an exchange, those of both messages: first of the one whose head is at the end of
  /// the curve, which leads to the message's sender if it is reversed.
  std::string css_class(bool is_reversed = false) const {
    Message first = *message;
    if (is_reversed) std::swap(first.src, first.dst);
    return class_of(first) + (both_ways ? fmt::format(" from-{}-to-{}", first.dst, first.src) : "");
  }
};

/// With counts, an exchange has as many blocks both ways.
std::vector<PanelLink> links_of(const std::vector<Message>& messages, int step, bool with_counts) {
  std::vector<PanelLink> links;
  std::map<std::pair<Rank, Rank>, int> joined;
  for (const Message& m : messages) {
    if (m.step != step) continue;
    const auto answered = std::find_if(links.begin(), links.end(), [&](const PanelLink& link) {
      const Message& other = *link.message;
      return !link.both_ways && other.src == m.dst && other.dst == m.src && other.lane == m.lane && other.op == m.op &&
             other.beside == m.beside && (!with_counts || other.size == m.size);
    });
    if (answered != links.end())
      answered->both_ways = true;
    else
      links.push_back({&m, false, joined[std::minmax(m.src, m.dst)]++});
  }
  for (PanelLink& link : links) link.of = joined[std::minmax(link.message->src, link.message->dst)];
  return links;
}

/// Links that join each rank of a slice with the one at its place in another slice: they are drawn as one. If numbers
/// of blocks are drawn, they carry as many.
struct SliceLink {
  int from;  // slices
  int to;
  std::vector<PanelLink> links;
  int number = 0;  // among those that join these slices in the step
  int of = 1;
};

class TorusPanels : public StepPanels {
 public:
  TorusPanels(const Header& header, const SelectedMessages& selection, const DrawOptions& options, int most_across)
      : header_(header), selection_(selection), options_(options), grid_(header, options.transposes) {
    const double room = options.style.width_in_points() - 1 - 2 * margin;
    // Circles grow in narrow cells until their numbers can be read.
    const double needed = radius_for(fmt::format("{}", header.ranks - 1), smallest_letters);
    const double narrowest = options.thinned && options.fold == Fold::never
                                 ? std::min(needed / largest_part, narrowest_cell)
                                 : narrowest_cell;
    const double needs = std::max(grid_.cells_across() * narrowest, widest_title() + between_titles);
    const double fit = std::max(1.0, std::floor(room / needs));
    across_ = std::max(1, std::min(static_cast<int>(fit), most_across));
    panel_width_ = room / across_;
    cell_ = std::min(widest_cell, panel_width_ / grid_.cells_across());
    radius_ = std::min(6.5, std::clamp(needed, 0.22 * cell_, largest_part * cell_));
    labels_ = RankLabels(header.names, radius_);
    for (const StepRange panel : selection.panels) {
      auto links = links_of(selection.messages, panel.first, options.counts);
      for (const SliceLink& link : take_slice_links(links)) {
        has_slice_links_ = true;
        if (is_arc(link)) arc_room_ = arc_height;
      }
    }
  }

  std::size_t count() const override { return selection_.panels.size(); }
  int across() const override { return across_; }
  double width() const override { return panel_width_; }
  double above(std::size_t /*panel*/) const override { return 0; }
  double below(std::size_t /*panel*/) const override {
    return torus_title_height + arc_room_ + grid_.cells_down() * cell_ + 4;
  }

  std::string explanation() const override {
    const bool leaves = options_.wraps && !selection_.messages.empty();
    return words_of({leaves ? "A line out of the grid comes in at its other side." : "",
                     has_slice_links_ ? "A thick line between grids joins ranks at the same place." : "",
                     labels_.explanation()});
  }

  void draw(Picture& picture, std::size_t panel, double /*above*/) const override {
    const StepRange steps = selection_.panels[panel];
    const double size = options_.style.font_size;
    counts_.clear();
    auto links = links_of(selection_.messages, steps.first, options_.counts);
    for (const SliceLink& link : take_slice_links(links)) draw_slice_link(picture, link);
    for (const PanelLink& link : links) draw_link(picture, link);
    for (Rank r = 0; r < header_.ranks; ++r)
      picture.disc(at(grid_.place_of(r)), radius_, labels_(r), {.width = 0.6}, palette::white, class_of(r));
    const std::string in_title = counts_in_title(counts_, options_.style.small());
    if (in_title.empty())
      for (const StepCount& count : counts_) draw_count(picture, count);
    picture.as(Role::panel_title)
        ->text({margin + panel_width_ / 2, torus_title_height / 2},
               panel_title_within(panel_width_ - text_width(in_title, size), size, steps, selection_.messages,
                                  header_.names) +
                   in_title,
               size);
  }

 private:
  double widest_title() const {
    double widest = 0;
    for (const StepRange panel : selection_.panels)
      widest = std::max(widest, text_width(panel_title(panel, selection_.messages, {}), options_.style.font_size));
    return widest;
  }

  double slice_left(int slice) const {
    return margin + (panel_width_ - grid_.cells_across() * cell_) / 2 + slice * (grid_.columns + 0.9) * cell_;
  }

  /// Also for places beyond the grid.
  Point at(PlaceOnTorus p) const {
    return {slice_left(p.slice) + (p.column + 0.75) * cell_, torus_title_height + arc_room_ + (p.row + 0.75) * cell_};
  }

  /// How far the other coordinate is, by the shorter way around the side.
  int way(int from, int to, int side) const {
    const int direct = to - from;
    if (!options_.wraps || 2 * std::abs(direct) <= side) return direct;
    return direct > 0 ? direct - side : direct + side;
  }

  /// Takes the links out that slice links stand for.
  std::vector<SliceLink> take_slice_links(std::vector<PanelLink>& links) const {
    std::vector<SliceLink> whole;
    if (grid_.slices == 1 || grid_.rows * grid_.columns == 1) return whole;
    std::map<std::tuple<int, int, Op, int, Beside, bool, Block>, std::vector<PanelLink>> by_slices;
    std::vector<PanelLink> others;
    for (const PanelLink& link : links) {
      const Message& m = *link.message;
      const PlaceOnTorus from = grid_.place_of(m.src), to = grid_.place_of(m.dst);
      const bool is_across = from.slice != to.slice && from.row == to.row && from.column == to.column;
      if (!is_across) {
        others.push_back(link);
        continue;
      }
      const bool turns = link.both_ways && from.slice > to.slice;
      const Block carried = options_.counts ? m.size : 0;
      by_slices[{turns ? to.slice : from.slice, turns ? from.slice : to.slice, m.op, m.lane, m.beside, link.both_ways,
                 carried}]
          .push_back(link);
    }
    std::map<std::pair<int, int>, int> joined;
    for (auto& [key, some] : by_slices) {
      const auto [from, to, op, lane, beside, both_ways, carried] = key;
      if (std::ssize(some) == grid_.rows * grid_.columns && have_different_ends(some))
        whole.push_back({from, to, std::move(some), joined[std::minmax(from, to)]++});
      else
        others.insert(others.end(), some.begin(), some.end());
    }
    for (SliceLink& link : whole) link.of = joined[std::minmax(link.from, link.to)];
    links = std::move(others);
    return whole;
  }

  static bool have_different_ends(const std::vector<PanelLink>& links) {
    std::set<std::pair<Rank, Rank>> ends;
    for (const PanelLink& link : links) ends.insert(std::minmax(link.message->src, link.message->dst));
    return ends.size() == links.size();
  }

  /// How far the other slice of a link is, along a single dimension the shorter way around.
  int way(const SliceLink& link) const {
    return header_.shape.size() == 3 ? way(link.from, link.to, grid_.slices) : link.to - link.from;
  }

  /// Does a link lead over other slices?
  bool is_arc(const SliceLink& link) const { return std::abs(way(link)) > 1; }

  /// The middle of a slice's left or right edge.
  Point edge(int slice, bool is_right) const {
    const Point corner = at({slice, 0, is_right ? grid_.columns - 1 : 0});
    return corner + Point{(is_right ? 1 : -1) * (radius_ + 1.5), (grid_.rows - 1) / 2.0 * cell_};
  }

  /// Between neighbours in their gap, around the torus as two stubs, and to others in an arc above the slices.
  void draw_slice_link(Picture& picture, const SliceLink& link) const {
    const double aside = 3 * apart * (link.number - (link.of - 1) / 2.0);
    const int by = way(link);
    const bool is_around = link.from + by != link.to, is_right = by > 0;
    const Point down{0, aside};
    if (is_arc(link)) {
      const Point from = top_of(link.from) + Point{aside, 0}, to = top_of(link.to) + Point{aside, 0};
      const Point up = 0.15 * (to - from) - Point{0, arc_height};
      return draw_thick(picture, link, {from, from + up, to + Point{-up.x, up.y}, to}, ends_of(link));
    }
    const Point leaves = edge(link.from, is_right) + down, enters = edge(link.to, !is_right) + down;
    if (!is_around) return draw_thick(picture, link, Curve::straight(leaves, enters), ends_of(link));
    const Point stub{(is_right ? 1 : -1) * 0.5 * cell_, 0};
    const bool both_ways = ends_of(link) == Heads::at_both;
    draw_thick(picture, link,
               both_ways ? Curve::straight(leaves + stub, leaves) : Curve::straight(leaves, leaves + stub),
               both_ways ? Heads::at_end : Heads::none);
    draw_thick(picture, link, Curve::straight(enters - stub, enters), Heads::at_end);
  }

  Point top_of(int slice) const {
    return 0.5 * (at({slice, 0, 0}) + at({slice, 0, grid_.columns - 1})) - Point{0, radius_ + 1};
  }

  static Heads ends_of(const SliceLink& link) { return link.links.front().both_ways ? Heads::at_both : Heads::at_end; }

  void draw_thick(Picture& picture, const SliceLink& link, const Curve& curve, Heads heads) const {
    std::string css;
    for (const PanelLink& each : link.links) css += (css.empty() ? "" : " ") + each.css_class();
    picture.curve(curve, stroke_of(*link.links.front().message).scaled(2), heads, head_scale, css);
    if (options_.counts) counts_.push_back({curve.at(0.5), link.links.front().message->size});
  }

  void draw_link(Picture& picture, const PanelLink& link) const {
    const PlaceOnTorus from = grid_.place_of(link.message->src), to = grid_.place_of(link.message->dst);
    if (link.message->src == link.message->dst) return draw_line(picture, link, loop(at(from)));
    if (from.slice != to.slice || (from.row != to.row && from.column != to.column))
      return draw_line(picture, link, bowed(at(from), at(to), 0.3 * cell_ + offset(link)));
    const int across = way(from.column, to.column, grid_.columns), down = way(from.row, to.row, grid_.rows);
    const PlaceOnTorus reached{from.slice, from.row + down, from.column + across};
    const PlaceOnTorus origin{to.slice, to.row - down, to.column - across};
    const double bow = bow_of(std::max(std::abs(across), std::abs(down)), link);
    if (reached.row == to.row && reached.column == to.column)
      return draw_line(picture, link, bowed(at(from), at(to), bow));
    draw_around(picture, link, bowed(at(from), at(reached), bow), bowed(at(origin), at(to), bow), from.slice);
  }

  /// Lines over other ranks are bent around them, alternately to either side.
  double bow_of(int cells, const PanelLink& link) const {
    if (cells <= 1) return offset(link);
    const double bow = std::min(0.30 + 0.05 * cells, 0.45) * cell_ + apart * std::floor(link.number / 2.0);
    return link.number % 2 == 0 ? bow : -bow;
  }

  /// Straight lines stay within the circles that they join.
  double offset(const PanelLink& link) const {
    const double between = link.of > 1 ? std::min(apart, 1.6 * radius_ / (link.of - 1)) : 0;
    return between * (link.number - (link.of - 1) / 2.0);
  }

  /// A line from the edge of one circle to that of another, bent to one side; the same line in both directions.
  Curve bowed(Point from, Point to, double bow) const {
    const bool forward = std::pair(from.x + from.y, from.x) < std::pair(to.x + to.y, to.x);
    const Point along = to - from;
    const double length = std::hypot(along.x, along.y);
    const Point unit = (1 / length) * along;
    const Point aside = (forward ? bow : -bow) * Point{unit.y, -unit.x};
    const bool is_straight = std::abs(bow) < 0.5 * radius_ + apart && length < 1.5 * cell_;
    if (is_straight) {
      const double reach = std::sqrt(std::max(0.0, radius_ * radius_ - bow * bow)) + 0.5;
      return Curve::straight(from + aside + reach * unit, to + aside - reach * unit);
    }
    const Point up = (4.0 / 3) * aside + 0.14 * along;
    const Point start = from + (radius_ / std::hypot(up.x, up.y)) * up;
    const Point down = (4.0 / 3) * aside - 0.14 * along;
    const Point end = to + (radius_ / std::hypot(down.x, down.y)) * down;
    return {start, from + up, to + down, end};
  }

  /// A line from a rank to itself.
  Curve loop(Point at) const {
    const double near = 0.3 * radius_, far = 2.5 * radius_;
    return {at + Point{-near, -radius_}, at + Point{-far, -far}, at + Point{far, -far}, at + Point{near, -radius_}};
  }

  void draw_line(Picture& picture, const PanelLink& link, const Curve& curve) const {
    picture.curve(curve, stroke_of(*link.message), link.both_ways ? Heads::at_both : Heads::at_end, head_scale,
                  link.css_class());
    if (options_.counts) counts_.push_back({curve.at(0.5), link.message->size});
  }

  /// Draws a link around the torus: a stub that leaves the grid, and one that comes in.
  void draw_around(Picture& picture, const PanelLink& link, const Curve& leaving, const Curve& arriving,
                   int slice) const {
    const Stroke stroke = stroke_of(*link.message);
    const Curve out = leaving.before(end_inside(leaving, slice));
    const Curve in = arriving.reversed().before(end_inside(arriving.reversed(), slice)).reversed();
    if (link.both_ways)
      picture.curve(out.reversed(), stroke, Heads::at_end, head_scale, link.css_class(true));
    else
      picture.curve(out, stroke, Heads::none, 0.4, link.css_class());
    picture.curve(in, stroke, Heads::at_end, head_scale, link.css_class());
    if (options_.counts) counts_.push_back({out.to, link.message->size});
  }

  void draw_count(Picture& picture, const StepCount& count) const {
    const std::string text = fmt::format("{}", count.size);
    const double half = std::max(3.5, text_width(text, options_.style.small()) / 2 + 0.5);
    picture.as(Role::label)
        ->box(count.at - Point{half, 3}, 2 * half, 6, text, options_.style.small(), palette::white,
              {palette::white, "solid", 0});
  }

  /// How much of a curve that begins inside lies within the slice's frame.
  double end_inside(const Curve& curve, int slice) const {
    double inside = 0, outside = 1;
    for (int k = 0; k < 30; ++k) {
      const double t = (inside + outside) / 2;
      (is_inside(curve.at(t), slice) ? inside : outside) = t;
    }
    return inside;
  }

  bool is_inside(Point p, int slice) const {
    const double left = slice_left(slice) + 0.15 * cell_, top = torus_title_height + arc_room_ + 0.15 * cell_;
    return p.x > left && p.x < left + (grid_.columns + 0.2) * cell_ && p.y > top &&
           p.y < top + (grid_.rows + 0.2) * cell_;
  }

  const Header& header_;
  const SelectedMessages& selection_;
  const DrawOptions& options_;
  Grid grid_;
  int across_;  // panels side by side
  double panel_width_;
  double cell_;
  double radius_;
  RankLabels labels_{{}, 0};
  bool has_slice_links_ = false;
  double arc_room_ = 0;
  mutable std::vector<StepCount> counts_;  // of the panel that is being drawn
};

}  // namespace

std::unique_ptr<StepPanels> panels_on_a_torus(const Header& header, const SelectedMessages& selection,
                                              const DrawOptions& options, int most_across) {
  return std::make_unique<TorusPanels>(header, selection, options, most_across);
}

}  // namespace onceover::viz
