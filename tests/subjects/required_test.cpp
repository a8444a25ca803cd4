// What is required of a schedule: a property that asks for a bound needs one, whichever it is.

#include "subjects/required.h"

#include <catch2/catch.hpp>

#include "subjects/explanation.h"

namespace required_test {

using namespace onceover::subjects;

namespace {

std::vector<const Property*> bounded_properties() {
  std::vector<const Property*> all;
  for (const Property& p : properties())
    if (p.bound) all.push_back(&p);
  return all;
}

}  // namespace

TEST_CASE("a bound that is required has to be given") {
  REQUIRE(bounded_properties().size() == bound_flags().size());
  for (const Property* p : bounded_properties()) {
    CAPTURE(p->id);
    const std::vector<std::string> ids{std::string(p->id)};
    const auto refused = check_required(ids, {});
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains(bound_flag(*p) + " K, which requires it"));
    Bounds bounds;
    bounds.*p->bound->number = 0;
    CHECK(check_required(ids, bounds));
  }
}

TEST_CASE("the example of a property that asks for a bound violates a bound of 1") {
  for (const Property* p : bounded_properties()) {
    const std::string text = explanation(*p);
    CHECK_THAT(text, Catch::Contains(bound_flag(*p) + " 1\n"));
    CHECK_THAT(text, Catch::Contains("\nfail  " + std::string(p->id) + "\n"));
  }
}

}  // namespace required_test
