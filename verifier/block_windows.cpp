// A schedule is judged block by block: what ranks hold of one block depends on no other. So threads take windows of
// blocks, and their findings are added up. It ends because each window is handed out once.
//
// Example: in the ring allreduce of 8 ranks a block has 14 transfers, all blocks together 112. If its symmetry is used,
// only block 0 is executed, and its 14 transfers count 8 times.

#include "verifier/block_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/parallel.h"
#include "base/stop.h"
#include "verifier/execution.h"
#include "verifier/replay.h"
#include "verifier/result_check.h"

namespace onceover::verifier {

namespace {

/// The blocks that failed in some way, by the ways.
constexpr std::array all_failures{&BlockFindings::undefined, &BlockFindings::clashing, &BlockFindings::wrong,
                                  &BlockFindings::differing};

/// How many moves a window of blocks should have at most, which bounds the memory for sorting a listed schedule by
/// block.
constexpr std::uint64_t window_moves = 1 << 20;

/// The blocks to execute, handed out to threads window by window: every block, or one of each orbit. A process of a
/// team gets every so many-th window, from its own number on.
class Windows {
 public:
  Windows(const Schedule& schedule, const BlockExecution& how)
      : processes_(how.team == nullptr ? 1 : how.team->size()),
        blocks_(schedule.header().blocks),
        size_(window_size(schedule, how.threads * processes_)),
        next_(how.team == nullptr ? 0 : how.team->number()) {
    if (!how.symmetry) return;
    const Rank places = how.symmetry->places();
    size_ = 1;
    symmetry_ = how.symmetry->text();
    for (Block lane = 0; lane < blocks_ / places; ++lane)
      for (const Rank place : how.symmetry->representatives()) chosen_.push_back(lane * places + place);
  }

  int processes() const { return processes_; }

  /// The next window, or nothing after the last one. May be called from any thread.
  std::optional<BlockRange> next() {
    const std::int64_t first = next_.fetch_add(processes_) * size_;
    if (first >= blocks()) return std::nullopt;
    const Block begin = chosen_.empty() ? static_cast<Block>(first) : chosen_[static_cast<std::size_t>(first)];
    return BlockRange{begin, begin + static_cast<Block>(std::min<std::int64_t>(size_, blocks() - first))};
  }

  /// Which blocks are executed, and how they are divided; processes that share the work must agree on it.
  std::string text() const {
    return chosen_.empty() ? fmt::format("by {}", size_) : fmt::format("{} by {}", chosen_.size(), symmetry_);
  }

  /// The part of the work that has been handed out, 0 to 1.
  double part_begun() const {
    return std::min(1.0, static_cast<double>(next_ * size_) / static_cast<double>(blocks()));
  }

 private:
  std::int64_t blocks() const { return chosen_.empty() ? blocks_ : static_cast<std::int64_t>(chosen_.size()); }

  int processes_;
  Block blocks_;
  Block size_;
  std::vector<Block> chosen_;
  std::string symmetry_;            // in words
  std::atomic<std::int64_t> next_;  // in windows
};

/// Each block of a group has the moves of all, which count once.
bool is_first_of_group(const Schedule& schedule, Block block) {
  return schedule.groups() == nullptr || schedule.groups()->of(block).front() == block;
}

/// One thread's judge of the blocks in its windows.
class WindowJudge {
 public:
  WindowJudge(const Schedule& schedule, const BlockExecution& how, std::uint64_t budget)
      : schedule_(schedule),
        symmetry_(how.symmetry),
        execution_(schedule.header()),
        check_(schedule.header(), how.every_rank_up_to),
        replay_(schedule.header(), Foreign::apart),
        budget_(budget) {
    found_.checks = how.checks();
  }

  void judge(BlockRange window) {
    schedule_.traces(window, [&](Block block, const Trace& trace) { judge(block, trace); });
  }

  bool is_exhausted() const { return check_.walked() > budget_ || stop_requested(); }

  BlockFindings findings() {
    found_.exhausted = is_exhausted();
    return std::move(found_);
  }

