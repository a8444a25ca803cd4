// steps: which rank sends to which, with a panel for each step. Beside another schedule there are two columns, with the
// same steps side by side.

#include "viz/views/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "viz/film.h"
#include "viz/folding.h"

namespace onceover::viz {

namespace {

constexpr double column_gap = 10;  // between schedules, in points
constexpr double name_height = 12;

/// A schedule's part of the picture.
class Column {
 public:
  Column(Header header, SelectedMessages selection, const DrawOptions& options, double left)
      : left(left), header_(std::move(header)), selection_(std::move(selection)), options_(options) {}

  /// Its panels, at most so many side by side.
  Drawn<void> lay_out(int most_across) {
    const bool is_torus = header_.shape.size() > 1;
    if (!is_torus && !selection_.is_folded() && selection_.ranks.size() > most_in_a_row(options_.style))
      return tl::unexpected(row_too_long(selection_.ranks.size(), options_.style));
    if (selection_.is_folded())
      panels_ = TRY(panels_of_classes(header_, selection_, options_, most_across));
    else
      panels_ = is_torus ? panels_on_a_torus(header_, selection_, options_, most_across)
                         : panels_on_a_line(header_, selection_, options_, most_across);
    return {};
  }

  const Header& header() const { return header_; }
  SelectedMessages& selection() { return selection_; }
  const SelectedMessages& selection() const { return selection_; }
  const StepPanels& panels() const { return *panels_; }
  double width() const { return options_.style.width_in_points(); }

  double left;  // in points

 private:
  Header header_;
  SelectedMessages selection_;
  DrawOptions options_;
  std::unique_ptr<StepPanels> panels_;
};

/// The whole picture, of one column or two.
class StepsPicture {
 public:
  static Drawn<StepsPicture> make(const Schedule& schedule, const DrawOptions& options, bool is_apart) {
    StepsPicture picture(schedule.header(), options);
    TRY(options.beside ? picture.add_both(schedule) : picture.add(schedule, options, 0));
    for (Column& column : picture.columns_)
      TRY(column.lay_out(is_apart ? 1 : options.columns.value_or(picture.most_panels())));
    picture.across_ = picture.columns_.front().panels().across();
    return picture;
  }

  /// Rows of panels: of one schedule as many side by side as fit, of two the same step.
  int rows() const { return (most_panels() + across_ - 1) / across_; }

  Picture draw() const {
    double height = names_height() + foot_height();
    for (int row = 0; row < rows(); ++row) height += room_of(row).height();
    Picture picture(options_.style, title(), height);
    draw_names(picture);
    double top = names_height();
    for (int row = 0; row < rows(); ++row) {
      const Room room = room_of(row);
      draw_row(picture, row, top, room);
      top += room.height();
    }
    draw_foot(picture, top);
    return picture;
  }

  /// A picture for each row, all of the same height.
  std::vector<Frame> frames() const {
    Room room;
    for (int row = 0; row < rows(); ++row) {
      room.above = std::max(room.above, room_of(row).above);
      room.below = std::max(room.below, room_of(row).below);
    }
    std::vector<Frame> all;
    for (int row = 0; row < rows(); ++row) all.push_back(frame(row, room));
    return all;
  }

 private:
  /// The room that a row needs above its ranks, and from there on.
  struct Room {
    double above = 0;
    double below = 0;

    double height() const { return above + below; }
  };

  StepsPicture(const Header& header, const DrawOptions& options) : header_(header), options_(options) {}

  Frame frame(int row, const Room& room) const {
    const double top = names_height(), height = top + room.height() + foot_height();
    Picture picture(options_.style, fmt::format("{}, {}", title(), row_title(row)), height);
    draw_names(picture);
    draw_row(picture, row, top, room);
    picture.move_to({0, top});
    const std::string place = fmt::format("{} of {}", row + 1, rows());
    const double size = options_.style.small(), right = options_.style.width_in_points() - margin;
    picture.as(Role::note)->text({right - text_width(place, size) / 2, title_height / 2}, place, size);
    draw_foot(picture, top + room.height());
    return {std::move(picture), row_title(row)};
  }

  /// "step 3: reduce".
  std::string row_title(int row) const {
    for (const Column& column : columns_)
      if (static_cast<std::size_t>(row) < column.panels().count())
        return panel_title(column.selection().panels[static_cast<std::size_t>(row)], column.selection().messages,
                           column.header().names);
    return "";
  }

  /// Both schedules are drawn on the first one's torus.
  Drawn<void> add(const Schedule& schedule, const DrawOptions& options, double left) {
    DrawOptions selected = options;
    selected.thinned = options.thinned && !options.beside;
    Header header = schedule.header();
    header.shape = header_.shape;
    if (header.shape.size() < 2 && !asks_to_fold(options)) TRY(check_row(schedule, selected));
    columns_.emplace_back(std::move(header), TRY(select(schedule, selected)), options, left);
    return {};
  }

  /// Of the schedule that has more.
  int most_panels() const {
    std::size_t most = 0;
    for (const Column& column : columns_) most = std::max(most, column.selection().panels.size());
    return static_cast<int>(most);
  }

  /// Both schedules, each on its half; the one that ends earlier has fewer panels. Steps share no panels.
  Drawn<void> add_both(const Schedule& schedule) {
    DrawOptions half = options_;
    const double width = (options_.style.width_in_points() - column_gap) / 2;
    half.style.width = width / 72;
    TRY(add(schedule, half, 0));
    if (half.steps) half.steps->second = std::min(half.steps->second, options_.beside->steps() - 1);
    if (half.steps && half.steps->first > half.steps->second) half.steps = {0, -1};
    TRY(add(*options_.beside, half, width + column_gap));
    Column &one = columns_[0], &other = columns_[1];
    const SelectedMessages unmarked = one.selection();
    mark_beside(one.selection(), one.header(), other.selection(), other.header());
    mark_beside(other.selection(), other.header(), unmarked, one.header());
    return {};
  }

