// Steps of ranks that send alike: of each class one rank is drawn, with those that it sends to.
//
// A panel has a place for each coordinate of these ranks on each side of their torus; dots stand for those in between.
// Around a side, the coordinates begin half a side before that of the first rank, so that it is in the middle and sends
// to either side.
//
// Example: at its step 3, Swing's rank 0 sends to rank p - 5, and rank 1 to rank 6. The panel has the ranks p-5, 0, 1
// and 6, and dots between them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/rows.h"
#include "viz/rank_row.h"
#include "viz/views/steps.h"

namespace onceover::viz {

namespace {

constexpr double class_head_scale = 0.3;
constexpr double between_rows = 4.5;
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

  /// Each has the room that it needs. `first` is in the middle if `is_around`. Dots at the ends say that the side goes
  /// on, if it has any.
  SideShown(const std::set<Rank>& coordinates, Rank side, Rank first, bool is_around, const Room& room,
            bool has_dots_at_ends = true) {
    const auto offset = [&](Rank c) {
      const Rank distance = (c - first + side) % side;
      return is_around && 2 * distance > side ? distance - side : distance;
    };
    for (const Rank c : coordinates) shown_.push_back({c, is_around ? offset(c) : c});
    std::sort(shown_.begin(), shown_.end(), [](const Shown& a, const Shown& b) { return a.order < b.order; });
    const bool goes_on = is_around && std::ssize(shown_) < side;
    if (has_dots_at_ends && (goes_on || shown_.front().order > 0)) add_dots();
    for (std::size_t k = 0; k < shown_.size(); ++k) {
      if (k > 0 && shown_[k].order - shown_[k - 1].order > 1) add_dots();
      const double needed = room(shown_[k].coordinate);
      shown_[k].at = length_ + needed / 2;
      length_ += needed;
    }
    if (has_dots_at_ends && (goes_on || (!is_around && shown_.back().order < side - 1))) add_dots();
  }

  double length() const { return length_; }
  double at(Rank coordinate) const {
    return std::find_if(shown_.begin(), shown_.end(), [&](const Shown& s) { return s.coordinate == coordinate; })->at;
  }
  const std::vector<double>& dots() const { return dots_; }

 private:
  struct Shown {
    Rank coordinate;
    Rank order;
    double at = 0;
  };

  void add_dots() {
    dots_.push_back(length_ + room_of_dots / 2);
    length_ += room_of_dots;
  }

