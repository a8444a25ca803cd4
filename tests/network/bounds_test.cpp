#include "network/bounds.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "catalogue_schedules.h"
#include "network/contention.h"
#include "network/network_file.h"
#include "networks.h"
#include "verifier/verify.h"

using namespace onceover::network;
using namespace onceover::support;

namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};

TimeBound bound_on(const Network& network, Collective collective, Rank root = 0) {
  const auto graph = port_graph(network);
  REQUIRE(graph);
  auto bound = time_bound(*graph, collective, root, unlimited);
  REQUIRE(bound);
  return std::move(*bound);
}

Rational time_on(const Network& network, Collective collective, Rank root = 0) {
  return bound_on(network, collective, root).vectors;
}

/// A network whose nodes all reach each other, with bandwidths that differ by link and by direction.
Network random_network(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const Node nodes = 2 + below(6);
  const Rank ranks = 2 + below(std::min(nodes - 1, 5));
  std::vector<Node> ring(static_cast<std::size_t>(nodes));
  for (Node v = 0; v < nodes; ++v) ring[static_cast<std::size_t>(v)] = v;
  std::shuffle(ring.begin(), ring.end(), random);
  std::vector<LinkData> links;
  const auto add = [&](Node from, Node to) {
    if (from != to) links.push_back({from, to, std::vector<double>{0.5, 1, 2.5, 4, 10}[below(5)], 1});
  };
  for (std::size_t k = 0; k < ring.size(); ++k) add(ring[k], ring[(k + 1) % ring.size()]);
  for (int more = below(3 * nodes); more > 0; --more) add(below(nodes), below(nodes));
  Network network("random", ranks, nodes, 1 + below(4), links);
  if (below(2) == 0) {
    std::vector<Node> seats(ring.size());
    for (Node v = 0; v < nodes; ++v) seats[static_cast<std::size_t>(v)] = v;
    seats.resize(static_cast<std::size_t>(ranks));
    std::shuffle(seats.begin(), seats.end(), random);
    network.place(seats);
  }
  return network;
}

/// What leaves a set of nodes and of ranks, in Gb/s, from the network itself: links, and ports of ranks that are not on
/// the side of their seat.
double leaving(const Network& network, unsigned nodes, unsigned ranks) {
  double sum = 0;
  for (const LinkData& link : network.links())
    if ((nodes >> link.from & 1) == 1 && (nodes >> link.to & 1) == 0) sum += link.bandwidth;
  for (Rank r = 0; r < network.ranks(); ++r)
    if ((nodes >> network.seat(r) & 1) != (ranks >> r & 1)) sum += network.ports() * network.port_bandwidth();
  return sum;
}

/// The most, over all cuts, of `work` per capacity; `work` tells it from the ranks inside, and is 0 for what is no cut.
template <class Work>
double worst_cut(const Network& network, bool enters, Work work) {
  const unsigned all_nodes = (1U << network.nodes()) - 1, all_ranks = (1U << network.ranks()) - 1;
  double most = 0;
  for (unsigned nodes = 0; nodes <= all_nodes; ++nodes)
    for (unsigned ranks = 1; ranks < all_ranks; ++ranks) {
      const double capacity =
          enters ? leaving(network, all_nodes ^ nodes, all_ranks ^ ranks) : leaving(network, nodes, ranks);
      most = std::max(most, work(ranks) * network.port_bandwidth() / capacity);
    }
  return most;
}

/// 2 (p-1) transfers a block, over what leaves the ranks (or enters them).
double by_ranks(const Network& network, bool enters) {
  double sum = 0;
  for (Rank r = 0; r < network.ranks(); ++r) {
    double links = 0;
    for (const LinkData& link : network.links())
      if ((enters ? link.to : link.from) == network.seat(r)) links += link.bandwidth;
    sum += std::min(links, network.ports() * network.port_bandwidth());
  }
  return 2 * (network.ranks() - 1) * network.port_bandwidth() / sum;
}

