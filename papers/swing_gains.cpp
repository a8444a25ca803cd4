// Swing's gain over the fastest other algorithm, in our model of synchronous steps (docs/networks.md). The paper's
// figures come from a simulator of packets.

#include <fmt/format.h>

#include <algorithm>

#include "papers/evidence.h"
#include "papers/paper_settings.h"
#include "papers/searches.h"

namespace onceover::papers {

namespace {

/// How the gain changes from one torus to the next larger one. Vectors have the paper's sizes, 32 B to 512 MiB.
enum class Trend : std::uint8_t {
  largest,         // the largest gain over all sizes is larger
  median,          // the median is larger
  over_ring,       // at every size up to 128 MiB the gain over the ring is larger
  less_over_ring,  // at every size it is smaller
  every_size,      // at no size is the gain smaller, and the largest one is larger
};

using Shape = std::vector<Rank>;

/// Gains at the sizes, smallest first: 1 is twice as fast.
struct Gains {
  Shape shape;
  std::vector<double> over_best;
  std::vector<double> over_ring;  // empty if there is no ring

  double largest() const { return *std::max_element(over_best.begin(), over_best.end()); }

  double median() const {
    std::vector<double> sorted = over_best;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  }
};

Gains gains_on(const Shape& shape) {
  const auto compared = sure(swing_comparison({"", "torus", shape}, {}, sure(parse_sizes("32..512Mi"))));
  Gains gains{shape, {}, {}};
  for (std::size_t k = 0; k < compared.sizes.size(); ++k) {
    gains.over_best.push_back(compared.gain(0, k));
    for (const Contender& other : compared.contenders)
      if (other.name == "ring") gains.over_ring.push_back(other.time(k) / compared.contenders[0].time(k) - 1);
  }
  return gains;
}

std::vector<Gains> gains_on(const std::vector<Shape>& shapes) {
  std::vector<Gains> all;
  for (const Shape& shape : shapes) all.push_back(gains_on(shape));
  return all;
}

const std::vector<Gains>& squares() {
  static const std::vector<Gains> all = gains_on({{8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}});
  return all;
}

const std::vector<Gains>& dimensions() {
  static const std::vector<Gains> all = gains_on({{8, 8}, {8, 8, 8}, {8, 8, 8, 8}});
  return all;
}

const std::vector<Gains>& rectangles_with_gains() {
  static const std::vector<Gains> all = gains_on({{64, 16}, {128, 8}, {256, 4}});
  return all;
}

/// Why the trend doesn't hold from one torus to the next; empty if it does.
std::string against(Trend trend, const Gains& before, const Gains& after) {
  const auto compare = [](std::string_view what, double a, double b) {
    return a < b ? "" : fmt::format("the {} gain is {:.1f} %, on the torus before {:.1f} %", what, 100 * b, 100 * a);
  };
  switch (trend) {
    case Trend::largest: return compare("largest", before.largest(), after.largest());
    case Trend::median: return compare("median", before.median(), after.median());
    case Trend::over_ring:  // the last size is 512 MiB
      if (std::equal(before.over_ring.begin(), before.over_ring.end() - 1, after.over_ring.begin(), std::less<>()))
        return "";
      return "the gain over the ring is no larger at some size";
    case Trend::less_over_ring:
      if (std::equal(before.over_ring.begin(), before.over_ring.end(), after.over_ring.begin(), std::greater<>()))
        return "";
      return "the gain over the ring is no smaller at some size";
    case Trend::every_size:
      if (std::equal(before.over_best.begin(), before.over_best.end(), after.over_best.begin(), std::less_equal<>()))
        return compare("largest", before.largest(), after.largest());
      return "the gain is smaller at some size";
  }
  return "";
}

using Tori = const std::vector<Gains>& (*)();

Evidence trend_over(std::string range, Tori tori, Trend trend) {
  return search(std::move(range), [=]() -> ClaimFinding {
    const std::vector<Gains>& all = tori();
    for (std::size_t k = 1; k < all.size(); ++k)
      if (const std::string why = against(trend, all[k - 1], all[k]); !why.empty())
        return {.refutation = Refutation{shape_text(all[k].shape), why}};
    return {};
  });
}

Evidence least_gain(std::string range, Tori tori, std::size_t first, double least) {
  return search(std::move(range), [=]() -> ClaimFinding {
    const std::vector<Gains>& all = tori();
    for (std::size_t k = first; k < all.size(); ++k)
      if (const double gain = *std::min_element(all[k].over_best.begin(), all[k].over_best.end()); gain < least)
        return {.refutation =
                    Refutation{shape_text(all[k].shape), fmt::format("at some size the gain is {:.1f} %", 100 * gain)}};
    return {};
  });
}

constexpr std::string_view sizes = ", 32 B to 512 MiB";

/// The trend over 8x8, 16x16, .., 128x128.
Evidence gain_on_squares(Trend trend) {
  return trend_over(fmt::format("tori 8x8 to 128x128{}", sizes), squares, trend);
}

/// The trend over 8x8, 8x8x8, 8x8x8x8.
Evidence gain_with_dimensions(Trend trend) {
  return trend_over(fmt::format("tori 8x8, 8x8x8, 8x8x8x8{}", sizes), dimensions, trend);
}

/// The trend over 64x16, 128x8, 256x4.
Evidence gain_on_rectangles(Trend trend) {
  return trend_over(fmt::format("tori 64x16, 128x8, 256x4{}", sizes), rectangles_with_gains, trend);
}

/// On no square, and at no size, is the gain less than `least`.
Evidence least_gain_on_squares(double least) {
  return least_gain(fmt::format("tori 8x8 to 128x128{}", sizes), squares, 0, least);
}

/// The same on 8x8x8 and 8x8x8x8.
Evidence least_gain_on_3d_and_4d(double least) {
  return least_gain(fmt::format("tori 8x8x8, 8x8x8x8{}", sizes), dimensions, 1, least);
}

/// On squares and on 8x8x8, Swing is faster at every size than recursive doubling on all ports, mirrored as Swing is,
/// both with the faster of their two versions.
Evidence mirrored_behind_swing() {
  return search(fmt::format("tori 8x8, 16x16, 32x32, 64x64, 8x8x8{}", sizes), []() -> ClaimFinding {
    const std::vector<double> all_sizes = sure(parse_sizes("32..512Mi"));
    for (const Shape& shape : {Shape{8, 8}, Shape{16, 16}, Shape{32, 32}, Shape{64, 64}, Shape{8, 8, 8}}) {
      const PaperSetting setting{"", "torus", shape};
      const auto timed = [&](std::string_view latency_optimal, std::string_view bandwidth_optimal) {
        return sure(timed_contender("", {{latency_optimal, true}, {bandwidth_optimal, true}}, setting, {}, all_sizes));
      };
      const Contender swing = timed("swing-latency", "swing");
      const Contender mirrored = timed("recursive-doubling", "mirrored-recursive-doubling");
      for (std::size_t k = 0; k < all_sizes.size(); ++k)
        if (mirrored.time(k) <= swing.time(k))
          return {.refutation = Refutation{fmt::format("{}, {}", shape_text(shape), bytes_text(all_sizes[k])),
                                           "mirrored recursive doubling is no slower"}};
    }
    return {};
  });
}

}  // namespace

/// Section 5, its evaluation.
std::vector<NamedEvidence> swing_gains() {
  return {
      {"swing-largest-gain-grows-on-squares", gain_on_squares(Trend::largest)},
      {"swing-median-gain-grows-on-squares", gain_on_squares(Trend::median)},
      {"swing-gain-over-ring-grows-on-squares", gain_on_squares(Trend::over_ring)},
      {"swing-gain-on-squares-at-least-minus-20", least_gain_on_squares(-0.2)},
      {"mirrored-behind-swing", mirrored_behind_swing()},
      {"swing-gain-grows-with-dimensions", gain_with_dimensions(Trend::every_size)},
      {"swing-ahead-in-3d-and-4d", least_gain_on_3d_and_4d(0)},
      {"swing-nearly-ahead-in-3d-and-4d", least_gain_on_3d_and_4d(-0.03)},
      {"swing-largest-gain-grows-on-rectangles", gain_on_rectangles(Trend::largest)},
      {"swing-median-gain-grows-on-rectangles", gain_on_rectangles(Trend::median)},
      {"swing-gain-over-ring-shrinks-on-rectangles", gain_on_rectangles(Trend::less_over_ring)},
  };
}

}  // namespace onceover::papers
