// The view heat-map: a row for each link, a column for each step, and the hottest cell always to be seen.

#include <catch2/catch.hpp>
#include <regex>

#include "count.h"
#include "drawn_text.h"
#include "network/contention.h"
#include "networks.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "viz/load_scale.h"
#include "viz/view.h"

namespace heat_map_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

DrawnText drawn(const std::string& algorithm, const std::string& topology, const std::vector<Rank>& shape,
                DrawOptions options = {}) {
  options.network = std::make_shared<const Network>(network_of(topology, shape));
  const auto dot = as_text(draw(heat_map_view, *find_algorithm(algorithm)->make({.shape = shape}), options));
  if (!dot) FAIL(dot.error().message);
  return *dot;
}

/// A box of the picture; y grows downward.
struct Box {
  double left, top, right, bottom;
  std::string fill;

  bool has(double x, double y) const { return left < x && x < right && top < y && y < bottom; }
};

/// The boxes above the key, in the order in which they are drawn.
std::vector<Box> boxes_of(const std::string& dot) {
  const std::regex box(
      "pos=\"([0-9.]+),-([0-9.]+)\" shape=\"box\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" .*fillcolor=\"([^\"]+)\"");
  const std::string above = dot.substr(0, dot.find("most: "));
  std::vector<Box> boxes;
  for (std::sregex_iterator at(above.begin(), above.end(), box), end; at != end; ++at) {
    const double x = std::stod((*at)[1]), y = std::stod((*at)[2]), w = 36 * std::stod((*at)[3]),
                 h = 36 * std::stod((*at)[4]);
    boxes.push_back({x - w, y - h, x + w, y + h, (*at)[5]});
  }
  return boxes;
}

/// What is seen at a place: the last box drawn over it. Frames are hollow.
std::string seen_at(const std::vector<Box>& boxes, double x, double y) {
  std::string fill = "#FFFFFF";
  for (const Box& box : boxes)
    if (box.fill != "none" && box.has(x, y)) fill = box.fill;
  return fill;
}

const std::string darkest(LoadScale({1}, "blocks", 3).fill(1));

/// How many of so many cells of a step are seen in the darkest shade.
std::size_t darkest_cells(const std::string& dot, std::size_t links, std::size_t steps) {
  const auto boxes = boxes_of(dot);
  std::size_t frames = 0, found = 0;
  for (const Box& frame : boxes) frames += frame.fill == "none" ? 1 : 0;
  for (const Box& frame : boxes)
    for (std::size_t row = 0; frame.fill == "none" && row < links / frames; ++row)
      for (std::size_t column = 0; column < steps; ++column) {
        const double across = (static_cast<double>(column) + 0.5) / static_cast<double>(steps);
        const double down = (static_cast<double>(row) + 0.5) / static_cast<double>(links / frames);
        found += seen_at(boxes, frame.left + across * (frame.right - frame.left),
                         frame.top + down * (frame.bottom - frame.top)) == darkest
                     ? 1
                     : 0;
      }
  return found;
}

}  // namespace

TEST_CASE("cells of the heat map are as dark as the loads") {
  // In the first 3 of the 6 steps of a ring of 4 each link onward carries one block, in the others each link backward.
  const std::string ring = drawn("ring", "torus", {4});
  CHECK(darkest_cells(ring, 8, 6) == 4 * 3 + 4 * 3);
  CHECK(count(ring, "dimension 0, onward: 4 links") == 1);
  CHECK(count(ring, "dimension 0, backward: 4 links") == 1);
  CHECK(count(ring, "most: 1 block, first in step 0 on 0 to 1") == 1);
}

