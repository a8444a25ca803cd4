// Steps on a line of ranks: arcs to the right above it, to the left below.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/legend.h"
#include "viz/rank_row.h"
#include "viz/views/steps.h"

namespace onceover::viz {

namespace {

constexpr double gap = 6;  // between panels

/// A message as an arc between columns; `to` may be beyond the row.
struct Arc {
  int from;
  int to;
  const Message* message;

  bool goes_right() const { return to > from; }
  int span() const { return std::abs(to - from); }
};

class LinePicture {
 public:
  LinePicture(const Header& header, const Selection& selection, const DrawOptions& options)
      : header_(header),
        selection_(selection),
        options_(options),
        is_ring_(options.wraps && header.shape.size() == 1 && header.ranks > 2 &&
                 selection.ranks.size() == static_cast<std::size_t>(header.ranks)),
        row_(selection.ranks, options.style, margin + (is_ring_ ? 6 : 0), margin + (is_ring_ ? 6 : 0)),
        legend_(selection.messages, options.style) {
    for (const StepRange panel : selection.panels) {
      arcs_.emplace_back();
      for (const Message& m : selection.messages)
        if (m.step == panel.first) arcs_.back().push_back(arc_of(m));
    }
    const auto leaves = [&](const Arc& arc) { return arc.to < 0 || arc.to >= static_cast<int>(row_.size()); };
    if (std::any_of(arcs_.begin(), arcs_.end(),
                    [&](const auto& arcs) { return std::any_of(arcs.begin(), arcs.end(), leaves); }))
      legend_.add_words("An arc out of the row comes in at its other end.");
  }

  std::string draw() {
    double height = legend_.height() + margin;
    for (const auto& arcs : arcs_) height += panel_height(arcs);
    Dot dot = Dot::pinned(options_.style, title_of(header_), height);
    double y = 0;
    for (std::size_t k = 0; k < arcs_.size(); ++k) {
      draw_panel(dot, selection_.panels[k], arcs_[k], y);
      y += panel_height(arcs_[k]);
    }
    legend_.draw(dot, y);
    return dot.finish();
  }

 private:
  Arc arc_of(const Message& m) const {
    const int from = *row_.column(m.src), to = *row_.column(m.dst);
    const int p = static_cast<int>(row_.size());
    if (!is_ring_ || 2 * std::abs(to - from) <= p) return {from, to, &m};
    return {from, to > from ? to - p : to + p, &m};
  }

  double rise(const Arc& arc) const {
    const double wide = row_.spacing() * arc.span();
    return std::min(4 + 0.26 * wide, 16 + 0.17 * wide) + 3 * arc.message->lane / 2;
  }

  double reach(const std::vector<Arc>& arcs, bool to_the_right) const {
    double most = 0;
    for (const Arc& arc : arcs)
      if (arc.goes_right() == to_the_right) most = std::max(most, rise(arc) + (options_.counts ? 4 : 0));
    return most;
  }

  double panel_height(const std::vector<Arc>& arcs) const {
    return title_height + reach(arcs, true) + 2 * row_.half_height() + reach(arcs, false) + gap;
  }

  void draw_panel(Dot& dot, StepRange panel, const std::vector<Arc>& arcs, double top) const {
    dot.text_from({margin, top + title_height / 2}, panel_title(panel, selection_.messages), options_.style.font_size);
    const double y = top + title_height + reach(arcs, true) + row_.half_height();
    for (const Arc& arc : arcs) draw_arc(dot, arc, y);
    row_.draw(dot, y);
  }

  /// The curve of an arc, as if the row went on far enough.
  Curve curve_of(const Arc& arc, int shift, double y) const {
    const double side = arc.goes_right() ? 1 : -1, radius = row_.half_height();
    const double lean = std::min(0.35 * radius, 0.22 * row_.spacing());
    const Point from{row_.x(arc.from + shift) + side * lean, y - side * radius * 0.95};
    const Point to{row_.x(arc.to + shift) - side * lean, y - side * radius * 0.95};
    const Point up{0.12 * (to.x - from.x), -side * rise(arc) * 4 / 3};
    return {from, from + up, {to.x - up.x, to.y + up.y}, to};
  }

  void draw_arc(Dot& dot, const Arc& arc, double y) const {
    const Stroke stroke = stroke_of(arc.message->lane, arc.message->op).scaled(row_.fineness());
    const double head = 0.4 * row_.fineness();
    const std::string css_class = class_of(*arc.message);
    const int p = static_cast<int>(row_.size());
    if (arc.to >= 0 && arc.to < p) {
      dot.curve(curve_of(arc, 0, y), stroke, Heads::at_end, head, css_class);
    } else {
      const Curve leaving = curve_of(arc, 0, y), arriving = curve_of(arc, arc.goes_right() ? -p : p, y);
      dot.curve(leaving.before(crossing(leaving, arc.goes_right() ? row_.right() + 5 : row_.left() - 5)), stroke,
                Heads::none, 0.4, css_class);
      dot.curve(arriving.after(crossing(arriving, arc.goes_right() ? row_.left() - 5 : row_.right() + 5)), stroke,
                Heads::at_end, head, css_class);
    }
    if (options_.counts) draw_count(dot, arc, y);
  }

  void draw_count(Dot& dot, const Arc& arc, double y) const {
    const Point top = curve_of(arc, 0, y).at(0.5);
    const double x = std::clamp(top.x, row_.left(), row_.right());
    dot.text({x, top.y - (arc.goes_right() ? 3.5 : -3.5)}, fmt::format("{}", arc.message->size),
             options_.style.small());
  }

  /// Where a curve that always goes one way reaches an x.
  static double crossing(const Curve& curve, double x) {
    double before = 0, after = 1;
    const bool grows = curve.to.x > curve.from.x;
    for (int k = 0; k < 30; ++k) {
      const double t = (before + after) / 2;
      ((curve.at(t).x < x) == grows ? before : after) = t;
    }
    return before;
  }

  const Header& header_;
  const Selection& selection_;
  const DrawOptions& options_;
  bool is_ring_;
  RankRow row_;
  Legend legend_;
  std::vector<std::vector<Arc>> arcs_;  // of each panel
};

}  // namespace

std::string draw_steps_on_a_line(const Header& header, const Selection& selection, const DrawOptions& options) {
  return LinePicture(header, selection, options).draw();
}

}  // namespace onceover::viz
