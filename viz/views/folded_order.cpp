// The picture of a program with what is alike drawn once: ranks side by side, time downward. Threads that aren't there
// at the same time share a column. Lines lie behind the boxes that they pass.

#include "viz/folded_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rows.h"
#include "base/text.h"
#include "viz/alike_operations.h"
#include "viz/key.h"
#include "viz/repeated_rows.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_folded_operations = 400;
constexpr double gap_of_columns = 11, widest_gap = 60, gap_of_rows = 7;
constexpr Stroke folded_thread_stroke{palette::grey, "solid", 0.7};
constexpr double folded_header = 20;

/// "from 3", "from 7 ranks".
std::string peers_text(std::string_view how, std::set<Rank> peers, const std::string& rank_word) {
  if (peers.empty()) return "";
  return peers.size() == 1 ? fmt::format("{} {}", how, *peers.begin())
                           : fmt::format("{} {} {}s", how, peers.size(), rank_word);
}

/// An operation that is drawn for all of its class.
struct DrawnOperation {
  std::size_t operation;
  std::vector<std::int32_t> threads = {};  // of its rank that have one
  std::set<Rank> from = {}, to = {};
  std::size_t row = 0;
  std::size_t column = 0;
  bool is_hidden = false;  // its row, which has words instead, says that rows above it are repeated
};

/// A rank that is drawn for all of its class.
struct DrawnRank {
  Rank rank;
  std::size_t size;                     // of its class
  std::vector<std::size_t> drawn = {};  // in their order
  std::size_t first_column = 0, columns = 0;
};

/// How the words of a box stand in it.
struct Lettering {
  int lines;  // 1; 2: peers below; 3: also the number above
  double size;

  double box_height() const { return (1.2 * lines + 0.2) * size + 2; }
  double pitch() const { return box_height() + gap_of_rows; }
};

class FoldedOrder {
 public:
  FoldedOrder(const OrderedProgram& program, const AlikeOperations& alike, const std::vector<Rank>& ranks)
      : program_(program), alike_(alike) {
    choose_ranks(ranks);
    for (DrawnRank& rank : ranks_) choose_operations(rank);
    lay_rows();
    for (DrawnRank& rank : ranks_) lay_columns(rank);
    hide_repeated_rows();
  }

  std::size_t size() const {
    const auto is_shown = [](const DrawnOperation& drawn) { return !drawn.is_hidden; };
    return static_cast<std::size_t>(std::count_if(drawn_.begin(), drawn_.end(), is_shown));
  }

  Drawn<Picture> draw(const Style& style) {
    const double normal = style.font_size - 1;
    double least = 0;
    for (const double size : {normal, std::min(normal, style.small())})
      for (const int lines : {1, 2, 3}) {
        const Lettering lettering{lines, size};
        const double width = measure(lettering);
        if (width <= style.width_in_points() && height_of(style, lettering) <= 72 * style.height)
          return picture(style, lettering, width);
        least = least == 0 ? width : std::min(least, width);
      }
    if (least <= style.width_in_points())
      return too_large(fmt::format("{} rows of operations are too many to be seen", rows_));
    return too_large(
        fmt::format("{} threads side by side need {:.1f} inches", column_widths_.size(), least / 72 + 0.1));
  }

 private:
  void choose_ranks(const std::vector<Rank>& asked) {
    std::map<std::size_t, DrawnRank> of_class;
    std::set<Rank> all;
    for (const OrderedProgram::Operation& o : program_.operations) all.insert(o.rank);
    for (const Rank rank : all) {
      const auto found = of_class.find(alike_.class_of_rank(rank));
      if (found != of_class.end()) ++found->second.size;
      if (found == of_class.end()) of_class.emplace(alike_.class_of_rank(rank), DrawnRank{rank, 1});
    }
    if (!asked.empty())
      for (auto each = of_class.begin(); each != of_class.end();) {
        const auto is_one = [&](Rank rank) { return all.contains(rank) && alike_.class_of_rank(rank) == each->first; };
        const auto lowest = std::find_if(asked.begin(), asked.end(), is_one);
        if (lowest != asked.end()) each->second.rank = *lowest;
        each = lowest == asked.end() ? of_class.erase(each) : std::next(each);
      }
    for (auto& [number, rank] : of_class) ranks_.push_back(std::move(rank));
    std::sort(ranks_.begin(), ranks_.end(), [](const DrawnRank& a, const DrawnRank& b) { return a.rank < b.rank; });
  }

