// Tori, meshes, HyperX and HammingMeshes: a grid of the last two sides, and one such plane for each seat of the others.
//
// A link to the next seat is straight, one over other seats is bent around them, and one around a ring or to another
// plane is two stubs. Between planes they are diagonal; where all planes are joined, a fan with a direction for each
// plane. The switch of a row or column stands at its end; links to it are stubs that leave their board.
//
// Example: a row of boards of two, "(0 1) (2 3) [s]": rank 1 has a stub to the right, rank 2 one to the left, and both
// lead to the switch s.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr double narrowest_cell_of_grid = 11;
constexpr double narrowest_cell_of_planes = 19;
constexpr double narrowest_cell_with_fans = 22;
constexpr double widest_cell_of_grid = 42;
constexpr double widest_cell_of_hyperx = 56;
constexpr double between_boards = 0.8;  // in cells, as all lengths of an axis
constexpr double around_seats = 1;      // at either end
constexpr double narrowest_between_bows = 1.3;
constexpr double narrowest_between_tips = 2;  // of a fan
constexpr double length_of_stub = 0.72;       // between planes, as part of the way over a cell
constexpr double largest_seat = 7;
constexpr double quarter_turn = 1.5707963267949;
constexpr double fan_angle = 0.7 * quarter_turn;
constexpr double plane_title = 11;

bool is_ring_or_path(const Line& line) {
  return line.nodes == line.side && std::all_of(line.links.begin(), line.links.end(), [&](const LinkData& l) {
           const Node distance = std::abs(l.from - l.to);
           return distance == 1 || distance == line.side - 1;
         });
}

/// One dimension: where its seats are, and how the links of its lines go.
class Axis {
 public:
  explicit Axis(const Line& line) : line_(line), begins_(static_cast<std::size_t>(line.side), true) {
    if (has_switch()) {
      for (const LinkData& l : line.links)
        if (l.to == l.from + 1 && l.to < line.side) begins_[static_cast<std::size_t>(l.to)] = false;
    }
    double place = 0;
    for (Rank seat = 0; seat < line.side; ++seat) {
      if (seat > 0) place += has_switch() && begins(seat) ? 1 + between_boards : 1;
      places_.push_back(place);
    }
  }

  const Line& line() const { return line_; }
  Rank side() const { return line_.side; }
  double place(Rank seat) const { return places_[static_cast<std::size_t>(seat)]; }
  double span() const { return places_.back() + (has_switch() ? 1 : 0); }
  double place_of_switch() const { return places_.back() + 1; }
  bool has_switch() const { return line_.nodes > line_.side; }
  bool is_ring() const { return is_ring_or_path(line_) && std::ssize(line_.links) == 2 * line_.side; }
  bool is_complete() const { return !has_switch() && !is_ring_or_path(line_); }

  /// Is the seat the first, or the last one of its board?
  bool begins(Rank seat) const { return begins_[static_cast<std::size_t>(seat)]; }
  bool ends(Rank seat) const { return seat + 1 == side() || begins(seat + 1); }

  enum class Way { straight, bent, around, to_switch, from_switch };

  Way way(std::size_t number) const {
    const LinkData& l = line_.links[number];
    if (l.to >= side()) return Way::to_switch;
    if (l.from >= side()) return Way::from_switch;
    const Node distance = std::abs(l.to - l.from);
    if (is_ring_or_path(line_)) return is_second(number) || distance > 1 ? Way::around : Way::straight;
    return distance == 1 ? Way::straight : Way::bent;
  }

  /// 1 if the link leads to larger coordinates where it begins, else -1.
  int direction(std::size_t number) const {
    const LinkData& l = line_.links[number];
    const Way kind = way(number);
    if (kind == Way::to_switch) return side_of_board(l.from, number);
    if (kind == Way::from_switch) return -side_of_board(l.to, number);
    return (l.to > l.from) == (kind != Way::around) ? 1 : -1;
  }

 private:
  /// On a board of one seat, the first link to the switch leaves before it, the second one behind it.
  int side_of_board(Rank seat, std::size_t number) const {
    const bool leaves_behind = begins(seat) && ends(seat) ? is_second(number) : ends(seat);
    return leaves_behind ? 1 : -1;
  }

