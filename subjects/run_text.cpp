// The report is as short as the answers are alike. Runs are sorted by ranks, so neighbours share a line if they pass,
// if they fail in the same property first, or if they are unknown for the same reason. The first failure has the fewest
// ranks; only that one is shown in full.
//
// Example: swing at p = 2..9 with the limit steps <= 4:
//   swing allreduce, p = 2..9: 8 schedules
//     pass  p = 2..5
//     fail  p = 6..9: limit: steps <= 4                                    (one p alone says why: 6 <= 4 does not hold)
//     smallest failure: p = 6                                              (and what fails there)
//   fail  limit (at 4 of 8)
//
// O(runs * (properties + limits)), times the number of different notes, reasons and promises.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "gpu/description_judge.h"
#include "programs/program_faults.h"
#include "schedules/catalogue.h"
#include "subjects/rank_list.h"
#include "subjects/run.h"

namespace onceover::subjects {

namespace {

std::vector<const Verification*> pointers(std::span<const Verification> runs) {
  return mapped(runs, [](const Verification& run) { return &run; });
}

/// The shapes of several runs: lines as a list of ranks, and each torus by name.
std::string shapes_text(const std::vector<const Verification*>& runs) {
  std::vector<Rank> ranks;
  std::vector<std::string> shapes;
  for (const Verification* run : runs) {
    if (run->header.shape.size() <= 1) ranks.push_back(run->header.ranks);
    shapes.push_back(shape_of(*run));
  }
  if (ranks.size() == runs.size()) return fmt::format("p = {}", rank_list_text(ranks));
  return fmt::format("{}", fmt::join(shapes, ", "));
}

std::string origin_text(const Verification& run) {
  return run.origin.text.empty() ? "the catalogue" : run.origin.text;
}

/// " (and 1 without messages)", or nothing.
std::string without_messages(const Metrics& m) {
  return m.local_steps > 0 ? fmt::format(" (and {} without messages)", m.local_steps) : "";
}

std::string steps_text(const Metrics& m) {
  return counted(static_cast<std::uint64_t>(m.steps), "step") + without_messages(m);
}

std::string title(std::span<const Verification> runs) {
  const Verification& first = runs.front();
  if (runs.size() > 1) {
    const bool alike = std::all_of(runs.begin(), runs.end(), [&](const Verification& run) {
      return run.failure || first.failure || subject_text(run) == subject_text(first);
    });
    return fmt::format("{}, {}: {} schedules\n", alike ? subject_text(first) : origin_text(first) + " (different ones)",
                       shapes_text(pointers(runs)), runs.size());
  }
  if (first.report.program) return program_headline(first);
  const Metrics& m = first.report.metrics;
  const std::string steps = steps_text(m);
  if (first.report.verdict == Verdict::unknown && m.steps == 0)
    return fmt::format("{}, {}\n", subject_text(first), shape_of(first));
  if (first.report.verdict == Verdict::unknown)
    return fmt::format("{}, {}: {}\n", subject_text(first), shape_of(first), steps);
  return fmt::format("{}, {}: {}, {}, {}\n", subject_text(first), shape_of(first), steps,
                     counted(m.messages, "message"), counted(m.block_transfers, "block transfer"));
}

bool weighs(const PropertyResult& property, Verdict verdict) {
  return property.required && property.verdict == verdict;
}

/// "5 more wrong results (rank, block)". Of races not all are counted.
std::string more_text(const PropertyResult& property) {
  const std::uint64_t more = property.violations - 1;
  if (property.counterexample->kind() == race_fault.name)
    return fmt::format("at least {} more racing pair{}", more, more == 1 ? "" : "s");
  return fmt::format("{} more {}", more, property.counterexample->noun());
}

std::string counterexample_text(const PropertyResult& property) {
  const auto lines = describe(*property.counterexample);
  std::string text = fmt::format("  {} fails: {}\n", property.id, lines.front());
  for (std::size_t k = 1; k < lines.size(); ++k) text += fmt::format("    {}\n", lines[k]);
  if (property.violations > 1) text += fmt::format("    and {}\n", more_text(property));
  return text;
}

/// The first property in the report that fails; later ones may fail only because of it.
const PropertyResult& root_failure(const Report& report) {
  return *std::find_if(report.properties.begin(), report.properties.end(),
                       [](const PropertyResult& p) { return weighs(p, Verdict::fail); });
}

std::string failing_properties_text(const Report& report) {
  if (report.verdict != Verdict::fail) return "";
  std::string text;
  // A schedule that isn't well-formed isn't exactly-once either, for the same reason.
  const PropertyResult& root = root_failure(report);
  for (const PropertyResult& p : report.properties)
    if (weighs(p, Verdict::fail) && !(root.id == well_formed_property.id && p.summary.ends_with(not_well_formed)))
      text += counterexample_text(p);
  return text;
}

std::string failures_text(std::span<const Verification> runs) {
  const auto failing =
      std::find_if(runs.begin(), runs.end(), [](const Verification& run) { return run.verdict() == Verdict::fail; });
  if (failing == runs.end()) return "";
  std::string text = runs.size() > 1 ? fmt::format("  smallest failure: {}\n", shape_of(*failing)) : "";
  text += failing_properties_text(failing->report);
  if (failing->repair) text += repair_text(*failing->repair);
  for (const JudgedLimit& l : failing->limits)
    if (l.finding.verdict == Verdict::fail) text += fmt::format("  {} fails: {}\n", limit_rule, l.headline());
  return text;
}

std::string limit_text(const JudgedLimit& limit) {
  return fmt::format("{}: {}", limit_rule, limit.headline());
}

const JudgedLimit& first_failing_limit(const Verification& run) {
  return *std::find_if(run.limits.begin(), run.limits.end(),
                       [](const JudgedLimit& l) { return l.finding.verdict == Verdict::fail; });
}

/// What fails first, with its headline.
std::string first_failure_text(const Verification& run) {
  if (run.report.verdict == Verdict::fail) return headline(root_failure(run.report));
  return limit_text(first_failing_limit(run));
}

/// What fails first, by name: the property's id, or the limit.
std::string first_failing_rule(const Verification& run) {
  if (run.report.verdict == Verdict::fail) return std::string(root_failure(run.report).id);
  return fmt::format("{}: {}", limit_rule, first_failing_limit(run).text);
}

/// A line for each run of neighbours that pass, or that fail in the same property or limit first. A failure without
/// such neighbours shows its headline.
std::string lines_text(std::span<const Verification> runs) {
  auto kind_of = [](const Verification& run) {
    return std::pair(run.verdict(), run.verdict() == Verdict::fail ? first_failing_rule(run) : "");
  };
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    const auto kind = kind_of(runs[begin]);
    std::vector<const Verification*> alike;
    for (end = begin; end < runs.size() && kind_of(runs[end]) == kind; ++end) alike.push_back(&runs[end]);
    if (kind.first == Verdict::pass) text += fmt::format("  pass  {}\n", shapes_text(alike));
    if (kind.first == Verdict::fail)
      text += alike.size() == 1
                  ? fmt::format("  fail  {}: {}\n", shape_of(runs[begin]), first_failure_text(runs[begin]))
                  : fmt::format("  fail  {}: {}\n", shapes_text(alike), kind.second);
  }
  return text;
}

/// What the finding holds besides the verdict.
std::string extra_text(const PropertyResult& p, const Header& header) {
  constexpr std::size_t most = 64;
  if (p.layout() == nullptr) return "";
  const std::vector<Block>& blocks = p.layout()->blocks;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(most, blocks.size()); ++k) {
    const auto route = verifier::route_of(header, blocks[k]);
    names.push_back(route ? text(*route) : std::to_string(blocks[k]));
  }
  const bool are_routes = header.collective == Collective::alltoall;
  return fmt::format("    blocks in that order: {}{}\n", fmt::join(names, are_routes ? ", " : " "),
                     blocks.size() > most ? " .." : "");
}

