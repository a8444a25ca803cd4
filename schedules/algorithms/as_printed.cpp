// Other papers' algorithms as printed, where the text is wrong (algorithms.h).
//
// Example: three vectors fold. The text sends the vectors from floor(3/2) = 1 on, so 1 and 2, one place to the left.
// Vector 1 should have stayed for vector 2 to land on; it counts twice.

#include "base/rows.h"
#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr std::array<std::string_view, 3> equation_numbers{"20", "31", "40"};
constexpr std::array equation_parameters{Parameter{.name = "equation",
                                                   .summary = "the equation that is taken as printed",
                                                   .preset = "20",
                                                   .choices = equation_numbers}};

/// One fold: every rank sends the vectors first .. n-1 of n by `shift` places to the left.
void add_fold(PatternedSchedule::Builder& plan, Rank p, Rank n, Rank first, Rank shift) {
  plan.begin_step();
  plan.add({.indices = Indices::range(0, p),
            .ring = p,
            .to = Place::by(-shift),
            .blocks = Blocks::relative_run({-(n - 1), -first})});
}

/// (18) to (20): the vectors from floor(n/2) on are sent.
SchedulePtr make_equation_20(const Request& request) {
  PatternedSchedule::Builder plan;
  for (Rank n = request.ranks(); n > 1; n = (n + 1) / 2) add_fold(plan, request.ranks(), n, n / 2, n / 2);
  return from_reduce_scatter(generalized_as_printed_algorithm, request, 1, std::move(plan));
}

/// (31): after step ceil(log2 P) - 1 as (18) counts, before which two vectors are left, there is one. So nothing is
/// done at that step. The folds before it are right.
SchedulePtr make_equation_31(const Request& request) {
  PatternedSchedule::Builder plan;
  for (Rank n = request.ranks(); n > 2; n = (n + 1) / 2) add_fold(plan, request.ranks(), n, (n + 1) / 2, n / 2);
  return from_reduce_scatter(generalized_as_printed_algorithm, request, 1, std::move(plan));
}

/// (40): every rank sends its whole vector so that q_0 meets q_(ceil(P/2) - 1), and further on as (41) says. For powers
/// of two no vector rests, and a rank has one value of each block.
SchedulePtr make_equation_40(const Request& request) {
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank n = p; n > 1; n /= 2) {
    plan.begin_step();
    plan.add({.indices = Indices::range(0, p),
              .ring = p,
              .to = Place::by(n == p ? -(p / 2 - 1) : -(n / 2)),
              .blocks = Blocks::all(1),
              .extent = 1,
              .rank_step = 1});
  }
  return with_blocks(generalized_as_printed_algorithm, request, 1, 1, std::move(plan));
}

/// An equation, for which p it is wrong, and what it says.
struct Equation {
  std::string_view number;
  std::string_view domain;
  bool (*is_wrong)(const Request& request);
  SchedulePtr (*make)(const Request& request);
};

constexpr std::array equations{
    Equation{"20", "p from 3 to 1024 that are not powers of two",
             [](const Request& request) { return !is_power_of_two(request.ranks()); }, make_equation_20},
    Equation{"31", "p from 2 to 1024", [](const Request& request) { return request.ranks() >= 2; }, make_equation_31},
    Equation{"40", "an allreduce with p = 4, 8, .., 1024",
             [](const Request& request) {
               return request.ranks() >= 4 && is_power_of_two(request.ranks()) &&
                      request.collective == Collective::allreduce;
             },
             make_equation_40},
};

const Equation& equation_of(const Request& request) {
  return *row_with(equations, &Equation::number, setting(generalized_as_printed_algorithm, request, "equation"));
}

}  // namespace

const Algorithm generalized_as_printed_algorithm{
    .name = "generalized-as-printed",
    .summary = "as printed: floors where an odd number of vectors folds, or other indices",
    .source = "Kolmakov and Zhang, equations 18 to 20, 31 and 40",
    .collectives = with_reductions,
    .domain =
        "p from 3 to 1024 that are not powers of two; equation=31: any p from 2; equation=40: powers of two from 4",
    .steps = "ceil(log2 p) (allreduce: twice as many; equation=31: one less in each half; equation=40: log2 p)",
    .description =
        R"(N vectors fold as equations (18) to (20) say: those from floor(N/2) to N-1 go floor(N/2) places to the left. Where N
is odd that is one too many: vector floor(N/2) goes too, onto vector 0, which should rest. At p = 3 vector 1 is counted twice.
`generalized` sends from ceil(N/2) on.

equation=31: (31), (35) and (43) have one vector left at step ceil(log2 P) - 1, where (18) still has two, and (24) has one
at step ceil(log2 P). Folding that ends there lacks its last step; at p = 2 nothing is sent at all.

equation=40: the latency-optimal version sends whole vectors, and at its first step q_0 meets q_(ceil(P/2) - 1). For odd P
that is what the shift of (19) brings; for even P it is the vector before. Here P is a power of two, and the further steps
are those of (41): at p = 4 vectors 1 and 3 away are counted twice, or not at all.
)",
    .parameters = equation_parameters,
    .as_printed = true,
    .outside =
        [](const Request& request) {
          const Equation& equation = equation_of(request);
          return refuse_unless(generalized_as_printed_algorithm, equation.is_wrong(request), request, equation.domain);
        },
    .make = [](const Request& request) { return equation_of(request).make(request); },
};

