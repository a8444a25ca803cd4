#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "base/stop.h"

namespace timeout_scale_test {

using namespace onceover::base;

TEST_CASE("the scale of timeouts is what the environment says, and 1 where that is no number from 1 to 1000") {
  const char* before = std::getenv("ONCEOVER_PATIENCE");
  const std::string kept = before == nullptr ? "" : before;
  const auto with = [](const char* said) {
    setenv("ONCEOVER_PATIENCE", said, 1);
    return timeout_scale();
  };
  CHECK(with("10") == 10);
  CHECK(with("1000") == 1000);
  for (const char* wrong : {"", "0", "-3", "1001", "ten", "10 "}) CHECK(with(wrong) == 1);
  unsetenv("ONCEOVER_PATIENCE");
  CHECK(timeout_scale() == 1);
  if (before != nullptr) setenv("ONCEOVER_PATIENCE", kept.c_str(), 1);
}

}  // namespace timeout_scale_test
