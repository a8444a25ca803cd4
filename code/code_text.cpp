#include "code/code_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/counted.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

using Runs = std::span<const live::LiveRun>;

/// The runs of each number of ranks, in their order.
std::vector<Runs> by_ranks(Runs runs) {
  std::vector<Runs> parts;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    while (end < runs.size() && runs[end].call.ranks == runs[begin].call.ranks) ++end;
    parts.push_back(runs.subspan(begin, end - begin));
  }
  return parts;
}

}  // namespace

std::string code_text(Runs runs, bool full) {
  const std::vector<Runs> parts = by_ranks(runs);
  const auto is_match = [](const live::LiveRun& run) { return !run.match_text.empty() || !run.terms.is_null(); };
  if (full || parts.size() == 1 || is_match(runs[0])) return live::runs_text(runs, full);
  std::vector<Rank> all;
  std::map<Verdict, std::vector<Rank>> ranks;
  for (const Runs& part : parts) {
    all.push_back(part[0].call.ranks);
    ranks[live::overall(part)].push_back(part[0].call.ranks);
  }
  std::string text =
      fmt::format("{}, p = {}: {}\n", runs[0].call.name(), rank_list_text(all), counted(runs.size(), "call"));
  for (const auto& [verdict, list] : ranks)
    text += fmt::format("  {:<7} p = {}\n", name(verdict), rank_list_text(list));
  const auto failing = std::find_if(runs.begin(), runs.end(),
                                    [](const live::LiveRun& run) { return run.report.verdict != Verdict::pass; });
  if (failing == runs.end()) return text;
  text += live::runs_text({&*failing, 1}, false);
  // A fault, such as a read behind a buffer, may be the cause, though other calls show its effect first.
  const auto has_fault = [](const live::LiveRun& run) { return !run.report.faults.empty(); };
  const auto faulty = std::find_if(failing, runs.end(), has_fault);
  if (!has_fault(*failing) && faulty != runs.end()) text += live::runs_text({&*faulty, 1}, false);
  return text;
}

}  // namespace onceover::code
