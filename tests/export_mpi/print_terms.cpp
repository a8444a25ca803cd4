// Prints the term of every block on every rank after a schedule, as the verifier computes them.
//
// Usage: print_terms SCHEDULE.json
// A line for each rank and block: "rank block term". Of the two sides of a sum that with the lower rank comes first.

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "formats/schedule_file.h"
#include "verifier/execution.h"

using namespace onceover::programs;

namespace {

struct Text {
  Rank lowest;
  std::string sum;
};

Text text_of(const TermTable& terms, Term term) {
  if (terms.is_leaf(term)) return {terms.rank_of(term), fmt::format("{}", terms.rank_of(term))};
  Text a = text_of(terms, terms.first(term));
  Text b = text_of(terms, terms.second(term));
  if (b.lowest < a.lowest) std::swap(a, b);
  return {a.lowest, fmt::format("({}+{})", a.sum, b.sum)};
}

int print(const Schedule& schedule) {
  const Header& header = schedule.header();
  Execution execution(header);
  bool is_defined = true;
  schedule.traces({0, header.blocks}, [&](Block block, const Trace& trace) {
    is_defined = is_defined && !execution.run(block, trace);
    for (Rank r = 0; r < header.ranks && is_defined; ++r)
      fmt::print("{} {} {}\n", r, block, text_of(execution.terms(), execution.value(r)).sum);
  });
  return is_defined ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const auto schedule = read_schedule(argv[1], text.str());
  if (!schedule) {
    fmt::print(stderr, "{}\n", schedule.error().render());
    return 3;
  }
  return print(**schedule);
}
