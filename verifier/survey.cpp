#include "verifier/survey.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

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

bool has_blocks_inside(const Axis& axis) {
  const Block extent = axis.block_extent();
  if (axis.blocks.move && axis.ring != extent) return false;
  return std::all_of(axis.blocks.offsets.begin(), axis.blocks.offsets.end(),
                     [&](Run run) { return run.first >= 0 && run.last < extent; });
}

/// A sender's coordinates on an axis: how many maximal runs they are, and whether the first and last coordinate are
/// among them.
struct Lie {
  std::uint64_t runs;
  bool has_ends;
};

/// Does one of first + 1 .. last leave the remainder?
bool is_between(Block first, Block last, Rank remainder, Rank modulus) {
  const auto up_to = [&](Block x) { return (x + modulus - remainder) / modulus; };
  return up_to(last) > up_to(first);
}

/// Of the sender with the most runs. Each turns the set of coordinates: the ring's seam then lies in a gap of the set
/// or at the edge of one, or it cuts a run, that of index i if the places -i - 1 and -i are both in the set.
Lie most_cut(const Axis& axis) {
  const std::vector<Run>& runs = axis.blocks.offsets;
  const bool has_ends = runs.front().first == 0 && runs.back().last == axis.block_extent() - 1;
  if (!axis.blocks.move || (has_ends && runs.size() == 1)) return {runs.size(), has_ends};
  const Rank stride = axis.indices.stride;
  const Rank remainder = (stride - axis.indices.first) % stride;
  const bool is_cut = (has_ends && remainder == 0) || std::any_of(runs.begin(), runs.end(), [&](Run run) {
                        return is_between(run.first, run.last, remainder, stride);
                      });
  const std::uint64_t around = runs.size() - (has_ends ? 1 : 0);
  return {around + (is_cut ? 1 : 0), is_cut};
}

/// The messages of a regular pattern, all equally large, of blocks that exist: the ranks whose coordinates leave
/// certain remainders send one each to another rank, and those whose coordinates leave certain others receive one each.
/// Rings are regular, so are exchanges of every second rank, and the products of them on a torus.
class RegularPattern {
 public:
  /// Nothing if the pattern, as PatternedSchedule gives it, isn't regular, or if its form doesn't show it. Labels must
  /// be a permutation of the ranks. The pattern must outlive this. O(axes + runs).
  static std::optional<RegularPattern> of(const Pattern& pattern, const Header& header) {
    if (pattern.reads != 0 || !pattern.lands.empty()) return std::nullopt;
    std::int64_t ranks = 1, blocks = 1, size = 1, senders = 1;
    bool is_local = true;
    for (auto axis = pattern.axes.rbegin(); axis != pattern.axes.rend(); ++axis) {
      const bool is_regular =
          axis->is_turned_onto_itself() && axis->from.moves && axis->to.moves && axis->rank_step == ranks;
      if (!is_regular || !has_blocks_inside(*axis)) return std::nullopt;
      ranks *= axis->ring;
      senders *= axis->indices.count;
      blocks *= axis->block_extent();
      size *= size_of(axis->blocks.offsets);
      is_local = is_local && (axis->from.offset - axis->to.offset) % axis->ring == 0;
      if (ranks > header.ranks || blocks > header.blocks) return std::nullopt;
    }
    const bool is_inside = pattern.lane >= 0 && pattern.lane < header.lanes &&
                           pattern.lane * std::int64_t{header.blocks / header.lanes} + blocks <= header.blocks;
    if (ranks != header.ranks || !is_inside || is_local) return std::nullopt;
    return RegularPattern(pattern, static_cast<std::uint64_t>(senders), static_cast<Block>(size));
  }

  const Pattern& pattern() const { return *pattern_; }

  /// Number of ranks that send, and of messages.
  std::uint64_t senders() const { return senders_; }

  /// Does every rank send?
  bool is_even(const Header& header) const { return senders_ == static_cast<std::uint64_t>(header.ranks); }

  /// Number of blocks in each message.
  Block size() const { return size_; }

  /// The most maximal runs that one of the messages has. O(axes + runs).
  ///
  /// From the last axis to the first, as BlockSet counts the runs of one message. Senders lie in all combinations of
  /// the ways in which they lie on each axis. One more run never makes fewer in the end, and a cut makes one more.
  std::uint64_t most_runs() const {
    std::uint64_t runs = 1;
    bool reaches_ends = true;  // do all axes so far have their ends?
    for (auto axis = pattern_->axes.rbegin(); axis != pattern_->axes.rend(); ++axis) {
      const auto count = static_cast<std::uint64_t>(size_of(axis->blocks.offsets));
      const Lie lie = most_cut(*axis);
      runs = count * runs - (reaches_ends ? count - lie.runs : 0);
      reaches_ends = reaches_ends && lie.has_ends;
    }
    return runs;
  }

