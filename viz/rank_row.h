// RankRow: ranks side by side, across a picture or down; RankLabels: what they are called in their circles.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "viz/ink/picture.h"

namespace onceover::viz {

/// Places in the grid that a schedule's ranks have, such as "1.3", or numbers where places would be too small to read.
class RankLabels {
 public:
  /// With as much room as they need. Ranks have places if there are two axes or more.
  explicit RankLabels(const Names& names);

  /// In circles of that radius in points, into which all must fit.
  RankLabels(const Names& names, double radius);

  std::string operator()(Rank rank) const;

  /// "node.gpu"; empty if labels are numbers.
  std::string axes() const;

  /// "Ranks are labelled node.gpu: 1.3 is rank 11."; empty if labels are numbers.
  std::string explanation() const;

 private:
  Names names_ = {};  // without a grid, labels are numbers
};

/// In a row, in place of ranks that aren't drawn.
inline constexpr Rank left_out = -1;

/// Those of the ranks 0 .. count-1 that are shown, ascending, with `left_out` between two that aren't neighbours, and
/// at an end beyond which there are more. Around, `first` is in the middle: half of the others come before it.
///
/// Example: of 64 ranks, 0, 1, 3 and 63 are .. 63 0 1 .. 3 .. around 0.
std::vector<Rank> row_with_dots(const std::vector<Rank>& shown, Rank count, Rank first, bool is_around);

/// The places of the ranks in a row, and how they look: circles with numbers or places in a grid or, if there are
/// many, dots with a number now and then. Where ranks are left out, there are three dots, and each rank has its number.
class RankRow {
 public:
  /// The ranks are placed evenly between the left and right margins, which are in points.
  RankRow(std::vector<Rank> ranks, const Style& style, double left, double right, const Names& names = {});

  /// The ranks below each other, from `top` on, on a page that also has a title and a key; it may be too low for them.
  /// All that is said of x is then said of y, and of heights of widths.
  static RankRow down(std::vector<Rank> ranks, const Style& style, double top, const Names& names = {});

  std::size_t size() const { return ranks_.size(); }

  /// What the labels mean, for the key; empty if they are numbers.
  std::string explanation() const { return labels_.explanation(); }

  double spacing() const { return spacing_; }

  /// Is there room for circles? Else there are dots.
  bool has_circles() const { return radius_ >= least_radius_; }

  /// How much finer lines should be where ranks are close together, 0.35 .. 1.
  double fineness() const { return std::clamp(spacing_ / 9, 0.35, 1.0); }

  /// Half the height of the row.
  double half_height() const;

  /// The column of a rank, if it is in the row.
  std::optional<int> column(Rank rank) const;

  /// The x of a column; columns beyond the row are placed as if it continued.
  double x(int column) const;
  double left() const { return left_; }
  double right() const { return right_; }
  /// Do numbers stand on so many lines that nobody finds their ranks?
  bool has_too_many_numbers() const { return lines_ > 4 || (is_down_ && lines_ > 1); }
  bool is_left_out(int column) const { return ranks_[static_cast<std::size_t>(column)] == left_out; }

  /// Draws all ranks at a height; those of `marked` stand out. Places along the row are reckoned from `start`.
  void draw(Picture& picture, double y, const std::vector<Rank>& marked = {}, double start = 0) const;

  /// The radius of a rank that stands out.
  double marked_radius(Rank rank) const;

  /// Draws one rank, which stands out.
  void draw_marked(Picture& picture, Rank rank, double y) const;

 private:
  RankRow(std::vector<Rank> ranks, const Style& style, double first, double room, double widest_spacing, bool is_down,
          const Names& names);

  /// The place that is so far along the row, and so far below its middle.
  Point place(double along, double aside) const { return is_down_ ? Point{aside, along} : Point{along, aside}; }
  /// The room that a number takes along the row.
  double room_for_number() const { return is_down_ ? style_.small() : widest_number(); }
  void draw_numbers(Picture& picture, double y, const std::vector<Rank>& marked, double start) const;
  double widest_number() const;
  Rank highest() const;

  std::vector<Rank> ranks_;
  Style style_;
  bool is_down_ = false;
  double left_;
  double right_;
  double spacing_;
  std::vector<double> at_;  // of each column
  double radius_;
  double least_radius_;
  int lines_ = 1;  // of numbers, and of dots below them, if there are no circles
  RankLabels labels_{{}, 0};
};

}  // namespace onceover::viz
