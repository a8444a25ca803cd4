// First all messages that are shown get their times, then the picture its height, then every label a place that is
// free: nothing is drawn over a label, and a label belongs to the arrow that it lies on.
//
// Example: a ring of 4 with 4 MiB sends 1 MiB in each step. If it takes 21 us, all arrows of step 0 fall from 0 to 21,
// and "step 0" and "1 MiB" stand beside them.

#include "viz/space_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/table.h"
#include "base/try.h"
#include "network/simulation.h"
#include "network/timeline.h"
#include "viz/legend.h"
#include "viz/messages.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr double edge = 3;           // around the picture, in points
constexpr double tallest_step = 34;  // of a picture with room for all steps
constexpr double least_height = 110;
constexpr double flattest_step = 7;           // on average; flatter, nobody sees a step
constexpr double least_between_arrows = 1.5;  // of a step, on average
constexpr double aside_step = 2.4;            // between arrows that would cover each other
constexpr std::size_t most_listed = 8;        // stretches of steps in a sentence
constexpr std::size_t most_labelled = 400;    // messages; more have no room for labels on them

/// The messages that are shown, with their times in ns.
struct Times {
  struct Span {
    double sent, arrived;
  };
  std::vector<Span> spans;          // of each message
  std::map<int, double> step_ends;  // if ranks wait after steps
  double begin = 0;                 // what is shown
  double end = 0;
  double all = 0;  // of the whole schedule
};

tl::unexpected<DrawError> no_times(const Unroutable& reason) {
  using enum DrawError::Kind;
  return tl::unexpected(DrawError{reason.kind == Unroutable::Kind::ill_formed ? unsuitable : slow, reason.text});
}

Drawn<Times> times_of(const Schedule& schedule, const DrawOptions& options, const Selection& selection) {
  using PictureKey = std::tuple<int, Rank, int, std::uint32_t>;  // step, sender, lane, order
  const DrawOptions::Clock& clock = *options.clock;
  std::map<std::tuple<int, Rank, int>, std::uint32_t> sends;
  std::map<PictureKey, std::size_t> place;
  for (std::size_t k = 0; k < selection.messages.size(); ++k) {
    const Message& m = selection.messages[k];
    place[{m.step, m.src, m.lane, sends[{m.step, m.src, m.lane}]++}] = k;
  }
  Times times{.spans = std::vector<Times::Span>(selection.messages.size()), .step_ends = {}};
  const auto note = [&](const TimedMessage& m) {
    if (const auto found = place.find({m.step, m.src, m.lane, m.order}); found != place.end())
      times.spans[found->second] = {m.sent, m.arrived};
  };
  int step = 0;
  const auto note_end = [&](double end) { times.step_ends[step++] = end; };
  const FlowOptions flows{.routing = options.routing};
  const auto all = clock.waits
                       ? follow_in_time(schedule, *options.network, flows, clock.ranks, clock.bytes, note, note_end)
                       : simulate(schedule, *options.network, flows, clock.ranks, clock.bytes, note);
  if (!all) return no_times(all.error());
  times.all = *all;
  return times;
}

/// Sets what part of the time is shown: that of the steps asked for.
void set_window(Times& times, const Selection& selection, int steps) {
  const StepRange shown = selection.steps;
  times.begin = 0;
  times.end = times.all;
  const auto last_before = times.step_ends.find(shown.first - 1), last = times.step_ends.find(shown.end - 1);
  if (last != times.step_ends.end()) {
    times.begin = last_before == times.step_ends.end() ? 0 : last_before->second;
    times.end = last->second;
    return;
  }
  using Span = Times::Span;
  if (shown.first > 0 && !times.spans.empty())
    times.begin = std::min_element(times.spans.begin(), times.spans.end(), [](const Span& a, const Span& b) {
                    return a.sent < b.sent;
                  })->sent;
  if (shown.end == steps) return;
  times.end = times.begin;
  for (const Times::Span& span : times.spans) times.end = std::max(times.end, span.arrived);
}

/// A rectangle that a label takes.
struct Box {
  double left, top, right, bottom;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }

  /// Does the line from a to b cross it? (Liang and Barsky)
  bool meets(Point a, Point b) const {
    double enters = 0, leaves = 1;
    const Point along = b - a;
    const std::array<std::array<double, 2>, 4> sides{
        {{-along.x, a.x - left}, {along.x, right - a.x}, {-along.y, a.y - top}, {along.y, bottom - a.y}}};
    for (const auto& [p, q] : sides) {
      if (p == 0 && q < 0) return false;
      if (p < 0) enters = std::max(enters, q / p);
      if (p > 0) leaves = std::min(leaves, q / p);
    }
    return enters < leaves;
  }
};

