#include "papers/searches.h"

#include <string>
#include <utility>

#include "papers/counts.h"
#include "papers/swing_gains.h"
#include "papers/swing_orders.h"
#include "papers/swing_searches.h"

namespace onceover::papers {

namespace {

std::vector<NamedEvidence> searches_for_several() {
  return {
      {"fewest-messages-reduce", fewest_messages(Errand::reduce, 1)},
      {"fewest-messages-broadcast", fewest_messages(Errand::broadcast, 1)},
      {"fewest-messages-allreduce", fewest_messages(Errand::allreduce, 2)},
      {"fewer-steps-than-log2", search("p = 3", fewer_steps_than_log2)},
      {"fewer-steps-than-ports-allow", search("the whole catalogue, p = 2..33", fewer_steps_than_ports_allow)},
      {"cycles-need-the-condition", search("tori 2x3 to 24x24", cycles_need_the_condition)},
      {"cycles-beyond-the-condition", search("torus 3x4", cycles_beyond_the_condition)},
  };
}

/// Sections 2 to 4, and the appendix.
std::vector<NamedEvidence> swing_searches() {
  const std::string rectangles = "tori 2x4, 4x8, 4x16, 2x2x4, 4x4x8";
  return {
      {"swing-figure-1-recursive-doubling", messages_on_links("rabenseifner", {"order=near"}, {1, 2, 4})},
      {"swing-figure-1-swing", messages_on_links("swing", {}, {1, 1, 2})},
      {"swing-order-for-2-to-4-alone", search("p = 2..40, all orders within the steps", order_for_2_to_4_alone)},
      {"swing-layouts", search("p = 2..130", layouts)},
      {"swing-no-layout-on-6x6", search("torus 6x6", no_layout_on_6x6)},
      {"swing-p-over-4-sums", search("p = 2^3..2^8", p_over_4_sums)},
      {"swing-at-most-twice", provable(search("even p = 2..200", at_most_twice_once_in_the_last_step))},
      {"swing-figure-4", search("p = 7", figure_4)},
      {"swing-ports-of-their-own", search("tori 4x4, 8x8, 16x16, 4x4x4", ports_of_their_own)},
      {"swing-congestion-grows", search("tori 2x2 to 64x64", congestion_grows)},
      {"swing-figure-6", search("torus 2x4", figure_6)},
      {"swing-between-ring-and-square", search("tori 2x8, 4x16, 2x32, 8x32", between_ring_and_square)},
      {"swing-equation-3", search(rectangles, [] { return equation_3(0); })},
      {"swing-equation-3-times-2d", search(rectangles + ", to within a third", [] { return equation_3(2); })},
      {"swing-remaining-as-printed",
       search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power - 1; }); })},
      {"swing-remaining",
       search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power; }); })},
      {"swing-odd-ranks-collide", search("odd p = 5..257", odd_ranks_collide)},
  };
}

/// Section 5, its evaluation.
std::vector<NamedEvidence> swing_gains() {
  return {
      {"swing-largest-gain-grows-on-squares", gain_on_squares(Trend::largest)},
      {"swing-median-gain-grows-on-squares", gain_on_squares(Trend::median)},
      {"swing-gain-over-ring-grows-on-squares", gain_on_squares(Trend::over_ring)},
      {"swing-gain-on-squares-at-least-minus-20", least_gain_on_squares(-0.2)},
      {"mirrored-behind-swing", mirrored_behind_swing()},
      {"mirrored-more-congested-than-swing", search("tori 8x8, 16x16, 32x32, 8x8x8", mirrored_more_congested)},
      {"swing-gain-grows-with-dimensions", gain_with_dimensions(Trend::every_size)},
      {"swing-ahead-in-3d-and-4d", least_gain_on_3d_and_4d(0)},
      {"swing-nearly-ahead-in-3d-and-4d", least_gain_on_3d_and_4d(-0.03)},
      {"swing-largest-gain-grows-on-rectangles", gain_on_rectangles(Trend::largest)},
      {"swing-gain-over-ring-shrinks-on-rectangles", gain_on_rectangles(Trend::less_over_ring)},
      {"swing-hx2mesh-below-torus", search("64x64, 32x32, 16x16, 8x8",
                                           [] {
                                             return is_less_congested_on("hx2mesh", "", {64, 32, 16, 8});
                                           })},
      {"swing-hx4mesh-between", search("64x64, 32x32, 16x16",
                                       [] {
                                         return is_less_congested_on("hx4mesh", "hx2mesh", {64, 32, 16});
                                       })},
      {"swing-hx4mesh-between-along-wires",
       search("64x64, 32x32, 16x16 along the wires",
              [] {
                return is_less_congested_on("hx4mesh:within-board=wires", "hx2mesh", {64, 32, 16});
              })},
      {"swing-hx4mesh-nearly-between",
       search("over the switch, less than 5 % more than on a torus",
              [] {
                return is_less_congested_on("hx4mesh", "hx2mesh", {64, 32, 16, 8}, Rational(105, 100));
              })},
  };
}

}  // namespace

const std::vector<NamedEvidence>& named_evidence() {
  static const std::vector<NamedEvidence> all = [] {
    std::vector<NamedEvidence> joined;
    for (const auto part : {searches_for_several, swing_searches, swing_gains, bucket_searches, generalized_searches,
                            pat_searches, report_searches, small_searches})
      for (NamedEvidence& row : part()) joined.push_back(std::move(row));
    return joined;
  }();
  return all;
}

}  // namespace onceover::papers
