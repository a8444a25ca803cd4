#include "schedules/catalogue.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/patterned_schedule.h"

using namespace onceover;

namespace {

/// Calls visit(row, collective, p, schedule) for all rows and their collectives and all p of the domain in a range.
template <class Visit>
void for_each_schedule(Rank first, Rank last, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = first; p <= last; ++p) {
        const Request request{collective, p};
        if (refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        visit(row, request, row.make(request));
      }
}

struct FlatTrace {
  std::vector<std::tuple<int, Op, Rank, Rank>> hops;
  friend bool operator==(const FlatTrace&, const FlatTrace&) = default;
};

FlatTrace flatten(const Trace& trace) {
  FlatTrace flat;
  std::size_t hop = 0;
  for (const auto& leg : trace.legs())
    for (; hop < leg.end; ++hop) flat.hops.emplace_back(leg.step, leg.op, trace.hops()[hop].src, trace.hops()[hop].dst);
  // Within a step only the order of the hops into one rank matters.
  std::stable_sort(flat.hops.begin(), flat.hops.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::get<0>(a), std::get<3>(a)) < std::tuple(std::get<0>(b), std::get<3>(b));
  });
  return flat;
}

}  // namespace

TEST_CASE("every algorithm passes for every p from 1 to 64, and both engines agree") {
  for_each_schedule(1, 64, [](const Algorithm&, const Request&, const SchedulePtr& schedule) {
    REQUIRE(disagreement(*schedule) == "");
    REQUIRE(verify(*schedule).verdict == Verdict::pass);
  });
}

TEST_CASE("the block's view of a patterned schedule is its ranks' view, sorted by block") {
  for_each_schedule(1, 64, [](const Algorithm&, const Request&, const SchedulePtr& schedule) {
    const BlockRange all{0, schedule->header().blocks};
    std::map<Block, FlatTrace> by_pattern;
    schedule->traces(all, [&](Block b, const Trace& trace) { by_pattern[b] = flatten(trace); });
    std::map<Block, FlatTrace> by_transfers;
    schedule->Schedule::traces(all, [&](Block b, const Trace& trace) { by_transfers[b] = flatten(trace); });
    REQUIRE(by_pattern == by_transfers);
  });
}

TEST_CASE("a schedule written down as a list is the same schedule") {
  for_each_schedule(1, 24, [](const Algorithm&, const Request&, const SchedulePtr& schedule) {
    const SchedulePtr copy = listed(plain(*schedule));
    REQUIRE(copy->block_transfers() == schedule->block_transfers());
    REQUIRE(verify(*copy).metrics == verify(*schedule).metrics);
  });
}

TEST_CASE("an allgather is the time reversal of the reduce-scatter") {
  for (const char* algorithm : {"swing", "ring"})
    for (Rank p = 2; p <= 33; ++p) {
      const Algorithm& row = *find_algorithm(algorithm);
      const PlainSchedule forward = plain(*row.make({Collective::reduce_scatter, p}));
      const PlainSchedule backward = plain(*row.make({Collective::allgather, p}));
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
    REQUIRE(refusal(row, {Collective::alltoall, 4}) ==
            std::string(row.name) + " has no alltoall; it has " + collective_list(row));
    REQUIRE(refusal(row, {row.collectives.front(), max_ranks}));
  }
  REQUIRE(find_algorithm("no-such") == nullptr);
}

TEST_CASE("swing-latency explains why it refuses p = 6") {
  REQUIRE(refusal(*find_algorithm("swing-latency"), {Collective::allreduce, 6}) ==
          "swing-latency is right for powers of two only, and p = 6 is none: ranks that exchange whole vectors would "
          "count some contributions twice; use swing");
}
