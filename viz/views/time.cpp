// time: when each message leaves and arrives, with ranks across. Steps go down one by one or, if it is known how long
// messages take, time does.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "base/result.h"
#include "base/sentences.h"
#include "base/table.h"
#include "viz/folding.h"
#include "viz/time_chart.h"
#include "viz/time_column.h"
#include "viz/view.h"

namespace onceover::viz {

namespace {

// Space-time diagram: ranks across, time downward to scale, each message a line from when it is sent to its arrival.
//
// First all messages that are shown get their times, then the axis its unit, the page's height decides the scale, and
// then every label looks for a place that is free.
//
// Example: a ring of 4 with 4 MiB sends 1 MiB in each step. If it takes 21 us, all arrows of step 0 fall from 0 to 21,
// and "step 0" and "1 MiB" stand beside them.

constexpr double edge = 3;           // around the picture, in points
constexpr double tallest_step = 34;  // of a picture with room for all steps
constexpr double least_height = 110;
constexpr double flattest_step = 7;  // on average; flatter, nobody sees a step
constexpr double between_columns = 10;

std::string microseconds_text(double ns) {
  std::string text = time_text(ns);
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "\u00b5");
  return text;
}

/// From when the first of the columns begins to when the last one ends.
TimeAxis axis_of(const std::vector<TimeColumn>& columns) {
  double begin = columns.front().times().begin, end = columns.front().times().end;
  for (const TimeColumn& column : columns) {
    begin = std::min(begin, column.times().begin);
    end = std::max(end, column.times().end);
  }
  return {begin, end};
}

/// The diagram, of one column or two.
class SpaceTime {
 public:
  SpaceTime(std::vector<TimeColumn> columns, const DrawOptions& options)
      : options_(options),
        columns_(std::move(columns)),
        axis_(axis_of(columns_)),
        small_(options.style.small()),
        key_(key_to(all_messages(), options.style)) {
    for (TimeColumn& column : columns_) column.set_axis(axis_);
    for (const TimeColumn& column : columns_) row_height_ = std::max(row_height_, column.row_height());
    if (columns_.size() > 1)
      for (const TimeColumn& column : columns_) headings_.push_back(heading(column));
    for (const auto& lines : headings_)
      names_height_ = std::max(names_height_, line_height() * static_cast<double>(lines.size()) + 2);
    for (const TimeColumn& column : columns_)
      if (&column == &columns_.front() || column.labels_explanation() != columns_.front().labels_explanation())
        key_.add_words(column.labels_explanation());
    top_ = names_height_ + edge + row_height_ + 5;
  }
  SpaceTime(const SpaceTime&) = delete;  // columns refer to the axis
  SpaceTime& operator=(const SpaceTime&) = delete;

  Drawn<Picture> draw() {
    TRY(lay_out(""));
    if (const std::string sizes = sizes_text(); !sizes.empty()) TRY(lay_out(sizes));
    Picture picture(options_.style, columns_.front().title(), top_ + axis_.height() + below());
    for (std::size_t k = 0; k < columns_.size(); ++k) draw_column(picture, k);
    picture.move_to({0, 0});
    double y = top_ + axis_.height() + 6;
    key_.draw(picture, y);
    y += key_.height();
    for (const std::string& line : caption_) {
      picture.as(Role::note)->text_from({edge, y + 0.65 * small_}, line, small_);
      y += 1.3 * small_;
    }
    return picture;
  }

 private:
  std::vector<Message> all_messages() const {
    std::vector<Message> all;
    for (const TimeColumn& column : columns_)
      all.insert(all.end(), column.selection().messages.begin(), column.selection().messages.end());
    return all;
  }

  double column_width() const {
    const auto count = static_cast<double>(columns_.size());
    return (options_.style.width_in_points() - (count - 1) * between_columns) / count;
  }

  double line_height() const { return options_.style.font_size + 2; }

  /// What stands above a column: what it is, and how long it takes.
  std::vector<std::string> heading(const TimeColumn& column) const {
    auto lines = lines_within(column.title(), column_width(), options_.style.font_size);
    lines.push_back(microseconds_text(column.times().all));
    return lines;
  }

  void draw_column(Picture& picture, std::size_t k) const {
    picture.move_to({static_cast<double>(k) * (column_width() + between_columns), 0});
    if (!headings_.empty())
      for (std::size_t n = 0; n < headings_[k].size(); ++n)
        picture.as(Role::panel_title)
            ->text({column_width() / 2, line_height() * (static_cast<double>(n) + 0.5)}, headings_[k][n],
                   options_.style.font_size);
    columns_[k].draw(picture, names_height_ + edge + row_height_ / 2);
  }

  /// What is below the ranks' lines.
  double below() const { return key_.height() + 1.3 * small_ * static_cast<double>(caption_.size()) + 8 + edge; }

  double room() const { return 72 * options_.style.height - top_ - below(); }

  /// The part of the axis that a column takes, for each of its steps.
  double part_of_step(const TimeColumn& column) const {
    const double part = (column.times().end - column.times().begin) / axis_.length();
    return part / static_cast<double>(column.selection().steps.size());
  }

  DrawError too_many_steps(const TimeColumn& column) const {
    const double most = std::floor(room() * part_of_step(column) * column.selection().steps.size() / flattest_step);
    return {DrawError::Kind::too_large,
            fmt::format("{} steps are more than the {:.0f} that fit on a page of {:g} in (--height)",
                        column.selection().steps.size(), std::max(most, 0.0), options_.style.height)};
  }

