// Why one block of an orbit stands for all, though other ranks are folded onto those that are translated: each message
// that folds has all blocks of its lane. So what a rank holds once all are folded, its own contribution and those of
// the ranks folded onto it, is the same sum for every block. Each rank's contribution is in one of these sums, once. To
// the steps between they are what contributions are to a schedule without folding. A result that has each of them once
// has each contribution once; and those who unfold get copies of it.

#include "base/stop.h"
#include "verifier/pattern_symmetry.h"

namespace onceover::verifier {

namespace {

/// Finds the lane whose blocks a message has, all of them and no others.
class WholeLanes {
 public:
  explicit WholeLanes(const Header& header) : blocks_(header.blocks), places_(header.blocks / header.lanes) {}

  std::optional<int> lane_of(const BlockSet& blocks) {
    if (blocks.size() != places_ || !blocks.inside(blocks_)) return std::nullopt;
    if (lane_ && blocks.same_but_for_code(last_)) return lane_;  // turning all blocks of a lane gives all of them
    std::optional<int> lane;
    blocks.for_each_run([&](Run run) {
      if (run.first % places_ == 0 && run.size() == places_) lane = run.first / places_;
    });
    last_ = blocks;
    lane_ = lane;
    return lane;
  }

 private:
  Block blocks_;
  Block places_;
  BlockSet last_;
  std::optional<int> lane_;
};

bool begins_and_ends_everywhere(const Header& header) {
  const Contract& c = contract(header.collective);
  return c.begins == Holders::everyone && c.ends == Holders::everyone;
}

}  // namespace

std::optional<FoldedRanks> FoldedRanks::of(const Schedule& schedule) {
  const Header& h = schedule.header();
  const std::int64_t surplus = std::int64_t{h.lanes} * h.ranks - h.blocks;
  FoldedRanks folded(schedule);
  if (surplus == 0) return folded;
  if (surplus < 0 || h.blocks % h.lanes != 0 || h.scratch != 0 || !begins_and_ends_everywhere(h)) return std::nullopt;
  folded.parts_.resize(static_cast<std::size_t>(h.lanes) * static_cast<std::size_t>(h.ranks));
  while (folded.folded_ < surplus)
    if (!folded.add_step()) return std::nullopt;
  return folded.folded_ == surplus ? std::optional(std::move(folded)) : std::nullopt;
}

FoldedRanks::FoldedRanks(const Schedule& schedule) : schedule_(&schedule), ranks_(schedule.header().ranks) {}

/// Reads one more step from each end. False if it has any other transfer, or if they aren't mirror images.
bool FoldedRanks::add_step() {
  const int last = schedule_->steps() - 1 - steps_;
  if (last <= steps_) return false;
  const std::int64_t before = folded_;
  std::int64_t unfolded = 0;
  const bool is_mirrored =
      all_of_lanes(steps_, [&](const Transfer& t, int lane) { return fold(t, lane) && (++folded_, true); }) &&
      all_of_lanes(last, [&](const Transfer& t, int lane) { return unfold(t, lane) && (++unfolded, true); });
  ++steps_;
  return is_mirrored && unfolded > 0 && unfolded == folded_ - before;
}

/// A rank that gives has received nothing in this step, and gives nothing more: messages carry what their senders hold
/// as the step begins.
bool FoldedRanks::fold(const Transfer& t, int lane) {
  Part& giver = of_lane(lane, t.src);
  Part& taker = of_lane(lane, t.dst);
  if (t.op != Op::reduce || giver.is_folded() || taker.is_folded() || giver.step == steps_) return false;
  giver = {t.dst, steps_};
  taker.step = steps_;
  return true;
}

bool FoldedRanks::unfold(const Transfer& t, int lane) {
  Part& taker = of_lane(lane, t.dst);
  if (t.op != Op::copy || taker.onto != t.src || taker.step != steps_) return false;
  taker.step = -1;
  return true;
}

/// Calls visit(transfer, lane) for the step's transfers until it returns false. False also if one of them isn't a
/// message between ranks of all blocks of a lane.
template <class Visit>
bool FoldedRanks::all_of_lanes(int step, Visit&& visit) const {
  WholeLanes lanes(schedule_->header());
  const auto is_rank = [&](Rank r) { return r >= 0 && r < ranks_; };
  bool all = true;
  schedule_->visit_transfers(step, [&](std::span<const Transfer> some) {
    stop_point();
    for (const Transfer& t : some) {
      all = all && is_rank(t.src) && is_rank(t.dst) && !t.is_local() && t.landings == nullptr;
      const std::optional<int> lane = all ? lanes.lane_of(t.blocks) : std::nullopt;
      all = lane && visit(t, *lane);
      if (!all) return;
    }
  });
  return all;
}

}  // namespace onceover::verifier
