// mutants: makes mutants of schedules and programs, lets all engines judge them, and prints how many were noticed.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "mutants.h"

using namespace onceover::support;

namespace {

bool tell(const MutantTable& table, std::string_view of) {
  fmt::print("{}\n", table.text(of));
  if (table.too_large > 0) fmt::print("{} more were drawn but have too many orders to try.\n\n", table.too_large);
  if (table.trouble.empty()) return true;
  fmt::print("THE JUDGES DISAGREE on this one:\n{}\n", table.trouble);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Mutants of schedules and programs that are right, judged by every engine");
  int count = 20000;
  unsigned seed = 1;
  app.add_option("--count", count, "mutants in all, a quarter of them of programs")->check(CLI::Range(4, 100'000'000));
  app.add_option("--seed", seed, "fixes the mutants");
  CLI11_PARSE(app, argc, argv);
  const int programs = count / 4;
  const bool agree = tell(schedule_mutants(count - programs, seed), "schedule");
  return tell(program_mutants(programs, seed), "program") && agree ? 0 : 1;
}