std::string microseconds_text(double ns) {
  std::string text = time_text(ns);
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "\u00b5");
  return text;
}

class SpaceTime {
 public:
  SpaceTime(const Schedule& schedule, const DrawOptions& options, const Selection& selection, Times times)
      : header_(schedule.header()),
        options_(options),
        selection_(selection),
        times_(std::move(times)),
        block_(options.clock->bytes / schedule.header().blocks),
        small_(options.style.small()),
        key_(key_to(selection.messages, options.style)) {
    for (std::size_t k = 0; k < selection.messages.size(); ++k) by_step_[selection.messages[k].step].push_back(k);
    choose_unit();
    row_.emplace(selection.ranks, options.style, left_margin(), right_margin(), header_.names);
    key_.add_words(row_->explanation());
    top_ = edge + 2 * row_->half_height() + 5;
  }

  Drawn<std::string> draw() {
    if (auto refused = too_many_messages()) return tl::unexpected(*std::move(refused));
    if (!lay_out("")) return tl::unexpected(too_many_steps());
    if (!unlabelled_.empty() && !lay_out(sizes_text())) return tl::unexpected(too_many_steps());
    Dot dot = Dot::pinned(options_.style, title_of(header_), top_ + height_ + below());
    row_->draw(dot, edge + row_->half_height());
    draw_grid(dot);
    draw_steps(dot);
    draw_arrows(dot);
    for (const auto& [k, box] : labels_) draw_label(dot, k, box);
    double y = top_ + height_ + 6;
    key_.draw(dot, y);
    y += key_.height();
    for (const std::string& line : caption_) {
      dot.text_from({edge, y + 0.65 * small_}, line, small_);
      y += 1.3 * small_;
    }
    return dot.finish();
  }

 private:
  struct Arrow {
    Point from, to;
  };

  /// Chooses the unit and the distance of the ticks: 1, 2 or 5 times a power of ten, at most eight ticks.
  void choose_unit() {
    struct Unit {
      std::string_view name;
      double ns;
    };
    for (const Unit& unit : {Unit{"ns", 1}, Unit{"\u00b5s", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}})
      if (unit_ns_ == 0 || times_.end >= 2 * unit.ns) {
        unit_ = unit.name;
        unit_ns_ = unit.ns;
      }
    const double span = std::max((times_.end - times_.begin) / unit_ns_, 1e-9);
    tick_ = std::pow(10, std::floor(std::log10(span / 8)));
    for (const double factor : {2.0, 5.0, 10.0})
      if (span / tick_ > 8) tick_ = factor * std::pow(10, std::floor(std::log10(span / 8)));
  }

  static std::string tick_text(double value) { return fmt::format("{:g}", value == 0 ? 0.0 : value); }

  double left_margin() const {
    const double widest = std::max(text_width(tick_text(std::floor(times_.end / unit_ns_ / tick_) * tick_), small_),
                                   text_width(unit_, small_));
    return edge + widest + 6;
  }

  std::string size_text(const Message& m) const { return bytes_text(block_ * m.size); }

  /// "1 MiB" if all messages of a step have this size, else "".
  std::string common_size(int step) const {
    const auto found = by_step_.find(step);
    if (found == by_step_.end()) return "";
    const std::string first = size_text(selection_.messages[found->second.front()]);
    for (const std::size_t k : found->second)
      if (size_text(selection_.messages[k]) != first) return "";
    return first;
  }

  static std::string step_text(int step) { return fmt::format("step {}", step); }

  double right_margin() const {
    double widest = 0;
    if (options_.clock->waits)
      for (int step = selection_.steps.first; step < selection_.steps.end; ++step)
        for (const std::string& text : {step_text(step), common_size(step)})
          widest = std::max(widest, text_width(text, small_));
    return edge + 1.08 * widest + 4;
  }

  std::optional<DrawError> too_many_messages() const {
    std::size_t most = 0;
    for (const auto& [step, messages] : by_step_) most = std::max(most, messages.size());
    const auto fit = static_cast<std::size_t>(options_.style.width_in_points() / least_between_arrows);
    if (most <= fit) return std::nullopt;
    return DrawError{DrawError::Kind::too_large,
                     fmt::format("a step has {} messages, more than the {} that can be told apart in {:.3g} in", most,
                                 fit, options_.style.width)};
  }

  /// What is below the ranks' lines.
  double below() const { return key_.height() + 1.3 * small_ * static_cast<double>(caption_.size()) + 8 + edge; }

  double room() const { return 72 * options_.style.height - top_ - below(); }

  DrawError too_many_steps() const {
    return {DrawError::Kind::too_large,
            fmt::format("{} steps are more than the {:.0f} that fit on a page of {:g} in (--height)",
                        selection_.steps.size(), std::floor(room() / flattest_step), options_.style.height)};
  }

