// Claims of the Swing paper: sections 5 and 6, its evaluation.
#include <fmt/format.h>

#include "papers/claim.h"
#include "papers/swing_gains.h"
#include "papers/swing_parts.h"
#include "papers/swing_searches.h"

namespace onceover::papers {

std::vector<Claim> swing_evaluation_claims() {
  return {
      {.id = "swing-bucket-on-rectangles",
       .paper = Paper::swing,
       .place = "section 5.2",
       .statement = "On a rectangle the bandwidth and congestion deficiencies of bucket are those of square tori, 1.",
       .says = {schedules({.algorithm = "bucket", .tori = {"2x4", "3x4", "4x8", "2x16"}, .lanes = "all"}, {},
                          {"bandwidth*congestion == 1"})},
       .correct = "They grow: lanes that went along the shorter side first move more data along the longer one (Jain "
                  "and Sabharwal, equation (2)).",
       .corrected = {schedules({.algorithm = "bucket", .tori = {"2x4", "3x4", "4x8", "2x16"}, .lanes = "all"},
                               {"exactly-once"}, {"bandwidth*congestion > 1"})}},
      {.id = "swing-bucket-rectangle-steps",
       .paper = Paper::swing,
       .place = "section 5.2",
       .statement = "Bucket whose lanes change dimension together takes 2 D dmax steps on a rectangle.",
       .says = {schedules({.algorithm = "bucket", .tori = {"2x4", "3x4", "4x8", "2x3x4"}, .lanes = "all"}, {},
                          {"steps == 2*dimensions*side_max"})},
       .correct = "2 D (dmax - 1).",
       .corrected = {schedules({.algorithm = "bucket", .tori = {"2x4", "3x4", "4x8", "2x3x4"}, .lanes = "all"},
                               {"exactly-once"}, {"steps == 2*dimensions*(side_max - 1)"})},
       .kind = ClaimKind::wording},
      {.id = "swing-peak-81",
       .paper = Paper::swing,
       .place = "section 5.1",
       .statement = "A congestion deficiency of 1.19 lets Swing reach at most 81 % of peak.",
       .says = {identity({{"percent", "81", "81"}}, "percent*119 <= 10000 && (percent + 1)*119 > 10000")},
       .correct = "84 %: 1/1.19.",
       .corrected = {identity({{"percent", "84", "84"}}, "percent*119 <= 10000 && (percent + 1)*119 > 10000")},
       .kind = ClaimKind::wording},
      {.id = "swing-figure-11-shapes",
       .paper = Paper::swing,
       .place = "figure 11",
       .statement = "The tori of figure 11 are 64x16, 32x8 and 256x4, of 1024 ranks each.",
       .says = {identity({{"p", "1024", "1024"}}, "64*16 == p && 32*8 == p && 256*4 == p")},
       .correct = "The text's 128x8 has 1024.",
       .corrected = {identity({{"p", "1024", "1024"}}, "64*16 == p && 128*8 == p && 256*4 == p")},
       .kind = ClaimKind::wording},
      {.id = "swing-gain-with-size",
       .paper = Paper::swing,
       .place = "sections 5.1.1 and 5.5",
       .statement = "On square tori Swing's largest gain grows with the size.",
       .says = {gain_on_squares(Trend::largest)},
       .correct = "In our model it is between 104 and 116 %, largest on 16x16. The gain over the ring grows at every "
                  "size to 128 MiB.",
       .corrected = {gain_on_squares(Trend::over_ring)},
       .kind = ClaimKind::measured},
      {.id = "swing-median-gain-with-size",
       .paper = Paper::swing,
       .place = "section 5.5",
       .statement = "On square tori Swing's median gain grows with the size.",
       .says = {gain_on_squares(Trend::median)},
       .kind = ClaimKind::measured},
      {.id = "swing-least-gain",
       .paper = Paper::swing,
       .place = "sections 5.1.1 and 5.5",
       .statement = "On square tori of every size it loses at most around 20 %.",
       .says = {least_gain_on_squares(-0.2)},
       .kind = ClaimKind::measured},
      {.id = "swing-gain-with-dimensions",
       .paper = Paper::swing,
       .place = "section 5.3",
       .statement = "Swing's gain grows with the number of dimensions.",
       .says = {gain_with_dimensions(Trend::every_size)},
       .kind = ClaimKind::measured},
      {.id = "swing-ahead-in-3d-and-4d",
       .paper = Paper::swing,
       .place = "section 5.3",
       .statement = "On tori of three and four dimensions Swing is ahead at every size.",
       .says = {least_gain_on_3d_and_4d(0)},
       .correct =
           "In our model bucket is ahead for large vectors, by less than 3 %, as its congestion deficiency is less.",
       .corrected = {least_gain_on_3d_and_4d(-0.03)},
       .kind = ClaimKind::measured},
      {.id = "swing-gain-on-rectangles",
       .paper = Paper::swing,
       .place = "section 5.5",
       .statement = "On rectangles of 1024 ranks Swing's largest gain grows with the ratio of the sides.",
       .says = {gain_on_rectangles(Trend::largest)},
       .correct = "In our model it is largest on 128x8, 130 %; the gain over the ring shrinks with the ratio.",
       .corrected = {gain_on_rectangles(Trend::less_over_ring)},
       .kind = ClaimKind::measured},
      {.id = "swing-hx2mesh",
       .paper = Paper::swing,
       .place = "section 5.4.1",
       .statement = "Swing is less congested on HammingMesh with boards of 2x2 than on a torus.",
       .says = {search("64x64, 32x32, 16x16, 8x8",
                       [] {
                         return is_less_congested_on("hx2mesh", "", {64, 32, 16, 8});
                       })}},
      {.id = "swing-hx4mesh",
       .paper = Paper::swing,
       .place = "section 5.4.1",
       .statement = "With boards of 4x4 it is between the two.",
       .says = {search("64x64, 32x32, 16x16",
                       [] {
                         return is_less_congested_on("hx4mesh", "hx2mesh", {64, 32, 16});
                       })},
       .correct =
           "That depends on the way between the ends of a board, which the text leaves open. Along the three wires "
           "of the board it is (hx4mesh:within-board=wires); by the shortest way, two links over the switch, Swing "
           "is a little more congested than on a torus.",
       .corrected = {search("64x64, 32x32, 16x16 along the wires",
                            [] {
                              return is_less_congested_on("hx4mesh:within-board=wires", "hx2mesh", {64, 32, 16});
                            }),
                     search("over the switch, less than 5 % more than on a torus",
                            [] {
                              return is_less_congested_on("hx4mesh", "hx2mesh", {64, 32, 16, 8}, Rational(105, 100));
                            })},
       .kind = ClaimKind::wording},
      {.id = "swing-hyperx",
       .paper = Paper::swing,
       .place = "section 5.4.2",
       .statement = "On HyperX Swing has no congestion deficiency.",
       .says = {schedules({.algorithm = "swing", .tori = {"4x4", "8x8", "16x16"}, .lanes = "all", .topology = "hyperx"},
                          {}, {"congestion <= 1"})}},
      {.id = "swing-full-bandwidth",
       .paper = Paper::swing,
       .place = "section 6",
       .statement = "On networks of full bandwidth neither Swing nor recursive doubling is congested.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^7", .topology = "full"}, {}, {"congestion <= 1"}),
                schedules({.algorithm = "rabenseifner", .ranks = "2^1..2^7", .topology = "full"}, {},
                          {"congestion <= 1"})}},
      {.id = "swing-broadcast",
       .paper = Paper::swing,
       .place = "sections 2.1 and 6",
       .statement = "Swing's peers serve for broadcast and reduce, too.",
       .says = {schedules({.algorithm = "swing", .ranks = "2..40", .collective = "broadcast"}, {"exactly-once"}),
                schedules({.algorithm = "swing", .ranks = "2..40", .collective = "reduce"}, {"exactly-once"})}},
  };
}

}  // namespace onceover::papers
