// A symmetry that is read off patterns is one of the moves, and what is measured on patterns is what messages measure:
// on the whole catalogue, and on schedules one of whose patterns was changed.
#include "verifier/pattern_symmetry.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"
#include "verifier/survey.h"

namespace pattern_symmetry_test {

using namespace onceover::support;

namespace {

/// The steps between those that fold and those that unfold.
struct Middle {
  int first, end;
};

/// What cells receive, by step, operation and receiver: the senders, in order.
using Received = std::map<std::tuple<int, Op, Rank>, std::vector<Rank>>;

/// In the middle, steps in which nothing moves don't count.
Received received(const Trace& trace, Middle middle) {
  Received all;
  std::map<int, int> numbers;
  trace.for_each_move([&](int step, Op op, BlockTransfer move) {
    const bool counts = step >= middle.first && step < middle.end;
    const int number =
        counts ? numbers.emplace(step, middle.first + static_cast<int>(numbers.size())).first->second : step;
    all[{number, op, move.dst}].push_back(move.src);
  });
  return all;
}

/// The ranks by seat, and the seats by rank; -1 for folded ranks.
struct Seats {
  std::vector<Rank> labels;
  std::vector<Rank> of_rank;

  Seats(std::vector<Rank> by_seat, Rank ranks)
      : labels(std::move(by_seat)), of_rank(static_cast<std::size_t>(ranks), -1) {
    for (std::size_t seat = 0; seat < labels.size(); ++seat)
      of_rank[static_cast<std::size_t>(labels[seat])] = static_cast<Rank>(seat);
  }
};

/// What takes one block to another: on each side, the first `ring` coordinates are turned, the others stay.
struct Turn {
  const std::vector<Rank>& sides;
  const std::vector<Rank>& rings;
  const Seats& seats;
  Rank from, to;

  Rank seat(Rank seat) const {
    Rank turned = 0, weight = 1, a = from, b = to;
    for (std::size_t k = sides.size(); k-- > 0; seat /= sides[k], a /= sides[k], b /= sides[k], weight *= sides[k]) {
      const Rank x = seat % sides[k];
      turned += weight * (x < rings[k] ? around(x + b % sides[k] - a % sides[k], rings[k]) : x);
    }
    return turned;
  }

  Rank cell(Rank cell) const {
    const auto ranks = static_cast<Rank>(seats.of_rank.size());
    const Rank here = seats.of_rank[static_cast<std::size_t>(cell % ranks)];
    return here < 0 ? -1 : cell / ranks * ranks + seats.labels[static_cast<std::size_t>(seat(here))];
  }

