// Deadlocks of blocking calls, as pictures: they show the very circle that the verifier names, and calls that there
// are.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "mutator.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "verifier/blocking.h"
#include "viz/legible.h"
#include "viz/view.h"

namespace deadlock_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

Drawn<Picture> drawn(const Schedule& schedule, const DrawOptions& options) {
  return legible({.draw = [&](const DrawOptions& shown) { return draw(deadlock_view, schedule, shown); }}, options);
}

std::string words_of(const BlockingCall& call) {
  return fmt::format("{} {}", call.is_send ? "send to" : "receive from", call.peer);
}

bool is_red(const Stroke& stroke, std::string_view dash) {
  return stroke.colour == palette::vermilion && stroke.dash == dash;
}

using NodeBox = onceover::viz::Box;

/// What is in the box, in one line.
std::string words_in(const NodeBox& box) {
  std::string words = box.label;
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

/// What a picture says: the ranks, from top to bottom, and of each the call that is red and the one that is dashed.
struct ReadRow {
  std::string rank, stuck, wanted;
};

std::vector<ReadRow> read(const Picture& picture) {
  std::vector<ReadRow> rows;
  for (const Disc& disc : all_of<Disc>(picture)) {
    if (disc.label.empty()) continue;
    ReadRow row{disc.label, {}, {}};
    for (const NodeBox& box : all_of<NodeBox>(picture)) {
      if (std::abs(box.corner.y + box.height / 2 - disc.centre.y) > 1) continue;
      if (is_red(box.border, "solid")) row.stuck += words_in(box);
      if (is_red(box.border, "dashed")) row.wanted += words_in(box);
    }
    rows.push_back(row);
  }
  return rows;
}

/// The place of the first box of the row at that height whose border has such dashes.
std::pair<double, double> span_of(const Picture& picture, double y, std::string_view dash) {
  for (const NodeBox& box : all_of<NodeBox>(picture))
    if (is_red(box.border, dash) && std::abs(box.corner.y + box.height / 2 - y) < 1)
      return {box.corner.x, box.corner.x + box.width};
  return {-1, -1};
}

/// Each arrow of a wait leaves a box with a call that a rank is in, and comes to one that it waits for: by the labels
/// of the circles beside them.
std::set<std::pair<std::string, std::string>> waits_in(const Picture& picture) {
  const auto rank_at = [&](Point place, std::string_view dash) {
    for (const Disc& disc : all_of<Disc>(picture)) {
      const auto [left, right] = span_of(picture, disc.centre.y, dash);
      if (!disc.label.empty() && std::abs(place.y - disc.centre.y) < 16 && left <= place.x && place.x <= right)
        return disc.label;
    }
    return std::string("none");
  };
  std::set<std::pair<std::string, std::string>> waits;
  for (const DrawnShape& shape : picture.shapes())
    if (const auto* line = std::get_if<Polycurve>(&shape.form);
        line && shape.role == Role::line && is_red(line->stroke, "solid") && line->end)
      waits.emplace(rank_at(line->shaft.front().from, "solid"), rank_at(*line->end, "dashed"));
  return waits;
}

/// Checks a picture that shows all ranks of the circle.
void check_whole(const Schedule& schedule, CallOrder order, const std::vector<StuckCall>& circle) {
  const auto picture = drawn(schedule, {.fold = Fold::never, .calls = {order}, .style = {.width = 4, .height = 20}});
  REQUIRE(picture);
  CHECK(faults_of(*picture) == std::vector<std::string>{});
  const std::vector<ReadRow> rows = read(*picture);
  REQUIRE(rows.size() == circle.size());
  std::set<std::pair<std::string, std::string>> waits;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const StuckCall &stuck = circle[k], &before = circle[(k + circle.size() - 1) % circle.size()];
    CHECK(rows[k].rank == fmt::format("{}", stuck.rank));
    CHECK(rows[k].stuck == words_of(stuck.call));
    CHECK(rows[k].wanted == fmt::format("{} {}", before.call.is_send ? "receive from" : "send to", before.rank));
    waits.emplace(fmt::format("{}", before.rank), fmt::format("{}", stuck.rank));
  }
  CHECK(waits_in(*picture) == waits);
  CHECK(picture->note().find(fmt::format("{} ranks wait for each other", circle.size())) != std::string::npos);
  std::string words;
  for (const Text& text : picture->texts()) words += text.words + "\n";
  CHECK(words.find(fmt::format("step {}, {}", circle.front().call.step, name(order))) != std::string::npos);
}

SchedulePtr catalogued(std::string_view algorithm, std::vector<Rank> shape) {
  const Algorithm& row = *find_algorithm(algorithm);
  const Request request{.collective = row.collectives.front(), .shape = std::move(shape)};
  REQUIRE_FALSE(refusal(row, request));
  return row.make(request);
}

