#include "gpu/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/sentences.h"
#include "verifier/counterexample.h"

namespace onceover::gpu {

namespace {

using verifier::PropertyResult;
using verifier::Verdict;

/// "p = 2, n = 1000".
std::string shape_text(const GpuRun& run, bool has_sizes) {
  return has_sizes ? fmt::format("p = {}, n = {}", run.ranks, run.size) : fmt::format("p = {}", run.ranks);
}

bool has_sizes(const GpuReport& report) {
  return std::any_of(report.runs.begin(), report.runs.end(), [](const GpuRun& run) { return run.size != 0; });
}

/// "2..4, 8": sorted numbers, in short.
std::string numbers_text(const std::set<std::int64_t>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("{}{}", last > first + 1 ? ".." : ", ", last);
  }
  return text;
}

template <class Value>
std::string values_text(const GpuReport& report, Value value) {
  std::set<std::int64_t> values;
  for (const GpuRun& run : report.runs) values.insert(value(run));
  return numbers_text(values);
}

const PropertyResult* first_with(const GpuRun& run, Verdict verdict) {
  for (const PropertyResult& property : run.report.properties)
    if (property.required && property.verdict == verdict) return &property;
  return nullptr;
}

std::string failure_text(const PropertyResult& property) {
  const auto lines = verifier::describe(*property.counterexample);
  std::string text = fmt::format("  {} fails: {}\n", property.id, lines.front());
  for (std::size_t k = 1; k < lines.size(); ++k) text += fmt::format("    {}\n", lines[k]);
  if (property.violations > 1) text += fmt::format("    and {} more\n", property.violations - 1);
  return text;
}

std::string_view grant_text(const Grants& grants) {
  if (grants.kernel_boundary)
    return "a GPU that doesn't publish what a kernel wrote by relaxed flags of the next one may show it";
  if (grants.lockstep) return "a GPU whose warps' threads run apart may show it";
  if (grants.weak_stores_seen) return "a compiler that keeps plain accesses in registers may show it";
  return "a GPU that tears vector accesses may show it";
}

std::string smallest_failure_text(const GpuReport& report) {
  const auto failing = std::find_if(report.runs.begin(), report.runs.end(),
                                    [](const GpuRun& run) { return run.report.verdict == Verdict::fail; });
  if (failing == report.runs.end()) return "";
  std::string text =
      report.runs.size() > 1 ? fmt::format("  smallest failure: {}\n", shape_text(*failing, has_sizes(report))) : "";
  for (const PropertyResult& property : failing->report.properties)
    if (property.required && property.verdict == Verdict::fail) text += failure_text(property);
  if (failing->passes_under)
    text += fmt::format("  it passes if these are granted: {}; {}\n", gpu::text(*failing->passes_under),
                        grant_text(*failing->passes_under));
  return text;
}

std::string unknown_text(const GpuReport& report) {
  std::string text;
  std::set<std::string> told;
  for (const GpuRun& run : report.runs)
    if (run.report.verdict == Verdict::unknown)
      if (const PropertyResult* property = first_with(run, Verdict::unknown);
          property && told.insert(property->summary).second)
        text += fmt::format("  {}: {}\n", shape_text(run, has_sizes(report)), property->summary);
  return text;
}

std::string notes_text(const GpuReport& report) {
  std::string text;
  std::set<std::string> told;
  for (const GpuRun& run : report.runs)
    for (const std::string& note : run.notes)
      if (told.insert(note).second) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string full_text(const GpuReport& report) {
  std::string text;
  for (const GpuRun& run : report.runs) {
    text += fmt::format("{}\n", shape_text(run, has_sizes(report)));
    for (const PropertyResult& property : run.report.properties)
      text += fmt::format("  {:<22} {:<8}{} {}\n", property.id, verifier::name(property.verdict),
                          property.required ? "required:" : "         ", property.summary);
  }
  return text;
}

/// "race-free, exactly-once": what fails anywhere.
std::string failing_ids(const GpuReport& report) {
  std::vector<std::string_view> ids;
  for (const GpuRun& run : report.runs)
    for (const PropertyResult& property : run.report.properties)
      if (property.required && property.verdict == Verdict::fail &&
          std::find(ids.begin(), ids.end(), property.id) == ids.end())
        ids.push_back(property.id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

/// "at most 51 interleavings": how many each run was tried under.
std::string interleavings_text(const GpuReport& report) {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const GpuRun& run : report.runs) {
    least = std::min(least, run.interleavings);
    most = std::max(most, run.interleavings);
  }
  return least == most ? counted(least, "interleaving") : fmt::format("{} to {} interleavings each", least, most);
}

/// The scope without what differs between runs.
std::string scope_text(const GpuReport& report) {
  std::vector<std::string> grids;
  for (const GpuRun& run : report.runs)
    if (std::find(grids.begin(), grids.end(), run.grids) == grids.end()) grids.push_back(run.grids);
  const std::string shown = grids.size() <= 2 ? fmt::format("{}", fmt::join(grids, " or ")) : grids.front() + ", ..";
  if (std::all_of(report.runs.begin(), report.runs.end(), [](const GpuRun& run) { return run.has_all_interleavings; }))
    return fmt::format("all interleavings of {}; {}; grants: {}", shapes_text(report), shown, report.grants);
  return fmt::format("{}; {}; {}; grants: {}", shapes_text(report), shown, interleavings_text(report), report.grants);
}

/// "; race-free waived": what isn't required, though it is by default; or nothing.
std::string waived_text(const GpuReport& report) {
  std::vector<std::string_view> ids;
  for (const PropertyResult& property : report.runs.front().report.properties)
    if (property.waived) ids.push_back(property.id);
  return ids.empty() ? "" : fmt::format("; {} waived", fmt::join(ids, ", "));
}

std::string verdict_text(const GpuReport& report) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(report.runs.begin(), report.runs.end(),
                         [&](const GpuRun& run) { return run.report.verdict == verdict; });
  };
  auto counted_at = [&](Verdict verdict) {
    return report.runs.size() == 1 ? std::string() : fmt::format(" (at {} of {})", count(verdict), report.runs.size());
  };
  if (report.runs.empty()) return "unknown  nothing was judged\n";
  const std::string scope = scope_text(report) + waived_text(report);
  switch (overall(report)) {
    case Verdict::fail: return fmt::format("fail  {}{} ({})\n", failing_ids(report), counted_at(Verdict::fail), scope);
    case Verdict::unknown: return fmt::format("unknown{} ({})\n", counted_at(Verdict::unknown), scope);
    case Verdict::pass: break;
  }
  return fmt::format("pass  {}\n", passing_text(report));
}

/// The worst finding on the property at this place in the list, with where it is.
PropertyResult joint(const GpuReport& report, std::size_t place) {
  const GpuRun* worst = &report.runs.front();
  for (const GpuRun& run : report.runs) {
    const Verdict known = worst->report.properties[place].verdict;
    if (verifier::worse(known, run.report.properties[place].verdict) != known) worst = &run;
  }
  PropertyResult found = worst->report.properties[place];
  if (report.runs.size() > 1 && found.counterexample)
    found.counterexample->ways.push_back("at " + shape_text(*worst, has_sizes(report)));
  return found;
}

// JSON.

Json site_json(const AccessSite& site, const std::string& place) {
  Json json{{"rank", site.rank}, {"call", site.call}, {"action", site.action}};
  if (site.is_stream) {
    json["stream"] = true;
  } else {
    json["block"] = site.block;
    json["warp"] = site.warp;
    json["thread"] = site.thread;
    json["place"] = place;
  }
  return json;
}

Json finding_json(const ToldFinding& told) {
  Json sites = Json::array({site_json(told.finding.first, told.places.front())});
  if (told.finding.second) sites.push_back(site_json(*told.finding.second, told.places.back()));
  Json json{{"kind", std::string(name(told.finding.kind))},
            {"message", told.headline},
            {"times", told.finding.times},
            {"accesses", std::move(sites)}};
  if (!told.property.empty()) json["property"] = std::string(told.property);
  if (!told.finding.memory.empty()) json["memory"] = {{"name", told.finding.memory}, {"offset", told.finding.offset}};
  return json;
}

Json property_json(const PropertyResult& property) {
  Json json{{"id", std::string(property.id)},
            {"required", property.required},
            {"verdict", std::string(verifier::name(property.verdict))},
            {"summary", property.summary}};
  if (property.waived) json["waived"] = true;
  if (property.counterexample) json["counterexample"] = verifier::describe(*property.counterexample);
  if (property.violations > 0) json["violations"] = property.violations;
  return json;
}

Json run_json(const GpuRun& run) {
  Json json{{"ranks", run.ranks},
            {"size", run.size},
            {"verdict", std::string(verifier::name(run.report.verdict))},
            {"scope", run.report.scope},
            {"interleavings", run.interleavings},
            {"instructions", run.instructions}};
  if (run.has_all_interleavings) json["all_interleavings"] = true;
  json["properties"] = Json::array();
  for (const PropertyResult& property : run.report.properties) json["properties"].push_back(property_json(property));
  json["findings"] = Json::array();
  for (const ToldFinding& told : run.findings) json["findings"].push_back(finding_json(told));
  if (!run.failed_when.empty()) json["failed_when"] = run.failed_when;
  if (run.passes_under) json["passes_if_granted"] = gpu::text(*run.passes_under);
  json["notes"] = run.notes;
  return json;
}

/// "two_shot.cu:30, 31": lines of sources, the first of them.
std::string lines_text(const std::set<std::pair<std::string, std::uint32_t>>& lines) {
  constexpr std::size_t most = 12;
  std::string text;
  std::string_view last;
  std::size_t count = 0;
  for (const auto& [file, line] : lines) {
    if (++count > most) return fmt::format("{} and {} more", text, lines.size() - most);
    text += file == last ? fmt::format(", {}", line) : fmt::format("{}{}:{}", text.empty() ? "" : "; ", file, line);
    last = file;
  }
  return text;
}

/// "23 of 412 lines of the PTX, which never ran (two_shot.cu:30, 31)": what ran in no launch; empty if all did.
std::string code_that_never_ran(const GpuReport& report) {
  PlacesRun places;
  for (const GpuRun& run : report.runs)
    for (const auto& [place, has_run] : run.places) places[place] = places[place] || has_run;
  std::size_t count = 0;
  std::set<std::pair<std::string, std::uint32_t>> lines;
  for (const auto& [place, has_run] : places) {
    if (has_run) continue;
    ++count;
    const auto& [file, line, ptx_line] = place;
    if (line > 0) lines.insert({file, line});  // compilers give 0 to what belongs to no line
  }
  if (count == 0) return "";
  return fmt::format("{} of {} lines of the PTX, which never ran{}", count, places.size(),
                     lines.empty() ? "" : fmt::format(" ({})", lines_text(lines)));
}

/// What no launch tried. There is at least one.
std::vector<std::string> not_tried(const GpuReport& report) {
  std::vector<std::string> all = report.runs.front().report.not_tried;
  if (std::string code = code_that_never_ran(report); !code.empty()) all.push_back(std::move(code));
  return all;
}

}  // namespace

