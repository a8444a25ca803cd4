#include <fmt/format.h>

#include <numeric>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank hamiltonian_ring_most_ranks = 1 << 20;

constexpr std::string_view hamiltonian_ring_description =
    R"(The ring algorithm along cycles that visit every rank once, using all ports: on a line to the right and to the left
(2 lanes), on a torus of rows x columns along two edge-disjoint Hamiltonian cycles, each both ways (4 lanes). With one lane,
the first cycle one way.

The construction is for r x c where c >= 2 divides r and gcd(r, c-1) = 1, or for c x r turned. The first cycle runs along each
row and moves down where it wraps, shifted back by one column a row: position i = a c + b is at row a, column b - a mod c.
The second has position i at row a (c-1) + b mod r, column a mod c. Both are checked when the schedule is made: each
visits every rank once, by torus links only, and they share no link. A side of 2 has two links: between its
places, and around.

The conditions are this construction's: 3x4, say, has two such cycles that it doesn't find.

As a reduce-scatter or an allgather, block i of a lane belongs to the rank at position i of the lane's cycle.

Steps: p-1 (allreduce: 2(p-1)). Each rank sends p-1 blocks a lane.
)";

using Cycle = std::vector<Rank>;  // position -> rank

std::pair<Cycle, Cycle> cycles(Rank rows, Rank columns) {
  Cycle first;
  Cycle second;
  for (Rank i = 0; i < rows * columns; ++i) {
    const Rank a = i / columns;
    const Rank b = i % columns;
    first.push_back(a * columns + ((b - a) % columns + columns) % columns);
    const auto row = (std::int64_t{a} * (columns - 1) + b) % rows;
    second.push_back(static_cast<Rank>(row) * columns + a % columns);
  }
  return {first, second};
}

bool fits(Rank rows, Rank columns) {
  return columns >= 2 && rows % columns == 0 && std::gcd(rows, columns - 1) == 1;
}

/// The same cycle on the turned torus, with rows and columns exchanged.
Cycle turned(const Cycle& cycle, Rank rows, Rank columns) {
  Cycle result;
  for (const Rank r : cycle) result.push_back(r % columns * rows + r / columns);
  return result;
}

std::pair<Cycle, Cycle> cycles_of(const std::vector<Rank>& shape) {
  if (fits(shape[0], shape[1])) return cycles(shape[0], shape[1]);
  auto [first, second] = cycles(shape[1], shape[0]);
  return {turned(first, shape[1], shape[0]), turned(second, shape[1], shape[0])};
}

/// A link of the torus: the rank that it leaves, and whether it leaves downwards or to the right. So a side of 2 has
/// two.
using TorusLink = std::pair<Rank, bool>;

std::optional<TorusLink> link_between(Rank a, Rank b, Rank rows, Rank columns) {
  const auto right = [&](Rank r) { return r / columns * columns + (r % columns + 1) % columns; };
  const auto below = [&](Rank r) { return (r + columns) % (rows * columns); };
  for (const auto& [from, to] : {std::pair{a, b}, {b, a}}) {
    if (right(from) == to) return TorusLink{from, false};
    if (below(from) == to) return TorusLink{from, true};
  }
  return std::nullopt;
}

/// Does each cycle visit every rank once, only along links of the torus, and do no two share a link?
bool are_disjoint_hamiltonian(const std::vector<Cycle>& all, Rank rows, Rank columns) {
  std::vector<TorusLink> links;
  for (const Cycle& cycle : all) {
    Cycle sorted = cycle;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (sorted[k] != static_cast<Rank>(k)) return false;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const auto link = link_between(cycle[k], cycle[(k + 1) % cycle.size()], rows, columns);
      if (!link) return false;
      links.push_back(*link);
    }
  }
  std::sort(links.begin(), links.end());
  return std::adjacent_find(links.begin(), links.end()) == links.end();
}

std::optional<std::string> hamiltonian_ring_outside(const Request& request) {
  const auto& shape = request.shape;
  if (shape.size() > 2)
    return fmt::format("hamiltonian-ring is for lines and two dimensions, not for a {}", shape_text(shape));
  if (auto reason = refuse_above(hamiltonian_ring_algorithm, request, hamiltonian_ring_most_ranks)) return reason;
  if (shape.size() == 1 || fits(shape[0], shape[1]) || fits(shape[1], shape[0])) return std::nullopt;
  return fmt::format(
      "hamiltonian-ring on r x c needs sides of at least 2, c that divides r, and gcd(r, c-1) = 1, or the same with r "
      "and c changed; {}x{} has neither",
      shape[0], shape[1]);
}

void add_ring(PatternedSchedule::Builder& plan, Rank p, int direction, const Seats& seats) {
  plan.extend_to(p - 1);
  for (Rank s = 0; s < p - 1; ++s)
    plan.add(s, {.axes = {{.indices = Indices::range(0, p),
                           .ring = p,
                           .to = Place::by(direction),
                           .blocks = Blocks::relative({-direction * (1 + s)})}},
                 .op = Op::reduce,
                 .lane = seats.lane,
                 .labels = seats.labels});
}

SchedulePtr make_hamiltonian_ring(const Request& request) {
  const Rank p = request.ranks();
  std::vector<Cycle> seats;
  if (request.dimensions() == 1) {
    seats.emplace_back(static_cast<std::size_t>(p));
    std::iota(seats[0].begin(), seats[0].end(), 0);
  } else {
    auto [first, second] = cycles_of(request.shape);
    seats = {std::move(first), std::move(second)};
    if (!are_disjoint_hamiltonian(seats, request.shape[0], request.shape[1]))
      throw std::logic_error("the Hamiltonian cycles are none");
  }
  const int lanes = lane_count(request);
  PatternedSchedule::Builder plan;
  LaneLabels labels;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto cycle = static_cast<std::size_t>(lane) % seats.size();
    const int direction = lane < static_cast<int>(seats.size()) ? +1 : -1;
    labels.push_back(std::make_shared<const Cycle>(seats[cycle]));
    add_ring(plan, p, direction, {.lane = lane, .labels = labels.back()});
  }
  return from_seated_reduce_scatter(hamiltonian_ring_algorithm, request, labels, std::move(plan));
}

}  // namespace

const Algorithm hamiltonian_ring_algorithm{
    .name = "hamiltonian-ring",
    .summary = "rings along edge-disjoint Hamiltonian cycles, both ways",
    .source = "Swing paper, section 2.3.1",
    .collectives = reduce_scatter_family,
    .domain = "any p; tori r x c, c >= 2 divides r and gcd(r, c-1) = 1, or turned; up to 1048576 ranks",
    .steps = "p-1 (allreduce: 2(p-1))",
    .volumes = least_volumes,
    .description = hamiltonian_ring_description,
    .on_tori = true,
    .has_lanes = true,
    .outside = hamiltonian_ring_outside,
    .make = make_hamiltonian_ring,
};

}  // namespace onceover::schedules
