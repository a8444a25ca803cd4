#include "viz/time_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/folding.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr double chart_margin = 3;
constexpr double tallest_band = 27;  // from the senders down to the receivers
constexpr std::size_t most_lines = 3;
constexpr double narrowest_gutter = 24;

class TimeChart {
 public:
  TimeChart(const Header& header, const SelectedMessages& selection, const DrawOptions& options,
            const TimeChartLook& look)
      : header_(header),
        selection_(selection),
        options_(options),
        look_(look),
        small_(options.style.small()),
        gutter_(gutter_of(header.names, options.style)),
        row_(selection.is_folded() ? row_of_folded(selection, header.ranks) : selection.ranks, options.style,
             chart_margin + gutter_, chart_margin + beyond_row(header.names, options.style, look), header.names),
        key_(look.key ? *look.key : key_to(selection.messages, options.style)) {
    if (selection.is_folded()) folded_.emplace(selection);
    for (const Message& m : selection_.messages) sent_[{m.step, m.src}].push_back(&m);
    for (const StepRange panel : selection_.panels) feet_.push_back(feet_of(panel));
    for (const StepRange panel : selection_.panels) frames_.push_back(frames_of(panel));
    const bool shows_blocks = look.has_blocks && std::any_of(selection_.panels.begin(), selection_.panels.end(),
                                                             [&](StepRange panel) { return blocks_fit(panel); });
    key_.add_words(words_of({shows_blocks ? "At the start of a line: the blocks that are sent." : "",
                             folded_ ? folded_->note("sender") : "", row_.explanation()}));
    if (!look_.caption.empty())
      caption_ =
          lines_within(look_.caption, options_.style.width_in_points() - 2 * chart_margin, options_.style.font_size);
    ending_ = ending();
  }

  Drawn<Picture> draw() {
    if (row_.has_too_many_numbers()) return too_large("the numbers of the ranks need more lines than can be read");
    for (const Feet& feet : feet_)
      if (folded_ && !folded_->is_one_size() && !feet.instead.empty())
        return too_large("there is no room to say for how many each sender stands");
    const double around = height_around();
    const auto bands = static_cast<double>(std::max<std::size_t>(selection_.panels.size(), 1));
    band_ = std::clamp((72 * options_.style.height - around) / bands, look_.least_band, tallest_band);
    double height = around;
    for (const StepRange panel : selection_.panels) height += height_of(panel);
    Picture picture(options_.style, title_of(header_), height);
    row_.draw(picture, chart_margin + half_row(), look_.marked_above);
    double y = header_height();
    for (std::size_t k = 0; k < selection_.panels.size(); ++k) {
      y += height_of(feet_[k], small_);
      draw_band(picture, selection_.panels[k], feet_[k], y);
      y += height_of(selection_.panels[k]);
      for (const Frame& frame : frames_[k]) y = draw_frame(picture, frame, selection_.panels[k].end, y);
    }
    draw_ending(picture, y + below_height() / 2);
    y += below_height();
    key_.draw(picture, y);
    draw_caption(picture, y + key_.height());
    return picture;
  }

 private:
  using Sent = std::map<std::pair<int, Rank>, std::vector<const Message*>>;  // by step and sender

  /// The room for the names of steps and phases. The longest phase has its room, up to a fifth of the width.
  static double gutter_of(const Names& names, const Style& style) {
    double longest = narrowest_gutter;
    for (const Names::Phase& phase : names.phases)
      longest = std::max(longest, text_width(phase.name, style.small()) + 4);
    return std::min(longest, std::max(narrowest_gutter, style.width_in_points() / 5));
  }

  /// The room at the right of the last rank's middle, besides the margin, in points. A rank that stands out has a
  /// circle as large as its label.
  static double beyond_row(const Names& names, const Style& style, const TimeChartLook& look) {
    constexpr double around_label = 3;
    double room = 4;
    for (const auto* marked : {&look.marked_above, &look.marked_below})
      for (const Rank rank : *marked)
        room = std::max(room, text_width(RankLabels(names)(rank), style.font_size) / 2 + around_label);
    return room;
  }

  /// The height of all but the bands.
  double height_around() const {
    double height = header_height() + chart_margin + key_.height() + caption_height() + below_height();
    for (const Feet& feet : feet_) height += height_of(feet, small_);
    for (const auto& frames : frames_)
      for (const Frame& frame : frames) height += frame.height;
    return height;
  }

