// Steps on a line of ranks: arcs to the right above it, to the left below. Transposed, the line goes down, panels stand
// side by side, and arcs are to the left of it where they were above.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/key.h"
#include "viz/rank_row.h"
#include "viz/views/steps.h"

namespace onceover::viz {

namespace {

constexpr double gap = 6;           // between panels
constexpr double least_rise = 22;   // room for arcs on either side of ranks that stand below each other
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
  LinePanels(const Header& header, const SelectedMessages& selection, const DrawOptions& options, int most_across)
      : names_(header.names),
        selection_(selection),
        options_(options),
        is_ring_(options.wraps && header.shape.size() == 1 && header.ranks > 2 &&
                 selection.ranks.size() == static_cast<std::size_t>(header.ranks)),
        row_(row_of(header, selection, options, beyond())) {
    for (const StepRange panel : selection.panels) {
      arcs_.emplace_back();
      for (const Message& m : selection.messages)
        if (m.step == panel.first) arcs_.back().push_back(arc_of(m));
    }
    if (options.transposes) squeeze(most_across);
  }

  std::size_t count() const override { return arcs_.size(); }
  int across() const override { return across_; }
  double width() const override { return options_.style.width_in_points() / across_; }
  double above(std::size_t panel) const override { return title_height + (is_down() ? 0 : reach(arcs_[panel], true)); }
  double below(std::size_t panel) const override {
    return is_down() ? row_.right() + beyond() + gap : 2 * row_.half_height() + reach(arcs_[panel], false) + gap;
  }

  std::string explanation() const override {
    const auto leaves = [&](const Arc& arc) { return arc.to < 0 || arc.to >= static_cast<int>(row_.size()); };
    const bool any = std::any_of(arcs_.begin(), arcs_.end(),
                                 [&](const auto& arcs) { return std::any_of(arcs.begin(), arcs.end(), leaves); });
    return words_of({any ? "An arc out of the row comes in at its other end." : "", row_.explanation()});
  }

  void draw(Picture& picture, std::size_t panel, double above) const override {
    const std::vector<Arc>& arcs = arcs_[panel];
    const double size = options_.style.font_size;
    const Point origin = is_down() ? Point{width() / 2, above} : Point{0, above + row_.half_height()};
    std::vector<StepCount> counts;
    if (options_.counts)
      for (const Arc& arc : arcs) counts.push_back(count_of(arc, origin));
    const std::string in_title = counts_in_title(counts, options_.style.small());
    const double room = width() - 2 * margin - (is_down() ? 0 : place_width) - text_width(in_title, size);
    const std::string title =
        panel_title_within(room, size, selection_.panels[panel], selection_.messages, names_) + in_title;
    picture.as(Role::panel_title)
        ->add(Text{{is_down() ? width() / 2 : margin, title_height / 2},
                   is_down() ? Text::Anchor::middle : Text::Anchor::start,
                   title,
                   size,
                   palette::black});
    for (const Arc& arc : arcs) draw_arc(picture, arc, origin);
    row_.draw(picture, is_down() ? origin.x : origin.y, {}, is_down() ? origin.y : 0);
    if (!in_title.empty()) return;
    for (const StepCount& count : counts) picture.text(count.at, fmt::format("{}", count.size), options_.style.small());
  }

 private:
  static RankRow row_of(const Header& header, const SelectedMessages& selection, const DrawOptions& options,
                        double beyond) {
    if (options.transposes) return RankRow::down(selection.ranks, options.style, beyond, header.names);
    return {selection.ranks, options.style, margin + beyond, margin + beyond, header.names};
  }

  bool is_down() const { return options_.transposes; }

  /// Beyond the ends of the row, where arcs leave it.
  double beyond() const { return is_ring_ ? 6 : 0; }

  /// Puts as many panels side by side as fit, whose arcs are made flat enough.
  void squeeze(int most_across) {
    double needed = 2 * (row_.half_height() + least_rise);
    for (std::size_t k = 0; k < arcs_.size(); ++k)
      needed = std::max(needed, text_width(panel_title_within(0, options_.style.font_size, selection_.panels[k],
                                                              selection_.messages, names_) +
                                               longest_sizes(arcs_[k]),
                                           options_.style.font_size));
    const double fit = std::floor(options_.style.width_in_points() / (needed + gap));
    across_ = std::clamp(static_cast<int>(fit), 1, std::max(1, std::min(most_across, static_cast<int>(count()))));
    const double room = width() / 2 - gap / 2 - row_.half_height();
    double flatness = 1;  // of rises that aren't flattened yet
    for (const auto& arcs : arcs_)
      for (const Arc& arc : arcs) flatness = std::min(flatness, (room - beside(arc)) / std::max(rise(arc), 1.0));
    flatness_ = std::max(flatness, 0.05);
  }

