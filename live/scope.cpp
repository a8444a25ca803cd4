#include "live/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "subjects/rank_list.h"
#include "subjects/run.h"

namespace onceover::live {

namespace {

std::string counts_scope(const Options& options) {
  if (options.said.counts) return "counts " + *options.said.counts;
  const bool has_long = std::any_of(options.calls.begin(), options.calls.end(),
                                    [&](const LiveCall& call) { return call.count > std::max(1000, call.ranks + 1); });
  return fmt::format("counts {}{}", usual_counts, has_long ? " and beyond 64 KiB and 1 MiB" : "");
}

/// Is there a call that is in place, or one that could be and isn't?
bool has_call(const Options& options, bool in_place) {
  return std::any_of(options.calls.begin(), options.calls.end(),
                     [&](const LiveCall& call) { return call.collective->has_in_place && call.in_place == in_place; });
}

/// Is there a call whose collective has a root, an operator, ..?
template <class Feature>
bool any_has(const Options& options, Feature feature) {
  return std::any_of(options.calls.begin(), options.calls.end(),
                     [&](const LiveCall& call) { return std::invoke(feature, *call.collective); });
}

/// "not required: order-preserving fails (p = 3..8)".
std::string not_required_text(std::span<const std::pair<Rank, RanksPart>> parts) {
  std::map<std::string_view, std::vector<Rank>> list;
  for (const auto& [ranks, part] : parts)
    for (const std::string& id : part.not_required) list[id].push_back(ranks);
  if (list.empty()) return "";
  std::vector<std::string_view> ids;
  std::vector<std::string> where;
  for (const auto& [id, ranks] : list) {
    ids.push_back(id);
    where.push_back(fmt::format("{}p = {}", list.size() == 1 ? "" : fmt::format("{}: ", id), rank_list_text(ranks)));
  }
  const std::string numbers = parts.size() == 1 ? "" : fmt::format(" ({})", fmt::join(where, "; "));
  return fmt::format("not required: {} fails{}\n", fmt::join(ids, ", "), numbers);
}

/// The runs of each number of ranks, which are neighbours.
std::vector<std::pair<Rank, RanksPart>> parts_of(std::span<const LiveRun> runs) {
  std::vector<std::pair<Rank, RanksPart>> parts;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    while (end < runs.size() && runs[end].call.ranks == runs[begin].call.ranks) ++end;
    parts.emplace_back(runs[begin].call.ranks, part_of(runs.subspan(begin, end - begin)));
  }
  return parts;
}

/// Is each call reported? It is if there are few, or if there is more to say than a verdict.
bool is_short(std::span<const LiveRun> runs) {
  constexpr std::size_t most = 24;
  return runs.size() <= most || !runs[0].terms.is_null() || !runs[0].match_text.empty();
}

/// A line for each collective, and what didn't pass.
std::string brief_text(std::span<const LiveRun> runs) {
  constexpr std::size_t shown = 6;
  std::vector<std::string> names;
  std::map<std::string, std::size_t> calls, passing;
  std::string wrong;
  std::size_t told = 0;
  for (const LiveRun& run : runs) {
    const std::string name = run.call.name();
    if (calls[name]++ == 0) names.push_back(name);
    if (run.report.verdict == Verdict::pass)
      ++passing[name];
    else if (told++ < shown)
      wrong += runs_text({&run, 1}, false);
  }
  if (told > shown) wrong += fmt::format("and {}\n", base::counted(told - shown, "more call"));
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}, p = {}: {} of {} pass\n", name, runs[0].call.ranks, passing[name],
                        base::counted(calls[name], "call"));
  return text + wrong;
}

}  // namespace

std::string roots_text(const Options& options, std::span<const Rank> ranks) {
  if (options.said.roots) return *options.said.roots == "all" ? "every root" : "root " + *options.said.roots;
  std::vector<Rank> roots;
  for (const LiveCall& call : options.calls) add_new(roots, call.root);
  if (roots.size() == 1) return "root 0";
  const bool has_all = static_cast<Rank>(roots.size()) == options.calls.front().ranks;
  if (has_all && options.calls.front().ranks > 2) return "every root";
  return ranks.back() > 8 && roots.size() == 3 ? "root 0, p/2, p-1 (up to p = 8 every root)" : "root 0, p-1";
}

std::string operators_text(const Options& options) {
  const auto commutes = [](const LiveCall& call) { return call.commutative; };
  if (std::all_of(options.calls.begin(), options.calls.end(), commutes)) return "an operator that commutes";
  const auto doesnt = [](const LiveCall& call) { return !call.commutative || !call.collective->reduces(); };
  if (std::all_of(options.calls.begin(), options.calls.end(), doesnt)) return "an operator that doesn't commute";
  return "operators that commute and that don't";
}

bool all_commute(const Options& options) {
  return std::all_of(options.calls.begin(), options.calls.end(), [](const LiveCall& call) { return call.commutative; });
}

