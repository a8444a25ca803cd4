#include "schedules/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/formula.h"
#include "schedules/patterned_schedule.h"

namespace catalogue_test {

using namespace onceover::support;

namespace {

/// Calls visit(row, request, schedule) for all rows and their collectives and all p of the domain in a range.
template <class Visit>
void for_each_schedule(bool as_printed, Rank first, Rank last, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = first; p <= last; ++p) {
        const Request request = on_line(collective, p);
        if (row.as_printed != as_printed || refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        visit(row, request, row.make(request));
      }
}

struct FlatTrace {
  std::vector<std::tuple<int, Op, Rank, Rank>> moves;
  friend bool operator==(const FlatTrace&, const FlatTrace&) = default;
};

FlatTrace flatten(const Trace& trace) {
  FlatTrace flat;
  trace.for_each_move(
      [&](int step, Op op, BlockTransfer move) { flat.moves.emplace_back(step, op, move.src, move.dst); });
  // Within a step only the order of the moves into one rank matters.
  std::stable_sort(flat.moves.begin(), flat.moves.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::get<0>(a), std::get<3>(a)) < std::tuple(std::get<0>(b), std::get<3>(b));
  });
  return flat;
}

/// Figure 3 only sends too much at powers of two; everything else fails.
bool is_wrong(const Algorithm& row, const Request& request, const Schedule& schedule) {
  const Report report = verify(schedule);
  const auto p = static_cast<std::uint64_t>(request.ranks());
  if (row.name == "swing-figure-3" && (p & (p - 1)) == 0)
    return report.verdict == Verdict::pass && report.metrics.block_transfers > p * (p - 1);
  return report.verdict == Verdict::fail;
}

}  // namespace

namespace {

void require_right(Rank first, Rank last) {
  for_each_schedule(false, first, last, [](const Algorithm&, const Request&, const SchedulePtr& schedule) {
    // An alltoall has p^2 blocks.
    if (schedule->header().blocks <= 20 * 20) REQUIRE(disagreement(*schedule) == "");
    REQUIRE(verify(*schedule).verdict == Verdict::pass);
  });
}

}  // namespace

TEST_CASE("every algorithm passes for every p from 1 to 24 and some to 64, and both engines agree") {
  require_right(1, 24);
  require_right(31, 33);
  require_right(63, 64);
}

TEST_CASE("every algorithm passes for every p from 1 to 64, and both engines agree", "[long]") {
  require_right(1, 64);
}

TEST_CASE("both engines agree on alltoalls to 64 ranks", "[long]") {
  for_each_schedule(false, 21, 64, [](const Algorithm&, const Request& request, const SchedulePtr& schedule) {
    if (request.collective == Collective::alltoall) REQUIRE(disagreement(*schedule) == "");
  });
}

TEST_CASE("what is wrong as printed fails wherever it is offered, to 24 ranks, and both engines agree") {
  std::set<std::string_view> seen;
  for_each_schedule(true, 1, 24, [&](const Algorithm& row, const Request& request, const SchedulePtr& schedule) {
    REQUIRE(disagreement(*schedule) == "");
    REQUIRE(is_wrong(row, request, *schedule));
    seen.insert(row.name);
  });
  REQUIRE(seen.size() == 9);
}

namespace {

void require_wrong(Rank first, Rank last) {
  for_each_schedule(true, first, last, [](const Algorithm& row, const Request& request, const SchedulePtr& schedule) {
    REQUIRE(is_wrong(row, request, *schedule));
  });
}

}  // namespace

TEST_CASE("what is wrong as printed fails wherever it is offered, to 60 ranks", "[long]") {
  require_wrong(25, 60);
}

TEST_CASE("what is wrong as printed fails wherever it is offered, to 96 ranks and around 256", "[long]") {
  require_wrong(61, 96);
  require_wrong(254, 256);
}

