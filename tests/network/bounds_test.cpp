#include "network/bounds.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "catalogue_schedules.h"
#include "network/contention.h"
#include "network/cost.h"
#include "network/least_time.h"
#include "network/lengths.h"
#include "network/network_file.h"
#include "network/orbits.h"
#include "network/simulation.h"
#include "networks.h"
#include "verifier/verify.h"

namespace bounds_test {

using namespace onceover::network;
using namespace onceover::support;

namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};

TimeBound bound_on(const Network& network, Collective collective, Rank root = 0) {
  const auto graph = port_graph(network);
  REQUIRE(graph);
  auto bound = time_bound(*graph, {collective, root}, unlimited);
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

/// What crosses a cut in both directions together, in Gb/s; of two links that share their bandwidth, one counts.
double both_ways(const Network& network, unsigned nodes, unsigned ranks) {
  const unsigned all_nodes = (1U << network.nodes()) - 1, all_ranks = (1U << network.ranks()) - 1;
  double sum = leaving(network, nodes, ranks) + leaving(network, all_nodes ^ nodes, all_ranks ^ ranks);
  for (Link l = 0; l < network.link_count(); ++l)
    if (network.reverse_link(l) > l && (nodes >> network.link(l).from & 1) != (nodes >> network.link(l).to & 1))
      sum -= network.link(l).bandwidth;
  return sum;
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
    length = std::min(length, static_cast<int>(proof.lengths[k]));
    capacity += graph.arcs[k].capacity * proof.lengths[k];
  }
  std::vector<std::size_t> ranks;
  for (Rank r = 0; r < graph.ranks; ++r) ranks.push_back(static_cast<std::size_t>(r));
  const int tree = spanning_tree_of(std::move(distance), ranks);  // of at most 1000
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
    const double capacity = proof->direction == CutProof::Direction::enters
                                ? leaving(network, all_nodes ^ nodes, all_ranks ^ ranks)
                                : leaving(network, nodes, ranks);
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

TEST_CASE("bounds of half-duplex networks are those of all cuts, one way or both ways together") {
  std::mt19937 random(6);
  int by_both = 0;
  for (int k = 0; k < 60; ++k) {
    Network network = random_network(random);
    std::vector<LinkData> links = network.links();
    std::vector<bool> is_half(links.size(), false);
    for (std::size_t l = 0; l < network.links().size(); l += 2) {
      const LinkData& link = network.links()[l];
      links.push_back({link.to, link.from, link.bandwidth, 1});
      is_half[l] = true;
      is_half.push_back(true);
    }
    network = Network("random", network.ranks(), network.nodes(), network.ports(), links);
    REQUIRE_FALSE(network.make_half_duplex(is_half));
    CAPTURE(k, network.ranks(), network.nodes(), network.ports(), network.link_count());
    const unsigned all_nodes = (1U << network.nodes()) - 1, all_ranks = (1U << network.ranks()) - 1;
    double least = 1e9;
    for (unsigned nodes = 0; nodes <= all_nodes; ++nodes)
      for (unsigned ranks = 1; ranks < all_ranks; ++ranks) least = std::min(least, both_ways(network, nodes, ranks));
    const double both = network.port_bandwidth() / least;
    const auto inside = [&](unsigned ranks) { return double(__builtin_popcount(ranks)) / network.ranks(); };
    for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
      const TimeBound bound = bound_on(network, collective);
      const double one_way = worst_cut(network, collective == Collective::reduce_scatter, inside);
      CHECK(static_cast<double>(bound.vectors) == Approx(std::max(one_way, both)).epsilon(1e-12));
      by_both += std::get<CutProof>(bound.proof).direction == CutProof::Direction::both ? 1 : 0;
      CHECK_FALSE(is_reached(*port_graph(network), network, collective, bound));
    }
    CHECK(static_cast<double>(time_on(network, Collective::allreduce)) >= 2 * both * (1 - 1e-12));
  }
  CHECK(by_both > 10);
}

