#include "base/stop.h"

#include <catch2/catch.hpp>

namespace stop_test {

using namespace onceover::base;

TEST_CASE("a stop that is taken back stops nothing more", "[stop]") {
  int told = 0;
  const OnStop on_stop([&] { ++told; });
  request_stop("first");
  request_stop("second");
  CHECK(stop_requested());
  CHECK(stop_reason() == "first");
  CHECK_THROWS_AS(stop_point(), Stopped);
  forget_stop();
  CHECK_FALSE(stop_requested());
  CHECK_NOTHROW(stop_point());
  request_stop("third");
  CHECK(stop_reason() == "third");
  forget_stop();
  CHECK(told == 2);
}

}  // namespace stop_test
