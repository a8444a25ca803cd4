// matrix: how much each rank holds of each block, after each step.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "viz/block_trace.h"
#include "viz/holding.h"
#include "viz/messages.h"

namespace onceover::viz {

namespace {

constexpr double smallest_numbered_cell = 8;
constexpr double largest_cell = 13;
constexpr std::size_t most_panel_cells = 100'000;  // in all panels
constexpr std::uint64_t most_moves = 100'000'000;  // moves executed

/// A panel: what is held after the steps before `end`, by rank and block.
struct MatrixPanel {
  int end;
  std::vector<std::vector<Holding>> rows;
};

class MatrixPicture {
 public:
  MatrixPicture(const Schedule& schedule, const DrawOptions& options, std::vector<Rank> ranks)
      : schedule_(schedule), options_(options), ranks_(std::move(ranks)) {
    const StepRange steps = steps_shown(schedule, options);
    for (int end = steps.first; end <= steps.end; ++end) panels_.push_back({end, {}});
    for (MatrixPanel& panel : panels_) panel.rows.assign(ranks_.size(), std::vector<Holding>(blocks()));
    for (Block b = 0; b < schedule.header().blocks; ++b) execute(b);
    lay_out();
  }

  /// A block whose execution has no meaning, if there is one; then there is no picture.
  std::optional<Block> faulty() const { return faulty_; }

  std::string draw() const {
    const std::size_t lines = (panels_.size() + across_ - 1) / across_;
    Dot dot =
        Dot::pinned(options_.style, title_of(schedule_.header()), static_cast<double>(lines) * panel_height() + margin);
    for (std::size_t k = 0; k < panels_.size(); ++k)
      draw_panel(dot, panels_[k],
                 {margin + static_cast<double>(k % across_) * panel_width_,
                  static_cast<double>(k / across_) * panel_height()});
    return dot.finish();
  }

 private:
  /// Scratch blocks stand behind the others.
  std::size_t blocks() const { return static_cast<std::size_t>(schedule_.header().all_blocks()); }

  void execute(Block block) {
    Execution execution(schedule_.header());
    BlockTrace trace(schedule_, block);
    for (MatrixPanel& panel : panels_) {
      if (execution.run(block, trace.before(panel.end))) faulty_ = block;
      for (std::size_t k = 0; k < ranks_.size(); ++k)
        hold(schedule_.header(), trace.slots(), execution, ranks_[k], panel.rows[k]);
    }
  }

  void lay_out() {
    const double room = options_.style.width_in_points() - 1 - 2 * margin;
    label_ = text_width(fmt::format("{}", schedule_.header().ranks), small()) + 3;
    const auto columns = static_cast<double>(blocks());
    const double fit = std::floor(room / (label_ + columns * smallest_numbered_cell + 6));
    across_ = std::clamp<std::size_t>(static_cast<std::size_t>(fit), 1, std::min<std::size_t>(panels_.size(), 4));
    panel_width_ = room / static_cast<double>(across_);
    cell_ = std::clamp((panel_width_ - label_ - 6) / columns, 0.1, largest_cell);
  }

  double small() const { return std::max(3.0, options_.style.font_size - 2); }
  bool has_numbers() const { return cell_ >= smallest_numbered_cell; }
  double panel_height() const { return 2 * title_height + cell_ * static_cast<double>(ranks_.size()) + 3; }

  void draw_panel(Dot& dot, const MatrixPanel& panel, Point corner) const {
    const std::string title = panel.end == 0 ? "before" : fmt::format("after step {}", panel.end - 1);
    const double width = cell_ * static_cast<double>(blocks());
    const Point first = corner + Point{label_, 2 * title_height};
    dot.text({first.x + width / 2, corner.y + title_height / 2}, title, options_.style.font_size);
    draw_numbers(dot, first);
    for (std::size_t k = 0; k < ranks_.size(); ++k)
      draw_row(dot, panel.rows[k], first + Point{0, cell_ * static_cast<double>(k)});
    const double promised = cell_ * static_cast<double>(schedule_.header().blocks);
    if (promised < width)  // a line between these and scratch
      dot.box(first, promised, cell_ * static_cast<double>(ranks_.size()), "", 1, "none",
              {palette::black, "solid", 0.5});
    dot.box(first, width, cell_ * static_cast<double>(ranks_.size()), "", 1, "none", {palette::black, "solid", 0.5});
  }