  /// Is it the second link between two nodes in this direction?
  bool is_second(std::size_t number) const {
    const LinkData& l = line_.links[number];
    return std::any_of(line_.links.begin(), line_.links.begin() + static_cast<std::ptrdiff_t>(number),
                       [&](const LinkData& other) { return other.from == l.from && other.to == l.to; });
  }

  const Line& line_;
  std::vector<bool> begins_;
  std::vector<double> places_;
};

/// A place in the grid of a plane.
struct Seat {
  Rank plane;
  Rank row;
  Rank column;
};

class GridLayout final : public NetworkLayout {
 public:
  GridLayout(const Network& network, double width)
      : NetworkLayout(network),
        width_(width),
        rows_(network.grid()->lines.size() > 1 ? network.grid()->lines[dimensions() - 2] : single_),
        columns_(network.grid()->lines.back()) {
    for (const Line& line : network.grid()->lines) axes_.emplace_back(line);
    planes_ = network.ranks() / (rows_.side() * columns_.side());
    const double cells = columns_.span() + 2 * around_seats;
    const double for_bows = (largest_seat + 2.2 + 1.2 * narrowest_between_bows * (longest_complete() - 3)) / 0.46;
    const double most = has_bent() ? std::max(widest_cell_of_hyperx, for_bows) : widest_cell_of_grid;
    across_ = std::clamp(static_cast<Rank>(width / (narrowest_cell() * cells)), Rank{1}, most_across());
    cell_ = std::min(most, width / (cells * across_));
    radius_ =
        has_bent()
            ? std::min(largest_seat,
                       std::max(0.15 * cell_, radius_for(fmt::format("{}", network.ranks() - 1), smallest_letters)))
            : circle_radius(network, cell_);
  }

  double width() const override { return width_; }
  double height() const override { return lines_of_planes() * plane_height(); }
  double radius() const override { return radius_; }
  double cell() const { return cell_; }
  Rank columns() const { return columns_.side(); }
  double narrowest_cell() const {
    return planes_ == 1 ? narrowest_cell_of_grid : has_fans() ? narrowest_cell_with_fans : narrowest_cell_of_planes;
  }

  /// Between two bent lines, in points.
  double between_bows() const {
    const Rank side = longest_complete();
    return side < 4 ? cell_ : (highest_bow() - lowest_bow()) / (side - 3);
  }

  /// Between the tips of two stubs of a fan, in points.
  double between_tips() const {
    const double out = radius_ + length_of_stub * (cell_ - 2 * radius_);
    return has_fans() ? out * fan_angle / (2 * most_joined_planes() - 3) : cell_;
  }

  bool hides_unused() const override { return has_bent() || has_fans(); }

  double widest_line() const override {
    const double most = has_bent() ? 0.6 * between_bows() : planes_ > 1 ? 1.8 : 3.0;
    return std::min({NetworkLayout::widest_line(), most, 0.5 * between_tips()});
  }

