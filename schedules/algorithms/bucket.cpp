#include <algorithm>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank bucket_most_ranks = 1 << 20;

constexpr std::string_view bucket_description =
    R"(Rings on one dimension after the other: a ring reduce-scatter along the first dimension, then one along the next on
what is left, and so on; the allgather is the time reversal. On a line it is the ring algorithm.

With all lanes the vector is cut into 2D parts: lane l starts on dimension l mod D, lanes 0 to D-1 to the right, lanes D
to 2D-1 to the left, so that each link carries one ring per direction. On rectangles all lanes then change dimension at
the same time, and lanes on a short side wait for those on the longest. directions=one uses the first D lanes only: the N
colours of Jain and Sabharwal for links of one direction, with their non-conflicting permutations (i + j) mod N. With waiting=no
each lane goes on to its next dimension at once: fewer steps on rectangles, where two lanes may then share a link.

Steps of a reduce-scatter: the sum of n-1 over the sides n; with all lanes that wait D (nmax - 1). Each rank sends p-1 blocks a lane,
the least possible.
)";

constexpr std::array<std::string_view, 2> bucket_directions{"both", "one"};
constexpr std::array<std::string_view, 2> bucket_waits{"yes", "no"};
constexpr std::array bucket_parameters{
    Parameter{.name = "directions",
              .summary = "ways around the rings that all lanes use",
              .preset = "both",
              .choices = bucket_directions},
    Parameter{.name = "waiting",
              .summary = "whether lanes on a short side wait for those on the longest",
              .preset = "yes",
              .choices = bucket_waits},
};

std::optional<std::string> bucket_outside(const Request& request) {
  return refuse_above(bucket_algorithm, request, bucket_most_ranks);
}

/// One dimension after the other, from `first` on; each phase is padded to `phase` steps.
std::vector<int> one_after_the_other(const std::vector<Factor>& factors, int first, int phase) {
  std::vector<int> order;
  const int count = static_cast<int>(factors.size());
  for (int k = 0; k < count; ++k) {
    const int dimension = (first + k) % count;
    const int steps = factors[static_cast<std::size_t>(dimension)].steps();
    order.insert(order.end(), static_cast<std::size_t>(steps), dimension);
    order.insert(order.end(), static_cast<std::size_t>(std::max(0, phase - steps)), idle);
  }
  return order;
}

SchedulePtr make_bucket(const Request& request) {
  const bool both = setting(bucket_algorithm, request, "directions") == "both";
  const int lanes = both ? lane_count(request) : (lane_count(request) + 1) / 2;
  const bool waits = lanes > 1 && setting(bucket_algorithm, request, "waiting") == "yes";
  const int phase = !waits ? 0 : *std::max_element(request.shape.begin(), request.shape.end()) - 1;
  PatternedSchedule::Builder plan;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Factor> factors;
    for (const Rank side : request.shape) factors.push_back(ring_factor(side, lane < request.dimensions() ? +1 : -1));
    add_product(plan, factors, one_after_the_other(factors, lane, phase), {.lane = lane});
  }
  return from_reduce_scatter(bucket_algorithm, request, lanes, std::move(plan));
}

}  // namespace

const Algorithm bucket_algorithm{
    .name = "bucket",
    .summary = "rings along one dimension of a torus after the other",
    .source = "Swing paper, sections 2.3.4 and 5.2; Jain and Sabharwal, section 4",
    .collectives = reduce_scatter_family,
    .domain = "any p or torus up to 1048576 ranks",
    .steps = "sum of n-1 over the sides n; all lanes, waiting=yes: D (nmax - 1) (allreduce: twice as many)",
    .volumes = least_volumes,
    .description = bucket_description,
    .on_tori = true,
    .has_lanes = true,
    .parameters = bucket_parameters,
    .outside = bucket_outside,
    .make = make_bucket,
};

}  // namespace onceover::schedules
