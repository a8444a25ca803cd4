// Claims of the Swing paper: De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting Rings for Higher Bandwidth
// Allreduce", 2024.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "claims/claim.h"
#include "network/contention.h"
#include "network/papers.h"
#include "network/topology.h"
#include "schedules/catalogue.h"
#include "schedules/listed_schedule.h"
#include "verifier/verify.h"

namespace onceover::claims {

namespace {

using Shape = std::vector<Rank>;

constexpr std::string_view powers = "2^1..2^8";
constexpr std::string_view peer_of_r = "(even(r) ? r + rho(s) : r - rho(s)) mod p";

SchedulePtr make(std::string_view row, const Request& request) {
  return find_algorithm(row)->make(request);
}

Contention on_torus(const Schedule& schedule, const std::vector<Rank>& shape) {
  return *contention(schedule, *make_topology({.name = "torus", .shape = shape}), {});
}

/// Messages on the hottest link at each step of an algorithm's reduce-scatter on a ring of 16.
Evidence messages_on_links(std::string_view row, const std::vector<std::string>& settings,
                           const std::vector<std::uint64_t>& expected) {
  return search("p = 16, steps 0 to 2", [=]() -> Finding {
    Request request = on_line(Collective::reduce_scatter, 16);
    for (const std::string& setting : settings)
      request.settings.emplace(setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
    const Contention measured = on_torus(*make(row, request), {16});
    for (std::size_t s = 0; s < expected.size(); ++s)
      if (measured.steps[s].most_messages != expected[s])
        return {.refutation = Refutation{fmt::format("{}, step {}", row, s),
                                         fmt::format("{} messages on a link", measured.steps[s].most_messages)}};
    return {};
  });
}

/// Does a schedule with fewer steps than log2 p exist? Three ranks, each of which sends all to both others.
Finding fewer_steps_than_log2() {
  ListedSchedule::Builder steps;
  steps.begin_step();
  const Run all{0, 2};
  for (Rank src = 0; src < 3; ++src)
    for (Rank dst = 0; dst < 3; ++dst)
      if (src != dst) steps.add(src, dst, {&all, 1}, Op::reduce);
  const ListedSchedule schedule(Header{.collective = Collective::allreduce, .ranks = 3, .blocks = 3}, std::move(steps));
  if (verify(schedule).verdict != onceover::Verdict::pass) return {};
  return {.refutation = Refutation{"p = 3, two ports for each rank",
                                   "one step is enough: each rank sends its vector to both others; 1 < log2 3"}};
}

/// The last rank's messages at each step of the reduce-scatter for 7 ranks.
Finding figure_4() {
  const auto schedule = make("swing", on_line(Collective::reduce_scatter, 7));
  const std::vector<std::vector<Rank>> expected{{0, 1, 2}, {3, 4}, {5}};
  for (int step = 0; step < 3; ++step) {
    std::vector<Transfer> transfers;
    schedule->transfers(step, transfers);
    std::vector<Rank> receivers;
    for (const Transfer& t : transfers)
      if (t.src == 6) receivers.push_back(t.dst);
    std::sort(receivers.begin(), receivers.end());
    if (receivers != expected[static_cast<std::size_t>(step)])
      return {.refutation = Refutation{fmt::format("p = 7, step {}", step),
                                       fmt::format("rank 6 sends to {}", fmt::join(receivers, ", "))}};
  }
  return {};
}

/// On 2x4 with all lanes, step 2 moves everything along the rows.
Finding figure_6() {
  const auto schedule = make("swing", {Collective::reduce_scatter, {2, 4}, true});
  std::vector<Transfer> transfers;
  schedule->transfers(2, transfers);
  for (const Transfer& t : transfers)
    if (t.src / 4 != t.dst / 4)
      return {.refutation = Refutation{"torus 2x4, step 2", fmt::format("rank {} sends to rank {}", t.src, t.dst)}};
  return {};
}

/// The congestion of step by step larger tori grows.
Finding congestion_grows() {
  Rational before = 0;
  for (const Rank side : {2, 4, 8, 16, 32, 64}) {
    const auto measured = on_torus(*make("swing", {Collective::allreduce, {side, side}, true}), {side, side});
    if (measured.exact->congestion < before)
      return {.refutation = Refutation{fmt::format("torus {}x{}", side, side), "less than on the one before"}};
    before = measured.exact->congestion;
  }
  return {};
}

/// Congestion on HammingMesh against that of a torus of as many ranks.
Finding is_less_congested_on(const char* hammingmesh, const Rational& torus_times = 1) {
  for (const Rank side : {64, 32, 16, 8}) {
    const auto schedule = make("swing", {Collective::allreduce, {side, side}, true});
    const auto congestion_on = [&](const char* name) {
      return contention(*schedule, *make_topology({.name = name, .shape = {side, side}}), {})->exact->congestion;
    };
    const Rational torus = congestion_on("torus");
    const Rational boards = congestion_on(hammingmesh);
    if (boards >= torus * torus_times)
      return {.refutation = Refutation{fmt::format("{0}x{0} ranks, {1}", side, hammingmesh),
                                       fmt::format("congestion {}, on a torus {}", boards.str(), torus.str())}};
  }
  return {};
}

/// Equation (3) against the links' time in the steps that only the longest dimension takes part in.
Finding equation_3(double factor) {
  for (const std::vector<Rank>& shape : {std::vector<Rank>{2, 4}, {4, 8}, {4, 16}, {2, 2, 4}, {4, 4, 8}}) {
    const auto schedule = make("swing", {Collective::allreduce, shape, true});
    const double measured = swing_second_phase(on_torus(*schedule, shape), shape, schedule->header().blocks);
    const double said = swing_equation_3(shape);
    const double expected = factor == 0 ? said : said * factor * static_cast<double>(shape.size());
    if (std::abs(measured - expected) > 0.35 * measured)
      return {.refutation = Refutation{shape_text(shape),
                                       fmt::format("(3) gives {:.3f}, the links take {:.3f}", said, measured)}};
  }
  return {};
}

/// Two edge-disjoint Hamiltonian cycles of an r x c torus, sought by trying all ways of the first cycle; what it leaves
/// must be one cycle, too.
class DisjointCycles {
 public:
  DisjointCycles(Rank rows, Rank columns) : rows_(rows), columns_(columns), way_{0} {
    for (Rank node = 0; node < rows * columns; ++node) {
      const Rank row = node / columns;
      const Rank column = node % columns;
      neighbours_.push_back({row * columns + (column + 1) % columns, row * columns + (column + columns - 1) % columns,
                             (row + 1) % rows * columns + column, (row + rows - 1) % rows * columns + column});
    }
  }

  bool exist() {
    if (way_.size() == neighbours_.size()) return is_neighbour(way_.back(), 0) && rest_is_a_cycle();
    for (const Rank next : neighbours_[static_cast<std::size_t>(way_.back())]) {
      if (std::find(way_.begin(), way_.end(), next) != way_.end()) continue;
      way_.push_back(next);
      if (exist()) return true;
      way_.pop_back();
    }
    return false;
  }

 private:
  bool is_neighbour(Rank a, Rank b) const {
    const auto& of_a = neighbours_[static_cast<std::size_t>(a)];
    return std::find(of_a.begin(), of_a.end(), b) != of_a.end();
  }

  bool is_on_way(Rank a, Rank b) const {
    const auto at = static_cast<std::size_t>(std::find(way_.begin(), way_.end(), a) - way_.begin());
    const std::size_t n = way_.size();
    return way_[(at + 1) % n] == b || way_[(at + n - 1) % n] == b;
  }

  bool rest_is_a_cycle() const {
    Rank before = -1;
    Rank node = 0;
    std::size_t length = 0;
    do {
      Rank next = -1;
      for (const Rank other : neighbours_[static_cast<std::size_t>(node)])
        if (!is_on_way(node, other) && other != before) next = other;
      if (next < 0) return false;
      before = node;
      node = next;
      ++length;
    } while (node != 0 && length <= neighbours_.size());
    return length == neighbours_.size();
  }

  Rank rows_;
  Rank columns_;
  std::vector<std::vector<Rank>> neighbours_;
  std::vector<Rank> way_;
};

Finding cycles_beyond_the_condition() {
  if (!DisjointCycles(3, 4).exist()) return {};
  return {.refutation = Refutation{"torus 3x4", "it has two, though 4 doesn't divide 3"}};
}

/// No schedule of the catalogue takes fewer steps than log_(k+1) p, k the messages that a rank receives in a step.
Finding fewer_steps_than_ports_allow() {
  for (const Algorithm& row : catalogue())
    for (Rank p = 2; p <= 33; ++p) {
      const Request request = on_line(Collective::allreduce, p);
      if (row.as_printed || refusal(row, request)) continue;
      const Metrics m = verify(*row.make(request)).metrics;
      double reached = 1;
      for (int step = 0; step < m.steps; ++step) reached *= static_cast<double>(m.max_receives_per_rank_step + 1);
      if (reached < p)
        return {.refutation = Refutation{fmt::format("{}, p = {}", row.name, p), fmt::format("{} steps", m.steps)}};
    }
  return {};
}

/// Order is preserved for 2 and 4 ranks and for no other number.
Finding order_for_2_and_4_alone() {
  for (Rank p = 2; p <= 40; ++p) {
    const Report report = verify(*make("swing", on_line(Collective::allreduce, p)), {.required = {"order-preserving"}});
    if ((report.verdict == onceover::Verdict::pass) != (p == 2 || p == 4))
      return {.refutation = Refutation{fmt::format("p = {}", p), std::string(onceover::name(report.verdict))}};
  }
  return {};
}

/// Each message of a rank at a step goes along a dimension and in a direction of its own.
Finding ports_of_their_own() {
  for (const Shape& shape : {Shape{4, 4}, Shape{8, 8}, Shape{16, 16}, Shape{4, 4, 4}}) {
    const auto schedule = make("swing", {Collective::allreduce, shape, true});
    const Rank side = shape.front();
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule->steps(); ++step) {
      std::set<std::tuple<Rank, Rank, bool>> used;  // rank, distance between neighbours of the dimension, direction
      schedule->transfers(step, transfers);
      for (const Transfer& t : transfers) {
        Rank stride = 1;
        while (t.src / (stride * side) != t.dst / (stride * side)) stride *= side;
        const Rank ahead = (t.dst / stride - t.src / stride + side) % side;
        if (!used.emplace(t.src, stride, 2 * ahead < side).second)
          return {.refutation = Refutation{fmt::format("{}, step {}", shape_text(shape), step),
                                           fmt::format("rank {} sends two messages the same way", t.src)}};
      }
    }
  }
  return {};
}

/// Ranks that have not been reached before the last step, against what is said of p and p', the power of two below p.
template <class Said>
Finding remaining(Said&& said) {
  for (Rank p = 6; p <= 512; p += 2) {
    Rank power = 2;
    while (2 * power < p) power *= 2;
    std::set<Rank> reached{0};
    Rank rho = 1;
    for (Rank before = 1; 2 * before <= power; before *= 2, rho = 1 - 2 * rho) {
      std::set<Rank> more = reached;
      for (const Rank r : reached) more.insert(((r % 2 == 0 ? r + rho : r - rho) % p + p) % p);
      reached = std::move(more);
    }
    const auto left = p - static_cast<Rank>(reached.size());
    if (left != said(p, power))
      return {.refutation = Refutation{fmt::format("p = {}, p' = {}", p, power),
                                       fmt::format("{} remain, not {}", left, said(p, power))}};
  }
  return {};
}

Rational time_on(const Shape& shape, std::string_view row) {
  const auto measured = on_torus(*make(row, {Collective::allreduce, shape, true}), shape);
  return measured.exact->bandwidth * measured.exact->congestion;
}

/// A rectangle's deficiencies against those of the square and of the ring of as many ranks.
Finding between_ring_and_square() {
  for (const auto& [rectangle, square] :
       {std::pair{Shape{2, 8}, Shape{4, 4}}, {{4, 16}, {8, 8}}, {{2, 32}, {8, 8}}, {{8, 32}, {16, 16}}}) {
    const Rank ranks = square[0] * square[1];
    const Rational here = time_on(rectangle, "swing");
    if (here < time_on(square, "swing") || here > time_on({ranks}, "swing"))
      return {.refutation = Refutation{shape_text(rectangle), here.str()}};
  }
  return {};
}

Finding worse_than_swing() {
  for (const Shape& shape : {Shape{8, 8}, Shape{16, 16}, Shape{32, 32}, Shape{8, 8, 8}})
    if (time_on(shape, "mirrored-recursive-doubling") <= time_on(shape, "swing"))
      return {.refutation = Refutation{shape_text(shape), "it takes no longer"}};
  return {};
}

std::vector<Claim> claims_of_section_2() {
  return {
      {.id = "swing-figure-1-recursive-doubling",
       .paper = Paper::swing,
       .place = "section 1, figure 1",
       .statement =
           "On a ring of 16, up to 1, 2 and 4 messages of recursive doubling cross a link at the first three steps.",
       .says = {messages_on_links("rabenseifner", {"order=near"}, {1, 2, 4})}},
      {.id = "swing-figure-1-swing",
       .paper = Paper::swing,
       .place = "section 1, figure 1",
       .statement = "On a ring of 16, up to 1, 1 and 2 messages of Swing cross a link at the first three steps.",
       .says = {messages_on_links("swing", {}, {1, 1, 2})}},
      {.id = "swing-least-steps",
       .paper = Paper::swing,
       .place = "section 2.2",
       .statement = "An allreduce takes at least log2 p steps, also where ranks have 2D ports.",
       .says = {search("p = 3", fewer_steps_than_log2)},
       .correct = "With k ports at least log_(k+1) p.",
       .corrected = {search("all algorithms of the catalogue, p = 2..33", fewer_steps_than_ports_allow)}},
      {.id = "swing-least-bytes",
       .paper = Paper::swing,
       .place = "section 2.2",
       .statement =
           "An allreduce sends at least 2 (p-1)/p vectors a rank, that is 2 (p-1) blocks for each block of the vector.",
       .says = {schedules({.algorithm = "all", .ranks = "2..33", .collective = "allreduce"}, {},
                          {"block_transfers >= 2*(p-1)*blocks"})},
       .correct = "Jain and Sabharwal, theorem 3.3, prove it."},
      {.id = "swing-ring-deficiencies",
       .paper = Paper::swing,
       .place = "section 2.3.1",
       .statement = "Rings along two edge-disjoint Hamiltonian cycles take 2 (p-1) steps and have bandwidth and "
                    "congestion deficiency 1.",
       .says = {schedules(
           {.algorithm = "hamiltonian-ring", .tori = {"3x3", "4x4", "5x5", "8x4", "8x8"}, .lanes = "all"},
           {"exactly-once"}, {"steps == 2*(p-1)", "bandwidth == 1", "congestion == 1"})},
       .theorems = {"ring", "hamiltonian-pair"}},
      {.id = "swing-hamiltonian-condition",
       .paper = Paper::swing,
       .place = "section 2.3.1",
       .statement = "Rings along two edge-disjoint Hamiltonian cycles can be built on an r x c torus only if c divides "
                    "r and gcd(r, c-1) = 1.",
       .says = {search("torus 3x4", cycles_beyond_the_condition)},
       .correct =
           "The condition is that of one construction, which is right where it holds (theorem hamiltonian-pair).",
       .correct = "That is the condition of one construction; other tori have such cycles, too.",
       .corrected = {schedules({.algorithm = "hamiltonian-ring", .tori = {"3x3", "4x4", "8x4", "9x3"}, .lanes = "all"},
                               {"exactly-once"})},
       .kind = Kind::wording},
      {.id = "swing-recursive-doubling",
       .paper = Paper::swing,
       .place = "section 2.3.2",
       .statement = "For p = 2^a recursive doubling is right.",
       .says = {schedules({.algorithm = "recursive-doubling", .ranks = "2^1..2^10"}, {"exactly-once"})},
       .theorems = {"recursive-doubling"}},
      {.id = "swing-recursive-doubling-bytes",
       .paper = Paper::swing,
       .place = "section 2.3.2",
       .statement = "It takes log2 p steps, and each rank sends n log2 p bytes.",
       .says = {schedules({.algorithm = "recursive-doubling", .ranks = "2^1..2^10"}, {},
                          {"steps == log2(p)", "blocks_sent_max == blocks*log2(p)"})}},
      {.id = "swing-recursive-doubling-congestion",
       .paper = Paper::swing,
       .place = "section 2.3.2, table 2",
       .statement = "The congestion deficiency of recursive doubling on a torus is at most 2 D p^(1/D).",
       .says = {deficiencies(
           {.algorithm = "recursive-doubling", .tori = {"4x4", "8x8", "16x16", "32x32", "4x4x4", "8x8x8"}},
           {"congestion <= 2*dimensions*side_max"})},
       .correct = "True and loose: it counts every message once more for each step, which the bandwidth deficiency has "
                  "counted."},
      {.id = "swing-rabenseifner-deficiencies",
       .paper = Paper::swing,
       .place = "section 2.3.3, table 2",
       .statement = "Bandwidth-optimized recursive doubling takes 2 log2 p steps with bandwidth deficiency 2D.",
       .says = {schedules({.algorithm = "rabenseifner", .tori = {"2x2", "4x4", "8x8", "16x16", "4x4x4"}},
                          {"exactly-once"}, {"latency == 2", "bandwidth == 2*dimensions"})},
       .theorems = {"recursive-doubling", "torus-products"}},
      {.id = "swing-rabenseifner-congestion",
       .paper = Paper::swing,
       .place = "section 2.3.3, table 2",
       .statement = "Its congestion deficiency on a torus is (2^D - 1)/(2^D - 2).",
       .says = {deficiencies({.algorithm = "rabenseifner", .tori = {"4x4", "8x8", "16x16", "4x4x4", "8x8x8"}},
                             {"congestion == (pow2(dimensions) - 1)/(pow2(dimensions) - 2)"})},
       .correct = "It is the limit for large sides, reached from below.",
       .corrected = {deficiencies({.algorithm = "rabenseifner",
                                   .tori = {"4x4", "8x8", "16x16", "32x32", "64x64", "4x4x4", "8x8x8", "16x16x16"}},
                                  {"congestion <= (pow2(dimensions) - 1)/(pow2(dimensions) - 2)"})},
       .kind = Kind::wording},
      {.id = "swing-bucket-steps",
       .paper = Paper::swing,
       .place = "section 2.3.4",
       .statement = "Bucket takes 2 D p^(1/D) steps on a square torus.",
       .says = {schedules({.algorithm = "bucket", .tori = {"3x3", "4x4", "5x5", "4x4x4"}, .lanes = "all"}, {},
                          {"steps == 2*dimensions*side_max"})},
       .correct = "2 D (p^(1/D) - 1).",
       .corrected = {schedules({.algorithm = "bucket", .tori = {"3x3", "4x4", "5x5", "4x4x4"}, .lanes = "all"},
                               {"exactly-once"}, {"steps == 2*dimensions*(side_max - 1)"})},
       .kind = Kind::wording},
      {.id = "swing-bucket-deficiencies",
       .paper = Paper::swing,
       .place = "section 2.3.4",
       .statement = "On square tori, bucket with 2D lanes has bandwidth and congestion deficiency 1.",
       .says = {schedules({.algorithm = "bucket", .tori = {"3x3", "4x4", "5x5", "8x8", "4x4x4"}, .lanes = "all"},
                          {"exactly-once"}, {"bandwidth == 1", "congestion == 1"})},
       .theorems = {"ring", "torus-products"}},
  };
}

std::vector<Claim> claims_of_section_3() {
  return {
      {.id = "swing-reduce-scatter-then",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement = "Bandwidth-optimal Swing runs a reduce-scatter, which takes log2 p steps, and then an allreduce.",
       .says = {schedules({.algorithm = "swing", .ranks = std::string(powers)}, {}, {"steps == 3*log2(p)"})},
       .correct = "A reduce-scatter and an allgather, of log2 p steps each.",
       .corrected = {schedules({.algorithm = "swing", .ranks = std::string(powers), .collective = "allgather"},
                               {"exactly-once"}, {"steps == log2(p)"}),
                     schedules({.algorithm = "swing", .ranks = std::string(powers)}, {}, {"steps == 2*log2(p)"})},
       .kind = Kind::wording},
      {.id = "swing-distance",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement = "The distance delta(s) is (2^(s+1) - (-1)^(s+1))/3, at most 2^s, and less for s > 1.",
       .says = {numbers(
           {{"s", "0", "58"}},
           "3*delta(s) == pow2(s+1) + (even(s) ? 1 : -1) && delta(s) <= pow2(s) && (s <= 1 || delta(s) < pow2(s))")}},
      {.id = "swing-exactly-once",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement = "For p = 2^a the reduce-scatter, the allgather and the allreduce are right.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^10"}, {"exactly-once"}),
                schedules({.algorithm = "swing", .ranks = "2^1..2^10", .collective = "reduce-scatter"},
                          {"exactly-once"}),
                schedules({.algorithm = "swing", .ranks = "2^1..2^10", .collective = "allgather"}, {"exactly-once"})},
       .theorems = {"step-sequences", "covering-peers", "time-reversal"}},
      {.id = "swing-fewest-bytes",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement = "Each rank sends 2 (p-1)/p vectors, the fewest, in 2 log2 p steps.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^10"}, {},
                          {"blocks_sent_max == 2*(p-1)", "steps == 2*log2(p)"})}},
      {.id = "swing-latency-deficiency",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement = "The latency deficiency of bandwidth-optimal Swing is log2(p)/2.",
       .says = {schedules({.algorithm = "swing", .ranks = std::string(powers)}, {}, {"latency == log2(p)/2"})},
       .correct = "2, as table 2 has it.",
       .corrected = {schedules({.algorithm = "swing", .ranks = std::string(powers)}, {}, {"latency == 2"})},
       .kind = Kind::wording},
      {.id = "swing-figure-3",
       .paper = Paper::swing,
       .place = "figure 3",
       .statement = "The pseudocode computes the blocks that a rank must send at each step.",
       .says = {schedules({.algorithm = "swing-figure-3", .ranks = "2^2..2^6", .collective = "reduce-scatter"}, {},
                          {"blocks_sent_max == p-1"})},
       .correct = "It marks all that r will send later, too. Those of a step are {q} and get_rs_idxs(q, s+1), q = "
                  "pi(r, s). The two lists are one object, `peer` is not defined, and int(log2 p) must round up.",
       .corrected = {schedules({.algorithm = "swing", .ranks = "2^1..2^6", .collective = "reduce-scatter"},
                               {"exactly-once"}, {"blocks_sent_max == p-1"})}},
      {.id = "swing-non-commutative",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement =
           "With blocks laid out so that messages are contiguous, Swing works with operators that don't commute.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^5"}, {"order-preserving"})},
       .correct =
           "Of all p it does for 2 and 4 only; where blocks lie has nothing to do with the order of ranks in a sum.",
       .corrected = {search("p = 2..40", order_for_2_and_4_alone)}},
      {.id = "swing-contiguous",
       .paper = Paper::swing,
       .place = "section 3.1.1",
       .statement = "For p = 2^a blocks can be laid out so that every message is contiguous.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^8"}, {"contiguous"})}},
      {.id = "swing-latency-optimal",
       .paper = Paper::swing,
       .place = "section 3.1.2",
       .statement = "For p = 2^a latency-optimal Swing is right.",
       .says = {schedules({.algorithm = "swing-latency", .ranks = std::string(powers)}, {"exactly-once"})},
       .theorems = {"step-sequences"},
       .correct = "From p = 8 on ranks end with different sums, so floating-point results differ by rank."},
      {.id = "swing-latency-optimal-bytes",
       .paper = Paper::swing,
       .place = "section 3.1.2",
       .statement = "It takes log2 p steps, and each rank sends n log2 p bytes.",
       .says = {schedules({.algorithm = "swing-latency", .ranks = std::string(powers)}, {},
                          {"steps == log2(p)", "blocks_sent_max == blocks*log2(p)"})}},
      {.id = "swing-latency-same-result",
       .paper = Paper::swing,
       .place = "section 3.1.2",
       .statement = "Not said, but what an MPI library needs (MPI 4.0, section 6.9.6): latency-optimal Swing leaves "
                    "the same result on every rank.",
       .says = {schedules({.algorithm = "swing-latency", .ranks = std::string(powers)}, {"bitwise-reproducible"})},
       .correct = "Not in floating point: there are p/4 different sums. Bandwidth-optimal Swing copies one sum to all.",
       .corrected = {schedules({.algorithm = "swing", .ranks = "2..32"}, {"bitwise-reproducible"})}},
      {.id = "swing-even-p-latency-optimal",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "For other even p it is enough not to send a block twice; the section makes no difference between "
                    "the two versions.",
       .says = {schedules({.algorithm = "swing-latency-unfolded", .ranks = "6,10,12,14"}, {"exactly-once"})},
       .correct =
           "A version that exchanges sums has no block to leave out. The extra ranks have to be folded in before.",
       .corrected = {schedules({.algorithm = "swing-latency", .ranks = "2..32"}, {"exactly-once"})},
       .kind = Kind::wording},
      {.id = "swing-even-p-last-step",
       .paper = Paper::swing,
       .place = "section 3.2, appendix A.2",
       .statement = "For other even p, a block that would be sent twice is sent in the last step only.",
       .says = {schedules({.algorithm = "swing-final-step", .ranks = "6,10,12,14,18"}, {"exactly-once"})},
       .correct = "At its last sending, whichever step that is, and never one's own block; then any peers whose paths "
                  "cover do.",
       .corrected = {schedules(
           {.algorithm = "swing", .ranks = "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,48,62,66,100"},
           {"exactly-once"})}},
      {.id = "swing-even-p-not-twice",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "For other even p it is enough for each rank not to send the same block twice.",
       .says = {schedules({.algorithm = "swing-keep-first", .ranks = "6,10,12,14,18"}, {"exactly-once"})},
       .correct = "Not if the first of the two is kept, which the sentence leaves open; see swing-even-p-last-step.",
       .corrected = {schedules({.algorithm = "swing", .ranks = "4,6,8,10,12"}, {"exactly-once"})},
       .kind = Kind::wording},
      {.id = "swing-even-p",
       .paper = Paper::swing,
       .place = "section 3.2, appendix A.2",
       .statement = "Swing is right for every even p.",
       .says = {schedules(
           {.algorithm = "swing", .ranks = "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,48,62,66,100"},
           {"exactly-once"})},
       .theorems = {"even-cover", "covering-peers", "time-reversal"}},
      {.id = "swing-even-p-deficiencies",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "For other even p deficiencies do not increase.",
       .says = {schedules({.algorithm = "swing", .ranks = "2,4,6,8,10,12"}, {}, {"latency <= 2"})},
       .correct = "The latency deficiency is 2 ceil(log2 p)/log2 p, 2.32 for p = 6. On a ring congestion increases, "
                  "too: 17/9 for 10 ranks, 23/15 for 16. The bandwidth deficiency does not.",
       .corrected = {schedules({.algorithm = "swing", .ranks = "2,4,6,8,10,12,14,18,20,24,34,66"}, {},
                               {"steps == 2*ceil(log2(p))", "blocks_sent_max == 2*(p-1)"}),
                     deficiencies({.algorithm = "swing", .ranks = "10", .lanes = "all"},
                                  {"congestion == 17/9", "bandwidth == 1"}),
                     deficiencies({.algorithm = "swing", .ranks = "16", .lanes = "all"}, {"congestion == 23/15"})}},
      {.id = "swing-odd-p",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "For odd p, p-1 ranks run the algorithm, and the last exchanges a block with each of them.",
       .says = {schedules({.algorithm = "swing", .ranks = "3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,63,65,99"},
                          {"exactly-once"})},
       .theorems = {"even-cover", "covering-peers", "time-reversal", "odd-ranks"},
       .correct = "It talks to several ranks in a step: the ports property says to how many."},
      {.id = "swing-odd-p-bytes",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "For odd p, too, each rank sends 2 (p-1)/p vectors.",
       .says = {schedules({.algorithm = "swing", .ranks = "3,5,7,9,11,13,15,17,19,21,33,35,63,65,99"}, {},
                          {"blocks_sent_max == 2*(p-1)", "blocks_sent_min == 2*(p-1)"})}},
      {.id = "swing-odd-p-blocks",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "For odd p, the last rank sends (p-1)/2^s blocks at step s.",
       .says = {numbers({{"p", "3", "257"}, {"s", "0", "log2(p-2)"}}, "(p-1) mod pow2(s) == 0", "odd(p)")},
       .correct =
           "That isn't whole, and one step early: figure 4 has 3, 2, 1 for p = 7, half of what remains, rounded up.",
       .corrected = {search("p = 7", figure_4)}},
      {.id = "swing-odd-p-bandwidth",
       .paper = Paper::swing,
       .place = "section 3.2",
       .statement = "An odd p adds 1/p to the bandwidth deficiency.",
       .says = {schedules({.algorithm = "swing", .ranks = "3,5,7,9,11,13,15,17,33,65", .lanes = "all"}, {},
                          {"bandwidth <= 1 + 1/p"})},
       .correct = "More, as others wait for the several messages of the last rank: 1.25 for p = 5, 14/9 for p = 19. It "
                  "stays below 8/5.",
       .corrected = {deficiencies({.algorithm = "swing",
                                   .ranks = "3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,47,51,63,65,67,69,"
                                            "71,99,127,129,131,133,255,257,259",
                                   .lanes = "all"},
                                  {"bandwidth < 8/5"})}},
  };
}

