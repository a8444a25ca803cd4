// Algorithms on tori, with lanes and parameters: right everywhere in their domains, and alike where theory says so.

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"

namespace tori_test {

using namespace onceover::support;

namespace {

using Settings = std::map<std::string, std::string, std::less<>>;

/// Every combination of settings that makes a difference: all choices, and a few numbers.
std::vector<Settings> all_settings(const Algorithm& row) {
  std::vector<Settings> all{{}};
  for (const Parameter& p : row.parameters) {
    std::vector<std::string> values(p.choices.begin(), p.choices.end());
    if (p.name == "aggregation") values = {"full", "1", "2", "4", "8", "16", "32", "64"};
    if (p.name == "radix") values = {"2", "3", "4", "5", "8", "64"};
    if (p.name == "removed-steps") values = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    if (p.name == "group")
      values = {"cyclic", "xor", "2x3", "3x2", "3x5", "2x2x7", "2x2x3", "4x4", "3x3", "5x5", "2x3x5", "3x9"};
    if (p.name == "segments") values = {"1", "2", "5"};
    if (p.name == "nodes") values = {"1", "2", "3", "5"};
    if (p.name == "within") values = {"swing", "rabenseifner:order=far", "binomial-tree"};
    if (p.name == "across") values = {"swing", "ring", "rabenseifner:remainder=eliminate-3-2"};
    std::vector<Settings> longer;
    for (const Settings& settings : all)
      for (const std::string& value : values) {
        longer.push_back(settings);
        longer.back()[std::string(p.name)] = value;
      }
    all = std::move(longer);
  }
  return all;
}

/// Calls visit(row, request) for all of the row's collectives, settings and lanes on a shape, inside its domain.
template <class Visit>
void for_each_request(const Algorithm& row, const std::vector<Rank>& shape, Visit&& visit) {
  if (row.as_printed) return;
  for (const Collective collective : row.collectives)
    for (const bool all_lanes : {false, true})
      for (const Settings& settings : all_settings(row)) {
        const Request request{collective, shape, all_lanes, settings};
        if (!refusal(row, request)) visit(request);
      }
}

std::string text_of(const Algorithm& row, const Request& request) {
  std::string text =
      std::string(row.name) + " " + std::string(name(request.collective)) + " " + shape_text(request.shape);
  for (const auto& [key, value] : request.settings) text += " " + key + "=" + value;
  return text + (request.all_lanes ? " all lanes" : "");
}

/// All shapes with `sides` sides of at least `least` and at most `ranks` ranks.
void add_shapes(std::size_t sides, Rank ranks, std::vector<Rank> begun, std::vector<std::vector<Rank>>& shapes) {
  if (begun.size() == sides) return shapes.push_back(begun);
  for (Rank side = 2; side <= ranks; ++side) {
    begun.push_back(side);
    add_shapes(sides, ranks / side, begun, shapes);
    begun.pop_back();
  }
}

std::vector<std::vector<Rank>> shapes_of(std::size_t sides, Rank ranks) {
  std::vector<std::vector<Rank>> shapes;
  add_shapes(sides, ranks, {}, shapes);
  return shapes;
}

/// Those of at most `all` ranks, and of the larger ones the shapes with their sides in order.
std::vector<std::vector<Rank>> shapes_thinned(std::size_t sides, Rank all, Rank ranks) {
  std::vector<std::vector<Rank>> shapes = shapes_of(sides, ranks);
  std::erase_if(shapes, [&](const std::vector<Rank>& shape) {
    return Request{.shape = shape}.ranks() > all && !std::is_sorted(shape.begin(), shape.end());
  });
  return shapes;
}

std::vector<std::vector<Rank>> shapes_up_to(Rank ranks) {
  std::vector<std::vector<Rank>> shapes;
  for (const std::size_t sides : {2, 3, 4}) add_shapes(sides, ranks, {}, shapes);
  return shapes;
}

std::uint64_t count_passes(const std::vector<std::vector<Rank>>& shapes, bool with_reference) {
  std::uint64_t schedules = 0;
  for (const Algorithm& row : catalogue())
    for (const auto& shape : shapes)
      for_each_request(row, shape, [&](const Request& request) {
        const SchedulePtr schedule = row.make(request);
        CAPTURE(text_of(row, request));
        if (with_reference) REQUIRE(disagreement(*schedule) == "");
        REQUIRE(verify(*schedule, {.threads = 1}).verdict == Verdict::pass);
        ++schedules;
      });
  return schedules;
}

/// The transfers of each step as a set: the order in which they are written doesn't matter.
std::vector<std::set<std::tuple<Rank, Rank, std::vector<Block>, Op>>> as_sets(const PlainSchedule& plain) {
  std::vector<std::set<std::tuple<Rank, Rank, std::vector<Block>, Op>>> steps;
  for (const auto& step : plain.steps) {
    auto& set = steps.emplace_back();
    for (const auto& t : step) set.emplace(t.src, t.dst, t.blocks, t.op);
  }
  return steps;
}

std::vector<std::set<std::tuple<Rank, Rank, std::vector<Block>, Op>>> steps_of(std::string_view name,
                                                                               const Request& request) {
  const Algorithm& row = *find_algorithm(name);
  REQUIRE_FALSE(refusal(row, request));
  return as_sets(plain(*row.make(request)));
}

Metrics metrics_of(std::string_view name, const Request& request) {
  const Algorithm& row = *find_algorithm(name);
  REQUIRE_FALSE(refusal(row, request));
  return verify(*row.make(request)).metrics;
}

int floor_log2(Rank n) {
  int log = 0;
  while ((2 << log) <= n) ++log;
  return log;
}

int ceil_log2(Rank n) {
  int log = 0;
  while ((1 << log) < n) ++log;
  return log;
}

}  // namespace

TEST_CASE("every algorithm passes on small tori, with all lanes and settings, and both engines agree") {
  REQUIRE(count_passes(shapes_up_to(16), true) > 250);
  REQUIRE(count_passes({{1, 5}, {4, 1}, {1, 1}, {6, 10}, {3, 5, 7}, {2, 4}, {7, 7}, {5, 8}, {2, 2, 2, 3}}, false) > 50);
}

TEST_CASE("every algorithm passes on lines with all settings, and both engines agree") {
  std::vector<std::vector<Rank>> lines;
  for (Rank p = 1; p <= 24; ++p) lines.push_back({p});
  for (const Rank p : {27, 32, 33}) lines.push_back({p});
  REQUIRE(count_passes(lines, true) > 600);
}

TEST_CASE("both engines agree on some lines to 49 ranks and on tori to 24, with all settings", "[long]") {
  REQUIRE(count_passes({{35}, {36}, {41}, {48}, {49}}, true) > 100);
  REQUIRE(count_passes(shapes_up_to(24), true) > 500);
  std::vector<std::vector<Rank>> lines;
  for (Rank p = 25; p <= 34; ++p) lines.push_back({p});
  REQUIRE(count_passes(lines, true) > 100);
}

TEST_CASE("both engines agree on lines to 72 ranks and on tori to 40, with all settings", "[long]") {
  std::vector<std::vector<Rank>> lines;
  for (Rank p = 35; p <= 72; ++p) lines.push_back({p});
  REQUIRE(count_passes(lines, true) > 1000);
  REQUIRE(count_passes(shapes_up_to(40), true) > 1000);
}

TEST_CASE("both engines agree on some lines and tori of more than a hundred ranks", "[long]") {
  REQUIRE(count_passes({{127}, {130}, {6, 20}, {5, 5, 5}, {2, 3, 4, 5}}, true) > 50);
}

TEST_CASE("every algorithm passes for some p to 130, and on some tori to 96 ranks") {
  REQUIRE(count_passes({{65}, {96}, {127}, {128}, {130}}, false) > 100);
  REQUIRE(count_passes({{8, 9}, {12, 8}, {16, 6}, {3, 4, 7}, {2, 3, 4, 4}}, false) > 50);
}

TEST_CASE("every algorithm passes for every p to 130", "[long]") {
  std::vector<std::vector<Rank>> lines;
  for (Rank p = 1; p <= 130; ++p) lines.push_back({p});
  REQUIRE(count_passes(lines, false) > 3000);
}

TEST_CASE("every algorithm passes on every torus of two to four sides to 96 ranks, beyond 64 with the longest last",
          "[long]") {
  for (const std::size_t sides : {2, 3, 4}) REQUIRE(count_passes(shapes_thinned(sides, 64, 96), false) > 300);
}

TEST_CASE("every algorithm passes on every torus of two sides to 256 ranks", "[long]") {
  REQUIRE(count_passes(shapes_of(2, 256), false) > 5000);
}

TEST_CASE("every algorithm passes on every torus of three sides to 256 ranks, beyond 160 with the longest last",
          "[long]") {
  REQUIRE(count_passes(shapes_thinned(3, 160, 256), false) > 4000);
}

TEST_CASE("every algorithm passes on every torus of four sides to 256 ranks, beyond 100 with the longest last",
          "[long]") {
  REQUIRE(count_passes(shapes_thinned(4, 100, 256), false) > 1500);
}

TEST_CASE("a collective with a root passes with every root, on lines and tori to 12 ranks, and both engines agree") {
  int passes = 0;
  std::vector<std::vector<Rank>> shapes = shapes_up_to(12);
  for (Rank p = 1; p <= 12; ++p) shapes.push_back({p});
  for (const Algorithm& row : catalogue())
    for (const auto& shape : shapes)
      for_each_request(row, shape, [&](Request request) {
        if (!is_rooted(request.collective)) return;
        for (request.root = 0; request.root < request.ranks(); ++request.root) {
          const SchedulePtr schedule = row.make(request);
          CAPTURE(text_of(row, request), request.root);
          REQUIRE(schedule->header().root == request.root);
          REQUIRE(verify(*schedule).verdict == Verdict::pass);
          REQUIRE(disagreement(*schedule) == "");
          ++passes;
        }
      });
  REQUIRE(passes > 1000);
}

TEST_CASE("with another root all ranks of a torus move along with it") {
  auto request = [](Rank root) {
    return Request{.collective = Collective::broadcast, .shape = {3, 4}, .all_lanes = true, .root = root};
  };
  const Algorithm& swing = *find_algorithm("swing");
  const PlainSchedule from_0 = plain(*swing.make(request(0)));
  const PlainSchedule from_7 = plain(*swing.make(request(7)));  // in row 1 and column 3
  auto moved = [](Rank r) { return (r / 4 + 1) % 3 * 4 + (r % 4 + 3) % 4; };
  for (std::size_t s = 0; s < from_0.steps.size(); ++s)
    for (std::size_t k = 0; k < from_0.steps[s].size(); ++k) {
      REQUIRE(from_7.steps[s][k].src == moved(from_0.steps[s][k].src));
      REQUIRE(from_7.steps[s][k].dst == moved(from_0.steps[s][k].dst));
      REQUIRE(from_7.steps[s][k].blocks == from_0.steps[s][k].blocks);
    }
}

TEST_CASE("both views agree on tori too") {
  for (const Algorithm& row : catalogue())
    for (const auto& shape : shapes_up_to(16))
      for_each_request(row, shape, [&](const Request& request) {
        const SchedulePtr schedule = row.make(request);
        CAPTURE(text_of(row, request));
        const SchedulePtr list = listed(plain(*schedule));
        std::vector<std::vector<std::tuple<int, Rank, Rank>>> views;
        for (const Schedule* view : {schedule.get(), list.get()}) {
          auto& moves = views.emplace_back();
          view->traces({0, schedule->header().blocks}, [&](Block, const Trace& trace) {
            std::vector<std::tuple<int, Rank, Rank>> of_block;
            trace.for_each_move(
                [&](int step, Op, BlockTransfer move) { of_block.emplace_back(step, move.dst, move.src); });
            std::stable_sort(of_block.begin(), of_block.end(), [](const auto& a, const auto& b) {
              return std::tuple(std::get<0>(a), std::get<1>(a)) < std::tuple(std::get<0>(b), std::get<1>(b));
            });
            moves.insert(moves.end(), of_block.begin(), of_block.end());
          });
        }
        REQUIRE(views[0] == views[1]);
      });
}

TEST_CASE("swing on tori: steps add up over the sides, p-1 blocks a lane and half (Swing paper, section 4)") {
  for (const auto& shape : shapes_up_to(64))
    for (const bool all_lanes : {false, true}) {
      const Metrics m = metrics_of("swing", {Collective::allreduce, shape, all_lanes});
      int steps = 0;
      Rank p = 1;
      for (const Rank side : shape) steps += ceil_log2(side % 2 == 0 ? side : side - 1), p *= side;
      const std::uint64_t lanes = all_lanes ? 2 * shape.size() : 1;
      CAPTURE(shape, all_lanes);
      REQUIRE(m.steps == 2 * steps);
      REQUIRE(m.block_transfers == 2 * lanes * static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(p - 1));
    }
}

TEST_CASE("swing's first step on a 4x4 torus: the partners of node 0 are 1, 4, 3 and 12 (Swing paper, figure 5)") {
  std::set<Rank> partners;
  const PlainSchedule swing = plain(*find_algorithm("swing")->make({Collective::allreduce, {4, 4}, true}));
  for (const auto& t : swing.steps[0])
    if (t.src == 0) partners.insert(t.dst);
  REQUIRE(partners == std::set<Rank>{1, 3, 4, 12});
}

TEST_CASE("bucket: sum of n-1 steps a half, D (nmax - 1) with all lanes (Swing paper, sections 2.3.4 and 5.2)") {
  for (const auto& shape : shapes_up_to(64)) {
    Rank sum = 0;
    Rank longest = 0;
    for (const Rank side : shape) sum += side - 1, longest = std::max(longest, side);
    REQUIRE(metrics_of("bucket", {Collective::allreduce, shape, false}).steps == 2 * sum);
    REQUIRE(metrics_of("bucket", {Collective::allreduce, shape, true}).steps ==
            2 * static_cast<int>(shape.size()) * (longest - 1));
  }
}

TEST_CASE("bucket: lanes that do not wait take the sum of n-1 steps, and on squares there is nothing to wait for") {
  for (const auto& shape : shapes_up_to(64)) {
    Rank sum = 0;
    for (const Rank side : shape) sum += side - 1;
    const Request request{Collective::allreduce, shape, true, {{"waiting", "no"}}};
    CAPTURE(shape);
    REQUIRE(metrics_of("bucket", request).steps == 2 * sum);
    if (std::set<Rank>(shape.begin(), shape.end()).size() == 1)
      REQUIRE(steps_of("bucket", request) == steps_of("bucket", {Collective::allreduce, shape, true}));
  }
}

TEST_CASE("bucket: lanes that spread their messages take as many steps as lanes that wait, and are theirs on squares") {
  for (const auto& shape : shapes_up_to(64)) {
    const Request request{Collective::allreduce, shape, true, {{"waiting", "spread"}}};
    const Request waiting{Collective::allreduce, shape, true};
    CAPTURE(shape);
    const Metrics spread = metrics_of("bucket", request);
    REQUIRE(spread.steps == metrics_of("bucket", waiting).steps);
    REQUIRE(spread.block_transfers == metrics_of("bucket", waiting).block_transfers);
    if (std::set<Rank>(shape.begin(), shape.end()).size() == 1)
      REQUIRE(steps_of("bucket", request) == steps_of("bucket", waiting));
  }
}

TEST_CASE("recursive doubling takes log2 p steps, folding two more (Swing paper, section 2.3.2)") {
  for (Rank p = 2; p <= 70; ++p) {
    const bool is_power = (p & (p - 1)) == 0;
    REQUIRE(metrics_of("recursive-doubling", on_line(Collective::allreduce, p)).steps ==
            floor_log2(p) + (is_power ? 0 : 2));
    REQUIRE(metrics_of("rabenseifner", on_line(Collective::allreduce, p)).steps ==
            2 * floor_log2(p) + (is_power ? 0 : 2));
  }
}

TEST_CASE("eliminating thirds saves the folding steps while the surplus is at most half, on each side") {
  auto steps_on = [](const std::vector<Rank>& shape) {
    return metrics_of("rabenseifner", {Collective::allreduce, shape, false, {{"remainder", "eliminate-3-2"}}}).steps;
  };
  auto steps_of = [](Rank side) {
    const Rank power = 1 << floor_log2(side);
    return 2 * floor_log2(side) + (side - power > power / 2 ? 2 : 0);
  };
  for (Rank p = 2; p <= 70; ++p) REQUIRE(steps_on({p}) == steps_of(p));
  for (Rank side = 1; side <= 9; ++side)
    for (Rank other = 1; other <= 9; ++other)
      REQUIRE(steps_on({side, other, 3}) == steps_of(side) + steps_of(other) + steps_of(3));
}

TEST_CASE("generalized, cyclic: 2 ceil(log2 p) steps, 2(p-1) blocks (Kolmakov and Zhang, equation 25)") {
  for (Rank p = 2; p <= 130; ++p) {
    const Metrics m = metrics_of("generalized", on_line(Collective::allreduce, p));
    REQUIRE(m.steps == 2 * ceil_log2(p));
    REQUIRE(m.blocks_sent_max == static_cast<std::uint64_t>(2 * (p - 1)));
    REQUIRE(m.blocks_sent_min == m.blocks_sent_max);
  }
}

TEST_CASE("bruck: ceil(log2 p) steps and p-1 blocks, pat with aggregation A: log2 A + p/A - 1 steps for p = 2^L") {
  for (Rank p = 2; p <= 130; ++p)
    for (const char* order : {"near", "far"}) {
      const Metrics m = metrics_of("bruck", {Collective::allgather, {p}, false, {{"order", order}}});
      REQUIRE(m.steps == ceil_log2(p));
      REQUIRE(m.blocks_sent_max == static_cast<std::uint64_t>(p - 1));
    }
  for (int l = 1; l <= 7; ++l)
    for (int a = 0; a <= l; ++a) {
      const Request request{Collective::allgather, {1 << l}, false, {{"aggregation", std::to_string(1 << a)}}};
      REQUIRE(metrics_of("pat", request).steps == a + (1 << (l - a)) - 1);
    }
  for (Rank p = 2; p <= 40; ++p)
    REQUIRE(metrics_of("pat", {Collective::allgather, {p}, false, {{"aggregation", "1"}}}).steps == p - 1);
}

TEST_CASE("with 7 ranks, farthest first, the third step sends one's own block and those of rank-2 and rank-4") {
  const PlainSchedule far =
      plain(*find_algorithm("bruck")->make({Collective::allgather, {7}, false, {{"order", "far"}}}));
  for (const auto& t : far.steps[2]) {
    std::vector<Block> expected{t.src, (t.src + 5) % 7, (t.src + 3) % 7};
    std::sort(expected.begin(), expected.end());
    REQUIRE(t.blocks == expected);
  }
}

TEST_CASE("coincidence: generalized with the xor group is recursive halving, far partners first") {
  for (const Rank p : {1, 2, 4, 8, 16, 32, 64})
    for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather})
      REQUIRE(steps_of("generalized", {collective, {p}, false, {{"group", "xor"}}}) ==
              steps_of("rabenseifner", {collective, {p}, false, {{"order", "far"}}}));
}

