// counterexample: what goes wrong, in red, among the other messages with its block, in grey, and in green what would
// repair it.
//
// Of a contribution that is missing, red is where it is, from the first step to the last: the reader sees that it never
// comes to the rank that lacks it.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/result.h"
#include "verifier/verify.h"
#include "viz/block_trace.h"
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
    const Counterexample& c = counterexample_;
    if (c.kind() == Counterexample::Missing::kind && c.block && facts_.contributor)
      contribution_.emplace(schedule, *c.block, *facts_.contributor);
    if (contribution_)
      for (const auto& [step, src, dst] : contribution_->legs()) moves_.push_back({{step, src, dst}, 0});
    for (std::size_t path = 0; path < facts_.paths.size() && !contribution_; ++path)
      for (const Leg& leg : facts_.paths[path]) moves_.push_back({leg, path});
    // Moves that it only names: the copy that replaced a value, the sender of the wrong sum.
    if (c.step && facts_.replaced_by)
      replacing_ = Leg{*c.step, *facts_.replaced_by, facts_.replaced_on.value_or(c.rank)};
    if (c.step && facts_.other_rank) moves_.push_back({{*c.step, *facts_.other_rank, c.rank}, facts_.paths.size()});
  }

  /// Does it have a place in the steps that can be shown?
  bool has_place() const { return facts_.contributor || counterexample_.step; }

  Drawn<Picture> draw(DrawOptions options) const {
    const bool is_short = options.thinned;
    thin(options);
    auto selection = TRY(select(schedule_, options));
    if (is_short) join_unmarked(selection, options);
    if (selection.ranks.size() > most_ranks_at_once) selection.ranks = ranks_shown(selection.messages);
    // Red is drawn last, so that no grey covers it.
    std::stable_partition(selection.messages.begin(), selection.messages.end(),
                          [&](const Message& m) { return !path_of(m); });
    for (const auto* moves : {&change_.dropped, &change_.added})
      for (const Move& m : *moves)
        if (m.step >= selection.steps.first && m.step < selection.steps.end)
          selection.messages.push_back({m.step, m.src, m.dst, m.op, 0, 1, {}});  // drawn over the others
    return draw_time_chart(schedule_.header(), selection, options, look(selection));
  }

 private:
  struct NumberedMove {
    Leg leg;
    std::size_t path;  // the one that it belongs to
  };

  /// The steps in which something is red or green.
  std::vector<int> marked_steps() const {
    std::set<int> steps;
    for (const NumberedMove& move : moves_) steps.insert(move.leg.step);
    if (replacing_) steps.insert(replacing_->step);
    for (const std::vector<Move>* moves : {&change_.added, &change_.dropped})
      for (const Move& m : *moves) steps.insert(m.step);
    if (counterexample_.step) steps.insert(*counterexample_.step);
    return {steps.begin(), steps.end()};
  }

  /// Shows only messages with the block, steps without any as one, and no steps behind the counterexample's end, which
  /// for a missing contribution is the last step. Of a large schedule, shows only the ranks that the block meets.
  void thin(DrawOptions& options) const {
    const Counterexample& c = counterexample_;
    if (c.block && *c.block < schedule_.header().all_blocks()) {
      options.only = BlockTrace(schedule_, *c.block).slots();
      std::sort(options.only.begin(), options.only.end());
      options.thinned = true;
    }
    int last = contribution_ ? schedule_.steps() - 1 : c.final_step.value_or(c.step.value_or(0));
    for (const NumberedMove& move : moves_) last = std::max(last, move.leg.step);
    for (const Move& m : change_.added) last = std::max(last, m.step);
    options.apart = marked_steps();
    if (!options.steps && schedule_.steps() > 0) options.steps = {0, std::min(last, schedule_.steps() - 1)};
    if (options.ranks.empty() && static_cast<std::size_t>(schedule_.header().ranks) > most_ranks_at_once)
      options.ranks = ranks_met();
  }

  /// The ranks of the counterexample, those that send the block to its rank, and those of the repair.
  std::vector<Rank> ranks_met() const {
    const Counterexample& c = counterexample_;
    std::set<Rank> ranks{c.rank};
    if (facts_.contributor) ranks.insert(*facts_.contributor);
    if (replacing_) ranks.insert({replacing_->src, replacing_->dst});
    for (const NumberedMove& move : moves_)
      if (!contribution_ || ranks.size() < most_ranks_at_once) ranks.insert(move.leg.src);
    for (const Move& m : change_.added) ranks.insert({m.src, m.dst});
    if (c.block && contribution_)
      schedule_.traces({*c.block, *c.block + 1}, [&](Block, const Trace& trace) {
        for (const Move& m : moves_of(trace))
          if (m.dst == c.rank) ranks.insert(m.src % schedule_.header().ranks);
      });
    return {ranks.begin(), ranks.end()};
  }

  /// Of a picture that is too tall, the steps between marked ones share a panel, which shows none of their messages.
  static void join_unmarked(SelectedMessages& selection, const DrawOptions& options) {
    const auto is_marked = [&](int step) {
      return std::binary_search(options.apart.begin(), options.apart.end(), step);
    };
    std::erase_if(selection.messages, [&](const Message& m) { return !is_marked(m.step); });
    std::vector<StepRange> panels;
    for (const StepRange panel : selection.panels)
      if (panels.empty() || is_marked(panel.first) || is_marked(panels.back().first))
        panels.push_back(panel);
      else
        panels.back().end = panel.end;
    selection.panels = std::move(panels);
  }

  std::vector<Rank> ranks_shown(const std::vector<Message>& messages) const {
    std::vector<Rank> ranks = ranks_of(messages);
    ranks.push_back(counterexample_.rank);
    if (facts_.contributor) ranks.push_back(*facts_.contributor);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }

  static bool is_leg(const Message& m, const Leg& leg) {
    return m.step == leg.step && m.src == leg.src && m.dst == leg.dst;
  }

  /// The path that a message belongs to, if it is part of the evidence.
  std::optional<std::size_t> path_of(const Message& m) const {
    const Counterexample& c = counterexample_;
    for (const NumberedMove& move : moves_)
      if (is_leg(m, move.leg)) return move.path;
    const bool is_at_fault =
        moves_.empty() && !contribution_ && c.step == m.step && (m.src == c.rank || m.dst == c.rank);
    return is_at_fault ? std::optional<std::size_t>(0) : std::nullopt;
  }

  TimeChartLook look(const SelectedMessages& selection) const {
    TimeChartLook look;
    look.has_blocks = false;
    look.held = waits(selection);
    if (facts_.contributor) look.marked_above = {*facts_.contributor};
    look.marked_below = {counterexample_.rank};
    look.caption = caption();
    look.stroke = [this](const Message& m) {
      if (const auto repaired = stroke_of_repair(m)) return *repaired;
      if (replacing_ && is_leg(m, *replacing_)) return Stroke{palette::black, "solid", 1.6};
      const auto path = path_of(m);
      return path ? stroke_of_path(*path) : Stroke{palette::grey, "solid", 0.6};
    };
    return look;
  }

  std::string caption() const {
    std::string text = describe(counterexample_).front() + ". ";
    if (counterexample_.block) text += fmt::format("Arrows: messages with block {}. ", *counterexample_.block);
    text += fmt::format("Red: {}{}; grey: other messages",
                        contribution_                                               ? "where that contribution is"
                        : counterexample_.kind() == Counterexample::Duplicate::kind ? "its paths"
                                                                                    : "what is wrong",
                        replacing_ ? "; black: the copy that replaces it" : "");
    if (repair_text_.empty()) return text;
    return fmt::format("{}. Repair (green; double: added, dotted: left out): {}", text, fmt::join(repair_text_, "; "));
  }

  /// The line of a move of the repair; only such messages have no blocks.
  std::optional<Stroke> stroke_of_repair(const Message& m) const {
    if (!m.blocks.empty()) return std::nullopt;
    const Move move{m.step, m.src, m.dst, m.op};
    const bool is_added = std::find(change_.added.begin(), change_.added.end(), move) != change_.added.end();
    return is_added ? stroke_of_added : stroke_of_dropped;
  }

  /// The lines of ranks that hold the contribution.
  std::vector<TimeChartLook::Held> waits(const SelectedMessages& selection) const {
    std::vector<TimeChartLook::Held> held;
    const auto hold = [&](Rank rank, StepRange steps, std::size_t path) {
      if (!std::binary_search(selection.ranks.begin(), selection.ranks.end(), rank)) return;
      for (int step = std::max(steps.first, selection.steps.first); step < std::min(steps.end, selection.steps.end);
           ++step)
        held.push_back({step, rank, stroke_of_path(path)});
    };
    if (contribution_)
      for (const auto& [rank, ranges] : contribution_->held())
        for (const StepRange steps : ranges) hold(rank, steps, 0);
    for (std::size_t path = 0; path < facts_.paths.size() && facts_.contributor && !contribution_; ++path) {
      Rank at = *facts_.contributor;
      int since = 0;
      for (const Leg& leg : facts_.paths[path]) {
        hold(at, {since, leg.step}, path);
        at = leg.dst;
        since = leg.step + 1;
      }
      if (counterexample_.kind() == Counterexample::Duplicate::kind) hold(at, {since, selection.steps.end}, path);
    }
    return held;
  }

  const Schedule& schedule_;
  Counterexample counterexample_;
  Counterexample::Facts facts_;
  std::vector<NumberedMove> moves_;
  std::optional<Leg> replacing_;                   // the copy that replaced what is missing
  std::optional<ContributionTrace> contribution_;  // of what is missing
  Change change_;                                  // by the repair, in the counterexample's block
  std::vector<std::string> repair_text_;
};

Drawn<Picture> draw_counterexample(const Schedule& schedule, const DrawOptions& options) {
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