/// Is the property required beyond those that every run must have?
bool is_extra(const PropertyResult& p) {
  return p.required && p.id != well_formed_property.id && p.id != exactly_once_property.id;
}

/// The findings on the properties and limits that the user asked for.
std::string extras_text(const Verification& run) {
  std::string text;
  for (const PropertyResult& p : run.report.properties)
    if (is_extra(p) && p.verdict == Verdict::pass)
      text += fmt::format("  {}: {}\n", p.id, p.summary) + extra_text(p, run.header);
  for (const JudgedLimit& l : run.limits)
    if (l.finding.verdict == Verdict::pass) text += fmt::format("  {}\n", limit_text(l));
  return text;
}

std::string metrics_text(const Verification& run) {
  const Metrics& m = run.report.metrics;
  const LowerBounds bounds = lower_bounds(run.header);
  std::string text = fmt::format("  steps                  {}{}", m.steps, without_messages(m));
  if (bounds.steps > 0) text += fmt::format(", {:.2f} of log2 p", m.steps / bounds.steps);
  text += fmt::format("\n  blocks sent by a rank  {} to {}, of {}", m.blocks_sent_min, m.blocks_sent_max,
                      run.header.blocks);
  if (bounds.blocks && *bounds.blocks > 0)
    text += fmt::format("; the most is {:.2f} of the least possible",
                        static_cast<double>(m.blocks_sent_max) / *bounds.blocks);
  return text + fmt::format(
                    "\n  messages at once       sends of a rank in a step: at most {}; receives: at most {}\n"
                    "  runs of a message      at most {}\n"
                    "  depth of a sum         {}\n",
                    m.max_sends_per_rank_step, m.max_receives_per_rank_step, m.max_runs_per_message, m.term_depth);
}

