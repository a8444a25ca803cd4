// A symmetry, read off the patterns. A pattern says, for each of its axes: "for every index i, coordinate i + a sends
// the blocks at offsets D to coordinate i + b". So what moves a block at coordinate x are the moves from x - d + a to
// x - d + b, for the offsets d whose x - d is an index. If all i are indices, or every second one, the moves of the
// block at x + t are these, turned by t. That is how each axis treats its coordinate of a block, and a pattern moves a
// block by one move of each axis at once. So blocks whose coordinates differ by such turns have the same traces,
// turned.
//
// Two forms are exceptions from this. Indices may be part of the ring, so that some blocks are moved and others not;
// and blocks may be named by themselves. Both cut the side into parts: coordinates of one part are treated alike. A
// place that is named by itself, not relative to the index, must be beyond the ring, where turning moves nothing.
//
// Example: Swing on 7 ranks. At every step, every second rank of the ring of 6 sends to another one: turns by even
// numbers change nothing. At step 0 ranks 0 to 2 exchange with rank 6: "for the indices 0 to 2, coordinate 6 sends the
// block at offset 0 to coordinate i" moves the blocks 0 to 2 only, which cuts the side at 3; and "coordinate i sends
// block 6 to coordinate 6" cuts it at 6. Blocks 0 and 2 have the same trace, turned by 2.
//
// Ranks must also receive in the same order. In each step, the patterns come in the same order for all blocks. In one
// pattern a rank receives a block at most once, if in each axis either its own coordinate determines the index or only
// one index moves the block. Other forms are allowed for single blocks only, which represent none but themselves.
//
// Ranks may take turns: all indices of the ring send one offset, but in several steps. Each block moves in one of these
// steps, as if they were one.
//
// Some ranks may be folded onto others first (FoldedRanks). Then all this is about the steps in between, and the
// dimensions are those of the ranks that are left; each of these must have a place of its own.

#include "verifier/pattern_symmetry.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/stop.h"
#include "schedules/numbers.h"

namespace onceover::verifier {

namespace {

/// Parts beyond this number save too little.
constexpr std::size_t most_cuts = 256;

/// In how many steps ranks may take turns; each one's indices are compared with those of the others.
constexpr std::size_t most_turns = 8;

/// Do the two certainly share no index?
bool are_apart(const Indices& a, const Indices& b) {
  const auto last = [](const Indices& all) { return all.first + std::int64_t{all.count - 1} * all.stride; };
  if (last(a) < b.first || last(b) < a.first) return true;
  return a.stride == b.stride && (a.first - b.first) % a.stride != 0;
}

/// Indices of a ring, of which some take turns.
class Turns {
 public:
  explicit Turns(Rank ring) : ring_(ring) {}

  bool is_complete() const { return count_ == ring_; }
  std::size_t steps() const { return turns_.size(); }

  /// False if the indices are not of the ring, or may be among those so far.
  bool add(const Indices& more) {
    const std::int64_t last = more.first + std::int64_t{more.count - 1} * more.stride;
    if (more.first < 0 || more.stride < 1 || last >= ring_ || turns_.size() == most_turns) return false;
    for (const Indices& turn : turns_)
      if (!are_apart(turn, more)) return false;
    turns_.push_back(more);
    count_ += more.count;
    return true;
  }

 private:
  Rank ring_;
  Rank count_ = 0;
  std::vector<Indices> turns_;
};

bool is_single(const Blocks& blocks) {
  return blocks.offsets.size() == 1 && blocks.offsets[0].size() == 1;
}

/// What axes say about one dimension.
class Dimension {
 public:
  explicit Dimension(const Axis& axis)
      : extent_(axis.block_extent()), rank_step_(axis.rank_step), ring_(axis.block_extent()) {}

  Rank extent() const { return extent_; }
  Rank rank_step() const { return rank_step_; }
  Rank stride() const { return stride_; }
  std::vector<Rank> cuts() const { return {cuts_.begin(), cuts_.end()}; }

