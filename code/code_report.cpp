#include "code/code_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rows.h"
#include "base/sentences.h"
#include "live/scope.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

using live::Options;
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

std::string counts_text(const Asked& asked, const Options& options) {
  if (options.said.counts) return "counts " + *options.said.counts;
  const std::string_view usual = "counts 0, 1, p-1, p, p+1, 1000";
  if (asked.is_quick || asked.has_digits) return std::string(usual);
  return fmt::format("{}, {}{}", usual, long_message,
                     live::counts_whole_vector(*options.calls.front().collective) ? "p" : "");
}

/// The layouts of the calls; none if they are all that the collective has.
std::vector<std::string_view> chosen_layouts(const Options& options) {
  std::vector<std::string_view> chosen;
  for (const LiveCall& call : options.calls)
    add_new(chosen, live::layout_names()[static_cast<std::size_t>(call.layout)]);
  if (chosen.size() == layouts_of(*options.calls.front().collective).size()) chosen.clear();
  return chosen;
}

std::string communicators_text(const Asked& asked) {
  if (asked.communicators.empty())
    return asked.is_quick ? "on MPI_COMM_WORLD" : "on MPI_COMM_WORLD and in another order of ranks";
  std::vector<std::string_view> names;
  for (const Communicator each : asked.communicators) names.push_back(name(each));
  return fmt::format("on the communicators {}", fmt::join(names, ", "));
}

std::string hosts_scope(const Asked& asked, std::span<const Rank> ranks) {
  if (asked.hosts) return "hosts " + asked.hosts->text();
  if (asked.is_quick || ranks.back() < 3) return "a host for each rank";
  return "hosts each, 1,p-1 and p-1,1";
}

std::string buffering_text(const Asked& asked, std::span<const Rank> ranks) {
  if (asked.is_unbuffered) return "sends not buffered";
  return asked.is_quick || ranks.back() < 2 ? "sends buffered" : "sends buffered and not";
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

KnownOfCode known_of(std::span<const CodeRun> runs) {
  KnownOfCode known;
  for (const CodeRun& run : runs) {
    if (run.unbuffered_wait && known.buffering.empty())
      known.buffering = "relies on buffering: " + run.unbuffered_wait->text();
    if (run.refuses_in_place && !known.in_place) known.in_place = run.refuses_in_place->text();
  }
  return known;
}

std::string scope_text(const Asked& asked, const Options& options, std::span<const Rank> ranks,
                       const KnownOfCode& known) {
  const live::LiveCollective& collective = *options.calls.front().collective;
  std::vector<std::string> parts{"p = " + rank_list_text({ranks.begin(), ranks.end()}), counts_text(asked, options)};
  if (const auto layouts = chosen_layouts(options); !layouts.empty())
    parts.push_back(fmt::format("layout {}", fmt::join(layouts, ", ")));
  if (collective.has_in_place)
    parts.push_back(options.said.in_place                                       ? "in place"
                    : asked.is_quick || asked.avoids_in_place || known.in_place ? "not in place"
                                                                                : "in place and not");
  if (collective.has_root()) parts.push_back(live::roots_text(options, ranks));
  if (collective.reduces() && !asked.has_digits) parts.push_back(live::operators_text(options));
  parts.push_back(communicators_text(asked));
  parts.push_back(hosts_scope(asked, ranks));
  parts.push_back(known.buffering.empty() ? buffering_text(asked, ranks) : known.buffering);
  if (asked.orders > 0) parts.push_back(fmt::format("{} other orders of arrival", asked.orders));
  for (const std::string& id : options.waived) parts.push_back(id + " waived");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> not_tried(const Asked& asked, const Options& options, const KnownOfCode& known) {
  const live::LiveCollective& collective = *options.calls.front().collective;
  std::vector<std::string> list;
  if ((asked.is_quick || asked.avoids_in_place) && collective.has_in_place && !options.said.in_place)
    list.emplace_back("in place");
  if (known.in_place)
    list.push_back(fmt::format("in place (it takes MPI_IN_PLACE for a buffer at {})", *known.in_place));
  if (options.said.in_place) list.emplace_back("input and result apart");
  if (asked.is_quick && !options.said.counts) list.emplace_back("messages above 64 KiB");
  if (options.said.counts) list.emplace_back("other counts");
  if (!chosen_layouts(options).empty()) list.emplace_back("other layouts");
  if (asked.is_quick && collective.has_root() && !options.said.roots) list.emplace_back("other roots");
  if (asked.is_quick && asked.communicators.empty()) list.emplace_back("other communicators");
  if (asked.is_quick && !asked.hosts) list.emplace_back("unequal hosts");
  if (asked.is_quick && !asked.is_unbuffered) list.emplace_back("sends that wait for their receives");
  if (collective.reduces() && live::all_commute(options) && !asked.has_digits)
    list.emplace_back("operators that don't commute (--both-operators)");
  if (asked.orders == 0) list.emplace_back("other orders of arrival (--orders)");
  list.emplace_back("datatypes with gaps, of other sizes, or others at the receiver");
  return list;
}

}  // namespace onceover::code
