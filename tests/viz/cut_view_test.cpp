// The view cut: the links that count are thick, ranks inside are filled, and the sum stands below.

#include <catch2/catch.hpp>

#include "count.h"
#include "drawn_text.h"
#include "networks.h"
#include "schedules/catalogue.h"
#include "viz/view.h"

namespace cut_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

DrawnText drawn(Collective collective, const std::string& topology, const std::vector<Rank>& shape, int ports = 0) {
  Network network = network_of(topology, shape);
  if (ports > 0) network.use_ports(ports);
  Request request{.collective = collective, .shape = {network.ranks()}};
  DrawOptions options;
  options.network = std::make_shared<const Network>(std::move(network));
  const std::string algorithm = collective == Collective::broadcast ? "chain" : "ring";
  const auto dot = as_text(draw(cut_view, *find_algorithm(algorithm)->make(request), options));
  if (!dot) FAIL(dot.error().message);
  CHECK(dot->svg());
  return *dot;
}

const std::string thick = "color=\"" + std::string(palette::vermilion);
const std::string filled = "fillcolor=\"" + std::string(palette::sky);

}  // namespace

TEST_CASE("a cut has its ranks filled and its links thick") {
  const std::string mesh = drawn(Collective::allgather, "mesh", {4, 4});
  // One more of each is in the key.
  CHECK(count(mesh, filled) == 15 + 1);
  CHECK(count(mesh, thick) == 2 + 1);
  CHECK(count(mesh, "15/16 of the vector must leave what is filled; capacity 2 x 1 = 2: at least 15/32") == 1);
  const std::string cast = drawn(Collective::broadcast, "mesh", {4});
  CHECK(count(cast, thick) == 1 + 1);
  CHECK(count(cast, "the vector must leave") == 1);
}

TEST_CASE("ports that count are thick borders") {
  const std::string full = drawn(Collective::allgather, "full", {5});
  CHECK(count(full, thick) == 0);
  CHECK(count(full, "penwidth=\"2.20\"") == 1 + 1);
  CHECK(count(drawn(Collective::allreduce, "full", {5}), "penwidth=\"2.20\"") == 5 + 1);
}

TEST_CASE("links with a length are thick, and only they") {
  const std::string tree = drawn(Collective::allreduce, "fat-tree:radix=8,taper=8", {16});
  CHECK(count(tree, thick) == 32 + 1);
  CHECK(count(tree, "each block crosses 12 thick links; capacity 32 x 1/8 = 4: at least 3 vectors") == 1);
}

TEST_CASE("what has no bound has no cut") {
  const auto schedule = find_algorithm("pairwise")->make({.collective = Collective::alltoall, .shape = {4}});
  const auto dot = as_text(draw(cut_view, *schedule, {}));
  REQUIRE_FALSE(dot);
  CHECK(dot.error().message == "cut: no bound is known for alltoall of 4 ranks");
}

}  // namespace cut_view_test