std::string scope_text(const Options& options, std::span<const Rank> ranks) {
  std::vector<std::string> parts{"p = " + rank_list_text({ranks.begin(), ranks.end()}), counts_scope(options)};
  if (any_has(options, &LiveCollective::has_in_place))
    parts.emplace_back(!has_call(options, true)   ? "not in place"
                       : has_call(options, false) ? "in place and not"
                                                  : "in place");
  if (any_has(options, &LiveCollective::has_root)) parts.push_back(roots_text(options, ranks));
  if (any_has(options, &LiveCollective::reduces)) parts.push_back(operators_text(options));
  for (const std::string& id : options.waived) parts.push_back(id + " waived");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> not_tried(const Options& options) {
  std::vector<std::string> list;
  if (any_has(options, &LiveCollective::has_in_place)) {
    if (!has_call(options, false)) list.emplace_back("input and result apart");
    if (!has_call(options, true)) list.emplace_back("in place");
  }
  if (any_has(options, &LiveCollective::reduces) && all_commute(options))
    list.emplace_back("operators that don't commute");
  if (options.said.counts || options.is_quick) list.emplace_back("other counts");
  if (any_has(options, &LiveCollective::has_root) && (options.said.roots || options.is_quick))
    list.emplace_back("other roots");
  list.emplace_back("other communicators than MPI_COMM_WORLD");
  list.emplace_back("datatypes with gaps, of other sizes, or others at the receiver");
  return list;
}

std::string holds_text(std::span<const LiveCall> calls, const std::vector<std::string>& waived) {
  const bool is_bitwise = !has(waived, bitwise_reproducible_property.id);
  const auto is_allreduce = [](const LiveCall& call) { return call.collective->kind == CallKind::allreduce; };
  std::string text = "every element of every result is right";
  if (!is_bitwise || std::none_of(calls.begin(), calls.end(), is_allreduce)) return text;
  const bool are_all = std::all_of(calls.begin(), calls.end(), is_allreduce);
  return text + fmt::format(", {}with the same bits on every rank", are_all ? "" : "an allreduce's ");
}

Ending ending_of(const Options& options, std::span<const Rank> ranks) {
  return {holds_text(options.calls, options.waived), scope_text(options, ranks), not_tried(options), options.waived};
}

RanksPart part_of(std::span<const LiveRun> runs) {
  RanksPart part{.verdict = overall(runs)};
  for (const LiveRun& run : runs) {
    for (const PropertyResult& p : run.report.properties) {
      if (p.required && p.verdict == part.verdict && p.verdict != Verdict::pass)
        base::add_new(part.blamed, std::string(p.id));
      if (!p.required && p.verdict == Verdict::fail) base::add_new(part.not_required, std::string(p.id));
    }
    if (run.report.verdict == part.verdict && !run.report.faults.empty())
      base::add_new<std::string>(part.blamed, "fault");
    if (run.report.verdict == Verdict::unknown && part.verdict == Verdict::unknown && !run.notes.empty())
      base::add_new(part.blamed, run.notes.front());
  }
  return part;
}

std::optional<RanksPart> parse_ranks_part(const std::string& text) {
  const auto json = Json::parse(text);
  if (!json || !json->is_object()) return std::nullopt;
  RanksPart part;
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::unknown})
    if ((*json)["verdict"] == name(verdict)) part.verdict = verdict;
  for (const Json& id : (*json)["blamed"]) part.blamed.emplace_back(id.text_or_empty());
  for (const Json& id : (*json)["not_required"]) part.not_required.emplace_back(id.text_or_empty());
  return part;
}

std::string ending_text(const Ending& ending, std::span<const LiveRun> runs) {
  return ending_text(ending, parts_of(runs));
}

std::string ending_text(const Ending& ending, std::span<const std::pair<Rank, RanksPart>> parts) {
  Verdict verdict = Verdict::pass;
  for (const auto& [ranks, part] : parts) verdict = worse(verdict, part.verdict);
  std::vector<std::string> blamed;
  for (const auto& [ranks, part] : parts)
    for (const std::string& id : part.blamed)
      if (part.verdict == verdict) base::add_new(blamed, id);
  std::string text = not_required_text(parts);
  if (!ending.not_tried.empty()) text += fmt::format("not tried: {}\n", fmt::join(ending.not_tried, "; "));
  if (verdict == Verdict::pass) return text + fmt::format("pass  {} ({})\n", ending.holds, ending.scope);
  return text + fmt::format("{}  {}\n", name(verdict), fmt::join(blamed, ", "));
}

LiveRun judged_run(const LiveCall& call, const ElementFormat& format, const Values& values,
                   const std::vector<CallOutcome>& repeats, const Options& options, Matcher& matcher) {
  LiveRun run{.call = call,
              .element_bytes = format.size(),
              .repeats = static_cast<int>(repeats.size()),
              .report = judge(call, values, repeats, options.required, options.waived)};
  if (options.match) {
    Matched matched = matcher.match(call, values, repeats[0]);
    run.match = std::move(matched.json);
    run.match_text = std::move(matched.text);
  }
  if (call.collective->reduces() && (options.json || options.terms)) run.terms = terms_json(call, values, repeats[0]);
  return run;
}

ExitCode give_runs(const std::string& library, std::span<const LiveRun> runs, const Options& options) {
  const std::array ranks{runs.front().call.ranks};
  const Ending ending = ending_of(options, ranks);
  if (options.json) {
    fmt::print("{}\n", live_json(library, runs, ending).dump(2));
  } else {
    const bool has_all = options.full || is_short(runs);
    fmt::print("{}\n{}{}", library, has_all ? runs_text(runs, options.full) : brief_text(runs),
               options.part.empty() ? ending_text(ending, runs) : "");
  }
  if (!options.part.empty()) {
    const RanksPart part = part_of(runs);
    std::ofstream file(options.part);  // not a new file in its place: that has no name
    file << Json{{"verdict", name(part.verdict)}, {"blamed", part.blamed}, {"not_required", part.not_required}}.dump();
    file.flush();
    if (!file) return ExitCode::internal;
  }
  return exit_code(overall(runs));
}

}  // namespace onceover::live
