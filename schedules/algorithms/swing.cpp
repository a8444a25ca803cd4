#include <fmt/format.h>

#include <cstdint>

#include "schedules/algorithms/algorithms.h"

namespace onceover {

namespace {

constexpr Rank most_ranks = 1 << 22;

constexpr std::string_view bandwidth_description =
    R"(The peer of rank r at step s is r + rho(s) for even r and r - rho(s) for odd r, mod p, with
rho(s) = 1, -1, 3, -5, 11, .. = (1 - (-2)^(s+1)) / 3: it swings from side to side and stays closer than r xor 2^s.

Even p. Let K(s) be the offsets of the blocks that an even rank is still responsible for before step s:
what it can reach with steps s, s+1, .., itself included. K(L) = {0} after the last of the L = ceil(log2 p) steps, and
K(s) = K(s+1) u (rho(s) - K(s+1)), because the peer is odd and sees everything mirrored. At step s the rank
sends K(s) \ K(s+1). So a block that could go twice goes only at the last step that reaches it, and a rank
never sends its own block. Odd ranks do the mirror image. The allgather is the time reversal.

Odd p. The first p-1 ranks run the algorithm for p-1. Rank p-1 exchanges one block with each of them directly:
at every step with half, rounded up, of the ranks that remain, at the last step with all of them.

The texts of the paper differ from this where they do not work: "not send the same data block twice" (section
3.2) does not say which of the two to leave out, and keeping the first one fails from p = 6; figure 3 marks blocks
that are sent at later steps; (p-1)/2^s blocks per step (section 3.2) are no whole number, and figure 4 has 3, 2, 1.

Steps: L = ceil(log2 p) for even p and ceil(log2(p-1)) for odd p; allreduce: 2L. Each rank sends p-1 blocks
in a reduce-scatter or an allgather, the least possible.
)";

constexpr std::string_view latency_description =
    R"(Swing's peers (see `swing`), but at each step the two partners exchange the whole vector, here one block,
and add it up. After s steps a rank holds the sums of an interval of 2^s ranks, after log2 p steps of all.

Only for powers of two: elsewhere the last interval wraps around onto itself, and at p = 6 already two
contributions are counted twice. Steps: log2 p, each rank sends the whole vector at each.

From p = 8 on the ranks add up in p/4 different orders, so floating-point results differ between ranks.
)";

/// rho(s) = sum of (-2)^i for i = 0 .. s: how far, and to which side, an even rank's peer is. (Swing paper, eq. 2)
std::int64_t rho(int step) {
  std::int64_t sum = 0;
  for (int i = step; i >= 0; --i) sum = 1 - 2 * sum;
  return sum;
}

int ceil_log2(Rank n) {
  int log = 0;
  while ((Rank{1} << log) < n) ++log;
  return log;
}

Rank around(std::int64_t x, Rank n) {
  const auto r = static_cast<Rank>(x % n);
  return r < 0 ? r + n : r;
}

std::vector<Block> negated(std::vector<Block> offsets) {
  for (Block& x : offsets) x = -x;
  return offsets;
}

/// For each step, the offsets K(s) \ K(s+1) of the blocks that an even rank sends; n is even.
std::vector<std::vector<Block>> offsets_by_step(Rank n) {
  const int steps = ceil_log2(n);
  std::vector<std::vector<Block>> sent(static_cast<std::size_t>(steps));
  std::vector<Block> responsible{0};  // K(s+1)
  std::vector<bool> is_responsible(static_cast<std::size_t>(n));
  is_responsible[0] = true;
  for (int s = steps - 1; s >= 0; --s) {
    auto& fresh = sent[static_cast<std::size_t>(s)];
    for (const Block x : responsible) {
      const Rank mirrored = around(rho(s) - x, n);
      if (!is_responsible[static_cast<std::size_t>(mirrored)]) fresh.push_back(mirrored);
    }
    for (const Block x : fresh) is_responsible[static_cast<std::size_t>(x)] = true;
    responsible.insert(responsible.end(), fresh.begin(), fresh.end());
  }
  return sent;
}

