#include "verifier/move_symmetry.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/rows.h"

namespace onceover::verifier {

namespace {

/// The schedule's torus; a line if it names none, or one with another number of ranks.
std::vector<Rank> torus_of(const Header& header) {
  std::int64_t places = 1;
  for (const Rank side : header.shape) places = std::min<std::int64_t>(places * std::max(side, 0), INT32_MAX);
  return !header.shape.empty() && places == header.ranks ? header.shape : std::vector<Rank>{header.ranks};
}

/// Compares, step by step, what each rank receives with what the first rank of its orbit received.
class MoveComparison {
 public:
  MoveComparison(const Header& header, const Symmetry& symmetry)
      : symmetry_(symmetry),
        places_(symmetry),
        orbit_of_(static_cast<std::size_t>(header.ranks)),
        received_(static_cast<std::size_t>(header.ranks)),
        orbits_(static_cast<std::size_t>(symmetry.orbits())) {
    std::uint32_t number = 0;
    for (const Rank rank : symmetry.representatives()) orbit_of_[static_cast<std::size_t>(rank)] = number++;
  }

  bool is_invariant(const Trace& trace) {
    bool so_far = true;
    int current = -1;
    trace.for_each_move([&](int step, Op op, BlockTransfer move) {
      if (step != current) so_far = so_far && everyone_received_all();
      if (step != std::exchange(current, step)) begin_step();
      so_far = so_far && fits(op, move);
    });
    return so_far && everyone_received_all();
  }

 private:
  /// A move, translated by what takes its receiver to the representative.
  struct Seen {
    Rank src;
    Op op;

    bool operator==(const Seen&) const = default;
  };

  struct Orbit {
    std::vector<Seen> seen;  // by number of arrival: the first of that number in the orbit
    std::uint64_t moves = 0;
  };

  /// How many moves a rank has received in a step.
  struct Received {
    std::uint32_t step = 0;
    std::uint32_t count = 0;
  };

  void begin_step() {
    ++step_;
    for (Orbit& orbit : orbits_) orbit.seen.clear(), orbit.moves = 0;
  }

  bool fits(Op op, BlockTransfer move) {
    const Rank representative = symmetry_.representative_of(move.dst);
    const Seen now{places_.minus(move.src, move.dst - representative), op};
    Orbit& orbit = orbits_[orbit_of_[static_cast<std::size_t>(representative)]];
    Received& received = received_[static_cast<std::size_t>(move.dst)];
    if (received.step != step_) received = {step_, 0};
    const std::size_t arrival = received.count++;
    ++orbit.moves;
    if (arrival < orbit.seen.size()) return orbit.seen[arrival] == now;
    orbit.seen.push_back(now);
    return true;
  }

  // If a rank received fewer moves than another of its orbit, the sum would be too small.
  bool everyone_received_all() const {
    const std::uint64_t size = received_.size() / orbits_.size();
    return std::all_of(orbits_.begin(), orbits_.end(),
                       [&](const Orbit& orbit) { return orbit.moves == orbit.seen.size() * size; });
  }

  const Symmetry& symmetry_;
  Places places_;
  std::vector<std::uint32_t> orbit_of_;  // by representative
  std::vector<Received> received_;
  std::vector<Orbit> orbits_;
  std::uint32_t step_ = 0;
};

}  // namespace

Places::Places(const Symmetry& symmetry) : symmetry_(symmetry) {
  const auto& sides = symmetry.sides;
  assert(!sides.empty());
  if (std::all_of(sides.begin(), sides.end(), [](Rank side) { return side == 2; })) form_ = Form::bits;
  if (sides.size() == 1) form_ = Form::line;
  line_ = sides.front();
}

std::vector<Symmetry> translations_to_try(const Header& header) {
  const std::vector<Rank> shape = torus_of(header);
  const auto even = mapped(shape, [&](const Rank side) { return side % 2 == 0 ? 2 : side; });
  std::vector<Symmetry> candidates{{shape, std::vector<Rank>(shape.size(), 1)}, {shape, even}};
  const auto ranks = static_cast<std::uint32_t>(header.ranks);
  const auto dimensions = static_cast<std::size_t>(std::countr_zero(ranks));
  if (std::has_single_bit(ranks))
    candidates.push_back({std::vector<Rank>(dimensions, 2), std::vector<Rank>(dimensions, 1)});
  return candidates;
}

std::optional<Symmetry> symmetry_of_moves(const Header& header, const Trace& trace) {
  assert(trace.slot_count() == 1);
  for (Symmetry& symmetry : translations_to_try(header)) {
    if (symmetry.sides.empty() || symmetry.orbits() == header.ranks) continue;
    if (MoveComparison(header, symmetry).is_invariant(trace)) return std::move(symmetry);
  }
  return std::nullopt;
}

}  // namespace onceover::verifier
