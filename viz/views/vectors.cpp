// vectors: the schedule as moves of distributed vectors, with the permutation of each step. (Kolmakov and Zhang,
// figures 4 to 6; PAT, figures 6 to 11)
//
// A column is a place of distributed_vector.h: the same for all blocks, as seen from their owners. What is drawn is the
// way of one block, and by that the way of all. Before a step each place that is still needed shows what it holds: the
// vectors that it started with and those that were added. A place that nobody needs any more has no line.
//
// Example: in the first step of the bandwidth-optimal schedule for 7 ranks, the vectors 4, 5 and 6 go to the places 1,
// 2 and 3, all by t^-3. Four vectors are left.
//
// Transposed, places are down and steps go to the right. Folded, that is also done where places don't fit across.
//
// O(steps * places), the moves, and places^2 for what the places hold.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "viz/folded_vector.h"
#include "viz/folding.h"
#include "viz/key.h"
#include "viz/messages.h"
#include "viz/place_contents.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr double band_of_vectors = 24;  // from the places before a step to those after it
constexpr double narrow_band = 12;      // thinned
constexpr double widest_band_of_vectors = 40;
constexpr double short_enough = 60;  // texts that read upward, in one line
constexpr double lowest_place = 4;   // where places are down
constexpr std::size_t most_rows_with_room = 24;
constexpr std::size_t most_permutations = 2;
constexpr std::size_t most_named_trees = 6;  // as many lanes look different

