// LoadScale: a link's load as colour and thickness.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/link_loads.h"
#include "viz/key.h"

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

/// From no load, thin and dotted, to the largest load of a picture, thick and dark. Darker always means more, so the
/// picture can be read without colours. Up to six different loads have a shade each; if there are more, a shade stands
/// for those between two powers of two.
class LoadScale {
 public:
  /// `loads` are those of the picture, in any order, in `unit`; no line is thicker than `widest` points. O(loads).
  LoadScale(const std::vector<double>& loads, std::string unit, double widest);

  Stroke stroke(double load) const;

  /// The fill of a cell, as dark as such a line; white without load.
  std::string_view fill(double load) const;

  /// What the lines mean, or the cells.
  void explain_lines(PictureKey& key) const;
  void explain_cells(PictureKey& key) const;

 private:
  /// Which of the bins a load is in; none without load.
  std::optional<std::size_t> bin_of(double load) const;
  std::size_t shade_of(std::size_t bin) const;
  std::string words_of_bin(std::size_t bin) const;

  std::vector<double> ends_;  // the largest load of each bin, ascending
  bool are_exact_ = true;     // each bin is one load
  bool has_none_;             // is there a load of 0?
  std::string unit_;
  double widest_;
};

/// A load: whole numbers in full, others in three digits.
std::string load_text(double load);

}  // namespace onceover::viz