  /// A band of several steps has room for their names.
  double height_of(StepRange panel) const { return panel.size() > 1 ? std::max(band_, 3 * small_ + 2) : band_; }

  double remark_size() const { return std::max(small_, options_.style.font_size - 1); }

  /// The words beside the first marked rank at the bottom, in lines, on the side that has more room.
  struct Ending {
    Text::Anchor anchor = Text::Anchor::start;
    double x = 0;
    std::vector<std::string> lines = {};
  };

  Ending ending() const {
    if (look_.ending.empty() || look_.marked_below.empty()) return {};
    const auto column = row_.column(look_.marked_below.front());
    if (!column) return {};
    const double beside = row_.marked_radius(look_.marked_below.front()) + 3;
    const double left = row_.x(*column) - beside, right = options_.style.width_in_points() - row_.x(*column) - beside;
    const bool is_right = right > left;
    return {is_right ? Text::Anchor::start : Text::Anchor::end, row_.x(*column) + (is_right ? beside : -beside),
            lines_within(look_.ending, 0.92 * ((is_right ? right : left) - chart_margin), remark_size())};
  }

  void draw_ending(Picture& picture, double middle) const {
    for (const Rank rank : look_.marked_below) row_.draw_marked(picture, rank, middle);
    if (!ending_.lines.empty())
      picture.add(Text{{ending_.x, middle},
                       ending_.anchor,
                       fmt::format("{}", fmt::join(ending_.lines, "\n")),
                       remark_size(),
                       palette::black});
  }

  double below_height() const {
    double height = 1.2 * remark_size() * static_cast<double>(ending_.lines.size());
    for (const Rank rank : look_.marked_below) height = std::max(height, 2 * row_.marked_radius(rank) + 2);
    return look_.marked_below.empty() ? 0 : height + 3;
  }

  /// A remark at its place.
  struct Frame {
    const TimeChartLook::Framed* framed;
    std::string words;
    double left, width, height;
  };

  std::vector<Frame> frames_of(StepRange panel) const {
    std::vector<Frame> frames;
    const double right = options_.style.width_in_points() - chart_margin, room = right - chart_margin - gutter_;
    for (const TimeChartLook::Framed& each : look_.remarks) {
      if (each.remark.step < panel.first || each.remark.step >= panel.end) continue;
      const auto lines = lines_within(each.remark.words, 0.9 * room - 6, remark_size());
      double width = 0;
      for (const std::string& line : lines) width = std::max(width, 1.06 * text_width(line, remark_size()) + 6);
      const double x = row_.x(row_.column(each.remark.rank).value_or(0));
      frames.push_back({&each, fmt::format("{}", fmt::join(lines, "\n")),
                        std::clamp(x - width / 2, chart_margin + gutter_, right - width), width,
                        1.2 * remark_size() * static_cast<double>(lines.size()) + 7});
    }
    return frames;
  }

  /// Below a step, before step `next`; returns where it ends.
  double draw_frame(Picture& picture, const Frame& frame, int next, double top) const {
    draw_lifelines(picture, next, top, frame.height);
    picture.as(Role::label)
        ->box({frame.left, top + 1.5}, frame.width, frame.height - 4, frame.words, remark_size(), palette::white,
              frame.framed->frame);
    return top + frame.height;
  }

  double caption_line() const { return options_.style.font_size * 1.2; }
  double caption_height() const {
    return caption_.empty() ? 0 : caption_line() * static_cast<double>(caption_.size()) + 3;
  }

  void draw_caption(Picture& picture, double top) const {
    for (std::size_t k = 0; k < caption_.size(); ++k)
      picture.as(Role::note)
          ->text_from({chart_margin, top + 3 + caption_line() * (static_cast<double>(k) + 0.5)}, caption_[k],
                      options_.style.font_size);
  }

  double header_height() const { return chart_margin + 2 * half_row() + 3; }

  /// Half the height of the row at the top, with the ranks that stand out.
  double half_row() const {
    double half = row_.half_height();
    for (const Rank rank : look_.marked_above) half = std::max(half, row_.marked_radius(rank));
    return half;
  }

  using Messages = std::vector<const Message*>;

