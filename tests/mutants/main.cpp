// mutants: makes mutants of schedules and programs, lets all engines judge them, and prints how many were noticed.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>

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
  std::string folder;
  app.add_option("--write", folder, "write the mutants of schedules there, as pass-N.json and fail-N.json")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  const int programs = count / 4;
  int written = 0;
  const auto write = [&](const std::string& file, bool passes) {
    if (folder.empty()) return;
    std::ofstream out(fmt::format("{}/{}-{}.json", folder, passes ? "pass" : "fail", ++written));
    if (!(out << file).flush()) throw std::runtime_error("cannot write to " + folder);
  };
  const bool agree = tell(schedule_mutants(count - programs, seed, write), "schedule");
  return tell(program_mutants(programs, seed), "program") && agree ? 0 : 1;
}
