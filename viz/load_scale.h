// LoadScale: a link's load as colour and thickness.
#pragma once

#include <string>
#include <utility>

#include "viz/dot.h"

namespace onceover::viz {

/// Ranges from no load, thin and dotted, to the largest load of a picture, thick and dark. Darker always means more, so
/// the picture can be read without colours.
class LoadScale {
 public:
  /// `most` is the largest load of the picture, in `unit`; no line is thicker than `widest` points.
  LoadScale(double most, std::string unit, double widest) : most_(most), unit_(std::move(unit)), widest_(widest) {}

  Stroke stroke(double load) const;

  static constexpr double height = 22;  // of the key, in points

  /// Draws the key, below a picture.
  void draw(Dot& dot, double top) const;

 private:
  double most_;
  std::string unit_;
  double widest_;
};

/// A load in three digits.
std::string load_text(double load);

}  // namespace onceover::viz
