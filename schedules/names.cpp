#include "schedules/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::schedules {

std::string Names::place(Rank rank) const {
  if (grid.empty() || rank < 0) return "";
  std::string text;
  for (auto axis = grid.rbegin(); axis != grid.rend(); ++axis) {
    text = fmt::format("{} {}{}{}", axis->name, rank % axis->size, text.empty() ? "" : ", ", text);
    rank /= axis->size;
  }
  return rank == 0 ? fmt::format("({})", text) : "";
}

std::string_view Names::phase(int step) const {
  const auto after =
      std::upper_bound(phases.begin(), phases.end(), step, [](int at, const Phase& phase) { return at < phase.first; });
  return after == phases.begin() ? std::string_view() : std::prev(after)->name;
}

std::string Names::rank(Rank rank) const {
  const std::string where = place(rank);
  return where.empty() ? std::to_string(rank) : fmt::format("{} {}", rank, where);
}

std::string Names::step(int step) const {
  const std::string_view in = phase(step);
  return in.empty() ? std::to_string(step) : fmt::format("{} ({})", step, in);
}

Names with_swapped_steps(const Names& names, int first, int second, int steps) {
  Names swapped{names.grid};
  for (int step = 0; step < steps; ++step) {
    const int was = step == first ? second : step == second ? first : step;
    const std::string_view phase = names.phase(was);
    if (phase != (swapped.phases.empty() ? std::string_view() : swapped.phases.back().name))
      swapped.phases.push_back({std::string(phase), step});
  }
  return swapped;
}

}  // namespace onceover::schedules