namespace {

/// The dimensions of a colour's phases: pi_c(i) = (i + c) mod N for i = 1 .. N. The dimensions have the numbers 1 to N;
/// in the phase that names 0, the colour rests.
std::vector<int> printed_phases(const std::vector<Factor>& factors, int colour, int phase) {
  std::vector<int> order;
  const int count = static_cast<int>(factors.size());
  for (int i = 1; i <= count; ++i) {
    const int dimension = (i + colour) % count - 1;
    const int steps = dimension < 0 ? 0 : factors[static_cast<std::size_t>(dimension)].steps();
    order.insert(order.end(), static_cast<std::size_t>(steps), dimension);
    order.insert(order.end(), static_cast<std::size_t>(phase - steps), idle);
  }
  return order;
}

SchedulePtr make_bucket_as_printed(const Request& request) {
  const int lanes = lane_count(request);
  const int phase = *std::max_element(request.shape.begin(), request.shape.end()) - 1;
  PatternedSchedule::Builder plan;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Factor> factors;
    for (const Rank side : request.shape) factors.push_back(ring_factor(side, lane < request.dimensions() ? +1 : -1));
    add_steps(plan, factors, printed_phases(factors, lane + 1, phase), {.lane = lane});
  }
  return from_reduce_scatter(bucket_as_printed_algorithm, request, lanes, std::move(plan));
}

}  // namespace

const Algorithm bucket_as_printed_algorithm{
    .name = "bucket-as-printed",
    .summary = "as printed: dimensions (i + j) mod N, which are numbered from 1",
    .source = "Jain and Sabharwal, section 4 and algorithm 1",
    .collectives = with_reductions,
    .domain = "p or tori to 1024 ranks whose last side isn't 1",
    .steps = "D (nmax - 1) over D sides, the longest nmax (allreduce: twice as many)",
    .description =
        R"(Section 4 numbers the dimensions from 1 to N, and has colour j run along dimension (i + j) mod N in phase i, as an
example of permutations. One phase of each colour then names dimension 0, and no phase names dimension N. Here the colour
rests in that phase. So nothing is ever sent along the last dimension; on a line nothing at all. Numbered from 0 the
permutations are right, and that is `bucket`.

With all lanes there are N colours in either direction. With one lane there is the first colour alone.
)",
    .on_tori = true,
    .has_lanes = true,
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(bucket_as_printed_algorithm, request.shape.back() >= 2, request);
        },
    .make = make_bucket_as_printed,
};

const Algorithm bruck_as_printed_algorithm{
    .name = "bruck-as-printed",
    .summary = "as printed: the third step for 7 ranks sends the data of rank-6",
    .source = "PAT paper, section 2",
    .collectives = only_allgather,
    .domain = "p = 7",
    .steps = "3",
    .description =
        R"(The example with 7 ranks, farthest dimension first: the first step sends the rank's own data, the second its own and
that of rank-4, the third its own and that of rank-4 and rank-6. But rank-6 is the next rank to the right, which has its own
data; and nobody sends it the block of rank-3. `bruck` sends those of rank-2 and rank-4.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) { return refuse_unless(bruck_as_printed_algorithm, request.ranks() == 7, request); },
    .make =
        [](const Request& request) {
          struct Step {
            Rank distance;
            std::vector<Block> offsets;
          };
          PatternedSchedule::Builder plan;
          for (const Step& step : {Step{4, {0}}, Step{2, {0, -4}}, Step{1, {0, -4, -6}}}) {
            plan.begin_step();
            plan.add({.indices = Indices::range(0, 7),
                      .ring = 7,
                      .to = Place::by(step.distance),
                      .blocks = Blocks::relative(step.offsets)},
                     Op::copy);
          }
          return with_blocks(bruck_as_printed_algorithm, request, 1, 7, std::move(plan));
        },
};

}  // namespace onceover::schedules