/// Every property with its verdict, and every metric.
std::string full_text(const Verification& run) {
  std::string text = fmt::format("{}\n", shape_of(run));
  for (const PropertyResult& p : run.report.properties) {
    text +=
        fmt::format("  {:<22} {:<8}{} {}\n", p.id, name(p.verdict), p.required ? "required:" : "         ", p.summary);
    if (p.verdict == Verdict::fail && !p.required)
      for (const std::string& line : describe(*p.counterexample)) text += fmt::format("    {}\n", line);
    text += extra_text(p, run.header);
  }
  for (const JudgedLimit& l : run.limits)
    text += fmt::format("  {:<22} {:<8}required: {}\n", limit_rule, name(l.finding.verdict), l.headline());
  if (run.report.program) return text + program_metrics_text(run);
  return run.report.verdict == Verdict::unknown ? text : text + metrics_text(run);
}

/// A line for each kind of note: the first note of the kind, and how many runs have one.
std::string notes_text(std::span<const Verification> runs) {
  if (runs.front().report.program) {
    std::string text;
    for (const Note& note : runs.front().notes) text += fmt::format("  note: {}\n", note.text);
    return text;
  }
  struct Group {
    const Note* first;
    const Verification* run;
    int count;
  };
  std::vector<Group> groups;
  for (const Verification& run : runs)
    for (const Note& note : run.notes) {
      const auto known =
          std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.first->kind == note.kind; });
      if (known == groups.end())
        groups.push_back({&note, &run, 1});
      else
        ++known->count;
    }
  std::string text;
  for (const Group& g : groups)
    text += runs.size() == 1 ? fmt::format("  note: {}\n", g.first->text)
                             : fmt::format("  note, for {} of {}, first {}: {}\n", g.count, runs.size(),
                                           shape_of(*g.run), g.first->text);
  return text;
}

/// Why the run has no verdict; empty if it has one.
std::string unknown_text(const Verification& run) {
  if (run.failure) return run.failure->message;
  const auto unknown = std::find_if(run.report.properties.begin(), run.report.properties.end(),
                                    [](const PropertyResult& p) { return weighs(p, Verdict::unknown); });
  if (unknown != run.report.properties.end()) return headline(*unknown);
  for (const JudgedLimit& l : run.limits)
    if (l.finding.verdict == Verdict::unknown) return limit_text(l);
  return "";
}

/// A reason without the numbers in it, which may be those of one run.
std::string without_numbers(const std::string& why) {
  std::string text;
  for (const char c : why)
    if (!is_digit(c)) text += c;
  return text;
}

/// A line for each reason for which runs are unknown. Where only its numbers differ, it is that of the first.
std::string unknowns_text(std::span<const Verification> runs) {
  std::vector<std::string> kinds;
  for (const Verification& run : runs)
    if (const std::string why = unknown_text(run); !why.empty()) add_new(kinds, without_numbers(why));
  std::string text;
  for (const std::string& kind : kinds) {
    std::vector<const Verification*> alike;
    for (const Verification& run : runs)
      if (without_numbers(unknown_text(run)) == kind) alike.push_back(&run);
    const std::string why = unknown_text(*alike.front());
    const bool are_same =
        std::all_of(alike.begin(), alike.end(), [&](const auto* run) { return unknown_text(*run) == why; });
    text += fmt::format("  {}{}: {}{}\n", alike.front()->failure ? "no schedule for " : "",
                        alike.size() == 1 ? shape_of(*alike.front()) : shapes_text(alike),
                        are_same ? "" : fmt::format("for {}: ", shape_of(*alike.front())), why);
  }
  return text;
}

std::string failing_ids(std::span<const Verification> runs) {
  std::vector<std::string_view> ids;
  auto add = [&](std::string_view id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const Verification& run : runs) {
    for (const PropertyResult& p : run.report.properties)
      if (weighs(p, Verdict::fail)) add(p.id);
    for (const JudgedLimit& l : run.limits)
      if (l.finding.verdict == Verdict::fail) add(limit_rule);
  }
  return fmt::format("{}", fmt::join(ids, ", "));
}