  void choose_operations(DrawnRank& rank) {
    for (std::size_t k = 0; k < program_.operations.size(); ++k) {
      const OrderedProgram::Operation& o = program_.operations[k];
      if (o.rank != rank.rank) continue;
      const auto [place, is_new] = of_class_.try_emplace(alike_.class_of(k), drawn_.size());
      if (is_new) drawn_.push_back({k});
      if (is_new) rank.drawn.push_back(place->second);
      DrawnOperation& drawn = drawn_[place->second];
      if (drawn.threads.empty() || drawn.threads.back() != o.thread) drawn.threads.push_back(o.thread);
      drawn.from.insert(o.from.begin(), o.from.end());
      drawn.to.insert(o.to.begin(), o.to.end());
    }
  }

  /// Levels that some operation has are rows.
  void lay_rows() {
    std::set<std::size_t> levels;
    for (const DrawnOperation& drawn : drawn_) levels.insert(alike_.level_of(drawn.operation));
    for (DrawnOperation& drawn : drawn_)
      drawn.row =
          static_cast<std::size_t>(std::distance(levels.begin(), levels.find(alike_.level_of(drawn.operation))));
    rows_ = levels.size();
  }

  bool continues(std::size_t before, std::size_t next) const {
    return program_.threads_are_ordered && drawn_[before].threads == drawn_[next].threads;
  }

  /// Each thread takes the first column that is free from its first row to its last.
  void lay_columns(DrawnRank& rank) {
    std::vector<std::set<std::size_t>> taken;
    rank.first_column = columns_;
    for (std::size_t k = 0; k < rank.drawn.size();) {
      std::size_t end = k + 1;
      while (end < rank.drawn.size() && continues(rank.drawn[k], rank.drawn[end])) ++end;
      const std::size_t first = drawn_[rank.drawn[k]].row, last = drawn_[rank.drawn[end - 1]].row;
      const auto is_free = [&](const std::set<std::size_t>& rows) {
        const auto next = rows.lower_bound(first);
        return next == rows.end() || *next > last;
      };
      const auto column = std::find_if(taken.begin(), taken.end(), is_free);
      const auto number = static_cast<std::size_t>(column - taken.begin());
      if (column == taken.end()) taken.emplace_back();
      for (std::size_t row = first; row <= last; ++row) taken[number].insert(row);
      for (; k < end; ++k) drawn_[rank.drawn[k]].column = columns_ + number;
    }
    rank.columns = taken.size();
    columns_ += taken.size();
  }

  /// What a row shows, in words: rows with the same words differ only in the numbers of operations.
  std::vector<std::string> words_of_rows() const {
    std::vector<std::set<std::string>> words(rows_);
    for (const DrawnOperation& drawn : drawn_)
      words[drawn.row].insert(fmt::format("{} {} {} {} {}", drawn.column, program_.operations[drawn.operation].words,
                                          fmt::join(drawn.from, ","), fmt::join(drawn.to, ","), drawn.threads.size()));
    for (const DrawnRank& rank : ranks_)
      for (std::size_t k = 1; k < rank.drawn.size(); ++k)
        if (const DrawnOperation& a = drawn_[rank.drawn[k - 1]], &b = drawn_[rank.drawn[k]];
            continues(rank.drawn[k - 1], rank.drawn[k]))
          words[b.row].insert(fmt::format("{} follows {} above", b.column, b.row - a.row));
    for (const OrderedProgram::Wait& wait : program_.waits)
      if (const auto [a, b] = drawn_for(wait); a != nullptr && b != nullptr)
        words[b->row].insert(
            fmt::format("{} waits for {} {} above, {}", b->column, a->column, b->row - a->row, wait.reason));
    return mapped(words, [](const std::set<std::string>& all) { return fmt::format("{}", fmt::join(all, "; ")); });
  }