 private:
  RegularPattern(const Pattern& pattern, std::uint64_t senders, Block size)
      : pattern_(&pattern), senders_(senders), size_(size) {}

  const Pattern* pattern_;
  std::uint64_t senders_;
  Block size_;
};

/// Ranks by the remainders that their coordinates leave. Patterns whose strides divide the moduli take a class of
/// remainders whole or not at all.
class Remainders {
 public:
  static constexpr std::int64_t most_classes = 64;

  /// One class, of all.
  Remainders() = default;

  /// With larger moduli, if need be, so that the patterns that aren't even take classes whole. Nothing if these have
  /// different coordinates, or need too many classes. O(patterns * axes).
  std::optional<Remainders> refined_for(const std::vector<RegularPattern>& patterns, const Header& header) const {
    Remainders refined = *this;
    bool is_first = true;
    for (const RegularPattern& regular : patterns) {
      if (regular.is_even(header)) continue;
      if (!refined.has_coordinates_of(regular.pattern())) {
        if (!is_first) return std::nullopt;
        refined = Remainders(regular.pattern());
      }
      is_first = false;
      if (!refined.refine(regular.pattern())) return std::nullopt;
    }
    return refined;
  }

  std::size_t classes() const { return classes_; }

  /// Is the class among the pattern's senders, or its receivers? O(axes).
  bool has(const Pattern& pattern, Place Axis::*end, std::size_t which) const {
    for (std::size_t a = rings_.size(); a-- > 0; which /= static_cast<std::size_t>(moduli_[a])) {
      const Axis& axis = pattern.axes[a];
      const auto remainder = static_cast<Rank>(which % static_cast<std::size_t>(moduli_[a]));
      if ((remainder - axis.indices.first - (axis.*end).offset) % axis.indices.stride != 0) return false;
    }
    return true;
  }

  /// Calls f(rank, class) for each. O(ranks * axes).
  void for_each_rank(Rank ranks, const std::function<void(Rank, std::size_t)>& f) const {
    for (Rank seat = 0; seat < ranks; ++seat) {
      std::size_t which = 0, times = 1;
      Rank rest = seat;
      for (std::size_t a = rings_.size(); a-- > 0; rest /= rings_[a], times *= static_cast<std::size_t>(moduli_[a]))
        which += static_cast<std::size_t>(rest % rings_[a] % moduli_[a]) * times;
      f(labels_ == nullptr ? seat : (*labels_)[static_cast<std::size_t>(seat)], which);
    }
  }

  friend bool operator==(const Remainders&, const Remainders&) = default;

 private:
  explicit Remainders(const Pattern& pattern) : moduli_(pattern.axes.size(), 1), labels_(pattern.labels) {
    for (const Axis& axis : pattern.axes) rings_.push_back(axis.ring);
  }

  bool has_coordinates_of(const Pattern& pattern) const {
    return labels_ == pattern.labels &&
           std::equal(rings_.begin(), rings_.end(), pattern.axes.begin(), pattern.axes.end(),
                      [](Rank ring, const Axis& axis) { return ring == axis.ring; });
  }

  bool refine(const Pattern& pattern) {
    std::int64_t classes = 1;
    for (std::size_t a = 0; a < moduli_.size(); ++a) {
      moduli_[a] = std::lcm(moduli_[a], pattern.axes[a].indices.stride);
      classes *= moduli_[a];
      if (classes > most_classes) return false;
    }
    classes_ = static_cast<std::size_t>(classes);
    return true;
  }

  std::vector<Rank> rings_, moduli_;  // by axis
  std::shared_ptr<const std::vector<Rank>> labels_;
  std::size_t classes_ = 1;
};

/// What one thread finds in its steps.
class Surveyor {
 public:
  explicit Surveyor(const Schedule& schedule) : schedule_(schedule), ranks_(schedule.header().ranks) {}

