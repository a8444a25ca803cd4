// The formats of files that are read: one table. This is where a file's kind is recognised.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "base/source_text.h"
#include "formats/goal_file.h"
#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// What a file may hold.
using FileContent = std::variant<SchedulePtr, Program, GoalFile>;

/// A row. Its words stand in messages.
struct FileFormat {
  std::string_view name;      // "MSCCL XML"
  std::string_view language;  // "XML": what a text of it is called where a schedule is asked for
  std::string_view example;   // how such a file begins, for users who gave something else
  bool holds_program;         // of ranks, rather than a schedule
  std::string_view read_by;   // of programs: the commands that read it

  /// Does the text begin like one? Rows further down are asked only if not.
  bool (*looks_like)(std::string_view text);

  /// Reads the text of a file called `name`.
  tl::expected<FileContent, SourceError> (*read)(std::string_view name, std::string_view text);
};

/// All rows, in the order in which they are asked.
std::span<const FileFormat> file_formats();

/// The first format that the text looks like, or null.
const FileFormat* file_format_of(std::string_view text);

/// "MSCCL XML or GOAL": those that hold programs, with `last` before the last one.
std::string program_format_names(std::string_view last);

/// How files of each format begin, for users who gave something else: "a JSON object {..} or MSCCL XML, <algo ..>".
std::string file_format_examples();

}  // namespace onceover::formats