  /// Notes how the axis treats coordinates that differ by turns. False if its form doesn't show it.
  bool admit(const Axis& axis, const Blocks& blocks) {
    const Indices& all = axis.indices;
    const std::int64_t last = all.first + std::int64_t{all.count - 1} * all.stride;
    if (axis.block_extent() != extent_ || axis.ring > extent_ || axis.rank_step != rank_step_) return false;
    if (!is_coordinate(axis.from) || !is_coordinate(axis.to)) return false;
    if (all.first < 0 || all.stride < 1 || last >= axis.ring) return false;
    const bool known = blocks.move ? admit_moving(axis, blocks) : admit_fixed(axis, blocks);
    return known && cuts_.size() <= most_cuts;
  }

  /// Did an axis have a smaller ring than those before it? Then `admit` returned false, and all are to be admitted once
  /// more, to this ring.
  bool begin_again() {
    const bool again = is_smaller_;
    is_smaller_ = false;
    if (again) stride_ = 1, cuts_.clear();
    for (Rank c = ring_; again && c < extent_ && cuts_.size() <= most_cuts; ++c) cuts_.insert(c);
    return again;
  }

 private:
  bool admit_moving(const Axis& axis, const Blocks& blocks) {
    if (axis.ring < ring_) ring_ = axis.ring, is_smaller_ = true;
    if (is_smaller_ || axis.ring != ring_ || !turns_or_stays(axis.from) || !turns_or_stays(axis.to)) return false;
    const bool is_whole = axis.is_turned_onto_itself();
    if (is_whole && axis.to.moves) return divide(axis.indices.stride);
    if (!axis.to.moves && !is_single(blocks)) return false;
    if (is_whole) return divide(axis.indices.stride);
    return admit_part(axis, blocks);
  }

  /// The blocks that some of the indices move by one offset are an interval, or every second coordinate of one.
  bool admit_part(const Axis& axis, const Blocks& blocks) {
    const Indices& all = axis.indices;
    const Rank stride = all.count == 1 ? 1 : all.stride;
    if (ring_ % stride != 0 || !divide(stride)) return false;
    for (const Run run : blocks.offsets)
      for (Block offset = run.first; offset <= run.last; ++offset) {
        if (cuts_.size() > most_cuts) return false;
        cut(around(std::int64_t{all.first} + offset, ring_));
        cut(around(std::int64_t{all.first} + (all.count - 1) * stride + offset + 1, ring_));
      }
    return true;
  }

  /// Named blocks have all moves of the axis. If turns leave these as they are, the blocks are alike, and so are the
  /// other ones, which have none. If not, each named block is a part of its own.
  bool admit_fixed(const Axis& axis, const Blocks& blocks) {
    const bool alike = is_unmoved(axis) || (axis.is_turned_onto_itself() && axis.ring == ring_ && axis.to.moves &&
                                            turns_or_stays(axis.from) && divide(axis.indices.stride));
    for (const Run run : blocks.offsets) {
      if (run.first < 0 || run.last >= extent_) return false;
      if (!alike && run.size() > static_cast<Block>(most_cuts)) return false;
      for (Block b = run.first; !alike && b <= run.last; ++b) cut(b);
      cut(run.first);
      cut(run.last + 1);
    }
    return true;
  }

  /// Do turns leave the moves as they are? Yes, if each coordinate moves to itself, or if only fixed ones move.
  bool is_unmoved(const Axis& axis) const {
    const bool is_all = axis.indices.first == 0 && axis.indices.stride == 1 && axis.indices.count == extent_;
    const bool at_home = axis.from.moves && axis.to.moves && axis.from.offset == 0 && axis.to.offset == 0;
    const bool stays = !axis.from.moves && !axis.to.moves && turns_or_stays(axis.from) && turns_or_stays(axis.to);
    return (is_all && at_home) || (stays && axis.indices.count == 1);
  }

  bool turns_or_stays(Place place) const { return place.moves || (place.offset >= ring_ && place.offset < extent_); }

  bool is_coordinate(Place place) const { return place.moves || (place.offset >= 0 && place.offset < extent_); }

