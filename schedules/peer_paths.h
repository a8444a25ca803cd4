// A reduce-scatter made only from the peers that ranks exchange with, and the one rank without a partner where the
// others exchange in pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// The last coordinate of an odd extent, and which of the others it has yet to exchange with, in their reduce-scatter.
/// (Swing paper, section 3.2 and figure 4)
class OddOneOut {
 public:
  explicit OddOneOut(Rank last) : last_(last) {}

  /// Adds a step: this coordinate and some of the remaining others send each other the block that the receiver owns.
  /// Half of them take part, rounded up; in the last step all.
  void exchange(bool in_last_step, std::vector<Axis>& sends) {
    const Rank remaining = last_ - served_;
    const Rank count = in_last_step ? remaining : (remaining + 1) / 2;
    exchange_with(served_, served_ + count, sends);
    served_ += count;
  }

  /// Adds the exchange with the coordinates first .. end-1.
  void exchange_with(Rank first, Rank end, std::vector<Axis>& sends) const {
    const Indices others = Indices::range(first, end);
    sends.push_back(axis(others, Place::at(last_), Place::by(0), Blocks::relative({0})));
    sends.push_back(axis(others, Place::by(0), Place::at(last_), Blocks::fixed({last_})));
  }

  /// Adds what is still to be exchanged, as responsibilities.
  void keep(std::vector<Axis>& keeps) const {
    std::vector<Block> own{last_};
    for (Rank other = served_; other < last_; ++other) own.push_back(other);
    keeps.push_back(axis(Indices::only(0), Place::at(last_), Place::at(last_), Blocks::fixed(own)));
    keeps.push_back(axis(Indices::range(served_, last_), Place::by(0), Place::by(0), Blocks::fixed({last_})));
  }

 private:
  Axis axis(Indices indices, Place from, Place to, Blocks blocks) const {
    return {
        .indices = indices, .ring = last_, .from = from, .to = to, .blocks = std::move(blocks), .extent = last_ + 1};
  }

  Rank last_;
  Rank served_ = 0;
};

/// The rank that a rank sends to at a step, 0 .. ranks-1; the rank itself if it sends to nobody.
using PeerFunction = std::function<Rank(Rank rank, int step)>;

/// When to send a block that a rank reaches through its peers of several steps.
enum class Repeats {
  last,        // at the last step that reaches it; right for every peer function whose paths reach everybody
  first,       // at the first step that reaches it
  final_step,  // in the last step of all
  at_once,     // each step sends what it and all later steps reach
};

/// Adds a reduce-scatter with one block for each rank. Rank r can send a block at step s if its peer there owns it or
/// can send it later. With Repeats::last it sends of these only the blocks that it can't send later itself, so it sends
/// no block twice and never its own. (Swing paper, figure 3 and section 3.2)
///
/// The ranks may be the first ones of a schedule with `extent` blocks. False, and nothing of use in the plan, if its
/// messages would have more than `most_runs` runs of blocks.
///
/// If all ranks do the same, as seen from themselves, or all even ones and all odd ones, they share patterns, and their
/// runs count once. Memory: number of patterns sharing ranks * ranks * steps / 8 bytes while the schedule is made, some
/// 35 bytes a run afterwards. That is 1 or 2 patterns a step for ranks that share them, else as many as ranks.
bool add_reduce_scatter_along(PatternedSchedule::Builder& plan, Rank ranks, Rank extent, int steps,
                              const PeerFunction& peer, Repeats repeats = Repeats::last,
                              std::uint64_t most_runs = UINT64_MAX);

/// After how many ranks the peers repeat, as seen from a rank: 1, 2 or `ranks`. With 2, each step's peers are different
/// ranks. O(ranks * steps).
Rank period_of_peers(Rank ranks, int steps, const PeerFunction& peer);

}  // namespace onceover::schedules