 private:
  void judge(Block block, const Trace& trace) {
    const std::uint64_t times = blocks_like(block);
    if (is_first_of_group(schedule_, block)) found_.moves += times * trace.move_count();
    if (is_exhausted()) return;
    if (execution_.run(block, trace)) return found_.undefined.add(block, times);
    if (execution_.has_clash()) found_.clashing.add(block, times);
    const BlockResult result = check_.judge(block, trace, execution_);
    found_.wrong_results += times * result.wrong;
    found_.depth = std::max(found_.depth, result.depth);
    if (result.wrong > 0) found_.wrong.add(block, times);
    found_.by_orbits = found_.by_orbits || result.by_orbits;
    found_.is_uneven = found_.is_uneven || !has_depth_of_its_orbit();
    // Only a wrong result may have data of other blocks, all of which is one leaf to the execution.
    const bool may_be_foreign = result.wrong > 0 && trace.slot_count() > 1;
    if (may_be_foreign || !found_.checks.empty()) replay_.run(block, trace);
    const std::uint64_t sums = may_be_foreign ? different_results(replay_) : result.sums;
    found_.most_sums = std::max(found_.most_sums, sums);
    if (sums > 1) found_.differing.add(block, times);
    for (JudgedCheck& each : found_.checks) each.check->judge(replay_);
  }

  /// For how many blocks this one stands.
  std::uint64_t blocks_like(Block block) const {
    return symmetry_ ? static_cast<std::uint64_t>(symmetry_->orbit_size(block % symmetry_->places())) : 1;
  }

  /// Are the block's sums as deep as those of the blocks for which it stands? Folding makes one sum for each folded
  /// rank, before all others. In other blocks these sums are elsewhere in the results, which matters unless all places
  /// are equally deep.
  bool has_depth_of_its_orbit() {
    if (!symmetry_ || symmetry_->folded == 0) return true;
    const auto first_sum = TermTable::id(execution_.terms().leaf(schedule_.header().ranks));
    const std::uint32_t folded_end = first_sum + static_cast<std::uint32_t>(symmetry_->folded);
    return levels_.are_level(execution_.terms(), execution_.values(), folded_end);
  }

  const Schedule& schedule_;
  const std::optional<Symmetry>& symmetry_;
  Execution execution_;
  ResultCheck check_;
  LevelWalk levels_;
  Replay replay_;
  std::uint64_t budget_;
  BlockFindings found_;
};

/// Executes the windows on all threads.
BlockFindings execute(const Schedule& schedule, const BlockExecution& how, Windows& windows) {
  std::vector<BlockFindings> found(static_cast<std::size_t>(how.threads));
  const std::uint64_t budget = how.budget / static_cast<std::uint64_t>(windows.processes()) / found.size();
  run_workers(how.threads, [&](int k) {
    WindowJudge judge(schedule, how, budget);
    while (!judge.is_exhausted()) {
      const std::optional<BlockRange> window = windows.next();
      if (!window) break;
      judge.judge(*window);
      if (k == 0 && how.on_progress) how.on_progress(windows.part_begun());
    }
    found[static_cast<std::size_t>(k)] = judge.findings();
  });
  for (std::size_t k = 1; k < found.size(); ++k) found[0].merge(found[k]);
  return std::move(found[0]);
}

/// All blocks of the orbits whose representatives failed.
Failures in_whole_orbits(const Failures& representatives, const Symmetry& symmetry, const Header& header) {
  Failures all;
  all.count = representatives.count;
  const Rank places = symmetry.places();
  const auto kept = std::min<std::uint64_t>(Failures::most_kept, all.count);
  for (Block b = 0; b < header.blocks && all.lowest.size() < kept; ++b) {
    const Block representative = b - b % places + symmetry.representative_of(b % places);
    if (std::binary_search(representatives.lowest.begin(), representatives.lowest.end(), representative))
      all.lowest.push_back(b);
  }
  return all;
}

/// Findings as text, for other processes. The text begins with what all processes must agree on.
class FindingsText {
 public:
  FindingsText(const Schedule& schedule, const std::string& windows)
      : subject_(fmt::format("{} {} {} {} {}", schedule.header().ranks, schedule.header().blocks, schedule.steps(),
                             schedule.block_transfers(), windows)) {}

