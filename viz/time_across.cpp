// The time chart, transposed: ranks down, a band for each step to the right. Blocks stand left of a band, at the lines
// of the ranks that send them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/folding.h"
#include "viz/rank_row.h"
#include "viz/time_chart.h"

namespace onceover::viz {

namespace {

constexpr double around_chart = 3;
constexpr double narrowest_band = 14, widest_band = 90;  // from the senders to the receivers
constexpr double widest_blocks = 40;                     // of one message
constexpr double beside_blocks = 3;

class TimeAcross {
 public:
  TimeAcross(const Header& header, const SelectedMessages& selection, const DrawOptions& options)
      : header_(header),
        selection_(selection),
        options_(options),
        small_(options.style.small()),
        row_(RankRow::down(selection.is_folded() ? row_of_folded(selection, header.ranks) : selection.ranks,
                           options.style, 0, header.names)),
        left_(around_chart + std::max(2 * row_.half_height(), text_width("step", small_)) + 2),
        key_(key_to(selection.messages, options.style)) {
    if (selection.is_folded()) folded_.emplace(selection);
    for (const Message& m : selection.messages) sent_[{m.step, m.src}].push_back(&m);
  }

  Drawn<Picture> draw() {
    if (row_.has_too_many_numbers()) return too_large("the numbers of the ranks need more height than can be read");
    if (!lay_out(true) && !lay_out(false))
      return too_large(fmt::format("{} steps side by side need more width than {:.3g} in", selection_.panels.size(),
                                   options_.style.width));
    if (folded_ && !folded_->is_one_size() && !has_room_for_counts())
      return too_large("there is no room to say for how many each sender stands");
    const bool shows_blocks = std::any_of(bands_.begin(), bands_.end(), [](const Band& b) { return b.has_blocks; });
    key_.add_words(words_of({shows_blocks ? "At the start of a line: the blocks that are sent." : "",
                             folded_ ? folded_->note("sender") : "", row_.explanation()}));
    const double top = around_chart + name_height() + 2, bottom = top + row_.right() + around_chart;
    Picture picture(options_.style, title_of(header_), bottom + key_.height());
    row_.draw(picture, (around_chart + left_ - 2) / 2, {}, top);
    if (!has_full_names_) picture.text({(around_chart + left_ - 2) / 2, around_chart + small_ / 2}, "step", small_);
    double x = left_;
    for (const Band& band : bands_) x = draw_band(picture, band, x, top);
    key_.draw(picture, bottom);
    return picture;
  }

 private:
  using Messages = std::vector<const Message*>;

  /// Words at the lines of senders: a line for each message, or one for all.
  struct Foot {
    Rank sender;
    std::vector<std::string> lines;
  };

  struct Band {
    StepRange steps;
    std::vector<Foot> feet = {};
    bool has_blocks = false;
    double foot = 0;  // the width of the words
    std::vector<std::string> name = {};
  };

  /// Divides the width; false if bands would be too narrow.
  bool lay_out(bool with_blocks) {
    bands_.clear();
    double feet = 0;
    for (const StepRange steps : selection_.panels) {
      bands_.push_back(with_blocks && blocks_fit(steps) ? blocks_of(steps) : counts_of(steps));
      feet += bands_.back().foot;
    }
    const double room = options_.style.width_in_points() - around_chart - left_ - feet;
    band_ = std::min(widest_band, room / static_cast<double>(std::max<std::size_t>(1, bands_.size())));
    has_full_names_ = std::all_of(bands_.begin(), bands_.end(), [&](const Band& band) {
      return text_width(fmt::format("step {}", band.steps.first), small_) + 2 <= band.foot + band_;
    });
    for (Band& band : bands_) name(band);
    return band_ >= narrowest_band;
  }

  /// "step 3", or in lines "steps 3 to 12"; where that is too wide without the word. Below are counts that have no room
  /// elsewhere, and the phase of a single step, if it has room.
  void name(Band& band) const {
    const auto [first, end] = band.steps;
    const bool is_one = band.steps.size() == 1;
    if (is_one)
      band.name = {fmt::format("{}{}", has_full_names_ ? "step " : "", first)};
    else if (has_full_names_)
      band.name = {"steps", fmt::format("{} to", first), fmt::format("{}", end - 1)};
    else
      band.name = {fmt::format("{} to", first), fmt::format("{}", end - 1)};
    const double width = band.foot + band_ - 2;
    if (!has_room_for_counts()) add_words(band.name, counts_text(band.steps), width);
    if (is_one) add_words(band.name, phase_of(band.steps, header_.names), width);
  }

  /// Words whose lines don't fit are left out.
  void add_words(std::vector<std::string>& name, std::string_view words, double width) const {
    if (words.empty()) return;
    const auto lines = lines_within(words, width, small_);
    if (std::all_of(lines.begin(), lines.end(), [&](const auto& line) { return text_width(line, small_) <= width; }))
      name.insert(name.end(), lines.begin(), lines.end());
  }

  double name_height() const {
    std::size_t most = 1;
    for (const Band& band : bands_) most = std::max(most, band.name.size());
    return small_ * static_cast<double>(most);
  }

