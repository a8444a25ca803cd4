// deadlock: blocking calls that never return, because ranks wait for each other.
//
// A row is a rank of the circle, with what it calls in the step, in order: the call that it is in, red, and the one
// that the rank above waits for, dashed. An arrow goes down from each call to the one that it waits for, which comes
// after the call that its own rank is in; the last one goes up again. Of a long circle, the first and the last rows.
//
// Example: ring, all send first, p = 3. 0 sends to 1, which would receive only after its own send to 2, and so on.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"
#include "viz/messages.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_of_circle = 8, most_of_circle_thinned = 4;
constexpr double disc_radius = 8, gap_of_cells = 9, gap_of_waits = 14;
constexpr Stroke wait_stroke{palette::vermilion, "solid", 1.4};
constexpr Stroke after_stroke{palette::vermilion, "dotted", 1.4};
constexpr Stroke stuck_border{palette::vermilion, "solid", 1.6};
constexpr Stroke wanted_border{palette::vermilion, "dashed", 1.0};
constexpr Stroke other_border{palette::grey, "solid", 0.6};

/// A schedule that ranks run with calls in an order, under which they don't come to their end.
struct BlockedRun {
  CallOrder order;
  std::vector<StuckCall> circle;

  int step() const { return circle.front().call.step; }
};

/// Of a rank in the circle: what stands in its columns; empty: nothing. Calls between and beside the two that matter
/// have one each, however many they are.
struct CircleRow {
  enum Column : std::size_t { returned, stuck, between, wanted, after, column_count };

  Rank rank;
  std::array<std::string, column_count> cells;
};

std::string call_words(const BlockingCall& call, const RankLabels& labels) {
  return fmt::format("{} {}", call.is_send ? "send to" : "receive from", labels(call.peer));
}

/// What a rank calls in a step, call by call: each one message, or a send and a receive.
class CallList {
 public:
  CallList(const CallsOfStep& calls, const RankLabels& labels) : calls_(calls), labels_(labels) {}

  std::size_t size() const { return std::max(calls_.first.size(), calls_.second.size()); }

  /// The call, or half of one, behind the stuck one in which `before` and this rank would meet.
  const BlockingCall& wanted(const StuckCall& stuck, const StuckCall& before) const {
    for (const auto* list : {&calls_.first, &calls_.second})
      for (const BlockingCall& call : *list)
        if (call.number > stuck.call.number && call.peer == before.rank && call.is_send != before.call.is_send)
          return call;
    assert(false);
    return stuck.call;
  }

  /// "send to 3", "4 calls".
  std::string words(std::size_t from, std::size_t to) const {
    if (from == to) return "";
    const bool is_one_message = to == from + 1 && (from >= calls_.first.size() || from >= calls_.second.size());
    if (!is_one_message) return counted(to - from, "call");
    return call_words(from < calls_.first.size() ? calls_.first[from] : calls_.second[from], labels_);
  }

 private:
  const CallsOfStep& calls_;
  const RankLabels& labels_;
};

/// `before` is the rank that waits for the call's.
CircleRow circle_row(const StuckCall& stuck, const StuckCall& before, const CallsOfStep& calls,
                     const RankLabels& labels) {
  const CallList list(calls, labels);
  const BlockingCall& wanted = list.wanted(stuck, before);
  const auto first = static_cast<std::size_t>(stuck.call.number), found = static_cast<std::size_t>(wanted.number);
  return {stuck.rank,
          {list.words(0, first), call_words(stuck.call, labels), list.words(first + 1, found),
           call_words(wanted, labels), list.words(found + 1, list.size())}};
}

class DeadlockPicture {
  using enum CircleRow::Column;
  using Column = CircleRow::Column;

 public:
  DeadlockPicture(const Schedule& schedule, const BlockedRun& run, const DrawOptions& options)
      : schedule_(schedule),
        run_(run),
        style_(options.style),
        labels_(schedule.header().names, disc_radius),
        size_(options.style.font_size - 1) {
    const std::size_t all = run.circle.size(), most = options.thinned ? most_of_circle_thinned : most_of_circle;
    const bool is_short = all > most && options.fold != Fold::never;
    tail_ = is_short ? most / 2 - 1 : 0;
    head_ = is_short ? most / 2 : all;
  }

  Drawn<Picture> draw() {
    if (auto tall = too_tall(y(head_ + tail_ - 1), style_)) return tl::unexpected(*tall);
    read_rows();
    for (lines_ = 1; lines_ <= 2; ++lines_)
      if (measure() <= style_.width_in_points()) return picture();
    return too_large(fmt::format("calls side by side need {:.1f} inches", width_ / 72 + 0.1));
  }