std::string failing_count(std::span<const Verification> runs) {
  if (runs.size() == 1) return "";
  const auto failing =
      std::count_if(runs.begin(), runs.end(), [](const Verification& run) { return run.verdict() == Verdict::fail; });
  return fmt::format(" (at {} of {})", failing, runs.size());
}

/// Does a required property fail without which results mean nothing? What else fails then follows from that.
bool has_wrong_results(const Report& report) {
  return std::any_of(report.properties.begin(), report.properties.end(),
                     [](const PropertyResult& p) { return weighs(p, Verdict::fail) && !is_extra(p); });
}

/// "order-preserving (at 62 of 63, first p = 3)": a property that fails and weighs nothing; empty if it doesn't fail.
std::string unrequired_text(const Property& property, std::span<const Verification> runs) {
  const Verification* first = nullptr;
  std::size_t count = 0;
  for (const Verification& run : runs) {
    const PropertyResult* p = run.report.find(property);
    if (p == nullptr || p->required || p->verdict != Verdict::fail || has_wrong_results(run.report)) continue;
    if (count++ == 0) first = &run;
  }
  if (count == 0) return "";
  if (count == runs.size()) return std::string(property.id);
  return fmt::format("{} (at {} of {}, first {})", property.id, count, runs.size(), shape_of(*first));
}

/// "  not required: order-preserving, bitwise-reproducible fails": a line of what fails and weighs nothing.
std::string unrequired_text(std::span<const Verification> runs) {
  std::vector<std::string> failing;
  for (const Property& property : properties())
    if (std::string text = unrequired_text(property, runs); !text.empty()) failing.push_back(std::move(text));
  return failing.empty() ? "" : fmt::format("  not required: {} fails\n", fmt::join(failing, ", "));
}

/// The answer to the first question that was required: what the collective promises, or whether a program without data
/// ends; if neither was, another. Of `several` runs without its numbers, which differ.
std::string promise_text(const Report& report, bool several = false) {
  for (const Property* property : {&exactly_once_property, &deadlock_free_property})
    if (const PropertyResult* p = report.find(*property); p != nullptr && p->required) return p->summary;
  const auto first =
      std::find_if(report.properties.begin(), report.properties.end(), std::mem_fn(&PropertyResult::required));
  if (first == report.properties.end()) return "nothing was required";
  return several ? std::string(first->id) : fmt::format("{}: {}", first->id, first->summary);
}

/// "exactly-once waived", with `before`: what the user doesn't require, though it is by default; or nothing.
std::string waived_text(std::string_view before, std::span<const Verification> runs) {
  const auto ids = waived_in(runs);
  return ids.empty() ? "" : fmt::format("{}{} waived", before, fmt::join(ids, ", "));
}

/// "; also ports, contiguous": what else was required.
std::string required_text(const Verification& run) {
  std::vector<std::string_view> ids;
  for (const PropertyResult& p : run.report.properties)
    if (is_extra(p)) ids.push_back(p.id);
  if (!run.limits.empty()) ids.emplace_back(run.limits.size() == 1 ? "the limit" : "the limits");
  return ids.empty() ? "" : fmt::format("; also {}", fmt::join(ids, ", "));
}

/// What the verdict rests on; for several schedules without their numbers of blocks, which differ, and with how any of
/// them was made.
std::string scope_text(const Verification& run, std::span<const Verification> runs) {
  const Report& report = run.report;
  std::string scope = runs.size() > 1 && !report.scope_of_several.empty() ? report.scope_of_several : report.scope;
  std::vector<std::string_view> ways;
  for (const Verification& each : runs)
    if (!each.as.empty() && add_new(ways, std::string_view(each.as))) scope += "; " + each.as;
  return scope;
}

/// What a pass leaves out that a user may take to be judged.
std::string not_tried_text(std::span<const Verification> runs) {
  const auto& not_tried = runs.front().report.not_tried;
  if (overall(runs) != Verdict::pass || not_tried.empty()) return "";
  return fmt::format("not tried: {}\n", fmt::join(not_tried, "; "));
}

std::string verdict_text(std::span<const Verification> runs) {
  switch (overall(runs)) {
    case Verdict::fail: return fmt::format("fail  {}{}\n", failing_ids(runs), failing_count(runs));
    case Verdict::unknown: return "unknown\n";
    case Verdict::pass: break;
  }
  // One sentence for each promise that some run keeps; a user's program may print different collectives.
  std::vector<std::string> promises;
  for (const Verification& run : runs) {
    const std::string promise = fmt::format("{} ({}{})", promise_text(run.report, runs.size() > 1),
                                            scope_text(run, runs), waived_text("; ", {&run, 1}));
    if (std::find(promises.begin(), promises.end(), promise) == promises.end()) promises.push_back(promise);
  }
  return fmt::format("pass  {}{}\n", fmt::join(promises, "; "), required_text(runs.front()));
}

