// The space-time diagram: arrows at the times that `cost` adds up.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <regex>
#include <set>

#include "base/table.h"
#include "count.h"
#include "drawn_text.h"
#include "network/simulation.h"
#include "network/topology.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "viz/view.h"

namespace space_time_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

DrawOptions options_for(const Schedule& schedule, double bytes, bool waits = true) {
  DrawOptions options;
  options.network =
      std::make_shared<const Network>(*make_topology({.name = "torus", .shape = schedule.header().sides()}));
  options.clock = {.bytes = bytes, .waits = waits};
  return options;
}

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape, bool all_lanes = false) {
  return find_algorithm(algorithm)->make({.shape = std::move(shape), .all_lanes = all_lanes});
}

/// How far below the top of the picture each arrow that leads down ends, ascending and each once; of those that end
/// between left and right.
std::vector<double> arrivals(const std::string& dot, double left = 0, double right = 1000) {
  std::set<double> heights;
  const std::regex head(R"(pos="e,([-0-9.]+),(-[0-9.]+) [-0-9.]+,(-[0-9.]+) )");
  for (auto at = std::sregex_iterator(dot.begin(), dot.end(), head); at != std::sregex_iterator(); ++at)
    if (const double x = std::stod((*at)[1]); (*at)[2] != (*at)[3] && left <= x && x < right)
      heights.insert(-std::stod((*at)[2]));
  return {heights.begin(), heights.end()};
}

}  // namespace

TEST_CASE("arrows end where the steps' times add up to") {
  const SchedulePtr swing = made("swing", {8});
  const DrawOptions options = options_for(*swing, 1 << 20);
  const auto ends = arrivals(as_text(draw(time_view, *swing, options)).value());
  const auto model = cost(*swing, *options.network, {}, {});
  REQUIRE(ends.size() == 6);
  const auto kinds = step_kinds(*swing);
  REQUIRE(kinds.size() == 6);
  const double whole = model->time(1 << 20);
  const double per_ns = (ends[5] - ends[0]) / (whole - model->time_of_kind(0, 1 << 20));
  double time = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    time += model->time_of_kind(k, 1 << 20);
    CHECK(ends[k] == Approx(ends[5] - (whole - time) * per_ns).margin(0.03));
  }
}

TEST_CASE("what it takes, and the sizes, are on the picture") {
  const SchedulePtr swing = made("swing", {8});
  const DrawOptions options = options_for(*swing, 1 << 20);
  const std::string dot = as_text(draw(time_view, *swing, options)).value();
  std::string time = time_text(cost(*swing, *options.network, {}, {})->time(1 << 20));
  time.replace(time.find('u'), 1, "\u00b5");
  CHECK(dot.find(time + " for 1 MiB on torus 8, synchronous steps.") != std::string::npos);
  for (const std::string size : {"512 KiB", "256 KiB", "128 KiB"}) CHECK(count(dot, "\"" + size + "\\l\"") == 2);
  CHECK(dot.find("\"step 5\\l\"") != std::string::npos);
}

TEST_CASE("messages of several sizes have them on their arrows, all of a step or none") {
  const PlainSchedule unequal{.header = {.collective = Collective::allgather, .ranks = 4, .blocks = 4},
                              .steps = {{{0, 1, {0}, Op::copy}, {2, 3, {0, 1, 2}, Op::copy}}}};
  const SchedulePtr schedule = listed(unequal);
  const std::string dot = as_text(draw(time_view, *schedule, options_for(*schedule, 4 << 10))).value();
  CHECK(count(dot, "label=\"1 KiB\"") == 1);
  CHECK(count(dot, "label=\"3 KiB\"") == 1);
  CHECK(dot.find("Messages have") == std::string::npos);
  const SchedulePtr crowded = made("pairwise", {8});
  const std::string full = as_text(draw(time_view, *crowded, options_for(*crowded, 1 << 20, false))).value();
  const std::size_t labels = count(full, "label=\"16 KiB\"") + count(full, "label=\"128 KiB\"");
  CHECK(labels % 8 == 0);
}