 private:
  void read_rows() {
    std::vector<CallsOfStep> calls;
    read_calls(schedule_, run_.step(), run_.order, calls);
    const auto& circle = run_.circle;
    for (std::size_t k = 0; k < circle.size(); ++k) {
      if (k >= head_ && k + tail_ < circle.size()) continue;
      rows_.push_back(circle_row(circle[k], circle[(k + circle.size() - 1) % circle.size()],
                                 calls[static_cast<std::size_t>(circle[k].rank)], labels_));
    }
  }

  std::size_t left_out() const { return run_.circle.size() - head_ - tail_; }

  /// A call in one line, or in two.
  std::string lettered(std::string words) const {
    const std::size_t space = words.rfind(' ');
    if (lines_ == 2 && space != std::string::npos) words[space] = '\n';
    return words;
  }

  /// Finds the widths of columns; returns that of all of them.
  double measure() {
    widths_.fill(0);
    for (const CircleRow& row : rows_)
      for (std::size_t c = 0; c < column_count; ++c)
        for (const std::string_view line : split(lettered(row.cells[c]), '\n'))
          if (!line.empty()) widths_[c] = std::max(widths_[c], text_width(line, size_) + 8);
    for (const Column c : {stuck, wanted})
      widths_[c] = std::max(widths_[c], text_width(heading(c), style_.small()) + 2);
    width_ = 2 * margin + 2 * disc_radius + gap_of_cells;  // the last gap has the line that goes up again
    for (const double width : widths_) width_ += width > 0 ? width + gap_of_cells : 0;
    return width_;
  }

  static std::string_view heading(Column c) { return c == stuck ? "is in" : "doesn't come to"; }

  double box_height() const { return (1.2 * lines_ + 0.3) * size_ + 2; }
  double pitch() const { return std::max(box_height(), 2 * disc_radius) + gap_of_waits; }
  double top() const { return margin + 2 * (style_.font_size + 3) + gap_of_waits; }
  bool has_dots() const { return left_out() > 0; }
  /// The middle of a row; the dots have one of their own.
  double y(std::size_t row) const {
    return top() + (static_cast<double>(row + (has_dots() && row >= head_ ? 1 : 0)) + 0.5) * pitch() - gap_of_waits / 2;
  }

  /// Places what `measure` found in the middle of the width, with wider gaps if there is room.
  void place_columns() {
    const auto count =
        static_cast<double>(std::count_if(widths_.begin(), widths_.end(), [](double w) { return w > 0; }));
    const double more = std::min((style_.width_in_points() - width_) / (count + 1), 3 * gap_of_cells);
    gap_ = gap_of_cells + more;
    left_ = (style_.width_in_points() - width_ - more * (count + 1)) / 2 + margin;
    double x = left_ + 2 * disc_radius + gap_;
    for (std::size_t c = 0; c < column_count; ++c) {
      lefts_[c] = x;
      x += widths_[c] > 0 ? widths_[c] + gap_ : 0;
    }
    right_ = x - gap_ / 2;
  }

  double middle(Column c) const { return lefts_[c] + widths_[c] / 2; }
  Point above(std::size_t row, Column c) const { return {middle(c), y(row) - box_height() / 2}; }
  Point below(std::size_t row, Column c) const { return {middle(c), y(row) + box_height() / 2}; }

  Picture picture() {
    place_columns();
    const Header& header = schedule_.header();
    const double bottom = y(rows_.size() - 1) + box_height() / 2 + gap_of_waits;
    const PictureKey key = this->key();
    Picture picture(style_, title_of(header) + ", a deadlock of blocking calls", bottom + key.height());
    const double line = style_.font_size + 3;
    picture.as(Role::panel_title)
        ->text({style_.width_in_points() / 2, margin + line / 2},
               fmt::format("step {}, {}", header.names.step(run_.step()), name(run_.order)), style_.font_size);
    for (const Column c : {stuck, wanted}) picture.text({middle(c), margin + 1.5 * line}, heading(c), style_.small());
    for (std::size_t row = 0; row < rows_.size(); ++row) draw_row(picture, row);
    draw_waits(picture);
    if (has_dots()) draw_dots(picture);
    key.draw(picture, bottom);
    return picture;
  }

