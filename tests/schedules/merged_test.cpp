// Allreduces with one exchange in the middle: right wherever they are offered, one step shorter, with no block more.

#include <catch2/catch.hpp>

#include "agreement.h"
#include "schedules/catalogue.h"

namespace merged_test {

using namespace onceover::support;

namespace {

using Settings = std::map<std::string, std::string, std::less<>>;

Request merged(Request request) {
  request.settings["merge"] = "yes";
  return request;
}

std::string why(std::string_view row, const Request& request) {
  return refusal(*find_algorithm(row), merged(request)).value_or("");
}

std::vector<std::vector<Rank>> shapes() {
  std::vector<std::vector<Rank>> shapes;
  for (Rank p = 1; p <= 40; ++p) shapes.push_back({p});
  for (Rank a = 1; a <= 8; ++a)
    for (Rank b = 1; b <= 8; ++b) shapes.push_back({a, b});
  shapes.push_back({2, 6, 2});
  shapes.push_back({3, 2, 4});
  return shapes;
}

/// Settings that change the steps.
std::vector<Settings> settings_of(const Algorithm& row) {
  if (row.name == "rabenseifner")
    return {{{"order", "near"}}, {{"order", "far"}}, {{"order", "far"}, {"remainder", "fold-neighbours"}}};
  if (row.name == "generalized") return {{{"group", "xor"}}, {{"group", "3x2"}}};
  if (row.name == "bine") return {{{"order", "halving"}}, {{"order", "doubling"}}};
  return {{}};
}

Report full_report(const Schedule& schedule) {
  return verify(schedule, {.threads = 1, .unrequired_up_to = UINT64_MAX});
}

}  // namespace

TEST_CASE("a merged allreduce is right, one step shorter, and sends as much in as many messages at once") {
  std::map<std::string_view, int> tried;
  for (const Algorithm& row : catalogue())
    for (const auto& shape : shapes())
      for (const bool all_lanes : {false, true})
        for (const Settings& settings : settings_of(row)) {
          const Request apart{Collective::allreduce, shape, all_lanes, settings};
          if (row.is_composed || refusal(row, apart) || refusal(row, merged(apart))) continue;
          CAPTURE(row.name, shape_text(shape), all_lanes, settings);
          const Report two = full_report(*row.make(apart)), one = full_report(*row.make(merged(apart)));
          REQUIRE(one.verdict == Verdict::pass);
          if (two.metrics.steps > 0) REQUIRE(one.metrics.steps == two.metrics.steps - 1);
          REQUIRE(one.metrics.block_transfers == two.metrics.block_transfers);
          REQUIRE(one.metrics.blocks_sent_max == two.metrics.blocks_sent_max);
          REQUIRE(one.metrics.max_sends_per_rank_step == two.metrics.max_sends_per_rank_step);
          for (const char* property : {"bitwise-reproducible", "order-preserving"})
            REQUIRE(verdict_of(one, property) == verdict_of(two, property));
          ++tried[row.name];
        }
  CHECK(tried.size() == 5);
  for (const auto& [row, count] : tried) CHECK(count >= 7);
}

TEST_CASE("on an even line, a merged Swing allreduce takes 2 ceil(log2 p) - 1 steps") {
  const Algorithm& swing = *find_algorithm("swing");
  for (const auto& [p, steps] : std::map<Rank, int>{{2, 1}, {4, 3}, {6, 5}, {8, 5}, {10, 7}, {16, 7}, {34, 11}})
    CHECK(swing.make(merged(on_line(Collective::allreduce, p)))->steps() == steps);
}

TEST_CASE("where there are no two exchanges to merge, the refusal says what there is") {
  CHECK(why("swing", on_line(Collective::allreduce, 7)) ==
        "swing: merge=yes joins two exchanges in the middle, and on an odd side the last rank exchanges with several "
        "others");
  CHECK(why("swing", on_line(Collective::reduce_scatter, 8)) ==
        "swing: merge=yes joins the two halves of an allreduce; reduce-scatter is not made of two");
  CHECK(why("rabenseifner", {.shape = {7}, .settings = {{"remainder", "eliminate-3-2"}}}) ==
        "rabenseifner: merge=yes joins two exchanges in the middle, and groups of three make other steps: see "
        "remainder=fold");
  CHECK(why("generalized", on_line(Collective::allreduce, 8)) ==
        "generalized: merge=yes joins two exchanges in the middle, and the last factor of the group must be 2 for "
        "that, as with group=xor");
  CHECK(why("generalized", {.shape = {8}, .settings = {{"group", "xor"}, {"removed-steps", "1"}}}) ==
        "generalized: merge=yes joins two exchanges in the middle, and removed-steps leaves out steps of its own");
  CHECK(why("generalized", {.shape = {8}, .settings = {{"group", "xor"}, {"placement", "reversed"}}}) ==
        "generalized: merge=yes joins two exchanges in the middle, and its theorem is for placement=natural");
  CHECK(why("mirrored-recursive-doubling", {.shape = {8}, .settings = {{"version", "latency"}}}) ==
        "mirrored-recursive-doubling: merge=yes joins two exchanges in the middle, and version=latency has whole "
        "vectors, no halves");
  CHECK(why("ring", on_line(Collective::allreduce, 8)) == "ring has no parameter 'merge'; it has order");
}

}  // namespace merged_test