  /// The longest words that a title may have for numbers of blocks.
  std::string longest_sizes(const std::vector<Arc>& arcs) const {
    if (!options_.counts || arcs.empty()) return "";
    const auto [least, most] = std::minmax_element(
        arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.message->size < b.message->size; });
    return ", " + sizes_text(least->message->size, most->message->size);
  }

  Arc arc_of(const Message& m) const {
    const int from = *row_.column(m.src), to = *row_.column(m.dst);
    const int p = static_cast<int>(row_.size());
    if (!is_ring_ || 2 * std::abs(to - from) <= p) return {from, to, &m};
    return {from, to > from ? to - p : to + p, &m};
  }

  double rise(const Arc& arc) const {
    const double wide = row_.spacing() * arc.span();
    return flatness_ * (std::min(4 + 0.26 * wide, 16 + 0.17 * wide) + 3 * arc.message->lane / 2);
  }

  /// With the number of blocks beside the arc.
  double reach(const std::vector<Arc>& arcs, bool to_the_right) const {
    double most = 0;
    for (const Arc& arc : arcs)
      if (arc.goes_right() == to_the_right) most = std::max(most, rise(arc) + beside(arc));
    return most;
  }

  /// Room for the number of its blocks.
  double beside(const Arc& arc) const { return !options_.counts ? 0 : is_down() ? 2 + width_of_count(arc) : 4; }

  double width_of_count(const Arc& arc) const {
    return text_width(fmt::format("{}", arc.message->size), options_.style.small());
  }

  /// A place in the picture: so far along the row, and so far below its middle.
  Point place(Point p, Point origin) const { return origin + (is_down() ? Point{p.y, p.x} : p); }

  Curve place(const Curve& c, Point origin) const {
    return {place(c.from, origin), place(c.leaving, origin), place(c.arriving, origin), place(c.to, origin)};
  }

  /// The curve of an arc, as if the row went on far enough; y is reckoned from the middle of the row.
  Curve curve_of(const Arc& arc, int shift) const {
    const double side = arc.goes_right() ? 1 : -1, radius = row_.half_height();
    const double lean = std::min(0.35 * radius, 0.22 * row_.spacing());
    const Point from{row_.x(arc.from + shift) + side * lean, -side * radius * 0.95};
    const Point to{row_.x(arc.to + shift) - side * lean, -side * radius * 0.95};
    const Point up{0.12 * (to.x - from.x), -side * rise(arc) * 4 / 3};
    return {from, from + up, {to.x - up.x, to.y + up.y}, to};
  }

  void draw_arc(Picture& picture, const Arc& arc, Point origin) const {
    const Stroke stroke = stroke_of(*arc.message).scaled(row_.fineness());
    const double head = 0.4 * row_.fineness();
    const std::string css_class = class_of(*arc.message);
    const int p = static_cast<int>(row_.size());
    if (arc.to >= 0 && arc.to < p) {
      picture.curve(place(curve_of(arc, 0), origin), stroke, Heads::at_end, head, css_class);
    } else {
      const Curve leaving = curve_of(arc, 0), arriving = curve_of(arc, arc.goes_right() ? -p : p);
      const Curve out = leaving.before(crossing(leaving, arc.goes_right() ? row_.right() + 5 : row_.left() - 5));
      const Curve in = arriving.after(crossing(arriving, arc.goes_right() ? row_.left() - 5 : row_.right() + 5));
      picture.curve(place(out, origin), stroke, Heads::none, 0.4, css_class);
      picture.curve(place(in, origin), stroke, Heads::at_end, head, css_class);
    }
  }

  /// Beside the middle of an arc; of one out of the row, beside the part that has the middle.
  StepCount count_of(const Arc& arc, Point origin) const {
    const int p = static_cast<int>(row_.size());
    const double middle = (arc.from + arc.to) / 2.0;
    const Point top = curve_of(arc, middle < -0.5 ? p : middle > p - 0.5 ? -p : 0).at(0.5);
    const double beside = is_down() ? 1.5 + width_of_count(arc) / 2 : 3.5;
    return {place(top - Point{0, arc.goes_right() ? beside : -beside}, origin), arc.message->size};
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
  int across_ = 1;
  double flatness_ = 1;  // of arcs
};

}  // namespace

std::unique_ptr<StepPanels> panels_on_a_line(const Header& header, const SelectedMessages& selection,
                                             const DrawOptions& options, int most_across) {
  return std::make_unique<LinePanels>(header, selection, options, most_across);
}

}  // namespace onceover::viz
