// The files that a command line names: no output may replace an input or another output.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "cli/json_output.h"
#include "cli/plot_files.h"
#include "subjects/network_options.h"
#include "subjects/subject.h"
#include "viz/plot.h"

namespace onceover::cli {

/// A file, and the option that names it. An empty path is no file; "-" is a standard stream.
struct NamedFile {
  std::string_view option;
  std::string path;
};

/// A usage error if an output is an input file or another output, under any name.
Result<void> check_distinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

/// The files that a command reads: that of its subject, and those of its network.
std::vector<NamedFile> files_read(const SubjectOptions& subject, const NetworkOptions& network = {});

/// Checks the outputs of a command that measures what is in the files: each output can be written, all are distinct,
/// and standard output takes at most one of them.
Result<void> check_outputs(const std::vector<NamedFile>& read, const JsonOutput& json, const std::string& csv,
                           const PlotFiles& plot);

/// A measurement in the forms that were asked for.
struct MeasuredForms {
  std::string text, csv, json;
  std::function<std::vector<Plot>()> plot;  // panels, from the top
};

/// Prints and writes each form where its option says. Returns `ends`, or the exit code of an output that failed.
ExitCode give_measured(ExitCode ends, const MeasuredForms& measured, const JsonOutput& json, const std::string& csv,
                       const PlotFiles& plot);

}  // namespace onceover::cli
