// Folded pictures: what is drawn stands for every message of the schedule.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "sent_messages.h"
#include "viz/block_trace.h"
#include "viz/folded_tree.h"
#include "viz/folded_vector.h"
#include "viz/legible.h"
#include "viz/messages.h"

namespace fold_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

using Sent = SentMessage;

/// The messages of the panel, each as often as it stands for one.
std::vector<Sent> expanded(const SelectedMessages& drawn, std::size_t number) {
  const StepRange panel = drawn.panels[number];
  const RankClasses& classes = *drawn.classes[number];
  std::vector<Sent> all;
  for (const Message& m : drawn.messages)
    for (Rank rank = 0; m.step == panel.first && rank < classes.ranks(); ++rank)
      if (classes.representative_of(rank) == m.src)
        all.emplace_back(rank, classes.moved(m.dst, m.src, rank), m.op, m.lane, m.size);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Sent> reversed(std::vector<Sent> sent) {
  for (auto& [src, dst, op, lane, size] : sent) {
    std::swap(src, dst);
    op = Op::copy;
  }
  std::sort(sent.begin(), sent.end());
  return sent;
}

/// Every step of the schedule, as the folded picture shows or tells it.
std::vector<std::vector<Sent>> told(const SelectedMessages& drawn) {
  std::vector<std::vector<Sent>> steps;
  for (std::size_t k = 0; k < drawn.panels.size(); ++k)
    steps.insert(steps.end(), static_cast<std::size_t>(drawn.panels[k].size()), expanded(drawn, k));
  if (drawn.backwards)
    for (std::size_t k = steps.size(); k-- > 0;) steps.push_back(reversed(steps[k]));
  return steps;
}

std::vector<std::vector<Sent>> sent_by(const Schedule& schedule) {
  std::vector<std::vector<Sent>> steps;
  for (int step = 0; step < schedule.steps(); ++step) steps.push_back(sent_in(schedule, step));
  return steps;
}

Drawn<SelectedMessages> folded(const Schedule& schedule) {
  DrawOptions options;
  options.fold = Fold::always;
  options.thinned = true;
  return select(schedule, options);
}

}  // namespace

TEST_CASE("a folded picture tells every message: every row, three sizes and tori") {
  int pictures = 0, backwards = 0;
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const std::vector<Rank>& shape : {std::vector<Rank>{6}, {8}, {16}, {4, 6}, {4, 4}})
        for (const bool all_lanes : {false, true}) {
          const Request request{.collective = collective, .shape = shape, .all_lanes = all_lanes};
          if (refusal(row, request)) continue;
          const SchedulePtr schedule = row.make(request);
          INFO(row.name << ", " << name(collective) << ", " << shape_text(shape) << (all_lanes ? ", all lanes" : ""));
          const auto drawn = folded(*schedule);
          if (!drawn) continue;
          ++pictures;
          backwards += drawn->backwards ? 1 : 0;
          CHECK(told(*drawn) == sent_by(*schedule));
        }
  CHECK(pictures > 100);
  CHECK(backwards > 10);
}

TEST_CASE("a rank that errs is drawn in a folded picture, and no step is told as another backwards") {
  PlainSchedule changed = plain(*find_algorithm("swing")->make({.shape = {16}}));
  changed.steps[2].front().blocks.pop_back();
  const SchedulePtr schedule = listed(changed);
  const auto drawn = folded(*schedule);
  REQUIRE(drawn);
  CHECK(drawn->classes[2]->count() == 3);
  CHECK_FALSE(drawn->backwards);
  CHECK(told(*drawn) == sent_by(*schedule));
}

