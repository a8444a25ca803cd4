#include "viz/view.h"

#include <fmt/format.h>

#include "base/result.h"
#include "base/rows.h"

namespace onceover::viz {

std::span<const View> views() {
  static const auto rows = mapped(view_rows, [](const View* row) { return *row; });
  return rows;
}

const View* find_view(std::string_view name) {
  return row_with(views(), &View::name, name);
}

namespace {

/// Do all transfers name existing ranks? A picture has no place for others; the verifier reports them.
bool names_only_its_ranks(const Schedule& schedule) {
  const auto is_there = [&](Rank rank) { return rank >= 0 && rank < schedule.header().ranks; };
  const std::vector<int> alike = schedule.alike();
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    if (alike[static_cast<std::size_t>(step)] != step) continue;
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      if (!is_there(t.src) || !is_there(t.dst)) return false;
  }
  return true;
}

}  // namespace

Drawn<void> check_drawable(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  for (const Rank rank : options.ranks)
    if (rank < 0 || rank >= header.ranks)
      return unsuitable(fmt::format("--ranks: there is no rank {}; ranks go from 0 to {}", rank, header.ranks - 1));
  if (options.steps && options.steps->second >= schedule.steps())
    return unsuitable(
        fmt::format("--steps: there is no step {}; there are {}", options.steps->second, schedule.steps()));
  for (const Block block : options.blocks)
    if (block < 0 || block >= header.blocks)
      return unsuitable(
          fmt::format("--blocks: there is no block {}; blocks go from 0 to {}", block, header.blocks - 1));
  if (!names_only_its_ranks(schedule))
    return unsuitable("a transfer names a rank that isn't there; verify shows which");
  if (!options.beside) return {};
  if (options.beside->header().ranks != header.ranks)
    return unsuitable(fmt::format("--beside: it has {} ranks, and what it is compared with has {}",
                                  options.beside->header().ranks, header.ranks));
  if (!names_only_its_ranks(*options.beside))
    return unsuitable("--beside: a transfer names a rank that isn't there; verify shows which");
  return {};
}

Drawn<Picture> draw(const View& view, const Schedule& schedule, const DrawOptions& options) {
  TRY(check_drawable(schedule, options));
  return view.draw(schedule, options);
}

}  // namespace onceover::viz
