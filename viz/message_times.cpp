#include "viz/message_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/result.h"
#include "network/cost.h"
#include "network/simulation.h"
#include "viz/primitives.h"

namespace onceover::viz {

namespace {

tl::unexpected<DrawError> no_times(const Unroutable& reason) {
  using enum DrawError::Kind;
  return tl::unexpected(DrawError{reason.kind == Unroutable::Kind::ill_formed ? unsuitable : slow, reason.text});
}

/// Sets what part of the time is shown: that of the steps asked for.
void set_window(MessageTimes& times, StepRange shown, int steps) {
  times.begin = 0;
  times.end = times.all;
  const auto last_before = times.step_ends.find(shown.first - 1), last = times.step_ends.find(shown.end - 1);
  if (last != times.step_ends.end()) {
    times.begin = last_before == times.step_ends.end() ? 0 : last_before->second;
    times.end = last->second;
    return;
  }
  using Span = MessageTimes::Span;
  if (shown.first > 0 && !times.spans.empty())
    times.begin = std::min_element(times.spans.begin(), times.spans.end(), [](const Span& a, const Span& b) {
                    return a.sent < b.sent;
                  })->sent;
  if (shown.end == steps) return;
  times.end = times.begin;
  for (const Span& span : times.spans) times.end = std::max(times.end, span.arrived);
}

}  // namespace

Drawn<MessageTimes> times_of(const Schedule& schedule, const DrawOptions& options, const SelectedMessages& selection) {
  using Key = std::tuple<int, Rank, int, std::uint32_t>;  // step, sender, lane, order
  const DrawOptions::Clock& clock = *options.clock;
  std::map<std::tuple<int, Rank, int>, std::uint32_t> sends;
  std::map<Key, std::size_t> place;
  for (std::size_t k = 0; k < selection.messages.size(); ++k) {
    const Message& m = selection.messages[k];
    place[{m.step, m.src, m.lane, sends[{m.step, m.src, m.lane}]++}] = k;
  }
  MessageTimes times{.spans = std::vector<MessageTimes::Span>(selection.messages.size()), .step_ends = {}};
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
  set_window(times, selection.steps, schedule.steps());
  return times;
}

namespace {

constexpr double most_spans = 8;  // between ticks

double between_ticks(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / most_spans)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (length <= most_spans * factor * power) return factor * power;
  return 10 * power;
}

}  // namespace

TimeAxis::TimeAxis(double begin, double end) : begin_(begin), end_(std::max(end, begin + 1e-9)) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  double unit_ns = 0;
  for (const Unit& unit : {Unit{"ns", 1}, Unit{"\u00b5s", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}})
    if (unit_ns == 0 || end_ >= 2 * unit.ns) {
      unit_ = unit.name;
      unit_ns = unit.ns;
    }
  const double step = between_ticks(length() / unit_ns);
  for (double k = std::ceil(begin_ / unit_ns / step - 1e-9); k * step * unit_ns <= end_ * (1 + 1e-9); ++k)
    ticks_.push_back({k * step * unit_ns, fmt::format("{:g}", k * step == 0 ? 0.0 : k * step)});
}

double TimeAxis::text_room(double font_size) const {
  double widest = text_width(unit_, font_size);
  for (const Tick& tick : ticks_) widest = std::max(widest, text_width(tick.text, font_size));
  return widest + 6;
}

}  // namespace onceover::viz
