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
constexpr double lowest_spacing = 1.8, highest_spacing = 16.5;
constexpr double room_for_title_and_key = 64;
constexpr double largest_radius = 6.5;
constexpr double least_radius = 4;
constexpr double dot_radius = 1.1;

/// Of the room of a rank.
double part_of(Rank rank) {
  constexpr double part_of_dots = 0.6;
  return rank == left_out ? part_of_dots : 1;
}

}  // namespace

std::vector<Rank> row_with_dots(const std::vector<Rank>& shown, Rank count, Rank first, bool is_around) {
  const auto order = [&](Rank rank) {
    const Rank distance = (rank - first + count) % count;
    return !is_around ? rank : 2 * distance > count ? distance - count : distance;
  };
  if (shown.empty()) return {};
  std::vector<Rank> ranks = shown;
  std::sort(ranks.begin(), ranks.end(), [&](Rank a, Rank b) { return order(a) < order(b); });
  std::vector<Rank> row;
  const bool goes_on = is_around && std::ssize(ranks) < count;
  if (goes_on || order(ranks.front()) > 0) row.push_back(left_out);
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    if (k > 0 && order(ranks[k]) - order(ranks[k - 1]) > 1) row.push_back(left_out);
    row.push_back(ranks[k]);
  }
  if (goes_on || (!is_around && ranks.back() < count - 1)) row.push_back(left_out);
  return row;
}

RankRow::RankRow(std::vector<Rank> ranks, const Style& style, double left, double right, const Names& names)
    : RankRow(std::move(ranks), style, left, style.width_in_points() - 1 - left - right, widest_spacing, false, names) {
}

RankRow RankRow::down(std::vector<Rank> ranks, const Style& style, double top, const Names& names) {
  double parts = 0;
  for (const Rank rank : ranks) parts += part_of(rank);
  const double page = 72 * style.height - room_for_title_and_key;
  const double room = parts * std::clamp(page / std::max(parts, 1.0), lowest_spacing, highest_spacing);
  return {std::move(ranks), style, top, room, highest_spacing, true, names};
}

RankRow::RankRow(std::vector<Rank> ranks, const Style& style, double first, double room, double widest, bool is_down,
                 const Names& names)
    : ranks_(std::move(ranks)), style_(style), is_down_(is_down) {
  double parts = 0;
  for (const Rank rank : ranks_) parts += part_of(rank);
  spacing_ = std::min(widest, room / std::max(parts, 1.0));
  left_ = right_ = first + (room - spacing_ * std::max(parts, 1.0)) / 2;
  for (const Rank rank : ranks_) {
    at_.push_back(right_ + spacing_ * part_of(rank) / 2);
    right_ += spacing_ * part_of(rank);
  }
  radius_ = std::min(largest_radius, 0.4 * spacing_);
  least_radius_ = std::max(least_radius, radius_for(fmt::format("{}", highest()), smallest_letters) - 0.005);
  if (has_circles())
    labels_ = RankLabels(names, radius_);
  else if (has(ranks_, left_out))
    lines_ = 1 + static_cast<int>(std::ceil(room_for_number() / spacing_)) - (is_down_ ? 1 : 0);
}

double RankRow::half_height() const {
  if (has_circles()) return radius_;
  return (is_down_ ? widest_number() : lines_ * style_.font_size) / 2;
}

Rank RankRow::highest() const {
  return ranks_.empty() ? 0 : *std::max_element(ranks_.begin(), ranks_.end());
}

std::optional<int> RankRow::column(Rank rank) const {
  const auto at = std::find(ranks_.begin(), ranks_.end(), rank);
  if (at == ranks_.end()) return std::nullopt;
  return static_cast<int>(at - ranks_.begin());
}

double RankRow::x(int column) const {
  if (column >= 0 && column < std::ssize(at_)) return at_[static_cast<std::size_t>(column)];
  return column < 0 ? left_ + spacing_ * (column + 0.5) : right_ + spacing_ * (column - static_cast<int>(size()) + 0.5);
}

double RankRow::widest_number() const {
  return text_width(fmt::format("{}", highest()), style_.small()) + 4;
}

void RankRow::draw(Picture& picture, double y, const std::vector<Rank>& marked, double start) const {
  const double below = has_circles() || is_down_ ? 0 : style_.font_size * (lines_ - 1) / 2.0;
  for (std::size_t k = 0; k < ranks_.size(); ++k) {
    const double along = start + x(static_cast<int>(k));
    if (ranks_[k] == left_out)
      for (const double away : {-2.0, 0.0, 2.0})
        picture.as(Role::label)->disc(place(along + away, y + below), 0.5, "", {.width = 0.1}, palette::black);
    else if (has_circles() && !has(marked, ranks_[k]))
      picture.disc(place(along, y), radius_, labels_(ranks_[k]), {.width = 0.6}, palette::white, class_of(ranks_[k]));
  }
  if (!has_circles()) draw_numbers(picture, y, marked, start);
  for (const Rank rank : marked) draw_marked(picture, rank, y);
}

/// Now and then, with dots between; each number, where ranks are left out, in as many lines as that
/// takes, and dots below them.
void RankRow::draw_numbers(Picture& picture, double y, const std::vector<Rank>& marked, double start) const {
  const double size = style_.small(), room = room_for_number();
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(room / spacing_)));
  const bool has_all = has(ranks_, left_out);
  // A dot takes less room than a number, and even a dot may be covered.
  const auto is_near_marked = [&](std::size_t k, double half) {
    return std::any_of(marked.begin(), marked.end(), [&](Rank rank) {
      const auto at = column(rank);
      return at && std::abs(x(*at) - x(static_cast<int>(k))) < marked_radius(rank) + half;
    });
  };
  int line = 0;
  for (std::size_t k = 0; k < ranks_.size(); ++k) {
    if (ranks_[k] == left_out || has(marked, ranks_[k])) continue;
    const double along = start + x(static_cast<int>(k));
    const auto from_last = static_cast<double>(std::min(k % every, every - k % every));
    const bool has_number = k % every == 0 && !is_near_marked(k, room / 2);
    if (has_all)
      picture.text(place(along, y + (is_down_ ? 0 : style_.font_size * (line++ % (lines_ - 1) - (lines_ - 1) / 2.0))),
                   labels_(ranks_[k]), size);
    else if (has_number)
      picture.text(place(along, y), labels_(ranks_[k]), size);
    else if ((k % every == 0 || from_last * spacing_ >= room / 2) && !is_near_marked(k, dot_radius))
      picture.disc(place(along, y), std::min(dot_radius, spacing_ / 5), "", {.width = 0.1}, palette::black);
  }
}

void RankRow::draw_marked(Picture& picture, Rank rank, double y) const {
  const auto at = column(rank);
  if (!at) return;
  picture.disc(place(x(*at), y), marked_radius(rank), labels_(rank), {palette::vermilion, "solid", 1.6});
}

double RankRow::marked_radius(Rank rank) const {
  return std::max(radius_, text_width(labels_(rank), style_.font_size) / 2 + 2);
}

}  // namespace onceover::viz
