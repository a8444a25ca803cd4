#include "mutants.h"

#include <catch2/catch.hpp>

namespace mutants_test {

using namespace onceover::support;

namespace {

/// Is every change there, and do most of the mutants fail?
void require_meaning(const MutantTable& table, int mutants, int percent) {
  INFO(table.text("subject"));
  REQUIRE(table.trouble == "");
  const MutantRow total = table.total();
  CHECK(total.mutants == mutants);
  CHECK(total.killed + total.proved == mutants);
  CHECK(total.killed * 100 > mutants * percent);
  for (const MutantRow& row : table.rows) CHECK(row.mutants > 0);
}

}  // namespace

TEST_CASE("mutants of schedules are judged alike by the verifier, the reference engine and verify-check") {
  require_meaning(schedule_mutants(1500, 2), 1500, 60);
}

TEST_CASE("mutants of programs are judged alike by the verifier and the interpreter") {
  require_meaning(program_mutants(160, 2), 160, 10);
}

TEST_CASE("the same seed gives the same mutants, another one others") {
  const std::string first = schedule_mutants(200, 5).text("schedule");
  CHECK(schedule_mutants(200, 5).text("schedule") == first);
  CHECK(schedule_mutants(200, 6).text("schedule") != first);
}

TEST_CASE("5000 mutants of schedules and programs are judged alike", "[long]") {
  require_meaning(schedule_mutants(4000, 3), 4000, 60);
  require_meaning(program_mutants(1000, 3), 1000, 40);
}

TEST_CASE("20000 mutants of schedules and programs are judged alike", "[long]") {
  require_meaning(schedule_mutants(15000, 1), 15000, 60);
  require_meaning(program_mutants(5000, 1), 5000, 40);
}

}  // namespace mutants_test
