#include "cli/output_files.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/table.h"
#include "base/telling.h"
#include "base/try.h"
#include "cli/colors.h"
#include "cli/plots.h"

namespace onceover::cli {

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
  return {{"FILE", subject.file}, {"--map", network.map}, {"--topology", has_file ? network.topology->text : ""}};
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
  return after_giving(ends, [&] { return write(measured.plot(), plot); });
}

}  // namespace onceover::cli
