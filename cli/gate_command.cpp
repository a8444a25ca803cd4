// `verify gate`: judges a file of checks.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/parallel.h"
#include "base/result.h"
#include "cli/colors.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "gate/gate.h"
#include "gate/gate_report.h"
#include "subjects/option_values.h"

namespace onceover::cli {

namespace {

/// Part `index` of `count` parts of the units.
struct Shard {
  int index = 1;  // from 1
  int count = 1;
};

/// Names of files and patterns are empty if they aren't given.
struct GateCommand {
  std::string file = "gate.toml";
  bool print_config = false;
  std::string filter = {};
  Shard shard = {};
  std::optional<int> jobs = {};  // not given: as many as there are cores
  std::string baseline = {};
  bool update_baseline = false;
  bool no_cache = false;
  bool json = false;
  std::string json_out = {};
  std::string junit_out = {};
  std::string sarif_out = {};
  std::string markdown_out = {};
};

namespace fs = std::filesystem;

/// An output: its option, its path, and the function that makes it.
struct Output {
  std::string_view flag;
  std::string path;
  std::string (*text)(const GateReport&);
};

/// The path, valid in any folder.
std::string absolute(const std::string& path) {
  return path.empty() || is_standard_stream(path) ? path : fs::absolute(path).lexically_normal().string();
}

/// The outputs of the command, with paths that are valid in any folder. A path that can't be written is reported before
/// anything is judged.
Result<std::vector<Output>> outputs_of(const GateCommand& command) {
  std::vector<Output> outputs;
  for (const Output& output :
       {Output{"--json-out", command.json_out, json_output}, Output{"--junit-out", command.junit_out, junit_output},
        Output{"--sarif-out", command.sarif_out, sarif_output},
        Output{"--markdown-out", command.markdown_out, markdown_output}}) {
    if (output.path.empty()) continue;
    if (is_standard_stream(output.path) && command.json && output.text != json_output)
      return usage_error(fmt::format("either --json or {} -, not both", output.flag));
    if (!is_standard_stream(output.path) && is_one_file(output.path, command.file))
      return usage_error(fmt::format("{} would write over the gate file", output.flag));
    const bool is_written = !is_standard_stream(command.baseline) || command.update_baseline;
    if (!command.baseline.empty() && is_written && is_one_file(output.path, command.baseline))
      return usage_error(fmt::format("{} and --baseline name one file", output.flag));
    for (const Output& other : outputs)
      if (is_one_file(output.path, other.path))
        return usage_error(fmt::format("{} and {} name one file", other.flag, output.flag));
    TRY(check_writable(output.path));
    outputs.push_back({output.flag, absolute(output.path), output.text});
  }
  return outputs;
}

/// Enters the gate file's folder, to which its paths and commands refer. Returns that folder as seen from here: "" or
/// "ci/".
Result<std::string> enter_folder_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (folder.empty()) return "";
  std::error_code error;
  fs::current_path(folder, error);
  if (error) return usage_error(fmt::format("{}: {}", folder.string(), error.message()));
  return folder.generic_string() + "/";
}

/// The units that the filter and the shard leave.
struct Selection {
  std::vector<Unit> units;
  std::string words;
};

Result<Selection> selected(std::vector<Unit> units, const GateCommand& command, const Shard& shard) {
  Selection selection;
  std::vector<std::string> words;
  if (!command.filter.empty()) {
    std::erase_if(units, [&](const Unit& unit) { return !matches(unit, command.filter); });
    if (units.empty())
      return usage_error(fmt::format("--filter: no unit matches '{}'; units are named as {}", command.filter,
                                     "CHECK/ALGORITHM/COLLECTIVE/p=7"));
    words.push_back(fmt::format("filter '{}'", command.filter));
  }
  if (shard.count > 1) words.push_back(fmt::format("shard {}/{}", shard.index, shard.count));
  for (std::size_t k = static_cast<std::size_t>(shard.index) - 1; k < units.size();
       k += static_cast<std::size_t>(shard.count))
    selection.units.push_back(std::move(units[k]));
  selection.words = fmt::format("{}", fmt::join(words, ", "));
  return selection;
}

/// Records what passes, in the file as it is now: other shards may have recorded since it was read. Units that fail, or
/// that this run didn't judge, keep their entries; units that the gate no longer has lose them.
Result<void> update(const std::string& path, Baseline baseline, const GateReport& report) {
  const FolderLock lock(path);
  if (!is_standard_stream(path) && fs::exists(path)) baseline = TRY(Baseline::read(path));
  for (const std::string& id : report.vanished) baseline.forget(id);
  for (const Outcome& outcome : report.outcomes)
    if (outcome.verdict == Verdict::pass) baseline.record(outcome.unit->id, outcome.measurement);
  return write_text(path, baseline.text());
}

Result<ExitCode> run_gate(const GateCommand& command, const std::vector<Output>& outputs, const Checks& file,
                          const std::string& folder, const std::string& baseline_path) {
  const Shard& shard = command.shard;
  const int jobs = command.jobs.value_or(cores());
  std::optional<Baseline> baseline;
  const bool is_new = command.update_baseline && !is_standard_stream(baseline_path) && !fs::exists(baseline_path);
  if (!command.baseline.empty() && !is_new) {
    auto read = TRY(Baseline::read(baseline_path));
    baseline = std::move(read);
  }
  auto units = TRY(units_of(file));
  const std::size_t units_in_all = units.size();
  // Every shard knows all units; the first one looks for those that are gone.
  std::vector<std::string> vanished;
  if (baseline && command.filter.empty() && shard.index == 1) vanished = baseline->vanished(units);
  const auto selection = TRY(selected(std::move(units), command, shard));
  Cache cache(command.no_cache ? "" : Cache::users_folder());
  const bool compares = baseline && !command.update_baseline;
  auto outcomes = TRY(run_units(file, selection.units, jobs, cache, compares ? &*baseline : nullptr));
  const GateReport report{file,
                          folder,
                          selection.words,
                          units_in_all,
                          compares ? command.baseline : "",
                          std::move(outcomes),
                          std::move(vanished)};
  // An output on standard output is alone there.
  const bool is_taken =
      (command.update_baseline && is_standard_stream(baseline_path)) ||
      std::any_of(outputs.begin(), outputs.end(), [](const Output& o) { return is_standard_stream(o.path); });
  ExitCode ends = report.exit_code();
  for (const Output& output : outputs) ends = after_output(ends, write_text(output.path, output.text(report)));
  if (command.update_baseline)
    ends = after_making(ends, [&] { return update(baseline_path, baseline.value_or(Baseline{}), report); });
  return is_taken ? ends : after_output(ends, print(command.json ? json_output(report) : painted(text_output(report))));
}

/// Parses "1/4".
Result<Shard> parse_shard(const std::string& text) {
  constexpr int most = 1'000'000;
  const std::size_t slash = text.find('/');
  const auto index = number_to(most, text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : number_to(most, text.substr(slash + 1));
  if (!index || !count || *index > *count)
    return usage_error(fmt::format("--shard: expected i/n with i from 1 to n, such as 1/4, found '{}'", text));
  return Shard{*index, *count};
}

/// Parses a number from 1 to 256.
Result<int> parse_jobs(const std::string& text) {
  return parse_count("--jobs", text, 256);
}

void describe(const CommandApp& app, GateCommand& command) {
  app.group(subject_group);
  app->add_option("FILE", command.file, "The gate file")->default_val(command.file);
  app.add_option("--filter PATTERN", command.filter,
                 "Judge only the units whose names, CHECK/ALGORITHM/COLLECTIVE/p=7, hold this text, or match it as a "
                 "whole if it has * ? or [")
      ->check(not_empty);
  app.add_parsed("--shard i/n", command.shard, parse_shard, "Judge only the i-th of n parts of the units")
      ->check(not_empty);
  app.group("Baseline");
  app.add_file("--baseline", command.baseline, "Fail what got worse than the metrics recorded in this file");
  app->add_flag("--update-baseline", command.update_baseline, "Record the metrics of what passes in the baseline");
  app.group(output_group);
  app->add_flag("--print-config", command.print_config, "Print the checks with all defaults filled in, judge nothing");
  app->add_flag("--json", command.json, "Print the result as JSON");
  app.add_file("--json-out", command.json_out, "Also write the result as JSON to this file");
  app.add_file("--junit-out", command.junit_out, "Also write the result as JUnit XML to this file");
  app.add_file("--sarif-out", command.sarif_out, "Also write the result as SARIF 2.1.0 to this file");
  app.add_file("--markdown-out", command.markdown_out, "Also write a summary in Markdown to this file");
  app.group("Way of working");
  app.add_parsed("--jobs N", command.jobs, parse_jobs, "Judge this many units at a time (default: one for each core)")
      ->check(not_empty);
  app->add_flag("--no-cache", command.no_cache, "Judge everything anew, even what an earlier run judged");
}

Result<ExitCode> run(const GateCommand& command) {
  if (command.update_baseline && command.baseline.empty())
    return usage_error("--update-baseline needs a file to write: --baseline FILE");
  const auto outputs = TRY(outputs_of(command));
  const auto text = TRY(read_file(command.file));
  if (command.update_baseline && !is_standard_stream(command.baseline) && is_one_file(command.baseline, command.file))
    return usage_error("--baseline would write over the gate file");
  if (command.update_baseline && is_standard_stream(command.baseline) && command.json)
    return usage_error("either --json or --baseline -, not both");
  if (command.update_baseline) TRY(check_writable(command.baseline));
  const std::string baseline = absolute(command.baseline);
  const auto file = TRY(read_gate(command.file, text));
  TRY(check_count(file));
  const auto folder = TRY(enter_folder_of(command.file));
  if (command.print_config) {
    TRY(print(config_text(file)));
    return ExitCode::ok;
  }
  return run_gate(command, outputs, file, folder, baseline);
}

}  // namespace

Runner add_gate(CLI::App& app) {
  return run_with<GateCommand>(app);
}

}  // namespace onceover::cli