  Received of(const Received& moves, Middle middle) const {
    Received turned;
    for (const auto& [key, senders] : moves) {
      const auto [step, op, receiver] = key;
      const bool stays = step < middle.first || step >= middle.end;
      for (const Rank sender : senders)
        turned[{step, op, stays ? receiver : cell(receiver)}].push_back(stays ? sender : cell(sender));
    }
    return turned;
  }
};

std::vector<Rank> labels_of(const PatternedSchedule& schedule, int lane, Middle middle) {
  for (int step = middle.first; step < middle.end; ++step)
    for (const Pattern& pattern : schedule.patterns(step))
      if (pattern.lane == lane && pattern.labels) return *pattern.labels;
  std::vector<Rank> labels;
  for (Rank r = 0; r < schedule.header().ranks; ++r) labels.push_back(r);
  return labels;
}

Middle middle_of(const PatternedSchedule& schedule, const FoldedRanks& folded) {
  return {folded.steps(), schedule.steps() - folded.steps()};
}

Seats seats_of(const PatternedSchedule& schedule, const FoldedRanks& folded, int lane) {
  std::vector<Rank> labels = labels_of(schedule, lane, middle_of(schedule, folded));
  std::erase_if(labels, [&](Rank rank) { return folded.is_folded(lane, rank); });
  return {std::move(labels), schedule.header().ranks};
}

/// All ways to turn whole sides or, of some, all coordinates except the last.
std::vector<std::vector<Rank>> rings_of(const std::vector<Rank>& sides) {
  std::vector<std::vector<Rank>> all{{}};
  for (const Rank side : sides) {
    std::vector<std::vector<Rank>> longer;
    for (const Rank ring : {side, side - 1})
      for (std::vector<Rank> rings : all)
        if (ring > 1) rings.push_back(ring), longer.push_back(rings);
    all = std::move(longer);
  }
  return all;
}

/// "" if each block has the moves of its representative, turned, and the same for who holds it, else what differs. The
/// moves are those of the messages, sorted by block. Those that fold and unfold must be the same.
std::string falsehood(const PatternedSchedule& schedule, const Symmetry& symmetry) {
  const Header& h = schedule.header();
  const SchedulePtr messages = listed(plain(schedule));
  const Contract& c = contract(h.collective);
  const bool is_owned = c.begins == Holders::owner || c.ends == Holders::owner;
  const auto rings = rings_of(symmetry.sides);
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(h.blocks));
  std::vector<Seats> seats;
  const FoldedRanks folded = FoldedRanks::of(schedule).value();
  const Middle middle = middle_of(schedule, folded);
  std::vector<Received> moves;
  messages->traces({0, h.blocks}, [&](Block, const Trace& trace) { moves.push_back(received(trace, middle)); });
  const Rank places = symmetry.places();
  for (int lane = 0; lane < h.lanes; ++lane) seats.push_back(seats_of(schedule, folded, lane));
  for (Block b = 0; b < h.blocks; ++b) {
    const Block first = b - b % places;
    const Rank like = symmetry.representative_of(b % places);
    ++sizes[static_cast<std::size_t>(first + like)];
    const bool is_turned = std::any_of(rings.begin(), rings.end(), [&](const auto& ring) {
      const Turn turn{symmetry.sides, ring, seats[static_cast<std::size_t>(b / places)], like, b % places};
      return turn.seat(like) == b % places && (!is_owned || turn.cell(h.owner(first + like)) == h.owner(b)) &&
             turn.of(moves[static_cast<std::size_t>(first + like)], middle) == moves[static_cast<std::size_t>(b)];
    });
    if (!is_turned) return "block " + std::to_string(b);
  }
  std::uint64_t of_some_size = 0;
  for (const Rank r : symmetry.representatives()) {
    if (sizes[static_cast<std::size_t>(r)] != static_cast<std::uint64_t>(symmetry.orbit_size(r))) return "orbit's size";
    of_some_size += sizes[static_cast<std::size_t>(r)];
  }
  if (symmetry.representatives().size() != static_cast<std::size_t>(symmetry.orbits())) return "orbits";
  return of_some_size == static_cast<std::uint64_t>(places) ? "" : "representatives";
}

/// "" if patterns are measured like the messages that they stand for.
std::string wrong_measure(const PatternedSchedule& schedule) {
  const SchedulePtr messages = listed(plain(schedule));
  for (const int threads : {1, 2}) {
    const Survey a = survey(schedule, threads), b = survey(*messages, 1);
    if (!(a.metrics == b.metrics)) return "metrics";
    if (a.moves != b.moves || a.faults != b.faults) return "moves";
  }
  return "";
}

/// "" if one block of each orbit gives the report of every block.
std::string wrong_report(const PatternedSchedule& schedule) {
  const Report a = verify(schedule, {.threads = 1, .without_symmetry_up_to = 0});
  const Report b = verify(schedule, {.threads = 1});
  if (a.verdict != b.verdict) return "verdict";
  if (!(a.metrics == b.metrics)) return "metrics";
  for (std::size_t k = 0; k < a.properties.size(); ++k)
    if (a.properties[k].summary != b.properties[k].summary || a.properties[k].violations != b.properties[k].violations)
      return std::string(a.properties[k].id);
  return "";
}

template <class Visit>
void for_each_patterned(const std::vector<std::vector<Rank>>& shapes, Visit&& visit) {
  for (const auto& shape : shapes)
    for (const Algorithm& row : catalogue())
      for (const Collective collective : row.collectives)
        for (const bool all_lanes : {false, true}) {
          Request request{.collective = collective, .shape = shape, .all_lanes = all_lanes};
          if (refusal(row, request)) continue;
          for (const bool by_turns : {false, true}) {
            if (by_turns && row.name != "ring") continue;
            if (by_turns) request.settings = {{"order", "even-odd"}};
            CAPTURE(row.name, name(collective), shape_text(shape), all_lanes, by_turns);
            const auto schedule = std::dynamic_pointer_cast<const PatternedSchedule>(row.make(request));
            if (schedule != nullptr) visit(*schedule);
          }
        }
}

/// Changes one pattern of a schedule.
class PatternMutator {
 public:
  explicit PatternMutator(unsigned seed) : random_(seed) {}

