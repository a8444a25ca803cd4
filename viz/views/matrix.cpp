// matrix: how much each rank holds of each block, after each step. Of blocks that a symmetry takes to each other, one
// is executed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "base/sentences.h"
#include "verifier/move_symmetry.h"
#include "viz/block_trace.h"
#include "viz/key.h"
#include "viz/messages.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr double smallest_numbered_cell = 8;
constexpr double largest_cell = 13;
constexpr double key_height = 30;
constexpr const char* left_out_steps = "Steps between these are left out.";
constexpr std::size_t most_panel_cells = 1'000'000;   // in all panels
constexpr std::uint64_t most_executed = 200'000'000;  // moves
constexpr std::uint64_t most_compared = 6'000'000;    // messages, to find a symmetry

/// What a cell stands for: a rank's contributions to a block, or those of several ranks to several blocks together.
struct Cell {
  std::uint64_t contributions = 0;
  std::uint64_t pairs = 1;  // of a rank and a block
  bool has_duplicate = false;
};

/// A panel: what is held after the steps before `end`, by line of ranks and line of blocks.
struct MatrixPanel {
  int end;
  std::vector<std::vector<Cell>> rows;
};

/// How many of `count` share a line of cells, so that lines can be told apart.
std::size_t sharing(std::size_t count, const Style& style) {
  const std::size_t most = most_in_a_row(style);
  return (count + most - 1) / most;
}

class MatrixPicture {
 public:
  MatrixPicture(const Schedule& schedule, const DrawOptions& options, std::vector<Rank> ranks)
      : schedule_(schedule),
        options_(options),
        ranks_(std::move(ranks)),
        labels_(schedule.header().names),
        per_row_(sharing(ranks_.size(), options.style)),
        per_column_(sharing(blocks(), options.style)),
        rows_((ranks_.size() + per_row_ - 1) / per_row_),
        columns_((blocks() + per_column_ - 1) / per_column_) {
    const StepRange steps = steps_shown(schedule, options);
    lay_out(static_cast<std::size_t>(steps.size()) + 1, options.thinned);
    every_ = options.thinned ? steps_between(steps.size() + 1) : 1;
    for (int end = steps.first; end < steps.end; end += every_) panels_.push_back({end, {}});
    panels_.push_back({steps.end, {}});
  }

  /// Executes all blocks. A block whose execution has no meaning is returned; then there is no picture.
  std::optional<Block> execute() {
    for (MatrixPanel& panel : panels_) {
      panel.rows.assign(rows_, std::vector<Cell>(columns_));
      for (std::size_t row = 0; row < rows_; ++row)
        for (std::size_t column = 0; column < columns_; ++column)
          panel.rows[row][column].pairs = std::min(per_row_, ranks_.size() - row * per_row_) *
                                          std::min(per_column_, blocks() - column * per_column_);
    }
    const Rank ranks = schedule_.header().ranks;
    for (Block b = 0; b < schedule_.header().blocks; ++b) {
      if (symmetry_ && symmetry_->representative_of(b % ranks) != b % ranks) continue;
      if (!(symmetry_ ? execute_orbit(b) : execute(b))) return b;
    }
    return std::nullopt;
  }

  std::size_t panels() const { return panels_.size(); }
  std::size_t cells() const { return panels_.size() * rows_ * columns_; }

  /// From now on one block of each orbit of a symmetry is executed, if the schedule has one.
  void look_for_symmetry() {
    if (schedule_.header().scratch > 0) return;
    symmetry_ = find_symmetry(schedule_, 1, most_compared).found;
    if (symmetry_ && !symmetry_->moves_all_ranks()) symmetry_.reset();
  }

  /// Would executing the blocks, or filling the cells, take too long?
  bool takes_long() const {
    const Header& header = schedule_.header();
    const auto ranks = static_cast<std::uint64_t>(header.ranks), blocks = static_cast<std::uint64_t>(header.blocks);
    const std::uint64_t executed =
        symmetry_ ? blocks / ranks * static_cast<std::uint64_t>(symmetry_->orbits()) : blocks;
    const auto walked = static_cast<std::uint64_t>(panels_.back().end) * ranks;
    const std::uint64_t moved = schedule_.block_transfers() / blocks * panels_.size();
    return walked * executed > most_executed || moved * executed > most_executed ||
           (symmetry_ && ranks_.size() * blocks * panels_.size() > most_executed);
  }