/// Checks all deadlocks of a schedule; returns how many there are.
std::size_t check_all(const Schedule& schedule) {
  std::size_t found = 0;
  for (const CallOrder order : call_orders()) {
    const BlockingRun run = run_blocking(schedule, order);
    CAPTURE(name(order), schedule.header().ranks);
    if (run.circle.empty()) {
      CHECK_FALSE(draw(deadlock_view, schedule, {.calls = {order}}));
      continue;
    }
    for (const StuckCall& stuck : run.circle) CHECK(stuck.call.step == run.circle.front().call.step);
    check_whole(schedule, order, run.circle);
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("a deadlock of blocking calls is drawn as the circle that the verifier names, also of mutants") {
  std::size_t found = 0;
  Mutator mutator(48);
  for (const auto& [algorithm, shape] :
       std::vector<std::pair<std::string_view, std::vector<Rank>>>{{"swing", {5}},
                                                                   {"swing", {8}},
                                                                   {"ring", {2}},
                                                                   {"ring", {7}},
                                                                   {"recursive-doubling", {8}},
                                                                   {"bruck", {7}},
                                                                   {"pat", {8}},
                                                                   {"pairwise", {6}},
                                                                   {"generalized", {5}}}) {
    const SchedulePtr schedule = catalogued(algorithm, shape);
    CAPTURE(algorithm, shape);
    found += check_all(*schedule);
    const PlainSchedule original = plain(*schedule);
    for (std::size_t change = 0; change < schedule_changes().size(); ++change)
      if (const auto mutant = mutator.mutant_of(original, change); mutant && !why_not_run(*listed(*mutant)))
        found += check_all(*listed(*mutant));
  }
  CHECK(found > 100);
}

TEST_CASE("calls beside those that matter are counted, and those that returned stand before them") {
  // Rank 1 gives 0 something, then 2 and 3, and only then takes what 0 sends.
  const SchedulePtr schedule =
      listed({{.collective = Collective::broadcast, .ranks = 4, .blocks = 1},
              {{{1, 3, {0}, Op::copy}, {0, 1, {0}, Op::copy}, {1, 0, {0}, Op::copy}, {1, 2, {0}, Op::copy}}}});
  const auto picture = drawn(*schedule, {.calls = {CallOrder::all_send_first}});
  REQUIRE(picture);
  std::set<std::string> light;
  for (const NodeBox& box : all_of<NodeBox>(*picture))
    if (box.border.colour == palette::grey && !box.label.empty()) light.insert(words_in(box));
  CHECK(light == std::set<std::string>{"send to 3", "send to 2"});
  CHECK(picture->note().find("Other ranks aren't drawn: 2 of 4.") != std::string::npos);
}

TEST_CASE("of calls that send and receive, the halves that wait are named") {
  const SchedulePtr schedule =
      listed({{.collective = Collective::allreduce, .ranks = 3, .blocks = 1},
              {{{0, 1, {0}, Op::reduce}, {2, 1, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}, {1, 0, {0}, Op::reduce}}}});
  check_whole(*schedule, CallOrder::sendrecv, run_blocking(*schedule, CallOrder::sendrecv).circle);
  const auto picture = drawn(*schedule, {.calls = {CallOrder::sendrecv}});
  REQUIRE(picture);
  CHECK(picture->note().find("A call is one send and one receive") != std::string::npos);
}

TEST_CASE("of a long circle the first and last ranks are drawn, and the others counted") {
  const SchedulePtr ring = catalogued("ring", {64});
  const auto picture = drawn(*ring, {});
  REQUIRE(picture);
  CHECK(faults_of(*picture) == std::vector<std::string>{});
  const std::vector<ReadRow> rows = read(*picture);
  REQUIRE(rows.size() == 7);
  CHECK(rows[3].rank == "3");
  CHECK(rows[4].rank == "61");
  CHECK(waits_in(*picture).size() == 6);  // none over the ranks that are left out
  const auto texts = picture->texts();
  CHECK(std::any_of(texts.begin(), texts.end(),
                    [](const Text& text) { return text.words == "57 more ranks, each waiting for the next"; }));
  CHECK_FALSE(drawn(*ring, {.fold = Fold::never}));
}

TEST_CASE("a schedule whose calls all end has no deadlock to draw, and the refusal names the orders") {
  const auto refused = draw(deadlock_view, *catalogued("ring", {4}), {.calls = {CallOrder::sendrecv}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "deadlock: there is none; with sendrecv the calls end");
}

}  // namespace deadlock_view_test
