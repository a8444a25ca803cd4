// The view heat-map: a row for each link, a column for each step, and the hottest cell always to be seen.

#include <catch2/catch.hpp>

#include "count.h"
#include "network/contention.h"
#include "networks.h"
#include "schedules/catalogue.h"
#include "viz/load_scale.h"
#include "viz/view.h"

namespace heat_map_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

std::string drawn(const std::string& algorithm, const std::string& topology, const std::vector<Rank>& shape,
                  DrawOptions options = {}) {
  options.network = std::make_shared<const Network>(network_of(topology, shape));
  const auto dot = draw(heat_map_view, *find_algorithm(algorithm)->make({.shape = shape}), options);
  if (!dot) FAIL(dot.error().message);
  return *dot;
}

/// Boxes filled with the darkest shade; one more is in the key.
std::size_t darkest_boxes(const std::string& dot) {
  return count(dot, "fillcolor=\"" + std::string(LoadScale(1, "blocks", 3).fill(1)) + "\"") - 1;
}

}  // namespace

TEST_CASE("cells of the heat map are as dark as the loads, those beside each other as one box") {
  // In the first 3 of the 6 steps of a ring of 4 each link onward carries one block, in the others each link backward.
  const std::string ring = drawn("ring", "torus", {4});
  CHECK(darkest_boxes(ring) == 4 + 4);
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
  CHECK(darkest_boxes(drawn("rabenseifner", "torus", {16}, options)) == most);
}

TEST_CASE("where links share a row, the fullest of them counts") {
  const std::string large = drawn("swing", "torus", {32, 32});
  CHECK(count(large, "A cell shows the fullest of") == 1);
  CHECK(darkest_boxes(large) > 0);
  DrawOptions wide;
  wide.style.width = 7;
  CHECK(count(drawn("ring", "torus", {256}, wide), "A cell shows the fullest of 4 links in 3 steps") == 1);
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