TEST_CASE("what is wrong as printed fails on tori and lanes, and in every reading") {
  int tried = 0;
  auto require_wrong = [&](std::string_view name, const Request& request) {
    const Algorithm& row = *find_algorithm(name);
    CAPTURE(name, request.shape, request.settings, request.all_lanes);
    if (refusal(row, request)) return;
    const SchedulePtr schedule = row.make(request);
    REQUIRE(disagreement(*schedule) == "");
    REQUIRE(verify(*schedule).verdict == Verdict::fail);
    ++tried;
  };
  for (const std::vector<Rank>& shape :
       std::vector<std::vector<Rank>>{{2, 4}, {4, 2}, {4, 4}, {2, 6}, {3, 4}, {2, 2, 4}})
    for (const bool all_lanes : {false, true})
      for (const char* name : {"swing-delta", "bucket-as-printed"})
        require_wrong(name, {.shape = shape, .all_lanes = all_lanes});
  for (Rank p = 2; p <= 33; ++p) {
    for (const char* equation : {"31", "40"})
      require_wrong("generalized-as-printed", {.shape = {p}, .settings = {{"equation", equation}}});
    for (const char* rounding : {"down", "up"})
      for (const char* first : {"0", "1"})
        require_wrong("swing-odd-blocks", {.shape = {p}, .settings = {{"rounding", rounding}, {"first-step", first}}});
  }
  // bucket 12, delta 10 (3x4 has an odd side), equations 32 and 4, and the last rank's numbers, of which those from 0
  // are right for 3, and those from 1, rounded up, for 7, 13, 15, 25, 29 and 31.
  CHECK(tried == 12 + 10 + 32 + 4 + 15 + 15 + 16 + 10);
}

TEST_CASE("a misprint is shown where it is wrong, and refused elsewhere") {
  auto is_refused = [](std::string_view name, Request request) {
    return refusal(*find_algorithm(name), request).has_value();
  };
  using Settings = std::map<std::string, std::string, std::less<>>;
  const Settings from_1{{"first-step", "1"}};
  const Settings up{{"first-step", "1"}, {"rounding", "up"}};
  CHECK(is_refused("swing-odd-blocks", {.shape = {3}}));
  CHECK_FALSE(is_refused("swing-odd-blocks", {.shape = {5}}));
  CHECK_FALSE(is_refused("swing-odd-blocks", {.shape = {3}, .settings = from_1}));
  CHECK(is_refused("swing-odd-blocks", {.shape = {7}, .settings = up}));
  CHECK_FALSE(is_refused("swing-odd-blocks", {.shape = {11}, .settings = up}));
  CHECK(is_refused("swing-delta", {.shape = {2, 2}}));
  CHECK(is_refused("swing-delta", {.shape = {2, 5}}));
  CHECK(is_refused("bucket-as-printed", {.shape = {4, 1}}));
  CHECK(refusal(*find_algorithm("generalized-as-printed"),
                {.collective = Collective::reduce_scatter, .shape = {8}, .settings = {{"equation", "40"}}}) ==
        "generalized-as-printed shows the text for an allreduce with p = 4, 8, .., 1024, not for p = 8, where it is "
        "right "
        "or silent");
}

TEST_CASE("the busiest rank sends what the row's formula says, to 64 ranks") {
  constexpr std::array<std::string_view, 3> names{"p", "size", "q"};
  for_each_schedule(false, 2, 64, [&](const Algorithm& row, const Request& request, const SchedulePtr& schedule) {
    const auto volume = std::ranges::find(row.volumes, request.collective, &Volume::collective);
    REQUIRE(volume != row.volumes.end());
    const std::int64_t p = request.ranks();
    const std::int64_t blocks = schedule->header().blocks;
    const std::int64_t size = request.collective == Collective::alltoall ? blocks / p : blocks;
    const std::array<std::int64_t, 3> values{p, size,
                                             static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(p)))};
    const auto formula = Formula::parse("bytes", volume->formula, names);
    REQUIRE(formula);
    const auto sent = static_cast<std::int64_t>(verify(*schedule).metrics.blocks_sent_max);
    if (volume->is_exact)
      CHECK(sent == *formula->evaluate(values));
    else
      CHECK(sent <= *formula->evaluate(values));
  });
}

TEST_CASE("the block's view of a patterned schedule is its ranks' view, sorted by block") {
  for_each_schedule(false, 1, 64, [](const Algorithm&, const Request&, const SchedulePtr& schedule) {
    const BlockRange all{0, schedule->header().blocks};
    std::map<Block, FlatTrace> by_pattern;
    schedule->traces(all, [&](Block b, const Trace& trace) { by_pattern[b] = flatten(trace); });
    std::map<Block, FlatTrace> by_transfers;
    schedule->Schedule::traces(all, [&](Block b, const Trace& trace) { by_transfers[b] = flatten(trace); });
    REQUIRE(by_pattern == by_transfers);
  });
}

TEST_CASE("a schedule written down as a list is the same schedule") {
  for_each_schedule(false, 1, 24, [](const Algorithm&, const Request&, const SchedulePtr& schedule) {
    const SchedulePtr copy = listed(plain(*schedule));
    REQUIRE(copy->block_transfers() == schedule->block_transfers());
    REQUIRE(verify(*copy).metrics == verify(*schedule).metrics);
  });
}

