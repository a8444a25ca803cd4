#include "subjects/explanation.h"

#include <fmt/format.h>

#include "formats/plan_file.h"
#include "formats/schedule_file.h"
#include "subjects/judgeable.h"
#include "subjects/run.h"
#include "verifier/verify.h"

namespace onceover::subjects {

namespace {

std::string_view file_name(const Property& property) {
  return property.subjects == Subjects::programs ? "example.xml" : "example.json";
}

std::string_view kind_of(const Property& property) {
  if (property.subjects == Subjects::plans) return "plan";
  return property.subjects == Subjects::programs ? "program" : "schedule";
}

/// Is the property's example a plan whose collective doesn't say what its data must be?
bool is_without_data(const Property& property) {
  return property.subjects == Subjects::plans && !has_postcondition(*read_plan(file_name(property), property.example));
}

/// The output of `verify` for the property's example, a program.
std::string judged_program(const Property& property) {
  const std::string file(file_name(property));
  const auto content = parse_file(file, std::string(property.example));
  if (!content) throw std::logic_error(content.error().message);
  const VerifyOptions options{.without_data = is_without_data(property)};
  return fmt::format("$ verify {}{}\n{}", file, options.without_data ? " --collective none" : "",
                     text_report({*content->program->judge({.verify = options})}, false));
}

/// The output of `verify` for the property's example, with a bound of 1 if the property takes one.
std::string judged_example(const Property& property) {
  if (property.subjects == Subjects::programs || property.subjects == Subjects::plans) return judged_program(property);
  const std::string file(file_name(property));
  const auto schedule = read_schedule(file, property.example);
  if (!schedule) throw std::logic_error(schedule.error().render());
  VerifyOptions options{.threads = 1, .required = {std::string(property.id)}};
  std::string flags = property.required_by_default ? "" : fmt::format(" --require {}", property.id);
  if (property.bound) {
    options.bounds.*property.bound->number = 1;
    flags = fmt::format(" {} 1", bound_flag(property));
  }
  const Verification run{Origin(Origin::Kind::file, file), (*schedule)->header(), verify(**schedule, options), {}, {}};
  return fmt::format("$ verify {}{}\n{}", file, flags, text_report({run}, false));
}

}  // namespace

std::string explanation(const Property& property) {
  const std::string required = property.required_by_default ? "required" : "not required unless asked for";
  const std::string head = fmt::format("{} ({})\n{}\n\n{}\n\n", property.id, required, property.asks, property.matters);
  if (property.example.empty()) return head + fmt::format("{}\n", property.remedy);
  return head + fmt::format("A {} that violates it, {}:\n\n{}\n{}\n{}\n", kind_of(property), file_name(property),
                            property.example, judged_example(property), property.remedy);
}

}  // namespace onceover::subjects