TEST_CASE("bounds of half-duplex rings: each way has a half in an allreduce") {
  for (const Rank ranks : {2, 3, 4, 8}) {
    const Network full = network_of("torus", {ranks}), half = network_of("torus:duplex=half", {ranks});
    CHECK(time_on(half, Collective::allreduce) == 2 * time_on(full, Collective::allreduce));
    CHECK(is_reached(*port_graph(half), half, Collective::allreduce, bound_on(half, Collective::allreduce)));
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
  CHECK(is_reached(*graph, *network, Collective::allgather, bound_on(*network, Collective::allgather)));
  CHECK_FALSE(is_reached(*graph, *network, Collective::allreduce, bound_on(*network, Collective::allreduce)));
}

namespace {

void require_none_faster(bool all) {
  struct On {
    std::vector<Rank> shape;
    std::vector<std::string> topologies;
  };
  const std::string fat_tree = "fat-tree:radix=4,taper=2";
  int judged = 0, uneven = 0;
  for (const On& on :
       {On{{2}, {"torus", "full"}}, On{{6}, {"torus", "mesh", "full", fat_tree, "dragonfly", "mesh:duplex=half"}},
        On{{7}, {"torus", "mesh", "full", fat_tree, "dragonfly"}},
        On{{2, 4}, {"torus", "mesh", "hyperx", "full", fat_tree}}, On{{3, 3}, {"torus", "mesh", "hyperx"}},
        On{{4, 4}, {"torus", "mesh", "hyperx", "hx2mesh", "dragonfly", fat_tree, "torus:duplex=half"}},
        On{{64}, {"torus"}}, On{{8, 8}, {"torus", "mesh"}}}) {
    if (!all && (on.shape.size() != 2 || on.shape[0] == 8)) continue;
    std::vector<Network> networks;
    for (const std::string& topology : on.topologies) networks.push_back(network_of(topology, on.shape));
    for_each_schedule(on.shape, [&](const Schedule& schedule) {
      const auto& header = schedule.header();
      if (!is_bounded(header.collective)) return;
      if (verify(schedule, {}).verdict != Verdict::pass) return;  // what a paper prints wrong may well be faster
      if (!demand_of(header).parts.empty()) ++uneven;
      for (const Network& network : networks) {
        INFO(network.name() << " " << header.algorithm << " " << name(header.collective));
        const auto measured = contention(schedule, network, {});
        const auto least = least_time(network, header);
        const auto timed = cost(schedule, network, {}, {});
        REQUIRE((measured && least && timed));
        CHECK(measured->time / header.blocks >= least->vectors);
        for (const double bytes : {1.0, 1e5, 1e12}) CHECK(timed->time(bytes) >= least->time(bytes) * (1 - 1e-9));
        if (header.ranks < 10 && network.link_count() < 50)
          CHECK(simulate_each(schedule, network, {}, {}, {1e6})->front() >= least->time(1e6) * (1 - 1e-9));
        ++judged;
      }
    });
  }
  CHECK(judged > (all ? 1000 : 300));
  CHECK((uneven > 0 || !all));
}

}  // namespace

TEST_CASE("no algorithm of the catalogue is faster than the bound, on small networks of two sides") {
  require_none_faster(false);
}

TEST_CASE("no algorithm of the catalogue is faster than the bound", "[long]") {
  require_none_faster(true);
}

TEST_CASE("time of steps is that of the hottest link, or of the ports that carry more") {
  const Network network = network_of("torus", {7});
  for_each_schedule({7}, [&](const Schedule& schedule) {
    const auto measured = contention(schedule, network, {});
    REQUIRE(measured);
    const auto timed = cost(schedule, network_of("torus", {7}), {}, {});
    const double bytes = 1e15, block = bytes / schedule.header().blocks;
    CHECK(timed->time(bytes) ==
          Approx(static_cast<double>(measured->time) * block * 8 / network.port_bandwidth()).epsilon(1e-6));
  });
}

TEST_CASE("bounds of parts of different sizes are those of all cuts, one by one") {
  std::mt19937 random(2);
  for (int k = 0; k < 100; ++k) {
    const Network network = random_network(random);
    Demand demand{k % 2 == 0 ? Collective::allgather : Collective::reduce_scatter};
    for (Rank r = 0; r < network.ranks(); ++r) demand.parts.push_back(static_cast<Whole>(random() % 4));
    demand.parts[random() % demand.parts.size()] = 3;
    CAPTURE(k, demand.parts);
    const double all = static_cast<double>(std::accumulate(demand.parts.begin(), demand.parts.end(), Whole{0}));
    const auto share = [&](unsigned ranks) {
      double inside = 0;
      for (std::size_t r = 0; r < demand.parts.size(); ++r) inside += ranks >> r & 1 ? double(demand.parts[r]) : 0;
      return inside / all;
    };
    const auto bound = time_bound(*port_graph(network), demand, unlimited);
    REQUIRE(bound);
    CHECK(static_cast<double>(bound->vectors) ==
          Approx(worst_cut(network, demand.collective == Collective::reduce_scatter, share)).epsilon(1e-12));
    check_certificate(network, *bound);
  }
}

TEST_CASE("ranks that a symmetry takes to each other change no bound") {
  int alike = 0;
  for (const auto& [topology, shape] :
       std::vector<std::pair<std::string, std::vector<Rank>>>{{"torus", {4, 6}},
                                                              {"torus", {2, 2}},
                                                              {"mesh", {3, 4}},
                                                              {"hyperx", {3, 5}},
                                                              {"full", {9}},
                                                              {"hx2mesh", {4, 4}},
                                                              {"hx4mesh", {4, 8}},
                                                              {"fat-tree:radix=4,taper=3", {13}},
                                                              {"fat-tree:radix=8", {20}},
                                                              {"dragonfly", {30}}}) {
    Network network = network_of(topology, shape);
    CAPTURE(network.name());
    for (const bool is_shuffled : {false, true}) {
      if (is_shuffled) {
        std::vector<Node> seats(static_cast<std::size_t>(network.ranks()));
        std::iota(seats.begin(), seats.end(), Node{0});
        std::shuffle(seats.begin(), seats.end(), std::mt19937(7));
        network.place(seats);
      }
      auto graph = *port_graph(network);
      std::vector<TimeBound> found;
      for (const Collective c : {Collective::allgather, Collective::reduce_scatter, Collective::allreduce})
        found.push_back(*time_bound(graph, {c}, unlimited));
      for (std::size_t r = 0; r < graph.orbits.size(); ++r) {
        alike += graph.orbits[r] != static_cast<Rank>(r) ? 1 : 0;
        graph.orbits[r] = static_cast<Rank>(r);
      }
      CHECK(found[0].vectors == time_bound(graph, {Collective::allgather}, unlimited)->vectors);
      CHECK(found[1].vectors == time_bound(graph, {Collective::reduce_scatter}, unlimited)->vectors);
      CHECK(found[2].vectors == time_bound(graph, {Collective::allreduce}, unlimited)->vectors);
      // A bound that was found early is one all the same.
      for (const std::uint64_t budget : {0, 100, 1000, 5000})
        if (const auto early = time_bound_within(graph, {Collective::allreduce}, budget))
          CHECK(early->vectors <= found[2].vectors);
      int farthest_pair = 0;
      for (Rank root = 0; root < network.ranks(); ++root)
        farthest_pair = std::max(farthest_pair, farthest(network, Collective::broadcast, root).messages);
      CHECK(farthest(network, Collective::allgather, 0).messages == farthest_pair);
    }
  }
  CHECK(alike > 100);
}

TEST_CASE("few flows settle a mesh, and none a torus") {
  const auto mesh = *port_graph(network_of("mesh", {32, 32}));
  CHECK(time_bound(mesh, {Collective::allgather}, 1'000'000)->vectors == Rational(1023, 2048));
  CHECK(time_bound(mesh, {Collective::broadcast}, 1'000'000)->vectors == Rational(1, 2));
  const auto torus = *port_graph(network_of("torus", {32, 32}));
  CHECK(time_bound(torus, {Collective::allgather}, torus.arcs.size())->vectors == Rational(1023, 4096));
  CHECK(time_bound(torus, {Collective::allreduce}, torus.arcs.size())->is_of_halves);
}

TEST_CASE("ranks that differ are not alike") {
  const Network uneven("uneven", 3, 4, 1,
                       {{0, 3, 1, 0}, {3, 0, 1, 0}, {1, 3, 1, 0}, {3, 1, 1, 0}, {2, 3, 1, 5}, {3, 2, 1, 0}});
  CHECK(rank_orbits(uneven) == std::vector<Rank>{0, 0, 2});
  Network silent("silent", 2, 3, 1, {{0, 2, 1, 0}, {2, 0, 1, 0}, {1, 2, 1, 0}, {2, 1, 1, 0}});
  CHECK(rank_orbits(silent) == std::vector<Rank>{0, 0});
  silent.set_forwards({true, false, true});
  CHECK(rank_orbits(silent) == std::vector<Rank>{0, 1});
  CHECK(rank_orbits(network_of("mesh", {3})) == std::vector<Rank>{0, 1, 2});
  CHECK(rank_orbits(network_of("hx2mesh", {2, 4})) == std::vector<Rank>{0, 1, 0, 1, 0, 1, 0, 1});
}

TEST_CASE("an allreduce as slow as a reduce-scatter and an allgather reaches its bound") {
  for (const auto& [topology, shape, is_of_halves] :
       std::vector<std::tuple<std::string, std::vector<Rank>, bool>>{{"torus", {4, 4}, true},
                                                                     {"hyperx", {2, 4}, true},
                                                                     {"full", {5}, true},
                                                                     {"fat-tree:radix=4,taper=2", {8}, true},
                                                                     {"mesh", {4, 4}, false}}) {
    const Network network = network_of(topology, shape);
    CAPTURE(network.name());
    const auto graph = port_graph(network);
    const TimeBound bound = bound_on(network, Collective::allreduce);
    const Rational halves = time_on(network, Collective::reduce_scatter) + time_on(network, Collective::allgather);
    CHECK(bound.vectors <= halves);
    CHECK((bound.vectors == halves) == is_of_halves);
    CHECK(is_reached(*graph, network, Collective::allreduce, bound) == is_of_halves);
  }
}

TEST_CASE("trees under lengths that are the same both ways are those of all distances") {
  std::mt19937 random(3);
  for (int k = 0; k < 300; ++k) {
    const auto one_way = port_graph(random_network(random));
    PortGraph graph = *one_way;
    graph.arcs.clear();
    Lengths lengths;
    for (std::size_t l = 0; l < one_way->arcs.size(); ++l) {
      const auto& arc = one_way->arcs[l];
      const Whole length = l < static_cast<std::size_t>(graph.links) ? static_cast<Whole>(random() % 3) : 0;
      graph.arcs.push_back(arc);
      graph.arcs.push_back({arc.to, arc.from, arc.capacity});
      lengths.insert(lengths.end(), 2, length);
    }
    REQUIRE(are_lengths_two_way(graph, lengths));
    const auto tree = two_way_tree(graph, Outgoing(graph.vertices, graph.arcs), lengths);
    CHECK(tree.length == spanning_tree(graph, lengths));
    Whole sum = 0;
    for (const std::size_t arc : tree.arcs) sum += lengths[arc];
    CHECK(sum == tree.length);
  }
  const auto path = port_graph(Network("path", 2, 2, 1, {{0, 1, 1, 0}, {1, 0, 1, 0}}));
  Lengths lengths(path->arcs.size(), 0);
  CHECK(are_lengths_two_way(*path, lengths));
  lengths[0] = 1;
  CHECK_FALSE(are_lengths_two_way(*path, lengths));
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

TEST_CASE("a bandwidth is the simplest fraction that is rounded to it") {
  CHECK(meant_by(400) == 400);
  CHECK(meant_by(0.1) == Rational(1, 10));
  CHECK(meant_by(400.0 / 3) == Rational(400, 3));
  CHECK(meant_by(123.4567) == Rational(1234567, 10000));
  CHECK(meant_by(1e-6) == Rational(1, 1000000));
  CHECK(meant_by(1e15) == Rational(std::int64_t{1000000000000000}));
  std::mt19937 random(4);
  for (int k = 0; k < 1000; ++k) {
    const auto above = static_cast<std::int64_t>(random() % 100000 + 1),
               below = static_cast<std::int64_t>(random() % 1000 + 1);
    CHECK(meant_by(static_cast<double>(above) / static_cast<double>(below)) == Rational(above, below));
  }
}

TEST_CASE("bandwidths are decimals, and numbers that don't fit are refused") {
  const Network tenths("tenths", 2, 2, 4, {{0, 1, 0.1, 0}, {1, 0, 0.3, 0}});
  CHECK(time_on(tenths, Collective::broadcast, 0) == 1);
  CHECK(time_on(tenths, Collective::broadcast, 1) == Rational(1, 3));
  CHECK_FALSE(port_graph(Network("far apart", 2, 2, 1, {{0, 1, 1e-6, 0}, {1, 0, 1e15, 0}})));
  const auto graph = port_graph(network_of("torus", {4, 4}));
  CHECK_FALSE(time_bound(*graph, {Collective::allgather}, 10));
}

TEST_CASE("what owns nothing counts neither for the latency nor as all ranks do") {
  // A path 0 - 1 - 2 - 3 of links of 100 ns: rank 1 is two links from the farthest rank, not three.
  std::vector<LinkData> links;
  for (Node n = 0; n < 3; ++n)
    for (const auto& [from, to] : {std::pair(n, n + 1), std::pair(n + 1, n)}) links.push_back({from, to, 100, 100});
  const Network path("path", 4, 4, 2, links);
  for (const Collective collective : {Collective::reduce_scatter, Collective::allgather}) {
    const Header all{.collective = collective, .ranks = 4, .blocks = 4};
    const Header one{.collective = collective, .ranks = 4, .blocks = 4, .owners = {1, 1, 1, 1}};
    CHECK(least_time(path, all)->latency == 300);
    CHECK(least_time(path, one)->latency == 200);
    CHECK_FALSE(demand_of(one).all_own());
    CHECK(demand_of(all).all_own());
  }
}

TEST_CASE("a search that ended early doesn't call its bound reached") {
  std::vector<LinkData> links;
  for (Node n = 0; n < 40; ++n) {
    const double bandwidth = n == 35 ? 1 : 400;
    links.push_back({n, (n + 1) % 40, bandwidth, 1});
    links.push_back({(n + 1) % 40, n, bandwidth, 1});
  }
  const Network ring("ring", 40, 40, 1000, links);
  const Header header{.collective = Collective::allgather, .ranks = 40, .blocks = 40};
  const auto whole = least_time(ring, header), early = least_time(ring, header, 400);
  REQUIRE(whole);
  CHECK(whole->is_reached);
  if (early) {
    CHECK(early->vectors <= whole->vectors);
    CHECK_FALSE(early->is_reached);
  }
}

TEST_CASE("the bound of ports is what a search finds that may look at no flow") {
  std::mt19937 random(8);
  for (int k = 0; k < 60; ++k) {
    const Network network = random_network(random);
    const auto graph = port_graph(network);
    REQUIRE(graph);
    CAPTURE(k, network.ranks(), network.nodes(), network.ports(), network.link_count());
    for (const Collective collective : {Collective::allreduce, Collective::allgather, Collective::reduce_scatter}) {
      Demand demand{.collective = collective};
      if (k % 2 == 1 && collective != Collective::allreduce)
        for (Rank r = 0; r < network.ranks(); ++r) demand.parts.push_back((r + k / 2) % 3);
      const auto bound = time_bound_within(*graph, demand, 0);
      REQUIRE(bound);
      CHECK(time_bound_of_ports(network, demand) == bound->vectors);
    }
    CHECK_FALSE(time_bound_of_ports(network, {.collective = Collective::broadcast}));
    CHECK_FALSE(time_bound_within(*graph, {.collective = Collective::broadcast}, 0));
  }
}

TEST_CASE("nodes that no rank reaches change nothing") {
  std::vector<LinkData> links;
  for (const auto& [a, b] : {std::pair(0, 3), std::pair(1, 3), std::pair(2, 3)})
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) links.push_back({from, to, 100, 1});
  const Network star("star", 3, 4, 1, links);
  for (const auto& [from, to] : {std::pair(4, 5), std::pair(5, 4)}) links.push_back({from, to, 100, 1});
  const Network more("star and two nodes", 3, 6, 1, links);
  const Header header{.collective = Collective::allreduce, .ranks = 3, .blocks = 3};
  CHECK(least_time(star, header)->vectors == least_time(more, header)->vectors);
}

}  // namespace bounds_test
