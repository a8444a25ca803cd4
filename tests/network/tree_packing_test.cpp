// What an allreduce takes on small symmetric networks, found exactly, beside the bounds of network/bounds.h.
//
// Spanning trees of the ranks, each of their joints routed over links, carry parts of the vector to a root and back.
// Two linear programs in rationals, solved by Z3, meet: how much the trees pack into the capacities (what is reached),
// and the lengths of links under which every tree has length 1 or more and the capacities add up to least (what is
// needed). Trees are added to both as long as one is shorter than 1.

#include <z3++.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "network/bounds.h"
#include "networks.h"

namespace tree_packing_test {

using namespace onceover::network;
using namespace onceover::support;

namespace {

using Row = std::vector<Rational>;

/// The two-way links and ports of a symmetric graph, those between the same vertices as one.
struct Edges {
  struct Edge {
    std::size_t a, b;
    Whole capacity;  // each way
  };
  std::size_t vertices, ranks;
  std::vector<Edge> edges;
};

Edges edges_of(const PortGraph& graph) {
  std::map<std::pair<std::int32_t, std::int32_t>, Whole> capacity;
  for (const auto& arc : graph.arcs) capacity[{arc.from, arc.to}] += arc.is_half ? arc.capacity / 2 : arc.capacity;
  Edges found{static_cast<std::size_t>(graph.vertices), static_cast<std::size_t>(graph.ranks), {}};
  for (const auto& [ends, c] : capacity) {
    REQUIRE(capacity.at({ends.second, ends.first}) == c);
    if (ends.first < ends.second)
      found.edges.push_back({static_cast<std::size_t>(ends.first), static_cast<std::size_t>(ends.second), c});
  }
  return found;
}

/// A minimum spanning tree of the ranks under the lengths: how often it uses each edge. By Floyd, Warshall and Kruskal.
Row shortest_tree(const Edges& graph, const Row& lengths) {
  const std::size_t n = graph.vertices, none = graph.edges.size();
  struct Way {
    Rational length;
    bool is_there = false;
    std::size_t edge = 0, middle = 0;  // one edge, or two ways
  };
  std::vector<std::vector<Way>> ways(n, std::vector<Way>(n));
  for (std::size_t e = 0; e < none; ++e)
    for (const auto& [a, b] : {std::pair(graph.edges[e].a, graph.edges[e].b), {graph.edges[e].b, graph.edges[e].a}})
      ways[a][b] = {lengths[e], true, e, 0};
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || i == k || j == k || !ways[i][k].is_there || !ways[k][j].is_there) continue;
        const Rational sum = ways[i][k].length + ways[k][j].length;
        if (!ways[i][j].is_there || sum < ways[i][j].length) ways[i][j] = {sum, true, none, k};
      }
  Row use(none);
  const std::function<void(std::size_t, std::size_t)> count = [&](std::size_t i, std::size_t j) {
    const Way& way = ways[i][j];
    if (way.edge != none) {
      use[way.edge] += 1;
      return;
    }
    count(i, way.middle);
    count(way.middle, j);
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < graph.ranks; ++a)
    for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(a, b);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& x, const auto& y) {
    return ways[x.first][x.second].length < ways[y.first][y.second].length;
  });
  std::vector<std::size_t> part(graph.ranks);
  for (std::size_t r = 0; r < part.size(); ++r) part[r] = r;
  for (const auto& [a, b] : pairs) {
    if (part[a] == part[b]) continue;
    count(a, b);
    std::replace(part.begin(), part.end(), std::size_t{part[a]}, std::size_t{part[b]});
  }
  return use;
}

Rational product(const Row& a, const Row& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// The x >= 0 with rows x >= least (or <= if `is_most`) that make weights x least (or most).
Row solved(const std::vector<Row>& rows, const Row& limits, const Row& weights, bool is_most) {
  z3::context context;
  z3::optimize solver(context);
  const auto number = [&](const Rational& x) { return context.real_val(x.str().c_str()); };
  z3::expr_vector x(context);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    x.push_back(context.real_const(("x" + std::to_string(k)).c_str()));
    solver.add(x.back() >= 0);
  }
  const auto sum = [&](const Row& row) {
    z3::expr_vector terms(context);
    terms.push_back(number(0));
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] != 0) terms.push_back(number(row[k]) * x[static_cast<int>(k)]);
    return z3::sum(terms);
  };
  for (std::size_t k = 0; k < rows.size(); ++k)
    solver.add(is_most ? sum(rows[k]) <= number(limits[k]) : sum(rows[k]) >= number(limits[k]));
  is_most ? solver.maximize(sum(weights)) : solver.minimize(sum(weights));
  REQUIRE(solver.check() == z3::sat);
  const z3::model model = solver.get_model();
  Row found;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const z3::expr value = model.eval(x[static_cast<unsigned>(k)], true);
    const auto read = Rational::parse(Z3_get_numeral_string(context, value));
    REQUIRE(read);
    found.push_back(*read);
  }
  return found;
}