  /// The numbers of the blocks above and of the ranks on the left, as many as can be read.
  void draw_numbers(Dot& dot, Point first) const {
    const auto every = [&](double needed) {
      return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / cell_)));
    };
    const std::size_t step_across = every(text_width(fmt::format("{}", blocks()), small()) + 2);
    for (std::size_t b = 0; b < blocks(); b += step_across)
      dot.text(first + Point{cell_ * (static_cast<double>(b) + 0.5), -4}, fmt::format("{}", b), small());
    const std::size_t step_down = every(small());
    for (std::size_t k = 0; k < ranks_.size(); k += step_down)
      dot.text(first + Point{-label_ / 2, cell_ * (static_cast<double>(k) + 0.5)}, fmt::format("{}", ranks_[k]),
               small());
  }

  /// Draws cells with numbers one by one, others as runs of equal cells.
  void draw_row(Dot& dot, const std::vector<Holding>& row, Point first) const {
    for (std::size_t begin = 0; begin < row.size();) {
      std::size_t end = begin + 1;
      while (!has_numbers() && end < row.size() && row[end] == row[begin]) ++end;
      draw_cell(dot, row[begin], first + Point{cell_ * static_cast<double>(begin), 0},
                cell_ * static_cast<double>(end - begin));
      begin = end;
    }
  }

  void draw_cell(Dot& dot, const Holding& held, Point corner, double width) const {
    // A doubling looks the same from the first contribution to the last.
    const double part = std::log2(1.0 + held.contributions) / std::log2(1.0 + contributors(schedule_.header()));
    const std::string number = held.contributions == 0 ? "" : fmt::format("{}", held.contributions);
    const bool is_seen = has_numbers() || held.contributions > 0;
    if (!is_seen) return;
    const std::string label = held.has_duplicate ? number + "!" : number;
    dot.box(corner, width, cell_, has_numbers() ? label : "", std::min(small(), cell_ * 0.75),
            held.has_duplicate ? palette::vermilion : shade(part),
            {palette::grey, "solid", has_numbers() ? 0.25 : 0.0});
  }

  const Schedule& schedule_;
  const DrawOptions& options_;
  std::vector<Rank> ranks_;
  std::vector<MatrixPanel> panels_;
  std::optional<Block> faulty_;
  std::size_t across_ = 1;
  double panel_width_ = 0;
  double cell_ = 0;
  double label_ = 0;  // width of the ranks' numbers
};

Drawn<std::string> draw_matrix(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  std::vector<Rank> ranks = options.ranks;
  if (ranks.empty() && header.ranks <= static_cast<Rank>(most_in_a_row)) {
    ranks.resize(static_cast<std::size_t>(header.ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  const auto panels = static_cast<std::size_t>(steps_shown(schedule, options).size()) + 1;
  if (ranks.empty() || ranks.size() > most_in_a_row ||
      static_cast<std::size_t>(header.all_blocks()) > 4 * most_in_a_row)
    return unsuitable(
        fmt::format("matrix: {} ranks and {} blocks are more than fit: at most {} ranks (thin them out with --ranks "
                    "0,1) and {} blocks",
                    header.ranks, header.all_blocks(), most_in_a_row, 4 * most_in_a_row));
  if (ranks.size() * static_cast<std::size_t>(header.all_blocks()) * panels > most_panel_cells ||
      schedule.block_transfers() * panels > most_moves)
    return unsuitable(
        fmt::format("matrix: {} panels of {} ranks and {} blocks are more than {} cells; thin them out "
                    "with --steps 0..2 and --ranks 0,1",
                    panels, ranks.size(), header.all_blocks(), most_panel_cells));
  const MatrixPicture picture(schedule, options, std::move(ranks));
  if (picture.faulty())
    return unsuitable(fmt::format("matrix: block {} can't be executed; --view counterexample shows where it stops",
                                  *picture.faulty()));
  return picture.draw();
}

}  // namespace

const View matrix_view{
    .name = "matrix",
    .summary = "a table for each step: how many contributions to each block each rank holds",
    .heeds = "--ranks --steps",
    .draw = draw_matrix,
};

}  // namespace onceover::viz