std::vector<Claim> claims_of_section_4() {
  return {
      {.id = "swing-tori",
       .paper = Paper::swing,
       .place = "section 4.1",
       .statement = "Swing is right on square tori, with 2D lanes.",
       .says = {schedules(
           {.algorithm = "swing", .tori = {"2x2", "4x4", "8x8", "16x16", "4x4x4", "4x4x4x4"}, .lanes = "all"},
           {"exactly-once"})},
       .theorems = {"step-sequences", "covering-peers", "time-reversal", "torus-products"}},
      {.id = "swing-tori-ports",
       .paper = Paper::swing,
       .place = "section 4.1",
       .statement = "Each of the 2D lanes uses a port of its own at every step, so that no bandwidth is lost.",
       .says = {search("tori 4x4, 8x8, 16x16, 4x4x4", ports_of_their_own),
                schedules({.algorithm = "swing", .tori = {"4x4", "8x8", "16x16", "4x4x4", "4x4x4x4"}, .lanes = "all"},
                          {}, {"max_sends_per_rank_step <= 2*dimensions", "bandwidth == 1", "latency == 2"})}},
      {.id = "swing-peer-delta",
       .paper = Paper::swing,
       .place = "section 4.1",
       .statement = "On a dimension an even coordinate a is replaced by a + delta(s), an odd one by a - delta(s).",
       .says = {schedules({.algorithm = "swing-delta", .ranks = "4,8,16"}, {"exactly-once"})},
       .correct = "By a + rho(s) and a - rho(s), as in section 3.1.1: the sign has to swing.",
       .corrected = {schedules({.algorithm = "swing", .tori = {"2x2", "4x4", "8x8", "4x8"}}, {"exactly-once"})},
       .kind = Kind::wording},
      {.id = "swing-bandwidth-term",
       .paper = Paper::swing,
       .place = "section 4.1",
       .statement = "The bandwidth term of the allreduce is n/(2D) beta times the sum of delta(sigma(s))/2^(s+1): on "
                    "4x4, where nothing is congested, n/(2D) beta (p-1)/p.",
       .says = {deficiencies({.algorithm = "swing", .tori = {"4x4"}, .lanes = "all"}, {"2*bandwidth*congestion == 1"})},
       .correct = "Twice that: it is the reduce-scatter's term, and the allgather takes as long.",
       .corrected = {deficiencies({.algorithm = "swing", .tori = {"4x4"}, .lanes = "all"},
                                  {"bandwidth*congestion == 1"})},
       .kind = Kind::wording},
      {.id = "swing-congestion-grows",
       .paper = Paper::swing,
       .place = "section 4.1",
       .statement = "On square tori whose sides are powers of two the congestion deficiency does not fall as p grows.",
       .says = {search("tori 2x2 to 64x64", congestion_grows)},
       .correct = "Other sides are more congested: 10x10 has 1.364.",
       .corrected = {deficiencies({.algorithm = "swing", .tori = {"10x10"}, .lanes = "all"},
                                  {"congestion > 1.363", "congestion < 1.365"})}},
      {.id = "swing-congestion-2d",
       .paper = Paper::swing,
       .place = "table 2",
       .statement =
           "On square 2D tori whose sides are powers of two the congestion deficiency of Swing is at most 1.19.",
       .says = {deficiencies(
           {.algorithm = "swing", .tori = {"8x8", "16x16", "32x32", "64x64", "128x128"}, .lanes = "all"},
           {"congestion <= 1.19"})},
       .correct = "Less than its limit 6/5, which the table cuts to 1.19.",
       .corrected = {deficiencies(
           {.algorithm = "swing", .tori = {"8x8", "16x16", "32x32", "64x64", "128x128"}, .lanes = "all"},
           {"congestion < 6/5"})},
       .kind = Kind::wording},
      {.id = "swing-congestion-3d",
       .paper = Paper::swing,
       .place = "table 2",
       .statement = "On 3D tori it is at most 1.03, on 4D tori at most 1.008.",
       .says = {deficiencies({.algorithm = "swing", .tori = {"4x4x4", "8x8x8", "16x16x16"}, .lanes = "all"},
                             {"congestion <= 1.03"}),
                deficiencies({.algorithm = "swing", .tori = {"4x4x4x4", "8x8x8x8"}, .lanes = "all"},
                             {"congestion <= 1.008"})},
       .correct = "Less than its limits 28/27 and 120/119, which the table cuts.",
       .corrected = {deficiencies(
                         {.algorithm = "swing", .tori = {"4x4x4", "8x8x8", "16x16x16", "32x32x32"}, .lanes = "all"},
                         {"congestion < 28/27"}),
                     deficiencies({.algorithm = "swing", .tori = {"4x4x4x4", "8x8x8x8"}, .lanes = "all"},
                                  {"congestion < 120/119"})},
       .kind = Kind::wording},
      {.id = "swing-congestion-1003",
       .paper = Paper::swing,
       .place = "section 4.1",
       .statement = "For D >= 3 the congestion deficiency is less than 1.003, that is 3 %.",
       .says = {deficiencies({.algorithm = "swing", .tori = {"4x4x4", "8x8x8", "16x16x16"}, .lanes = "all"},
                             {"congestion < 1.003"})},
       .correct = "Less than 28/27, about 1.037.",
       .corrected = {deficiencies({.algorithm = "swing", .tori = {"4x4x4", "8x8x8", "16x16x16"}, .lanes = "all"},
                                  {"congestion < 28/27"})},
       .kind = Kind::wording},
      {.id = "swing-latency-congestion",
       .paper = Paper::swing,
       .place = "section 4.1, table 2",
       .statement = "The congestion deficiency of latency-optimal Swing is at most 4/3 D p^(1/D).",
       .says = {deficiencies(
           {.algorithm = "swing-latency", .tori = {"4x4", "8x8", "16x16", "32x32", "4x4x4"}, .lanes = "all"},
           {"congestion <= 4/3*dimensions*side_max"})},
       .correct = "True and loose: congestion is the mean number of messages on the hottest link, 7 on 64x64, where "
                  "this is 171."},
      {.id = "swing-latency-bandwidth",
       .paper = Paper::swing,
       .place = "section 3.1.2, table 2",
       .statement = "The bandwidth deficiency of latency-optimal Swing, which uses all ports, is D log2 p.",
       .says = {deficiencies({.algorithm = "swing-latency", .tori = {"4x4", "8x8", "4x4x4"}, .lanes = "all"},
                             {"bandwidth*(p-1)/p == dimensions*log2(p)"})},
       .correct = "log2(p)/2 against n/D: D log2 p is for one port.",
       .corrected = {deficiencies({.algorithm = "swing-latency", .tori = {"4x4", "8x8", "4x4x4"}, .lanes = "all"},
                                  {"bandwidth*(p-1)/p == log2(p)/2"})}},
      {.id = "swing-mirrored-recursive-doubling",
       .paper = Paper::swing,
       .place = "sections 4.1 and 5.1",
       .statement = "Recursive doubling on all ports, by the same mirroring, is slower than Swing.",
       .says = {search("tori 8x8, 16x16, 32x32, 8x8x8", worse_than_swing)}},
      {.id = "swing-figure-6",
       .paper = Paper::swing,
       .place = "section 4.2, figure 6",
       .statement = "On 2x4 all four lanes send along the longer dimension in the third step.",
       .says = {search("torus 2x4", figure_6)}},
      {.id = "swing-rectangles",
       .paper = Paper::swing,
       .place = "section 4.2",
       .statement = "Swing is right on tori whose sides differ.",
       .says = {schedules({.algorithm = "swing", .tori = {"2x4", "4x8", "2x16", "4x16", "2x4x8"}, .lanes = "all"},
                          {"exactly-once"})},
       .theorems = {"step-sequences", "covering-peers", "time-reversal", "torus-products"},
       .correct = "Ports lie idle once the shorter sides are done; the paper counts that as congestion."},
      {.id = "swing-between-ring-and-square",
       .paper = Paper::swing,
       .place = "section 4.2",
       .statement =
           "On a rectangle the bandwidth term is between those of the ring and of the square torus of as many ranks.",
       .says = {search("tori 2x8, 4x16, 2x32, 8x32", between_ring_and_square)}},
      {.id = "swing-equation-3",
       .paper = Paper::swing,
       .place = "equation (3)",
       .statement = "On a rectangle the steps along the longest side alone add log2(dmax/dmin)/(6 dmin^(D-1)) to the "
                    "congestion deficiency.",
       .says = {search("tori 2x4, 4x8, 4x16, 2x2x4, 4x4x8", [] { return equation_3(0); })},
       .correct = "About 2D times that; on 2x4 exactly 1/4 where (3) gives 1/12.",
       .corrected = {search("tori 2x4, 4x8, 4x16, 2x2x4, 4x4x8, to within a third", [] { return equation_3(2); })}},
  };
}