TEST_CASE("coincidence: the class report's recursion is Rabenseifner, far partners first") {
  for (const Rank p : {1, 2, 4, 8, 16, 32, 64})
    REQUIRE(steps_of("recursive-halving-doubling", on_line(Collective::allreduce, p)) ==
            steps_of("rabenseifner", {Collective::allreduce, {p}, false, {{"order", "far"}}}));
}

TEST_CASE("bucket one way: D lanes that never share a dimension (Jain and Sabharwal, section 4)") {
  const Request request{Collective::reduce_scatter, {4, 4, 4}, true, {{"directions", "one"}}};
  const PlainSchedule colours = plain(*find_algorithm("bucket")->make(request));
  for (const auto& step : colours.steps) {
    std::set<std::pair<Rank, Rank>> links;
    for (const auto& t : step) REQUIRE(links.emplace(t.src, t.dst).second);
    REQUIRE(links.size() == 3 * 64);
  }
}

TEST_CASE("coincidence: pat with full aggregation is bruck, farthest dimension first") {
  for (Rank p = 1; p <= 70; ++p)
    for (const Collective collective : {Collective::allgather, Collective::reduce_scatter})
      REQUIRE(steps_of("pat", on_line(collective, p)) ==
              steps_of("bruck", {collective, {p}, false, {{"order", "far"}}}));
}

