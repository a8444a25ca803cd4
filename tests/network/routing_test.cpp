#include "network/routing.h"

#include <catch2/catch.hpp>
#include <map>

#include "network/topology.h"
#include "networks.h"
#include "reference_router.h"

namespace routing_test {

using namespace onceover::support;

namespace {

std::map<Link, Rational> flow(Router& router, Rank src, Rank dst) {
  const RouteView view = router.route(src, dst);
  std::map<Link, Rational> flow;
  for (const RouteShare& share : view.route->shares)
    flow[view.link(share)] += Rational(share.weight, view.route->parts);
  return flow;
}

std::vector<NamedNetwork> small_networks() {
  return every_topology({4, 4}, {
                                    {"torus", {2}},
                                    {"torus", {7}},
                                    {"torus", {8}},
                                    {"torus", {2, 4}},
                                    {"torus", {3, 5}},
                                    {"torus", {2, 2, 3}},
                                    {"torus", {1, 6}},
                                    {"mesh", {6}},
                                    {"mesh", {3, 4}},
                                    {"hyperx", {2, 3, 2}},
                                    {"hx2mesh", {4, 6}},
                                    {"hx4mesh", {8, 4}},
                                    {"hxmesh:rows=1,columns=1", {3, 3}},
                                    {"hxmesh:rows=3,columns=1", {6, 2}},
                                    {"fat-tree:radix=4", {16}},
                                    {"fat-tree:radix=8,taper=2", {16}},
                                    {"fat-tree:radix=4,levels=4", {5}},
                                    {"fat-tree:radix=32", {12}},
                                    {"dragonfly", {20}},
                                    {"dragonfly:hosts=1,routers=4,groups=5", {20}},
                                    {"dragonfly:hosts=2,routers=3,groups=4", {24}},
                                    {"full", {9}},
                                });
}

}  // namespace

TEST_CASE("routes are those that writing down all shortest paths gives") {
  for (const auto& [topology, shape] : small_networks()) {
    const Network network = network_of(topology, shape);
    Router minimal(network, Routing::minimal);
    Router ecmp(network, Routing::ecmp);
    for (Rank a = 0; a < network.ranks(); ++a)
      for (Rank b = 0; b < network.ranks(); ++b) {
        if (a == b) continue;
        INFO(network.name() << ": " << a << " -> " << b);
        CHECK(flow(minimal, a, b) == flow_over_paths(network, a, b));
        CHECK(flow(ecmp, a, b) == flow_split_at_nodes(network, a, b));
        const auto paths = shortest_paths(network, a, b);
        CHECK(minimal.route(a, b).route->hops == static_cast<int>(paths[0].size()));
      }
  }
}

TEST_CASE("dimension order takes one shortest path, along the first dimension first, to the right at half-way") {
  for (const auto& [topology, shape] : small_networks()) {
    const Network network = network_of(topology, shape);
    if (!network.grid()) continue;
    Router router(network, Routing::dimension_order);
    for (Rank a = 0; a < network.ranks(); ++a)
      for (Rank b = 0; b < network.ranks(); ++b) {
        if (a == b) continue;
        const RouteView view = router.route(a, b);
        Node here = a;
        for (const RouteShare& share : view.route->shares) {
          CHECK(share.weight == view.route->parts);
          CHECK(network.link(view.link(share)).from == here);
          here = network.link(view.link(share)).to;
        }
        CHECK(here == b);
        CHECK(view.route->shares.size() == shortest_paths(network, a, b)[0].size());
      }
  }
  const Network torus = network_of("torus", {4, 8});
  Router router(torus, Routing::dimension_order);
  const RouteView view = router.route(0, 20);  // (0,0) to (2,4): both half-way
  std::vector<Node> way;
  for (const RouteShare& share : view.route->shares) way.push_back(torus.link(view.link(share)).to);
  CHECK(way == std::vector<Node>{8, 16, 17, 18, 19, 20});
}

TEST_CASE("ranks that sit elsewhere take the routes of their seats") {
  Network network = network_of("torus", {6});
  network.place({5, 3, 1, 0, 2, 4});
  Router router(network, Routing::minimal);
  for (Rank a = 0; a < 6; ++a)
    for (Rank b = 0; b < 6; ++b)
      if (a != b) CHECK(flow(router, a, b) == flow_over_paths(network, a, b));
}

TEST_CASE("a route's latency is that of its slowest path") {
  const std::vector<LinkData> links{{0, 2, 1, 10}, {2, 1, 1, 20}, {0, 3, 1, 5},
                                    {3, 1, 1, 50}, {1, 2, 1, 1},  {2, 0, 1, 1}};
  const Network network("square", 2, 4, 1, links);
  Router router(network, Routing::minimal);
  CHECK(router.route(0, 1).route->latency == 55);
  CHECK(router.route(1, 0).route->latency == 2);
}

TEST_CASE("more shortest paths than 64 bits can count are said to be too many") {
  // 70 squares one after the other: 2^70 paths.
  std::vector<LinkData> links;
  Node here = 0;
  Node next = 2;
  for (int k = 0; k < 70; ++k) {
    const Node end = k == 69 ? 1 : next + 2;
    for (const Node middle : {next, next + 1}) {
      links.push_back({here, middle, 1, 1});
      links.push_back({middle, end, 1, 1});
    }
    here = end;
    next += 3;
  }
  links.push_back({1, 0, 1, 1});
  const Network network("squares", 2, next, 1, links);
  Router minimal(network, Routing::minimal);
  CHECK(minimal.route(0, 1).route->parts == 0);
  Router ecmp(network, Routing::ecmp);
  CHECK(ecmp.route(0, 1).route->parts == 0);
  CHECK(minimal.route(1, 0).route->parts == 1);
}

TEST_CASE("topologies have the links that their definition says") {
  CHECK(network_of("torus", {4, 4}).link_count() == 64);
  CHECK(network_of("torus", {2, 4}).link_count() == 32);
  CHECK(network_of("mesh", {4, 4}).link_count() == 48);
  CHECK(network_of("hyperx", {4, 4}).link_count() == 96);
  CHECK(network_of("full", {9}).link_count() == 72);
  CHECK(network_of("hx2mesh", {4, 4}).link_count() == 4 * 16 + 2 * 16);  // ports to switches, and on the boards
  CHECK(network_of("hx2mesh", {4, 4}).nodes() == 16 + 8);
  CHECK(network_of("fat-tree:radix=4", {16}).link_count() == 2 * 3 * 16);
  CHECK(network_of("fat-tree:radix=4", {16}).nodes() == 16 + 8 + 8 + 4);  // ranks, edge, aggregation, core
  CHECK(network_of("fat-tree:radix=16", {1024}).nodes() == 1024 + 128 + 128 + 64);
  CHECK(network_of("torus", {1, 8}).ports() == 2);
  CHECK(network_of("torus", {64, 64}).ports() == 4);
  for (const auto& [topology, shape] : small_networks()) CHECK_FALSE(network_of(topology, shape).unreachable());
  const Network tapered = network_of("fat-tree:radix=8,taper=2", {16});
  CHECK(tapered.link(0).bandwidth == 400);
  CHECK(tapered.links().back().bandwidth == 200);
}

namespace {

/// A flow by the ends of its links.
std::map<std::pair<Node, Node>, Rational> flow_between(const Network& network, Router& router, Rank src, Rank dst) {
  std::map<std::pair<Node, Node>, Rational> ends;
  for (const auto& [link, part] : flow(router, src, dst))
    ends[{network.link(link).from, network.link(link).to}] += part;
  return ends;
}

}  // namespace

TEST_CASE("a HammingMesh that keeps a board's messages routes them as a mesh of its size, all others as ever") {
  struct Example {
    std::string name;
    std::string settings;
    Rank rows, columns;  // of a board
    std::vector<Rank> shape;
  };
  for (const Example& e : {Example{"hx4mesh", "", 4, 4, {8, 4}},
                           {"hxmesh", ",rows=3,columns=5", 3, 5, {6, 10}},
                           {"hxmesh", ",rows=1,columns=4", 1, 4, {2, 8}}}) {
    const Network keeping = network_of(e.name + ":within-board=wires" + e.settings, e.shape);
    const Network plain = network_of(e.name + ":within-board=shortest" + e.settings, e.shape);
    const Network mesh = network_of("mesh", {e.rows, e.columns});
    for (const Routing routing : {Routing::minimal, Routing::ecmp}) {
      Router router(keeping, routing);
      Router as_ever(plain, routing);
      Router on_mesh(mesh, routing);
      const Rank width = e.shape[1];
      for (Rank a = 0; a < keeping.ranks(); ++a)
        for (Rank b = 0; b < keeping.ranks(); ++b) {
          INFO(keeping.name() << ": " << a << " -> " << b);
          const Rank corner = a / width / e.rows * e.rows * width + a % width / e.columns * e.columns;
          const auto on_board = [&](Rank r) {
            return r / width / e.rows == a / width / e.rows && r % width / e.columns == a % width / e.columns;
          };
          const auto seen = flow_between(keeping, router, a, b);
          if (!on_board(b)) {
            CHECK(seen == flow_between(plain, as_ever, a, b));
            continue;
          }
          const auto local = [&](Rank r) { return (r - corner) / width * e.columns + (r - corner) % width; };
          std::map<std::pair<Node, Node>, Rational> expected;
          for (const auto& [ends, part] : flow_between(mesh, on_mesh, local(a), local(b))) {
            const auto global = [&](Node n) { return corner + n / e.columns * width + n % e.columns; };
            expected[{global(ends.first), global(ends.second)}] = part;
          }
          CHECK(seen == expected);
        }
    }
  }
  const Network keeping = network_of("hx4mesh:within-board=wires", {8, 8});
  Router by_dimensions(keeping, Routing::dimension_order);
  CHECK(by_dimensions.route(0, 3).route->hops == 3);
  CHECK(by_dimensions.route(0, 3 + 24).route->hops == 6);
  CHECK(by_dimensions.route(0, 7).route->hops == 2);
  const Network plain = network_of("hx4mesh", {8, 8});
  Router shortest(plain, Routing::minimal);
  CHECK(shortest.route(0, 3).route->hops == 2);
}

TEST_CASE("what is no topology is refused with the reason") {
  auto error = [](const std::string& text, std::vector<Rank> shape) {
    auto request = parse_topology(text);
    if (!request) return request.error();
    request->shape = std::move(shape);
    const auto network = make_topology(*request);
    return network ? std::string("made") : network.error();
  };
  CHECK_THAT(error("tours", {4}), Catch::Contains("did you mean 'torus'?"));
  CHECK(error("torus:radix", {4}) == "expected name:key=value,.., found 'radix'");
  CHECK_THAT(error("fat-tree:radx=8", {4}), Catch::Contains("did you mean 'radix'?"));
  CHECK(error("fat-tree:radix=3", {4}) == "fat-tree: radix is a number from 4 to 1024, not '3'");
  CHECK(error("fat-tree:radix=4,levels=2", {9}) == "fat-tree of radix 4 and 2 levels has 8 places, not 9");
  CHECK(error("fat-tree:radix=5", {9}) == "fat-tree: radix is even, not 5");
  CHECK(error("fat-tree:radix=4,radix=8", {9}) == "'radix' is set twice");
  CHECK(error("hx2mesh", {3, 4}) == "hx2mesh of 2x2 boards: 3x4 is not a multiple of that");
  CHECK_THAT(error("hx2mesh", {8}), Catch::Contains("has two dimensions"));
  CHECK(error("hx4mesh:within-board=wire", {4, 4}) ==
        "hx4mesh: within-board is shortest or wires, not 'wire'; did you mean 'wires'?");
  CHECK_THAT(error("full", {100000}), Catch::Contains("links, more than"));
  CHECK_THAT(error("hyperx", {1 << 20}), Catch::Contains("links, more than"));
  CHECK_THAT(error("dragonfly:hosts=1024,routers=1400,groups=2", {2'300'000}), Catch::Contains("links"));
  CHECK_THAT(error("dragonfly:hosts=1,routers=2,groups=3", {7}), Catch::Contains("has 6 places, not 7"));
  CHECK_THAT(error("dragonfly:hosts=1,routers=2,groups=4", {7}), Catch::Contains("a number from 1 to 3"));
}

}  // namespace routing_test