  static constexpr int changes = 14;

  /// Nothing if the change isn't possible where it was tried.
  std::unique_ptr<PatternedSchedule> mutant_of(const PatternedSchedule& schedule, int change) {
    std::vector<std::vector<Pattern>> steps;
    for (int step = 0; step < schedule.steps(); ++step) steps.push_back(schedule.patterns(step));
    if (steps.empty()) return nullptr;
    auto& step = steps[below(steps.size())];
    if (step.empty()) return nullptr;
    const std::size_t which = below(step.size());
    if (change == 0)
      step.erase(step.begin() + static_cast<std::ptrdiff_t>(which));
    else if (change == 1)
      step.push_back(step[which]);
    else if (!apply(change, step[which], schedule.header()))
      return nullptr;
    PatternedSchedule::Builder builder;
    for (auto& patterns : steps) {
      builder.begin_step();
      for (Pattern& pattern : patterns) builder.add(std::move(pattern));
    }
    return std::make_unique<PatternedSchedule>(schedule.header(), std::move(builder));
  }

 private:
  bool apply(int change, Pattern& pattern, const Header& header) {
    Axis& axis = pattern.axes[below(pattern.axes.size())];
    Indices& all = axis.indices;
    std::vector<Run>& offsets = axis.blocks.offsets;
    const bool several = all.count > 1;
    switch (change) {
      case 2: return several && (--all.count, true);
      case 3: return several && (all.first += all.stride, --all.count, true);
      case 4: return several && (all.stride *= 2, all.count = (all.count + 1) / 2, true);
      case 5: return offsets.size() > 1 && (offsets.erase(offsets.begin()), true);
      case 6: return axis.blocks.move && (++offsets.front().first, ++offsets.front().last, offsets.resize(1), true);
      case 7: return axis.to = axis.to.moves ? Place::by(axis.to.offset + 1) : axis.to, true;
      case 8: return axis.from = axis.from.moves ? Place::by(axis.from.offset + 1) : axis.from, true;
      case 9: return pattern.op = pattern.op == Op::copy ? Op::reduce : Op::copy, true;
      case 10: return pattern.lane = static_cast<int>(below(static_cast<std::size_t>(header.lanes))), true;
      case 11: return swap_labels(pattern, header.ranks);
      case 12:
        return (below(2) == 0 ? axis.to : axis.from) = Place::at(static_cast<Rank>(below(index(axis.ring)))), true;
      default: return shrink(axis);
    }
  }

  bool swap_labels(Pattern& pattern, Rank ranks) {
    std::vector<Rank> labels(index(ranks));
    for (Rank r = 0; r < ranks; ++r) labels[index(r)] = pattern.labels ? (*pattern.labels)[index(r)] : r;
    std::swap(labels[below(labels.size())], labels[below(labels.size())]);
    if (below(4) == 0) labels[below(labels.size())] = labels[below(labels.size())];
    pattern.labels = std::make_shared<const std::vector<Rank>>(std::move(labels));
    return true;
  }