/// The length of a minimum spanning tree by Floyd, Warshall and Kruskal, from the lengths of arcs between vertices.
int spanning_tree_of(std::vector<std::vector<int>> distance, const std::vector<std::size_t>& places) {
  const std::size_t n = distance.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
  std::vector<int> part(places.size());
  for (std::size_t r = 0; r < part.size(); ++r) part[r] = static_cast<int>(r);
  int tree = 0;
  for (int length = 0; length < 1000; ++length)
    for (std::size_t a = 0; a < part.size(); ++a)
      for (std::size_t b = 0; b < part.size(); ++b) {
        if (part[a] == part[b] || distance[places[a]][places[b]] != length) continue;
        tree += length;
        std::replace(part.begin(), part.end(), int{part[a]}, int{part[b]});
      }
  return tree;
}

/// Vertices that no arc joins yet.
std::vector<std::vector<int>> unjoined(std::size_t n) {
  std::vector<std::vector<int>> distance(n, std::vector<int>(n, 1000));
  for (std::size_t v = 0; v < n; ++v) distance[v][v] = 0;
  return distance;
}

/// Twice the tree over the capacity of the links of length 1. A seat stands for its rank: ports have length 0.
double by_slow_links(const Network& network, double speed) {
  auto distance = unjoined(static_cast<std::size_t>(network.nodes()));
  double capacity = 0;
  for (const LinkData& link : network.links()) {
    int& length = distance[static_cast<std::size_t>(link.from)][static_cast<std::size_t>(link.to)];
    length = std::min(length, link.bandwidth > speed ? 0 : 1);
    if (link.bandwidth <= speed) capacity += link.bandwidth;
  }
  std::vector<std::size_t> seats;
  for (Rank r = 0; r < network.ranks(); ++r) seats.push_back(static_cast<std::size_t>(network.seat(r)));
  return 2 * spanning_tree_of(std::move(distance), seats) * network.port_bandwidth() / capacity;
}

/// Is the time of a proof by lengths twice the tree over the capacity of what has length 1?
void check_lengths(const PortGraph& graph, const LengthsProof& proof, const Rational& time) {
  auto distance = unjoined(static_cast<std::size_t>(graph.vertices));
  Whole capacity = 0;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) {
    int& length = distance[static_cast<std::size_t>(graph.arcs[k].from)][static_cast<std::size_t>(graph.arcs[k].to)];
    length = std::min(length, proof.has_length[k] ? 1 : 0);
    if (proof.has_length[k]) capacity += graph.arcs[k].capacity;
  }
  std::vector<std::size_t> ranks;
  for (Rank r = 0; r < graph.ranks; ++r) ranks.push_back(static_cast<std::size_t>(r));
  const int tree = spanning_tree_of(std::move(distance), ranks);
  CHECK(proof.tree == tree);
  CHECK(proof.capacity == capacity);
  CHECK(time == Rational(2 * tree) * graph.port / capacity);
}

bool has_links_up_to(const Network& network, double speed) {
  return std::any_of(network.links().begin(), network.links().end(),
                     [&](const LinkData& link) { return link.bandwidth <= speed; });
}

/// The certificate of a bound, added up anew.
void check_certificate(const Network& network, const TimeBound& bound) {
  const auto graph = port_graph(network);
  if (const auto* proof = std::get_if<CutProof>(&bound.proof)) {
    unsigned nodes = 0, ranks = 0;
    for (std::size_t v = 0; v < proof->cut.inside.size(); ++v)
      if (proof->cut.inside[v])
        (v < std::size_t(graph->ranks) ? ranks : nodes) |= 1U << (v < std::size_t(graph->ranks) ? v : v - graph->ranks);
    const unsigned all_nodes = (1U << network.nodes()) - 1, all_ranks = (1U << network.ranks()) - 1;
    CHECK(ranks != 0);
    CHECK(ranks != all_ranks);
    const double capacity =
        proof->enters ? leaving(network, all_nodes ^ nodes, all_ranks ^ ranks) : leaving(network, nodes, ranks);
    CHECK(static_cast<double>(bound.vectors) ==
          Approx(static_cast<double>(proof->weight) * network.port_bandwidth() / capacity));
  }
}

}  // namespace

