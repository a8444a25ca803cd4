// counterexample: what goes wrong, in red, among the other messages with its block, in black, and those without, in
// grey; what would repair it, dashed and green; and where something breaks, a remark that says so.
//
// Of a contribution that is missing, red is where it is, from the first step to the last: the reader sees that it never
// comes to the rank that lacks it.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/result.h"
#include "base/sentences.h"
#include "verifier/verify.h"
#include "viz/block_trace.h"
#include "viz/counterexample_remarks.h"
#include "viz/time_chart.h"

namespace onceover::viz {

namespace {

/// A schedule with more block transfers isn't verified just to draw it.
constexpr std::uint64_t budget = 100'000'000;
constexpr std::size_t most_ranks_at_once = 32;
constexpr std::size_t most_others_in_a_step = 16;  // messages without the block, on average
constexpr double least_band = 8;                   // the height of a step, in points

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

constexpr Stroke stroke_of_added{palette::green, "dashed", 1.4};
constexpr Stroke stroke_of_dropped{palette::green, "dotted", 1.6};
constexpr Stroke stroke_of_replacing{palette::black, "solid", 1.6};
constexpr Stroke stroke_of_own{palette::black, "solid", 0.7};
constexpr Stroke stroke_of_other{palette::pale, "solid", 0.6};
constexpr Stroke frame_of_remark{palette::vermilion, "solid", 0.7};
constexpr Stroke frame_of_suggestion{palette::green, "dashed", 0.7};

/// The line with an arrowhead for the operation.
Stroke for_op(const Stroke& stroke, Op op) {
  return {stroke.colour, stroke.dash, stroke.width, stroke_of(0, op).head};
}

using Leg = Counterexample::Leg;

/// A counterexample as a picture over time.
class Evidence {
 public:
  Evidence(const Schedule& schedule, const Found& found)
      : schedule_(schedule), counterexample_(found.counterexample), facts_(found.counterexample.facts()) {
    const Counterexample& c = counterexample_;
    if (c.block && *c.block < schedule.header().all_blocks()) {
      BlockTrace trace(schedule, *c.block);
      slots_ = trace.slots();
      std::sort(slots_.begin(), slots_.end());
      moves_ = moves_of(trace.before(schedule.steps()));
    }
    if (found.repair) repair_text_ = found.repair->text();
    // Steps that change places change too many moves to draw them.
    if (found.repair && !found.repair->swap && c.block)
      change_ = change_of(schedule, *found.repair->schedule, *c.block);
    if (c.kind() == Counterexample::Missing::kind && c.block && facts_.contributor)
      contribution_.emplace(schedule, *c.block, *facts_.contributor);
    if (contribution_)
      for (const auto& [step, src, dst] : contribution_->legs()) legs_.push_back({{step, src, dst}, 0});
    for (std::size_t path = 0; path < facts_.paths.size() && !contribution_; ++path)
      for (const Leg& leg : facts_.paths[path]) legs_.push_back({leg, path});
    // Moves that it only names: the copy that replaced a value, the sender of the wrong sum.
    if (c.step && facts_.replaced_by)
      replacing_ = Leg{*c.step, *facts_.replaced_by, facts_.replaced_on.value_or(c.rank)};
    const bool is_sender = c.kind() != Counterexample::NotEmptied::kind;
    if (c.step && facts_.other_rank && is_sender)
      legs_.push_back({{*c.step, *facts_.other_rank, c.rank}, facts_.paths.size()});
    remarks_ = remarks_on(schedule, c, moves_);
  }

  /// Does it have a place in the steps that can be shown?
  bool has_place() const { return facts_.contributor || counterexample_.step; }

