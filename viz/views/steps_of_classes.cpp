// Steps of ranks that send alike: of each class one rank is drawn, with those that it sends to.
//
// A panel has a place for each coordinate of these ranks on each side of their torus; dots stand for those in between.
// Around a side, the coordinates begin half a side before that of the first rank, so that it is in the middle and sends
// to either side.
//
// Example: at its step 3, Swing's rank 0 sends to rank p - 5, and rank 1 to rank 6. The panel has the ranks p-5, 0, 1
// and 6, and dots between them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/rows.h"
#include "viz/folding.h"
#include "viz/rank_row.h"
#include "viz/views/steps.h"

namespace onceover::viz {

namespace {

constexpr double class_head_scale = 0.3;
constexpr double between_rows = 5;
constexpr double between_circles = 6;  // of neighbours
constexpr double room_of_dots = 8;     // in place of the ranks between two, in points
constexpr double between_slices = 10;
constexpr double around_panel = 4;  // for lines that bend out of it
constexpr double below_panel = 5;
constexpr double between_lines = 3;  // that join the same ranks
constexpr double largest_bow = 16;

/// The coordinates of one side that a panel shows, and where they are.
class SideShown {
 public:
  using Room = std::function<double(Rank)>;

  SideShown() = default;

  /// Each has the room that it needs; see row_with_dots.
  SideShown(const std::set<Rank>& coordinates, Rank side, Rank first, bool is_around, const Room& room,
            bool has_dots_at_ends = true) {
    std::vector<Rank> row = row_with_dots({coordinates.begin(), coordinates.end()}, side, first, is_around);
    if (!has_dots_at_ends && row.front() == left_out) row.erase(row.begin());
    if (!has_dots_at_ends && row.back() == left_out) row.pop_back();
    for (const Rank c : row) {
      const double needed = c == left_out ? room_of_dots : room(c);
      if (c == left_out)
        dots_.push_back(length_ + needed / 2);
      else
        at_[c] = length_ + needed / 2;
      length_ += needed;
    }
  }

  double length() const { return length_; }
  double at(Rank coordinate) const { return at_.at(coordinate); }
  const std::vector<double>& dots() const { return dots_; }

 private:
  std::map<Rank, double> at_;
  std::vector<double> dots_;
  double length_ = 0;
};

/// A panel's ranks, their places and the lines between them, from its upper left corner.
class ClassPanel {
 public:
  ClassPanel(const Header& header, const RankClasses& classes, std::vector<Message> messages, double radius,
             const DrawOptions& options)
      : sides_(header.sides(), options.transposes), messages_(std::move(messages)), radius_(radius) {
    if (messages_.empty()) return;
    ranks_ = ranks_of(messages_);
    std::map<Rank, std::set<Rank>> columns;  // by slice
    std::set<Rank> rows, slices;
    for (const Rank rank : ranks_) {
      const PlaceOnTorus at = sides_.place_of(rank);
      columns[at.slice].insert(at.column);
      rows.insert(at.row);
      slices.insert(at.slice);
    }
    const bool is_around = options.wraps && !classes.is_by_xor();
    const PlaceOnTorus first = sides_.place_of(messages_.front().src);
    const auto pitch = [&](Rank) { return 2 * radius + between_circles; };
    for (const auto& [slice, shown] : columns)
      columns_[slice] = SideShown(shown, sides_.columns, first.column, is_around && sides_.columns > 2, pitch);
    rows_ = SideShown(
        rows, sides_.rows, first.row, is_around && sides_.rows > 2, [&](Rank) { return 2 * radius + between_rows; },
        sides_.columns == 1);
    slices_ = SideShown(slices, header.ranks / sides_.rows / sides_.columns, first.slice,
                        is_around && header.shape.size() == 3,
                        [&](Rank slice) { return columns_.at(slice).length() + between_slices; });
    lay_out_lines();
  }

  /// Ascending, each once.
  std::vector<Rank> senders() const {
    std::set<Rank> all;
    for (const Message& m : messages_) all.insert(m.src);
    return {all.begin(), all.end()};
  }

  double width() const { return slices_.length() + left_ + right_; }
  double left() const { return left_; }
  double above() const { return above_; }
  double height() const { return above_ + rows_.length() + below_; }

  /// With the upper left corner of its ranks' places there; representatives are bold.
  void draw(Picture& picture, Point corner, const RankLabels& labels) const {
    for (const Line& line : lines_)
      picture.curve(
          {corner + line.curve.from, corner + line.curve.leaving, corner + line.curve.arriving, corner + line.curve.to},
          stroke_of(*line.message), Heads::at_end, std::min(class_head_scale, 0.026 * length(line.curve)),
          class_of(*line.message));
    for (const Rank rank : ranks_) {
      const bool is_bold = has(senders(), rank);
      picture.disc(corner + at(rank), radius_, labels(rank), {.width = is_bold ? 1.5 : 0.5}, palette::white,
                   class_of(rank));
    }
    draw_dots(picture, corner);
  }