  std::string write(const BlockFindings& found) const {
    return fmt::format("{}\n{} {} {} {} {:d} {:d} {:d} {} {} {} {} {}", subject_, found.moves, found.wrong_results,
                       found.depth, found.most_sums, found.exhausted, found.is_uneven, found.by_orbits,
                       write(found.undefined), write(found.clashing), write(found.wrong), write(found.differing),
                       found.exhausted ? stop_reason() : "");
  }

  /// If the other process was asked to stop, this one is, too.
  BlockFindings read(const std::string& text) const {
    std::istringstream in(text);
    std::string subject, reason;
    std::getline(in, subject);
    if (subject != subject_)
      throw std::runtime_error(
          "the processes don't judge the same blocks of the same schedule; is a file another one on some machine?");
    BlockFindings found;
    in >> found.moves >> found.wrong_results >> found.depth >> found.most_sums;
    in >> found.exhausted >> found.is_uneven >> found.by_orbits;
    for (Failures BlockFindings::*each : all_failures) read(in, found.*each);
    if (!in) throw std::logic_error("a process's findings can't be read");
    if (std::getline(in >> std::ws, reason)) request_stop(reason);
    return found;
  }

 private:
  static std::string write(const Failures& failures) {
    return fmt::format("{} {} {}", failures.count, failures.lowest.size(), fmt::join(failures.lowest, " "));
  }

  static void read(std::istream& in, Failures& failures) {
    std::size_t size = 0;
    in >> failures.count >> size;
    failures.lowest.resize(std::min(size, Failures::most_kept));
    for (Block& block : failures.lowest) in >> block;
  }

  std::string subject_;
};

/// The findings of all processes, added up.
BlockFindings merged(const BlockFindings& mine, Team& team, const FindingsText& text) {
  BlockFindings all;
  for (const std::string& each : team.gather(text.write(mine))) all.merge(text.read(each));
  return all;
}

}  // namespace

Block window_size(const Schedule& schedule, int threads) {
  const auto blocks = static_cast<std::uint64_t>(schedule.header().blocks);
  const std::uint64_t moves_a_block = schedule.block_transfers() / blocks + 1;
  const std::uint64_t windows_a_thread = schedule.rescans() ? 2 : 8;
  const std::uint64_t even_share = blocks / (windows_a_thread * static_cast<std::uint64_t>(threads)) + 1;
  return static_cast<Block>(std::clamp<std::uint64_t>(window_moves / moves_a_block, 1, even_share));
}

void Failures::add(Block block, std::uint64_t times) {
  count += times;
  if (lowest.size() < most_kept) lowest.push_back(block);
}

void Failures::merge(const Failures& other) {
  count += other.count;
  lowest.insert(lowest.end(), other.lowest.begin(), other.lowest.end());
  std::sort(lowest.begin(), lowest.end());
  if (lowest.size() > most_kept) lowest.resize(most_kept);
}

void BlockFindings::merge(const BlockFindings& other) {
  moves += other.moves;
  wrong_results += other.wrong_results;
  depth = std::max(depth, other.depth);
  exhausted = exhausted || other.exhausted;
  is_uneven = is_uneven || other.is_uneven;
  by_orbits = by_orbits || other.by_orbits;
  for (Failures BlockFindings::*each : all_failures) (this->*each).merge(other.*each);
  most_sums = std::max(most_sums, other.most_sums);
  for (std::size_t k = 0; k < checks.size(); ++k) checks[k].check->merge(*other.checks[k].check);
}

std::int64_t blocks_to_execute(const Schedule& schedule, const std::optional<Symmetry>& symmetry) {
  const std::int64_t blocks = schedule.header().blocks;
  return symmetry ? blocks / symmetry->places() * symmetry->orbits() : blocks;
}

BlockFindings execute_blocks(const Schedule& schedule, const BlockExecution& how) {
  Windows windows(schedule, how);
  BlockFindings found = execute(schedule, how, windows);
  if (how.team != nullptr) found = merged(found, *how.team, FindingsText(schedule, windows.text()));
  if (how.symmetry)
    for (Failures BlockFindings::*each : all_failures)
      found.*each = in_whole_orbits(found.*each, *how.symmetry, schedule.header());
  return found;
}

}  // namespace onceover::verifier