TEST_CASE("bounds of random small networks are those of all cuts, one by one") {
  std::mt19937 random(1);
  for (int k = 0; k < 150; ++k) {
    const Network network = random_network(random);
    CAPTURE(k, network.ranks(), network.nodes(), network.ports(), network.link_count());
    const auto inside = [&](unsigned ranks) { return double(__builtin_popcount(ranks)) / network.ranks(); };
    const auto split = [](unsigned) { return 1.0; };
    const Rank root = k % network.ranks();
    const auto with_root = [&](unsigned ranks) { return double(ranks >> root & 1); };
    const auto at_least = [&](Collective collective, double expected) {
      const TimeBound bound = bound_on(network, collective, root);
      CHECK(static_cast<double>(bound.vectors) == Approx(expected).epsilon(1e-12));
      check_certificate(network, bound);
    };
    at_least(Collective::allgather, worst_cut(network, false, inside));
    at_least(Collective::reduce_scatter, worst_cut(network, true, inside));
    at_least(Collective::broadcast, worst_cut(network, false, with_root));
    at_least(Collective::reduce, worst_cut(network, true, with_root));
    const TimeBound both = bound_on(network, Collective::allreduce);
    double simple = std::max({worst_cut(network, false, split), by_ranks(network, false), by_ranks(network, true)});
    for (const double speed : {0.5, 1.0, 2.5, 4.0, 10.0})
      if (has_links_up_to(network, speed)) simple = std::max(simple, by_slow_links(network, speed));
    check_certificate(network, both);
    CHECK(static_cast<double>(both.vectors) == Approx(simple).epsilon(1e-12));
  }
}

TEST_CASE("bounds of known networks") {
  struct Row {
    std::string topology;
    std::vector<Rank> shape;
    Rational twice_allgather, allreduce;
  };
  for (const Row& row : {Row{"torus", {4, 4}, {15, 32}, {15, 32}}, Row{"torus", {2, 8}, {15, 32}, {15, 32}},
                         Row{"torus", {3, 5}, {7, 15}, {7, 15}}, Row{"torus", {8, 8}, {63, 128}, {63, 128}},
                         Row{"hyperx", {4, 4}, {15, 32}, {15, 32}}, Row{"hx2mesh", {4, 4}, {15, 32}, {15, 32}},
                         Row{"mesh", {4, 4}, {15, 16}, {5, 8}}, Row{"full", {7}, {12, 7}, {12, 7}},
                         Row{"fat-tree:radix=8,taper=2", {16}, {15, 8}, {15, 8}},
                         Row{"fat-tree:radix=8,taper=8", {16}, {3, 1}, {3, 1}}}) {
    CAPTURE(row.topology, row.shape);
    const Network network = network_of(row.topology, row.shape);
    CHECK(2 * time_on(network, Collective::allgather) == row.twice_allgather);
    CHECK(2 * time_on(network, Collective::reduce_scatter) == row.twice_allgather);
    CHECK(time_on(network, Collective::allreduce) == row.allreduce);
  }
}

TEST_CASE("bounds by lengths are twice the shortest tree over the capacity of the links") {
  for (const auto& [topology, ranks] : std::vector<std::pair<std::string, Rank>>{
           {"fat-tree:radix=8,taper=8", 16}, {"fat-tree:radix=4,taper=4", 16}, {"fat-tree:radix=8,taper=8", 32}}) {
    const Network network = network_of(topology, {ranks});
    CAPTURE(network.name());
    const TimeBound bound = bound_on(network, Collective::allreduce);
    const auto* proof = std::get_if<LengthsProof>(&bound.proof);
    REQUIRE(proof != nullptr);
    check_lengths(*port_graph(network), *proof, bound.vectors);
  }
}

