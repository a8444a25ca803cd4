// Any algorithm within nodes, any across them: right for all pairs of rows, as long and as large as their parts.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"

namespace hierarchical_test {

using namespace onceover::support;

namespace {

const Algorithm& row = *find_algorithm("hierarchical");

Request composed(Collective collective, Rank nodes, Rank places, std::string within, std::string across) {
  return {.collective = collective,
          .shape = {nodes * places},
          .settings = {{"nodes", std::to_string(nodes)}, {"within", std::move(within)}, {"across", std::move(across)}}};
}

/// The rows of the catalogue, and some of their settings.
std::vector<std::string> parts() {
  std::vector<std::string> all{"ring:order=even-odd",
                               "bruck:order=far",
                               "binomial-tree:order=far",
                               "rabenseifner:order=far",
                               "rabenseifner:remainder=fold-neighbours",
                               "rabenseifner:remainder=eliminate-3-2",
                               "recursive-doubling:remainder=fold-neighbours",
                               "mirrored-recursive-doubling:version=latency",
                               "pat:aggregation=1",
                               "generalized:group=xor",
                               "generalized:removed-steps=1",
                               "hierarchical:nodes=3"};
  for (const Algorithm& each : catalogue())
    if (!each.as_printed) all.emplace_back(each.name);
  return all;
}

int steps_of(std::string_view part, Collective collective, Rank ranks) {
  return find_algorithm(part)->make(on_line(collective, ranks))->steps();
}

std::string why(const Request& request) {
  return refusal(row, request).value_or("");
}

}  // namespace

TEST_CASE("hierarchical: all pairs of rows, within nodes and across them, are right, and both engines agree") {
  std::map<Collective, std::set<std::string>> met;
  int schedules = 0;
  for (const auto& [nodes, places] : std::vector<std::pair<Rank, Rank>>{{1, 4}, {2, 3}, {3, 2}, {3, 4}, {4, 3}, {5, 1}})
    for (const std::string& within : parts())
      for (const std::string& across : parts())
        for (const Collective collective : row.collectives) {
          const Request request = composed(collective, nodes, places, within, across);
          if (refusal(row, request)) continue;
          CAPTURE(name(collective), nodes, places, within, across);
          const SchedulePtr schedule = row.make(request);
          REQUIRE(disagreement(*schedule) == "");
          REQUIRE(verify(*schedule).verdict == Verdict::pass);
          met[collective].insert(within);
          met[collective].insert(across);
          ++schedules;
        }
  CHECK(schedules > 2000);
  CHECK(met[Collective::allreduce].size() > 20);
  CHECK(met[Collective::reduce_scatter].size() > 10);
  CHECK(met[Collective::broadcast].size() > 4);
}

TEST_CASE("hierarchical: what the domain leaves out is what the parts leave out") {
  for (const Rank nodes : {1, 2, 3, 4, 6})
    for (const Rank places : {1, 2, 3, 4, 6})
      for (const std::string& part : parts()) {
        const auto words = part.substr(0, part.find(':'));
        if (words != part || words == "hierarchical") continue;
        const Algorithm& alone = *find_algorithm(words);
        for (const Collective collective : {Collective::reduce_scatter, Collective::allgather, Collective::broadcast}) {
          CAPTURE(part, nodes, places, name(collective));
          const bool is_within = !refusal(alone, on_line(collective, places));
          const bool is_across = !refusal(alone, on_line(collective, nodes));
          REQUIRE(why(composed(collective, nodes, places, part, "swing")).empty() == is_within);
          REQUIRE(why(composed(collective, nodes, places, "swing", part)).empty() == is_across);
        }
      }
}

TEST_CASE("hierarchical: trees of nodes have every root, and both engines agree") {
  for (const Rank nodes : {1, 2, 3, 5})
    for (const Rank places : {1, 2, 3, 4})
      for (const char* within : {"swing", "binomial-tree", "chain", "hierarchical:nodes=1"})
        for (const Collective collective : {Collective::broadcast, Collective::reduce})
          for (Rank root = 0; root < nodes * places; ++root) {
            Request request = composed(collective, nodes, places, within, "binomial-tree:order=far");
            request.root = root;
            CAPTURE(nodes, places, within, root, name(collective));
            REQUIRE(why(request).empty());
            REQUIRE(disagreement(*row.make(request)) == "");
            REQUIRE(verify(*row.make(request)).verdict == Verdict::pass);
          }
}

TEST_CASE("hierarchical: the steps are those of the phases, and p-1 blocks of each rank if the parts send so many") {
  for (const Rank nodes : {1, 2, 3, 5, 8})
    for (const Rank places : {1, 2, 4, 7}) {
      CAPTURE(nodes, places);
      const Rank p = nodes * places;
      const auto metrics = [&](Collective collective, const char* within, const char* across) {
        return verify(*row.make(composed(collective, nodes, places, within, across))).metrics;
      };
      const Metrics half = metrics(Collective::reduce_scatter, "ring", "swing");
      CHECK(half.steps == places - 1 + steps_of("swing", Collective::reduce_scatter, nodes));
      CHECK(half.block_transfers == static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(p - 1));
      const Metrics both = metrics(Collective::allreduce, "ring", "recursive-doubling");
      CHECK(both.steps == 2 * (places - 1) + steps_of("recursive-doubling", Collective::allreduce, nodes));
      const Metrics tree = metrics(Collective::allreduce, "binomial-tree", "ring");
      CHECK(tree.steps == 2 * steps_of("binomial-tree", Collective::reduce, places) + 2 * (nodes - 1));
      // A tree of blocks for each node: within the nodes, and across them by place 0 alone.
      CHECK(tree.block_transfers == static_cast<std::uint64_t>(2 * nodes * (p - 1)));
    }
}

TEST_CASE("hierarchical: messages within nodes stay there, and those across join equal places") {
  const PlainSchedule schedule = plain(*row.make(composed(Collective::allreduce, 3, 4, "ring", "swing")));
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    for (const PlainTransfer& t : schedule.steps[s]) {
      const bool is_within = s < 3 || s + 3 >= schedule.steps.size();
      CHECK((is_within ? t.src / 4 == t.dst / 4 : t.src % 4 == t.dst % 4));
    }
}

TEST_CASE("hierarchical: ranks have places in nodes, and steps their phases") {
  const SchedulePtr whole = row.make(composed(Collective::allreduce, 3, 4, "ring", "swing"));
  const Names& names = whole->header().names;
  CHECK(names.grid == std::vector<Names::Axis>{{"node", 3}, {"place", 4}});
  CHECK(names.phases == std::vector<Names::Phase>{{"reduce-scatter within nodes", 0},
                                                  {"allreduce across nodes", 3},
                                                  {"allgather within nodes", whole->steps() - 3}});
  CHECK(names.rank(11) == "11 (node 2, place 3)");
  const SchedulePtr tree = row.make(composed(Collective::broadcast, 3, 4, "binomial-tree", "chain"));
  CHECK(tree->header().names.phases ==
        std::vector<Names::Phase>{{"broadcast across nodes", 0}, {"broadcast within nodes", 2}});
  // Parts of one rank have no steps, and so no phase.
  const SchedulePtr flat = row.make(composed(Collective::allreduce, 1, 4, "ring", "ring"));
  CHECK(flat->header().names.phases ==
        std::vector<Names::Phase>{{"reduce-scatter within nodes", 0}, {"allgather within nodes", 3}});
  // A part's own names would be those of other ranks.
  const SchedulePtr nested = row.make(composed(Collective::allreduce, 2, 4, "hierarchical:nodes=2", "ring"));
  CHECK(nested->header().names.grid == std::vector<Names::Axis>{{"node", 2}, {"place", 4}});
}

TEST_CASE("hierarchical: of one node it is the part within, of one rank a node the part across") {
  for (const char* part : {"swing", "ring", "bruck", "generalized"})
    for (Rank p = 1; p <= 12; ++p)
      for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather}) {
        CAPTURE(part, p, name(collective));
        const auto steps = plain(*find_algorithm(part)->make(on_line(collective, p))).steps;
        CHECK(plain(*row.make(composed(collective, 1, p, part, "swing"))).steps == steps);
        CHECK(plain(*row.make(composed(collective, p, 1, "swing", part))).steps == steps);
      }
}