  /// A ring with a place less.
  static bool shrink(Axis& axis) {
    if (axis.ring < 2 || axis.indices.first + (axis.indices.count - 1) * axis.indices.stride == axis.ring - 1)
      --axis.indices.count;
    axis.extent = axis.block_extent();
    --axis.ring;
    if (axis.blocks.move) std::erase_if(axis.blocks.offsets, [&](Run run) { return run.last >= axis.ring; });
    return axis.ring > 0 && axis.indices.count > 0 && !axis.blocks.offsets.empty();
  }

  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("pattern symmetry: in the whole catalogue, each block has the moves of its representative, turned") {
  int symmetric = 0, cut = 0, folded = 0;
  std::vector<std::vector<Rank>> shapes{{4, 4}, {2, 6}, {3, 4}, {5, 3}, {2, 2, 4}, {8, 4}, {7, 9}};
  for (Rank p = 1; p <= 33; ++p) shapes.push_back({p});
  for_each_patterned(shapes, [&](const PatternedSchedule& schedule) {
    REQUIRE(wrong_measure(schedule) == "");
    const auto symmetry = symmetry_of_patterns(schedule);
    if (!symmetry) return;
    ++symmetric;
    cut += symmetry->cuts.empty() ? 0 : 1;
    folded += symmetry->folded > 0 ? 1 : 0;
    REQUIRE(falsehood(schedule, *symmetry) == "");
  });
  CHECK(symmetric > 700);
  CHECK(cut > 50);
  CHECK(folded > 70);
}

namespace {

/// How many of the mutants there are, are symmetric, and are so by folding.
struct Mutants {
  int all = 0, symmetric = 0, folded = 0;
};

Mutants judge_mutants(const std::vector<std::vector<Rank>>& shapes) {
  PatternMutator mutator(7);
  int mutants = 0, symmetric = 0, folded = 0;
  for_each_patterned(shapes, [&](const PatternedSchedule& original) {
    for (int change = 0; change < PatternMutator::changes; ++change) {
      const auto mutant = mutator.mutant_of(original, change);
      if (mutant == nullptr) continue;
      CAPTURE(change);
      ++mutants;
      REQUIRE(wrong_measure(*mutant) == "");
      REQUIRE(wrong_report(*mutant) == "");
      const auto symmetry = symmetry_of_patterns(*mutant);
      if (!symmetry) continue;
      ++symmetric;
      folded += symmetry->folded > 0 ? 1 : 0;
      REQUIRE(falsehood(*mutant, *symmetry) == "");
    }
  });
  return {mutants, symmetric, folded};
}

}  // namespace

TEST_CASE("pattern symmetry: of a small schedule with a changed pattern, it is none that the messages don't have") {
  const Mutants mutants = judge_mutants({{7}, {8}, {2, 5}});
  CHECK(mutants.all > 400);
  CHECK(mutants.symmetric > 100);
}

TEST_CASE("pattern symmetry: of a schedule with a changed pattern, it is none that the messages don't have", "[long]") {
  const Mutants mutants = judge_mutants({{4}, {7}, {8}, {9}, {12}, {25}, {4, 4}, {3, 3}, {2, 5}});
  CHECK(mutants.all > 2000);
  CHECK(mutants.symmetric > 500);
  CHECK(mutants.folded > 30);
}

TEST_CASE("pattern symmetry: a ring of every second rank, of a part, and back") {
  const auto symmetry_of = [](const std::vector<Axis>& axes) {
    PatternedSchedule::Builder builder;
    for (const Axis& axis : axes) builder.begin_step(), builder.add(axis);
    return symmetry_of_patterns(PatternedSchedule({.ranks = 12, .blocks = 12}, std::move(builder)));
  };
  const Axis ring{.indices = Indices::range(0, 12), .ring = 12, .to = Place::by(1), .blocks = Blocks::relative({-1})};
  CHECK(symmetry_of({ring})->text() == "shifts of ranks by multiples of 1");
  Axis second = ring, third = ring;
  second.indices = Indices::every_second(1, 12);
  third.indices = {0, 3, 4};
  CHECK(symmetry_of({second})->text() == "shifts of ranks by multiples of 2");
  CHECK(symmetry_of({third, second})->text() == "shifts of ranks by multiples of 6");
  // Ranks 0 to 4 send the blocks 11 and 0 to 3.
  Axis part = ring;
  part.indices = Indices::range(0, 5);
  CHECK(symmetry_of({part})->text() == "shifts of ranks by multiples of 1 within 3 parts");
  CHECK(symmetry_of({part})->representatives() == std::vector<Rank>{0, 4, 11});
  CHECK(symmetry_of({part})->orbit_size(4) == 7);
  // All send the blocks 2, 3 and 7: once to their neighbour, which any shift leaves as it is, once only some of them.
  Axis named = ring;
  named.blocks = Blocks::fixed({2, 3, 7});
  CHECK(symmetry_of({named})->representatives() == std::vector<Rank>{0, 2, 4, 7, 8});
  named.indices = Indices::range(0, 11);
  CHECK(symmetry_of({named})->representatives() == std::vector<Rank>{0, 2, 3, 4, 7, 8});
  // Rank 3 receives from all, and each block from another rank.
  Axis to_one = ring;
  to_one.to = Place::at(3);
  CHECK_FALSE(symmetry_of({to_one}));
  // The order in which rank 11 gets two values of a block is another one for each block.
  Axis to_last{.indices = Indices::range(0, 11),
               .ring = 11,
               .to = Place::at(11),
               .blocks = Blocks::relative({0, 5}),
               .extent = 12};
  CHECK_FALSE(symmetry_of({to_last}));
  to_last.blocks = Blocks::relative({5});
  CHECK(symmetry_of({to_last})->text() == "shifts of ranks by multiples of 1 within 2 parts");
}

TEST_CASE("pattern symmetry: ranks that take turns move blocks as if in one step, unless some have none, or two") {
  const auto symmetry_of = [](const std::vector<Indices>& turns, const std::vector<Block>& offsets) {
    PatternedSchedule::Builder builder;
    for (const Indices& turn : turns) {
      builder.begin_step();
      builder.add({.indices = turn, .ring = 7, .to = Place::by(1), .blocks = Blocks::relative(offsets)});
    }
    const PatternedSchedule schedule({.ranks = 7, .blocks = 7}, std::move(builder));
    const auto symmetry = symmetry_of_patterns(schedule);
    if (symmetry) REQUIRE(falsehood(schedule, *symmetry) == "");
    return symmetry ? symmetry->orbits() : 7;
  };
  const Indices even = Indices::every_second(0, 6), odd = Indices::every_second(1, 6), last = Indices::only(6);
  CHECK(symmetry_of({even, odd, last}, {-1}) == 1);
  CHECK(symmetry_of({last, odd, even}, {-1}) == 1);
  CHECK(symmetry_of({even, odd, last, last, odd, even}, {-1}) == 1);
  CHECK(symmetry_of({even, odd, last}, {-1, -2}) > 1);
  CHECK(symmetry_of({even, odd}, {-1}) > 1);
  CHECK(symmetry_of({even, even, last}, {-1}) > 1);
  CHECK(symmetry_of({Indices::range(0, 4), Indices::range(3, 6), last}, {-1}) > 1);
}

TEST_CASE("pattern symmetry: labels must rename ranks, and owners be renamed, too") {
  const auto symmetry_of = [](Collective collective, std::vector<Rank> labels, std::vector<Rank> owners) {
    PatternedSchedule::Builder builder;
    builder.begin_step();
    builder.add({.axes = {{.indices = Indices::range(0, 4), .ring = 4, .to = Place::by(1), .blocks = Blocks::all(4)}},
                 .labels = std::make_shared<const std::vector<Rank>>(std::move(labels))});
    const PatternedSchedule schedule({.collective = collective, .ranks = 4, .blocks = 4, .owners = std::move(owners)},
                                     std::move(builder));
    return symmetry_of_patterns(schedule).has_value();
  };
  CHECK(symmetry_of(Collective::allreduce, {0, 2, 1, 3}, {}));
  CHECK_FALSE(symmetry_of(Collective::allreduce, {0, 2, 2, 3}, {}));
  CHECK_FALSE(symmetry_of(Collective::allreduce, {0, 2, 1, 4}, {}));
  CHECK(symmetry_of(Collective::reduce_scatter, {0, 2, 1, 3}, {0, 2, 1, 3}));
  CHECK_FALSE(symmetry_of(Collective::reduce_scatter, {0, 2, 1, 3}, {}));
  CHECK_FALSE(symmetry_of(Collective::allgather, {0, 2, 1, 3}, {0, 1, 2, 3}));
  CHECK_FALSE(symmetry_of(Collective::reduce, {0, 1, 2, 3}, {}));
}

TEST_CASE("pattern symmetry: scratch is symmetric, too, unless a part of what lands there isn't") {
  const Blocks two = Blocks::relative({1, 2});
  for (const auto& into_scratch : {two, Blocks::relative({1}), Blocks::fixed({2})}) {
    PatternedSchedule::Builder builder;
    builder.begin_step();
    builder.add({.axes = {{.indices = Indices::range(0, 8), .ring = 8, .to = Place::by(1), .blocks = two}},
                 .op = Op::copy,
                 .lands = {{{two}, 0}, {{into_scratch}, 1}}});
    const PatternedSchedule schedule({.ranks = 8, .blocks = 8, .scratch = 8}, std::move(builder));
    const auto symmetry = symmetry_of_patterns(schedule);
    REQUIRE(symmetry);
    CHECK(symmetry->orbits() == (into_scratch.move ? 1 : 3));
  }
  for (const char* removed : {"0", "1", "2"}) {
    const Request request{Collective::allreduce, {11}, false, {{"removed-steps", removed}}};
    const SchedulePtr schedule = find_algorithm("generalized")->make(request);
    const auto symmetry = symmetry_of_patterns(*schedule->as_patterns());
    REQUIRE(symmetry);
    CHECK(symmetry->orbits() == 1);
    CHECK(falsehood(*schedule->as_patterns(), *symmetry) == "");
    CHECK(wrong_measure(*schedule->as_patterns()) == "");
  }
}

TEST_CASE("pattern symmetry: what is measured where blocks don't go around with the ranks") {
  PatternedSchedule::Builder builder;
  builder.begin_step();
  builder.add({.indices = Indices::range(0, 3),
               .ring = 3,
               .to = Place::by(1),
               .blocks = Blocks::relative_run({0, 2}),
               .extent = 6,
               .rank_step = 1});
  CHECK(wrong_measure(PatternedSchedule({.ranks = 3, .blocks = 6}, std::move(builder))) == "");
}

namespace {

/// Schedules of patterns each of which takes every rank, or every second one, every third one .., of one or two axes.
class StridedSchedules {
 public:
  explicit StridedSchedules(unsigned seed) : random_(seed) {}