  template <class Visit>
  void for_each_sender(StepRange steps, Visit&& visit) const {
    for (auto at = sent_.lower_bound({steps.first, 0}); at != sent_.end() && at->first.first == steps.first; ++at)
      visit(at->first.second, at->second);
  }

  /// Steps that share a band have as many blocks, but not the same.
  bool blocks_fit(StepRange steps) const {
    if (steps.size() > 1 || folded_) return false;
    bool fit = true;
    for_each_sender(steps, [&](Rank, const Messages& messages) {
      fit = fit && small_ * static_cast<double>(messages.size()) <= row_.spacing();
      for (const Message* m : messages) fit = fit && text_width(runs_text(m->blocks), small_) <= widest_blocks;
    });
    return fit;
  }

  Band blocks_of(StepRange steps) const {
    Band band{.steps = steps, .has_blocks = true};
    for_each_sender(steps, [&](Rank sender, const Messages& messages) {
      Foot foot{sender, {}};
      for (const Message* m : messages) foot.lines.push_back(runs_text(m->blocks));
      band.feet.push_back(std::move(foot));
    });
    measure(band);
    return band;
  }

  bool has_room_for_counts() const { return row_.spacing() >= small_; }

  static Block blocks_in(const Messages& messages) {
    Block blocks = 0;
    for (const Message* m : messages) blocks += m->size;
    return blocks;
  }

  Band counts_of(StepRange steps) const {
    Band band{.steps = steps};
    if (!has_room_for_counts()) return band;
    for_each_sender(steps, [&](Rank sender, const Messages& messages) {
      std::string text = fmt::format("×{}", blocks_in(messages));
      if (folded_ && !folded_->is_one_size()) text += ", " + folded_->of_rank(steps.first, sender);
      band.feet.push_back({sender, {text}});
    });
    measure(band);
    return band;
  }

  /// "×2048", "×16 to ×2048": how much senders send.
  std::string counts_text(StepRange steps) const {
    Block least = 0, most = 0;
    for_each_sender(steps, [&](Rank, const Messages& messages) {
      const Block blocks = blocks_in(messages);
      least = most == 0 ? blocks : std::min(least, blocks);
      most = std::max(most, blocks);
    });
    return most == 0 ? "" : sizes_text(least, most);
  }

  void measure(Band& band) const {
    for (const Foot& foot : band.feet)
      for (const std::string& line : foot.lines)
        band.foot = std::max(band.foot, text_width(line, small_) + beside_blocks);
  }

  double y(Rank rank) const { return row_.x(*row_.column(rank)); }

  /// Returns where it ends.
  double draw_band(Picture& picture, const Band& band, double x, double top) const {
    const double from = x + band.foot, to = from + band_;
    for (std::size_t k = 0; k < band.name.size(); ++k)
      picture.text({(x + to) / 2, around_chart + small_ * (static_cast<double>(k) + 0.5)}, band.name[k], small_);
    for (int k = 0; k < static_cast<int>(row_.size()); ++k)
      if (!row_.is_left_out(k))
        picture.curve(Curve::straight({from, top + row_.x(k)}, {to, top + row_.x(k)}), {palette::pale, "solid", 0.4},
                      Heads::none);
    for_each_sender(band.steps, [&](Rank, const Messages& messages) {
      for (std::size_t k = 0; k < messages.size(); ++k) draw_message(picture, messages, k, {from, top});
    });
    for (const Foot& foot : band.feet)
      for (std::size_t k = 0; k < foot.lines.size(); ++k) {
        const double below = small_ * (static_cast<double>(k) - static_cast<double>(foot.lines.size() - 1) / 2);
        picture.add(
            Text{{from - 1, top + y(foot.sender) + below}, Text::Anchor::end, foot.lines[k], small_, palette::black});
      }
    return to;
  }

  /// Beside others to the same receiver.
  void draw_message(Picture& picture, const Messages& sent, std::size_t k, Point corner) const {
    const Message& m = *sent[k];
    const Point from = corner + Point{0.5, y(m.src)}, to = corner + Point{band_ - 2, y(m.dst)}, along = to - from;
    const Point shift = aside(sent, k) / std::hypot(along.x, along.y) * Point{along.y, -along.x};
    const Curve line = m.src != m.dst ? Curve::straight(from + shift, to + shift)
                                      : Curve{from, from + Point{4, -9}, to + Point{-4, -9}, to};
    picture.curve(line, stroke_of(m.lane, m.op).scaled(row_.fineness()), Heads::at_end, 0.4 * row_.fineness(), {},
                  words_of(m));
  }

  const Header& header_;
  const SelectedMessages& selection_;
  const DrawOptions& options_;
  double small_;
  RankRow row_;
  double left_;  // where the first band begins
  PictureKey key_;
  std::optional<FoldedWords> folded_;
  std::map<std::pair<int, Rank>, Messages> sent_;  // by step and sender
  std::vector<Band> bands_;
  double band_ = widest_band;  // without the words
  bool has_full_names_ = true;
};

}  // namespace

Drawn<Picture> draw_time_across(const Header& header, const SelectedMessages& selection, const DrawOptions& options) {
  return TimeAcross(header, selection, options).draw();
}

}  // namespace onceover::viz