std::string shapes_text(const GpuReport& report) {
  const std::string ranks = "p = " + values_text(report, [](const GpuRun& run) { return run.ranks; });
  if (!has_sizes(report)) return ranks;
  return ranks + ", n = " + values_text(report, [](const GpuRun& run) { return run.size; });
}

Verdict overall(const GpuReport& report) {
  Verdict all = Verdict::pass;
  for (const GpuRun& run : report.runs) all = verifier::worse(all, run.report.verdict);
  return report.runs.empty() ? Verdict::unknown : all;
}

std::string report_text(const GpuReport& report, bool full) {
  std::string text = fmt::format("{} ({}), {}: {} {}\n", report.file, report.program, shapes_text(report),
                                 report.runs.size(), report.runs.size() == 1 ? "launch" : "launches");
  if (full) text += full_text(report);
  text += smallest_failure_text(report) + unknown_text(report) + notes_text(report);
  if (!report.runs.empty() && overall(report) == Verdict::pass)
    for (const std::string& line : not_tried(report)) text += fmt::format("not tried: {}\n", line);
  return text + verdict_text(report);
}

const ToldFinding* first_finding(const GpuReport& report, std::string_view property) {
  for (const GpuRun& run : report.runs)
    for (const ToldFinding& told : run.findings)
      if (told.property == property) return &told;
  return nullptr;
}

