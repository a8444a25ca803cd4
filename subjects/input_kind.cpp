#include "subjects/input_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/rows.h"
#include "base/sentences.h"
#include "formats/lint.h"
#include "formats/schedule_file.h"

namespace onceover::subjects {

namespace {

bool is_foreign(std::string_view text) {
  return foreign_format_of(text) != nullptr;
}

bool is_never_likely(std::string_view) {
  return false;
}

tl::expected<FileContent, SourceError> refuse_foreign(std::string_view name, std::string_view text) {
  return tl::unexpected(source_error(name, text, 0, foreign_format_of(text)->message()));
}

tl::expected<FileContent, SourceError> read_schedule_file(std::string_view name, std::string_view text) {
  return read_schedule(name, text).map([](SchedulePtr&& schedule) { return FileContent{std::move(schedule)}; });
}

constexpr InputKind foreign_kind{.name = "format of other tools",
                                 .language = "a file of another tool",
                                 .what = "a file of another tool",
                                 .example = "",
                                 .holds_program = false,
                                 .read_by = "",
                                 .describes_gpus = false,
                                 .takes = {},
                                 .looks_like = is_foreign,
                                 .is_likely = is_never_likely,
                                 .read = refuse_foreign};

/// An option that some kinds take, and what it is about.
struct SpecialOption {
  std::string_view flag;
  std::string_view about;
  bool SpecialOptions::*field;
};

constexpr std::array special_options{
    SpecialOption{"--profile", "MSCCL XML", &SpecialOptions::profile},
    SpecialOption{"--fifo", "connections that hold messages", &SpecialOptions::fifo},
    SpecialOption{"--sizes", "plans of MSCCL++", &SpecialOptions::sizes},
    SpecialOption{"--reading", "plans of MSCCL++", &SpecialOptions::reading},
};

}  // namespace

const InputKind schedule_file_kind{.name = "schedule file",
                                   .language = "JSON",
                                   .what = "a schedule",
                                   .example = "a JSON object {\"format\":\"onceover-schedule\", ..}",
                                   .holds_program = false,
                                   .read_by = "",
                                   .describes_gpus = false,
                                   .takes = {},
                                   .looks_like = looks_like_schedule_file,
                                   .is_likely = has_key_of_ours,
                                   .read = read_schedule_file};

const InputKind* input_kind_of(std::string_view text) {
  if (is_foreign(text)) return &foreign_kind;
  const auto* row =
      std::find_if(input_kinds.begin(), input_kinds.end(), [&](auto* kind) { return kind->looks_like(text); });
  return row == input_kinds.end() ? nullptr : *row;
}

bool is_likely_ours(const Beginning& file) {
  const auto is_meant = [&](auto* kind) { return !kind->ending.empty() && file.name.ends_with(kind->ending); };
  const auto is_likely = [&](auto* kind) { return kind->is_likely(file.text); };
  return std::any_of(input_kinds.begin(), input_kinds.end(), is_likely) || may_be_damaged(file) ||
         (!is_foreign(file.text) && std::any_of(input_kinds.begin(), input_kinds.end(), is_meant));
}

Result<void> refuse_special(const InputKind& kind, const SpecialOptions& given) {
  for (const SpecialOption& option : special_options)
    if (given.*option.field && !(kind.takes.*option.field))
      return usage_error(fmt::format("{} is about {}; this is {}", option.flag, option.about, kind.what));
  return {};
}

std::string program_kind_names(std::string_view last) {
  std::vector<std::string_view> names;
  for (const InputKind* kind : input_kinds)
    if (kind->holds_program) names.push_back(kind->name);
  return in_sentence(std::move(names), last);
}

std::string input_kind_examples() {
  std::vector<std::string_view> schedules, programs;
  for (const InputKind* kind : input_kinds)
    if (!kind->example.empty()) (kind->holds_program ? programs : schedules).push_back(kind->example);
  return fmt::format("{} or {}", fmt::join(schedules, " or "), fmt::join(programs, ", or "));
}

Result<const MscclProfile*> parse_profile(const std::string& text) {
  if (const MscclProfile* row = find_msccl_profile(text)) return row;
  return no_such("--profile: no profile", text, mapped(msccl_profiles(), &MscclProfile::name));
}

Result<LintProfile> parse_lint_profile(const std::string& text) {
  if (text == plan_profile) return LintProfile{};
  if (const MscclProfile* row = find_msccl_profile(text)) return LintProfile{row};
  auto names = mapped(msccl_profiles(), &MscclProfile::name);
  names.push_back(plan_profile);
  return no_such("--profile: no profile", text, names);
}

Result<PlanReading> parse_reading(const std::string& text) {
  std::vector<std::string_view> names;
  for (const auto& [name, reading] : plan_readings) {
    if (name == text) return reading;
    names.push_back(name);
  }
  return no_such("--reading: no reading", text, names);
}

}  // namespace onceover::subjects