TEST_CASE("without waiting, messages end at several times in a step") {
  const SchedulePtr swing = made("swing", {7});
  const auto waiting = arrivals(as_text(draw(time_view, *swing, options_for(*swing, 1 << 16))).value());
  const auto free = arrivals(as_text(draw(time_view, *swing, options_for(*swing, 1 << 16, false))).value());
  CHECK(free.size() > waiting.size());
}

TEST_CASE("some steps have their own part of the time axis") {
  const SchedulePtr ring = made("ring", {4});
  DrawOptions options = options_for(*ring, 1 << 20);
  options.steps = {3, 4};
  const std::string dot = as_text(draw(time_view, *ring, options)).value();
  CHECK(arrivals(dot).size() == 2);
  CHECK(dot.find("label=\"0\" fontsize=\"6") == std::string::npos);  // the axis begins later
  options.ranks = {2};
  CHECK(arrivals(as_text(draw(time_view, *ring, options)).value()).size() == 2);
}

TEST_CASE("too much at once is refused, with a reason") {
  const SchedulePtr ring = made("ring", {64});
  DrawOptions options = options_for(*ring, 1 << 20);
  options.style.width = 7;
  const auto long_one = as_text(draw(time_view, *ring, options));
  REQUIRE_FALSE(long_one);
  CHECK(long_one.error().kind == DrawError::Kind::too_large);
  CHECK_THAT(long_one.error().message, Catch::StartsWith("126 steps are more than the "));
  const SchedulePtr full = made("swing", {4, 16}, true);
  options = options_for(*full, 1 << 20);
  CHECK(as_text(draw(time_view, *full, options)).error().message ==
        "a step has 256 messages, more than the 158 that can be told apart in 3.3 in");
  const SchedulePtr nothing = listed(PlainSchedule{.header = {.ranks = 1, .blocks = 1}, .steps = {}});
  CHECK(as_text(draw(time_view, *nothing, options_for(*nothing, 1))).error().message ==
        "nothing is sent, so there is nothing to draw over time");
}

TEST_CASE("beside another schedule both have the same scale") {
  const SchedulePtr swing = made("swing", {8});
  const SchedulePtr ring = made("ring", {8});
  DrawOptions options = options_for(*swing, 1 << 20);
  options.style.width = 7;
  options.beside = ring;
  const std::string both = as_text(draw(time_view, *swing, options)).value();
  options.beside = nullptr;
  const auto per_ns = [&](const std::vector<double>& ends, const Schedule& schedule, std::size_t first) {
    const auto model = cost(schedule, *options.network, {}, {});
    const double rest = model->time(1 << 20) - model->time_of_kind(0, 1 << 20);
    return (ends.back() - ends[first]) / rest;
  };
  // The arrows of the left column end left of the middle.
  const auto left = arrivals(both, 0, 252), right = arrivals(both, 252, 504);
  REQUIRE(left.size() == 6);
  REQUIRE(right.size() == 14);
  CHECK(per_ns(left, *swing, 0) == Approx(per_ns(right, *ring, 0)).epsilon(0.001));
  const double times =
      cost(*ring, *options.network, {}, {})->time(1 << 20) / cost(*swing, *options.network, {}, {})->time(1 << 20);
  CHECK(both.find(fmt::format("The {} one takes {} times as long for 1 MiB on torus 8", times > 1 ? "right" : "left",
                              number_text(std::max(times, 1 / times)))) != std::string::npos);
  options.beside = swing;
  CHECK(as_text(draw(time_view, *swing, options)).value().find("Both take as long") != std::string::npos);
}

TEST_CASE("steps that the other schedule doesn't have are not compared") {
  const SchedulePtr swing = made("swing", {8});
  const SchedulePtr ring = made("ring", {8});
  DrawOptions options = options_for(*ring, 1 << 20);
  options.beside = swing;
  options.steps = {7, 8};
  CHECK(as_text(draw(time_view, *ring, options)).error().message ==
        "--steps: what --beside names has 6 steps, so none is beside step 7");
  options.steps = {5, 8};
  CHECK(as_text(draw(time_view, *ring, options)));
}

}  // namespace space_time_test
