// The formats of the files that we read, in one table that recognises a file's format.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "base/source_text.h"
#include "formats/goal_file.h"
#include "formats/plan.h"
#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// The content of a file.
using FileContent = std::variant<SchedulePtr, Program, GoalFile, ExecutionPlan>;

/// A row; messages use its words.
struct FileFormat {
  std::string_view name;      // "MSCCL XML"
  std::string_view language;  // "XML": the word for such a text where a schedule is expected
  std::string_view example;   // the beginning of such a file, for users who gave something else; empty: it isn't read
  bool holds_program;         // does it hold a program of ranks, not a schedule?
  std::string_view read_by;   // for programs: the commands that read it

  /// Does the text begin like this format? Asked only if it doesn't look like one of the rows above.
  bool (*looks_like)(std::string_view text);

  /// Reads the text of a file called `name`.
  tl::expected<FileContent, SourceError> (*read)(std::string_view name, std::string_view text);
};

/// The first format that the text looks like, or null.
const FileFormat* file_format_of(std::string_view text);

/// "MSCCL XML or GOAL": the formats that hold programs, with `last` before the last one.
std::string program_format_names(std::string_view last);

/// The beginnings of files of all formats, for users who gave something else: "a JSON object {..} or MSCCL XML, <algo
/// ..>".
std::string file_format_examples();

}  // namespace onceover::formats
