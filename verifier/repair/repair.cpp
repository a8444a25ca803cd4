// Most mistakes are one move in the blocks that fail: the block with the fewest moves says which edits there may be,
// and the others are tried with them, as they are or turned. Only if none fits, other repairs are looked for.

#include "verifier/repair/repair.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/rows.h"
#include "base/stop.h"
#include "verifier/repair/block_edits.h"

namespace onceover::verifier {

namespace {

/// Larger schedules are left alone: block transfers, results (rank, block), and what ranks hold at each step.
constexpr std::uint64_t most_work = 1 << 22;
/// So many blocks get edits of their own at most.
constexpr std::size_t most_blocks_apart = 64;
/// So many repaired schedules are judged at most.
constexpr std::size_t most_tries = 8;

struct FailingBlock {
  Block block;
  std::vector<Move> moves;
};

/// Turns a move of one block to another block.
class Turning {
 public:
  Turning(const Header& header, Turned turned, Block from, Block to)
      : sides_(header.sides()), turned_(turned), from_(header.owner(from)), to_(header.owner(to)) {}

  std::optional<MoveEdit> operator()(const MoveEdit& edit) const {
    MoveEdit made = edit;
    for (std::optional<Move>* m : {&made.drop, &made.add})
      if (*m && !turn(**m)) return std::nullopt;
    return made;
  }

 private:
  bool turn(Move& move) const {
    move.src = turn(move.src);
    move.dst = turn(move.dst);
    const Rank ranks = std::accumulate(sides_.begin(), sides_.end(), Rank{1}, std::multiplies<>());
    return move.src < ranks && move.dst < ranks;
  }

  Rank turn(Rank rank) const {
    switch (turned_) {
      case Turned::same: return rank;
      case Turned::flipped: return rank ^ from_ ^ to_;
      case Turned::rotated:
      case Turned::mirrored: break;
    }
    Rank made = 0, stride = 1;
    for (std::size_t d = sides_.size(); d-- > 0; stride *= sides_[d]) {
      const Rank side = sides_[d];
      const auto at = [&](Rank r) { return r / stride % side; };
      const bool is_reflected = turned_ == Turned::mirrored && (at(from_) + at(to_)) % 2 != 0;
      const Rank shifted = is_reflected ? at(to_) + at(from_) - at(rank) : at(rank) + at(to_) - at(from_);
      made += (shifted + side) % side * stride;
    }
    return made;
  }

  std::vector<Rank> sides_;
  Turned turned_;
  Rank from_, to_;
};

/// How many of step, source, destination and operation an edit changes; one for a move that is only dropped or added.
int changed_fields(const MoveEdit& edit) {
  if (!edit.drop || !edit.add) return 1;
  const Move &a = *edit.drop, &b = *edit.add;
  return (a.step != b.step) + (a.src != b.src) + (a.dst != b.dst) + (a.op != b.op);
}

using MessageKey = std::tuple<int, Rank, Rank>;  // step, source, destination

MessageKey place_of(const Move& m) {
  return {m.step, m.src, m.dst};
}

class RepairSearch {
 public:
  RepairSearch(const Schedule& schedule, const Report& report, const VerifyOptions& options, std::int64_t budget)
      : schedule_(schedule),
        header_(schedule.header()),
        options_(options),
        budget_(budget),
        trial_(header_),
        search_(header_, schedule.steps()) {
    note_messages();
    note_paths(report);
    find_failing();
  }

  std::optional<Repair> find() {
    if (failing_.empty()) return std::nullopt;
    const auto edits = search_.find(failing_.front().block, failing_.front().moves, budget_);
    if (!edits) return std::nullopt;
    const auto alike = one_edit(*edits);
    if (alike && alike->new_messages == 0) return alike;
    if (auto found = renamed()) return found;
    if (alike) return alike;
    if (auto found = swapped_steps()) return found;
    return edits_apart();
  }

 private:
  /// An edit that repairs all failing blocks, and how.
  struct Candidate {
    MoveEdit edit;
    Turned turned;
    std::uint64_t new_messages;
    bool is_off_paths;

    auto rank() const { return std::tuple(new_messages, changed_fields(edit), is_off_paths, turned); }
  };

  void note_messages() {
    for (int step = 0; step < schedule_.steps(); ++step)
      schedule_.visit_transfers(step, [&](std::span<const Transfer> transfers) {
        for (const Transfer& t : transfers) messages_.insert({MessageKey{step, t.src, t.dst}, t.op});
      });
  }

  void note_paths(const Report& report) {
    for (const PropertyResult& p : report.properties)
      if (p.required && p.counterexample)
        for (const auto& path : p.counterexample->facts().paths)
          for (const auto& leg : path) on_paths_.insert({leg.step, leg.src, leg.dst});
  }

