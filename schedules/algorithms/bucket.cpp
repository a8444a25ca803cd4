#include <algorithm>

#include "base/stop.h"
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

On a rectangle the messages along a short side are larger. With waiting=yes they hold up the first steps of all lanes. With
waiting=spread a lane cuts them along the longest side that it has yet to do and sends as much in each step until all
change dimension: a ring then goes at its own pace, as both papers count, and 2x4 takes 9/7 of the bound, not 11/7.

Steps of a reduce-scatter: the sum of n-1 over the sides n; with all lanes, unless waiting=no, D (nmax - 1). Each rank
sends p-1 blocks a lane, the least possible.
)";

constexpr std::array<std::string_view, 2> bucket_directions{"both", "one"};
constexpr std::array<std::string_view, 3> bucket_waits{"yes", "spread", "no"};
constexpr std::array bucket_parameters{
    Parameter{.name = "directions",
              .summary = "ways around the rings that all lanes use",
              .preset = "both",
              .choices = bucket_directions},
    Parameter{.name = "waiting",
              .summary = "whether lanes on a short side wait for those on the longest, or spread their messages",
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

/// The ring of one dimension in `steps` steps, in each of which a rank sends equally much. What is sent at each of the
/// ring's own steps is taken in the order of coordinates along another dimension, `cut`, counted from the sender's own,
/// so that ranks send alike.
void add_spread_ring(PatternedSchedule::Builder& plan, int first_step, int steps, const Factor& ring,
                     std::size_t dimension, std::size_t cut, const Pattern& responsible) {
  const Rank side = cut == dimension ? 1 : responsible.axes[cut].ring;
  const std::int64_t all = std::int64_t{ring.steps()} * side;
  for (int step = 0; step < steps; ++step) {
    stop_point();
    for (std::int64_t first = all * step / steps; first < all * (step + 1) / steps;) {
      const std::int64_t own_step = first / side;
      const std::int64_t end = std::min((own_step + 1) * side, all * (step + 1) / steps);
      Pattern message = responsible;
      message.axes[dimension] = ring.sends[static_cast<std::size_t>(own_step)].front();
      if (end - first < side)
        message.axes[cut].blocks = Blocks::relative_run(
            {static_cast<Block>(first - own_step * side), static_cast<Block>(end - 1 - own_step * side)});
      plan.add(first_step + step, std::move(message));
      first = end;
    }
  }
}

/// One dimension after the other, from `first` on, each spread over `phase` steps.
void add_spread_lane(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, int lane, int phase) {
  const std::size_t count = factors.size();
  Pattern responsible{.axes = {}, .lane = lane};
  for (const Factor& factor : factors) responsible.axes.push_back(factor.keeps.front().front());
  for (std::size_t done = 0; done < count; ++done) {
    const auto at = [&](std::size_t k) { return (static_cast<std::size_t>(lane) + k) % count; };
    std::size_t cut = at(done);
    for (std::size_t k = done + 1; k < count; ++k)
      if (cut == at(done) || factors[at(k)].extent > factors[cut].extent) cut = at(k);
    add_spread_ring(plan, static_cast<int>(done) * phase, phase, factors[at(done)], at(done), cut, responsible);
    responsible.axes[at(done)] = factors[at(done)].keeps.back().front();
  }
}

SchedulePtr make_bucket(const Request& request) {
  const bool both = setting(bucket_algorithm, request, "directions") == "both";
  const int lanes = both ? lane_count(request) : (lane_count(request) + 1) / 2;
  const std::string_view waiting = lanes > 1 ? setting(bucket_algorithm, request, "waiting") : "no";
  const int phase = waiting == "no" ? 0 : *std::max_element(request.shape.begin(), request.shape.end()) - 1;
  PatternedSchedule::Builder plan;
  plan.extend_to(waiting == "spread" ? request.dimensions() * phase : 0);
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Factor> factors;
    for (const Rank side : request.shape) factors.push_back(ring_factor(side, lane < request.dimensions() ? +1 : -1));
    if (waiting == "spread")
      add_spread_lane(plan, factors, lane, phase);
    else
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
    .steps = "sum of n-1 over the sides n; all lanes, unless waiting=no: D (nmax - 1) (allreduce: twice as many)",
    .volumes = least_volumes,
    .description = bucket_description,
    .on_tori = true,
    .has_lanes = true,
    .parameters = bucket_parameters,
    .outside = bucket_outside,
    .make = make_bucket,
};

}  // namespace onceover::schedules
