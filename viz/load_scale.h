// LoadScale: a link's load as colour and thickness.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "network/link_loads.h"
#include "viz/dot.h"

namespace onceover::viz {

/// In what loads are counted: blocks or, if links differ in bandwidth, how many would take the fastest link as long.
class LoadUnit {
 public:
  explicit LoadUnit(const Network& network);

  double load(const LinkLoads& loads, Link link) const;
  std::string name() const;             // "blocks", "blocks at 400 Gb/s"
  std::string text(double load) const;  // "1 block", "8 blocks"

 private:
  const Network& network_;
  double fastest_ = 0;  // Gb/s
  bool is_uniform_;
};

/// Ranges from no load, thin and dotted, to the largest load of a picture, thick and dark. Darker always means more, so
/// the picture can be read without colours.
class LoadScale {
 public:
  /// `most` is the largest load of the picture, in `unit`; no line is thicker than `widest` points.
  LoadScale(double most, std::string unit, double widest) : most_(most), unit_(std::move(unit)), widest_(widest) {}

  Stroke stroke(double load) const;

  /// The fill of a cell, as dark as such a line; white without load.
  std::string_view fill(double load) const;

  static constexpr double height = 22;  // of the key, in points

  /// Draws the key, below a picture of lines or of cells.
  void draw(Dot& dot, double top, bool is_of_cells = false) const;

 private:
  /// The number of the load's shade, 0 for the palest; -1: no load.
  int shade_number(double load) const;

  double most_;
  std::string unit_;
  double widest_;
};

/// A load in three digits.
std::string load_text(double load);

}  // namespace onceover::viz
