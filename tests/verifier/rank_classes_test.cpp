#include "verifier/rank_classes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "base/rows.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "sent_messages.h"

namespace rank_classes_test {

using namespace onceover::verifier;
using namespace onceover::support;

namespace {

using Sent = SentMessage;

/// What representatives send, moved to each rank of their classes.
std::vector<Sent> expanded(const std::vector<Sent>& sent, const RankClasses& classes) {
  std::vector<Sent> all;
  for (Rank rank = 0; rank < classes.ranks(); ++rank) {
    const Rank one = classes.representative_of(rank);
    for (const auto& [src, dst, op, lane, size] : sent)
      if (src == one) all.emplace_back(rank, classes.moved(dst, one, rank), op, lane, size);
  }
  std::sort(all.begin(), all.end());
  return all;
}

using OfSteps = std::vector<std::shared_ptr<const RankClasses>>;

bool stand_for_all(const Schedule& schedule, const OfSteps& classes) {
  for (int step = 0; step < schedule.steps(); ++step) {
    const auto sent = sent_in(schedule, step);
    if (expanded(sent, *classes[static_cast<std::size_t>(step)]) != sent) return false;
  }
  return true;
}

OfSteps classes_of(const Schedule& schedule, std::size_t most = 8) {
  return RankClasses::of_steps(schedule, 0, schedule.steps(), most);
}

/// The numbers of classes of the steps, each once.
std::set<std::size_t> counts(const OfSteps& steps) {
  std::set<std::size_t> all;
  for (const auto& classes : steps) all.insert(classes->count());
  return all;
}

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape) {
  return find_algorithm(algorithm)->make({.shape = std::move(shape)});
}

}  // namespace

TEST_CASE("what is said of one rank of a class holds for all: every row, three sizes and a torus") {
  int divided = 0;
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const std::vector<Rank>& shape : {std::vector<Rank>{7}, {8}, {12}, {4, 6}, {4, 4}})
        for (const bool all_lanes : {false, true}) {
          const Request request{.collective = collective, .shape = shape, .all_lanes = all_lanes};
          if (refusal(row, request)) continue;
          const SchedulePtr schedule = row.make(request);
          const auto classes = classes_of(*schedule);
          INFO(row.name << ", " << name(collective) << ", " << shape.size() << " sides, " << schedule->header().ranks);
          if (classes.empty()) continue;
          ++divided;
          CHECK(stand_for_all(*schedule, classes));
        }
  CHECK(divided > 100);
}

TEST_CASE("ranks are divided into as few classes as there are ways to send") {
  CHECK(counts(classes_of(*made("ring", {1024}))) == std::set<std::size_t>{1});
  CHECK(counts(classes_of(*made("bucket", {16, 16}))) == std::set<std::size_t>{1});
  CHECK(*counts(classes_of(*made("swing", {6, 10}))).rbegin() == 2);  // half of a side away is the same both ways
  const auto swing = classes_of(*made("swing", {64}));
  CHECK(counts(swing) == std::set<std::size_t>{2});
  CHECK(swing.front()->representatives() == std::vector<Rank>{0, 1});
  CHECK(swing.front()->size_of(0) == 32);
  CHECK(swing.front()->representative_of(63) == 1);
  CHECK_FALSE(swing.front()->is_by_xor());
  const auto doubling = classes_of(*made("recursive-doubling", {64}));
  CHECK(counts(doubling) == std::set<std::size_t>{1});
  CHECK(doubling.front()->is_by_xor());
  CHECK(doubling.front()->moved(5, 1, 2) == 6);
}

TEST_CASE("ranks that send nothing are a class") {
  const auto tree = find_algorithm("binomial-tree")->make({.collective = Collective::broadcast, .shape = {64}});
  const auto classes = classes_of(*tree);
  CHECK(counts(classes) == std::set<std::size_t>{2});
  CHECK(classes.front()->size_of(0) == 1);
  CHECK(classes_of(*tree, 1).empty());
}

TEST_CASE("a rank that errs is a class of its own, in its step") {
  PlainSchedule changed = plain(*made("ring", {16}));
  auto& step = changed.steps[3];
  const auto at = std::find_if(step.begin(), step.end(), [](const PlainTransfer& t) { return t.src == 11; });
  SECTION("it sends to another") {
    at->dst = 4;
  }
  SECTION("it sends nothing") {
    step.erase(at);
  }
  SECTION("it sends with the other operation") {
    at->op = at->op == Op::reduce ? Op::copy : Op::reduce;
  }
  const auto classes = classes_of(*listed(changed));
  REQUIRE(!classes.empty());
  CHECK(classes[3]->representatives() == std::vector<Rank>{0, 11});
  CHECK(classes[3]->size_of(11) == 1);
  CHECK(classes[4]->count() == 1);
  CHECK_FALSE(*classes[3] == *classes[4]);
  CHECK(stand_for_all(*listed(changed), classes));
}

TEST_CASE("steps with the same messages share their classes") {
  const auto ring = classes_of(*made("ring", {16}));
  CHECK(ring[0] == ring[1]);
  CHECK(ring.front() != ring.back());
}

}  // namespace rank_classes_test