std::vector<Claim> claims_of_sections_5_and_6() {
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
       .kind = Kind::wording},
      {.id = "swing-peak-81",
       .paper = Paper::swing,
       .place = "section 5.1",
       .statement = "A congestion deficiency of 1.19 lets Swing reach at most 81 % of peak.",
       .says = {numbers({{"percent", "81", "81"}}, "percent*119 <= 10000 && (percent + 1)*119 > 10000")},
       .correct = "84 %: 1/1.19.",
       .corrected = {numbers({{"percent", "84", "84"}}, "percent*119 <= 10000 && (percent + 1)*119 > 10000")},
       .kind = Kind::wording},
      {.id = "swing-figure-11-shapes",
       .paper = Paper::swing,
       .place = "figure 11",
       .statement = "The tori of figure 11 are 64x16, 32x8 and 256x4, of 1024 ranks each.",
       .says = {numbers({{"p", "1024", "1024"}}, "64*16 == p && 32*8 == p && 256*4 == p")},
       .correct = "The text's 128x8 has 1024.",
       .corrected = {numbers({{"p", "1024", "1024"}}, "64*16 == p && 128*8 == p && 256*4 == p")},
       .kind = Kind::wording},
      {.id = "swing-hx2mesh",
       .paper = Paper::swing,
       .place = "section 5.4.1",
       .statement = "Swing is less congested on HammingMesh with boards of 2x2 than on a torus.",
       .says = {search("64x64, 32x32, 16x16, 8x8", [] { return is_less_congested_on("hx2mesh"); })}},
      {.id = "swing-hx4mesh",
       .paper = Paper::swing,
       .place = "section 5.4.1",
       .statement = "With boards of 4x4 it is between the two.",
       .says = {search("64x64, 32x32, 16x16, 8x8", [] { return is_less_congested_on("hx4mesh"); })},
       .correct = "A little more congested than on a torus, in the model of docs/networks.md: a board is a mesh, whose "
                  "inner ranks reach other boards through the outer ones only.",
       .corrected = {search("64x64, 32x32, 16x16, 8x8: less than 5 % more",
                            [] { return is_less_congested_on("hx4mesh", Rational(105, 100)); })}},
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

