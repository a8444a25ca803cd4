#include "base/sentences.h"

#include <array>
#include <catch2/catch.hpp>

namespace sentences_test {

using namespace onceover::base;

TEST_CASE("the closest name is found, and none where nothing is near") {
  constexpr std::array<std::string_view, 4> names{"swing", "swing-latency", "ring", "bruck"};
  REQUIRE(closest("swong", names) == "swing");
  REQUIRE(closest("wsing", names) == "swing");
  REQUIRE(closest("swing-latancy", names) == "swing-latency");
  REQUIRE(closest("rng", names) == "ring");
  REQUIRE_FALSE(closest("recursive", names));
  REQUIRE_FALSE(closest("", names));
  REQUIRE_FALSE(closest(std::string(100000, 'x'), names));
  REQUIRE(suggestion("swong", names) == "; did you mean 'swing'?");
  REQUIRE(suggestion("recursive", names).empty());
}

}  // namespace sentences_test