TEST_CASE("hierarchical: refusals say which part, and why") {
  constexpr Collective allreduce = Collective::allreduce;
  CHECK(why({.shape = {7}}) == "hierarchical: 7 ranks can't be divided into 2 equal nodes; see --set nodes=K");
  CHECK(why(composed(allreduce, 2, 3, "rign", "swing")) ==
        "hierarchical: within: no algorithm 'rign'; did you mean 'ring'?");
  CHECK(why(composed(allreduce, 2, 3, "ring", "swing-delta")) ==
        "hierarchical: across: swing-delta is wrong, as printed");
  CHECK(why(composed(allreduce, 2, 3, "ring:even-odd", "swing")) ==
        "hierarchical: within: a setting is name=value, not 'even-odd'");
  CHECK(why(composed(allreduce, 2, 3, "ring:ordre=even-odd", "swing")) ==
        "hierarchical: within: ring has no parameter 'ordre'; did you mean 'order'?; it has order");
  CHECK(why(composed(allreduce, 2, 3, "rabenseifner", "swing")) ==
        "hierarchical: within: rabenseifner does reduce-scatter only for powers of two, and p = 3 is not one; its "
        "allreduce takes any p");
  CHECK(why(composed(allreduce, 2, 3, "swing", "pat")) ==
        "hierarchical: across: pat has no allreduce; it has allgather, reduce-scatter");
  CHECK(why(composed(Collective::broadcast, 2, 3, "ring", "swing")) ==
        "hierarchical: within: ring has no broadcast; it has allreduce, reduce-scatter, allgather");
}

}  // namespace hierarchical_test
