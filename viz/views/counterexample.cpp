// counterexample: what goes wrong, in red, among everything that happens, in grey, and in green what would repair it.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/try.h"
#include "verifier/verify.h"
#include "viz/time_chart.h"

namespace onceover::viz {

namespace {

/// A schedule with more block transfers isn't verified just to draw it.
constexpr std::uint64_t budget = 100'000'000;
constexpr std::size_t most_ranks_at_once = 32;

/// What there is to show.
struct Found {
  Counterexample counterexample;
  std::optional<Repair> repair;
};

/// The counterexample to a required property, and a repair if there is one; an error if nothing fails, or the verdict
/// is unknown.
Drawn<Found> found_by_verifier(const Schedule& schedule) {
  const VerifyOptions options{.budget = budget};
  const Report report = verify(schedule, options);
  for (const PropertyResult& result : report.properties)
    if (result.required && result.counterexample)
      return Found{*result.counterexample, find_repair(schedule, report, options)};
  if (report.verdict == Verdict::unknown)
    return unsuitable("counterexample: too large to be verified in passing; see verify --draw-counterexample");
  return unsuitable("counterexample: there is none; the schedule holds what is required of it");
}

/// What a repair changes in the moves of one block.
struct Change {
  std::vector<Move> dropped = {};
  std::vector<Move> added = {};
};

/// The moves of `from` that `others` don't have.
std::vector<Move> without(std::vector<Move> from, const std::vector<Move>& others) {
  for (const Move& move : others)
    if (const auto at = std::find(from.begin(), from.end(), move); at != from.end()) from.erase(at);
  return from;
}

Change change_of(const Schedule& before, const Schedule& after, Block block) {
  const auto moves = [&](const Schedule& schedule) {
    std::vector<Move> found;
    schedule.traces({block, block + 1}, [&](Block, const Trace& trace) { found = moves_of(trace); });
    return found;
  };
  const std::vector<Move> old_moves = moves(before), new_moves = moves(after);
  return {without(old_moves, new_moves), without(new_moves, old_moves)};
}

constexpr Stroke stroke_of_added{palette::green, "double", 1.1};
constexpr Stroke stroke_of_dropped{palette::green, "dotted", 1.6};

using Leg = Counterexample::Leg;

/// A counterexample as a picture over time.
class Evidence {
 public:
  Evidence(const Schedule& schedule, const Found& found)
      : schedule_(schedule), counterexample_(found.counterexample), facts_(found.counterexample.facts()) {
    if (found.repair && counterexample_.block) {
      change_ = change_of(schedule, *found.repair->schedule, *counterexample_.block);
      repair_text_ = found.repair->text();
    }
    for (std::size_t way = 0; way < facts_.paths.size(); ++way)
      for (const Leg& leg : facts_.paths[way]) moves_.push_back({leg, way});
    // Moves that it only names: the copy that replaced a value, the sender of the wrong sum.
    const Counterexample& c = counterexample_;
    const std::optional<Rank> sender = facts_.replaced_by ? facts_.replaced_by : facts_.other_rank;
    if (c.step && sender)
      moves_.push_back({{*c.step, *sender, facts_.replaced_on.value_or(c.rank)}, facts_.paths.size()});
  }

  /// Does it have a place in the steps that can be shown?
  bool has_place() const { return facts_.contributor || counterexample_.step; }

  Drawn<std::string> draw(DrawOptions options) const {
    thin(options);
    auto selection = TRY(select(schedule_, options));
    if (selection.ranks.size() > most_ranks_at_once) selection.ranks = ranks_shown(selection.messages);
    // Red is drawn last, so that no grey covers it.
    std::stable_partition(selection.messages.begin(), selection.messages.end(),
                          [&](const Message& m) { return !way_of(m); });
    for (const auto* moves : {&change_.dropped, &change_.added})
      for (const Move& m : *moves)
        if (m.step >= selection.steps.first && m.step < selection.steps.end)
          selection.messages.push_back({m.step, m.src, m.dst, m.op, 0, 1, {}});  // drawn over the others
    return draw_time_chart(schedule_.header(), selection, options, look(selection));
  }

 private:
  struct NumberedMove {
    Leg leg;
    std::size_t way;  // the one that it belongs to
  };

  /// The steps in which something is red or green.
  std::vector<int> telling_steps() const {
    std::set<int> steps;
    for (const NumberedMove& move : moves_) steps.insert(move.leg.step);
    for (const std::vector<Move>* moves : {&change_.added, &change_.dropped})
      for (const Move& m : *moves) steps.insert(m.step);
    if (counterexample_.step) steps.insert(*counterexample_.step);
    return {steps.begin(), steps.end()};
  }