/// The report on the runs of one algorithm, or on those that aren't from the catalogue.
std::string group_text(std::span<const Verification> runs, bool full, std::span<const LeftOut> left_out) {
  if (runs.front().launches) return gpu::report_text(runs.front().launches->report, full);
  std::string text = title(runs) + notes_text(runs);
  if (full)
    for (const Verification& run : runs) text += full_text(run);
  else if (runs.size() == 1)
    text += extras_text(runs.front());
  if (runs.size() > 1 && overall(runs) != Verdict::pass) text += lines_text(runs);
  text += failures_text(runs) + unknowns_text(runs) + theorems_text(runs) + unrequired_text(runs);
  if (!left_out.empty()) text += left_out_text(left_out) + "\n";
  return text + not_tried_text(runs) + verdict_text(runs);
}

/// Are the two reported together? Runs of one algorithm are, and so are runs that aren't from the catalogue.
bool is_one_algorithm(const Verification& a, const Verification& b) {
  return a.origin.kind != Origin::Kind::catalogue || a.header.algorithm == b.header.algorithm;
}

}  // namespace

std::string repair_text(const Repair& repair) {
  std::string text;
  for (const std::string& line : repair.text())
    text += fmt::format("{}{}\n", text.empty() ? "  repair: " : "    ", line);
  switch (repair.verdict) {
    case Verdict::pass: text += "    with this, all required properties pass"; break;
    case Verdict::fail:
      text += fmt::format("    with this, it is exactly once, but fails {}", fmt::join(repair.still_fails, ", "));
      break;
    case Verdict::unknown: text += "    with this, it is exactly once; more isn't known"; break;
  }
  if (repair.alternatives > 0)
    text += fmt::format("; {} would make it exactly once, too", counted(repair.alternatives, "other change"));
  return text + "\n";
}

std::vector<std::string_view> waived_in(std::span<const Verification> runs) {
  std::vector<std::string_view> ids;
  for (const Verification& run : runs)
    for (const PropertyResult& p : run.report.properties)
      if (p.waived) add_new(ids, p.id);
  return ids;
}

std::string pass_text(const Verification& run) {
  if (run.launches) return gpu::passing_text(run.launches->report);
  return fmt::format("{} ({}{})", promise_text(run.report), scope_of(run), waived_text("; ", {&run, 1}));
}

std::string left_out_text(std::span<const LeftOut> left_out) {
  constexpr std::size_t most_names = 8;
  std::vector<std::string> reasons;
  for (const LeftOut& each : left_out) add_new(reasons, each.why);
  std::vector<std::string> parts;
  for (const std::string& why : reasons) {
    std::vector<std::string_view> names;
    for (const LeftOut& each : left_out)
      if (each.why == why) names.push_back(each.what);
    const std::size_t more = names.size() - std::min(names.size(), most_names);
    names.resize(names.size() - more);
    parts.push_back(fmt::format("{}{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more),
                                why.empty() ? "" : fmt::format(" ({})", why)));
  }
  return fmt::format("not tried: {}", fmt::join(parts, "; "));
}

std::string text_report(const std::vector<Verification>& runs, bool full, std::span<const LeftOut> left_out) {
  std::vector<std::string> failing, unknown;
  std::string text;
  std::size_t groups = 0;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end, ++groups) {
    for (end = begin + 1; end < runs.size() && is_one_algorithm(runs[begin], runs[end]);) ++end;
    const auto group = std::span(runs).subspan(begin, end - begin);
    text += (begin == 0 ? "" : "\n") + group_text(group, full, left_out);
    const Verdict verdict = overall(group);
    if (verdict == Verdict::fail) failing.push_back(group.front().header.algorithm);
    if (verdict == Verdict::unknown) unknown.push_back(group.front().header.algorithm);
  }
  if (groups == 1) return text;
  text += "\n";
  if (!failing.empty())
    return text + fmt::format("fail  {} of {} algorithms: {}\n", failing.size(), groups, fmt::join(failing, ", "));
  if (!unknown.empty())
    return text + fmt::format("unknown  {} of {} algorithms: {}\n", unknown.size(), groups, fmt::join(unknown, ", "));
  const std::string waived = waived_text("", runs);
  return text + fmt::format("pass  all {} algorithms{}\n", groups, waived.empty() ? "" : fmt::format(" ({})", waived));
}

}  // namespace onceover::subjects
