#include <fmt/format.h>

#include <algorithm>

#include "cli/rank_list.h"
#include "cli/run.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::vector<const Run*> pointers(const std::vector<Run>& runs) {
  std::vector<const Run*> all;
  for (const Run& run : runs) all.push_back(&run);
  return all;
}

std::string shape_of(const Run& run) {
  const Header& h = run.header;
  const std::string shape = shape_text(h.shape.empty() ? std::vector<Rank>{h.ranks} : h.shape);
  return h.lanes == 1 ? shape : fmt::format("{}, {} lanes", shape, h.lanes);
}

/// The shapes of several runs: all lines, as a list of ranks, or each torus by name.
std::string shapes_text(const std::vector<const Run*>& runs) {
  std::vector<Rank> ranks;
  std::vector<std::string> shapes;
  for (const Run* run : runs) {
    if (run->header.shape.size() <= 1) ranks.push_back(run->header.ranks);
    shapes.push_back(shape_of(*run));
  }
  if (ranks.size() == runs.size()) return fmt::format("p = {}", rank_list_text(ranks));
  return fmt::format("{}", fmt::join(shapes, ", "));
}

std::string headline(const std::vector<Run>& runs) {
  const Run& first = runs.front();
  if (runs.size() > 1) {
    return fmt::format("{}, {}: {} schedules\n", subject_text(first), shapes_text(pointers(runs)), runs.size());
  }
  const Metrics& m = first.report.metrics;
  const std::string steps = counted(static_cast<std::uint64_t>(m.steps), "step", "steps");
  if (first.report.verdict == Verdict::unknown)
    return fmt::format("{}, {}: {}\n", subject_text(first), shape_of(first), steps);
  return fmt::format("{}, {}: {}, {}, {}\n", subject_text(first), shape_of(first), steps,
                     counted(m.messages, "message", "messages"),
                     counted(m.block_transfers, "block transfer", "block transfers"));
}

bool weighs(const PropertyResult& property, Verdict verdict) {
  return property.required && property.verdict == verdict;
}

/// What the counterexample counts one of.
std::string_view violation_noun(const PropertyResult& property) {
  switch (property.counterexample->kind) {
    case Counterexample::Kind::duplicate:
    case Counterexample::Kind::missing:
      return "wrong results (rank, block)";
    case Counterexample::Kind::self_transfer:
    case Counterexample::Kind::out_of_range:
      return "such transfers";
    case Counterexample::Kind::not_held:
    case Counterexample::Kind::conflict:
      return "blocks without a defined result";
  }
  return "";
}

std::string counterexample_text(const PropertyResult& property) {
  const auto lines = describe(*property.counterexample);
  std::string text = fmt::format("  {} fails: {}\n", property.id, lines.front());
  for (std::size_t k = 1; k < lines.size(); ++k) text += fmt::format("    {}\n", lines[k]);
  if (property.violations > 1)
    text += fmt::format("    and {} more {}\n", property.violations - 1, violation_noun(property));
  return text;
}

/// The first property in the report that fails; later ones may fail only because of it.
const PropertyResult& root_failure(const Report& report) {
  return *std::find_if(report.properties.begin(), report.properties.end(),
                       [](const PropertyResult& p) { return weighs(p, Verdict::fail); });
}

std::string failures_text(const std::vector<Run>& runs) {
  std::vector<const Run*> failing;
  for (const Run& run : runs)
    if (run.report.verdict == Verdict::fail) failing.push_back(&run);
  if (failing.empty()) return "";
  std::string text;
  if (runs.size() > 1) text += fmt::format("  smallest failure: {}\n", shape_of(*failing.front()));
  text += counterexample_text(root_failure(failing.front()->report));
  if (runs.size() > 1)
    text += fmt::format("  fails at {} of {}: {}\n", failing.size(), runs.size(), shapes_text(failing));
  return text;
}

std::string unknowns_text(const std::vector<Run>& runs) {
  std::string text;
  for (const Run& run : runs)
    for (const PropertyResult& p : run.report.properties)
      if (weighs(p, Verdict::unknown)) {
        text += fmt::format("  {}: {}\n", shape_of(run), p.summary);
        break;
      }
  return text;
}

std::string failing_ids(const std::vector<Run>& runs) {
  std::vector<std::string_view> ids;
  for (const Run& run : runs)
    for (const PropertyResult& p : run.report.properties)
      if (weighs(p, Verdict::fail) && std::find(ids.begin(), ids.end(), p.id) == ids.end()) ids.push_back(p.id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

std::string verdict_text(const std::vector<Run>& runs) {
  switch (overall(runs)) {
    case Verdict::fail:
      return fmt::format("fail  {}\n", failing_ids(runs));
    case Verdict::unknown:
      return "unknown\n";
    case Verdict::pass:
      break;
  }
  const Report& report = runs.front().report;
  return fmt::format("pass  {} ({})\n", report.properties.back().summary, report.scope);
}

}  // namespace

std::string subject_text(const Run& run) {
  const std::string what = run.header.algorithm.empty()
                               ? std::string(name(run.header.collective))
                               : fmt::format("{} {}", run.header.algorithm, name(run.header.collective));
  return run.file.empty() ? what : fmt::format("{} ({})", run.file, what);
}

Verdict overall(const std::vector<Run>& runs) {
  auto any = [&](Verdict v) {
    return std::any_of(runs.begin(), runs.end(), [v](const Run& run) { return run.report.verdict == v; });
  };
  return any(Verdict::fail) ? Verdict::fail : any(Verdict::unknown) ? Verdict::unknown : Verdict::pass;
}

std::string text_report(const std::vector<Run>& runs) {
  return headline(runs) + failures_text(runs) + unknowns_text(runs) + verdict_text(runs);
}

}  // namespace onceover::cli
