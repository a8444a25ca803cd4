#include "verifier/survey.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "base/parallel.h"
#include "base/stop.h"
#include "schedules/patterned_schedule.h"

namespace onceover::verifier {

namespace {

std::int64_t size_of(const std::vector<Run>& runs) {
  std::int64_t size = 0;
  for (const Run run : runs) size += run.size();
  return size;
}

bool has_all_indices(const Axis& axis) {
  return axis.indices.first == 0 && axis.indices.stride == 1 && axis.indices.count == axis.ring;
}

bool has_blocks_inside(const Axis& axis) {
  const Block extent = axis.block_extent();
  if (axis.blocks.move && axis.ring != extent) return false;
  return std::all_of(axis.blocks.offsets.begin(), axis.blocks.offsets.end(),
                     [&](Run run) { return run.first >= 0 && run.last < extent; });
}

/// One sender's coordinates on an axis: how many maximal runs they are, and whether the first and last coordinate are
/// among them.
struct Lie {
  std::uint64_t runs;
  bool has_ends;
};

/// The cases that occur among the senders, who each turn the set of coordinates. The ring's seam then lies in a gap of
/// the set or at the edge of one, or it cuts a run.
std::vector<Lie> lies_of(const Axis& axis) {
  const std::vector<Run>& runs = axis.blocks.offsets;
  const bool has_ends = runs.front().first == 0 && runs.back().last == axis.block_extent() - 1;
  if (!axis.blocks.move || (has_ends && runs.size() == 1)) return {{runs.size(), has_ends}};
  const bool can_cut = has_ends || std::any_of(runs.begin(), runs.end(), [](Run run) { return run.size() > 1; });
  const std::uint64_t around = runs.size() - (has_ends ? 1 : 0);
  std::vector<Lie> lies{{around, false}};
  if (can_cut) lies.push_back({around + 1, true});
  return lies;
}

/// The messages of an even pattern: by it every rank sends just one to another rank and receives just one, all equally
/// large, of blocks that exist. Rings are even, and so are the products of rings on a torus.
class EvenPattern {
 public:
  /// Nothing if the pattern, as PatternedSchedule gives it, isn't even, or if its form doesn't show it. Labels must be
  /// a permutation of the ranks. O(axes + runs).
  static std::optional<EvenPattern> of(const Pattern& pattern, const Header& header) {
    if (pattern.reads != 0 || !pattern.lands.empty()) return std::nullopt;
    std::int64_t ranks = 1, blocks = 1, size = 1;
    bool is_local = true;
    for (auto axis = pattern.axes.rbegin(); axis != pattern.axes.rend(); ++axis) {
      const bool is_even = has_all_indices(*axis) && axis->from.moves && axis->to.moves && axis->rank_step == ranks;
      if (!is_even || !has_blocks_inside(*axis)) return std::nullopt;
      ranks *= axis->ring;
      blocks *= axis->block_extent();
      size *= size_of(axis->blocks.offsets);
      is_local = is_local && axis->from.offset == axis->to.offset;
      if (ranks > header.ranks || blocks > header.blocks) return std::nullopt;
    }
    const bool is_inside = pattern.lane >= 0 && pattern.lane < header.lanes &&
                           pattern.lane * std::int64_t{header.blocks / header.lanes} + blocks <= header.blocks;
    if (ranks != header.ranks || !is_inside || is_local) return std::nullopt;
    return EvenPattern(pattern, static_cast<Block>(size));
  }

  /// Number of blocks in each message.
  Block size() const { return size_; }

  /// The most maximal runs that one of the messages has. O(axes + runs).
  ///
  /// From the last axis to the first, as BlockSet counts the runs of one message. Senders lie in all combinations of
  /// the ways in which they lie on each axis, and more runs of the later axes never make fewer in the end.
  std::uint64_t most_runs() const {
    if (size_ == 1) return 1;
    std::array<std::uint64_t, 2> most{0, 1};  // by whether all axes so far have their ends; 0: doesn't happen
    for (auto axis = pattern_.axes.rbegin(); axis != pattern_.axes.rend(); ++axis) {
      const auto count = static_cast<std::uint64_t>(size_of(axis->blocks.offsets));
      std::array<std::uint64_t, 2> next{0, 0};
      for (const Lie& lie : lies_of(*axis))
        for (const bool reaches_ends : {false, true}) {
          const std::uint64_t runs = most[reaches_ends ? 1 : 0];
          if (runs == 0) continue;
          std::uint64_t& here = next[reaches_ends && lie.has_ends ? 1 : 0];
          here = std::max(here, count * runs - (reaches_ends ? count - lie.runs : 0));
        }
      most = next;
    }
    return std::max(most[0], most[1]);
  }