LinePlace place_in_files(const GpuReport& report, const LinePlace& place) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path of_module = fs::path(report.module).parent_path();
  LinePlace found = place;
  for (const fs::path& folder :
       {fs::path(report.file).parent_path(), of_module, of_module / "..", of_module / "../.."}) {
    found.file = (folder / place.file).lexically_normal().generic_string();
    if (fs::is_regular_file(found.file, ignored)) return found;
  }
  const bool is_ptx = report.module == report.program;
  return {report.module, is_ptx ? place.ptx_line : 1, 0, place.ptx_line};
}

std::string passing_text(const GpuReport& report) {
  struct Phrase {
    const verifier::Property& property;
    std::string_view text;
  };
  const std::array phrases{Phrase{verifier::exactly_once_property, "each contribution exactly once"},
                           Phrase{verifier::bitwise_reproducible_property, "the same bits on all ranks"},
                           Phrase{verifier::race_free_property, "no races"},
                           Phrase{verifier::deadlock_free_property, "no deadlocks"},
                           Phrase{verifier::order_preserving_property, "sums in the order of ranks"}};
  const verifier::Report& first = report.runs.front().report;
  std::vector<std::string_view> held;
  for (const Phrase& phrase : phrases)
    if (const PropertyResult* found = first.find(phrase.property); found != nullptr && found->required)
      held.push_back(phrase.text);
  const bool is_owed = !held.empty() && held.front() == phrases.front().text;
  if (held.empty()) held.emplace_back("no access out of bounds and no changed input, as far as that is required");
  return fmt::format("{}{} ({}{})", is_owed ? report.promises + ": " : "", fmt::join(held, ", "), scope_text(report),
                     waived_text(report));
}

verifier::Report joint_report(const GpuReport& report) {
  verifier::Report joint_report{.verdict = overall(report), .scope = "nothing", .properties = {}, .metrics = {}};
  if (report.runs.empty()) return joint_report;
  joint_report.scope = scope_text(report);
  joint_report.not_tried = not_tried(report);
  for (std::size_t k = 0; k < report.runs.front().report.properties.size(); ++k)
    joint_report.properties.push_back(joint(report, k));
  return joint_report;
}

Json runs_json(const GpuReport& report) {
  Json json = Json::array();
  for (const GpuRun& run : report.runs) json.push_back(run_json(run));
  return json;
}

Json report_json(const GpuReport& report) {
  Json json = result_json(
      {{"launch", report.file}, {"program", report.program}, {"promises", report.promises}, {"grants", report.grants}});
  if (!report.runs.empty()) json["not_tried"] = not_tried(report);
  json["runs"] = runs_json(report);
  std::array<int, 3> counts{};  // by verdict
  for (const GpuRun& run : report.runs) ++counts[static_cast<std::size_t>(run.report.verdict)];
  json["summary"] = Json{{"pass", counts[0]}, {"fail", counts[1]}, {"unknown", counts[2]}};
  return json;
}

}  // namespace onceover::gpu