  void hide_repeated_rows() {
    const std::vector<RepeatedRows> runs = repeated_rows(words_of_rows());
    std::vector<std::size_t> row_of(rows_);
    std::size_t next = 0;
    auto run = runs.begin();
    for (std::size_t row = 0; row < rows_; ++row) {
      if (run != runs.end() && row == run->end) ++run;
      const bool is_hidden = run != runs.end() && row >= run->first;
      if (is_hidden && row == run->first) again_.emplace_back(next++, *run);
      row_of[row] = is_hidden ? next - 1 : next++;
      for (DrawnOperation& drawn : drawn_) drawn.is_hidden = drawn.is_hidden || (is_hidden && drawn.row == row);
    }
    for (DrawnOperation& drawn : drawn_) drawn.row = row_of[drawn.row];
    rows_ = next;
  }

  /// What is drawn for the operation that is waited for, and for the one that waits; null if nothing is.
  std::pair<const DrawnOperation*, const DrawnOperation*> drawn_for(const OrderedProgram::Wait& wait) const {
    const auto drawn = [&](std::size_t operation) {
      const auto found = of_class_.find(alike_.class_of(operation));
      return found == of_class_.end() ? nullptr : &drawn_[found->second];
    };
    return {drawn(wait.before), drawn(wait.after)};
  }

  std::string label_of(const DrawnOperation& drawn, int lines) const {
    const OrderedProgram::Operation& o = program_.operations[drawn.operation];
    const std::string count = drawn.threads.size() == 1 ? "" : fmt::format(" \u00d7{}", drawn.threads.size());
    const std::string begin = fmt::format("{}.{}{}{}{}", o.thread, o.number, count, lines == 3 ? '\n' : ' ', o.words);
    const std::string from = peers_text("from", drawn.from, program_.rank_word);
    const std::string to = peers_text("to", drawn.to, program_.rank_word);
    const std::string peers = from + (from.empty() || to.empty() ? "" : " ") + to;
    return peers.empty() ? begin : begin + (lines == 1 ? " " : "\n") + peers;
  }

  /// "rank 0: 1 of 8".
  std::string name_of(const DrawnRank& rank) const {
    return fmt::format("{} {}{}", program_.rank_word, rank.rank,
                       rank.size == 1 ? "" : fmt::format(": 1 of {}", rank.size));
  }

  static double width_of(std::string_view label, double size) {
    double widest = 0;
    for (const std::string_view line : split(label, '\n')) widest = std::max(widest, text_width(line, size));
    return widest + 6;
  }

  /// The widths of columns with these letters; returns that of all of them.
  double measure(const Lettering& lettering) {
    column_widths_.assign(columns_, 0);
    for (const DrawnOperation& drawn : drawn_) {
      if (drawn.is_hidden) continue;
      double& width = column_widths_[drawn.column];
      width = std::max(width, width_of(label_of(drawn, lettering.lines), lettering.size));
    }
    double all = 2 * margin + static_cast<double>(columns_ - 1) * gap_of_columns;
    for (const DrawnRank& rank : ranks_) {
      double width = static_cast<double>(rank.columns - 1) * gap_of_columns;
      for (std::size_t c = 0; c < rank.columns; ++c) width += column_widths_[rank.first_column + c];
      const double missing = text_width(name_of(rank), lettering.size + 1) - width;
      if (missing > 0) column_widths_[rank.first_column] += missing;
    }
    for (const double width : column_widths_) all += width;
    return all;
  }

  double bottom_of(const Lettering& lettering) const {
    return margin + folded_header + static_cast<double>(rows_) * lettering.pitch();
  }

  double height_of(const Style& style, const Lettering& lettering) const {
    return bottom_of(lettering) + margin + key_of(style).height();
  }