  Point at(Node node) const override {
    if (is_rank(node)) {
      const Seat seat = seat_of(node);
      return corner(seat.plane) + cell_ * Point{columns_.place(seat.column), rows_.place(seat.row)};
    }
    // The switches of the columns are numbered before those of the rows.
    const Node number = node - network().ranks();
    const Node of_columns = rows_.has_switch() ? columns_.side() : 0;
    return corner(0) + (number < of_columns
                            ? cell_ * Point{columns_.place(number), rows_.place_of_switch()}
                            : cell_ * Point{columns_.place_of_switch(), rows_.place(number - of_columns)});
  }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network().link(link);
    const std::size_t dimension = dimension_of(link);
    const Axis& axis = axes_[dimension];
    const auto number =
        static_cast<std::size_t>(link - network().grid()->first_link[dimension]) % axis.line().links.size();
    if (is_between_planes(dimension) && axis.is_complete())
      return {fan_stub(l.from, dimension, axis.line().links[number], true),
              fan_stub(l.to, dimension, axis.line().links[number], false)};
    const Point step = axis.direction(number) * along(dimension);
    const double aside = 0.42 * radius_;
    const auto leaves = [&](double part) { return between(at(l.from), at(l.from) + step, aside).before(part); };
    const auto arrives = [&](double part) { return between(at(l.to) - step, at(l.to), aside).after(1 - part); };
    if (is_between_planes(dimension)) return {leaves(length_of_stub), arrives(length_of_stub)};
    switch (axis.way(number)) {
      case Axis::Way::straight: return {between(at(l.from), at(l.to), aside)};
      case Axis::Way::around: return {leaves(0.75), arrives(0.75)};
      case Axis::Way::to_switch: return {leaves(0.75)};
      case Axis::Way::from_switch: return {arrives(0.75)};
      case Axis::Way::bent: break;
    }
    const LinkData& local = axis.line().links[number];
    return {bent(l.from, l.to, lowest_bow() + (std::abs(local.to - local.from) - 2) * between_bows())};
  }

  void draw_behind(Picture& picture, Point origin) const override {
    if (has_boards()) draw_boards(picture, origin);
    if (planes_ == 1) return;
    for (Rank plane = 0; plane < planes_; ++plane) {
      const Point first = origin + corner(plane);
      const Point middle{first.x + cell_ * columns_.span() / 2, first.y - 0.8 * cell_ - plane_title / 2};
      picture.as(Role::panel_title)->text(middle, plane_name(plane), picture.style().font_size - 1);
    }
  }

  void explain(PictureKey& key) const override {
    NetworkLayout::explain(key);
    if (has_boards()) {
      key.add_box(palette::faint, {palette::grey, "solid", 0.5}, "board");
      key.add_words("A line out of a board leads to the switch of its row or column.");
    }
    const bool has_wraps = rows_.is_ring() || columns_.is_ring();
    if (has_wraps) key.add_words("A line out of the grid comes in at its other side.");
    if (has_fans())
      key.add_words(
          "A diagonal line leads to the same place of another plane, to the right of a later one: the flatter, the "
          "nearer.");
    else if (planes_ > 1)
      key.add_words("A diagonal line leads to the same place of the next plane, or the one before it.");
  }

 private:
  std::size_t dimensions() const { return network().grid()->lines.size(); }
  bool has_boards() const { return rows_.has_switch() || columns_.has_switch(); }
  bool has_bent() const { return longest_complete() > 0; }

  Rank longest_complete() const {
    return std::max(rows_.is_complete() ? rows_.side() : 0, columns_.is_complete() ? columns_.side() : 0);
  }

  bool is_between_planes(std::size_t dimension) const { return dimension + 2 < dimensions(); }

  /// Of the dimensions between planes in which all are joined, the longest side; 0: there is none.
  Rank most_joined_planes() const {
    Rank most = 0;
    for (std::size_t d = 0; is_between_planes(d); ++d)
      if (axes_[d].is_complete()) most = std::max(most, axes_[d].side());
    return most;
  }
  bool has_fans() const { return most_joined_planes() > 0; }

  double lowest_bow() const { return radius_ + 2.2; }
  double highest_bow() const { return 0.46 * cell_; }

  /// Planes side by side: fans need large ones, so these are as many across as down.
  Rank most_across() const { return has_fans() ? static_cast<Rank>(std::ceil(std::sqrt(planes_))) : planes_; }
  int lines_of_planes() const { return static_cast<int>((planes_ + across_ - 1) / across_); }
  double plane_height() const { return cell_ * (rows_.span() + 1.6) + (planes_ > 1 ? plane_title : 0); }

  Seat seat_of(Node node) const {
    return {node / (rows_.side() * columns_.side()), node / columns_.side() % rows_.side(), node % columns_.side()};
  }

  /// Where the first seat of a plane is.
  Point corner(Rank plane) const {
    const double width = cell_ * (columns_.span() + 2 * around_seats);
    const double left = (width_ - width * across_) / 2;
    return {left + width * (plane % across_) + cell_ * around_seats,
            (plane / across_ + 1) * plane_height() - cell_ * (rows_.span() + 0.8)};
  }

  std::size_t dimension_of(Link link) const {
    const auto& first = network().grid()->first_link;
    return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), link) - first.begin()) - 1;
  }

  /// The stub of a link at one of its ends, in a direction that only links to that plane have: the flattest leads to
  /// the next plane, the one above it comes from there.
  Curve fan_stub(Node node, std::size_t dimension, const LinkData& local, bool leaves) const {
    const int away = leaves ? local.to - local.from : local.from - local.to;
    const int place = 2 * (std::abs(away) - 1) + (leaves ? 0 : 1), places = 2 * (axes_[dimension].side() - 1);
    const double angle = (quarter_turn - fan_angle) / 2 + fan_angle * place / (places - 1);
    const Point diagonal = along(dimension);
    const Point way = (away > 0 ? cell_ : -cell_) * Point{std::cos(angle), std::copysign(std::sin(angle), diagonal.y)};
    const Point here = at(node);
    return leaves ? between(here, here + way, 0).before(length_of_stub)
                  : between(here + way, here, 0).after(1 - length_of_stub);
  }

  /// The way to the next seat of a dimension; the outer ones go diagonally.
  Point along(std::size_t dimension) const {
    if (dimension + 1 == dimensions()) return {cell_, 0};
    if (dimension + 2 == dimensions()) return {0, cell_};
    const bool is_third = dimension + 3 == dimensions();
    return (cell_ * std::sqrt(0.5)) * Point{1, is_third ? -1.0 : 1.0};
  }

  std::string plane_name(Rank plane) const {
    const Rank side = axes_[dimensions() - 3].side();
    return dimensions() == 3 ? fmt::format("plane {}", plane) : fmt::format("plane {}, {}", plane / side, plane % side);
  }

  void draw_boards(Picture& picture, Point origin) const {
    for (Rank row = 0; row < rows_.side(); ++row)
      for (Rank column = 0; column < columns_.side(); ++column)
        if (is_corner(row, column)) draw_board(picture, origin, row, column);
  }

  bool is_corner(Rank row, Rank column) const { return rows_.begins(row) && columns_.begins(column); }

  void draw_board(Picture& picture, Point origin, Rank row, Rank column) const {
    constexpr double around = 0.42;
    const auto last = [](const Axis& axis, Rank seat) {
      while (!axis.ends(seat)) ++seat;
      return axis.place(seat);
    };
    const Point first{columns_.place(column) - around, rows_.place(row) - around};
    const Point size{last(columns_, column) + around - first.x, last(rows_, row) + around - first.y};
    // Thick lines, since Graphviz draws boxes over all lines.
    const Point left = origin + corner(0) + cell_ * (first + Point{0, size.y / 2});
    const Point right = left + Point{cell_ * size.x, 0}, border{0.5, 0};
    const Stroke grey{palette::grey, "solid", cell_ * size.y + 1}, inside{palette::faint, "solid", cell_ * size.y};
    picture.curve(Curve::straight(left - border, right + border), grey, Heads::none);
    picture.curve(Curve::straight(left, right), inside, Heads::none);
  }

  Line single_{1, 1, {}};  // the rows of a single line
  double width_;
  Axis rows_;
  Axis columns_;
  std::vector<Axis> axes_;  // of all dimensions
  Rank planes_;
  Rank across_;  // planes side by side
  double cell_;
  double radius_;
};