  bool divide(Rank stride) {
    stride_ = std::lcm(stride_, stride);
    return true;
  }

  void cut(Rank coordinate) {
    if (coordinate > 0 && coordinate < extent_) cuts_.insert(coordinate);
  }

  Rank extent_;
  Rank rank_step_;
  Rank ring_;  // the coordinates 0 .. ring-1 are turned, the others stay
  bool is_smaller_ = false;
  Rank stride_ = 1;
  std::set<Rank> cuts_;
};

/// Reads all patterns of a schedule, and what they say about each dimension.
class PatternReader {
 public:
  PatternReader(const PatternedSchedule& schedule, const FoldedRanks& folded)
      : schedule_(schedule),
        folded_(folded),
        header_(schedule.header()),
        labels_(static_cast<std::size_t>(header_.lanes)) {}

  std::optional<Symmetry> symmetry() {
    if (!find_dimensions()) return std::nullopt;
    while (!admit_all())
      if (!must_begin_again()) return std::nullopt;
    if (!ranks_fit()) return std::nullopt;
    Symmetry symmetry{.relabelled = !is_by_number() || is_relabelled(),
                      .folded = static_cast<Rank>(folded_.count() / header_.lanes)};
    for (const Dimension& d : dimensions_) {
      symmetry.sides.push_back(d.extent());
      symmetry.strides.push_back(d.stride());
      symmetry.cuts.push_back(d.cuts());
    }
    if (std::all_of(symmetry.cuts.begin(), symmetry.cuts.end(), [](const auto& cuts) { return cuts.empty(); }))
      symmetry.cuts.clear();
    return symmetry.orbits() <= symmetry.places() / 2 ? std::optional(symmetry) : std::nullopt;
  }

 private:
  using Labels = std::shared_ptr<const std::vector<Rank>>;

  /// The dimensions are those of the first pattern. Each lane must have a block for each place.
  bool find_dimensions() {
    for (int step = first_step(); step < end_step() && dimensions_.empty(); ++step) {
      const std::vector<Pattern> patterns = schedule_.patterns(step);
      if (patterns.empty()) continue;
      for (const Axis& axis : patterns.front().axes) dimensions_.emplace_back(axis);
    }
    places_ = dimensions_.empty() ? 0 : 1;
    for (const Dimension& d : dimensions_) places_ = std::min<std::int64_t>(places_ * d.extent(), INT32_MAX);
    return places_ <= header_.ranks && header_.blocks == header_.lanes * places_;
  }

  int first_step() const { return folded_.steps(); }
  int end_step() const { return schedule_.steps() - folded_.steps(); }

  bool admit_all() {
    for (int step = first_step(), next = step; step < end_step(); step = next) {
      stop_point();
      std::vector<Pattern> patterns = schedule_.patterns(step);
      next = step + (patterns.size() == 1 ? join_turns(step, patterns.front()) : 1);
      for (const Pattern& pattern : patterns)
        if (!admit(pattern)) return false;
    }
    return true;
  }

  /// If ranks take turns from this step on, gives its only pattern the indices of all, and returns the number of steps;
  /// else 1.
  int join_turns(int step, Pattern& first) const {
    Axis& axis = first.axes.front();
    if (first.axes.size() != 1 || !first.lands.empty() || !axis.blocks.move || !is_single(axis.blocks)) return 1;
    Turns turns(axis.ring);
    for (Indices turn = axis.indices; turns.add(turn);) {
      const int next = step + static_cast<int>(turns.steps());
      if (turns.is_complete()) {
        axis.indices = Indices::range(0, axis.ring);
        return next - step;
      }
      if (next == end_step()) return 1;
      std::vector<Pattern> patterns = schedule_.patterns(next);
      if (patterns.size() != 1 || patterns.front().axes.size() != 1) return 1;
      turn = std::exchange(patterns.front().axes.front().indices, axis.indices);
      if (patterns.front() != first) return 1;
    }
    return 1;
  }