TEST_CASE("coincidence: on a line, bucket is ring, and with both lanes the ring both ways") {
  for (Rank p = 1; p <= 20; ++p) {
    REQUIRE(steps_of("bucket", on_line(Collective::allreduce, p)) ==
            steps_of("ring", on_line(Collective::allreduce, p)));
    REQUIRE(steps_of("bucket", {Collective::allreduce, {p}, true}) ==
            steps_of("hamiltonian-ring", {Collective::allreduce, {p}, true}));
  }
}

TEST_CASE("coincidence: swing with 2 ranks is recursive halving, and with 4 it is, seats 2 and 3 exchanged") {
  for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather}) {
    REQUIRE(steps_of("swing", on_line(collective, 2)) == steps_of("rabenseifner", on_line(collective, 2)));
    auto renamed = plain(*find_algorithm("rabenseifner")->make(on_line(collective, 4)));
    auto seat = [](Rank r) { return r < 2 ? r : 5 - r; };
    for (auto& step : renamed.steps)
      for (auto& t : step) {
        t.src = seat(t.src);
        t.dst = seat(t.dst);
        for (Block& b : t.blocks) b = seat(b);
        std::sort(t.blocks.begin(), t.blocks.end());
      }
    REQUIRE(steps_of("swing", on_line(collective, 4)) == as_sets(renamed));
  }
}

