// Where translations of ranks leave a block's moves as they are, one rank of each orbit says what all say.
#include "verifier/move_symmetry.h"

#include <catch2/catch.hpp>

#include "agreement.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"

namespace move_symmetry_test {

using namespace onceover::support;

namespace {

constexpr std::string_view by_orbits =
    "every block; of ranks with different sums, one of each orbit of a checked symmetry";

Report by_symmetry(const Schedule& schedule) {
  return verify(schedule, {.threads = 1, .without_symmetry_up_to = 0});
}

/// "" if the report says what that on every rank says, else what differs.
std::string difference(const Schedule& schedule) {
  const Report a = by_symmetry(schedule), b = verify(schedule, {.threads = 1});
  if (a.verdict != b.verdict) return "verdict";
  if (!(a.metrics == b.metrics)) return "metrics";
  for (std::size_t k = 0; k < a.properties.size(); ++k)
    if (a.properties[k].summary != b.properties[k].summary || a.properties[k].violations != b.properties[k].violations)
      return std::string(a.properties[k].id);
  return "";
}

SchedulePtr latency(std::vector<Rank> shape, bool all_lanes = true) {
  return find_algorithm("swing-latency")->make({.shape = std::move(shape), .all_lanes = all_lanes});
}

std::string symmetry_text(const PlainSchedule& schedule) {
  std::string text = "none";
  const SchedulePtr moves = listed(schedule);
  moves->traces({0, 1}, [&](Block, const Trace& trace) {
    if (const auto symmetry = symmetry_of_moves(moves->header(), trace)) text = symmetry->text();
  });
  return text;
}

/// All of `ranks` ranks send their vector at once, to the ranks that are this far away, nearest first.
std::vector<PlainTransfer> to_all(Rank ranks, const std::vector<Rank>& distances) {
  std::vector<PlainTransfer> step;
  for (const Rank distance : distances)
    for (Rank r = 0; r < ranks; ++r) step.push_back({r, (r + distance) % ranks, {0}, Op::reduce});
  return step;
}

}  // namespace

TEST_CASE("move symmetry: translations that whole vectors have") {
  CHECK(symmetry_text(plain(*latency({64}))) == "shifts of ranks by multiples of 2");
  CHECK(symmetry_text(plain(*latency({4, 8}))) == "shifts by multiples of 2x2 on the torus of 4x8");
  CHECK(symmetry_text(plain(*find_algorithm("recursive-doubling")->make({.shape = {8}}))) == "rank r to r xor m");
  CHECK(symmetry_text(plain(*latency({7}))) == "none");
  CHECK(symmetry_text(plain(*find_algorithm("ring")->make({.shape = {8}}))) == "none");
  CHECK(symmetry_text({{.ranks = 6, .blocks = 1}, {to_all(6, {1, 2}), to_all(6, {3})}}) ==
        "shifts of ranks by multiples of 1");
}

TEST_CASE("move symmetry: none if one rank receives another number, order, sender or operation") {
  const PlainSchedule original{{.ranks = 5, .blocks = 1}, {to_all(5, {1, 2})}};
  REQUIRE(symmetry_text(original) == "shifts of ranks by multiples of 1");
  PlainSchedule fewer = original, more = original, other_order = original, other_sender = original, copied = original;
  fewer.steps[0].pop_back();
  CHECK(symmetry_text(fewer) == "none");
  more.steps[0].push_back({0, 1, {0}, Op::reduce});
  CHECK(symmetry_text(more) == "none");
  std::swap(other_order.steps[0][1], other_order.steps[0][5]);  // rank 2 gets rank 0's vector before rank 1's
  CHECK(symmetry_text(other_order) == "none");
  CHECK(difference(*listed(other_order)) == "");
  other_sender.steps[0][1].src = 3;
  CHECK(symmetry_text(other_sender) == "none");
  copied.steps[0][3].op = Op::copy;
  CHECK(symmetry_text(copied) == "none");
}

TEST_CASE("move symmetry: one rank of each orbit says what all ranks say") {
  int used = 0;
  auto compare = [&](const Schedule& schedule) {
    CAPTURE(schedule.header().ranks, schedule.header().shape, schedule.header().lanes);
    used += by_symmetry(schedule).scope == by_orbits ? 1 : 0;
    REQUIRE(difference(schedule) == "");
  };
  for (const bool all_lanes : {false, true}) {
    for (Rank p = 2; p <= 80; ++p) compare(*latency({p}, all_lanes));
    for (const auto& shape : {std::vector<Rank>{8, 8}, {6, 10}, {4, 16}, {4, 4, 4}, {7, 8}, {2, 32}})
      compare(*latency(shape, all_lanes));
  }
  // All get all at once, each in another order.
  for (Rank p = 2; p <= 40; ++p) {
    std::vector<Rank> distances;
    for (Rank d = 1; d < p; ++d) distances.push_back(d);
    compare(*listed({{.ranks = p, .blocks = 1}, {to_all(p, distances)}}));
  }
  CHECK(used > 40);
}

TEST_CASE("move symmetry: what is wrong on one rank of an orbit is wrong on all") {
  int used = 0;
  for (const auto& shape : {std::vector<Rank>{64}, {8, 8}}) {
    const PlainSchedule original = plain(*latency(shape));
    for (std::size_t step = 0; step < original.steps.size(); ++step)
      for (const bool twice : {false, true}) {
        PlainSchedule wrong = original;
        auto& changed = wrong.steps[step];
        if (twice)
          changed.insert(changed.end(), original.steps[step].begin(), original.steps[step].end());
        else
          changed.clear();
        const SchedulePtr schedule = listed(wrong);
        CAPTURE(shape, step, twice);
        REQUIRE(by_symmetry(*schedule).verdict == Verdict::fail);
        REQUIRE(difference(*schedule) == "");
        used += by_symmetry(*schedule).scope == by_orbits ? 1 : 0;
      }
  }
  CHECK(used > 15);
}

TEST_CASE("move symmetry: mutants of whole vectors' exchanges are judged on every rank") {
  Mutator mutator(11);
  int mutants = 0;
  for (const auto& shape : {std::vector<Rank>{64}, {8, 8}}) {
    const PlainSchedule original = plain(*latency(shape));
    for (std::size_t change = 0; change < schedule_changes().size(); ++change)
      for (int n = 0; n < 4; ++n)
        if (const auto mutant = mutator.mutant_of(original, change)) {
          CAPTURE(schedule_changes()[change]);
          ++mutants;
          REQUIRE(difference(*listed(*mutant)) == "");
        }
  }
  CHECK(mutants > 50);
}

}  // namespace move_symmetry_test