  void look_at(int step) {
    if (look_at_patterns(step)) return;
    tell_ranks_apart();
    sends_in_step_.resize(sent_.size());
    receives_in_step_.resize(sent_.size());
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

  void merge(Surveyor& other) {
    if (!sent_.empty() || !other.sent_.empty() || !(remainders_ == other.remainders_)) {
      tell_ranks_apart();
      other.tell_ranks_apart();
    }
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
    if (sent_.empty())
      for (std::size_t c = 0; c < sent_by_class_.size(); ++c) sent_by_class_[c] += other.sent_by_class_[c];
    survey.faults += other.survey.faults;
    keep_earlier(other.survey.first_fault);
  }

  Survey result() {
    if (!sent_.empty()) tell_ranks_apart();
    const auto& sent = sent_.empty() ? sent_by_class_ : sent_;
    const auto [least, most] = std::minmax_element(sent.begin(), sent.end());
    survey.metrics.steps = schedule_.steps() - survey.metrics.local_steps;
    survey.metrics.blocks_sent_min = *least;
    survey.metrics.blocks_sent_max = *most;
    return survey;
  }

 private:
  /// Measures the step by its patterns. False, and nothing done, if not all of them are regular.
  bool look_at_patterns(int step) {
    const PatternedSchedule* patterned = schedule_.as_patterns();
    if (patterned == nullptr) return false;
    const std::vector<Pattern> patterns = patterned->patterns(step);
    const Header& header = schedule_.header();
    regular_.clear();
    for (const Pattern& pattern : patterns) {
      const auto regular = renames_ranks(pattern) ? RegularPattern::of(pattern, header) : std::nullopt;
      if (!regular) return false;
      regular_.push_back(*regular);
    }
    if (!std::all_of(regular_.begin(), regular_.end(), [&](const auto& pattern) { return pattern.is_even(header); })) {
      const auto refined = remainders_.refined_for(regular_, header);
      if (!refined) return false;
      change_to(*refined);
    }
    count_regular();
    return true;
  }

  void change_to(const Remainders& remainders) {
    if (remainders == remainders_) return;
    if (!sent_.empty() || most(sent_by_class_) > 0) tell_ranks_apart();
    remainders_ = remainders;
    sent_by_class_.assign(remainders_.classes(), 0);
  }

  void count_regular() {
    sends_by_class_.assign(remainders_.classes(), 0);
    receives_by_class_.assign(remainders_.classes(), 0);
    for (const RegularPattern& pattern : regular_) count(pattern);
    Metrics& m = survey.metrics;
    m.max_sends_per_rank_step = std::max(m.max_sends_per_rank_step, most(sends_by_class_));
    m.max_receives_per_rank_step = std::max(m.max_receives_per_rank_step, most(receives_by_class_));
  }

  void count(const RegularPattern& regular) {
    const auto size = static_cast<std::uint64_t>(regular.size());
    const bool is_even = regular.is_even(schedule_.header());
    for (std::size_t c = 0; c < remainders_.classes(); ++c) {
      const bool sends = is_even || remainders_.has(regular.pattern(), &Axis::from, c);
      sends_by_class_[c] += sends ? 1 : 0;
      sent_by_class_[c] += sends ? size : 0;
      receives_by_class_[c] += is_even || remainders_.has(regular.pattern(), &Axis::to, c) ? 1 : 0;
    }
    Metrics& m = survey.metrics;
    m.messages += regular.senders();
    m.block_transfers += size * regular.senders();
    survey.moves += size * regular.senders();
    if (size > m.max_runs_per_message) m.max_runs_per_message = std::max(m.max_runs_per_message, regular.most_runs());
  }

  static std::uint64_t most(const std::vector<std::uint64_t>& counts) {
    return *std::max_element(counts.begin(), counts.end());
  }

  /// From here on, numbers of blocks are kept by rank; adds what each class has sent to what each rank of it has.
  void tell_ranks_apart() {
    sent_.resize(static_cast<std::size_t>(ranks_));
    if (most(sent_by_class_) == 0) return;
    remainders_.for_each_rank(ranks_,
                              [&](Rank r, std::size_t c) { sent_[static_cast<std::size_t>(r)] += sent_by_class_[c]; });
    std::fill(sent_by_class_.begin(), sent_by_class_.end(), 0);
  }

  /// Are the pattern's labels, if it has any, a permutation of the ranks? Those of all steps of a lane are one list.
  bool renames_ranks(const Pattern& pattern) {
    if (pattern.labels == nullptr || permutations_.contains(pattern.labels)) return true;
    if (!is_permutation(*pattern.labels, ranks_)) return false;
    permutations_.insert(pattern.labels);
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
  std::vector<std::uint64_t> sent_;              // by rank; empty until classes don't do
  Remainders remainders_;                        // of the steps whose patterns are regular
  std::vector<std::uint64_t> sent_by_class_{0};  // in addition
  std::vector<RegularPattern> regular_;          // of the step
  std::vector<std::uint64_t> sends_by_class_, receives_by_class_;
  std::set<std::shared_ptr<const std::vector<Rank>>> permutations_;
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
