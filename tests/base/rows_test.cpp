#include "base/rows.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

namespace rows_test {

using namespace onceover::base;

namespace {

struct Row {
  std::string name;
  int sides;

  int corners() const { return sides; }
};

const std::array rows{Row{"triangle", 3}, Row{"square", 4}, Row{"square", 5}};

}  // namespace

TEST_CASE("what is made of each item comes in their order") {
  CHECK(mapped(rows, &Row::name) == std::vector<std::string>{"triangle", "square", "square"});
  CHECK(mapped(rows, &Row::corners) == std::vector{3, 4, 5});
  CHECK(mapped(std::vector<int>{}, [](int x) { return x + 1; }).empty());
}

TEST_CASE("the first row with a name is found, and no row without it") {
  CHECK(row_with(rows, &Row::name, "square") == &rows[1]);
  CHECK(row_with(rows, &Row::sides, 3) == &rows[0]);
  CHECK(row_with(rows, &Row::name, "circle") == nullptr);
}

}  // namespace rows_test
