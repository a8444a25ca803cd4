// What a command leaves behind: JSON, files, none of which may replace another, and a reason where a limit ends it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/plots.h"
#include "subjects/network_plan.h"
#include "subjects/subject.h"
#include "viz/plot.h"

namespace onceover::cli {

struct JsonOutput {
  bool is_printed = false;
  std::string file = {};  // "-": standard output, which then has nothing else

  bool is_wanted() const { return is_printed || !file.empty(); }

  /// Does JSON take all of standard output?
  bool takes_output() const;
};

/// Reports early that the file can't be written.
Result<void> check(const JsonOutput& output);

/// Writes the file, if there is one, and prints the JSON, or else the text for people. Each is made only if it is
/// wanted.
Result<void> give_result(const JsonOutput& output, const std::function<std::string()>& json,
                         const std::function<std::string()>& text);

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

/// Runs a command. If it ends with `unknown` and no result, `json_file` gets a document with the reason, because an
/// older result there could be taken for this one; it follows docs/schema/unfinished.schema.json. An empty name or "-"
/// is no file, and an interrupt leaves the file as it was. Before the command asks for a stop, it must have refused a
/// `json_file` that it reads.
Result<ExitCode> run_to_the_end(const std::function<Result<ExitCode>()>& command, const std::string& json_file);

}  // namespace onceover::cli