TEST_CASE("an allgather is the time reversal of the reduce-scatter") {
  for (const char* algorithm : {"swing", "ring"})
    for (Rank p = 2; p <= 33; ++p) {
      const Algorithm& row = *find_algorithm(algorithm);
      const PlainSchedule forward = plain(*row.make(on_line(Collective::reduce_scatter, p)));
      const PlainSchedule backward = plain(*row.make(on_line(Collective::allgather, p)));
      REQUIRE(forward.steps.size() == backward.steps.size());
      for (std::size_t s = 0; s < forward.steps.size(); ++s) {
        const auto& a = forward.steps[s];
        const auto& b = backward.steps[backward.steps.size() - 1 - s];
        REQUIRE(a.size() == b.size());
        for (std::size_t k = 0; k < a.size(); ++k) {
          REQUIRE(a[k].src == b[k].dst);
          REQUIRE(a[k].dst == b[k].src);
          REQUIRE(a[k].blocks == b[k].blocks);
          REQUIRE(a[k].op == Op::reduce);
          REQUIRE(b[k].op == Op::copy);
        }
      }
    }
}

TEST_CASE("rows have distinct names, a source, and refuse what they don't offer") {
  std::set<std::string_view> names;
  for (const Algorithm& row : catalogue()) {
    REQUIRE(names.insert(row.name).second);
    REQUIRE_FALSE(row.source.empty());
    REQUIRE_FALSE(row.description.empty());
    REQUIRE(find_algorithm(row.name) == &row);
    for (const Contract& c : contracts)
      if (std::find(row.collectives.begin(), row.collectives.end(), c.collective) == row.collectives.end())
        REQUIRE(refusal(row, on_line(c.collective, 4)) ==
                fmt::format("{} has no {}; it has {}", row.name, c.name, collective_list(row)));
  }
  REQUIRE(find_algorithm("no-such") == nullptr);
}

TEST_CASE("refusals say why") {
  auto why = [](std::string_view name, Request request) {
    return refusal(*find_algorithm(name), request).value_or("");
  };
  CHECK(why("ring", {.shape = {2, 3}}) == "ring is for a line of ranks, not for a torus 2x3");
  CHECK(why("ring", {.shape = {6}, .all_lanes = true}) == "ring uses one port at a time: it has no --lanes all");
  CHECK(why("ring", {.shape = {6}, .root = 3}) == "allreduce has no root, so none can be rank 3");
  CHECK(why("chain", {.collective = Collective::reduce, .shape = {6}, .root = 6}) ==
        "the root is a rank from 0 to 5, not 6");
  CHECK(why("ring", {.shape = {6}, .settings = {{"order", "near"}}}) ==
        "ring: order is together or even-odd, not 'near'");
  CHECK(why("rabenseifner", {.shape = {6}, .settings = {{"ordre", "near"}}}) ==
        "rabenseifner has no parameter 'ordre'; did you mean 'order'?; it has order, remainder, merge");
  CHECK(why("rabenseifner", {.shape = {6}, .settings = {{"order", "nera"}}}) ==
        "rabenseifner: order is near or far, not 'nera'; did you mean 'near'?");
  CHECK(why("rabenseifner", on_line(Collective::allgather, 6)) ==
        "rabenseifner does allgather only for powers of two, and p = 6 is not one; its allreduce takes any p");
  CHECK(why("pat", {.collective = Collective::allgather, .shape = {6}, .settings = {{"aggregation", "3"}}}) ==
        "pat: aggregation is a power of two from 1 to 8 (the full tree of p = 6), not 3");
  CHECK(why("pat", {.collective = Collective::allgather, .shape = {6}, .settings = {{"aggregation", "x"}}}) ==
        "pat: aggregation is a number from 1 to 1048576 or full, not 'x'");
  CHECK(why("mirrored-recursive-doubling",
            {.collective = Collective::allgather, .shape = {4}, .settings = {{"version", "latency"}}}) ==
        "mirrored-recursive-doubling: version=latency is an allreduce; allgather needs version=bandwidth");
  CHECK(
      why("hamiltonian-ring", {.shape = {3, 4}}) ==
      "hamiltonian-ring on r x c needs sides of at least 2, c that divides r, and gcd(r, c-1) = 1, or the same with r "
      "and c changed; 3x4 has neither");
}

}  // namespace catalogue_test