/// One step of an exchange between even ranks and their peers: even ranks send `blocks`, odd ranks their mirror image.
void add_exchange(PatternedSchedule::Builder& plan, Rank n, int step, const std::vector<Block>& offsets) {
  const Rank shift = around(rho(step), n);
  plan.add(
      {.indices = Indices::every_second(0, n), .ring = n, .to = Place::by(shift), .blocks = Blocks::relative(offsets)});
  plan.add({.indices = Indices::every_second(1, n),
            .ring = n,
            .to = Place::by(-shift),
            .blocks = Blocks::relative(negated(offsets))});
}

/// Rank `last` and each rank of first .. end-1 send each other the block that the other one owns.
void add_direct_exchange(PatternedSchedule::Builder& plan, Rank last, Rank first, Rank end) {
  const Indices others = Indices::range(first, end);
  plan.add(
      {.indices = others, .ring = last, .from = Place::at(last), .to = Place::by(0), .blocks = Blocks::relative({0})});
  plan.add({.indices = others, .ring = last, .to = Place::at(last), .blocks = Blocks::fixed({last})});
}

PatternedSchedule::Builder reduce_scatter(Rank p) {
  const Rank n = p % 2 == 0 ? p : p - 1;
  const auto sent = n == 0 ? std::vector<std::vector<Block>>{} : offsets_by_step(n);
  PatternedSchedule::Builder plan;
  Rank served = 0;  // of the ranks that the odd one out exchanges a block with
  for (std::size_t s = 0; s < sent.size(); ++s) {
    plan.begin_step();
    add_exchange(plan, n, static_cast<int>(s), sent[s]);
    if (n == p) continue;
    const bool is_last_step = s + 1 == sent.size();
    const Rank now = is_last_step ? n - served : (n - served + 1) / 2;
    add_direct_exchange(plan, n, served, served + now);
    served += now;
  }
  return plan;
}

std::optional<std::string> bandwidth_outside(const Request& request) {
  return refuse_above(swing_algorithm, request, most_ranks);
}

SchedulePtr make_bandwidth(const Request& request) {
  return from_reduce_scatter(swing_algorithm, request, reduce_scatter(request.ranks));
}

bool is_power_of_two(Rank p) {
  return (p & (p - 1)) == 0;
}

std::optional<std::string> latency_outside(const Request& request) {
  if (is_power_of_two(request.ranks)) return refuse_above(swing_latency_algorithm, request, most_ranks);
  return fmt::format(
      "swing-latency is right for powers of two only, and p = {} is none: ranks that exchange whole vectors would "
      "count "
      "some contributions twice; use swing",
      request.ranks);
}

SchedulePtr make_latency(const Request& request) {
  const Rank p = request.ranks;
  PatternedSchedule::Builder plan;
  for (int s = 0; s < ceil_log2(p); ++s) {
    plan.begin_step();
    const Rank shift = around(rho(s), p);
    for (const Rank parity : {0, 1})
      plan.add({.indices = Indices::every_second(parity, p),
                .ring = p,
                .to = Place::by(parity == 0 ? shift : -shift),
                .blocks = Blocks::fixed({0})});
  }
  Header header{.collective = request.collective,
                .ranks = p,
                .blocks = 1,
                .shape = {p},
                .algorithm = std::string(swing_latency_algorithm.name)};
  return std::make_shared<PatternedSchedule>(std::move(header), std::move(plan));
}

constexpr std::array only_allreduce{Collective::allreduce};

}  // namespace

const Algorithm swing_algorithm{
    .name = "swing",
    .summary = "bandwidth-optimal Swing on a ring",
    .source = "Swing paper, sections 3.1.1 and 3.2, appendix A",
    .collectives = reduce_scatter_family(),
    .domain = "any p up to 4194304",
    .steps = "ceil(log2 p), for odd p ceil(log2(p-1)) (allreduce: twice as many)",
    .description = bandwidth_description,
    .outside = bandwidth_outside,
    .make = make_bandwidth,
};

const Algorithm swing_latency_algorithm{
    .name = "swing-latency",
    .summary = "latency-optimal Swing: whole vectors at every step",
    .source = "Swing paper, section 3.1.2",
    .collectives = only_allreduce,
    .domain = "p a power of two up to 4194304",
    .steps = "log2 p",
    .description = latency_description,
    .outside = latency_outside,
    .make = make_latency,
};

}  // namespace onceover
