// Swing's gain over the fastest other algorithm, in our model of synchronous steps (docs/networks.md). The paper's
// figures come from a simulator of packets.
#pragma once

#include "papers/evidence.h"

namespace onceover::papers {

/// How the gain changes from one torus to the next larger one. Vectors have the paper's sizes, 32 B to 512 MiB.
enum class Trend : std::uint8_t {
  largest,         // the largest gain over all sizes is larger
  median,          // the median is larger
  over_ring,       // at every size up to 128 MiB the gain over the ring is larger
  less_over_ring,  // at every size it is smaller
  every_size,      // at no size is the gain smaller, and the largest one is larger
};

/// The trend over 8x8, 16x16, .., 128x128.
Evidence gain_on_squares(Trend trend);

/// The trend over 8x8, 8x8x8, 8x8x8x8.
Evidence gain_with_dimensions(Trend trend);

/// The trend over 64x16, 128x8, 256x4.
Evidence gain_on_rectangles(Trend trend);

/// On no square, and at no size, is the gain less than `least`.
Evidence least_gain_on_squares(double least);

/// The same on 8x8x8 and 8x8x8x8.
Evidence least_gain_on_3d_and_4d(double least);

/// On squares and on 8x8x8, Swing is faster at every size than recursive doubling on all ports, mirrored as Swing is,
/// both with the faster of their two versions.
Evidence mirrored_behind_swing();

}  // namespace onceover::papers