/// The permutations of a step: "t^-3", "t^1, t^2", or how many there are.
std::string permutations_text(const Placing& placing, const std::vector<VectorMove>& moves, Rank ranks) {
  std::vector<std::string> names;
  for (const VectorMove& move : moves) {
    if (move.from % ranks == move.to % ranks) continue;  // into scratch, or out of it
    const std::string name = placing.permutation(move.from % ranks, move.to % ranks);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.size() <= most_permutations ? fmt::format("{}", fmt::join(names, ", "))
                                           : fmt::format("{} ways", names.size());
}

/// The parallel trees of the moves that reduce, and of those that copy.
class Trees {
 public:
  explicit Trees(const std::vector<VectorMove>& moves) {
    for (const Op op : {Op::reduce, Op::copy}) {
      std::vector<VectorMove> half;
      std::copy_if(moves.begin(), moves.end(), std::back_inserter(half),
                   [&](const VectorMove& m) { return m.op == op; });
      const auto trees = parallel_trees(half, op == Op::reduce);
      if (!trees) continue;
      std::vector<int> numbers;
      for (const Rank root : trees->roots) numbers.push_back(number_of(root));
      for (std::size_t k = 0; k < half.size(); ++k)
        tree_[half[k]] = trees->tree[k] < 0 ? -1 : numbers[static_cast<std::size_t>(trees->tree[k])];
    }
  }

  const std::vector<Rank>& roots() const { return roots_; }

  /// A tree's line is that of a lane with its number; that of other moves is blue.
  Stroke stroke(const VectorMove& move) const {
    const auto at = tree_.find(move);
    if (at == tree_.end()) return stroke_of(0, move.op);
    Stroke stroke = at->second < 0 ? Stroke{.width = 1.2} : stroke_of_lane(at->second);
    stroke.head = stroke_of(0, move.op).head;
    return stroke;
  }

 private:
  /// Trees of both halves that have the same root look alike.
  int number_of(Rank root) {
    const auto at = std::find(roots_.begin(), roots_.end(), root) - roots_.begin();
    if (at == std::ssize(roots_)) roots_.push_back(root);
    return static_cast<int>(at);
  }

  std::vector<Rank> roots_;  // empty if there are no parallel trees
  std::map<VectorMove, int> tree_;
};

std::vector<VectorRow> rows_of(StepRange steps) {
  std::vector<VectorRow> rows;
  for (int step = steps.first; step < steps.end; ++step) rows.push_back({{step, step + 1}});
  return rows;
}

class VectorsChart {
 public:
  /// `folded` is null if all moves are drawn.
  VectorsChart(const Header& header, const DistributedVector& vector, const PlaceContents& contents, StepRange steps,
               const SelectedMessages* folded, const DrawOptions& options)
      : header_(header),
        vector_(vector),
        contents_(contents),
        steps_(folded ? folded->steps : steps),
        folded_(folded),
        options_(options),
        rows_(folded ? rows_of_folded(vector, steps_, header.ranks) : rows_of(steps_)),
        trees_(vector.moves),
        key_(options.style) {
    if (folded) words_.emplace(*folded);
  }

  Drawn<Picture> draw() {
    const auto places = all_places();
    if (!options_.transposes && places.size() > most_in_a_row(options_.style))
      return tl::unexpected(row_too_long(places.size(), options_.style));
    explain(folded_ ? false : TRY(contents_.repeats(steps_)));
    if (options_.transposes) TRY(fit_across(2 * row_of(places).half_height() + 5));
    const RankRow row = row_of(places);
    if (row.has_too_many_numbers()) return too_large("the numbers of the places need more lines than can be read");
    const double head = 2 * row.half_height() + 5;
    TRY(options_.transposes ? fit_across(head) : fit_down());
    const double all_rows = (band_ + line_) * static_cast<double>(rows_.size()) + line_;
    const double above_key = options_.transposes ? row.right() + length_of_texts(at_right_texts()) : head + all_rows;
    const double height = above_key + key_.height() + margin;
    if (auto tall = too_tall(height, options_.style)) return tl::unexpected(*std::move(tall));
    Picture picture(options_.style, title_of(header_) + ", distributed vectors", height);
    row.draw(picture, margin / 2 + row.half_height());
    TRY(folded_ ? draw_rows(picture, row, head) : draw_with_held(picture, row, head));
    key_.draw(picture, height - key_.height() - margin);
    return picture;
  }

 private:
  /// The places across, between the words of the steps; or down, below them.
  RankRow row_of(const std::vector<Rank>& places) const {
    if (options_.transposes) {
      Style page = options_.style;
      page.height -= (length_of_texts(names()) + length_of_texts(at_right_texts()) + key_.height()) / 72;
      return RankRow::down(places, page, length_of_texts(names()));
    }
    return RankRow(places, options_.style, margin + widest(names()) + 6, margin + widest(at_right_texts()) + 4);
  }

  Drawn<void> fit_down() {
    band_ = least_band();
    line_ = has_words() ? small() + 3 : 0;
    return {};
  }

  /// Beside the places, which take so much: with what places hold, or else how much that is.
  Drawn<void> fit_across(double head) {
    const double room = options_.style.width_in_points() - head - margin, rows = static_cast<double>(rows_.size());
    const auto fits = [&](double line) {
      line_ = line;
      band_ = std::min(widest_band_of_vectors, (room - line * (rows + 1)) / std::max(rows, 1.0));
      return band_ >= (has_words() ? band_of_vectors : narrow_band);
    };
    if (!has_words() && fits(0)) return {};
    if (has_words() && (fits(TRY(widest_held(false)) + 4) || fits(TRY(widest_held(true)) + 4))) return {};
    return too_large(
        fmt::format("{} steps side by side need more width than {:.3g} in", rows_.size(), options_.style.width));
  }

  /// Of what places that are needed hold at some time, in words or as the number of vectors.
  Drawn<double> widest_held(bool as_counts) const {
    double found = 0;
    auto held = contents_.at_first();
    for (int step = 0; step <= steps_.end; ++step) {
      for (const Rank place : step >= steps_.first ? contents_.needed(step) : std::vector<Rank>{}) {
        const Held& here = held[static_cast<std::size_t>(place)];
        found =
            std::max(found, text_width(as_counts ? PlaceContents::count_text(here) : contents_.text(here), small()));
      }
      if (step < steps_.end) TRY(contents_.execute(step, held));
    }
    return found;
  }

  Drawn<void> draw_rows(Picture& picture, const RankRow& row, double from) const {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      draw_step(picture, row, rows_[k], from + band_ * static_cast<double>(k));
    return {};
  }

  /// Each step after what the places hold before it.
  Drawn<void> draw_with_held(Picture& picture, const RankRow& row, double from) const {
    auto held = contents_.at_first();
    for (int step = 0; step < steps_.first; ++step) TRY(contents_.execute(step, held));
    for (const VectorRow& each : rows_) {
      draw_held(picture, row, each.steps.first, held, from);
      draw_step(picture, row, each, from + line_);
      TRY(contents_.execute(each.steps.first, held));
      from += line_ + band_;
    }
    draw_held(picture, row, steps_.end, held, from);
    return {};
  }

  /// The place that is so far along the row of places, and so far from the picture's edge.
  Point at(double along, double from) const { return options_.transposes ? Point{from, along} : Point{along, from}; }

  std::vector<std::string> names() const { return mapped(rows_, &name_of); }
  std::vector<std::string> at_right_texts() const {
    return mapped(rows_, [&](const VectorRow& row) { return options_.transposes ? below(row) : at_right(row); });
  }

  double widest(const std::vector<std::string>& texts) const {
    double widest = 0;
    for (const std::string& text : texts)
      for (const std::string_view line : split(text, '\n')) widest = std::max(widest, text_width(line, small()));
    return widest;
  }

  /// What is at the right of a step that is above others, in as many lines as there is room for.
  std::string below(const VectorRow& row) const {
    const std::string words = at_right(row);
    const double most = std::max(1.0, std::floor(band_ / (1.25 * small())));
    const double all = text_width(words, small());
    for (double width = std::max(all / most, short_enough); width < all; width += 4)
      if (const auto lines = lines_within(words, width, small()); static_cast<double>(lines.size()) <= most)
        return fmt::format("{}", fmt::join(lines, "\n"));
    return words;
  }

  /// Above or below steps that are side by side: they read upward, with room at their ends.
  double length_of_texts(const std::vector<std::string>& texts) const { return widest(texts) + 8; }

  double small() const { return options_.style.small(); }
  bool has_words() const { return !folded_ && !options_.thinned; }
  double least_band() const {
    const bool has_room = folded_ ? rows_.size() <= most_rows_with_room : !options_.thinned;
    return has_room ? band_of_vectors : narrow_band;
  }

  static std::string name_of(const VectorRow& row) {
    const auto [first, end] = row.steps;
    return row.is_left_out ? fmt::format("{} to {}", first, end - 1) : fmt::format("step {}", first);
  }

  /// "3 by t^-3": how many vectors a step moves, and by which permutation; folded, for how many each place stands.
  std::string at_right(const VectorRow& row) const {
    if (row.is_left_out) return "";
    const int step = row.steps.first;
    const auto& moves = contents_.moves(step);
    std::set<Rank> sent;
    for (const VectorMove& move : moves)
      if (move.from % header_.ranks != move.to % header_.ranks) sent.insert(move.from);
    const std::string by = permutations_text(vector_.placing, moves, header_.ranks);
    if (by.empty()) return "";
    const std::string stands_for =
        words_ && shown(step).size() > 1 ? words_->of_panel(folded_->panel_of(step), RankLabels({})) : "";
    return fmt::format("{} by {}{}", sent.size(), by, stands_for.empty() ? "" : " (" + stands_for + ")");
  }

  /// The moves that are drawn of a step.
  std::vector<VectorMove> shown(int step) const {
    if (!folded_) return contents_.moves(step);
    const StepRange panel = folded_->panels[folded_->panel_of(step)];
    std::vector<VectorMove> moves;
    for (const Message& m : folded_->messages)
      if (m.step == panel.first) moves.push_back({step, m.op, m.src, m.dst});
    return moves;
  }

  std::vector<Rank> all_places() const {
    std::set<Rank> places;
    if (folded_) {
      for (const VectorRow& row : rows_)
        for (const VectorMove& move : row.is_left_out ? std::vector<VectorMove>{} : shown(row.steps.first))
          places.insert({move.from, move.to});
      return row_with_dots({places.begin(), places.end()}, header_.ranks, 0, false);
    }
    for (int step = steps_.first; step <= steps_.end; ++step)
      places.insert(contents_.needed(step).begin(), contents_.needed(step).end());
    for (Rank place = 0; place < header_.ranks; ++place) places.insert(place);
    return {places.begin(), places.end()};
  }

  bool reduces() const { return has(Op::reduce); }
  bool has(Op op) const {
    return std::any_of(vector_.moves.begin(), vector_.moves.end(), [&](const VectorMove& m) { return m.op == op; });
  }

  void explain(bool repeats) {
    for (const auto& [op, words] : {std::pair(Op::reduce, "reduce"), std::pair(Op::copy, "copy")})
      if (has(op)) key_.add_line({.width = 0.8, .head = stroke_of(0, op).head}, words, Heads::at_end);
    if (!trees_.roots().empty()) key_.add_line({.width = 1.2}, "above the parallel trees");
    for (std::size_t k = 0; k < trees_.roots().size() && k < most_named_trees; ++k)
      key_.add_line(stroke_of_lane(static_cast<int>(k)), fmt::format("tree of {}", trees_.roots()[k]));
    if (trees_.roots().size() > most_named_trees)
      key_.add_words(fmt::format("and so on, {} trees.", trees_.roots().size()));
    std::string words = vector_.placing.explanation(options_.transposes);
    if (header_.blocks > header_.ranks)
      words += fmt::format(" Of each owner one block is shown, as block {}.", options_.blocks.front());
    if (vector_.slots > 1) words += fmt::format(" From {} on: scratch.", header_.ranks);
    if (has_words())
      words += !reduces() ? " v: the vector is there."
                          : fmt::format(" Numbers at lines: the {} whose values are summed there.",
                                        options_.transposes ? "rows" : "columns");
    if (has_words() && repeats) words += " !: one of them more than once.";
    words += fmt::format(" {}: how many vectors move, and by which permutation.",
                         options_.transposes ? "Below" : "At the right");
    const bool leaves_out =
        std::any_of(rows_.begin(), rows_.end(), [](const VectorRow& row) { return row.is_left_out; });
    key_.add_words(words_of({words, words_ ? words_->note("sender") : "",
                             leaves_out ? "Dotted: steps that are each the one before, moved on." : ""}));
  }

  /// What the places that are needed hold, in words or, if they don't fit, as the number of vectors.
  void draw_held(Picture& picture, const RankRow& row, int step, const std::vector<Held>& held, double from) const {
    if (!has_words()) return;
    const auto shown = [&](auto&& text_of) {
      double widest = 0;
      for (const Rank place : contents_.needed(step))
        widest = std::max(widest, text_width(text_of(held[static_cast<std::size_t>(place)]), small()));
      if (widest > (options_.transposes ? line_ : row.spacing()) - 1.5) return false;
      for (const Rank place : contents_.needed(step))
        picture.text(at(row.x(*row.column(place)), from + line_ / 2 - (options_.transposes ? 0 : 0.5)),
                     text_of(held[static_cast<std::size_t>(place)]), small());
      return true;
    };
    if (shown([&](const Held& each) { return contents_.text(each); })) return;
    shown([&](const Held& each) { return PlaceContents::count_text(each); });
  }

  void draw_step(Picture& picture, const RankRow& row, const VectorRow& drawn, double from) const {
    draw_words(picture, row, drawn, from + band_ / 2);
    const auto [first, end] = drawn.steps;
    for (const Rank place : contents_.needed(first)) {
      const auto column = row.column(place);
      if (column && (drawn.is_left_out ? is_needed(end, place) : stays(first, place)))
        picture.curve(Curve::straight(at(row.x(*column), from), at(row.x(*column), from + band_)),
                      {palette::grey, drawn.is_left_out ? "dotted" : "solid", 0.5}, Heads::none);
    }
    if (drawn.is_left_out) return;
    for (const VectorMove& move : shown(first)) {
      const Point leaves = at(row.x(*row.column(move.from)), from + 0.5);
      const Point arrives = at(row.x(*row.column(move.to)), from + band_ - 1.5);
      picture.curve(Curve::straight(leaves, arrives), trees_.stroke(move).scaled(row.fineness()), Heads::at_end,
                    0.4 * row.fineness());
    }
  }

  /// The step's name, and what it moves.
  void draw_words(Picture& picture, const RankRow& row, const VectorRow& drawn, double middle) const {
    const std::string name = name_of(drawn), right = options_.transposes ? below(drawn) : at_right(drawn);
    if (!options_.transposes) {
      picture.text_from({margin, middle}, name, small());
      picture.text_from({options_.style.width_in_points() - margin - text_width(right, small()), middle}, right,
                        small());
      return;
    }
    const auto upward_from = [&](double y, const std::string& words) {
      if (!words.empty())
        picture.add({.at = {middle, y},
                     .anchor = Text::Anchor::start,
                     .words = words,
                     .size = small(),
                     .colour = palette::black,
                     .is_upright = true});
    };
    upward_from(row.left() - 4, name);
    upward_from(row.right() + 4 + widest({right}), right);
  }

  bool is_needed(int step, Rank place) const {
    const auto& needed = contents_.needed(step);
    return std::binary_search(needed.begin(), needed.end(), place);
  }

  /// Is what the place holds needed after the step, at that place?
  bool stays(int step, Rank place) const {
    if (!is_needed(step + 1, place)) return false;
    const auto& moves = contents_.moves(step);
    return std::none_of(moves.begin(), moves.end(),
                        [&](const VectorMove& m) { return m.op == Op::copy && m.to == place; });
  }

  const Header& header_;
  const DistributedVector& vector_;
  const PlaceContents& contents_;
  StepRange steps_;
  const SelectedMessages* folded_;
  double band_ = 0;                   // for a step's moves, in points
  double line_ = 0;                   // for what places hold between steps
  std::optional<FoldedWords> words_;  // if moves are folded
  const DrawOptions& options_;
  std::vector<VectorRow> rows_;
  Trees trees_;
  PictureKey key_;
};

Drawn<Picture> draw_vectors(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  const StepRange steps = steps_shown(schedule, options);
  const bool is_folded = asks_to_fold(options);
  if (!is_folded) {  // judged first: it needs no pass over the messages
    if (!options.transposes && static_cast<std::size_t>(header.ranks) > most_in_a_row(options.style))
      return tl::unexpected(row_too_long(static_cast<std::size_t>(header.ranks), options.style));
    const double length = options.transposes ? lowest_place * header.ranks : narrow_band * steps.size();
    if (auto tall = too_tall(length, options.style)) return tl::unexpected(*std::move(tall));
  }
  const auto vector = TRY(distributed_vector(schedule, options.blocks.front()));
  const PlaceContents contents(schedule, vector);
  if (!is_folded) return VectorsChart(header, vector, contents, steps, nullptr, options).draw();
  const auto folded = TRY(folded_moves(vector, header, schedule.steps(), options));
  auto picture = VectorsChart(header, vector, contents, steps, &folded, options).draw();
  if (picture || options.transposes) return picture;
  DrawOptions transposed = options;
  transposed.transposes = true;
  auto down = VectorsChart(header, vector, contents, steps, &folded, transposed).draw();
  return down ? std::move(down) : std::move(picture);
}

}  // namespace

const View vectors_view{
    .name = "vectors",
    .summary = "blocks that move alike as one vector, and the permutations of the ranks by which it moves",
    .heeds = "--blocks --steps --transpose --fold --no-fold",
    .draw = draw_vectors,
};

}  // namespace onceover::viz