TEST_CASE("lanes in seats of their own: each rank owns one block of each lane, and the halves make the allreduce") {
  for (const char* name : {"hamiltonian-ring", "mirrored-recursive-doubling"})
    for (const auto& shape : {std::vector<Rank>{8}, {4, 2}, {4, 4}, {8, 4}, {4, 8}, {3, 9}, {5, 5}})
      for (const bool all_lanes : {false, true}) {
        const Algorithm& row = *find_algorithm(name);
        const Request half{Collective::reduce_scatter, shape, all_lanes},
            other{Collective::allgather, shape, all_lanes};
        if (refusal(row, half)) continue;
        CAPTURE(name, shape, all_lanes);
        const PlainSchedule down = plain(*row.make(half)), up = plain(*row.make(other));
        REQUIRE(down.header.owners == up.header.owners);
        const Rank p = down.header.ranks;
        for (int lane = 0; lane < down.header.lanes; ++lane) {
          std::set<Rank> owners;
          for (Block b = lane * p; b < (lane + 1) * p; ++b) owners.insert(down.header.owner(b));
          REQUIRE(owners.size() == static_cast<std::size_t>(p));
        }
        auto both = as_sets(down);
        const auto second = as_sets(up);
        both.insert(both.end(), second.begin(), second.end());
        REQUIRE(both == steps_of(name, {Collective::allreduce, shape, all_lanes}));
      }
}