  /// The block with the fewest moves first.
  void find_failing() {
    schedule_.traces({0, header_.blocks}, [&](Block block, const Trace& trace) {
      std::vector<Move> moves = moves_of(trace);
      if (!trial_.is_right(block, moves)) failing_.push_back({block, std::move(moves)});
    });
    const auto fewest =
        std::min_element(failing_.begin(), failing_.end(),
                         [](const FailingBlock& a, const FailingBlock& b) { return a.moves.size() < b.moves.size(); });
    if (fewest != failing_.end()) std::iter_swap(failing_.begin(), fewest);
  }

  bool is_out_of_budget() const { return budget_ < 0 || stop_requested(); }

  /// Does the edit make the block right?
  bool repairs(const MoveEdit& edit, const FailingBlock& of) {
    if (edit.drop && std::find(of.moves.begin(), of.moves.end(), *edit.drop) == of.moves.end()) return false;
    budget_ -= static_cast<std::int64_t>(of.moves.size());
    return !is_out_of_budget() && trial_.is_right(of.block, edited(of.moves, edit));
  }

  std::uint64_t new_messages(const MoveEdit& edit) const {
    return edit.add && !messages_.contains({place_of(*edit.add), edit.add->op}) ? 1 : 0;
  }

  std::optional<Candidate> candidate(const MoveEdit& edit, Turned turned) {
    Candidate made{edit, turned, new_messages(edit), true};
    for (const FailingBlock& other : failing_) {
      const auto here = Turning(header_, turned, failing_.front().block, other.block)(edit);
      if (!here || (&other != &failing_.front() && !repairs(*here, other))) return std::nullopt;
      if (turned != Turned::same && &other != &failing_.front()) made.new_messages += new_messages(*here);
    }
    for (const auto& m : {edit.drop, edit.add})
      if (m && on_paths_.contains(place_of(*m))) made.is_off_paths = false;
    return made;
  }

  std::optional<Repair> one_edit(const std::vector<MoveEdit>& edits) {
    std::vector<Candidate> fitting;
    for (const Turned turned : {Turned::same, Turned::rotated, Turned::mirrored, Turned::flipped}) {
      if (turned != Turned::same && failing_.size() == 1) break;
      for (const MoveEdit& edit : edits)
        if (auto found = candidate(edit, turned)) fitting.push_back(*std::move(found));
    }
    const bool is_complete = !is_out_of_budget();
    std::stable_sort(fitting.begin(), fitting.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); });
    for (std::size_t k = 0; k < std::min(fitting.size(), most_tries); ++k) {
      const Candidate& c = fitting[k];
      const auto alike = std::count_if(fitting.begin(), fitting.end(), [&](const Candidate& other) {
        return other.turned == c.turned && other.edit != c.edit;
      });
      Repair repair{.edits = {{c.edit, mapped(failing_, &FailingBlock::block)}},
                    .turned = c.turned,
                    .new_messages = c.new_messages,
                    .alternatives = static_cast<std::uint64_t>(alike),
                    .is_least = is_complete};
      if (is_right(repair, with_edits(schedule_, all_blocks(repair)))) return repair;
    }
    return std::nullopt;
  }

  std::vector<BlockEdit> all_blocks(const Repair& repair) const {
    std::vector<BlockEdit> made;
    for (const MessageEdit& each : repair.edits)
      for (const Block b : each.blocks)
        made.push_back({b, *Turning(header_, repair.turned, each.blocks.front(), b)(each.edit)});
    return made;
  }

  /// Judges the schedule after the repair.
  bool is_right(Repair& repair, SchedulePtr after) {
    const Report report = verify(*after, options_);
    const PropertyResult* exactly_once = report.find(exactly_once_property);
    if (exactly_once == nullptr || exactly_once->verdict != Verdict::pass) return false;
    repair.schedule = std::move(after);
    repair.verdict = report.verdict;
    for (const PropertyResult& p : report.properties)
      if (p.required && p.verdict == Verdict::fail) repair.still_fails.emplace_back(p.id);
    return true;
  }

  std::optional<Repair> swapped_steps() {
    std::size_t tries = 0;
    for (int first = 0; first < schedule_.steps(); ++first)
      for (int second = first + 1; second < schedule_.steps(); ++second) {
        if (is_out_of_budget()) return std::nullopt;
        if (!swap_repairs(first, second)) continue;
        Repair repair{.swap = StepSwap{first, second}};
        if (is_right(repair, with_swapped(schedule_, first, second))) return repair;
        if (++tries == most_tries) return std::nullopt;
      }
    return std::nullopt;
  }

