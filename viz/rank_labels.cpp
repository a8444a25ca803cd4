#include "viz/rank_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rows.h"
#include "viz/dot.h"
#include "viz/text.h"

namespace onceover::viz {

namespace {

/// The rank at the end of each axis, whose place is the longest.
Rank last_of(const Names& names) {
  Rank ranks = 1;
  for (const Names::Axis& axis : names.grid) ranks *= axis.size;
  return ranks - 1;
}

/// "1.3"
std::string coordinates(const Names& names, Rank rank) {
  std::string text;
  for (auto axis = names.grid.rbegin(); axis != names.grid.rend(); ++axis) {
    text = fmt::format("{}{}{}", rank % axis->size, text.empty() ? "" : ".", text);
    rank /= axis->size;
  }
  return text;
}

}  // namespace

RankLabels::RankLabels(const Names& names) {
  if (names.grid.size() > 1) names_.grid = names.grid;
}

RankLabels::RankLabels(const Names& names, double radius) : RankLabels(names) {
  if (radius < radius_for(coordinates(names, last_of(names)), smallest_letters) - 0.05) names_ = {};
}

std::string RankLabels::operator()(Rank rank) const {
  return names_.grid.empty() ? fmt::format("{}", rank) : coordinates(names_, rank);
}

std::string RankLabels::axes() const {
  return fmt::format("{}", fmt::join(mapped(names_.grid, &Names::Axis::name), "."));
}

std::string RankLabels::explanation() const {
  if (names_.grid.empty()) return "";
  const Rank last = last_of(names_);
  return fmt::format("Ranks are labelled {}: {} is rank {}.", axes(), coordinates(names_, last), last);
}

}  // namespace onceover::viz