  /// Do several ranks or blocks share a cell?
  bool is_shared() const { return per_row_ * per_column_ > 1; }

  double height() const { return cells_end() + height_of_key(has_duplicate(), leaves_out_steps()); }

  Picture draw() const {
    Picture picture(options_.style, title_of(schedule_.header()), height());
    for (std::size_t k = 0; k < panels_.size(); ++k)
      draw_panel(picture, panels_[k],
                 {margin + static_cast<double>(k % across_) * panel_width_,
                  static_cast<double>(k / across_) * panel_height()});
    if (has_numbers())
      key_to_numbers(has_duplicate(), leaves_out_steps()).draw(picture, cells_end());
    else
      draw_key(picture, cells_end());
    return picture;
  }

 private:
  bool is_transposed() const { return options_.transposes; }

  /// The lines of cells below each other, and side by side.
  std::size_t lines_down() const { return is_transposed() ? columns_ : rows_; }
  std::size_t lines_across() const { return is_transposed() ? rows_ : columns_; }

  /// Scratch blocks stand behind the others.
  std::size_t blocks() const { return static_cast<std::size_t>(schedule_.header().all_blocks()); }

  /// The others of the orbit hold the same, on the ranks to which the translations take those that hold it.
  bool execute_orbit(Block block) {
    const Header& header = schedule_.header();
    Execution execution(header);
    BlockTrace trace(schedule_, block);
    std::vector<std::vector<BlockContent>> held;  // by panel and rank
    for (const MatrixPanel& panel : panels_) {
      if (execution.run(block, trace.before(panel.end))) return false;
      BlockContentTable table(header, execution.terms());
      held.emplace_back();
      for (Rank rank = 0; rank < header.ranks; ++rank) held.back().push_back(table.of(execution.value(rank)));
    }
    const Places places(*symmetry_);
    const Rank place = block % header.ranks;
    for (Rank other = 0; other < header.ranks; ++other) {
      if (symmetry_->representative_of(other) != place) continue;
      const Rank back = places.minus(place, other);
      for (std::size_t k = 0; k < ranks_.size(); ++k) {
        const auto at = static_cast<std::size_t>(places.plus(ranks_[k], back));
        for (std::size_t p = 0; p < panels_.size(); ++p) add(held[p][at], panels_[p], k, block - place + other);
      }
    }
    return true;
  }

  bool execute(Block block) {
    Execution execution(schedule_.header());
    BlockTrace trace(schedule_, block);
    std::vector<BlockContent> held(blocks());
    for (MatrixPanel& panel : panels_) {
      if (execution.run(block, trace.before(panel.end))) return false;
      BlockContentTable table(schedule_.header(), execution.terms());
      for (std::size_t k = 0; k < ranks_.size(); ++k) {
        for (const Block slot : trace.slots()) held[static_cast<std::size_t>(slot)] = {};
        set_block_contents(schedule_.header(), trace.slots(), execution, table, ranks_[k], held);
        for (const Block slot : trace.slots()) add(held[static_cast<std::size_t>(slot)], panel, k, slot);
      }
    }
    return true;
  }

  /// Adds to a cell. Scratch may be in the traces of several blocks; it counts where it holds most, and shares no cell.
  void add(const BlockContent& held, MatrixPanel& panel, std::size_t rank, Block block) const {
    Cell& cell = panel.rows[rank / per_row_][static_cast<std::size_t>(block) / per_column_];
    const auto contributions = static_cast<std::uint64_t>(held.contributions);
    cell.contributions = is_shared() ? cell.contributions + contributions : std::max(cell.contributions, contributions);
    cell.has_duplicate = cell.has_duplicate || held.has_duplicate;
  }

