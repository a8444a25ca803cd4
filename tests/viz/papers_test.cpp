// What the texts of the papers say of their figures, sentence by sentence, about the schedules that docs/gallery.md
// draws.

#include <catch2/catch.hpp>
#include <set>

#include "schedules/catalogue.h"
#include "viz/messages.h"

namespace papers_test {

using namespace onceover::viz;

namespace {

using Settings = std::map<std::string, std::string, std::less<>>;
using Pairs = std::set<std::pair<Rank, Rank>>;

SchedulePtr schedule_of(std::string_view algorithm, std::vector<Rank> shape, Settings settings = {},
                        bool all_lanes = false) {
  const Algorithm* row = find_algorithm(algorithm);
  const Request request{.collective = row->collectives.front(),
                        .shape = std::move(shape),
                        .all_lanes = all_lanes,
                        .settings = std::move(settings)};
  REQUIRE_FALSE(refusal(*row, request));
  return row->make(request);
}

std::vector<Message> messages(const Schedule& schedule, int step) {
  return select(schedule, {.steps = {{step, step}}}).value().messages;
}

/// Whom a rank sends to at a step, once for each lane.
std::multiset<Rank> receivers(const Schedule& schedule, int step, Rank rank) {
  std::multiset<Rank> out;
  for (const Message& m : messages(schedule, step))
    if (m.src == rank) out.insert(m.dst);
  return out;
}

/// What it sends, of one message a step.
std::string blocks(const Schedule& schedule, int step, Rank rank) {
  for (const Message& m : messages(schedule, step))
    if (m.src == rank) return runs_text(m.blocks);
  return "";
}

/// The moves of a block at a step.
Pairs moves(const Schedule& schedule, int step, Block block) {
  Pairs pairs;
  for (const Message& m : messages(schedule, step))
    if (m.carries(block)) pairs.emplace(m.src, m.dst);
  return pairs;
}

using Ranks = std::multiset<Rank>;

}  // namespace

TEST_CASE("Swing, figure 1: xor 1 both, then xor 2 and the other neighbour") {
  const auto doubling = schedule_of("rabenseifner", {16}), swing = schedule_of("swing", {16});
  for (Rank r = 0; r < 16; ++r) {
    CHECK(receivers(*doubling, 0, r) == Ranks{r ^ 1});
    CHECK(receivers(*swing, 0, r) == Ranks{r ^ 1});
    CHECK(receivers(*doubling, 1, r) == Ranks{r ^ 2});
    CHECK(receivers(*doubling, 2, r) == Ranks{r ^ 4});
    CHECK(receivers(*swing, 1, r) == Ranks{(r + (r % 2 == 0 ? 15 : 1)) % 16});
    CHECK(receivers(*swing, 2, r) == Ranks{(r + (r % 2 == 0 ? 3 : 13)) % 16});
  }
  for (const Message& m : messages(*swing, 0)) CHECK(m.size == 8);
  for (const Message& m : messages(*swing, 1)) CHECK(m.size == 4);
}

TEST_CASE("Swing, figure 2: near exchanges in one dimension after the other, then far ones") {
  const auto schedule = schedule_of("recursive-doubling", {4, 4});
  CHECK(receivers(*schedule, 0, 0) == Ranks{4});
  CHECK(receivers(*schedule, 1, 0) == Ranks{1});
  CHECK(receivers(*schedule, 2, 0) == Ranks{8});
  CHECK(receivers(*schedule, 3, 0) == Ranks{2});  // in the paper's figure step 2: rows and columns swapped
}

TEST_CASE("Swing, figure 4: the last of 7 ranks exchanges with 0, 1, 2, then 3, 4, then 5") {
  const auto schedule = schedule_of("swing", {7});
  CHECK(receivers(*schedule, 0, 6) == Ranks{0, 1, 2});
  CHECK(receivers(*schedule, 1, 6) == Ranks{3, 4});
  CHECK(receivers(*schedule, 2, 6) == Ranks{5});
  const auto even = schedule_of("swing", {6});
  for (int step = 0; step < 3; ++step)
    for (Rank r = 0; r < 6; ++r) {
      Ranks expected = receivers(*even, step, r);
      if (receivers(*schedule, step, 6).count(r) > 0) expected.insert(6);
      CHECK(receivers(*schedule, step, r) == expected);
    }
}

TEST_CASE("Swing, figure 5: node 0 exchanges with 1 and 4, mirrored with 3 and 12") {
  const auto schedule = schedule_of("swing", {4, 4}, {}, true);
  std::map<int, Rank> peers;
  for (const Message& m : messages(*schedule, 0))
    if (m.src == 0) peers[m.lane] = m.dst;
  CHECK(peers == std::map<int, Rank>{{0, 4}, {1, 1}, {2, 12}, {3, 3}});
  for (const Message& m : messages(*schedule, 0)) CHECK(receivers(*schedule, 0, m.dst).count(m.src) > 0);
}

TEST_CASE("Swing, figure 6: in step 2 all lanes are on the horizontal dimension") {
  const auto schedule = schedule_of("swing", {2, 4}, {}, true);
  CHECK(receivers(*schedule, 0, 0) == Ranks{1, 3, 4, 4});
  CHECK(receivers(*schedule, 1, 0) == Ranks{1, 3, 4, 4});
  CHECK(receivers(*schedule, 2, 0) == Ranks{1, 1, 3, 3});
  CHECK(schedule->steps() == 6);
}

TEST_CASE("Kolmakov and Zhang, figures 5 and 6: 7 vectors fold to 4, 2 and 1") {
  const auto optimal = schedule_of("generalized", {7});
  REQUIRE(optimal->steps() == 6);
  const std::vector<std::pair<Rank, Block>> shift_and_size{{3, 3}, {2, 2}, {1, 1}};
  for (int step = 0; step < 3; ++step)
    for (const int mirrored : {step, 5 - step})
      for (const Message& m : messages(*optimal, mirrored)) {
        const auto [shift, size] = shift_and_size[static_cast<std::size_t>(step)];
        CHECK((mirrored == step ? m.src - m.dst + 7 : m.dst - m.src + 7) % 7 == shift);
        CHECK(m.size == size);
      }
  const auto shorter = schedule_of("generalized", {7}, {{"removed-steps", "1"}});
  REQUIRE(shorter->steps() == 6);  // one of them without messages
  for (int step = 0; step < 3; ++step) {
    Block sent = 0;
    for (const Message& m : messages(*shorter, step)) sent += m.src == 0 && m.dst != 0 ? m.size : 0;
    CHECK(sent == shift_and_size[static_cast<std::size_t>(step)].second + 1);
  }
}

TEST_CASE("PAT, figures 1 and 3: Bruck's algorithm, nearest and farthest dimension first") {
  const auto near = schedule_of("bruck", {8}), far = schedule_of("bruck", {8}, {{"order", "far"}});
  for (int n = 0; n < 3; ++n)
    for (const Message& m : messages(*near, n)) {
      CHECK((m.dst - m.src + 8) % 8 == 1 << n);
      CHECK(m.size == 1 << n);
      for (Rank back = 0; back < 1 << n; ++back) CHECK(m.carries((m.src - back + 8) % 8));
    }
  for (const Message& m : messages(*far, 2)) CHECK(m.size == 4);
  CHECK(receivers(*far, 0, 0) == Ranks{4});
  CHECK(receivers(*far, 2, 0) == Ranks{1});
}

TEST_CASE("PAT, figure 2: four different ranks do the third step of any tree") {
  const auto schedule = schedule_of("bruck", {8});
  for (Block b = 0; b < 8; ++b) CHECK(moves(*schedule, 2, b).size() == 4);
  CHECK(moves(*schedule, 0, 0) == Pairs{{0, 1}});
  CHECK(moves(*schedule, 1, 0) == Pairs{{0, 2}, {1, 3}});
}

TEST_CASE("PAT, figure 4: with 7 ranks 0, 2 and 4 complete the tree of 0 by sending to 1, 3 and 5") {
  const auto schedule = schedule_of("bruck", {7}, {{"order", "far"}});
  CHECK(moves(*schedule, 2, 0) == Pairs{{0, 1}, {2, 3}, {4, 5}});
  CHECK(blocks(*schedule, 0, 0) == "0");
  CHECK(blocks(*schedule, 1, 0) == "0,3");    // its own and rank - 4
  CHECK(blocks(*schedule, 2, 0) == "0,3,5");  // its own, rank - 4 and rank - 2; the text has rank - 6
}

TEST_CASE("PAT, figures 5 to 10: so many steps at the top, so many below, and never more chunks than allowed") {
  struct Figure {
    Rank ranks;
    Block aggregation;
    int top;
    int below;
  };
  for (const Figure& figure :
       {Figure{8, 2, 1, 3}, Figure{16, 8, 3, 1}, Figure{16, 4, 2, 3}, Figure{16, 2, 1, 7}, Figure{8, 1, 0, 7}}) {
    const auto schedule = schedule_of("pat", {figure.ranks}, {{"aggregation", std::to_string(figure.aggregation)}});
    CAPTURE(figure.ranks, figure.aggregation);
    CHECK(schedule->steps() == figure.top + figure.below);
    for (int step = 0; step < schedule->steps(); ++step)
      for (const Message& m : messages(*schedule, step))
        CHECK(m.size == (step < figure.top ? 1 << step : figure.aggregation));
    CHECK(receivers(*schedule, 0, 0) == Ranks{figure.ranks / 2});
  }
}

TEST_CASE("PAT, figure 11: the reduce-scatter is the tree backwards, near dimensions first") {
  const auto row = find_algorithm("pat");
  Request request = on_line(Collective::reduce_scatter, 8);
  request.settings.emplace("aggregation", "2");
  const auto scatter = row->make(request);
  request.collective = Collective::allgather;
  const auto gather = row->make(request);
  REQUIRE(scatter->steps() == gather->steps());
  for (int step = 0; step < scatter->steps(); ++step) {
    Pairs backwards;
    for (const auto& [src, dst] : moves(*gather, scatter->steps() - 1 - step, 0)) backwards.emplace(dst, src);
    CHECK(moves(*scatter, step, 0) == backwards);
  }
  CHECK(receivers(*scatter, scatter->steps() - 1, 4) == Ranks{0});
}

}  // namespace papers_test