  bool swap_repairs(int first, int second) {
    return std::all_of(failing_.begin(), failing_.end(), [&](const FailingBlock& f) {
      std::vector<Move> moves = f.moves;
      for (Move& m : moves) m.step = m.step == first ? second : m.step == second ? first : m.step;
      std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.step < b.step; });
      budget_ -= static_cast<std::int64_t>(moves.size()) + 1;
      return !is_out_of_budget() && trial_.is_right(f.block, moves);
    });
  }

  /// For each failing block the edits that repair it, those without new messages first; no blocks if one has none.
  std::vector<std::vector<MoveEdit>> edits_by_block() {
    std::vector<std::vector<MoveEdit>> edits;
    for (const FailingBlock& f : failing_) {
      auto found = search_.find(f.block, f.moves, budget_);
      if (!found || found->empty()) return {};
      std::stable_sort(found->begin(), found->end(), [&](const MoveEdit& a, const MoveEdit& b) {
        return std::tuple(new_messages(a), changed_fields(a)) < std::tuple(new_messages(b), changed_fields(b));
      });
      edits.push_back(*std::move(found));
    }
    return edits;
  }

  /// A message carries one block and should carry another.
  std::optional<Repair> renamed() {
    if (failing_.size() != 2) return std::nullopt;
    const auto edits = edits_by_block();
    if (edits.empty()) return std::nullopt;
    for (const std::size_t gains : {0, 1})
      for (const MoveEdit& gain : edits[gains])
        for (const MoveEdit& loss : edits[1 - gains]) {
          if (gain.drop || loss.add || gain.add != loss.drop) continue;
          Repair repair{.edits = {{loss, {failing_[1 - gains].block}}, {gain, {failing_[gains].block}}}};
          if (is_right(repair, with_edits(schedule_, all_blocks(repair)))) return repair;
        }
    return std::nullopt;
  }

  /// Edits that differ from block to block; the one that repairs most blocks first.
  std::optional<Repair> edits_apart() {
    if (failing_.size() > most_blocks_apart) return std::nullopt;
    const auto edits = edits_by_block();
    if (edits.empty()) return std::nullopt;
    Repair repair = most_common_first(edits);
    for (const MessageEdit& each : repair.edits) repair.new_messages += new_messages(each.edit);
    if (!is_right(repair, with_edits(schedule_, all_blocks(repair)))) return std::nullopt;
    return repair;
  }

  Repair most_common_first(const std::vector<std::vector<MoveEdit>>& edits) const {
    Repair repair;
    std::vector<bool> is_done(edits.size());
    const auto blocks_with = [&](const MoveEdit& edit) {
      std::vector<std::size_t> with;
      for (std::size_t k = 0; k < edits.size(); ++k)
        if (!is_done[k] && std::find(edits[k].begin(), edits[k].end(), edit) != edits[k].end()) with.push_back(k);
      return with;
    };
    for (std::size_t k = 0; k < edits.size(); ++k) {
      if (is_done[k]) continue;
      std::vector<std::size_t> most;
      const MoveEdit* best = nullptr;
      for (const MoveEdit& edit : edits[k])
        if (auto with = blocks_with(edit); with.size() > most.size()) std::tie(best, most) = std::pair(&edit, with);
      repair.edits.push_back({*best, mapped(most, [&](std::size_t each) { return failing_[each].block; })});
      for (const std::size_t each : most) is_done[each] = true;
    }
    return repair;
  }

  const Schedule& schedule_;
  const Header& header_;
  const VerifyOptions& options_;
  std::int64_t budget_;
  BlockTrial trial_;
  EditSearch search_;
  std::set<std::pair<MessageKey, Op>> messages_;
  std::set<MessageKey> on_paths_;
  std::vector<FailingBlock> failing_;
};

bool is_small(const Schedule& schedule) {
  const auto ranks = static_cast<std::uint64_t>(schedule.header().ranks);
  const auto results = ranks * static_cast<std::uint64_t>(schedule.header().blocks);
  const auto held = ranks * (static_cast<std::uint64_t>(schedule.steps()) + 1);
  return schedule.groups() == nullptr && schedule.block_transfers() + results + held <= most_work;
}

/// Is what fails a matter of where blocks move, and not of ranks and blocks that don't exist?
bool may_be_repaired(const Report& report) {
  const PropertyResult* exactly_once = report.find(exactly_once_property);
  if (exactly_once == nullptr || exactly_once->verdict != Verdict::fail || !exactly_once->counterexample) return false;
  const auto& what = exactly_once->counterexample->what;
  return !std::holds_alternative<Counterexample::OutOfRange>(what) &&
         !std::holds_alternative<Counterexample::SelfTransfer>(what);
}

}  // namespace

std::optional<Repair> find_repair(const Schedule& schedule, const Report& report, const VerifyOptions& options,
                                  std::int64_t budget) {
  if (!may_be_repaired(report) || !is_small(schedule)) return std::nullopt;
  return RepairSearch(schedule, report, options, budget).find();
}

}  // namespace onceover::verifier