  double cells_end() const { return static_cast<double>(lines_of(panels_.size())) * panel_height() + margin; }

  /// Cells have numbers if there is room. Thinned, cells are as small as numbers allow, or two panels are side by side.
  void lay_out(std::size_t panels, bool thinned) {
    const double room = options_.style.width_in_points() - 1 - 2 * margin;
    const Rank ranks = schedule_.header().ranks;
    widest_rank_ = std::max(text_width(fmt::format("{}", ranks), small()), text_width(labels_(ranks - 1), small()));
    widest_block_ = text_width(fmt::format("{}", blocks()), small());
    label_ = (is_transposed() ? widest_block_ : widest_rank_) + 3;
    const auto columns = static_cast<double>(lines_across());
    const double title = text_width(title_of_panel(schedule_.steps()), options_.style.font_size) + 4;
    const double fit = std::floor(room / std::max(title, label_ + columns * smallest_numbered_cell + 6));
    across_ = std::clamp<std::size_t>(static_cast<std::size_t>(fit), 1, std::min<std::size_t>(panels, 4));
    if (thinned && fit < 1) across_ = std::min<std::size_t>(panels, 2);
    panel_width_ = room / static_cast<double>(across_);
    cell_ = std::clamp((panel_width_ - label_ - 6) / columns, 0.1, thinned ? smallest_numbered_cell : largest_cell);
    // Few blocks of many ranks: a panel of high and narrow cells would not fit on the page.
    const double page = options_.style.height * 72 / 3;
    if (thinned) cell_ = std::min(cell_, std::max(0.5, page / static_cast<double>(lines_down())));
  }

  static std::string title_of_panel(int end) { return end == 0 ? "before" : fmt::format("after step {}", end - 1); }

  std::size_t lines_of(std::size_t panels) const { return (panels + across_ - 1) / across_; }

  /// How many steps lie between two panels, so that they fit on the page with the first and the last.
  int steps_between(int panels) const {
    const double room = options_.style.height * 72 - margin - height_of_key(true, true);
    const auto fit = static_cast<int>(room / panel_height()) * static_cast<int>(across_);
    return fit < 2 ? panels : std::max(1, (panels + fit - 3) / (fit - 1));
  }

  double small() const { return options_.style.small(); }
  bool has_numbers() const { return !is_shared() && cell_ >= smallest_numbered_cell; }
  double panel_height() const { return 2 * title_height + cell_ * static_cast<double>(lines_down()) + 3; }

  void draw_panel(Picture& picture, const MatrixPanel& panel, Point corner) const {
    const std::string title = title_of_panel(panel.end);
    const double width = cell_ * static_cast<double>(lines_across());
    const Point first = corner + Point{label_, 2 * title_height};
    const double half_title = text_width(title, options_.style.font_size) / 2;
    picture.as(Role::panel_title)
        ->text({std::max(corner.x + half_title, std::min(first.x + width / 2, corner.x + panel_width_ - half_title)),
                corner.y + title_height / 2},
               title, options_.style.font_size);
    draw_numbers(picture, first);
    for (std::size_t k = 0; k < lines_down(); ++k)
      draw_row(picture, line_of(panel, k), first + Point{0, cell_ * static_cast<double>(k)});
    // A line between the blocks of the vector and scratch.
    const double promised = static_cast<double>(schedule_.header().blocks) / static_cast<double>(per_column_);
    if (promised < static_cast<double>(columns_)) draw_frame(picture, first, static_cast<double>(rows_), promised);
    draw_frame(picture, first, static_cast<double>(rows_), static_cast<double>(columns_));
  }

  std::vector<Cell> line_of(const MatrixPanel& panel, std::size_t number) const {
    if (!is_transposed()) return panel.rows[number];
    std::vector<Cell> line;
    for (const auto& row : panel.rows) line.push_back(row[number]);
    return line;
  }

  /// Around so many lines of ranks and of blocks.
  void draw_frame(Picture& picture, Point first, double ranks, double blocks) const {
    picture.box(first, cell_ * (is_transposed() ? ranks : blocks), cell_ * (is_transposed() ? blocks : ranks), "", 1,
                "none", {palette::black, "solid", 0.5});
  }