  /// Of a large schedule, shows only the steps up to the counterexample's end, and the ranks that it meets.
  void thin(DrawOptions& options) const {
    const Counterexample& c = counterexample_;
    std::set<Rank> ranks{c.rank};
    int last = c.final_step.value_or(c.step.value_or(0));
    for (const NumberedMove& move : moves_) {
      ranks.insert(move.leg.src);
      last = std::max(last, move.leg.step);
    }
    for (const Move& m : change_.added) {
      ranks.insert({m.src, m.dst});
      last = std::max(last, m.step);
    }
    options.apart = telling_steps();
    if (!options.steps && schedule_.steps() > 0) options.steps = {0, std::min(last, schedule_.steps() - 1)};
    if (options.ranks.empty() && static_cast<std::size_t>(schedule_.header().ranks) > most_ranks_at_once)
      options.ranks.assign(ranks.begin(), ranks.end());
  }

  std::vector<Rank> ranks_shown(const std::vector<Message>& messages) const {
    std::vector<Rank> ranks = ranks_of(messages);
    ranks.push_back(counterexample_.rank);
    if (facts_.contributor) ranks.push_back(*facts_.contributor);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }

  /// The path that a message belongs to, if it is part of the evidence.
  std::optional<std::size_t> way_of(const Message& m) const {
    const Counterexample& c = counterexample_;
    if (c.block && !m.carries(*c.block)) return std::nullopt;
    for (const NumberedMove& move : moves_)
      if (move.leg == Leg{m.step, m.src, m.dst}) return move.way;
    const bool is_at_fault = moves_.empty() && c.step == m.step && (m.src == c.rank || m.dst == c.rank);
    return is_at_fault ? std::optional<std::size_t>(0) : std::nullopt;
  }

  TimeChartLook look(const Selection& selection) const {
    TimeChartLook look;
    look.has_blocks = false;
    look.held = waits(selection);
    if (facts_.contributor) look.marked_above = {*facts_.contributor};
    look.marked_below = {counterexample_.rank};
    look.caption = caption();
    look.stroke = [this](const Message& m) {
      if (const auto repaired = stroke_of_repair(m)) return *repaired;
      const auto way = way_of(m);
      return way ? stroke_of_way(*way) : Stroke{palette::pale, "solid", 0.5};
    };
    return look;
  }

  std::string caption() const {
    const std::string headline = describe(counterexample_).front();
    const std::string key = "Red: the way of the data; grey: other messages";
    if (repair_text_.empty()) return fmt::format("{}. {}", headline, key);
    return fmt::format("{}. {}. Repair (green; double: added, dotted: left out): {}", headline, key,
                       fmt::join(repair_text_, "; "));
  }

  /// The line of a move of the repair; only such messages have no blocks.
  std::optional<Stroke> stroke_of_repair(const Message& m) const {
    if (!m.blocks.empty()) return std::nullopt;
    const Move move{m.step, m.src, m.dst, m.op};
    const bool is_added = std::find(change_.added.begin(), change_.added.end(), move) != change_.added.end();
    return is_added ? stroke_of_added : stroke_of_dropped;
  }

  /// The lines of ranks that wait: before the contribution leaves, between two moves, and from where it ends up until
  /// the last step.
  std::vector<TimeChartLook::Held> waits(const Selection& selection) const {
    std::vector<TimeChartLook::Held> held;
    for (std::size_t way = 0; way < facts_.paths.size() && facts_.contributor; ++way) {
      Rank at = *facts_.contributor;
      int since = selection.steps.first;
      const auto wait_until = [&](int step) {
        const bool is_shown = std::binary_search(selection.ranks.begin(), selection.ranks.end(), at);
        for (; since < step; ++since)
          if (is_shown) held.push_back({since, at, stroke_of_way(way)});
      };
      for (const Leg& leg : facts_.paths[way]) {
        wait_until(leg.step);
        at = leg.dst;
        since = std::max(leg.step + 1, selection.steps.first);
      }
      if (counterexample_.kind() == Counterexample::Duplicate::kind) wait_until(selection.steps.end);
    }
    return held;
  }

  const Schedule& schedule_;
  Counterexample counterexample_;
  Counterexample::Facts facts_;
  std::vector<NumberedMove> moves_;
  Change change_;  // by the repair, in the counterexample's block
  std::vector<std::string> repair_text_;
};

Drawn<std::string> draw_counterexample(const Schedule& schedule, const DrawOptions& options) {
  const auto found =
      options.counterexample ? Found{*options.counterexample, options.repair} : TRY(found_by_verifier(schedule));
  const Evidence evidence(schedule, found);
  if (!evidence.has_place())
    return unsuitable(fmt::format(
        "counterexample: it is about {}, not about ways through the steps; --view {} shows more",
        found.counterexample.kind(), found.counterexample.kind() == Counterexample::Different::kind ? "term" : "time"));
  return evidence.draw(options);
}

}  // namespace

const View counterexample_view{
    .name = "counterexample",
    .summary = "the paths of what arrives twice or not at all, in red over the steps, and a repair in green",
    .heeds = "--ranks --steps",
    .draw = draw_counterexample,
};

}  // namespace onceover::viz
