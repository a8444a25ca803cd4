#include <catch2/catch.hpp>

#include "viz/plot_layout.h"

namespace room_test {

using namespace onceover::viz;

TEST_CASE("an empty frame has room in its upper left corner, then elsewhere") {
  Room room;
  const auto first = room.find(0.4, 0.4), second = room.find(0.4, 0.4);
  REQUIRE((first && second));
  CHECK(first->left == Approx(0.03));
  CHECK(first->bottom == Approx(0.57));
  CHECK_FALSE(first->meets(*second));
  CHECK_FALSE(room.find(0.98, 0.1));
}

TEST_CASE("a place doesn't touch a line, not even between its points") {
  Room room;
  room.take_line({{0, 0}, {1, 1}});
  const auto place = room.find(0.4, 0.4);
  REQUIRE(place);
  CHECK(place->bottom > place->left + place->width);  // above the diagonal
  room.take_line({{0, 1}, {1, 0}});
  CHECK_FALSE(room.find(0.5, 0.5));
  CHECK(room.find(0.1, 0.1));
}

}  // namespace room_test
