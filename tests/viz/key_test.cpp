// Keys: entries side by side, within the width.

#include "viz/key.h"

#include <catch2/catch.hpp>

#include "viz/ink/writers.h"

namespace key_test {

using namespace onceover::viz;

TEST_CASE("an empty key takes no room") {
  CHECK(PictureKey(Style{}).height() == 0);
}

TEST_CASE("entries of a key stand side by side as long as they fit") {
  PictureKey key(Style{});
  key.add_line({}, "one");
  const double one_line = key.height();
  key.add_disc(palette::sky, {}, "two");
  CHECK(key.height() == one_line);
  key.add_words("A sentence that doesn't fit behind these, but into a line of its own.");
  CHECK(key.height() > one_line);
  CHECK(key.height() < 2.5 * one_line);
}

TEST_CASE("long words of a key are broken, and nothing leaves the width") {
  const Style style{.width = 2};
  PictureKey key(style);
  key.add_box(palette::white, {}, "words that are so many that they need more than one line of so narrow a picture");
  Picture picture(style, "t", key.height());
  key.draw(picture, 0);
  const std::string text = svg_of(picture);
  CHECK(text.find("words that are") != std::string::npos);
  CHECK(text.find("so narrow a picture") > text.find("words that are") + 100);  // in another line
  CHECK(key.height() > 2 * (style.font_size + 3));
}

}  // namespace key_test