  /// Do the blocks of all messages of a band fit at their feet? If those of one message don't, all show numbers. Steps
  /// that share a band have the same numbers, but not the same blocks.
  bool blocks_fit(StepRange panel) const {
    if (panel.size() > 1 || folded_) return false;
    for (auto at = first_of(panel.first); at != first_of(panel.first + 1); ++at) {
      if (at->second.size() > most_lines) return false;
      for (const Message* m : at->second)
        if (text_width(runs_text(m->blocks), small_) > row_.spacing() - 2.5) return false;
    }
    return true;
  }

  Sent::const_iterator first_of(int step) const { return sent_.lower_bound({step, 0}); }

  /// A text over the foot of a rank's messages, in one of the lines there, of which 0 is the lowest.
  struct Foot {
    double x;
    std::size_t line;
    std::string text;
  };

  /// What stands over a band: the blocks of each message or, where those don't fit, how many blocks a rank sends.
  /// Counts too wide to stand side by side take several lines.
  struct Feet {
    std::vector<Foot> texts = {};
    std::size_t lines = 0;
    std::string instead = {};  // counts that have no room: "×2048", "×16 to ×2048"
  };

  Feet feet_of(StepRange panel) const {
    if (!look_.has_blocks) return {};
    return blocks_fit(panel) ? blocks_of(panel.first) : counts_of(panel.first);
  }

  Feet blocks_of(int step) const {
    Feet feet;
    for (auto at = first_of(step); at != first_of(step + 1); ++at) {
      const std::size_t count = at->second.size();
      for (std::size_t k = 0; k < count; ++k)
        feet.texts.push_back({row_.x(*row_.column(at->first.second)), count - 1 - k, runs_text(at->second[k]->blocks)});
      feet.lines = std::max(feet.lines, count);
    }
    return feet;
  }

  Feet counts_of(int step) const {
    Feet feet;
    Block least = 0, most = 0;
    std::vector<double> ends;  // of what is in each line already
    for (auto at = first_of(step); at != first_of(step + 1); ++at) {
      Block blocks = 0;
      for (const Message* m : at->second) blocks += m->size;
      least = feet.texts.empty() ? blocks : std::min(least, blocks);
      most = std::max(most, blocks);
      Foot foot{0, 0, fmt::format("×{}", blocks)};
      if (folded_ && !folded_->is_one_size()) foot.text += ", " + folded_->of_rank(step, at->first.second);
      const double half = text_width(foot.text, small_) / 2 + 0.5, right = options_.style.width_in_points() - 1 - half;
      foot.x = std::clamp(row_.x(*row_.column(at->first.second)), chart_margin + half, right);
      while (foot.line < ends.size() && ends[foot.line] > foot.x - half) ++foot.line;
      ends.resize(std::max(ends.size(), foot.line + 1));
      ends[foot.line] = foot.x + half;
      feet.texts.push_back(foot);
    }
    feet.lines = ends.size();
    if (feet.lines <= most_lines) return feet;
    return {.instead = sizes_text(least, most)};
  }

  static double height_of(const Feet& feet, double small) {
    return feet.lines == 0 ? 0 : static_cast<double>(feet.lines) * small + 2;
  }

  /// The steps of a band, on its left: "step 3", or in three lines "steps 3 to 12". Below are counts that have no room
  /// elsewhere, and the phase of a single step, if there is room for it.
  void draw_name(Picture& picture, StepRange panel, const std::string& counts, double middle) const {
    std::vector<std::string> lines{fmt::format("step {}", panel.first)};
    if (panel.size() > 1) lines = {"steps", fmt::format("{} to", panel.first), std::to_string(panel.end - 1)};
    if (!counts.empty())
      for (const std::string& line : lines_within(counts, gutter_ - 2, small_)) lines.push_back(line);
    if (const std::string_view phase = phase_of(panel, header_.names); panel.size() == 1 && !phase.empty()) {
      const auto words = lines_within(phase, gutter_ - 2, small_);
      const auto fits = [&](const std::string& line) { return text_width(line, small_) <= gutter_ - 2; };
      if (small_ * static_cast<double>(lines.size() + words.size()) <= height_of(panel) &&
          std::all_of(words.begin(), words.end(), fits))
        lines.insert(lines.end(), words.begin(), words.end());
    }
    double y = middle - small_ * static_cast<double>(lines.size() - 1) / 2;
    for (const std::string& line : lines) {
      picture.text_from({chart_margin, y}, line, small_);
      y += small_;
    }
  }