namespace {

/// The moves of a step, as the folded picture of the vector shows them: those that a drawn one stands for.
std::vector<std::pair<Rank, Rank>> expanded_moves(const SelectedMessages& drawn, int step) {
  std::vector<std::pair<Rank, Rank>> moves;
  for (const auto& [src, dst, op, lane, size] : expanded(drawn, drawn.panel_of(step))) moves.emplace_back(src, dst);
  return moves;
}

std::vector<std::pair<Rank, Rank>> shifted(const std::vector<std::pair<Rank, Rank>>& a,
                                           const std::vector<std::pair<Rank, Rank>>& b, Rank ranks) {
  const Rank from = b.front().first - a.front().first + ranks, to = b.front().second - a.front().second + ranks;
  std::vector<std::pair<Rank, Rank>> next;
  for (const auto& [src, dst] : b) next.emplace_back((src + from) % ranks, (dst + to) % ranks);
  return next;
}

/// Every step of a vector's moves, as a folded picture shows or tells them.
std::vector<std::vector<std::pair<Rank, Rank>>> told_moves(const SelectedMessages& drawn,
                                                           const std::vector<VectorRow>& rows, Rank ranks) {
  std::vector<std::vector<std::pair<Rank, Rank>>> steps;
  for (const VectorRow& row : rows)
    for (int step = row.steps.first; step < row.steps.end; ++step)
      steps.push_back(row.is_left_out ? shifted(steps[steps.size() - 2], steps.back(), ranks)
                                      : expanded_moves(drawn, step));
  if (drawn.backwards)
    for (std::size_t k = steps.size(); k-- > 0;) {
      auto back = steps[k];
      for (auto& [src, dst] : back) std::swap(src, dst);
      std::sort(back.begin(), back.end());
      steps.push_back(back);
    }
  return steps;
}

std::vector<std::vector<std::pair<Rank, Rank>>> moved_by(const DistributedVector& vector, int steps) {
  std::vector<std::vector<std::pair<Rank, Rank>>> all(static_cast<std::size_t>(steps));
  for (const VectorMove& move : vector.moves) all[static_cast<std::size_t>(move.step)].emplace_back(move.from, move.to);
  for (auto& moves : all) std::sort(moves.begin(), moves.end());
  return all;
}

}  // namespace

TEST_CASE("a folded picture of vectors tells every move: every row, three sizes and tori") {
  int pictures = 0, stretches = 0;
  for (const Algorithm& row : catalogue())
    for (const std::vector<Rank>& shape : {std::vector<Rank>{6}, {8}, {16}, {4, 6}, {8, 8}}) {
      const Request request{.collective = row.collectives.front(), .shape = shape};
      if (refusal(row, request)) continue;
      const SchedulePtr schedule = row.make(request);
      const auto vector = distributed_vector(*schedule, 0);
      if (!vector) continue;
      DrawOptions options;
      options.fold = Fold::always;
      options.thinned = true;
      const auto drawn = folded_moves(*vector, schedule->header(), schedule->steps(), options);
      if (!drawn) continue;
      INFO(row.name << ", " << shape_text(shape));
      const Rank ranks = schedule->header().ranks;
      const auto rows = rows_of_folded(*vector, drawn->steps, ranks);
      ++pictures;
      for (const VectorRow& each : rows) stretches += each.is_left_out ? 1 : 0;
      CHECK(told_moves(*drawn, rows, ranks) == moved_by(*vector, schedule->steps()));
    }
  CHECK(pictures > 20);
  CHECK(stretches > 3);
}

namespace {

std::vector<TreeMove> moves_of_block(const Schedule& schedule, Block block) {
  std::vector<TreeMove> moves;
  BlockTrace(schedule, block).before(schedule.steps()).for_each_move([&](int step, Op op, BlockTransfer move) {
    moves.push_back({move.src, move.dst, step, op});
  });
  return moves;
}

/// How many moves of each step a folded tree tells.
class ToldTree {
 public:
  explicit ToldTree(const FoldedTree& tree) : tree_(tree), below_(tree.nodes.size()) {
    for (const FoldedTree::Node& node : tree.nodes)
      if (node.parent >= 0)
        below_[static_cast<std::size_t>(node.parent)].push_back(static_cast<std::size_t>(&node - tree.nodes.data()));
  }

  using Counts = std::map<int, int>;

  Counts of(std::size_t k) {
    const FoldedTree::Node& node = tree_.nodes[k];
    if (node.kind == FoldedTree::Node::Kind::stub) return of(static_cast<std::size_t>(node.like));
    Counts counts;
    for (const std::size_t child : below_[k]) add(counts, with_its_move(child), 1);
    if (node.kind != FoldedTree::Node::Kind::dots) return counts;
    for (int k_after = 1; k_after < node.count; ++k_after) ++counts[node.step + k_after * node.step_after];
    for (const std::size_t beside : below_[static_cast<std::size_t>(node.parent)])
      if (beside != k) add(counts, with_its_move(beside), node.count);
    return counts;
  }

 private:
  Counts with_its_move(std::size_t k) {
    Counts counts = of(k);
    ++counts[tree_.nodes[k].step];
    return counts;
  }

