// Folded pictures: what is drawn stands for every message of the schedule.

#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "viz/messages.h"

namespace fold_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

using Sent = std::tuple<Rank, Rank, Op, int, Block>;

std::vector<Sent> sent_in(const Schedule& schedule, int step) {
  std::vector<Sent> all;
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  for (const Transfer& t : transfers) all.emplace_back(t.src, t.dst, t.op, t.lane, t.blocks.size());
  std::sort(all.begin(), all.end());
  return all;
}

/// The messages of the panel, each as often as it stands for one.
std::vector<Sent> expanded(const SelectedMessages& drawn, std::size_t number) {
  const StepRange panel = drawn.panels[number];
  const RankClasses& classes = *drawn.classes[number];
  std::vector<Sent> all;
  for (const Message& m : drawn.messages)
    for (Rank rank = 0; m.step == panel.first && rank < classes.ranks(); ++rank)
      if (classes.representative_of(rank) == m.src)
        all.emplace_back(rank, classes.moved(m.dst, m.src, rank), m.op, m.lane, m.size);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Sent> reversed(std::vector<Sent> sent) {
  for (auto& [src, dst, op, lane, size] : sent) {
    std::swap(src, dst);
    op = Op::copy;
  }
  std::sort(sent.begin(), sent.end());
  return sent;
}

/// Every step of the schedule, as the folded picture shows or tells it.
std::vector<std::vector<Sent>> told(const SelectedMessages& drawn) {
  std::vector<std::vector<Sent>> steps;
  for (std::size_t k = 0; k < drawn.panels.size(); ++k)
    steps.insert(steps.end(), static_cast<std::size_t>(drawn.panels[k].size()), expanded(drawn, k));
  if (drawn.backwards)
    for (std::size_t k = steps.size(); k-- > 0;) steps.push_back(reversed(steps[k]));
  return steps;
}

std::vector<std::vector<Sent>> sent_by(const Schedule& schedule) {
  std::vector<std::vector<Sent>> steps;
  for (int step = 0; step < schedule.steps(); ++step) steps.push_back(sent_in(schedule, step));
  return steps;
}

Drawn<SelectedMessages> folded(const Schedule& schedule) {
  DrawOptions options;
  options.fold = Fold::always;
  options.thinned = true;
  return select(schedule, options);
}

}  // namespace

TEST_CASE("a folded picture tells every message: every row, three sizes and tori") {
  int pictures = 0, backwards = 0;
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const std::vector<Rank>& shape : {std::vector<Rank>{6}, {8}, {16}, {4, 6}, {4, 4}})
        for (const bool all_lanes : {false, true}) {
          const Request request{.collective = collective, .shape = shape, .all_lanes = all_lanes};
          if (refusal(row, request)) continue;
          const SchedulePtr schedule = row.make(request);
          INFO(row.name << ", " << name(collective) << ", " << shape_text(shape) << (all_lanes ? ", all lanes" : ""));
          const auto drawn = folded(*schedule);
          if (!drawn) continue;
          ++pictures;
          backwards += drawn->backwards ? 1 : 0;
          CHECK(told(*drawn) == sent_by(*schedule));
        }
  CHECK(pictures > 100);
  CHECK(backwards > 10);
}

TEST_CASE("a rank that errs is drawn in a folded picture, and no step is told as another backwards") {
  PlainSchedule changed = plain(*find_algorithm("swing")->make({.shape = {16}}));
  changed.steps[2].front().blocks.pop_back();
  const SchedulePtr schedule = listed(changed);
  const auto drawn = folded(*schedule);
  REQUIRE(drawn);
  CHECK(drawn->classes[2]->count() == 3);
  CHECK_FALSE(drawn->backwards);
  CHECK(told(*drawn) == sent_by(*schedule));
}

}  // namespace fold_test
