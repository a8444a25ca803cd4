// The contention view: every link once, those that carry most darkest.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "count.h"
#include "drawn_text.h"
#include "network/contention.h"
#include "networks.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "viz/load_scale.h"
#include "viz/view.h"

namespace contention_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

DrawOptions on(const std::string& topology, const std::vector<Rank>& shape) {
  DrawOptions options;
  options.network = std::make_shared<const Network>(network_of(topology, shape));
  return options;
}

SchedulePtr swing(const std::vector<Rank>& shape) {
  Request request{.shape = shape};
  request.all_lanes = shape.size() > 1;
  return find_algorithm("swing")->make(request);
}

DrawnText drawn(const Schedule& schedule, const DrawOptions& options) {
  const auto dot = as_text(draw(contention_view, schedule, options));
  if (!dot) FAIL(dot.error().message);
  return *dot;
}

/// The lines of links, without those of the key.
std::size_t link_lines(const std::string& dot) {
  return count(dot, " tooltip=");
}

}  // namespace

TEST_CASE("every link of a torus or mesh is drawn, links around as two stubs") {
  CHECK(link_lines(drawn(*swing({8}), on("torus", {8}))) == 16);
  CHECK(link_lines(drawn(*swing({8}), on("mesh", {8}))) == 14);
  // 4x4: 64 links, 16 of which go around.
  CHECK(link_lines(drawn(*swing({4, 4}), on("torus", {4, 4}))) == 64 + 16);
  CHECK(link_lines(drawn(*swing({4, 4}), on("mesh", {4, 4}))) == 48);
  CHECK(link_lines(drawn(*swing({2, 4}), on("torus", {2, 4}))) == 32 + 8 + 4);
}

TEST_CASE("other networks have a line for each link, too, those with many only for links with load") {
  CHECK(link_lines(drawn(*swing({4, 4}), on("fat-tree:radix=8", {4, 4}))) == 64);
  const DrawOptions hyperx = on("hyperx", {4, 4});
  const auto loads = loads_of(*swing({4, 4}), *hyperx.network, Routing::minimal, 0, swing({4, 4})->steps());
  CHECK(loads->used() < 96);
  CHECK(link_lines(drawn(*swing({4, 4}), hyperx)) == static_cast<std::size_t>(loads->used()));
  CHECK(count(drawn(*swing({4, 4}), hyperx), "Links without load are not drawn.") == 1);
}

TEST_CASE("the darkest lines are the links that carry most") {
  const SchedulePtr schedule = find_algorithm("rabenseifner")->make(on_line(Collective::allreduce, 16));
  DrawOptions options = on("torus", {16});
  options.steps = {2, 2};
  const auto loads = loads_of(*schedule, *options.network, Routing::minimal, 2, 3);
  std::size_t most = 0;
  for (Link l = 0; l < loads->links(); ++l)
    most += loads->load(l) == loads->load(loads->hottest(*options.network)) ? 1 : 0;
  const std::string darkest(LoadScale({1}, "blocks", 3).stroke(1).colour);
  CHECK(count(drawn(*schedule, options), darkest) == most + 1);
  CHECK_THAT(drawn(*schedule, options), Catch::Contains("most: 8 blocks on 3 to 4, 4 to 3, 11 to 12, 12 to 11"));
}

TEST_CASE("two schedules are in one picture, counted in blocks of one size") {
  DrawOptions options = on("torus", {8});
  options.style.width = 7;
  options.beside = find_algorithm("swing-latency")->make(on_line(Collective::allreduce, 8));
  REQUIRE(options.beside->header().blocks == 1);
  const std::string both = drawn(*swing({8}), options);
  CHECK(link_lines(both) == 2 * 16);
  CHECK(count(both, "swing allreduce, p = 8, all steps") == 1);
  CHECK(count(both, "swing-latency allreduce, p = 8, all steps") == 1);
  CHECK(count(both, "A block is 1/8 of the vector.") == 1);
  // What a link carries, by the loads of each alone.
  for (const SchedulePtr& schedule : {swing({8}), options.beside}) {
    const auto loads = loads_of(*schedule, *options.network, Routing::minimal, 0, schedule->steps());
    const auto most = static_cast<double>(loads->load(loads->hottest(*options.network)));
    CHECK(count(both, fmt::format("most: {} blocks", most * 8 / schedule->header().blocks)) == 1);
  }
  // A step that one of them lacks carries nothing.
  options.steps = {3, 3};
  CHECK(count(drawn(*swing({8}), options), "nothing is sent") == 1);
  options.beside = swing({8});
  CHECK(count(drawn(*swing({8}), options), "of the vector") == 0);
}