  /// "×4", or "×1 to ×4": how many blocks messages have.
  std::string sizes() const {
    const auto [least, most] = std::minmax_element(messages_.begin(), messages_.end(),
                                                   [](const Message& a, const Message& b) { return a.size < b.size; });
    return messages_.empty() ? "" : sizes_text(least->size, most->size);
  }

  /// Is no count over another, over a rank, or over most of its line?
  bool have_counts_room(double size) const {
    constexpr double shortest_line = 14;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      if (length(lines_[k].curve) < shortest_line) return false;
      const Point middle = lines_[k].curve.at(0.5);
      const double half = std::max(3.5, text_width(fmt::format("{}", lines_[k].message->size), size) / 2);
      const auto is_near = [&](Point other, double across, double down) {
        return std::abs(other.x - middle.x) < half + across && std::abs(other.y - middle.y) < size / 2 + down;
      };
      for (std::size_t other = 0; other < k; ++other)
        if (is_near(lines_[other].curve.at(0.5), half, size / 2)) return false;
      for (const Rank rank : ranks_)
        if (is_near(at(rank), radius_ - 1, radius_ - 1)) return false;
    }
    return true;
  }

  /// How many blocks each message has.
  void draw_counts(Picture& picture, Point corner, double size) const {
    for (const Line& line : lines_)
      picture.as(Role::label)
          ->box(corner + line.curve.at(0.5) - Point{3.5, 3}, 7, 6, fmt::format("{}", line.message->size), size,
                palette::white, {palette::white, "solid", 0});
  }

 private:
  struct Line {
    const Message* message;
    Curve curve;
  };

  Point at(Rank rank) const {
    const PlaceOnTorus place = sides_.place_of(rank);
    return {left_of(place.slice) + columns_.at(place.slice).at(place.column), rows_.at(place.row)};
  }

  double left_of(Rank slice) const { return slices_.at(slice) - columns_.at(slice).length() / 2; }

  void lay_out_lines() {
    std::map<std::pair<Rank, Rank>, int> joined;
    for (const Message& m : messages_) {
      lines_.push_back({&m, curve_of(m, joined[{m.src, m.dst}]++)});
      make_room(lines_.back().curve);
    }
  }

  void make_room(const Curve& curve) {
    for (const double t : {0.25, 0.5, 0.75}) {
      const Point p = curve.at(t);
      left_ = std::max(left_, 2 - p.x);
      right_ = std::max(right_, 2 + p.x - slices_.length());
      above_ = std::max(above_, 2 - p.y);
      below_ = std::max(below_, 2 + p.y - rows_.length());
    }
  }

  /// Bent to the left-hand side, the more the longer it is; beside those that join the same ranks.
  Curve curve_of(const Message& m, int number) const {
    const Point from = at(m.src), along = at(m.dst) - from;
    const double length = std::hypot(along.x, along.y);
    if (length == 0) return loop(from);
    const Point left{along.y / length, -along.x / length};
    const double bow = std::min(2 + 0.16 * length, largest_bow) + between_lines * number;
    const Point leaving = 0.3 * along + (4.0 / 3 * bow) * left, arriving = -0.3 * along + (4.0 / 3 * bow) * left;
    const auto edge = [&](Point direction) { return (radius_ / std::hypot(direction.x, direction.y)) * direction; };
    return {from + edge(leaving), from + leaving, from + along + arriving, from + along + edge(arriving)};
  }

  Curve loop(Point at) const {
    const double near = 0.3 * radius_, far = 2.2 * radius_;
    return {at + Point{-near, -radius_}, at + Point{-far, -far}, at + Point{far, -far}, at + Point{near, -radius_}};
  }

  /// Three dots in each row where columns are left out, and in each column where rows or slices are.
  void draw_dots(Picture& picture, Point corner) const {
    std::set<std::pair<double, double>> seen;
    for (const Rank rank : ranks_) {
      const Point place = at(rank);
      const Rank slice = sides_.place_of(rank).slice;
      for (const double x : columns_.at(slice).dots()) seen.emplace(left_of(slice) + x, place.y);
      for (const double x : slices_.dots()) seen.emplace(x, place.y);
      for (const double y : rows_.dots()) {
        for (const double away : {-2.5, 0.0, 2.5}) draw_one_dot(picture, corner + Point{place.x, y + away});
      }
    }
    for (const auto& [x, y] : seen)
      for (const double away : {-2.5, 0.0, 2.5}) draw_one_dot(picture, corner + Point{x + away, y});
  }

  static void draw_one_dot(Picture& picture, Point at) {
    picture.as(Role::label)->disc(at, 0.6, "", {.width = 0.1}, palette::black);
  }