 private:
  EvenPattern(const Pattern& pattern, Block size) : pattern_(pattern), size_(size) {}

  const Pattern& pattern_;  // must outlive this
  Block size_;
};

/// What one thread finds in its steps.
class Surveyor {
 public:
  explicit Surveyor(const Schedule& schedule)
      : schedule_(schedule),
        ranks_(schedule.header().ranks),
        sent_(static_cast<std::size_t>(schedule.header().ranks)),
        sends_in_step_(static_cast<std::size_t>(schedule.header().ranks)),
        receives_in_step_(static_cast<std::size_t>(schedule.header().ranks)) {}

  void look_at(int step) {
    if (look_at_patterns(step)) return;
    bool stays = false, sends = false;
    schedule_.visit_transfers(step, [&](std::span<const Transfer> some) {
      const std::uint64_t before = survey.metrics.messages + survey.faults;
      look_at(step, some);
      const std::uint64_t sent = survey.metrics.messages + survey.faults - before;
      sends = sends || sent > 0;
      stays = stays || sent < some.size();
    });
    if (stays && !sends) ++survey.metrics.local_steps;
  }

  void merge(const Surveyor& other) {
    auto& mine = survey.metrics;
    const auto& theirs = other.survey.metrics;
    survey.moves += other.survey.moves;
    mine.messages += theirs.messages;
    mine.local_steps += theirs.local_steps;
    mine.block_transfers += theirs.block_transfers;
    mine.max_sends_per_rank_step = std::max(mine.max_sends_per_rank_step, theirs.max_sends_per_rank_step);
    mine.max_receives_per_rank_step = std::max(mine.max_receives_per_rank_step, theirs.max_receives_per_rank_step);
    mine.max_runs_per_message = std::max(mine.max_runs_per_message, theirs.max_runs_per_message);
    for (std::size_t r = 0; r < sent_.size(); ++r) sent_[r] += other.sent_[r];
    sent_by_each_ += other.sent_by_each_;
    survey.faults += other.survey.faults;
    keep_earlier(other.survey.first_fault);
  }

  Survey result() {
    const auto [least, most] = std::minmax_element(sent_.begin(), sent_.end());
    survey.metrics.steps = schedule_.steps() - survey.metrics.local_steps;
    survey.metrics.blocks_sent_min = *least + sent_by_each_;
    survey.metrics.blocks_sent_max = *most + sent_by_each_;
    return survey;
  }

 private:
  /// Measures the step by its patterns. False, and nothing done, if not all of them are even.
  bool look_at_patterns(int step) {
    const PatternedSchedule* patterned = schedule_.as_patterns();
    if (patterned == nullptr) return false;
    const std::vector<Pattern> patterns = patterned->patterns(step);
    std::uint64_t sent = 0;  // by each rank
    std::uint64_t runs = survey.metrics.max_runs_per_message;
    for (const Pattern& pattern : patterns) {
      const auto even = renames_ranks(pattern) ? EvenPattern::of(pattern, schedule_.header()) : std::nullopt;
      if (!even) return false;
      const auto size = static_cast<std::uint64_t>(even->size());
      sent += size;
      if (size > runs) runs = std::max(runs, even->most_runs());
    }
    Metrics& m = survey.metrics;
    const auto ranks = static_cast<std::uint64_t>(ranks_);
    m.messages += patterns.size() * ranks;
    m.block_transfers += sent * ranks;
    survey.moves += sent * ranks;
    m.max_sends_per_rank_step = std::max<std::uint64_t>(m.max_sends_per_rank_step, patterns.size());
    m.max_receives_per_rank_step = std::max<std::uint64_t>(m.max_receives_per_rank_step, patterns.size());
    m.max_runs_per_message = runs;
    sent_by_each_ += sent;
    return true;
  }

  /// Are the pattern's labels, if it has any, a permutation of the ranks? Those of all steps of a lane are one list.
  bool renames_ranks(const Pattern& pattern) {
    if (pattern.labels == nullptr || permutations_.contains(pattern.labels.get())) return true;
    if (!is_permutation(*pattern.labels, ranks_)) return false;
    permutations_.insert(pattern.labels.get());
    return true;
  }

