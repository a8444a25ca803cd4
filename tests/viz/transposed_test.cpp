// Transposed pictures show what the others show, with rows and columns exchanged.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "network/topology.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "viz/legible.h"
#include "viz/messages.h"

namespace transposed_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

struct Case {
  std::string_view algorithm;
  std::vector<Rank> shape;
};

SchedulePtr made(const Case& subject) {
  const Algorithm& row = *find_algorithm(subject.algorithm);
  return row.make({.collective = row.collectives.front(), .shape = subject.shape});
}

Picture drawn(const View& view, const Schedule& schedule, bool transposes, double width = 7) {
  DrawOptions options{.fold = Fold::never, .transposes = transposes, .style = {.width = width, .has_classes = true}};
  auto picture = draw(view, schedule, options);
  if (!picture) FAIL(picture.error().message);
  return *std::move(picture);
}

/// What messages are called, in any order.
std::vector<std::string> messages(const Picture& picture) {
  std::vector<std::string> all;
  for (const DrawnShape& shape : picture.shapes())
    if (shape.role == Role::message) all.push_back(shape.css_class + shape.title);
  std::sort(all.begin(), all.end());
  return all;
}

/// The number of the circle that is nearest to a place.
std::string nearest(const Picture& picture, Point at) {
  double least = 1e9;
  std::string label;
  for (const Disc& disc : all_of<Disc>(picture))
    if (const double away = std::hypot(disc.centre.x - at.x, disc.centre.y - at.y); away < least) {
      least = away;
      label = disc.label;
    }
  return label;
}

}  // namespace

TEST_CASE("transposed, a line of ranks goes down, and the same messages join the same ranks") {
  for (const Case& subject : {Case{"swing", {8}}, {"swing", {16}}, {"ring", {6}}, {"generalized", {7}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const Picture down = drawn(steps_view, *schedule, true), across = drawn(steps_view, *schedule, false);
    CHECK(messages(down) == messages(across));
    const Rank ranks = schedule->header().ranks;
    const auto discs = all_of<Disc>(down);
    REQUIRE(std::ssize(discs) == ranks * schedule->steps());
    for (std::size_t k = 1; k < discs.size(); ++k)
      if (discs[k].label != "0")
        CHECK((discs[k].centre.x == discs[k - 1].centre.x && discs[k].centre.y > discs[k - 1].centre.y));
    for (const DrawnShape& shape : down.shapes()) {
      const auto* line = std::get_if<Polycurve>(&shape.form);
      if (line == nullptr || shape.css_class.empty() || !line->end) continue;
      const std::string to = nearest(down, *line->end);
      CHECK_THAT(shape.css_class, Catch::Contains("-to-" + to + " "));
    }
  }
}

TEST_CASE("transposed, the first side of a torus goes across, the last one down") {
  const SchedulePtr schedule = made({"swing", {2, 8}});
  const Picture picture = drawn(steps_view, *schedule, true);
  CHECK(messages(picture) == messages(drawn(steps_view, *schedule, false)));
  const auto discs = all_of<Disc>(picture);
  CHECK((discs[1].centre.x == discs[0].centre.x && discs[1].centre.y > discs[0].centre.y));
  CHECK((discs[8].centre.y == discs[0].centre.y && discs[8].centre.x > discs[0].centre.x));
  const SchedulePtr slices = made({"swing", {2, 3, 4}});
  CHECK(messages(drawn(steps_view, *slices, true)) == messages(drawn(steps_view, *slices, false)));
}

TEST_CASE("transposed, folded steps have the same ranks, those of a line below each other") {
  const SchedulePtr schedule = made({"swing", {256}});
  DrawOptions options{.thinned = true, .fold = Fold::always, .transposes = true};
  options.style.has_classes = true;
  const Picture down = draw(steps_view, *schedule, options).value();
  options.transposes = false;
  CHECK(messages(down) == messages(draw(steps_view, *schedule, options).value()));
  for (const Disc& disc : all_of<Disc>(down))
    if (disc.label == "0") CHECK(nearest(down, disc.centre + Point{0, 14}) == "1");
}

TEST_CASE("transposed, messages over time begin and end on the lines of their ranks, later steps further right") {
  for (const Case& subject : {Case{"swing", {6}}, {"pat", {8}}, {"binomial-tree", {16}}, {"swing", {16}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const Picture picture = drawn(time_view, *schedule, true);
    CHECK(messages(picture) == messages(drawn(time_view, *schedule, false)));
    std::map<std::string, double> y;
    for (const Disc& disc : all_of<Disc>(picture)) y[disc.label] = disc.centre.y;
    std::map<int, double> begins;
    for (const DrawnShape& shape : picture.shapes()) {
      const auto* line = std::get_if<Polycurve>(&shape.form);
      if (line == nullptr || shape.title.empty()) continue;
      int step = 0, from = 0, to = 0;
      REQUIRE(std::sscanf(shape.title.c_str(), "step %d: %d to %d", &step, &from, &to) == 3);
      CHECK(std::abs(line->shaft.front().from.y - y.at(std::to_string(from))) < 2.5);
      CHECK(std::abs(line->end->y - y.at(std::to_string(to))) < 2.5);
      begins[step] = line->shaft.front().from.x;
    }
    for (const auto& [step, x] : begins)
      if (step > 0) CHECK(x > begins.at(step - 1));
  }
}

TEST_CASE("transposed, a matrix has the ranks across, and each cell has the same number") {
  const SchedulePtr schedule = made({"swing", {8}});
  const auto cells = [&](bool transposes) {
    const Picture picture = drawn(matrix_view, *schedule, transposes);
    std::vector<std::string> labels;
    for (const DrawnShape& shape : picture.shapes())
      if (const auto* box = std::get_if<onceover::viz::Box>(&shape.form); box != nullptr && box->border.width < 0.4)
        labels.push_back(box->label);
    return labels;
  };
  const auto rows = cells(false), columns = cells(true);
  REQUIRE(rows.size() == 7 * 64);
  REQUIRE(columns.size() == rows.size());
  for (std::size_t panel = 0; panel < 7; ++panel)
    for (std::size_t rank = 0; rank < 8; ++rank)
      for (std::size_t block = 0; block < 8; ++block)
        CHECK(rows[64 * panel + 8 * rank + block] == columns[64 * panel + 8 * block + rank]);
  CHECK_THAT(drawn(matrix_view, *schedule, true).note(), Catch::Contains("Blocks are down, ranks across"));
}

TEST_CASE("with times to scale, a picture isn't transposed") {
  const SchedulePtr schedule = made({"swing", {8}});
  DrawOptions options{.transposes = true, .clock = DrawOptions::Clock{.bytes = 1 << 20}};
  options.network = std::make_shared<const onceover::network::Network>(
      *onceover::network::make_topology({.name = "torus", .shape = {8}}));
  const auto picture = draw(time_view, *schedule, options);
  REQUIRE_FALSE(picture);
  CHECK(picture.error().message == "--transpose: with --bytes, time goes down");
}

}  // namespace transposed_test