  std::vector<Shown> shown_;
  std::vector<double> dots_;
  double length_ = 0;
};

/// Where a rank is on its torus: on the last side, on the one before, and on the others together.
struct PlaceOnTorus {
  Rank column, row, slice;
};

PlaceOnTorus place_on(const std::vector<Rank>& sides, Rank rank) {
  const Rank columns = sides.back(), rows = sides.size() > 1 ? sides[sides.size() - 2] : 1;
  return {rank % columns, rank / columns % rows, rank / columns / rows};
}

/// A panel's ranks, their places and the lines between them, from its upper left corner.
class ClassPanel {
 public:
  ClassPanel(const Header& header, const RankClasses& classes, std::vector<Message> messages, double radius, bool wraps)
      : sides_(header.sides()), messages_(std::move(messages)), radius_(radius) {
    if (messages_.empty()) return;
    ranks_ = ranks_of(messages_);
    std::map<Rank, std::set<Rank>> columns;  // by slice
    std::set<Rank> rows, slices;
    for (const Rank rank : ranks_) {
      const PlaceOnTorus at = place_on(sides_, rank);
      columns[at.slice].insert(at.column);
      rows.insert(at.row);
      slices.insert(at.slice);
    }
    const bool is_around = wraps && !classes.is_by_xor();
    const PlaceOnTorus first = place_on(sides_, messages_.front().src);
    const Rank row_count = sides_.size() > 1 ? sides_[sides_.size() - 2] : 1;
    const auto pitch = [&](Rank) { return 2 * radius + between_circles; };
    for (const auto& [slice, shown] : columns)
      columns_[slice] = SideShown(shown, sides_.back(), first.column, is_around && sides_.back() > 2, pitch);
    rows_ = SideShown(
        rows, row_count, first.row, is_around && row_count > 2, [&](Rank) { return 2 * radius + between_rows; }, false);
    slices_ = SideShown(slices, header.ranks / row_count / sides_.back(), first.slice, is_around && sides_.size() == 3,
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
          stroke_of(*line.message), Heads::at_end, class_head_scale, class_of(*line.message));
    for (const Rank rank : ranks_) {
      const bool is_bold = has(senders(), rank);
      picture.disc(corner + at(rank), radius_, labels(rank), {.width = is_bold ? 1.5 : 0.5}, palette::white,
                   class_of(rank));
    }
    draw_dots(picture, corner);
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
    const PlaceOnTorus place = place_on(sides_, rank);
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
      const Rank slice = place_on(sides_, rank).slice;
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

  std::vector<Rank> sides_;
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
      : names_(header.names), selection_(selection), options_(options) {
    const RankLabels named(header.names);
    double radius = 5.5;
    for (const Message& m : selection.messages)
      for (const Rank rank : {m.src, m.dst}) radius = std::max(radius, radius_for(named(rank), smallest_letters));
    labels_ = RankLabels(header.names, radius);
    for (std::size_t k = 0; k < selection.panels.size(); ++k) {
      std::vector<Message> messages;
      for (const Message& m : selection.messages)
        if (m.step == selection.panels[k].first) messages.push_back(m);
      panels_.emplace_back(header, *selection.classes[k], std::move(messages), radius, options.wraps);
    }
    find_sizes();
    double widest = widest_title() + 6;
    for (const ClassPanel& panel : panels_) widest = std::max(widest, panel.width() + around_panel);
    const double room = options.style.width_in_points() - 1 - 2 * margin;
    across_ = std::clamp(static_cast<int>(room / widest), 1, most_across);
    width_ = room / across_;
  }

  std::size_t count() const override { return panels_.size(); }
  int across() const override { return across_; }
  double width() const override { return width_; }
  double above(std::size_t panel) const override { return title_height + panels_[panel].above(); }
  double below(std::size_t panel) const override {
    return panels_[panel].height() - panels_[panel].above() + below_panel;
  }

  std::string explanation() const override {
    return words_of({backwards_text(), classes_text(), labels_.explanation()});
  }

  void draw(Picture& picture, std::size_t panel, double above) const override {
    const double size = options_.style.font_size;
    picture.as(Role::panel_title)->text({margin + width_ / 2, title_height / 2}, title(panel, width_), size);
    const ClassPanel& drawn = panels_[panel];
    const Point corner{margin + (width_ - drawn.width()) / 2 + drawn.left(), above};
    drawn.draw(picture, corner, labels_);
    if (options_.counts) drawn.draw_counts(picture, corner, options_.style.small());
  }

 private:
  /// Finds whether all that is drawn stands for as many ranks, and for how many.
  void find_sizes() {
    std::set<Rank> sizes;
    for (std::size_t k = 0; k < panels_.size(); ++k)
      for (const Rank sender : panels_[k].senders()) sizes.insert(selection_.classes[k]->size_of(sender));
    if (sizes.size() == 1) size_of_all_ = *sizes.begin();
  }

  /// "step 3: reduce"; if not all that is drawn stands for as many ranks, "step 3: reduce (0 for 6, 1 alone)".
  std::string title(std::size_t panel, double room) const {
    const std::string text =
        panel_title_within(room, options_.style.font_size, selection_.panels[panel], selection_.messages, names_);
    if (size_of_all_) return text;
    return fmt::format("{} ({})", text,
                       fmt::join(mapped(panels_[panel].senders(),
                                        [&](Rank sender) {
                                          const Rank size = selection_.classes[panel]->size_of(sender);
                                          return size == 1 ? labels_(sender) + " alone"
                                                           : fmt::format("{} for {}", labels_(sender), size);
                                        }),
                                 ", "));
  }

  double widest_title() const {
    double widest = 0;
    for (std::size_t k = 0; k < panels_.size(); ++k)
      widest = std::max(widest, text_width(title(k, 0), options_.style.font_size));
    return widest;
  }

  std::string backwards_text() const {
    if (!selection_.backwards) return "";
    return fmt::format("Steps {} to {}: the same backwards, as copies.", selection_.backwards->first,
                       selection_.backwards->end - 1);
  }

  /// "Each bold rank is one of 32 that send alike, shifted."
  std::string classes_text() const {
    const bool is_by_xor = !selection_.classes.empty() && selection_.classes.front()->is_by_xor();
    const std::string how =
        is_by_xor ? "alike: where rank 0 sends to m, rank r sends to r xor m." : "alike in the step, shifted.";
    return size_of_all_ ? fmt::format("Each bold rank is one of {} that send {}", *size_of_all_, how)
                        : fmt::format("Each bold rank stands for as many as the title says, which send {}", how);
  }

  const Names& names_;
  const SelectedMessages& selection_;
  const DrawOptions& options_;
  RankLabels labels_{{}, 0};
  std::vector<ClassPanel> panels_;
  std::optional<Rank> size_of_all_;  // if all that is drawn stands for as many ranks
  int across_ = 1;
  double width_ = 0;
};

}  // namespace

std::unique_ptr<StepPanels> panels_of_classes(const Header& header, const SelectedMessages& selection,
                                              const DrawOptions& options, int most_across) {
  return std::make_unique<ClassPanels>(header, selection, options, most_across);
}

}  // namespace onceover::viz
