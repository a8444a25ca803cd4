#include "base/patience.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

namespace patience_test {

using namespace onceover::base;

TEST_CASE("patience is what the environment says, and 1 where that is no number from 1 to 1000") {
  const char* before = std::getenv("ONCEOVER_PATIENCE");
  const std::string kept = before == nullptr ? "" : before;
  const auto with = [](const char* said) {
    setenv("ONCEOVER_PATIENCE", said, 1);
    return patience();
  };
  CHECK(with("10") == 10);
  CHECK(with("1000") == 1000);
  for (const char* wrong : {"", "0", "-3", "1001", "ten", "10 "}) CHECK(with(wrong) == 1);
  unsetenv("ONCEOVER_PATIENCE");
  CHECK(patience() == 1);
  if (before != nullptr) setenv("ONCEOVER_PATIENCE", kept.c_str(), 1);
}

}  // namespace patience_test