  std::unique_ptr<PatternedSchedule> make() {
    const std::vector<std::vector<Rank>> shapes{{12}, {3, 4}, {4, 3}, {2, 6}};
    const std::size_t first = below(shapes.size()), second = below(4) == 0 ? below(shapes.size()) : first;
    PatternedSchedule::Builder builder;
    for (std::size_t step = 0, steps = 1 + below(6); step < steps; ++step) {
      builder.begin_step();
      for (std::size_t k = 0, some = below(4); k < some; ++k)
        builder.add(
            {.axes = axes(shapes[below(3) == 0 ? second : first]), .labels = below(3) == 0 ? labels() : nullptr});
    }
    return std::make_unique<PatternedSchedule>(Header{.ranks = 12, .blocks = 12}, std::move(builder));
  }

 private:
  std::vector<Axis> axes(const std::vector<Rank>& shape) {
    std::vector<Axis> made;
    for (const Rank ring : shape) {
      Rank stride = 1 + static_cast<Rank>(below(static_cast<std::size_t>(ring)));
      while (ring % stride != 0) --stride;
      std::vector<Block> offsets;
      for (Block b = 0; b < ring; ++b)
        if (below(2) == 0) offsets.push_back(b);
      if (offsets.empty()) offsets.push_back(0);
      const auto some = [&] { return Place::by(static_cast<Rank>(below(static_cast<std::size_t>(ring)))); };
      made.push_back({.indices = {static_cast<Rank>(below(static_cast<std::size_t>(stride))), stride, ring / stride},
                      .ring = ring,
                      .from = some(),
                      .to = some(),
                      .blocks = below(4) == 0 ? Blocks::fixed(offsets) : Blocks::relative(offsets)});
    }
    return made;
  }

  std::shared_ptr<const std::vector<Rank>> labels() {
    if (labels_.empty())
      for (int k = 0; k < 2; ++k) {
        std::vector<Rank> some(12);
        std::iota(some.begin(), some.end(), 0);
        std::shuffle(some.begin(), some.end(), random_);
        labels_.push_back(std::make_shared<const std::vector<Rank>>(some));
      }
    return labels_[below(2)];
  }

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  std::mt19937 random_;
  std::vector<std::shared_ptr<const std::vector<Rank>>> labels_;
};

}  // namespace

TEST_CASE("pattern symmetry: what is measured where patterns take every second rank, or every third") {
  StridedSchedules schedules(11);
  for (int k = 0; k < 3000; ++k) {
    CAPTURE(k);
    REQUIRE(wrong_measure(*schedules.make()) == "");
  }
}

}  // namespace pattern_symmetry_test