  void look_at(int step, std::span<const Transfer> transfers) {
    Metrics m = survey.metrics;
    const Block blocks = schedule_.header().all_blocks();
    for (const Transfer& t : transfers) {
      if (has_fault(t, blocks)) {
        note(t, step);
        continue;
      }
      survey.moves += static_cast<std::uint64_t>(t.landings == nullptr ? t.blocks.size() : t.landed());
      if (t.is_local()) continue;
      const auto size = static_cast<std::uint64_t>(t.blocks.size());
      const auto src = static_cast<std::size_t>(t.src);
      const auto dst = static_cast<std::size_t>(t.dst);
      sent_[src] += size;
      m.messages += 1;
      m.block_transfers += size;
      m.max_sends_per_rank_step = std::max(m.max_sends_per_rank_step, sends_in_step_[src].next(step));
      m.max_receives_per_rank_step = std::max(m.max_receives_per_rank_step, receives_in_step_[dst].next(step));
      if (size > m.max_runs_per_message && t.blocks.run_limit() > m.max_runs_per_message)
        m.max_runs_per_message = std::max<std::uint64_t>(m.max_runs_per_message, t.blocks.run_count());
    }
    survey.metrics = m;
  }

  /// Counts from 1 in each step; the steps must come in ascending order.
  struct Counter {
    std::uint64_t value = 0;  // the step, and 32 bits for the count

    std::uint64_t next(int step) {
      value = std::max(value, static_cast<std::uint64_t>(step) << 32) + 1;
      return value & UINT32_MAX;
    }
  };

  bool is_rank(Rank r) const { return static_cast<std::uint32_t>(r) < static_cast<std::uint32_t>(ranks_); }

  bool has_fault(const Transfer& t, Block blocks) const {
    return !is_rank(t.src) || !is_rank(t.dst) || !t.blocks.inside(blocks) || t.stays() ||
           (t.landings != nullptr && !lands_inside(t, blocks));
  }

  static bool lands_inside(const Transfer& t, Block blocks) {
    bool inside = true;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.for_each_run([&](Run run) { inside = inside && run.first + shift >= 0 && run.last + shift < blocks; });
    });
    return inside;
  }

  /// Records what is wrong with a faulty transfer.
  void note(const Transfer& t, int step) {
    ++survey.faults;
    if (!is_rank(t.src) || !is_rank(t.dst))
      keep_earlier({{.what = Counterexample::OutOfRange{},
                     .rank = is_rank(t.src) ? t.dst : t.src,
                     .block = first_block(t),
                     .step = step}});
    else if (!t.is_local() || !t.blocks.inside(schedule_.header().all_blocks()))
      keep_earlier({{.what = Counterexample::OutOfRange{}, .rank = t.src, .block = last_block(t), .step = step}});
    else
      keep_earlier({{.what = Counterexample::SelfTransfer{}, .rank = t.src, .block = staying_block(t), .step = step}});
  }

  static Block staying_block(const Transfer& t) {
    std::optional<Block> first;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      if (shift == 0) set.for_each_run([&](Run run) { first = first.value_or(run.first); });
    });
    return first.value_or(0);
  }

  static Block first_block(const Transfer& t) {
    std::optional<Block> first;
    t.blocks.for_each_run([&](Run run) { first = first.value_or(run.first); });
    return first.value_or(0);
  }

  static Block last_block(const Transfer& t) {
    Block last = 0;
    t.blocks.for_each_run([&](Run run) { last = run.last; });
    return last;
  }

  void keep_earlier(std::optional<Counterexample> fault) {
    if (!fault || (survey.first_fault && *survey.first_fault->step <= *fault->step)) return;
    survey.first_fault = std::move(fault);
  }

  const Schedule& schedule_;
  Rank ranks_;
  Survey survey;
  std::vector<std::uint64_t> sent_;
  std::uint64_t sent_by_each_ = 0;  // in addition
  std::set<const std::vector<Rank>*> permutations_;
  std::vector<Counter> sends_in_step_;
  std::vector<Counter> receives_in_step_;
};

}  // namespace

LowerBounds lower_bounds(const Header& h) {
  // Each block must meet p-1 other ranks, in an allreduce twice; some rank sends at least the mean.
  const double p = h.ranks;
  const double one_way = (p - 1) / p * h.blocks;
  switch (h.collective) {
    case Collective::allreduce: return {std::log2(p), 2 * one_way};
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::broadcast:
    case Collective::reduce: return {std::log2(p), one_way};
    default: return {std::log2(p), std::nullopt};
  }
}

Survey survey(const Schedule& schedule, int threads) {
  std::vector<Surveyor> surveyors(static_cast<std::size_t>(threads), Surveyor(schedule));
  std::atomic<int> next_step = 0;
  run_workers(threads, [&](int k) {
    for (int step = next_step++; step < schedule.steps(); step = next_step++) {
      stop_point();
      surveyors[static_cast<std::size_t>(k)].look_at(step);
    }
  });
  for (std::size_t k = 1; k < surveyors.size(); ++k) surveyors[0].merge(surveyors[k]);
  return surveyors[0].result();
}

}  // namespace onceover::verifier
