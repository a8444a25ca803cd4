// What is required of a schedule: a property that asks for a bound needs one, whichever it is.

#include "subjects/required.h"

#include <catch2/catch.hpp>

namespace required_test {

using namespace onceover::subjects;

namespace {

std::vector<const Property*> bounded_properties() {
  std::vector<const Property*> all;
  for (const Property& p : properties())
    if (p.bound) all.push_back(&p);
  return all;
}

const std::vector<std::string> none;
const Bounds no_bounds;

/// Why the properties can't be waived for a subject of this form; "" if they can.
std::string refusal_of(const std::vector<std::string>& waived, Form form,
                       const std::vector<std::string>& required = {}) {
  const Bounds bounds;
  const Requirements asked{required, waived, bounds};
  if (const auto known = check_required(asked); !known) return known.error().message;
  const auto fits = check_fit(asked, form);
  return fits ? "" : fits.error().message;
}

}  // namespace

TEST_CASE("what is required by default can be waived, and nothing else") {
  CHECK(refusal_of({"exactly-once"}, Form::schedule) == "");
  CHECK(refusal_of({"race-free", "input-preserved"}, Form::program) == "");
  CHECK(refusal_of({"repeatable"}, Form::plan) == "");
  CHECK(refusal_of({"bitwise-reproducible", "race-free"}, Form::launch) == "");
  CHECK(refusal_of({"order-preserving"}, Form::launch) ==
        "--waive order-preserving: it isn't required unless asked for");
  CHECK(refusal_of({"contiguous"}, Form::launch) == "--waive contiguous: GPU kernels aren't judged by this");
  CHECK(refusal_of({"bitwise-reproducible"}, Form::schedule) ==
        "--waive bitwise-reproducible: it isn't required unless asked for");
  CHECK(refusal_of({"race-free"}, Form::schedule) == "--waive race-free: this is about programs; a schedule has steps");
  CHECK_THAT(refusal_of({"exactly-one"}, Form::schedule),
             Catch::StartsWith("--waive: no property 'exactly-one'; did you mean 'exactly-once'?"));
  CHECK(refusal_of({"exactly-once"}, Form::schedule, {"exactly-once"}) ==
        "exactly-once: either required or waived, not both");
}

TEST_CASE("something must be left that is required") {
  CHECK(refusal_of({"well-formed", "exactly-once"}, Form::schedule) ==
        "--waive well-formed,exactly-once: then nothing would be required");
  CHECK(refusal_of({"well-formed", "exactly-once"}, Form::schedule, {"contiguous"}) == "");
  CHECK_THAT(refusal_of({"well-formed", "deadlock-free"}, Form::bare_program),
             Catch::EndsWith("nothing would be required"));
}

TEST_CASE("a bound that is required has to be given") {
  for (const Property* p : bounded_properties()) {
    CAPTURE(p->id);
    CHECK_THAT(bound_flags("and"), Catch::Contains(bound_flag(*p)));
    const std::vector<std::string> ids{std::string(p->id)};
    const auto refused = check_required({ids, none, no_bounds});
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains(bound_flag(*p) + " K, which requires it"));
    Bounds bounds;
    bounds.*p->bound->number = 0;
    CHECK(check_required({ids, none, bounds}));
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
