// The view cut: the links that count are thick, ranks inside are filled, and the sum stands below.

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "count.h"
#include "drawn_text.h"
#include "networks.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "viz/cut_grounds.h"
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

namespace {

struct Certified {
  std::shared_ptr<const Network> network;
  PortGraph graph;
  TimeBound bound;
  CutGrounds grounds;
};

Certified certified(Collective collective, const std::string& topology, const std::vector<Rank>& shape) {
  auto network = std::make_shared<const Network>(network_of(topology, shape));
  auto graph = onceover::network::port_graph(*network).value();
  auto bound = onceover::network::time_bound_within(graph, {.collective = collective}, 10'000'000).value();
  auto grounds = grounds_of(bound, *network, graph);
  return {std::move(network), std::move(graph), std::move(bound), std::move(grounds)};
}

Whole capacity_of(const TimeBound& bound) {
  if (const auto* cut = std::get_if<onceover::network::CutProof>(&bound.proof)) return cut->cut.leaving;
  if (const auto* ranks = std::get_if<onceover::network::RanksProof>(&bound.proof)) return ranks->capacity;
  return std::get<onceover::network::LengthsProof>(bound.proof).capacity;
}

Picture folded(Collective collective, const std::string& topology, const std::vector<Rank>& shape) {
  DrawOptions options{.fold = Fold::always};
  options.network = std::make_shared<const Network>(network_of(topology, shape));
  const std::string algorithm = collective == Collective::broadcast ? "chain" : "ring";
  const Request request{.collective = collective, .shape = {options.network->ranks()}};
  auto picture = draw(cut_view, *find_algorithm(algorithm)->make(request), options);
  if (!picture) FAIL(picture.error().message);
  return *std::move(picture);
}

/// The links and ranks that a picture of pieces says count: those drawn thick in a piece, for each node alike.
std::pair<int, int> thick_in(const Picture& picture) {
  struct Piece {
    Point at;
    int alike;
  };
  std::vector<Piece> pieces;
  for (const Text& text : all_of<Text>(picture)) {
    int alike = text.words == "the only one" ? 1 : 0;
    std::sscanf(text.words.c_str(), "one of %d alike", &alike);
    if (alike > 0) pieces.push_back({text.at, alike});
  }
  const auto alike_at = [&](Point at) {
    const Piece* nearest = nullptr;
    for (const Piece& piece : pieces)
      if (piece.at.y > at.y && (!nearest || std::hypot(piece.at.x - at.x, piece.at.y - at.y) <
                                                std::hypot(nearest->at.x - at.x, nearest->at.y - at.y)))
        nearest = &piece;
    return nearest ? nearest->alike : 0;
  };
  std::pair<int, int> thick{0, 0};
  for (const DrawnShape& shape : picture.shapes()) {
    if (shape.role == Role::key) continue;
    if (const auto* line = std::get_if<Polycurve>(&shape.form); line && line->stroke.colour == palette::vermilion)
      thick.first += alike_at(line->shaft.front().from);
    if (const auto* disc = std::get_if<Disc>(&shape.form); disc && disc->border.width > 1)
      thick.second += alike_at(disc->centre);
  }
  return thick;
}

}  // namespace

TEST_CASE("pieces, each as often as there are nodes alike, add up to the certificate's capacity") {
  const std::vector<NamedNetwork> networks = every_topology({4, 4}, {{"mesh", {8, 3}},
                                                                     {"torus", {5}},
                                                                     {"torus", {4, 4, 3}},
                                                                     {"mesh:duplex=half", {4, 4}},
                                                                     {"fat-tree:radix=8,taper=8", {16}},
                                                                     {"full", {20}},
                                                                     {"torus", {16, 16}}});
  for (const auto& [topology, shape] : networks)
    for (const Collective collective : {Collective::allreduce, Collective::allgather, Collective::reduce_scatter,
                                        Collective::broadcast, Collective::reduce})
      for (const bool with_others : {false, true}) {
        CAPTURE(topology, shape, name(collective), with_others);
        const Certified one = certified(collective, topology, shape);
        Whole sum = 0;
        for (const CutPiece& piece : cut_pieces(one.grounds, *one.network, with_others)) {
          Whole of_piece = piece.ports;
          for (const CutPiece::Spoke& spoke : piece.spokes) of_piece += spoke.links * spoke.counts;
          CHECK(of_piece > 0);
          sum += piece.alike * of_piece;
        }
        CHECK(sum == capacity_of(one.bound));
      }
}

TEST_CASE("of nodes alike, one is drawn with its links, and says for how many") {
  const Picture torus = folded(Collective::allreduce, "torus", {64, 64});
  CHECK(thick_in(torus) == std::pair(4 * 4096, 0));
  CHECK(dot_of(torus).find("one of 4096 alike") != std::string::npos);
  std::map<std::string, Point> at;
  for (const Disc& disc : all_of<Disc>(torus)) at.emplace(disc.label, disc.centre);
  REQUIRE(at.size() == 5);
  CHECK((at.at("1").x > at.at("0").x && at.at("1").y == at.at("0").y && at.at("63").x < at.at("0").x));
  CHECK((at.at("64").y > at.at("0").y && at.at("64").x == at.at("0").x && at.at("4032").y < at.at("0").y));

  CHECK(thick_in(folded(Collective::allreduce, "torus", {4096})) == std::pair(2 * 4096, 0));
  CHECK(thick_in(folded(Collective::allreduce, "full", {64})) == std::pair(0, 64));
  const Picture mesh = folded(Collective::allgather, "mesh", {6, 6});
  CHECK(thick_in(mesh) == std::pair(2, 0));
  CHECK_THAT(mesh.note(), Catch::Contains("Of 36 ranks, 35 are inside the cut."));
}

TEST_CASE("pieces of a cut have no faults") {
  const std::vector<NamedNetwork> networks = every_topology({4, 4}, {{"torus", {64, 64}},
                                                                     {"torus", {4096}},
                                                                     {"torus", {8, 8, 8}},
                                                                     {"full", {64}},
                                                                     {"mesh", {6, 6}},
                                                                     {"fat-tree:radix=8,taper=8", {16}},
                                                                     {"mesh:duplex=half", {4, 4}}});
  for (const auto& [topology, shape] : networks)
    for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
      if (shape.front() > 8 && collective == Collective::allgather) continue;
      CAPTURE(topology, shape, name(collective));
      CHECK(faults_of(folded(collective, topology, shape)) == std::vector<std::string>());
    }
}

TEST_CASE("a network that can't be read is drawn in pieces, unless all is asked for") {
  DrawOptions options;
  const SchedulePtr schedule = find_algorithm("swing")->make({.collective = Collective::allreduce, .shape = {64, 64}});
  CHECK(draw(cut_view, *schedule, options));
  options.fold = Fold::never;
  const auto refused = draw(cut_view, *schedule, options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "a row of 64 ranks needs more width than 3.19 in");
}

}  // namespace cut_view_test
