#include "viz/folded_vector.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "schedules/listed_schedule.h"

namespace onceover::viz {

namespace {

/// How far on the second moves are from the first, where they come from and where they go to.
using Shift = std::pair<Rank, Rank>;

std::optional<Shift> shift_between(std::span<const VectorMove> a, std::span<const VectorMove> b, Rank ranks) {
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  const auto shift = [&](const VectorMove& x, const VectorMove& y) {
    return Shift((y.from - x.from + ranks) % ranks, (y.to - x.to + ranks) % ranks);
  };
  const Shift first = shift(a.front(), b.front());
  const bool is_one = std::equal(a.begin(), a.end(), b.begin(), [&](const VectorMove& x, const VectorMove& y) {
    return x.op == y.op && shift(x, y) == first;
  });
  return is_one ? std::optional(first) : std::nullopt;
}

std::span<const VectorMove> moves_of(const DistributedVector& vector, int step) {
  const std::span<const VectorMove> all = vector.moves;
  const auto [from, to] = std::equal_range(all.begin(), all.end(), VectorMove{step, {}, 0, 0},
                                           [](const VectorMove& a, const VectorMove& b) { return a.step < b.step; });
  return all.subspan(static_cast<std::size_t>(from - all.begin()), static_cast<std::size_t>(to - from));
}

}  // namespace

std::vector<VectorRow> rows_of_folded(const DistributedVector& vector, StepRange steps, Rank ranks) {
  const auto shift_to = [&](int step) {
    return vector.slots > 1 || step <= steps.first || step >= steps.end
               ? std::nullopt
               : shift_between(moves_of(vector, step - 1), moves_of(vector, step), ranks);
  };
  std::vector<VectorRow> rows;
  for (int step = steps.first; step < steps.end;) {
    const auto shift = shift_to(step);
    int last = step;  // of the stretch
    while (shift && shift_to(last + 1) == shift) ++last;
    rows.push_back({{step, step + 1}});
    if (last - step > 2) rows.push_back({{step + 1, last}, true});
    step = last - step > 2 ? last : step + 1;
  }
  return rows;
}

Drawn<SelectedMessages> folded_moves(const DistributedVector& vector, const Header& header, int steps,
                                     const DrawOptions& options) {
  if (vector.slots > 1) return too_large("places in scratch can't be folded");
  ListedSchedule::Builder moves;
  const std::array block{Run{0, 0}};
  auto move = vector.moves.begin();
  for (int step = 0; step < steps; ++step) {
    moves.begin_step();
    for (; move != vector.moves.end() && move->step == step; ++move) moves.add(move->from, move->to, block, move->op);
  }
  const ListedSchedule as_places({.ranks = header.ranks, .shape = header.shape}, std::move(moves));
  return select(as_places, options);
}

}  // namespace onceover::viz
