#include "viz/rank_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/rows.h"
#include "viz/messages.h"

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

namespace {

constexpr double widest_spacing = 34;
constexpr double largest_radius = 6.5;
constexpr double dot_radius = 1.1;

}  // namespace

RankRow::RankRow(std::vector<Rank> ranks, const Style& style, double left, double right, const Names& names)
    : ranks_(std::move(ranks)), style_(style) {
  const double room = style.width_in_points() - 1 - left - right;
  const auto count = static_cast<double>(std::max<std::size_t>(ranks_.size(), 1));
  spacing_ = std::min(widest_spacing, room / count);
  left_ = left + (room - spacing_ * count) / 2;
  radius_ = std::min(largest_radius, 0.4 * spacing_);
  if (has_circles()) labels_ = RankLabels(names, radius_);
}

std::optional<int> RankRow::column(Rank rank) const {
  const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (at == ranks_.end() || *at != rank) return std::nullopt;
  return static_cast<int>(at - ranks_.begin());
}

void RankRow::draw(Picture& picture, double y, const std::vector<Rank>& marked) const {
  const double size = style_.small();
  const double widest = text_width(fmt::format("{}", ranks_.empty() ? 0 : ranks_.back()), size) + 4;
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(widest / spacing_)));
  const auto is_beside_number = [&](std::size_t k) {
    const auto from_last = static_cast<double>(std::min(k % every, every - k % every));
    return from_last * spacing_ < widest / 2;
  };
  // A dot takes less room than a number, and even a dot may be covered.
  const auto is_near_marked = [&](std::size_t k, double half) {
    return std::any_of(marked.begin(), marked.end(), [&](Rank rank) {
      const auto at = column(rank);
      return at && std::abs(x(*at) - x(static_cast<int>(k))) < marked_radius(rank) + half;
    });
  };
  for (std::size_t k = 0; k < ranks_.size(); ++k) {
    if (std::find(marked.begin(), marked.end(), ranks_[k]) != marked.end()) continue;
    const Point centre{x(static_cast<int>(k)), y};
    const std::string label = labels_(ranks_[k]);
    if (has_circles())
      picture.disc(centre, radius_, label, {.width = 0.6}, palette::white, class_of(ranks_[k]));
    else if (k % every == 0 && !is_near_marked(k, widest / 2))
      picture.text(centre, label, size);
    else if ((k % every == 0 || !is_beside_number(k)) && !is_near_marked(k, dot_radius))
      picture.disc(centre, std::min(dot_radius, spacing_ / 5), "", {.width = 0.1}, palette::black);
  }
  for (const Rank rank : marked) draw_marked(picture, rank, y);
}

void RankRow::draw_marked(Picture& picture, Rank rank, double y) const {
  const auto at = column(rank);
  if (!at) return;
  picture.disc({x(*at), y}, marked_radius(rank), labels_(rank), {palette::vermilion, "solid", 1.6});
}

double RankRow::marked_radius(Rank rank) const {
  return std::max(radius_, text_width(labels_(rank), style_.font_size) / 2 + 2);
}

}  // namespace onceover::viz