TEST_CASE("boxes of different sizes: an allreduce needs less than a reduce-scatter and an allgather") {
  std::string text = "graph { A -- C; B -- C; D -- C [bandwidth=200];";
  for (const std::string box : {"AAAABBBBDD"})
    for (std::size_t r = 0; r < box.size(); ++r) text += std::to_string(r) + " -- " + box[r] + ";";
  const auto network = read_network(text + "}", "boxes.dot", {});
  REQUIRE(network);
  CHECK(time_on(*network, Collective::allgather) == Rational(8, 5));
  CHECK(time_on(*network, Collective::allreduce) == 2);
  const auto graph = port_graph(*network);
  CHECK(is_reached(*graph, *network, Collective::allgather));
  CHECK_FALSE(is_reached(*graph, *network, Collective::allreduce));
}

TEST_CASE("no algorithm of the catalogue is faster than the bound") {
  const std::vector<std::pair<std::string, std::vector<Rank>>> networks{
      {"torus", {7}}, {"torus", {2, 4}},  {"torus", {3, 3}},         {"mesh", {6}},      {"mesh", {2, 4}},
      {"full", {7}},  {"hyperx", {2, 4}}, {"fat-tree:radix=4", {8}}, {"hx2mesh", {4, 4}}};
  int judged = 0;
  for (const auto& [topology, shape] : networks) {
    const Network network = network_of(topology, shape);
    for_each_schedule(shape, [&](const Schedule& schedule) {
      const auto& header = schedule.header();
      if (!is_bounded(header.collective) || header.blocks % header.ranks != 0) return;
      if (verify(schedule, {}).verdict != Verdict::pass) return;  // what a paper prints wrong may well be faster
      INFO(network.name() << " " << header.algorithm << " " << name(header.collective));
      const auto measured = contention(schedule, network, {});
      REQUIRE(measured);
      Rational time = 0;  // in blocks: of the ports and of the hottest link, step by step
      for (const StepContention& s : measured->steps) {
        Rational step = s.free;
        if (s.hottest >= 0)
          step =
              std::max(step, s.load * Rational(network.port_bandwidth()) / Rational(network.link(s.hottest).bandwidth));
        time += step * s.kind.times;
      }
      CHECK(time / header.blocks >= time_on(network, header.collective, header.root));
      ++judged;
    });
  }
  CHECK(judged > 100);
}

TEST_CASE("steps: ports and distances") {
  CHECK(least_steps(1, 1) == 0);
  CHECK(least_steps(8, 1) == 3);
  CHECK(least_steps(9, 1) == 4);
  CHECK(least_steps(9, 2) == 2);
  CHECK(farthest(network_of("torus", {4, 4}), Collective::allreduce, 0).messages == 4);
  CHECK(farthest(network_of("fat-tree:radix=4", {8}), Collective::allgather, 0).messages == 1);
  const Network mesh = network_of("mesh", {5});
  CHECK(farthest(mesh, Collective::broadcast, 2).messages == 2);
  const Distance to_root = farthest(mesh, Collective::reduce, 0);
  CHECK(to_root.from == 4);
  CHECK(to_root.to == 0);
  CHECK(to_root.messages == 4);
}

TEST_CASE("bandwidths are decimals, and numbers that don't fit are refused") {
  const Network tenths("tenths", 2, 2, 4, {{0, 1, 0.1, 0}, {1, 0, 0.3, 0}});
  CHECK(time_on(tenths, Collective::broadcast, 0) == 1);
  CHECK(time_on(tenths, Collective::broadcast, 1) == Rational(1, 3));
  CHECK_FALSE(port_graph(Network("far apart", 2, 2, 1, {{0, 1, 1e-6, 0}, {1, 0, 1e15, 0}})));
  const auto graph = port_graph(network_of("torus", {4, 4}));
  CHECK_FALSE(time_bound(*graph, Collective::allgather, 0, 1000));
}