TEST_CASE("the Hamiltonian cycles are used by each lane alone: no link carries two messages of a step") {
  for (const auto& shape :
       {std::vector<Rank>{2, 2}, {4, 2}, {2, 6}, {8, 2}, {3, 3}, {4, 4}, {9, 3}, {3, 9}, {5, 5}, {8, 4}}) {
    const PlainSchedule rings = plain(*find_algorithm("hamiltonian-ring")->make({Collective::allreduce, shape, true}));
    // A side of 2 has two links between its places.
    const auto links_between = [&](Rank a, Rank b) {
      return (a / shape[1] == b / shape[1] ? shape[1] : shape[0]) == 2 ? 2 : 1;
    };
    for (const auto& step : rings.steps) {
      REQUIRE(step.size() == static_cast<std::size_t>(4 * rings.header.ranks));
      std::map<std::pair<Rank, Rank>, int> messages;
      for (const auto& t : step) REQUIRE(++messages[{t.src, t.dst}] <= links_between(t.src, t.dst));
    }
  }
}

TEST_CASE(
    "generalized with removed steps: 2 ceil(log2 p) - r steps, blocks at most formula (36), or (44) for the last r") {
  for (Rank p = 2; p <= 70; ++p)
    for (const char* group : {"cyclic", "xor"})
      for (int r = 0; r <= ceil_log2(p); ++r) {
        const Request request{
            Collective::allreduce, {p}, false, {{"group", group}, {"removed-steps", std::to_string(r)}}};
        if (refusal(*find_algorithm("generalized"), request)) continue;
        const Metrics m = metrics_of("generalized", request);
        const int log = ceil_log2(p);
        const int formula = r < log ? 2 * (p - 1) + ((1 << r) - 1) * (log - 1) : p * log;
        const auto bound = static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(formula);
        const bool is_power = (p & (p - 1)) == 0;
        CAPTURE(p, group, r);
        REQUIRE(m.steps == 2 * log - r);
        REQUIRE(m.block_transfers <= bound);
        REQUIRE(m.blocks_sent_min == m.blocks_sent_max);
        REQUIRE(m.max_sends_per_rank_step == 1);
        if (r == log || (is_power && group == std::string("cyclic"))) REQUIRE(m.block_transfers == bound);
        REQUIRE(m.messages == static_cast<std::uint64_t>(p * m.steps));
      }
}

TEST_CASE(
    "coincidence: generalized with the xor group and nothing to distribute is recursive doubling, far ones first") {
  for (const Rank p : {2, 4, 8, 16, 32, 64}) {
    const std::string removed = std::to_string(ceil_log2(p));
    const auto generalized =
        steps_of("generalized", {Collective::allreduce, {p}, false, {{"group", "xor"}, {"removed-steps", removed}}});
    auto doubling = steps_of("recursive-doubling", on_line(Collective::allreduce, p));
    std::reverse(doubling.begin(), doubling.end());
    REQUIRE(generalized.size() == doubling.size());
    for (std::size_t s = 0; s < doubling.size(); ++s) {
      REQUIRE(generalized[s].size() == doubling[s].size());
      for (const auto& [src, dst, blocks, op] : generalized[s]) {
        REQUIRE(blocks.size() == static_cast<std::size_t>(p));
        REQUIRE(doubling[s].count({src, dst, {0}, op}) == 1);
      }
    }
  }
}

}  // namespace tori_test