  bool is_of_two() const { return columns_.size() > 1; }
  std::string title() const { return title_of(header_); }
  double names_height() const { return is_of_two() ? name_height : 0; }

  /// All panels of a row have their ranks at the same height.
  Room room_of(int row) const {
    Room room;
    for (const Column& column : columns_)
      for_panels(column, row, [&](std::size_t panel, int) {
        room.above = std::max(room.above, column.panels().above(panel));
        room.below = std::max(room.below, column.panels().below(panel));
      });
    return room;
  }

  /// Calls visit(panel, its place from the left) for the panels of a column's row.
  template <class Visit>
  void for_panels(const Column& column, int row, Visit&& visit) const {
    for (int k = 0; k < across_; ++k)
      if (const auto panel = static_cast<std::size_t>(row * across_ + k); panel < column.panels().count())
        visit(panel, k);
  }

  void draw_names(Picture& picture) const {
    if (!is_of_two()) return;
    for (const Column& column : columns_) {
      picture.move_to({column.left, 0});
      picture.as(Role::panel_title)
          ->text({column.width() / 2, name_height / 2}, title_of(column.header()), options_.style.font_size);
    }
  }

  void draw_row(Picture& picture, int row, double top, const Room& room) const {
    for (const Column& column : columns_) {
      picture.add_class(&column == &columns_.front() ? "" : "beside");
      bool is_there = false;
      for_panels(column, row, [&](std::size_t panel, int place) {
        picture.move_to({column.left + place * column.panels().width(), top});
        column.panels().draw(picture, panel, room.above);
        is_there = true;
      });
      picture.move_to({column.left, top});
      if (!is_there)
        picture.as(Role::panel_title)
            ->text({column.width() / 2, title_height / 2}, "no more steps", options_.style.font_size);
    }
  }

  double foot_height() const { return key().height() + margin; }

  void draw_foot(Picture& picture, double top) const {
    picture.move_to({0, 0});
    key().draw(picture, top);
  }

  /// What is below the panels: the key to the lanes or, of two schedules, to what differs.
  PictureKey key() const {
    const Column& column = columns_.front();
    PictureKey key = is_of_two() ? key_to_differences() : key_to(column.selection().messages, options_.style);
    key.add_words(column.panels().explanation());
    return key;
  }

  PictureKey key_to_differences() const {
    PictureKey key(options_.style);
    for (const auto& [beside, says] : {std::pair(Beside::same, "the same in both"),
                                       std::pair(Beside::other_blocks, "in both, with other blocks or operation"),
                                       std::pair(Beside::not_there, "only in this one")}) {
      Message sample{};
      sample.beside = beside;
      key.add_line(stroke_of(sample), says);
    }
    return key;
  }

  const Header& header_;
  const DrawOptions& options_;
  std::vector<Column> columns_;  // one or two
  int across_ = 1;
};

Drawn<Picture> draw_steps(const Schedule& schedule, const DrawOptions& options) {
  if (schedule.header().shape.size() < 2)
    if (const auto folded = folded_if_crowded(schedule.header().ranks, options))
      if (auto picture = StepsPicture::make(schedule, *folded, false)) return picture->draw();
  return TRY(StepsPicture::make(schedule, options, false)).draw();
}

}  // namespace

Drawn<std::vector<Frame>> frames(const Schedule& schedule, const DrawOptions& options) {
  TRY(check_drawable(schedule, options));
  DrawOptions unfolded = options;  // ranks stay where they are
  unfolded.fold = Fold::never;
  const auto picture = TRY(StepsPicture::make(schedule, unfolded, true));
  return picture.frames();
}

LastSides::LastSides(const std::vector<Rank>& sides, bool transposes)
    : columns(sides.back()), rows(sides.size() > 1 ? sides[sides.size() - 2] : 1), is_transposed(transposes) {
  if (transposes) std::swap(columns, rows);
}

PlaceOnTorus LastSides::place_of(Rank rank) const {
  const Rank last = is_transposed ? rows : columns;
  PlaceOnTorus place{rank / (rows * columns), rank / last % (rows * columns / last), rank % last};
  if (is_transposed) std::swap(place.column, place.row);
  return place;
}

std::string counts_in_title(const std::vector<StepCount>& counts, double font_size) {
  const auto half = [&](Block size) { return text_width(fmt::format("{}", size), font_size) / 2; };
  const auto meet = [&](const StepCount& a, const StepCount& b) {
    return std::abs(a.at.x - b.at.x) < half(a.size) + half(b.size) && std::abs(a.at.y - b.at.y) < 0.7 * font_size;
  };
  Block least = 0, most = 0;
  bool overlap = false;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    least = k == 0 ? counts[k].size : std::min(least, counts[k].size);
    most = std::max(most, counts[k].size);
    for (std::size_t other = 0; other < k && !overlap; ++other) overlap = meet(counts[k], counts[other]);
  }
  return overlap ? ", " + sizes_text(least, most) : "";
}

const View steps_view{
    .name = "steps",
    .summary = "who sends to whom: a panel for each step, ranks in a row or on their torus",
    .heeds = "--ranks --steps --counts --transpose --no-wrap --fold --no-fold --columns --beside --animate",
    .draw = draw_steps,
};

}  // namespace onceover::viz
