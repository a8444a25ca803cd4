// Steps on a line of ranks: arcs to the right above it, to the left below.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/key.h"
#include "viz/rank_row.h"
#include "viz/views/steps.h"

namespace onceover::viz {

namespace {

constexpr double gap = 6;           // between panels
constexpr double place_width = 30;  // for "3 of 12" in a film, beside the title

/// A message as an arc between columns; `to` may be beyond the row.
struct Arc {
  int from;
  int to;
  const Message* message;

  bool goes_right() const { return to > from; }
  int span() const { return std::abs(to - from); }
};

class LinePanels : public StepPanels {
 public:
  LinePanels(const Header& header, const SelectedMessages& selection, const DrawOptions& options)
      : names_(header.names),
        selection_(selection),
        options_(options),
        is_ring_(options.wraps && header.shape.size() == 1 && header.ranks > 2 &&
                 selection.ranks.size() == static_cast<std::size_t>(header.ranks)),
        row_(selection.ranks, options.style, margin + (is_ring_ ? 6 : 0), margin + (is_ring_ ? 6 : 0), header.names) {
    for (const StepRange panel : selection.panels) {
      arcs_.emplace_back();
      for (const Message& m : selection.messages)
        if (m.step == panel.first) arcs_.back().push_back(arc_of(m));
    }
  }

  std::size_t count() const override { return arcs_.size(); }
  int across() const override { return 1; }
  double width() const override { return options_.style.width_in_points(); }
  double above(std::size_t panel) const override { return title_height + reach(arcs_[panel], true); }
  double below(std::size_t panel) const override { return 2 * row_.half_height() + reach(arcs_[panel], false) + gap; }

  std::string explanation() const override {
    const auto leaves = [&](const Arc& arc) { return arc.to < 0 || arc.to >= static_cast<int>(row_.size()); };
    const bool any = std::any_of(arcs_.begin(), arcs_.end(),
                                 [&](const auto& arcs) { return std::any_of(arcs.begin(), arcs.end(), leaves); });
    return words_of({any ? "An arc out of the row comes in at its other end." : "", row_.explanation()});
  }

  void draw(Picture& picture, std::size_t panel, double above) const override {
    const std::vector<Arc>& arcs = arcs_[panel];
    const double size = options_.style.font_size, y = above + row_.half_height();
    std::vector<StepCount> counts;
    if (options_.counts)
      for (const Arc& arc : arcs) counts.push_back(count_of(arc, y));
    const std::string in_title = counts_in_title(counts, options_.style.small());
    picture.as(Role::panel_title)
        ->text_from({margin, title_height / 2},
                    panel_title_within(width() - 2 * margin - place_width - text_width(in_title, size), size,
                                       selection_.panels[panel], selection_.messages, names_) +
                        in_title,
                    size);
    for (const Arc& arc : arcs) draw_arc(picture, arc, y);
    row_.draw(picture, y);
    if (!in_title.empty()) return;
    for (const StepCount& count : counts) picture.text(count.at, fmt::format("{}", count.size), options_.style.small());
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

  /// The curve of an arc, as if the row went on far enough.
  Curve curve_of(const Arc& arc, int shift, double y) const {
    const double side = arc.goes_right() ? 1 : -1, radius = row_.half_height();
    const double lean = std::min(0.35 * radius, 0.22 * row_.spacing());
    const Point from{row_.x(arc.from + shift) + side * lean, y - side * radius * 0.95};
    const Point to{row_.x(arc.to + shift) - side * lean, y - side * radius * 0.95};
    const Point up{0.12 * (to.x - from.x), -side * rise(arc) * 4 / 3};
    return {from, from + up, {to.x - up.x, to.y + up.y}, to};
  }

  void draw_arc(Picture& picture, const Arc& arc, double y) const {
    const Stroke stroke = stroke_of(*arc.message).scaled(row_.fineness());
    const double head = 0.4 * row_.fineness();
    const std::string css_class = class_of(*arc.message);
    const int p = static_cast<int>(row_.size());
    if (arc.to >= 0 && arc.to < p) {
      picture.curve(curve_of(arc, 0, y), stroke, Heads::at_end, head, css_class);
    } else {
      const Curve leaving = curve_of(arc, 0, y), arriving = curve_of(arc, arc.goes_right() ? -p : p, y);
      picture.curve(leaving.before(crossing(leaving, arc.goes_right() ? row_.right() + 5 : row_.left() - 5)), stroke,
                    Heads::none, 0.4, css_class);
      picture.curve(arriving.after(crossing(arriving, arc.goes_right() ? row_.left() - 5 : row_.right() + 5)), stroke,
                    Heads::at_end, head, css_class);
    }
  }

  /// Beside the middle of an arc; of one out of the row, beside the part that has the middle.
  StepCount count_of(const Arc& arc, double y) const {
    const int p = static_cast<int>(row_.size());
    const double middle = (arc.from + arc.to) / 2.0;
    const Point top = curve_of(arc, middle < -0.5 ? p : middle > p - 0.5 ? -p : 0, y).at(0.5);
    return {{top.x, top.y - (arc.goes_right() ? 3.5 : -3.5)}, arc.message->size};
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

  const Names& names_;
  const SelectedMessages& selection_;
  const DrawOptions& options_;
  bool is_ring_;
  RankRow row_;
  std::vector<std::vector<Arc>> arcs_;  // of each panel
};

}  // namespace

std::unique_ptr<StepPanels> panels_on_a_line(const Header& header, const SelectedMessages& selection,
                                             const DrawOptions& options) {
  return std::make_unique<LinePanels>(header, selection, options);
}

}  // namespace onceover::viz