  void draw_row(Picture& picture, std::size_t row) const {
    picture.disc({left_ + disc_radius, y(row)}, disc_radius, labels_(rows_[row].rank));
    for (std::size_t c = 0; c < column_count; ++c) {
      if (rows_[row].cells[c].empty()) continue;
      const Stroke& border = c == stuck ? stuck_border : c == wanted ? wanted_border : other_border;
      picture.as(Role::node)
          ->box({lefts_[c], y(row) - box_height() / 2}, widths_[c], box_height(), lettered(rows_[row].cells[c]), size_,
                palette::white, border);
    }
    picture.as(Role::line)
        ->curve(Curve::straight({lefts_[wanted], y(row)}, {lefts_[stuck] + widths_[stuck], y(row)}), after_stroke);
  }

  /// From each call that a rank is in to the one that it waits for.
  void draw_waits(Picture& picture) const {
    const auto line = picture.as(Role::line);
    for (std::size_t row = 0; row + 1 < rows_.size(); ++row) {
      if (has_dots() && row + 1 == head_) continue;
      const Point from = below(row, stuck), to = above(row + 1, wanted);
      const double half = (to.y - from.y) / 2;
      line->curve({from, {from.x, from.y + 1.6 * half}, {to.x, to.y - 1.6 * half}, to}, wait_stroke);
    }
    const Point from = below(rows_.size() - 1, stuck), to = above(0, wanted);
    const double low = from.y + gap_of_waits / 2, high = to.y - gap_of_waits / 2;
    line->curves({Curve::straight(from, {from.x, low}), Curve::straight({from.x, low}, {right_, low}),
                  Curve::straight({right_, low}, {right_, high}), Curve::straight({right_, high}, {to.x, high}),
                  Curve::straight({to.x, high}, to)},
                 wait_stroke);
  }

  void draw_dots(Picture& picture) const {
    const double middle = (y(head_ - 1) + y(head_)) / 2;
    for (const double k : {-1.0, 0.0, 1.0})
      picture.as(Role::line)->disc({left_ + disc_radius, middle + 4 * k}, 0.8, "", {.width = 0}, palette::black);
    picture.text_from({lefts_[returned], middle},
                      fmt::format("{}, each waiting for the next", counted(left_out(), "more rank")), size_);
  }

  bool has_others() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const CircleRow& row) {
      return !row.cells[returned].empty() || !row.cells[between].empty() || !row.cells[after].empty();
    });
  }

  PictureKey key() const {
    const auto ranks = static_cast<std::size_t>(schedule_.header().ranks), waiting = run_.circle.size();
    PictureKey key(style_);
    key.add_line(wait_stroke, "waits for", Heads::at_end);
    key.add_line(after_stroke, "which comes after", Heads::at_end);
    if (has_others()) key.add_box(palette::white, other_border, "other calls of the step");
    key.add_words(words_of(
        {fmt::format("Under rendezvous, a call returns when its peer makes the other call. Here {} ranks wait for each "
                     "other in a circle, each in the call that is red, so none returns.",
                     waiting),
         run_.order == CallOrder::sendrecv
             ? "A call is one send and one receive; of these two the half that waits is named."
             : "",
         waiting < ranks ? fmt::format("Other ranks aren't drawn: {} of {}.", ranks - waiting, ranks) : "",
         labels_.explanation()}));
    return key;
  }

  const Schedule& schedule_;
  const BlockedRun& run_;
  Style style_;
  RankLabels labels_;
  double size_;
  std::size_t head_, tail_;  // how many rows of the circle's begin and end are drawn
  std::vector<CircleRow> rows_ = {};
  int lines_ = 1;  // of a call
  std::array<double, column_count> widths_ = {}, lefts_ = {};
  double width_ = 0, left_ = 0, gap_ = 0, right_ = 0;
};

Drawn<Picture> draw_deadlock(const Schedule& schedule, const DrawOptions& options) {
  if (const auto why = why_not_run(schedule)) return unsuitable("deadlock: not run with blocking calls: " + *why);
  const std::vector<CallOrder> all(call_orders().begin(), call_orders().end());
  const std::vector<CallOrder>& orders = options.calls.empty() ? all : options.calls;
  for (const CallOrder order : orders)
    if (const BlockedRun run{order, run_blocking(schedule, order).circle}; !run.circle.empty())
      return DeadlockPicture(schedule, run, options).draw();
  std::vector<std::string_view> names;
  for (const CallOrder order : orders) names.push_back(name(order));
  return unsuitable(fmt::format("deadlock: there is none; with {} the calls end", in_sentence(names, "or")));
}

}  // namespace

const View deadlock_view{
    .name = "deadlock",
    .summary = "with blocking calls: ranks that wait for each other in a circle, and in which calls",
    .heeds = "--blocking --no-fold",
    .draw = draw_deadlock,
};

}  // namespace onceover::viz