  /// Places everything; false if the page has too little room.
  bool lay_out(const std::string& sizes) {
    caption_ = lines_within(caption(sizes), options_.style.width_in_points() - 2 * edge, small_);
    const auto steps = static_cast<double>(selection_.steps.size());
    if (steps * flattest_step > room()) return false;
    height_ = std::min(room(), std::max(least_height, tallest_step * steps));
    place_arrows();
    place_labels();
    return true;
  }

  double y(double ns) const { return top_ + height_ * (ns - times_.begin) / (times_.end - times_.begin); }

  void place_arrows() {
    arrows_.clear();
    std::map<std::tuple<int, Rank, Rank>, int> all, before;
    for (const Message& m : selection_.messages) ++all[{m.step, m.src, m.dst}];
    for (std::size_t k = 0; k < selection_.messages.size(); ++k) {
      const Message& m = selection_.messages[k];
      const std::tuple key{m.step, m.src, m.dst};
      const double aside = aside_step * (before[key]++ - (all[key] - 1) / 2.0) * row_->fineness();
      arrows_.push_back({{row_->x(*row_->column(m.src)) + aside, y(times_.spans[k].sent)},
                         {row_->x(*row_->column(m.dst)) + aside, y(times_.spans[k].arrived)}});
    }
  }

  /// The heights between which a step lies, if ranks wait after steps.
  std::optional<std::pair<double, double>> band(int step) const {
    const auto end = times_.step_ends.find(step);
    if (end == times_.step_ends.end()) return std::nullopt;
    const auto before = times_.step_ends.find(step - 1);
    return std::pair(y(before == times_.step_ends.end() ? 0 : before->second), y(end->second));
  }

  /// Is the size of a step's messages beside the step?
  bool is_size_beside(int step) const {
    const auto heights = band(step);
    return heights && !common_size(step).empty() && heights->second - heights->first >= 2 * small_ + 2;
  }

  void place_labels() {
    labels_.clear();
    unlabelled_.clear();
    for (const auto& [step, messages] : by_step_) {
      if (is_size_beside(step)) continue;
      const std::size_t before = labels_.size();
      bool all = selection_.messages.size() <= most_labelled;
      for (const std::size_t k : messages) all = all && place_label(k);
      if (all) continue;
      labels_.resize(before);
      unlabelled_.insert(step);
    }
  }

  bool place_label(std::size_t k) {
    const double width = text_width(size_text(selection_.messages[k]), small_) + 2, height = small_;
    const auto [from, to] = arrows_[k];
    for (const double t : {0.5, 0.35, 0.65, 0.22, 0.75}) {
      const Point middle = (1 - t) * from + t * to;
      const Box box{middle.x - width / 2, middle.y - height / 2, middle.x + width / 2, middle.y + height / 2};
      if (!is_free(box, k)) continue;
      labels_.emplace_back(k, box);
      return true;
    }
    return false;
  }

  bool is_free(const Box& box, std::size_t own) const {
    if (box.left < row_->left() - 4 || box.right > row_->right() + 4) return false;
    for (const auto& [k, taken] : labels_)
      if (box.meets(taken)) return false;
    for (std::size_t k = 0; k < arrows_.size(); ++k)
      if (k != own && box.meets(arrows_[k].from, arrows_[k].to)) return false;
    return true;
  }

  void draw_grid(Dot& dot) const {
    const double axis = row_->left() - 1;
    const auto line = [&](Point from, Point to, const Stroke& stroke) {
      dot.curve(Curve::straight(from, to), stroke, Heads::none);
    };
    for (int k = 0; k < static_cast<int>(row_->size()); ++k)
      line({row_->x(k), top_}, {row_->x(k), top_ + height_}, {palette::pale, "solid", 0.4});
    line({axis, top_}, {axis, top_ + height_}, {palette::black, "solid", 0.5});
    dot.text({axis - 4 - text_width(unit_, small_) / 2, edge + row_->half_height()}, unit_, small_);
    const double first = std::ceil(times_.begin / unit_ns_ / tick_ - 1e-9);
    for (double k = first; k * tick_ * unit_ns_ <= times_.end * (1 + 1e-9); ++k) {
      const double at = y(k * tick_ * unit_ns_);
      const std::string text = tick_text(k * tick_);
      line({axis - 2.5, at}, {axis, at}, {palette::black, "solid", 0.5});
      dot.text({axis - 4 - text_width(text, small_) / 2, at}, text, small_);
    }
  }

