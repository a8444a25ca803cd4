// How much a link carries, as colour and thickness.
#pragma once

#include "viz/dot.h"

namespace onceover {

/// From nothing, thin and dotted, to the most of a picture, thick and dark. Darker is always more, so the picture can
/// be read without colours.
class LoadScale {
 public:
  /// `most` is the largest load of the picture, in blocks.
  explicit LoadScale(double most) : most_(most) {}

  Stroke stroke(double load) const;

  static constexpr double height = 22;  // of the key, in points

  /// The key, under a picture.
  void draw(Dot& dot, double top) const;

 private:
  double most_;
};

}  // namespace onceover