  /// All messages with the block; of a picture that is too tall, only those near the places where something happens.
  Drawn<Picture> draw(DrawOptions options) const {
    const bool is_short = std::exchange(options.thinned, false);
    options.only = slots_;
    const bool has_all = !options.ranks.empty() || ranks() <= most_ranks_at_once;
    if (!has_all) options.ranks = ranks_met();
    auto selection = TRY(select(schedule_, options));
    if (ranks() > most_ranks_at_once) selection.ranks = ranks_shown(selection.messages);
    const auto all = selection.messages;
    share_panels(selection, is_short);
    const bool has_others = !is_short && has_all && add_others(selection, options);
    // Red is drawn last, so that no grey covers it.
    std::stable_partition(selection.messages.begin(), selection.messages.end(),
                          [&](const Message& m) { return !path_of(m); });
    for (const auto* moves : {&change_.dropped, &change_.added})
      for (const Move& m : *moves)
        if (m.step >= selection.steps.first && m.step < selection.steps.end && is_shown(m, selection))
          selection.messages.push_back({m.step, m.src, m.dst, m.op, 0, 1, {}});  // drawn over the others
    TimeChartLook look = look_of(selection);
    look.instead = [&](StepRange panel) { return left_out(panel, all); };
    look.key = key(selection, options.style);
    look.caption = caption(options.ranks.empty() ? ranks() : options.ranks.size(), has_others);
    return draw_time_chart(schedule_.header(), selection, options, look);
  }

 private:
  struct NumberedLeg {
    Leg leg;
    std::size_t path;  // the one that it belongs to
  };

  std::size_t ranks() const { return static_cast<std::size_t>(schedule_.header().ranks); }

  static bool is_shown(const Move& m, const SelectedMessages& selection) {
    const auto has = [&](Rank rank) {
      return std::binary_search(selection.ranks.begin(), selection.ranks.end(), rank);
    };
    return has(m.src) && has(m.dst);
  }

  /// The steps in which something is said, or a path begins or ends.
  std::set<int> turning_points() const {
    std::set<int> steps;
    for (const Remark& remark : remarks_) steps.insert(remark.step);
    for (const auto& path : facts_.paths)
      for (std::size_t k = 0; k < path.size(); ++k)
        if (k < 2 || k + 2 >= path.size()) steps.insert(path[k].step);
    if (replacing_) steps.insert(replacing_->step);
    for (const std::vector<Move>* moves : {&change_.added, &change_.dropped})
      for (const Move& m : *moves) steps.insert(m.step);
    if (counterexample_.step) steps.insert(*counterexample_.step);
    return steps;
  }

  /// Steps without any message share a panel. If the picture must be short, so do all between the turning points, and
  /// their messages aren't drawn.
  void share_panels(SelectedMessages& selection, bool is_short) const {
    std::set<int> alone = turning_points();
    if (is_short)
      std::erase_if(selection.messages, [&](const Message& m) { return !alone.contains(m.step); });
    else
      for (const Message& m : selection.messages) alone.insert(m.step);
    std::vector<StepRange> panels;
    for (const StepRange panel : selection.panels)
      if (panels.empty() || alone.contains(panel.first) || alone.contains(panels.back().first))
        panels.push_back(panel);
      else
        panels.back().end = panel.end;
    selection.panels = std::move(panels);
  }

  /// What a panel of several steps doesn't show.
  std::string left_out(StepRange panel, const std::vector<Message>& all) const {
    const auto count = std::count_if(all.begin(), all.end(),
                                     [&](const Message& m) { return panel.first <= m.step && m.step < panel.end; });
    if (count == 0) return "";
    return fmt::format("{} not drawn", counted(static_cast<std::uint64_t>(count), "message"));
  }

  /// The messages without the block, of steps that have a panel, if there is room for them.
  bool add_others(SelectedMessages& selection, DrawOptions options) const {
    if (slots_.empty()) return true;
    options.only.clear();
    const auto everything = select(schedule_, options);
    if (!everything) return false;
    const auto is_other = [&](const Message& m) {
      const auto is_of = [&](StepRange panel) { return panel.size() == 1 && panel.first == m.step; };
      return !is_own(m) && std::any_of(selection.panels.begin(), selection.panels.end(), is_of);
    };
    std::vector<Message> others;
    std::copy_if(everything->messages.begin(), everything->messages.end(), std::back_inserter(others), is_other);
    if (others.size() > most_others_in_a_step * selection.panels.size()) return false;
    selection.messages.insert(selection.messages.begin(), others.begin(), others.end());
    return true;
  }

