#include "viz/time_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/result.h"
#include "base/table.h"

namespace onceover::viz {

namespace {

constexpr double beside_axis = 3;             // in points
constexpr double least_between_arrows = 1.5;  // of a step, on average
constexpr double aside_step = 2.4;            // between arrows that would cover each other
constexpr std::size_t most_listed = 8;        // stretches of steps in a sentence
constexpr std::size_t most_labelled = 400;    // messages; more have no room for labels on them

std::string step_text(int step) {
  return fmt::format("step {}", step);
}

}  // namespace

bool TimeColumn::Box::meets(const Box& other) const {
  return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
}

/// Does the line cross it? (Liang and Barsky)
bool TimeColumn::Box::meets(const Arrow& line) const {
  double enters = 0, leaves = 1;
  const Point a = line.from, along = line.to - a;
  const std::array<std::array<double, 2>, 4> sides{
      {{-along.x, a.x - left}, {along.x, right - a.x}, {-along.y, a.y - top}, {along.y, bottom - a.y}}};
  for (const auto& [p, q] : sides) {
    if (p == 0 && q < 0) return false;
    if (p < 0) enters = std::max(enters, q / p);
    if (p > 0) leaves = std::min(leaves, q / p);
  }
  return enters < leaves;
}

Drawn<TimeColumn> TimeColumn::make(const Schedule& schedule, const DrawOptions& options) {
  DrawOptions all = options;
  all.thinned = false;  // each step has times of its own
  auto selection = TRY(select(schedule, all));
  std::erase_if(selection.messages, [](const Message& m) { return m.src == m.dst; });
  if (selection.messages.empty()) return unsuitable("nothing is sent, so there is nothing to draw over time");
  if (selection.ranks.size() > most_in_a_row(options.style))
    return tl::unexpected(row_too_long(selection.ranks.size(), options.style));
  auto times = TRY(times_of(schedule, options, selection));
  TimeColumn column(schedule, options, std::move(selection), std::move(times));
  if (auto refused = column.too_many_messages()) return tl::unexpected(*std::move(refused));
  return column;
}

TimeColumn::TimeColumn(const Schedule& schedule, const DrawOptions& options, SelectedMessages selection,
                       MessageTimes times)
    : title_(title_of(schedule.header())),
      names_(schedule.header().names),
      selection_(std::move(selection)),
      times_(std::move(times)),
      style_(options.style),
      waits_(options.clock->waits),
      block_(options.clock->bytes / schedule.header().blocks),
      small_(options.style.small()) {
  for (std::size_t k = 0; k < selection_.messages.size(); ++k) by_step_[selection_.messages[k].step].push_back(k);
}

std::optional<DrawError> TimeColumn::too_many_messages() const {
  std::size_t most = 0;
  for (const auto& [step, messages] : by_step_) most = std::max(most, messages.size());
  const auto fit = static_cast<std::size_t>(style_.width_in_points() / least_between_arrows);
  if (most <= fit) return std::nullopt;
  return DrawError{DrawError::Kind::too_large,
                   fmt::format("a step has {} messages, more than the {} that can be told apart in {:.3g} in", most,
                               fit, style_.width)};
}

std::string TimeColumn::size_text(const Message& m) const {
  return bytes_text(block_ * m.size);
}

/// "1 MiB" if all messages of a step have this size, else "".
std::string TimeColumn::common_size(int step) const {
  const auto found = by_step_.find(step);
  if (found == by_step_.end()) return "";
  const std::string first = size_text(selection_.messages[found->second.front()]);
  for (const std::size_t k : found->second)
    if (size_text(selection_.messages[k]) != first) return "";
  return first;
}

double TimeColumn::right_margin() const {
  double widest = 0;
  if (waits_)
    for (int step = selection_.steps.first; step < selection_.steps.end; ++step)
      for (const std::string& text : {step_text(step), common_size(step)})
        widest = std::max(widest, text_width(text, small_));
  return beside_axis + 1.08 * widest + 4;
}

void TimeColumn::set_axis(const TimeAxis& axis) {
  axis_ = &axis;
  row_.emplace(selection_.ranks, style_, beside_axis + axis.text_room(small_), right_margin(), names_);
}

void TimeColumn::lay_out() {
  place_arrows();
  place_labels();
}

void TimeColumn::place_arrows() {
  arrows_.clear();
  std::map<std::tuple<int, Rank, Rank>, int> all, before;
  for (const Message& m : selection_.messages) ++all[{m.step, m.src, m.dst}];
  for (std::size_t k = 0; k < selection_.messages.size(); ++k) {
    const Message& m = selection_.messages[k];
    const std::tuple key{m.step, m.src, m.dst};
    const double aside = aside_step * (before[key]++ - (all[key] - 1) / 2.0) * row_->fineness();
    arrows_.push_back({{row_->x(*row_->column(m.src)) + aside, axis_->y(times_.spans[k].sent)},
                       {row_->x(*row_->column(m.dst)) + aside, axis_->y(times_.spans[k].arrived)}});
  }
}

/// The heights between which a step lies, if ranks wait after steps.
std::optional<std::pair<double, double>> TimeColumn::band(int step) const {
  const auto end = times_.step_ends.find(step);
  if (end == times_.step_ends.end()) return std::nullopt;
  const auto before = times_.step_ends.find(step - 1);
  return std::pair(axis_->y(before == times_.step_ends.end() ? 0 : before->second), axis_->y(end->second));
}

/// Is the size of a step's messages beside the step?
bool TimeColumn::is_size_beside(int step) const {
  const auto heights = band(step);
  return heights && !common_size(step).empty() && heights->second - heights->first >= 2 * small_ + 2;
}

void TimeColumn::place_labels() {
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

bool TimeColumn::place_label(std::size_t message) {
  const double width = text_width(size_text(selection_.messages[message]), small_) + 2, height = small_;
  const auto [from, to] = arrows_[message];
  for (const double t : {0.5, 0.35, 0.65, 0.22, 0.75}) {
    const Point middle = (1 - t) * from + t * to;
    const Box box{middle.x - width / 2, middle.y - height / 2, middle.x + width / 2, middle.y + height / 2};
    if (!is_free(box, message)) continue;
    labels_.emplace_back(message, box);
    return true;
  }
  return false;
}

bool TimeColumn::is_free(const Box& box, std::size_t own) const {
  if (box.left < row_->left() - 4 || box.right > row_->right() + 4) return false;
  for (const auto& [k, taken] : labels_)
    if (box.meets(taken)) return false;
  for (std::size_t k = 0; k < arrows_.size(); ++k)
    if (k != own && box.meets(arrows_[k])) return false;
  return true;
}

void TimeColumn::draw(Picture& picture, double y) const {
  row_->draw(picture, y);
  draw_grid(picture, y);
  draw_steps(picture);
  draw_arrows(picture);
  for (const auto& [k, box] : labels_)
    picture.as(Role::label)
        ->box({box.left, box.top}, box.right - box.left, box.bottom - box.top, size_text(selection_.messages[k]),
              small_, palette::white, {palette::white, "solid", 0.1});
}

void TimeColumn::draw_grid(Picture& picture, double row) const {
  const auto axis = picture.as(Role::axis);
  const double x = row_->left() - 1, top = axis_->top(), bottom = top + axis_->height(), end = axis_->y(times_.end);
  const auto line = [&](Point from, Point to, const Stroke& stroke) {
    picture.curve(Curve::straight(from, to), stroke, Heads::none);
  };
  for (int k = 0; k < static_cast<int>(row_->size()); ++k)
    line({row_->x(k), top}, {row_->x(k), end}, {palette::pale, "solid", 0.4});
  line({x, top}, {x, bottom}, {palette::black, "solid", 0.5});
  picture.text({x - 4 - text_width(axis_->unit(), small_) / 2, row}, axis_->unit(), small_);
  for (const TimeAxis::Tick& tick : axis_->ticks()) {
    const double y = axis_->y(tick.ns);
    line({x - 2.5, y}, {x, y}, {palette::black, "solid", 0.5});
    picture.text({x - 4 - text_width(tick.text, small_) / 2, y}, tick.text, small_);
  }
}

void TimeColumn::draw_steps(Picture& picture) const {
  const double x = row_->right() + 3;
  double free_from = axis_->top() - small_;  // no text is above
  for (int step = selection_.steps.first; step < selection_.steps.end; ++step) {
    const auto heights = band(step);
    if (!heights) return;
    const auto [from, to] = *heights;
    picture.curve(Curve::straight({row_->left() - 1, to}, {row_->right(), to}), {palette::grey, "dashed", 0.4},
                  Heads::none);
    const double middle = (from + to) / 2;
    const bool has_size = is_size_beside(step);
    const double first = has_size ? middle - small_ / 2 : middle;
    if (first - small_ / 2 < free_from) continue;
    picture.text_from({x, first}, step_text(step), small_);
    if (has_size) picture.text_from({x, first + small_}, common_size(step), small_);
    free_from = first + (has_size ? 1.5 : 0.5) * small_;
  }
}

void TimeColumn::draw_arrows(Picture& picture) const {
  for (std::size_t k = 0; k < arrows_.size(); ++k) {
    const Message& m = selection_.messages[k];
    picture.curve(Curve::straight(arrows_[k].from, arrows_[k].to), stroke_of(m.lane, m.op).scaled(row_->fineness()),
                  Heads::at_end, 0.4 * row_->fineness(), {}, words_of(m));
  }
}

std::string TimeColumn::sizes_text() const {
  if (unlabelled_.empty()) return "";
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
  if (least == most) return fmt::format("each message has {}", bytes_text(most));
  const bool is_common =
      std::none_of(stretches.begin(), stretches.end(), [](const Stretch& s) { return s.size.empty(); });
  if (!is_common || stretches.size() > most_listed)
    return fmt::format("messages have {} to {}", bytes_text(least), bytes_text(most));
  std::vector<std::string> parts;
  for (const auto& [size, first, last] : stretches)
    parts.push_back(first == last ? fmt::format("{} in step {}", size, first)
                                  : fmt::format("{} in steps {} to {}", size, first, last));
  return fmt::format("messages have {}", fmt::join(parts, ", "));
}

}  // namespace onceover::viz