  PictureKey key_of(const Style& style) const {
    PictureKey key(style);
    for (std::size_t reason = 0; reason < program_.reasons.size(); ++reason)
      if (std::any_of(program_.waits.begin(), program_.waits.end(), [&](const OrderedProgram::Wait& wait) {
            const auto [a, b] = drawn_for(wait);
            return wait.reason == reason && a != nullptr && b != nullptr;
          }))
        key.add_line(program_.reasons[reason].stroke, program_.reasons[reason].words, program_.reasons[reason].heads);
    const bool has_order = std::any_of(ranks_.begin(), ranks_.end(), [&](const DrawnRank& rank) {
      for (std::size_t k = 1; k < rank.drawn.size(); ++k)
        if (continues(rank.drawn[k - 1], rank.drawn[k])) return true;
      return false;
    });
    if (has_order) key.add_line(folded_thread_stroke, fmt::format("order in a {}", program_.thread_word));
    key.add_words(words_of({program_.note, alike_words(), threads_words()}));
    return key;
  }

  /// Who is drawn for whom.
  std::string alike_words() const {
    const auto stands_for_more = [](const DrawnRank& rank) { return rank.size > 1; };
    if (std::none_of(ranks_.begin(), ranks_.end(), stands_for_more)) return "";
    return fmt::format("One {} is drawn for all that do alike, with its own peers and {}s: {} within it go to another.",
                       program_.rank_word, program_.thread_word, program_.crossing);
  }

  /// What the number of threads in a box means.
  std::string threads_words() const {
    const auto has_several = [](const DrawnOperation& drawn) { return drawn.threads.size() > 1; };
    const auto example = std::find_if(drawn_.begin(), drawn_.end(), has_several);
    if (example == drawn_.end()) return "";
    return fmt::format("\u00d7{0}: {0} {1}s of the {2} do so.", example->threads.size(), program_.thread_word,
                       program_.rank_word);
  }

  Picture picture(const Style& style, const Lettering& lettering, double width) {
    const double room = style.width_in_points() - width;
    const double more =
        columns_ > 1 ? std::min(room / static_cast<double>(columns_ - 1), widest_gap - gap_of_columns) : 0;
    double x = margin + (room - more * static_cast<double>(columns_ - 1)) / 2;
    lefts_.clear();
    for (const double column : column_widths_) {
      lefts_.push_back(x);
      x += column + gap_of_columns + more;
    }
    lettering_ = lettering;
    const double bottom = bottom_of(lettering);
    const PictureKey key = key_of(style);
    Picture picture(style, program_.title + ", what waits for what, what is alike drawn once",
                    bottom + margin + key.height());
    for (const DrawnRank& rank : ranks_) draw_rank(picture, rank);
    draw_waits(picture);
    for (const DrawnOperation& drawn : drawn_)
      if (!drawn.is_hidden) draw_operation(picture, drawn);
    for (const auto& [row, run] : again_) draw_again(picture, row, run);
    key.draw(picture, bottom + margin);
    return picture;
  }

  double left(const DrawnOperation& drawn) const { return lefts_[drawn.column]; }
  double right(const DrawnOperation& drawn) const { return left(drawn) + column_widths_[drawn.column]; }
  double middle_of_row(std::size_t row) const {
    return margin + folded_header + (static_cast<double>(row) + 0.5) * lettering_.pitch();
  }
  double middle(const DrawnOperation& drawn) const { return middle_of_row(drawn.row); }
  double half_box() const { return lettering_.box_height() / 2; }

  void draw_rank(Picture& picture, const DrawnRank& rank) const {
    const std::size_t last = rank.first_column + rank.columns - 1;
    const double from = lefts_[rank.first_column], to = lefts_[last] + column_widths_[last];
    picture.as(Role::panel_title)->text({(from + to) / 2, margin + 5}, name_of(rank), lettering_.size + 1);
    picture.curve(Curve::straight({from, margin + 13}, {to, margin + 13}), {palette::grey, "solid", 0.8}, Heads::none);
    for (std::size_t k = 1; k < rank.drawn.size(); ++k) {
      const DrawnOperation &a = drawn_[rank.drawn[k - 1]], &b = drawn_[rank.drawn[k]];
      if (!continues(rank.drawn[k - 1], rank.drawn[k]) || a.row == b.row) continue;
      const double x = (left(a) + right(a)) / 2;
      picture.as(Role::line)->curve(Curve::straight({x, middle(a)}, {x, middle(b)}), folded_thread_stroke, Heads::none);
    }
  }