  bool admit(const Pattern& pattern) {
    if (pattern.axes.size() != dimensions_.size() || pattern.lane < 0 || pattern.lane >= header_.lanes) return false;
    for (std::size_t k = 0; k < dimensions_.size(); ++k) {
      const Axis& axis = pattern.axes[k];
      if (pattern.lands.empty() && !dimensions_[k].admit(axis, axis.blocks)) return false;
      for (const CopyLanding& landing : pattern.lands)
        if (!dimensions_[k].admit(axis, landing.blocks[k])) return false;
    }
    return has_labels_of_its_lane(pattern);
  }

  bool has_labels_of_its_lane(const Pattern& pattern) {
    auto& known = labels_[static_cast<std::size_t>(pattern.lane)];
    if (!known) known = pattern.labels;
    return *known == pattern.labels;
  }

  bool must_begin_again() {
    bool again = false;
    for (Dimension& d : dimensions_) again = d.begin_again() || again;
    return again;
  }

  bool is_relabelled() const {
    return std::any_of(labels_.begin(), labels_.end(), [](const std::optional<Labels>& labels) {
      return labels.value_or(nullptr) != nullptr && !std::is_sorted((**labels).begin(), (**labels).end());
    });
  }

  /// Does each rank that isn't folded have one place in each lane? And is each block in the hands of its place's rank,
  /// where it matters?
  bool ranks_fit() const {
    const Contract& c = contract(header_.collective);
    for (const Holders holders : {c.begins, c.ends})
      if (holders != Holders::everyone && holders != Holders::owner) return false;
    const bool has_owners = c.begins == Holders::owner || c.ends == Holders::owner;
    for (int lane = 0; lane < header_.lanes; ++lane) {
      const Labels labels = labels_[static_cast<std::size_t>(lane)].value_or(nullptr);
      const bool is_known = labels == nullptr && is_by_number() && folded_.count() == 0;
      if (is_known && (!has_owners || header_.owners.empty())) continue;
      if (!ranks_fit(lane, labels.get(), has_owners)) return false;
    }
    return true;
  }

  bool ranks_fit(int lane, const std::vector<Rank>* labels, bool has_owners) const {
    if (labels != nullptr && !is_permutation(*labels, header_.ranks)) return false;
    std::vector<char> has_place(static_cast<std::size_t>(header_.ranks));
    for (Rank place = 0; place < places_; ++place) {
      const std::int64_t seat = seat_of(place);
      if (seat < 0 || seat >= header_.ranks) return false;
      const Rank rank = labels == nullptr ? static_cast<Rank>(seat) : (*labels)[static_cast<std::size_t>(seat)];
      if (std::exchange(has_place[static_cast<std::size_t>(rank)], 1) != 0 || folded_.is_folded(lane, rank))
        return false;
      if (has_owners && header_.owner(static_cast<Block>(lane * places_) + place) != rank) return false;
    }
    return true;
  }

  std::int64_t seat_of(Rank place) const {
    std::int64_t seat = 0;
    for (auto d = dimensions_.rbegin(); d != dimensions_.rend(); place /= d->extent(), ++d)
      seat += std::int64_t{place % d->extent()} * d->rank_step();
    return seat;
  }

  /// Is each place the seat of its number?
  bool is_by_number() const {
    std::int64_t step = places_;
    return std::all_of(dimensions_.begin(), dimensions_.end(),
                       [&](const Dimension& d) { return d.rank_step() == (step /= d.extent()); });
  }

  const PatternedSchedule& schedule_;
  const FoldedRanks& folded_;
  const Header& header_;
  std::vector<Dimension> dimensions_;
  std::int64_t places_ = 0;                    // on these
  std::vector<std::optional<Labels>> labels_;  // by lane, as far as a pattern was seen
};

}  // namespace

std::optional<Symmetry> symmetry_of_patterns(const PatternedSchedule& schedule) {
  const std::optional<FoldedRanks> folded = FoldedRanks::of(schedule);
  return folded ? PatternReader(schedule, *folded).symmetry() : std::nullopt;
}

}  // namespace onceover::verifier