  /// The numbers of the blocks and of the ranks, above and on the left, as many as can be read.
  void draw_numbers(Picture& picture, Point first) const {
    const auto every = [&](double needed) {
      return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / cell_)));
    };
    const auto text_of = [&](std::size_t line, bool is_rank) {
      return is_rank ? labels_(ranks_[line * per_row_]) : fmt::format("{}", line * per_column_);
    };
    const std::size_t step_across = every((is_transposed() ? widest_rank_ : widest_block_) + 2);
    for (std::size_t k = 0; k < lines_across(); k += step_across)
      picture.text(first + Point{cell_ * (static_cast<double>(k) + 0.5), -4}, text_of(k, is_transposed()), small());
    const std::size_t step_down = every(small());
    for (std::size_t k = 0; k < lines_down(); k += step_down)
      picture.text(first + Point{-label_ / 2, cell_ * (static_cast<double>(k) + 0.5)}, text_of(k, !is_transposed()),
                   small());
  }

  /// Draws cells with numbers one by one, others as runs of equal cells.
  void draw_row(Picture& picture, const std::vector<Cell>& row, Point first) const {
    for (std::size_t begin = 0; begin < row.size();) {
      std::size_t end = begin + 1;
      while (!has_numbers() && end < row.size() && looks_like(row[end], row[begin])) ++end;
      draw_cell(picture, row[begin], first + Point{cell_ * static_cast<double>(begin), 0},
                cell_ * static_cast<double>(end - begin));
      begin = end;
    }
  }

  /// The shade of a cell. A doubling looks the same from the first contribution to the last.
  std::string_view shade_of(double contributions) const {
    return shade(std::log2(1 + contributions) / std::log2(1.0 + contributors(schedule_.header())));
  }

  std::string_view fill_of(const Cell& held) const {
    const double mean = static_cast<double>(held.contributions) / static_cast<double>(held.pairs);
    return held.has_duplicate ? palette::vermilion : shade_of(mean);
  }

  bool looks_like(const Cell& a, const Cell& b) const {
    return (a.contributions > 0) == (b.contributions > 0) && fill_of(a) == fill_of(b);
  }

  void draw_cell(Picture& picture, const Cell& held, Point corner, double width) const {
    const std::string number = held.contributions == 0 ? "" : fmt::format("{}", held.contributions);
    const bool is_seen = has_numbers() || held.contributions > 0;
    if (!is_seen) return;
    const std::string label = held.has_duplicate ? number + "!" : number;
    const std::string_view fill = fill_of(held);
    const Stroke border = has_numbers() ? Stroke{palette::grey, "solid", 0.25} : Stroke{fill, "solid", seam};
    picture.box(corner, width, cell_, has_numbers() ? label : "", std::min(small(), cell_ * 0.75), fill, border);
  }

  double height_of_key(bool has_duplicate, bool leaves_out) const {
    if (has_numbers()) return key_to_numbers(has_duplicate, leaves_out).height();
    return key_height + (small() + 1) * static_cast<double>(lines_of_key(leaves_out).size() - 1);
  }

  /// What cells with numbers mean.
  PictureKey key_to_numbers(bool has_duplicate, bool leaves_out) const {
    PictureKey key(options_.style);
    key.add_words(words_of(
        {fmt::format("{} are down, {} across; a cell has the number of contributions held, darker is more.",
                     is_transposed() ? "Blocks" : "Ranks", is_transposed() ? "ranks" : "blocks"),
         has_duplicate ? "With ! one is held twice." : "", leaves_out ? left_out_steps : "", labels_.explanation()}));
    return key;
  }

  bool leaves_out_steps() const { return every_ > 1; }

  bool has_duplicate() const {
    const auto is_duplicate = [](const Cell& cell) { return cell.has_duplicate; };
    const auto has_one = [&](const auto& row) { return std::any_of(row.begin(), row.end(), is_duplicate); };
    return std::any_of(panels_.begin(), panels_.end(), [&](const MatrixPanel& panel) {
      return std::any_of(panel.rows.begin(), panel.rows.end(), has_one);
    });
  }

  /// What cells without numbers mean.
  std::vector<std::string> lines_of_key(bool leaves_out) const {
    const std::string ranks = labels_.axes().empty() ? "ranks" : fmt::format("ranks ({})", labels_.axes());
    std::string words = fmt::format("{} down, {} across; contributions held", is_transposed() ? "blocks" : ranks,
                                    is_transposed() ? ranks : "blocks");
    if (is_shared())
      words += fmt::format(", mean of {} x {}", counted(static_cast<std::uint64_t>(per_row_), "rank"),
                           counted(static_cast<std::uint64_t>(per_column_), "block"));
    if (leaves_out) words += fmt::format(". {}", left_out_steps);
    return lines_within(words, options_.style.width_in_points() - 2 * margin, small());
  }

  /// Which shade stands for how many contributions, where cells have no numbers.
  void draw_key(Picture& picture, double top) const {
    const auto key = picture.as(Role::key);
    const Rank all = contributors(schedule_.header());
    const auto words = lines_of_key(leaves_out_steps());
    for (std::size_t k = 0; k < words.size(); ++k)
      picture.as(Role::note)->text_from({margin, top + 7 + static_cast<double>(k) * (small() + 1)}, words[k], small());
    top += static_cast<double>(words.size() - 1) * (small() + 1);
    const double first = margin + 4, size = 9;
    std::set<long> samples;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) samples.insert(std::lround(std::pow(1.0 + all, part) - 1));
    const double room =
        std::min(60.0, (options_.style.width_in_points() - margin - first) / static_cast<double>(samples.size()));
    Point corner{first, top + 14};
    for (const long held : samples) {
      picture.box(corner, size, size, "", 1, shade_of(static_cast<double>(held)), {palette::black, "solid", 0.4});
      picture.text_from(corner + Point{size + 2, size / 2}, fmt::format("{}", held), small());
      corner.x += room;
    }
  }

  const Schedule& schedule_;
  const DrawOptions& options_;
  std::vector<Rank> ranks_;
  RankLabels labels_;
  std::size_t per_row_;     // ranks that share a line of cells
  std::size_t per_column_;  // blocks that share one
  std::size_t rows_;
  std::size_t columns_;
  std::vector<MatrixPanel> panels_;
  std::optional<Symmetry> symmetry_;  // of the blocks, if there is one
  std::size_t across_ = 1;
  double panel_width_ = 0;
  double cell_ = 0;
  double widest_rank_ = 0;  // of the numbers, in points
  double widest_block_ = 0;
  double label_ = 0;  // the width of those on the left
  int every_ = 1;     // steps from one panel to the next
};

Drawn<Picture> draw_matrix(const Schedule& schedule, const DrawOptions& options) {
  std::vector<Rank> ranks = options.ranks;
  if (ranks.empty()) {
    ranks.resize(static_cast<std::size_t>(schedule.header().ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  MatrixPicture picture(schedule, options, std::move(ranks));
  if (auto refusal = too_tall(picture.height(), options.style)) return tl::unexpected(*std::move(refusal));
  if (picture.is_shared() && schedule.header().all_blocks() > schedule.header().blocks)
    return too_large("blocks of scratch can't share a cell");
  if (picture.cells() > most_panel_cells)
    return too_large(fmt::format("{} panels have more than {} cells", picture.panels(), most_panel_cells));
  picture.look_for_symmetry();
  if (picture.takes_long()) return too_large("it would take long to compute");
  if (const auto faulty = picture.execute())
    return unsuitable(
        fmt::format("matrix: block {} can't be executed; --view counterexample shows where it stops", *faulty));
  return picture.draw();
}

}  // namespace

const View matrix_view{
    .name = "matrix",
    .summary = "a table for each step: how many contributions to each block each rank holds",
    .heeds = "--ranks --steps --transpose",
    .draw = draw_matrix,
};

}  // namespace onceover::viz
