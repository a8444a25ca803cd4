#include "formats/file_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/in_sentence.h"
#include "base/xml_source.h"
#include "formats/foreign_formats.h"
#include "formats/msccl_reader.h"
#include "formats/plan_reader.h"
#include "formats/schedule_file.h"

namespace onceover::formats {

namespace {

/// A reader with the signature that all formats share.
template <auto read>
tl::expected<FileContent, SourceError> content(std::string_view name, std::string_view text) {
  return read(name, text).map([](auto&& what) { return FileContent(std::move(what)); });
}

bool is_of_others(std::string_view text) {
  return foreign_format_of(text) != nullptr;
}

tl::expected<FileContent, SourceError> refuse_of_others(std::string_view name, std::string_view text) {
  return tl::unexpected(source_error(name, text, 0, foreign_format_of(text)->message()));
}

/// The order matters: any text that begins with { or [ looks like a schedule file. So another format in JSON must come
/// before it, and must look for a key of its own.
constexpr std::array rows{
    FileFormat{"format of other tools", "a file of another tool", "", false, "", is_of_others, refuse_of_others},
    FileFormat{"MSCCL XML", "XML", "MSCCL XML, <algo ..>", true, "'verify FILE' and 'verify lint FILE' read it",
               looks_like_xml, content<read_msccl>},
    FileFormat{"GOAL", "GOAL", "GOAL, num_ranks ..", true, "'verify FILE' reads it", looks_like_goal,
               content<read_goal>},
    FileFormat{"MSCCL++", "an MSCCL++ plan", "MSCCL++, {\"name\":.., \"gpus\":..}", true, "'verify FILE' reads it",
               looks_like_plan, content<read_plan>},
    FileFormat{"schedule file", "JSON", "a JSON object {\"format\":\"onceover-schedule\", ..}", false, "",
               looks_like_schedule_file, content<read_schedule>},
};

}  // namespace

const FileFormat* file_format_of(std::string_view text) {
  const auto* row = std::find_if(rows.begin(), rows.end(), [&](const FileFormat& f) { return f.looks_like(text); });
  return row == rows.end() ? nullptr : row;
}

std::string program_format_names(std::string_view last) {
  std::vector<std::string_view> names;
  for (const FileFormat& format : rows)
    if (format.holds_program) names.push_back(format.name);
  return in_sentence(std::move(names), last);
}

std::string file_format_examples() {
  std::vector<std::string_view> schedules, programs;
  for (const FileFormat& format : rows)
    if (!format.example.empty()) (format.holds_program ? programs : schedules).push_back(format.example);
  return fmt::format("{} or {}", fmt::join(schedules, " or "), fmt::join(programs, ", or "));
}

}  // namespace onceover::formats