  void draw_steps(Dot& dot) const {
    const double x = row_->right() + 3;
    double free_from = top_ - small_;  // no text is above
    for (int step = selection_.steps.first; step < selection_.steps.end; ++step) {
      const auto heights = band(step);
      if (!heights) return;
      const auto [from, to] = *heights;
      dot.curve(Curve::straight({row_->left() - 1, to}, {row_->right(), to}), {palette::grey, "dashed", 0.4},
                Heads::none);
      const double middle = (from + to) / 2;
      const bool has_size = is_size_beside(step);
      const double first = has_size ? middle - small_ / 2 : middle;
      if (first - small_ / 2 < free_from) continue;
      dot.text_from({x, first}, step_text(step), small_);
      if (has_size) dot.text_from({x, first + small_}, common_size(step), small_);
      free_from = first + (has_size ? 1.5 : 0.5) * small_;
    }
  }

  void draw_arrows(Dot& dot) const {
    for (std::size_t k = 0; k < arrows_.size(); ++k) {
      const Message& m = selection_.messages[k];
      if (m.src == m.dst) continue;
      dot.curve(Curve::straight(arrows_[k].from, arrows_[k].to), stroke_of(m.lane, m.op).scaled(row_->fineness()),
                Heads::at_end, 0.4 * row_->fineness());
    }
  }

  void draw_label(Dot& dot, std::size_t k, const Box& box) const {
    dot.box({box.left, box.top}, box.right - box.left, box.bottom - box.top, size_text(selection_.messages[k]), small_,
            palette::white, {palette::white, "solid", 0.1});
  }

  std::string caption(const std::string& sizes) const {
    std::string text =
        fmt::format("{} for {} on {}, {}.", microseconds_text(times_.all), bytes_text(options_.clock->bytes),
                    options_.network->name(), options_.clock->waits ? "synchronous steps" : "asynchronous steps");
    if (!sizes.empty()) text += " " + sizes;
    const auto is_reduce = [](const Message& m) { return m.op == Op::reduce; };
    const auto& messages = selection_.messages;
    if (std::any_of(messages.begin(), messages.end(), is_reduce) && options_.clock->waits &&
        options_.clock->ranks.reduction > 0)
      text += " Below its last arrow a step reduces.";
    return text;
  }

  /// The sizes of the messages, in a sentence: "1 MiB in steps 0 to 2, 2 MiB in step 3".
  std::string sizes_text() const {
    struct Stretch {
      std::string size;
      int first, last;
    };
    std::vector<Stretch> stretches;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const auto& [step, messages] : by_step_) {
      for (const std::size_t k : messages) {
        const double size = block_ * selection_.messages[k].size;
        least = std::min(least, size);
        most = std::max(most, size);
      }
      const std::string size = common_size(step);
      if (stretches.empty() || stretches.back().size != size) stretches.push_back({size, step, step});
      stretches.back().last = step;
    }
    if (least == most) return fmt::format("Each message has {}.", bytes_text(most));
    const bool is_common =
        std::none_of(stretches.begin(), stretches.end(), [](const Stretch& s) { return s.size.empty(); });
    if (!is_common || stretches.size() > most_listed)
      return fmt::format("Messages have {} to {}.", bytes_text(least), bytes_text(most));
    std::vector<std::string> parts;
    for (const auto& [size, first, last] : stretches)
      parts.push_back(first == last ? fmt::format("{} in step {}", size, first)
                                    : fmt::format("{} in steps {} to {}", size, first, last));
    return fmt::format("Messages have {}.", fmt::join(parts, ", "));
  }

  const Header& header_;
  const DrawOptions& options_;
  const Selection& selection_;
  Times times_;
  double block_;  // bytes
  double small_;
  PictureKey key_;
  std::optional<RankRow> row_;
  std::map<int, std::vector<std::size_t>> by_step_;  // messages
  std::string unit_;
  double unit_ns_ = 0;
  double tick_ = 1;
  double top_ = 0;
  double height_ = least_height;
  std::vector<Arrow> arrows_;  // of each message
  std::vector<std::pair<std::size_t, Box>> labels_;
  std::set<int> unlabelled_;  // steps
  std::vector<std::string> caption_;
};

}  // namespace

Drawn<std::string> draw_space_time(const Schedule& schedule, const DrawOptions& options) {
  DrawOptions all = options;
  all.thinned = false;  // each step has times of its own
  auto selection = TRY(select(schedule, all));
  std::erase_if(selection.messages, [](const Message& m) { return m.src == m.dst; });
  if (selection.messages.empty()) return unsuitable("nothing is sent, so there is nothing to draw over time");
  if (selection.ranks.size() > most_in_a_row(options.style))
    return tl::unexpected(row_too_long(selection.ranks.size(), options.style));
  auto times = TRY(times_of(schedule, options, selection));
  set_window(times, selection, schedule.steps());
  return SpaceTime(schedule, options, selection, std::move(times)).draw();
}

}  // namespace onceover::viz
