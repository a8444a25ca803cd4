#include "cli/output.h"

#include <fmt/format.h>

#include <new>

#include "base/files.h"
#include "base/interrupts.h"
#include "base/json.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/table.h"
#include "cli/colors.h"
#include "cli/plots.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

Failure unknown(std::string why) {
  return {ExitCode::unknown, std::move(why)};
}

Result<ExitCode> run_within_limits(const std::function<Result<ExitCode>()>& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    return tl::unexpected(unknown(out_of_memory()));
  } catch (const Stopped& stopped) {
    return tl::unexpected(unknown(stopped.what()));
  } catch (const LimitRanOut& limit) {
    return tl::unexpected(unknown(limit.what()));
  }
}

std::string unfinished_json(const std::string& why) {
  return dump(result_json({{"verdict", "unknown"}, {"reason", why}}));
}

}  // namespace

bool JsonOutput::takes_output() const {
  return is_printed || is_standard_stream(file);
}

Result<void> check(const JsonOutput& output) {
  return output.file.empty() ? Result<void>() : check_writable(output.file);
}

Result<void> give_result(const JsonOutput& output, const std::function<std::string()>& json,
                         const std::function<std::string()>& text) {
  const std::string document = output.is_wanted() ? json() : "";
  if (!output.file.empty()) TRY(write_text(output.file, document));
  if (is_standard_stream(output.file)) return {};
  return print(output.is_printed ? document : painted(text()));
}

Result<void> check_distinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written) {
  std::vector<NamedFile> taken;
  for (const NamedFile& file : read)
    if (!is_standard_stream(file.path)) taken.push_back(file);
  for (const NamedFile& output : written) {
    for (const NamedFile& other : taken)
      if (!output.path.empty() && !other.path.empty() && is_one_file(output.path, other.path))
        return usage_error(fmt::format("{} and {} name one file", other.option, output.option));
    taken.push_back(output);
  }
  return {};
}

std::vector<NamedFile> files_read(const SubjectOptions& subject, const NetworkOptions& network) {
  const bool has_file = network.topology && !network.topology->is_known();
  return {{"FILE", subject.file},
          {"--map", network.map},
          {"--ways", network.ways},
          {"--topology", has_file ? network.topology->text : ""}};
}

Result<void> check_outputs(const std::vector<NamedFile>& read, const JsonOutput& json, const std::string& csv,
                           const PlotFiles& plot) {
  TRY(check(json));
  TRY(check_csv(csv, json.takes_output()));
  TRY(check(plot));
  if (plot.is_printed() && (json.takes_output() || is_standard_stream(csv)))
    return usage_error("standard output takes one of JSON, --csv-out and a plot");
  return check_distinct(
      read, {{"--json-out", json.file}, {"--csv-out", csv}, {"--plot", plot.picture}, {"--gnuplot", plot.script}});
}

ExitCode give_measured(ExitCode ends, const MeasuredForms& measured, const JsonOutput& json, const std::string& csv,
                       const PlotFiles& plot) {
  const bool is_taken = plot.is_printed() || is_standard_stream(json.file);
  const std::string text = json.is_printed ? measured.json : painted(measured.text);
  ends = after_output(ends, give(text, measured.csv, csv, is_taken));
  if (!json.file.empty()) ends = after_output(ends, write_text(json.file, measured.json));
  if (!plot.any()) return ends;
  return after_making(ends, [&] { return write(measured.plot(), plot); });
}

Result<ExitCode> run_to_the_end(const std::function<Result<ExitCode>()>& command, const std::string& json_file) {
  Result<ExitCode> end = run_within_limits(command);
  const bool is_unfinished = !end && end.error().code == ExitCode::unknown && !was_interrupted();
  if (!is_unfinished || json_file.empty() || is_standard_stream(json_file)) return end;
  if (const auto written = write_text(json_file, unfinished_json(end.error().message)); !written)
    warn(written.error().message);
  return end;
}

}  // namespace onceover::cli
