// PictureKey: what the lines, fills and borders of a picture mean, in words beside samples.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "viz/ink/picture.h"

namespace onceover::viz {

/// A few lines below a picture. Entries stand side by side, as many as fit into the width.
class PictureKey {
 public:
  explicit PictureKey(const Style& style) : style_(style) {}

  void add_line(const Stroke& stroke, std::string words, Heads heads = Heads::none);
  void add_disc(std::string_view fill, const Stroke& border, std::string words);
  void add_box(std::string_view fill, const Stroke& border, std::string words);
  /// Words without a sample; they may take several lines. Empty ones are left out.
  void add_words(std::string words);

  bool is_empty() const { return entries_.empty(); }
  /// In points; 0 if the key is empty.
  double height() const;
  void draw(Picture& picture, double top) const;

 private:
  enum class Sample { none, line, disc, box };
  struct Entry {
    Sample sample;
    Stroke stroke;
    std::string_view fill;
    Heads heads;
    std::string words;
  };
  struct Placed {
    const Entry* entry;
    Point left;  // of its line's middle, from the key's corner
    std::string words;
    bool is_note;  // words without a sample
  };

  double size() const { return style_.font_size - 1; }
  double line_height() const { return style_.font_size + 3; }
  double room() const { return style_.width_in_points() - 2 * margin; }
  std::vector<Placed> placed() const;
  void draw_sample(Picture& picture, const Entry& entry, Point left) const;

  Style style_;
  std::vector<Entry> entries_;
};

/// The sentences that aren't empty, one after the other.
std::string words_of(std::initializer_list<std::string> sentences);

}  // namespace onceover::viz
