// The lines of a report about theorems: which cover the runs, how that is known, and what was compared. A sweep cites a
// theorem once, for all runs that it is about.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "subjects/run.h"

namespace onceover::subjects {

namespace {

/// A theorem that is cited, and what is said of the runs that it is about.
struct Cited {
  std::string_view theorem;
  std::string_view level;
  std::string_view domain;
  Comparisons comparisons = {};
};

Cited& cited(std::vector<Cited>& all, Cited one) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Cited& c) { return c.theorem == one.theorem; });
  return found == all.end() ? all.emplace_back(one) : *found;
}

}  // namespace

std::string theorems_text(std::span<const Verification> runs) {
  std::vector<Cited> all;
  std::string text;
  for (const Verification& run : runs) {
    if (run.citation && run.citation->compared == Compared::different)
      text += fmt::format("  no theorem: the transfers for {} are not those of the function of {}: {}\n", shape_of(run),
                          run.citation->theorem->name, run.citation->why);
    else if (run.citation)
      cited(all, {run.citation->theorem->name, "kernel", run.citation->domain}).comparisons.add(*run.citation);
    else if (const Theorem* theorem = solver_theorem(run))
      ++cited(all, {theorem->id, "solver", theorem->domain}).comparisons.runs;
  }
  for (const Cited& c : all) {
    const std::string found =
        c.level == "kernel" ? c.comparisons.text(runs.size() == 1) : ": Z3 shows its obligations, joined in words";
    const std::string part = c.comparisons.runs == runs.size()
                                 ? ""
                                 : fmt::format(", cited for {} of {} runs", c.comparisons.runs, runs.size());
    const Verification& run = runs.front();
    const std::string more = run.origin.kind == Origin::Kind::formula
                                 ? "proofs/coq/Offsets.v"
                                 : fmt::format("'verify prove --algo {}'", run.header.algorithm);
    text += fmt::format("  theorem {} ({}) covers {}{}{}; see {}\n", c.theorem, c.level, c.domain, part, found, more);
  }
  return text;
}

}  // namespace onceover::subjects
