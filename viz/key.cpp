#include "viz/key.h"

#include <utility>

namespace onceover::viz {

namespace {

constexpr double line_sample = 18;  // length, in points
constexpr double shape_sample = 7;
constexpr double before_words = 3;
constexpr double between_entries = 9;

}  // namespace

void PictureKey::add_line(const Stroke& stroke, std::string words, Heads heads) {
  entries_.push_back({Sample::line, stroke, {}, heads, std::move(words)});
}

void PictureKey::add_disc(std::string_view fill, const Stroke& border, std::string words) {
  entries_.push_back({Sample::disc, border, fill, Heads::none, std::move(words)});
}

void PictureKey::add_box(std::string_view fill, const Stroke& border, std::string words) {
  entries_.push_back({Sample::box, border, fill, Heads::none, std::move(words)});
}

void PictureKey::add_words(std::string words) {
  if (words.empty()) return;
  entries_.push_back({Sample::none, {}, {}, Heads::none, std::move(words)});
}

/// An entry that doesn't fit behind others begins a line; words that don't fit into a line are broken.
std::vector<PictureKey::Placed> PictureKey::placed() const {
  std::vector<Placed> all;
  double x = 0, y = line_height() / 2;
  for (const Entry& entry : entries_) {
    const double sample = entry.sample == Sample::none   ? 0
                          : entry.sample == Sample::line ? line_sample + before_words
                                                         : shape_sample + before_words;
    const double needed = sample + text_width(entry.words, size());
    if (x > 0 && x + needed > room()) {
      x = 0;
      y += line_height();
    }
    const auto lines = lines_within(entry.words, room() - sample, size());
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (k > 0) y += line_height();
      all.push_back({k == 0 ? &entry : nullptr, {k == 0 ? x : sample, y}, lines[k], entry.sample == Sample::none});
    }
    x = lines.size() > 1 ? room() : x + needed + between_entries;
  }
  return all;
}

double PictureKey::height() const {
  const auto all = placed();
  return all.empty() ? 0 : all.back().left.y + line_height() / 2 + 2;
}

void PictureKey::draw(Picture& picture, double top) const {
  for (const Placed& each : placed()) {
    const auto role = picture.as(each.is_note ? Role::note : Role::key);
    const Point left = Point{margin, top} + each.left;
    const bool has_sample = each.entry != nullptr && each.entry->sample != Sample::none;
    if (has_sample) draw_sample(picture, *each.entry, left);
    const double sample = !has_sample ? 0 : each.entry->sample == Sample::line ? line_sample : shape_sample;
    picture.text_from(left + Point{has_sample ? sample + before_words : 0, 0}, each.words, size());
  }
}

void PictureKey::draw_sample(Picture& picture, const Entry& entry, Point left) const {
  switch (entry.sample) {
    case Sample::none: return;
    case Sample::line:
      return picture.curve(Curve::straight(left, left + Point{line_sample, 0}), entry.stroke, entry.heads, 0.35);
    case Sample::disc:
      return picture.disc(left + Point{shape_sample / 2, 0}, shape_sample / 2, "", entry.stroke, entry.fill);
    case Sample::box:
      return picture.box(left - Point{0, shape_sample / 2}, shape_sample, shape_sample, "", 1, entry.fill,
                         entry.stroke);
  }
}

std::string words_of(std::initializer_list<std::string> sentences) {
  std::string words;
  for (const std::string& each : sentences)
    if (!each.empty()) words += (words.empty() ? "" : " ") + each;
  return words;
}

}  // namespace onceover::viz