  LastSides sides_;
  std::vector<Message> messages_;
  double radius_;
  std::vector<Rank> ranks_;
  std::map<Rank, SideShown> columns_;  // of each slice
  SideShown rows_, slices_;
  std::vector<Line> lines_;
  double left_ = 0, right_ = 0, above_ = 0, below_ = 0;  // room for lines around the ranks
};

class ClassPanels : public StepPanels {
 public:
  ClassPanels(const Header& header, const SelectedMessages& selection, const DrawOptions& options, int most_across)
      : names_(header.names), selection_(selection), options_(options), words_(selection) {
    const RankLabels named(header.names);
    double radius = 5.5;
    for (const Message& m : selection.messages)
      for (const Rank rank : {m.src, m.dst}) radius = std::max(radius, radius_for(named(rank), smallest_letters));
    labels_ = RankLabels(header.names, radius);
    for (std::size_t k = 0; k < selection.panels.size(); ++k) {
      std::vector<Message> messages;
      for (const Message& m : selection.messages)
        if (m.step == selection.panels[k].first) messages.push_back(m);
      panels_.emplace_back(header, *selection.classes[k], std::move(messages), radius, options);
    }
    for (const ClassPanel& panel : panels_) widest_ = std::max(widest_, panel.width() + around_panel);
    const double room = options.style.width_in_points() - 1 - 2 * margin;
    across_ = std::clamp(static_cast<int>(room / std::max(widest_, widest_title() + 6)), 1, most_across);
    width_ = room / across_;
  }

  bool fits() const { return widest_ - around_panel <= width_; }

  std::size_t count() const override { return panels_.size(); }
  int across() const override { return across_; }
  double width() const override { return width_; }
  double above(std::size_t panel) const override {
    return title_height + line() * static_cast<double>(lines_of(panel).size()) + panels_[panel].above();
  }
  double below(std::size_t panel) const override {
    return panels_[panel].height() - panels_[panel].above() + below_panel;
  }

  std::string explanation() const override { return words_of({words_.note(), labels_.explanation()}); }

  void draw(Picture& picture, std::size_t panel, double above) const override {
    const double size = options_.style.font_size;
    picture.as(Role::panel_title)->text({margin + width_ / 2, title_height / 2}, title(panel, width_), size);
    double y = title_height;
    for (const std::string& words : lines_of(panel)) {
      picture.as(Role::panel_title)->text({margin + width_ / 2, y + line() / 2}, words, small());
      y += line();
    }
    const ClassPanel& drawn = panels_[panel];
    const Point corner{margin + (width_ - drawn.width()) / 2 + drawn.left(), above};
    drawn.draw(picture, corner, labels_);
    if (has_counts(panel)) drawn.draw_counts(picture, corner, small());
  }

 private:
  std::string title(std::size_t panel, double room) const {
    return panel_title_within(room, options_.style.font_size, selection_.panels[panel], selection_.messages, names_);
  }

  double widest_title() const {
    double widest = 0;
    for (std::size_t k = 0; k < panels_.size(); ++k)
      widest = std::max(widest, text_width(title(k, 0), options_.style.font_size));
    return widest;
  }

  /// Does each message show its number of blocks?
  bool has_counts(std::size_t panel) const { return options_.counts && panels_[panel].have_counts_room(small()); }

  /// For whom the ranks of a panel stand, and how many blocks messages have, below its title.
  std::vector<std::string> lines_of(std::size_t panel) const {
    std::vector<std::string> lines;
    if (const std::string whom = words_.of_panel(panel, labels_); !whom.empty())
      lines = lines_within(whom, width_ - 4, small());
    const std::string sizes = has_counts(panel) ? "" : panels_[panel].sizes();
    if (!lines.empty() && !sizes.empty() && text_width(lines.back() + "; " + sizes, small()) <= width_ - 4)
      lines.back() += "; " + sizes;
    else if (!sizes.empty())
      lines.push_back(sizes);
    return lines;
  }

  double small() const { return options_.style.small(); }
  double line() const { return small() + 1; }

  const Names& names_;
  const SelectedMessages& selection_;
  const DrawOptions& options_;
  RankLabels labels_{{}, 0};
  FoldedWords words_;
  std::vector<ClassPanel> panels_;
  double widest_ = 0;  // panel
  int across_ = 1;
  double width_ = 0;  // that each has
};

}  // namespace

Drawn<std::unique_ptr<StepPanels>> panels_of_classes(const Header& header, const SelectedMessages& selection,
                                                     const DrawOptions& options, int most_across) {
  auto panels = std::make_unique<ClassPanels>(header, selection, options, most_across);
  if (!panels->fits())
    return too_large(fmt::format("a step's ranks need more width than {:.3g} in", options.style.width));
  return panels;
}

}  // namespace onceover::viz