std::vector<Claim> claims_of_the_appendix() {
  const std::vector<Variable> ranks_and_steps{{"p", "2", "40"}, {"r", "0", "p-1"}, {"s", "0", "log2(p-1)+1"}};
  return {
      {.id = "swing-hops",
       .paper = Paper::swing,
       .place = "table 1, appendix A",
       .statement = "Ranks that exchange at step s are delta(s) hops apart.",
       .says = {numbers({{"p", "2", "1024"}, {"s", "0", "log2(p-1)"}}, "min(delta(s), p - delta(s)) == delta(s)",
                        "even(p) && p > 2")},
       .correct = "min(delta(s), p - delta(s)) hops; the other way around the ring may be shorter where p isn't a "
                  "power of two.",
       .corrected = {numbers({{"a", "1", "40"}, {"s", "0", "a-1"}}, "min(delta(s), pow2(a) - delta(s)) == delta(s)")}},
      {.id = "swing-lemma-a1",
       .paper = Paper::swing,
       .place = "lemma A.1",
       .statement = "rho(s) is odd.",
       .says = {numbers({{"s", "0", "58"}}, "odd(rho(s))")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.1"},
      {.id = "swing-lemma-a2",
       .paper = Paper::swing,
       .place = "lemma A.2",
       .statement = "For even p even ranks exchange with odd ones, and odd ones with even ones.",
       .says = {numbers(ranks_and_steps, fmt::format("even(r) != even({})", peer_of_r), "even(p)")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.2"},
      {.id = "swing-lemma-a3",
       .paper = Paper::swing,
       .place = "lemma A.3",
       .statement = "For even p a rank of the other parity is reached by an odd number of steps, one of the same by an "
                    "even number.",
       .says = {numbers({{"p", "2", "40"}, {"r", "0", "p-1"}, {"s", "0", "5"}, {"t", "s+1", "6"}},
                        "even(r) == even((even(r) ? r + rho(s) - rho(t) : r - rho(s) + rho(t)) mod p)", "even(p)")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.3"},
      {.id = "swing-lemma-a4",
       .paper = Paper::swing,
       .place = "lemma A.4",
       .statement = "A sum of distinct powers of -2 below (-2)^a lies strictly between -2^a and 2^a.",
       // Which powers are in the sum are the digits of `bits`; 43690 has ones at the odd places, whose powers are
       // negative.
       .says = {numbers({{"a", "1", "16"}, {"bits", "0", "pow2(a)-1"}}, "abs((bits xor 43690) - 43690) < pow2(a)")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.4"},
      {.id = "swing-theorem-a5",
       .paper = Paper::swing,
       .place = "theorem A.5",
       .statement = "For p = 2^a each rank reaches all others in log2 p steps.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^10", .collective = "reduce-scatter"},
                          {"exactly-once"})},
       .theorems = {"step-sequences"}},
      {.id = "swing-footnote-2",
       .paper = Paper::swing,
       .place = "footnote 2",
       .statement = "For odd a, 2^a = (-2)^(a+1) + (-2)^a.",
       .says = {numbers({{"a", "1", "59"}}, "pow2(a) == pow2(a+1) - pow2(a)", "odd(a)")}},
      {.id = "swing-a2-remaining",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement = "With p' the largest power of two below p, a rank has reached p'-1 others before the last step, "
                    "and p - p' - 1 remain.",
       .says = {search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power - 1; }); })},
       .correct = "p - p' remain.",
       .corrected = {search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power; }); })},
       .kind = Kind::wording},
      {.id = "swing-a2-injective",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement = "Ranks r and g send to the same rank at step s if and only if g = s.",
       .says = {numbers({{"p", "2", "20"}, {"r", "0", "p-1"}, {"g", "0", "p-1"}, {"s", "0", "log2(p-1)"}},
                        fmt::format("({} == (even(g) ? g + rho(s) : g - rho(s)) mod p) == (g == s)", peer_of_r),
                        "even(p) && p > 2")},
       .correct = "If and only if g = r.",
       .corrected = {numbers({{"p", "2", "40"}, {"r", "0", "p-1"}, {"g", "0", "p-1"}, {"s", "0", "log2(p-1)"}},
                             fmt::format("({} == (even(g) ? g + rho(s) : g - rho(s)) mod p) == (g == r)", peer_of_r),
                             "even(p) && p > 2")},
       .kind = Kind::wording},
      {.id = "swing-a2-reaches-all",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement = "If no two ranks send to the same rank in the last step, every rank has reached every other one.",
       .says = {schedules({.peer = "r xor 1", .ranks = "2,4,6,8", .collective = "reduce-scatter"}, {"exactly-once"})},
       .correct = "That doesn't follow: r xor 1 pairs all ranks at every step and reaches no third. The conclusion "
                  "holds for Swing, by theorem even-cover.",
       .corrected = {schedules(
           {.algorithm = "swing", .ranks = "6,10,12,14,18,20,22,24", .collective = "reduce-scatter"},
           {"exactly-once"})}},
  };
}

}  // namespace

std::vector<Claim> swing_claims() {
  std::vector<Claim> all;
  for (const auto part : {claims_of_section_2, claims_of_section_3, claims_of_section_4, claims_of_sections_5_and_6,
                          claims_of_the_appendix})
    for (Claim& claim : part()) all.push_back(std::move(claim));
  return all;
}

}  // namespace onceover::claims
