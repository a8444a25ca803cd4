#include "cli/output_files.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/table.h"
#include "base/try.h"
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

Result<void> check_outputs(const std::string& file, const JsonOutput& json, const std::string& csv,
                           const PlotFiles& plot) {
  TRY(check(json));
  TRY(check_csv(csv, json.takes_output()));
  TRY(check(plot));
  if (plot.is_printed() && (json.takes_output() || is_standard_stream(csv)))
    return usage_error("standard output takes one of JSON, --csv-out and a plot");
  return check_distinct(
      {{"FILE", file}},
      {{"--json-out", json.file}, {"--csv-out", csv}, {"--plot", plot.picture}, {"--gnuplot", plot.script}});
}

}  // namespace onceover::cli