/// The least time, in vectors at the speed of a port.
Rational least_allreduce(const PortGraph& graph) {
  const Edges edges = edges_of(graph);
  Row capacities;
  for (const auto& edge : edges.edges) capacities.push_back(edge.capacity);
  std::vector<Row> trees{shortest_tree(edges, Row(capacities.size(), 1))};
  while (true) {
    const Row lengths = solved(trees, Row(trees.size(), 1), capacities, false);
    const Row tree = shortest_tree(edges, lengths);
    if (product(tree, lengths) < 1) {
      trees.push_back(tree);
      continue;
    }
    std::vector<Row> uses(capacities.size());  // by edge, of each tree
    for (const Row& used : trees)
      for (std::size_t e = 0; e < uses.size(); ++e) uses[e].push_back(used[e]);
    const Row parts = solved(uses, capacities, Row(trees.size(), 1), true);
    Rational packed;
    for (const Rational& part : parts) {
      CHECK(part >= 0);
      packed += part;
    }
    for (std::size_t e = 0; e < uses.size(); ++e) CHECK(product(uses[e], parts) <= capacities[e]);
    CHECK(packed == product(lengths, capacities));
    return graph.port / packed;
  }
}

/// A connected network whose links have the same bandwidth both ways, which some have together if `has_half`.
Network symmetric_network(std::mt19937& random, bool has_half = false) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const Node nodes = 2 + below(7);
  const Rank ranks = 2 + below(nodes - 1);
  std::vector<LinkData> links;
  std::set<std::pair<Node, Node>> joined;
  const auto join = [&](Node a, Node b) {
    if (a == b || !joined.emplace(std::minmax(a, b)).second) return;
    const double bandwidth = std::vector<double>{0.5, 1, 1, 1, 2.5, 4}[static_cast<std::size_t>(below(6))];
    links.push_back({a, b, bandwidth, 1});
    links.push_back({b, a, bandwidth, 1});
  };
  for (Node node = 1; node < nodes; ++node) join(node, below(node));
  for (int more = below(2 * nodes); more > 0; --more) join(below(nodes), below(nodes));
  Network network("random", ranks, nodes, 1 + below(4), links);
  if (!has_half) return network;
  std::vector<bool> is_half;
  for (std::size_t k = 0; k < links.size(); k += 2) is_half.insert(is_half.end(), 2, below(2) == 0);
  is_half[0] = is_half[1] = true;
  REQUIRE_FALSE(network.make_half_duplex(is_half));
  return network;
}

/// What was found in networks.
struct Found {
  int reached = 0;  // bounds that are said to be
  int several = 0;  // bounds by links that count more than once
};

void check_against_programs(const Network& network, Found& found) {
  const auto graph = port_graph(network);
  REQUIRE(graph);
  const Rational least = least_allreduce(*graph);
  const auto bound = time_bound(*graph, {Collective::allreduce}, ~std::uint64_t{0});
  REQUIRE(bound);
  CHECK(bound->vectors <= least);
  CHECK(bound->vectors == least);  // so it is here; the search may miss it elsewhere
  found.reached += is_reached(*graph, network, Collective::allreduce, *bound) ? 1 : 0;
  const auto* proof = std::get_if<LengthsProof>(&bound->proof);
  found.several += proof != nullptr && !proof->are_all_one() ? 1 : 0;
}

}  // namespace

TEST_CASE("an allreduce's bound is the least time on small symmetric networks, by two linear programs") {
  for (const bool has_half : {false, true}) {
    std::mt19937 random(5);
    Found found;
    for (int k = 0; k < 35; ++k) {
      const Network network = symmetric_network(random, has_half);
      CAPTURE(k, network.ranks(), network.nodes(), network.ports(), network.link_count(), has_half);
      check_against_programs(network, found);
    }
    CHECK(found.reached > 10);
  }
}

TEST_CASE("an allreduce's bound is the least time where links count more than once") {
  Found found;
  for (const unsigned seed : {122U, 160U}) {
    std::mt19937 random(seed);
    check_against_programs(symmetric_network(random), found);
  }
  CHECK(found.several == 2);
}

TEST_CASE("an allreduce's bound is the least time on small networks of each kind") {
  Found found;
  for (const auto& [topology, shape] :
       std::vector<std::pair<std::string, std::vector<Rank>>>{{"mesh", {2, 3}},
                                                              {"torus", {2, 3}},
                                                              {"torus:duplex=half", {2, 3}},
                                                              {"hx2mesh", {2, 2}},
                                                              {"fat-tree:radix=4,taper=3", {4}}}) {
    const Network network = network_of(topology, shape);
    CAPTURE(network.name());
    check_against_programs(network, found);
  }
  CHECK(found.reached > 1);
}

}  // namespace tree_packing_test