  /// Places everything on a page that also has the sentence on sizes.
  Drawn<void> lay_out(const std::string& sizes) {
    caption_ = lines_within(caption(sizes), options_.style.width_in_points() - 2 * edge, small_);
    double height = least_height;
    for (const TimeColumn& column : columns_) {
      if (room() * part_of_step(column) < flattest_step) return tl::unexpected(too_many_steps(column));
      height = std::max(height, tallest_step / part_of_step(column));
    }
    axis_.place(top_, std::min(room(), height));
    for (TimeColumn& column : columns_) column.lay_out();
    return {};
  }

  /// A sentence on sizes that stand nowhere else.
  std::string sizes_text() const {
    std::string text;
    for (const TimeColumn& column : columns_) {
      const std::string sizes = column.sizes_text(), side = &column == &columns_.front() ? "left" : "right";
      if (sizes.empty()) continue;
      text += (text.empty() ? "" : "; ") + (columns_.size() > 1 ? side + ": " : "") + sizes;
    }
    if (text.empty()) return text;
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text + ".";
  }

  std::string caption(const std::string& sizes) const {
    std::string text = times_text();
    if (!sizes.empty()) text += " " + sizes;
    const auto messages = all_messages();
    const bool reduces =
        std::any_of(messages.begin(), messages.end(), [](const Message& m) { return m.op == Op::reduce; });
    if (reduces && options_.clock->waits && options_.clock->ranks.reduction > 0)
      text += " Below its last arrow a step reduces.";
    return text;
  }

  std::string times_text() const {
    const DrawOptions::Clock& clock = *options_.clock;
    const double one = columns_.front().times().all, other = columns_.back().times().all;
    const std::string size = clock.has_vector ? fmt::format("for {} ", bytes_text(clock.bytes)) : "";
    const std::string setting = fmt::format("{}on {}, {}.", size, options_.network->name(),
                                            clock.waits ? "synchronous steps" : "asynchronous steps");
    if (columns_.size() == 1) return fmt::format("{} {}", microseconds_text(one), setting);
    return fmt::format("{} {}", comparison(one, other), setting);
  }

  static std::string comparison(double left, double right) {
    if (left == right) return "Both take as long";
    const bool is_left_longer = left > right;
    return fmt::format("The {} one takes {} times as long", is_left_longer ? "left" : "right",
                       number_text(is_left_longer ? left / right : right / left));
  }

  const DrawOptions& options_;
  std::vector<TimeColumn> columns_;
  TimeAxis axis_;
  double small_;
  PictureKey key_;
  double row_height_ = 0;
  std::vector<std::vector<std::string>> headings_;  // of two columns, in lines
  double names_height_ = 0;
  double top_ = 0;
  std::vector<std::string> caption_;
};

/// Both schedules, each on its half, and of the second one only the steps that it has.
Drawn<std::vector<TimeColumn>> columns_of(const Schedule& schedule, const DrawOptions& options) {
  std::vector<TimeColumn> columns;
  if (!options.beside) {
    columns.push_back(TRY(TimeColumn::make(schedule, options)));
    return columns;
  }
  DrawOptions half = options;
  half.style.width = (options.style.width - between_columns / 72) / 2;
  columns.push_back(TRY(TimeColumn::make(schedule, half)));
  const Schedule& beside = *options.beside;
  if (half.steps && half.steps->first >= beside.steps())
    return unsuitable(fmt::format("--steps: what --beside names has {}, so none is beside step {}",
                                  counted(beside.steps(), "step"), half.steps->first));
  if (half.steps) half.steps->second = std::min(half.steps->second, beside.steps() - 1);
  if (half.clock->bytes_beside > 0) half.clock->bytes = half.clock->bytes_beside;
  columns.push_back(TRY(TimeColumn::make(beside, half)));
  return columns;
}

/// Draws the messages at the times that `cost` adds up (message_times.h). Their sizes are beside the steps if all of a
/// step are as large and ranks wait after steps, otherwise on the arrows, as far as there is room, and then in the
/// caption. With `options.beside` there are two columns to the same scale, on the same network.
Drawn<Picture> draw_space_time(const Schedule& schedule, const DrawOptions& options) {
  return SpaceTime(TRY(columns_of(schedule, options)), options).draw();
}

Drawn<Picture> draw_time(const Schedule& schedule, const DrawOptions& options) {
  if (!options.clock)
    if (const auto folded = folded_if_crowded(schedule.header().ranks, options))
      if (auto picture = draw_time(schedule, *folded)) return picture;
  if (options.clock && asks_to_fold(options)) return too_large("ranks that send alike may not take as long");
  if (!asks_to_fold(options)) TRY(check_row(schedule, options));
  if (options.clock && options.transposes) return unsuitable("--transpose: with --bytes, time goes down");
  if (options.clock) return draw_space_time(schedule, options);
  const auto selection = TRY(select(schedule, options));
  if (options.transposes) return draw_time_across(schedule.header(), selection, options);
  return draw_time_chart(schedule.header(), selection, options);
}

}  // namespace

const View time_view{
    .name = "time",
    .summary = "ranks across, steps down (with --bytes: time, to scale); messages are arrows with blocks",
    .heeds =
        "--ranks --steps --transpose --fold --no-fold --bytes; with --bytes: --beside --mode --topology and others of "
        "the network",
    .draw = draw_time,
};

}  // namespace onceover::viz
