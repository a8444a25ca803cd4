// Collectives that take counts: right ones pass in every layout, and none of their slips does (counted.c). The program
// is compiled once for each collective; a variable says which slip it makes.

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "base/files.h"
#include "base/process.h"
#include "code/code_run.h"
#include "tests/code/built.h"

namespace onceover::code {

namespace {

std::string source() {
  return std::string(ONCEOVER_SOURCE) + "/tests/code/counted.c";
}

std::string function_for(std::string_view collective) {
  std::string function = "my_" + std::string(collective);
  std::replace(function.begin(), function.end(), '-', '_');
  return function;
}

/// The numbers of a function's slips, as its text has them.
std::set<int> slips_of(const std::string& function) {
  const std::string text = *read_file(source());
  const std::size_t begin = text.find("int " + function), end = text.find("\n}\n", begin);
  const std::regex number("(?:SLIP\\(|case |slipped == )([0-9]+)");
  std::set<int> numbers;
  for (std::sregex_iterator at(text.begin() + static_cast<std::ptrdiff_t>(begin),
                               text.begin() + static_cast<std::ptrdiff_t>(end), number);
       at != std::sregex_iterator(); ++at)
    numbers.insert(std::stoi((*at)[1]));
  return numbers;
}

/// What calls with some counts in each layout come to, in place and not.
Verdict verdict_of(const Executable& program, std::string_view collective, Rank ranks, int slip) {
  setenv("ONCEOVER_SLIP", std::to_string(slip).c_str(), 1);
  for (const live::Layout layout :
       {live::Layout::scattered, live::Layout::uneven, live::Layout::one, live::Layout::even})
    for (const bool in_place : {false, true}) {
      live::Options options{.repeats = 1};
      for (const int count : {ranks + 1, 1, 0})
        for (const Rank root : {0, ranks - 1})
          options.calls.push_back({.collective = &live_collective(collective),
                                   .in_place = in_place,
                                   .ranks = ranks,
                                   .root = live_collective(collective).has_root() ? root : 0,
                                   .count = count,
                                   .layout = layout});
      const auto runs = run_code(program, plain_trial({.ranks = ranks}, options), options, false);
      if (!runs) FAIL(runs.error().message);
      for (const CodeRun& run : *runs)
        if (run.judged.report.verdict != Verdict::pass) return run.judged.report.verdict;
    }
  return Verdict::pass;
}

/// Every `step`-th slip is tried until some number of ranks shows it, from `least_ranks` on; the right code at all of
/// them.
void judge_slips(std::string_view collective, Rank least_ranks, Rank most_ranks, std::size_t step) {
  if (!find_on_path("smpicc")) return;
  const Executable program = built("counted.c", function_for(collective), collective);
  for (Rank p = least_ranks; p <= most_ranks; ++p) {
    INFO(collective << ", p = " << p);
    CHECK(verdict_of(program, collective, p, 0) == Verdict::pass);
  }
  const std::set<int> slips = slips_of(function_for(collective));
  CHECK(slips.size() >= 20);
  std::size_t number = 0;
  for (const int slip : slips) {
    if (number++ % step != 0) continue;
    bool is_caught = false;
    for (Rank p = std::max(least_ranks, 2); p <= most_ranks && !is_caught; ++p)
      is_caught = verdict_of(program, collective, p, slip) == Verdict::fail;
    INFO("slip " << slip << " of " << function_for(collective));
    CHECK(is_caught);
  }
}

}  // namespace

TEST_CASE("a right alltoallv and reduce-scatter pass in every layout, and some slips of each fail") {
  judge_slips("alltoallv", 3, 3, 10);
  judge_slips("reduce-scatter", 3, 3, 10);
}

TEST_CASE("a right collective that takes counts passes in every layout, and each slip fails", "[long]") {
  for (const live::LiveCollective& collective : live::live_collectives())
    if (collective.has_counts) judge_slips(collective.name, 1, 5, 1);
}

}  // namespace onceover::code