  void draw_operation(Picture& picture, const DrawnOperation& drawn) const {
    picture.as(Role::node)
        ->box({left(drawn), middle(drawn) - half_box()}, right(drawn) - left(drawn), lettering_.box_height(),
              label_of(drawn, lettering_.lines), lettering_.size, palette::white, {palette::black, "solid", 0.6});
  }

  void draw_again(Picture& picture, std::size_t row, const RepeatedRows& run) const {
    const std::string rows = run.period == 1 ? "the row above" : fmt::format("the {} rows above", run.period);
    const std::string words =
        run.times() == 1 ? rows + ", once more" : fmt::format("{}, {} times more", rows, run.times());
    const double width = text_width(words, lettering_.size) + 6, height = 1.4 * lettering_.size;
    picture.as(Role::label)
        ->box({picture.style().width_in_points() / 2 - width / 2, middle_of_row(row) - height / 2}, width, height,
              words, lettering_.size, palette::white, {palette::white, "solid", 0.6});
  }

  /// Between classes, each once for a reason. Of rows that are repeated, only what comes out of them.
  void draw_waits(Picture& picture) const {
    std::set<std::tuple<const DrawnOperation*, const DrawnOperation*, std::size_t>> seen;
    for (const OrderedProgram::Wait& wait : program_.waits) {
      const auto [a, b] = drawn_for(wait);
      if (a != nullptr && b != nullptr && a != b && !b->is_hidden && seen.emplace(a, b, wait.reason).second)
        connect(picture, *a, *b, program_.reasons[wait.reason]);
    }
  }

  /// From the side of one box to that of the other; in one column beside the boxes between them.
  void connect(Picture& picture, const DrawnOperation& a, const DrawnOperation& b,
               const OrderedProgram::Reason& reason) const {
    const auto line = picture.as(Role::line);
    if (a.column != b.column) {
      const bool is_right = left(a) < left(b);
      line->curve(
          Curve::straight({is_right ? right(a) : left(a), middle(a)}, {is_right ? left(b) : right(b), middle(b)}),
          reason.stroke, reason.heads);
      return;
    }
    if (b.row == a.row + 1) {
      const double x = right(a) - 6;
      line->curve(Curve::straight({x, middle(a) + half_box()}, {x, middle(b) - half_box()}), reason.stroke,
                  reason.heads);
      return;
    }
    const double x = right(a), out = x + 0.9 * gap_of_columns;
    line->curve({{x, middle(a)}, {out, middle(a)}, {out, middle(b)}, {x, middle(b)}}, reason.stroke, reason.heads);
  }

  const OrderedProgram& program_;
  const AlikeOperations& alike_;
  std::vector<DrawnRank> ranks_;
  std::vector<DrawnOperation> drawn_;
  std::map<std::size_t, std::size_t> of_class_;              // by class: what is drawn for it
  std::vector<std::pair<std::size_t, RepeatedRows>> again_;  // rows in place of those that repeat others
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> column_widths_, lefts_;  // by column
  Lettering lettering_{};
};

}  // namespace

Drawn<Picture> draw_folded(const OrderedProgram& program, const std::vector<Rank>& ranks, const Style& style) {
  const auto alike = AlikeOperations::of(program);
  if (!alike) return too_large("operations that wait in a circle, or too many to compare, can't be folded");
  FoldedOrder order(program, *alike, ranks);
  if (order.size() == 0) return unsuitable("happens-before: there are no operations to draw");
  if (order.size() > most_folded_operations)
    return too_large(
        fmt::format("{} operations of which no two do alike are too many to be seen; up to {} can be drawn",
                    order.size(), most_folded_operations));
  return order.draw(style);
}

}  // namespace onceover::viz