  void draw_band(Picture& picture, StepRange panel, const Feet& feet, double foot) const {
    draw_name(picture, panel, feet.instead, foot + height_of(panel) / 2);
    draw_lifelines(picture, panel.first, foot, height_of(panel));
    if (look_.instead && panel.size() > 1)
      draw_words(picture, look_.instead(panel), {(row_.left() + row_.right()) / 2, foot + height_of(panel) / 2});
    for (auto at = first_of(panel.first); at != first_of(panel.first + 1); ++at)
      for (std::size_t k = 0; k < at->second.size(); ++k) draw_message(picture, at->second, k, foot);
    for (const Foot& text : feet.texts)
      picture.text({text.x, foot - small_ * (static_cast<double>(text.line) + 0.5) - 0.5}, text.text, small_);
  }

  /// Words on white, over lines.
  void draw_words(Picture& picture, const std::string& words, Point middle) const {
    if (words.empty()) return;
    const double width = 1.06 * text_width(words, small_) + 4, height = small_ + 3;
    picture.as(Role::label)
        ->box(middle - Point{width / 2, height / 2}, width, height, words, small_, palette::white,
              {palette::white, "solid", 0.1});
  }

  void draw_lifelines(Picture& picture, int step, double top, double height) const {
    for (int k = 0; k < static_cast<int>(row_.size()); ++k)
      draw_lifeline(picture, k, top, height, {palette::pale, "solid", 0.4});
    for (const TimeChartLook::Held& held : look_.held)
      if (held.step == step) draw_lifeline(picture, *row_.column(held.rank), top, height, held.stroke);
  }

  void draw_lifeline(Picture& picture, int column, double top, double height, const Stroke& stroke) const {
    if (row_.is_left_out(column)) return;
    picture.curve(Curve::straight({row_.x(column), top}, {row_.x(column), top + height}), stroke, Heads::none);
  }

  void draw_message(Picture& picture, const Messages& sent, std::size_t k, double foot) const {
    const Message& m = *sent[k];
    const Point from{row_.x(*row_.column(m.src)), foot + 0.5}, to{row_.x(*row_.column(m.dst)), foot + band_ - 2};
    const Point along = to - from;
    const Point shift = aside(sent, k) / std::hypot(along.x, along.y) * Point{along.y, -along.x};
    const Stroke stroke = look_.stroke ? look_.stroke(m) : stroke_of(m.lane, m.op);
    const double bulge = m.src != m.dst ? 0 : 14 * (from.x + 16 < options_.style.width_in_points() ? 1 : -1);
    const Curve line = m.src != m.dst ? Curve::straight(from + shift, to + shift)
                                      : Curve{from, from + Point{bulge, 4}, to + Point{bulge, -4}, to};
    picture.curve(line, stroke.scaled(row_.fineness()), Heads::at_end, 0.4 * row_.fineness(), {}, words_of(m));
  }

  const Header& header_;
  const SelectedMessages& selection_;
  const DrawOptions& options_;
  const TimeChartLook& look_;
  double small_;
  double gutter_;
  RankRow row_;
  PictureKey key_;
  std::optional<FoldedWords> folded_;
  Sent sent_;
  std::vector<Feet> feet_;  // of each band
  std::vector<std::vector<Frame>> frames_;
  Ending ending_;
  double band_ = tallest_band;        // the height of a step
  std::vector<std::string> caption_;  // in lines
};

}  // namespace

double aside(const std::vector<const Message*>& sent, std::size_t k) {
  const auto to_same = [&](const Message* m) { return m->dst == sent[k]->dst; };
  const auto before = std::count_if(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(k), to_same);
  const auto all = std::count_if(sent.begin(), sent.end(), to_same);
  return 2.4 * (static_cast<double>(before) - static_cast<double>(all - 1) / 2);
}

Drawn<Picture> draw_time_chart(const Header& header, const SelectedMessages& selection, const DrawOptions& options,
                               const TimeChartLook& look) {
  if (!selection.is_folded() && selection.ranks.size() > most_in_a_row(options.style))
    return tl::unexpected(row_too_long(selection.ranks.size(), options.style));
  return TimeChart(header, selection, options, look).draw();
}

}  // namespace onceover::viz