TEST_CASE("the heat map finds the hottest links of the step") {
  const SchedulePtr schedule = find_algorithm("rabenseifner")->make(on_line(Collective::allreduce, 16));
  const Network ring = network_of("torus", {16});
  const auto loads = loads_of(*schedule, ring, Routing::minimal, 2, 3);
  std::size_t most = 0;
  for (Link l = 0; l < loads->links(); ++l) most += loads->load(l) == loads->load(loads->hottest(ring)) ? 1 : 0;
  DrawOptions options;
  options.steps = {2, 2};
  CHECK(darkest_cells(drawn("rabenseifner", "torus", {16}, options), 32, 1) == most);
}

TEST_CASE("where links share a row, the fullest of them counts") {
  const DrawnText large = drawn("swing", "torus", {32, 32});
  CHECK(count(large, "A cell shows the fullest of") == 1);
  CHECK(count(large, darkest) > 1);  // one is in the key
  DrawOptions wide;
  wide.style.width = 7;
  CHECK(count(drawn("ring", "torus", {256}, wide), "A cell shows the fullest of 4 links in 3 steps") == 1);
}

TEST_CASE("no paper shows between cells that have a load") {
  const auto boxes = boxes_of(drawn("swing", "torus", {16, 16}));
  // A shape that ends where another begins would let it through: a place on that line is inside of neither.
  for (const Box& box : boxes)
    for (const double edge : {box.top, box.bottom}) {
      if (box.fill == "none") continue;
      const double x = box.left + 1, above = edge - 0.01, below = edge + 0.01;
      if (seen_at(boxes, x, above) != "#FFFFFF" && seen_at(boxes, x, below) != "#FFFFFF")
        CHECK(seen_at(boxes, x, edge) != "#FFFFFF");
    }
}

TEST_CASE("loads are told in full, up to six one by one, more between powers of two, and no words overlap") {
  const DrawnText large = drawn("swing", "torus", {64, 64});
  CHECK(count(large, "most: 2048 blocks, first in step 0") == 1);
  for (const std::string words : {"none", "to 64", "to 128", "to 256", "to 512", "to 1024", "to 2048 blocks"})
    CHECK(count(large, "\"" + words + "\\l\"") == 1);
  CHECK(faults_of_texts(*large.svg()) == std::vector<std::string>{});
  const std::string small = drawn("ring", "torus", {4});
  CHECK(count(small, "\"1 block\\l\"") == 1);
  CHECK(count(small, "\"to ") == 0);
}

TEST_CASE("each load has its shade: the same for the same, a darker one for more") {
  const LoadScale exact({3, 1, 0, 1.0 / 3, 1 - 2.0 / 3}, "blocks", 3);
  CHECK(exact.fill(0) == "#FFFFFF");
  CHECK(exact.fill(1.0 / 3) == exact.fill(1 - 2.0 / 3));
  CHECK(exact.fill(1.0 / 3) != exact.fill(1));
  CHECK(exact.fill(3) == darkest);
  const LoadScale powers({1, 2, 3, 4, 5, 6, 7}, "blocks", 3);
  CHECK(powers.fill(5) == darkest);
  CHECK(powers.fill(3) == powers.fill(4));
  CHECK(powers.fill(2) != powers.fill(3));
  CHECK(load_text(2048) == "2048");
  CHECK(load_text(2.5) == "2.5");
}

TEST_CASE("links of the heat map are grouped by where they lead") {
  const std::string tree = drawn("swing", "fat-tree:radix=4", {16});
  for (const std::string group : {"ranks up to level 1: 16 links", "level 1 down to ranks: 16 links",
                                  "level 1 up to level 2: 16 links", "level 3 down to level 2: 16 links"})
    CHECK(count(tree, group) == 1);
  const std::string dragonfly = drawn("swing", "dragonfly", {64});
  CHECK(count(dragonfly, "within groups: 96 links") == 1);
  CHECK(count(dragonfly, "between groups: 56 links") == 1);
  CHECK(count(drawn("swing", "hx2mesh", {4, 4}), "dimension 1, to switches: 16 links") == 1);
}

}  // namespace heat_map_view_test