namespace {

/// Where rank 0 is in each panel.
std::vector<Point> places_of_0(const Picture& picture) {
  std::vector<Point> places;
  for (const DrawnShape& shape : picture.shapes())
    if (const auto* disc = std::get_if<Disc>(&shape.form); disc != nullptr && disc->label == "0")
      places.push_back(disc->centre);
  return places;
}

}  // namespace

TEST_CASE("two schedules are side by side, step by step, and below each other only where the network needs the width") {
  DrawOptions options = on("torus", {4, 4});
  options.beside = find_algorithm("bucket")->make({.shape = {4, 4}});
  options.steps = {0, 1};
  for (const double width : {3.3, 7.0}) {
    options.style.width = width;
    const Picture picture = draw(contention_view, *swing({4, 4}), options).value();
    CHECK(faults_of(picture) == std::vector<std::string>{});
    const auto places = places_of_0(picture);
    REQUIRE(places.size() == 4);
    CHECK((places[0].y == places[1].y && places[1].x - places[0].x > 36 * width - 10));
    CHECK((places[2].x == places[0].x && places[2].y > places[0].y));
    std::vector<std::string> titles;
    for (const DrawnShape& shape : picture.shapes())
      if (shape.role == Role::panel_title) titles.push_back(std::get<Text>(shape.form).words);
    CHECK(titles.front().starts_with("swing"));
  }
  DrawOptions wide = on("torus", {16, 16});
  wide.beside = find_algorithm("bucket")->make({.shape = {16, 16}});
  const auto places = places_of_0(draw(contention_view, *swing({16, 16}), wide).value());
  REQUIRE(places.size() == 2);
  CHECK((places[0].x == places[1].x && places[0].y < places[1].y));
}

TEST_CASE("steps that don't fit on the page below each other are side by side, as --columns asks at most") {
  DrawOptions options = on("torus", {4, 4});
  options.steps = {0, 3};
  const auto across = [&] {
    const Picture picture = draw(contention_view, *swing({4, 4}), options).value();
    CHECK(picture.height() < 72 * 9);
    CHECK(faults_of(picture) == std::vector<std::string>{});
    const auto places = places_of_0(picture);
    return std::count_if(places.begin(), places.end(), [&](Point p) { return p.y == places.front().y; });
  };
  CHECK(across() == 2);
  options.columns = 3;
  CHECK(across() == 3);
  options.columns = 4;  // too narrow
  CHECK(across() == 3);
  options.columns = {};
  options.steps = {0, 1};
  CHECK(across() == 1);
}

TEST_CASE("where links differ, what takes longest is darkest") {
  const std::vector<LinkData> links{{0, 2, 10, 1}, {2, 1, 100, 1}, {1, 2, 100, 1}, {2, 0, 10, 1}};
  DrawOptions options;
  options.network = std::make_shared<const Network>("star", 2, 3, 1, links);
  const SchedulePtr schedule = find_algorithm("ring")->make(on_line(Collective::allreduce, 2));
  CHECK_THAT(drawn(*schedule, options), Catch::Contains("most: 20 blocks at 100 Gb/s on 0 to switch 0, switch 0 to 0"));
}

TEST_CASE("what is too large is refused with what would help") {
  const auto wide = as_text(draw(contention_view, *swing({64, 64}), on("torus", {64, 64})));
  REQUIRE_FALSE(wide);
  CHECK_THAT(wide.error().message, Catch::Contains("needs more width"));
  const auto many = as_text(draw(contention_view, *swing({1024}), on("fat-tree", {1024})));
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().message, Catch::Contains("1024 ranks in a row need more width"));
}

TEST_CASE("the picture has its key") {
  const std::string mesh = drawn(*swing({4, 4}), on("hx2mesh", {4, 4}));
  for (const std::string words : {"board", "switch", "none", "A line out of a board leads to the switch"})
    CHECK(count(mesh, words) > 0);
  CHECK(count(drawn(*swing({4, 4}), on("torus", {4, 4})), "A line out of the grid comes in at its other side") == 1);
  CHECK(count(drawn(*swing({4, 4}), on("mesh", {4, 4})), "A line out of the grid") == 0);
}