  /// Does a message of the schedule carry the block?
  bool is_own(const Message& m) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](Block block) { return m.carries(block); });
  }

  /// The ranks of the counterexample, those that send the block to its rank, and those of the repair.
  std::vector<Rank> ranks_met() const {
    const Counterexample& c = counterexample_;
    std::set<Rank> ranks{c.rank};
    if (facts_.contributor) ranks.insert(*facts_.contributor);
    if (replacing_) ranks.insert({replacing_->src, replacing_->dst});
    for (const NumberedLeg& leg : legs_)
      if (!contribution_ || ranks.size() < most_ranks_at_once) ranks.insert(leg.leg.src);
    for (const Move& m : change_.added)
      if (ranks.size() < most_ranks_at_once) ranks.insert({m.src, m.dst});
    if (contribution_)
      for (const Move& m : moves_)
        if (m.dst == c.rank) ranks.insert(m.src % schedule_.header().ranks);
    return {ranks.begin(), ranks.end()};
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

  bool is_replacing(const Message& m) const { return replacing_ && is_leg(m, *replacing_) && is_own(m); }

  /// The path that a message belongs to, if it is part of the evidence.
  std::optional<std::size_t> path_of(const Message& m) const {
    const Counterexample& c = counterexample_;
    if (!slots_.empty() && !is_own(m)) return std::nullopt;
    for (const NumberedLeg& leg : legs_)
      if (is_leg(m, leg.leg)) return leg.path;
    const bool is_at_fault = legs_.empty() && !contribution_ && c.step == m.step && is_to_blame(m);
    return is_at_fault ? std::optional<std::size_t>(0) : std::nullopt;
  }

  /// Is the message one of those of the counterexample's rank that are meant?
  bool is_to_blame(const Message& m) const {
    const Counterexample& c = counterexample_;
    const auto* ports = std::get_if<Counterexample::Ports>(&c.what);
    const bool is_about_sent = c.kind() == Counterexample::Scattered::kind || (ports && ports->shown[0] == "sends");
    if (is_about_sent) return m.src == c.rank;
    return m.dst == c.rank || (m.src == c.rank && ports == nullptr);
  }

  TimeChartLook look_of(const SelectedMessages& selection) const {
    TimeChartLook look;
    look.has_blocks = false;
    look.least_band = least_band;
    look.held = waits(selection);
    for (const Remark& remark : remarks_) look.remarks.push_back({remark, frame_of_remark});
    if (const auto suggested = suggestion()) look.remarks.push_back({*suggested, frame_of_suggestion});
    std::stable_sort(look.remarks.begin(), look.remarks.end(),
                     [](const auto& a, const auto& b) { return a.remark.step < b.remark.step; });
    if (facts_.contributor) look.marked_above = {*facts_.contributor};
    look.ending = ending_of(counterexample_);
    if (look.ending.empty())
      look.marked_above.push_back(counterexample_.rank);
    else
      look.marked_below = {counterexample_.rank};
    look.stroke = [this](const Message& m) { return stroke_of(m); };
    return look;
  }

  Stroke stroke_of(const Message& m) const {
    if (const auto repaired = stroke_of_repair(m)) return *repaired;
    if (is_replacing(m)) return for_op(stroke_of_replacing, m.op);
    if (const auto path = path_of(m)) return for_op(stroke_of_path(*path), m.op);
    return for_op(is_own(m) ? stroke_of_own : stroke_of_other, m.op);
  }

  /// A suggestion that leaves out or adds one move, or both, in words.
  std::optional<Remark> suggestion() const {
    if (change_.added.size() > 1 || change_.dropped.size() > 1) return std::nullopt;
    const auto rank = [&](Rank r) { return counterexample_.names.rank(r); };
    const Move *out = change_.dropped.empty() ? nullptr : &change_.dropped.front(),
               *in = change_.added.empty() ? nullptr : &change_.added.front();
    const Move* at = in != nullptr ? in : out;
    if (at == nullptr) return std::nullopt;
    const std::string src = rank(at->src), dst = rank(at->dst);
    const std::string words =
        in == nullptr         ? fmt::format("{} doesn't send it to {}", src, dst)
        : out == nullptr      ? fmt::format("{} sends it to {}", src, dst)
        : in->src == out->src ? fmt::format("{} sends it to {}, not to {}", src, dst, rank(out->dst))
        : in->dst == out->dst
            ? fmt::format("{}, not {}, sends it to {}", src, rank(out->src), dst)
            : fmt::format("{} sends it to {}, and {} doesn't send it to {}", src, dst, rank(out->src), rank(out->dst));
    return Remark{at->step, at->dst, "suggested: " + words};
  }

  PictureKey key(const SelectedMessages& selection, const Style& style) const {
    PictureKey key(style);
    const auto add = [&](const Stroke& stroke, const std::string& words, auto&& fits) {
      const auto found = std::find_if(selection.messages.begin(), selection.messages.end(), fits);
      if (found != selection.messages.end()) key.add_line(stroke, words, Heads::at_end);
    };
    const bool has_block = !slots_.empty();
    const std::string block =
        counterexample_.block ? fmt::format("block {}", *counterexample_.block) : std::string("messages");
    for (const auto& [op, name] : {std::pair{Op::reduce, "reduce"}, std::pair{Op::copy, "copy"}})
      add(for_op(has_block ? stroke_of_own : stroke_of_other, op), fmt::format("{}: {}", block, name),
          [&, op = op](const Message& m) { return m.op == op && !m.blocks.empty() && is_own(m) == has_block; });
    if (has_block)
      add(stroke_of_other, "other blocks", [&](const Message& m) { return !m.blocks.empty() && !is_own(m); });
    add_red(key, selection);
    add(stroke_of_replacing, "replaces it", [&](const Message& m) { return is_replacing(m); });
    const auto is_drawn_as = [&](const Stroke& stroke) {
      return [&](const Message& m) { return m.blocks.empty() && stroke_of(m).dash == stroke.dash; };
    };
    add(stroke_of_added, "suggested", is_drawn_as(stroke_of_added));
    add(stroke_of_dropped, "suggested: left out", is_drawn_as(stroke_of_dropped));
    return key;
  }

  void add_red(PictureKey& key, const SelectedMessages& selection) const {
    if (contribution_)
      return key.add_line(stroke_of_path(0), counterexample_.route ? "its way" : "that contribution", Heads::none);
    if (counterexample_.kind() == Counterexample::Duplicate::kind) {
      for (std::size_t path = 0; path < std::min<std::size_t>(facts_.paths.size(), 3); ++path)
        key.add_line(stroke_of_path(path), fmt::format("way {}", path + 1), Heads::none);
      return;
    }
    const auto is_red = [&](const Message& m) { return !m.blocks.empty() && path_of(m); };
    if (std::any_of(selection.messages.begin(), selection.messages.end(), is_red))
      key.add_line(stroke_of_path(0), "what is wrong", Heads::at_end);
  }

  std::string caption(std::size_t shown, bool has_others) const {
    const auto lines = describe(counterexample_);
    const bool is_list = counterexample_.kind() == Counterexample::Scattered::kind;
    std::string text = is_list ? fmt::format("{}", fmt::join(lines, "; ")) : lines.front();
    text += ".";
    if (shown < ranks()) text += fmt::format(" Drawn are the messages that {} of {} ranks send.", shown, ranks());
    if (!has_others) text += fmt::format(" Messages without block {} are left out.", *counterexample_.block);
    if (!repair_text_.empty()) text += fmt::format(" Suggested: {}.", fmt::join(repair_text_, "; "));
    return text;
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
  std::vector<Block> slots_;       // the block, with others that share its scratch; empty: it is about no block
  std::vector<Move> moves_;        // of the block, between cells (see Trace)
  std::vector<NumberedLeg> legs_;  // what is red
  std::vector<Remark> remarks_;
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