/// Can the links of a line be drawn, in a plane or between planes?
bool is_drawable(const Line& line, bool is_between_planes) {
  return is_ring_or_path(line) || line.nodes <= line.side + (is_between_planes ? 0 : 1);
}

}  // namespace

Drawn<std::unique_ptr<NetworkLayout>> grid_layout(const Network& network, double width) {
  if (!network.grid()) return nullptr;
  const auto& lines = network.grid()->lines;
  const bool has_switches = network.nodes() > network.ranks();
  if (lines.size() > 4 || (has_switches && lines.size() > 2))
    return too_large(fmt::format("{} has more sides than can be drawn", network.name()));
  for (std::size_t d = 0; d < lines.size(); ++d)
    if (!is_drawable(lines[d], d + 2 < lines.size()))
      return too_large(fmt::format("the links of {} would cover each other", network.name()));
  auto grid = std::make_unique<GridLayout>(network, width);
  if (grid->cell() < grid->narrowest_cell() || !fits_numbers(network, grid->radius()))
    return too_large(fmt::format("a row of {} ranks needs more width than {:.3g} in", grid->columns(), width / 72));
  if (grid->between_bows() < narrowest_between_bows)
    return too_large(
        fmt::format("the links of a row of {} ranks need more width than {:.3g} in", grid->columns(), width / 72));
  if (grid->between_tips() < narrowest_between_tips)
    return too_large(
        fmt::format("the links between the planes of {} need more width than {:.3g} in", network.name(), width / 72));
  return grid;
}

}  // namespace onceover::viz
