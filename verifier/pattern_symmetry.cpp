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
// The order in which a rank receives: in each step, the patterns follow each other alike for all blocks. In one pattern
// a rank receives a block at most once, if in each axis either its own coordinate determines the index or only one
// index moves the block. Other forms are allowed for single blocks only, which represent none but themselves.

#include "verifier/pattern_symmetry.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/stop.h"
#include "schedules/numbers.h"

namespace onceover::verifier {

namespace {

/// Parts beyond this number save too little.
constexpr std::size_t most_cuts = 256;

/// What axes say about one dimension.
class Dimension {
 public:
  explicit Dimension(Rank extent) : extent_(extent), ring_(extent) {}

  Rank extent() const { return extent_; }
  Rank stride() const { return stride_; }
  std::vector<Rank> cuts() const { return {cuts_.begin(), cuts_.end()}; }

  /// Takes note of how the axis treats coordinates that differ by turns. False if we can't tell.
  bool admit(const Axis& axis, const Blocks& blocks) {
    const Indices& all = axis.indices;
    const std::int64_t last = all.first + std::int64_t{all.count - 1} * all.stride;
    if (axis.block_extent() != extent_ || axis.ring > extent_) return false;
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

  /// Are the moves the same whichever way coordinates are turned? Each coordinate to itself, or one that stays.
  bool is_unmoved(const Axis& axis) const {
    const bool is_all = axis.indices.first == 0 && axis.indices.stride == 1 && axis.indices.count == extent_;
    const bool at_home = axis.from.moves && axis.to.moves && axis.from.offset == 0 && axis.to.offset == 0;
    const bool stays = !axis.from.moves && !axis.to.moves && turns_or_stays(axis.from) && turns_or_stays(axis.to);
    return (is_all && at_home) || (stays && axis.indices.count == 1);
  }

  bool turns_or_stays(Place place) const { return place.moves || (place.offset >= ring_ && place.offset < extent_); }

  static bool is_single(const Blocks& blocks) { return blocks.offsets.size() == 1 && blocks.offsets[0].size() == 1; }

  bool divide(Rank stride) {
    stride_ = std::lcm(stride_, stride);
    return true;
  }

  void cut(Rank coordinate) {
    if (coordinate > 0 && coordinate < extent_) cuts_.insert(coordinate);
  }

  Rank extent_;
  Rank ring_;  // the coordinates 0 .. ring-1 are turned, the others stay
  bool is_smaller_ = false;
  Rank stride_ = 1;
  std::set<Rank> cuts_;
};

/// Reads all patterns of a schedule, and what they say about each dimension.
class PatternReader {
 public:
  explicit PatternReader(const PatternedSchedule& schedule)
      : schedule_(schedule), header_(schedule.header()), labels_(static_cast<std::size_t>(header_.lanes)) {}

  std::optional<Symmetry> symmetry() {
    if (!find_dimensions()) return std::nullopt;
    while (!admit_all())
      if (!must_begin_again()) return std::nullopt;
    if (!labels_fit()) return std::nullopt;
    Symmetry symmetry{{}, {}, {}, is_relabelled()};
    for (const Dimension& d : dimensions_) {
      symmetry.sides.push_back(d.extent());
      symmetry.strides.push_back(d.stride());
      symmetry.cuts.push_back(d.cuts());
    }
    if (std::ranges::all_of(symmetry.cuts, [](const auto& cuts) { return cuts.empty(); })) symmetry.cuts.clear();
    return symmetry.orbits() <= header_.ranks / 2 ? std::optional(symmetry) : std::nullopt;
  }

 private:
  using Labels = std::shared_ptr<const std::vector<Rank>>;

  /// The dimensions are those of the first pattern. Each lane must have a block for each rank.
  bool find_dimensions() {
    for (int step = 0; step < schedule_.steps() && dimensions_.empty(); ++step) {
      const std::vector<Pattern> patterns = schedule_.patterns(step);
      if (patterns.empty()) continue;
      for (const Axis& axis : patterns.front().axes) dimensions_.emplace_back(axis.block_extent());
    }
    std::int64_t places = dimensions_.empty() ? 0 : 1;
    for (const Dimension& d : dimensions_) places = std::min<std::int64_t>(places * d.extent(), INT32_MAX);
    return places == header_.ranks && header_.blocks == std::int64_t{header_.lanes} * header_.ranks;
  }

  bool admit_all() {
    for (int step = 0; step < schedule_.steps(); ++step) {
      stop_point();
      for (const Pattern& pattern : schedule_.patterns(step))
        if (!admit(pattern)) return false;
    }
    return true;
  }

  bool admit(const Pattern& pattern) {
    if (pattern.axes.size() != dimensions_.size() || pattern.lane < 0 || pattern.lane >= header_.lanes) return false;
    Rank step = header_.ranks;
    for (std::size_t k = 0; k < dimensions_.size(); ++k) {
      const Axis& axis = pattern.axes[k];
      step /= dimensions_[k].extent();
      if (axis.rank_step != 0 && axis.rank_step != step) return false;
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
    return std::ranges::any_of(labels_, [](const std::optional<Labels>& labels) {
      return labels.value_or(nullptr) != nullptr && !std::ranges::is_sorted(**labels);
    });
  }

  /// Do labels give each seat to another rank? And is each block in the hands of its seat's rank, where it matters?
  bool labels_fit() const {
    const Contract& c = contract(header_.collective);
    for (const Holders holders : {c.begins, c.ends})
      if (holders != Holders::everyone && holders != Holders::owner) return false;
    const bool has_owners = c.begins == Holders::owner || c.ends == Holders::owner;
    for (std::size_t lane = 0; lane < labels_.size(); ++lane) {
      const Labels labels = labels_[lane].value_or(nullptr);
      if (labels != nullptr && !is_permutation(*labels, header_.ranks)) return false;
      if (!has_owners || (labels == nullptr && header_.owners.empty())) continue;
      for (Rank seat = 0; seat < header_.ranks; ++seat) {
        const Rank rank = labels == nullptr ? seat : (*labels)[static_cast<std::size_t>(seat)];
        if (header_.owner(static_cast<Block>(lane) * header_.ranks + seat) != rank) return false;
      }
    }
    return true;
  }

  const PatternedSchedule& schedule_;
  const Header& header_;
  std::vector<Dimension> dimensions_;
  std::vector<std::optional<Labels>> labels_;  // by lane, as far as a pattern was seen
};

}  // namespace

std::optional<Symmetry> symmetry_of_patterns(const PatternedSchedule& schedule) {
  return PatternReader(schedule).symmetry();
}

}  // namespace onceover::verifier
