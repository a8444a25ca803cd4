// What is rendered, of every view at many sizes: no two texts overlap, nothing leaves the picture, labels fit into what
// they name, heads are short and over no circle, and numbers are written out.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "mutator.h"
#include "network/topology.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"
#include "viz/legible.h"
#include "viz/messages.h"
#include "viz/plot.h"

namespace rendered_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

struct Subject {
  std::string_view algorithm;
  std::vector<Rank> shape;
  bool all_lanes = false;
};

/// Checks the counterexamples of a schedule's mutants, one for each way to change it; returns how many there are.
std::size_t check_counterexamples(const Schedule& schedule, double width) {
  std::size_t drawn = 0;
  Mutator mutator(1);
  const PlainSchedule original = plain(schedule);
  for (std::size_t change = 0; change < schedule_changes().size(); ++change) {
    const auto mutant = mutator.mutant_of(original, change);
    if (!mutant) continue;
    const SchedulePtr wrong = listed(*mutant);
    const Drawing drawing{.draw = [&](const DrawOptions& shown) { return draw(counterexample_view, *wrong, shown); }};
    const auto picture = legible(drawing, {.style = {.width = width}});
    if (!picture) continue;
    CAPTURE(schedule_changes()[change], title_of(schedule.header()), width);
    CHECK(faults_of(*picture) == std::vector<std::string>{});
    ++drawn;
  }
  return drawn;
}

/// Checks all views of a subject; returns how many there are.
std::size_t check_views(const Subject& subject, double width) {
  const Algorithm& row = *find_algorithm(subject.algorithm);
  const Request request{
      .collective = row.collectives.front(), .shape = subject.shape, .all_lanes = subject.all_lanes && row.has_lanes};
  if (refusal(row, request)) return 0;
  const SchedulePtr schedule = row.make(request);
  std::size_t drawn = check_counterexamples(*schedule, width);
  for (const View& view : views())
    for (const bool has_more : {false, true})
      for (const bool transposes : {false, true}) {
        if (view.name == counterexample_view.name) continue;  // there is none
        if (transposes && view.heeds.find("--transpose") == std::string_view::npos) continue;
        DrawOptions options{.counts = has_more, .transposes = transposes, .style = {.width = width}};
        if (view.name == time_view.name && has_more && !transposes) {
          options.network = std::make_shared<const onceover::network::Network>(
              *onceover::network::make_topology({.name = "torus", .shape = schedule->header().sides()}));
          options.clock = {.bytes = 1 << 20};
        } else if (has_more && view.name != steps_view.name && view.name != contention_view.name) {
          continue;
        }
        const Drawing drawing{.draw = [&](const DrawOptions& shown) { return draw(view, *schedule, shown); },
                              .heeds = view.heeds};
        const auto picture = legible(drawing, options);
        if (!picture) continue;
        CAPTURE(view.name, subject.algorithm, subject.shape, subject.all_lanes, width, has_more, transposes);
        CHECK(faults_of(*picture) == std::vector<std::string>{});
        ++drawn;
      }
  return drawn;
}

}  // namespace

TEST_CASE("nothing overlaps or leaves its picture, at many sizes") {
  std::size_t drawn = 0;
  for (const double width : {3.3, 7.0})
    for (const Subject& subject : {Subject{"swing", {2}},
                                   {"swing", {7}},
                                   {"swing", {16}},
                                   {"ring", {8}},
                                   {"ring", {32}},
                                   {"recursive-doubling", {8}},
                                   {"pat", {8}},
                                   {"bruck", {7}},
                                   {"binomial-tree", {16}},
                                   {"swing", {4, 4}},
                                   {"swing", {4, 4}, true},
                                   {"bucket", {3, 3}},
                                   {"bucket", {2, 3, 4}},
                                   {"swing", {8, 8}}})
      drawn += check_views(subject, width);
  CHECK(drawn > 500);
}

TEST_CASE("plots of values of any size, with any number of lines, have nothing over another or outside") {
  const std::vector<std::string> sizes{"32 B",  "256 B", "2 KiB",  "16 KiB", "128 KiB",
                                       "1 MiB", "8 MiB", "64 MiB", "512 MiB"};
  for (const double width : {3.3, 7.0})
    for (const double unit : {1e-7, 1e-3, 1.0, 12.5, 3e4, 7e8, 2e13})
      for (const std::size_t lines : {1, 2, 6, 13})
        for (const bool is_log : {false, true}) {
          Plot plot{.title = "allreduce on torus 64x64", .x_label = "vector size", .y_label = "time, us"};
          plot.style.width = width;
          plot.has_log_x = true;
          plot.has_log_y = is_log;
          for (std::size_t k = 0; k < sizes.size(); ++k)
            plot.x.push_back(std::pow(2.0, 5 + 3 * static_cast<double>(k)));
          if (lines != 2) plot.x_names = sizes;
          for (std::size_t n = 0; n < lines; ++n) {
            Series series{fmt::format("algorithm {}", n), {}, {3}};
            for (std::size_t k = 0; k < sizes.size(); ++k)
              series.values.push_back(unit * (1 + static_cast<double>(n)) * std::pow(1.0 + static_cast<double>(k), 2));
            plot.series.push_back(std::move(series));
          }
          plot.notes = {{plot.x[2], "one from 2 KiB"}, {plot.x[6], "another from 8 MiB"}};
          CAPTURE(width, unit, lines, is_log);
          CHECK(faults_of(picture_of(std::vector{plot, plot})) == std::vector<std::string>{});
          Plot boxes{.title = "loads", .x_label = "step", .y_label = "blocks", .kind = Plot::Kind::boxes};
          boxes.style.width = width;
          for (std::size_t k = 0; k < 10 * lines; ++k) boxes.x.push_back(static_cast<double>(k));
          boxes.series = {{"loads", std::vector<double>(boxes.x.size(), unit), {}}};
          CHECK(faults_of(picture_of(std::vector{boxes})) == std::vector<std::string>{});
        }
}

TEST_CASE("nothing overlaps or leaves its picture, at more sizes", "[long]") {
  for (const double width : {2.0, 3.3, 5.0, 7.0})
    for (const Algorithm& row : catalogue())
      for (const std::vector<Rank>& shape : std::vector<std::vector<Rank>>{{1},
                                                                           {2},
                                                                           {3},
                                                                           {5},
                                                                           {8},
                                                                           {13},
                                                                           {16},
                                                                           {24},
                                                                           {32},
                                                                           {64},
                                                                           {2, 2},
                                                                           {4, 4},
                                                                           {4, 8},
                                                                           {3, 5},
                                                                           {2, 2, 2},
                                                                           {4, 4, 4}})
        for (const bool all_lanes : {false, true}) check_views({row.name, shape, all_lanes}, width);
}

}  // namespace rendered_test