namespace {

/// How far a point is from the outside of a line.
double distance(Point at, const Polycurve& line) {
  double least = std::numeric_limits<double>::infinity();
  for (const Curve& curve : line.shaft)
    for (double t = 0; t <= 1; t += 0.01)
      least = std::min(least, std::hypot(curve.at(t).x - at.x, curve.at(t).y - at.y) - line.stroke.width / 2);
  return least;
}

/// The load of the link whose line is nearest to a number, and whether all lines are beside its digits.
std::pair<std::string, bool> link_beside(const Picture& picture, const Text& number) {
  const double wide = text_width(number.words, number.size) / 2 - 0.3, high = 0.3 * number.size;
  double least = std::numeric_limits<double>::infinity();
  std::string title;
  bool is_clear = true;
  for (const DrawnShape& shape : picture.shapes()) {
    const auto* line = std::get_if<Polycurve>(&shape.form);
    if (line == nullptr || shape.role != Role::link) continue;
    for (const double x : {-wide, 0.0, wide})
      for (const double y : {-high, 0.0, high}) is_clear = is_clear && distance(number.at + Point{x, y}, *line) > 0;
    if (const double near = distance(number.at, *line); near < least) {
      least = near;
      title = shape.title;
    }
  }
  return {title.substr(title.find(": ") + 2), is_clear};
}

}  // namespace

TEST_CASE("loads stand beside their links and over nothing, one for each link") {
  struct Drawn {
    std::vector<Rank> shape;
    std::string topology;
    double width;
  };
  for (const auto& [shape, topology, width] : {Drawn{{8}, "torus", 3.3},
                                               {{4, 4}, "torus", 3.3},
                                               {{8, 8}, "torus", 3.3},
                                               {{8, 8}, "torus", 7},
                                               {{3, 5}, "mesh", 3.3},
                                               {{4, 4}, "hx2mesh", 3.3}}) {
    CAPTURE(shape, topology, width);
    DrawOptions options = on(topology, shape);
    options.counts = true;
    options.style.width = width;
    const SchedulePtr schedule = find_algorithm("bucket")->make({.shape = shape});
    const auto loads = loads_of(*schedule, *options.network, Routing::minimal, 0, schedule->steps());
    const Picture picture = draw(contention_view, *schedule, options).value();
    CHECK(faults_of(picture) == std::vector<std::string>{});
    Link numbers = 0;
    for (const DrawnShape& shape : picture.shapes()) {
      const auto* text = std::get_if<Text>(&shape.form);
      if (text == nullptr || shape.role != Role::label) continue;
      const auto [beside, is_clear] = link_beside(picture, *text);
      CHECK(text->words + (text->words == "1" ? " block" : " blocks") == beside);
      CHECK(is_clear);
      ++numbers;
    }
    CHECK(numbers == loads->used());
    CHECK(picture.note().find("has no room") == std::string::npos);
  }
}

TEST_CASE("no number stands on the edge of the picture") {
  DrawOptions options = on("torus", {24});
  options.counts = true;
  options.style.width = 2;
  const SchedulePtr schedule = find_algorithm("generalized")->make({.shape = {24}});
  CHECK(faults_of(draw(contention_view, *schedule, options).value()) == std::vector<std::string>{});
}

TEST_CASE("numbers that have no room are said to be left out, and if most have none, there is no picture") {
  DrawOptions options = on("hyperx", {4, 4});
  options.counts = true;
  const Picture some = draw(contention_view, *swing({4, 4}), options).value();
  CHECK(faults_of(some) == std::vector<std::string>{});
  CHECK_THAT(some.note(), Catch::Contains("Where it has no room, only the shade shows it."));
  const auto none = draw(contention_view, *swing({16, 16}), [] {
    DrawOptions crowded = on("torus", {16, 16});
    crowded.counts = true;
    return crowded;
  }());
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Catch::Contains("of 1024 loads ") && Catch::Contains("have no room"));
}

TEST_CASE("Graphviz renders it, and no words overlap") {
  for (const auto& [topology, shape] : every_topology({4, 4})) {
    CAPTURE(topology);
    const auto svg = drawn(*swing(shape), on(topology, shape)).svg();
    REQUIRE(svg);
    CHECK(faults_of_texts(*svg) == std::vector<std::string>{});
  }
}

TEST_CASE("a link's title is the link and its load, and nothing else has a title") {
  const std::string svg =
      drawn(*find_algorithm("ring")->make(on_line(Collective::allreduce, 3)), on("mesh", {3})).svg().value();
  for (const std::string title : {"0 to 1: 4 blocks", "1 to 2: 4 blocks"})
    CHECK(count(svg, "<title>" + title + "</title>") == 1);
  CHECK(count(svg, "<title>") == 1 + 4);
  CHECK(count(svg, "n0") == 0);
  CHECK(count(svg, "</a>") == 0);
}

}  // namespace contention_view_test
