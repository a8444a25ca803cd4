// Changes schedules that are right, one transfer at a time, and compares how the engines judge the result.

#include <catch2/catch.hpp>

#include "agreement.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"

using namespace onceover;

TEST_CASE("both engines judge mutants of every algorithm alike, and catch nearly all") {
  Mutator mutator(11);
  int mutants = 0;
  int caught = 0;
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const Rank p : {2, 3, 4, 5, 6, 7, 8, 10, 11, 16}) {
        if (row.as_printed || refusal(row, on_line(collective, p))) continue;
        const PlainSchedule original = plain(*row.make(on_line(collective, p)));
        for (int k = 0; k < 80; ++k) {
          const SchedulePtr mutant = listed(mutator.mutant_of(original));
          CAPTURE(row.name, name(collective), p, k);
          REQUIRE(disagreement(*mutant) == "");
          ++mutants;
          caught += verify(*mutant).verdict == Verdict::fail ? 1 : 0;
        }
      }
  CAPTURE(mutants, caught);
  REQUIRE(mutants > 5000);
  // The rest is right, and the reference engine says so too: other orders and other ways can do as well.
  REQUIRE(caught > mutants * 85 / 100);
}