  static void add(Counts& sum, const Counts& more, int times) {
    for (const auto& [step, count] : more) sum[step] += times * count;
  }

  const FoldedTree& tree_;
  std::vector<std::vector<std::size_t>> below_;
};

}  // namespace

TEST_CASE("a folded tree tells every move of its block: every row, many sizes and tori") {
  int trees = 0, stubs = 0, dots = 0;
  for (const Algorithm& row : catalogue())
    for (const std::vector<Rank>& shape : {std::vector<Rank>{6}, {8}, {16}, {37}, {4, 6}, {8, 8}, {16, 16}})
      for (const Block block : {0, 5}) {
        const Request request{.collective = row.collectives.front(), .shape = shape};
        if (refusal(row, request)) continue;
        const SchedulePtr schedule = row.make(request);
        if (block >= schedule->header().blocks) continue;
        const auto moves = moves_of_block(*schedule, block);
        for (const Op op : {Op::reduce, Op::copy}) {
          const auto tree = folded_tree(moves, schedule->header().ranks, op);
          if (!tree || tree->nodes.empty()) continue;
          INFO(row.name << ", " << shape_text(shape) << ", block " << block << ", " << (op == Op::copy ? "out" : "in"));
          std::map<int, int> sent;
          for (const TreeMove& m : moves)
            if (m.op == op) ++sent[m.step];
          ++trees;
          for (const FoldedTree::Node& node : tree->nodes) {
            stubs += node.kind == FoldedTree::Node::Kind::stub ? 1 : 0;
            dots += node.kind == FoldedTree::Node::Kind::dots ? 1 : 0;
          }
          CHECK(ToldTree(*tree).of(0) == sent);
        }
      }
  CHECK(trees > 100);
  CHECK(stubs > 100);
  CHECK(dots > 10);
}

TEST_CASE("a rank that sends a step late is drawn in a folded tree") {
  auto moves =
      moves_of_block(*find_algorithm("binomial-tree")->make({.collective = Collective::reduce, .shape = {64}}), 0);
  const auto is_drawn = [&](Rank rank) {
    const auto tree = folded_tree(moves, 64, Op::reduce);
    REQUIRE(tree);
    return std::any_of(tree->nodes.begin(), tree->nodes.end(), [&](const FoldedTree::Node& node) {
      return node.kind != FoldedTree::Node::Kind::dots && node.node == rank;
    });
  };
  for (TreeMove& move : moves) move.step *= 2;
  const auto odd = std::find_if(moves.begin(), moves.end(), [&](const TreeMove& m) { return !is_drawn(m.from); });
  REQUIRE(odd != moves.end());
  const Rank rank = odd->from;
  ++odd->step;
  std::stable_sort(moves.begin(), moves.end(), [](const TreeMove& a, const TreeMove& b) { return a.step < b.step; });
  CHECK(is_drawn(rank));
}

TEST_CASE("the largest folded pictures can be read, and say for how many a sender stands") {
  struct Sample {
    const View* view;
    std::string_view algorithm;
    std::vector<Rank> shape;
    std::string_view says;
  };
  for (const Sample& sample : {Sample{&time_view, "ring", {1024}, "1024"},
                               {&time_view, "swing", {1024}, "512"},
                               {&time_view, "swing", {64, 64}, "2048"},
                               {&time_view, "recursive-doubling", {256}, "256"},
                               {&vectors_view, "ring", {64}, "Dotted"},
                               {&vectors_view, "rabenseifner", {256}, "xor"},
                               {&tree_view, "ring", {1024}, "Dots"},
                               {&tree_view, "rabenseifner", {1024}, "Dashed"}}) {
    const SchedulePtr schedule = find_algorithm(sample.algorithm)->make({.shape = sample.shape});
    const Drawing drawing{.draw = [&](const DrawOptions& options) { return draw(*sample.view, *schedule, options); },
                          .heeds = sample.view->heeds,
                          .steps = schedule->steps()};
    CAPTURE(sample.view->name, sample.algorithm, sample.shape);
    const auto picture = legible(drawing, {});
    REQUIRE(picture);
    const auto texts = picture->texts();
    CHECK(std::any_of(texts.begin(), texts.end(),
                      [&](const Text& text) { return text.words.find(sample.says) != std::string::npos; }));
  }
}

}  // namespace fold_test
