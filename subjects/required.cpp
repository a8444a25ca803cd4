#include "subjects/required.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "formats/plan_file.h"
#include "formats/schedule_file.h"
#include "gpu/judge.h"
#include "subjects/judgeable.h"
#include "subjects/run.h"
#include "verifier/verify.h"

namespace onceover::subjects {

namespace {

Result<void> check_ids(std::string_view flag, const std::vector<std::string>& ids) {
  const auto known = mapped(properties(), &Property::id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end())
      return no_such(fmt::format("{}: no property", flag), id, known);
  return {};
}

/// Checks that no property is both required and waived.
Result<void> check_apart(const Requirements& asked) {
  for (const Property& p : properties())
    if (asks_for(asked.waived, p) && (asks_for(asked.required, p) || bound_of(p, asked.bounds)))
      return usage_error(fmt::format("{0}: either required or waived, not both", p.id));
  return {};
}

/// Checks that every required bound is given.
Result<void> check_bounds(const std::vector<std::string>& ids, const Bounds& bounds) {
  for (const Property& p : properties())
    if (p.bound && asks_for(ids, p) && !bound_of(p, bounds))
      return usage_error(
          fmt::format("--require {}: say {}, {} K, which requires it", p.id, p.bound->question, bound_flag(p)));
  return {};
}

/// The row of a property that GPU kernels are judged by; nothing for others.
std::optional<gpu::GpuProperty> gpu_row(const Property& p) {
  for (const gpu::GpuProperty& row : gpu::gpu_properties())
    if (row.property->id == p.id) return row;
  return std::nullopt;
}

/// Why such a subject can't be judged for the property; empty if it can.
std::string_view misfit(const Property& p, Form form) {
  if (form == Form::launch) return gpu_row(p) ? "" : "GPU kernels aren't judged by this";
  if (p.subjects == Subjects::messages && form != Form::program && form != Form::bare_program)
    return "this is about sends, which GOAL and code over MPI have";
  if (p.subjects == Subjects::messages) return "";
  if (p.subjects == Subjects::libraries) return "this is about running libraries; see verify live";
  if (p.subjects == Subjects::plans) return form == Form::plan ? "" : "this is about plans of MSCCL++";
  if (form == Form::schedule)
    return p.subjects == Subjects::programs ? "this is about programs; a schedule has steps" : "";
  const auto of_both = {well_formed_property.id, exactly_once_property.id, order_preserving_property.id,
                        bitwise_reproducible_property.id};
  if (p.subjects != Subjects::programs && std::find(of_both.begin(), of_both.end(), p.id) == of_both.end())
    return "this is about the steps of schedules, and a program has none";
  if (form == Form::plan && p.id == order_preserving_property.id) return "a plan's sums aren't judged by their order";
  const bool is_about_data = p.id != well_formed_property.id && p.id != deadlock_free_property.id;
  return is_about_data && form == Form::bare_program ? "GOAL doesn't say which data is moved" : "";
}

bool is_default(const Property& p, Form form) {
  if (form != Form::launch) return p.required_by_default && misfit(p, form).empty();
  const auto row = gpu_row(p);
  return row && row->is_required;
}

/// The properties that are required of such a subject.
bool is_any_required(const Requirements& asked, Form form) {
  return std::any_of(properties().begin(), properties().end(), [&](const Property& p) {
    return (is_default(p, form) && !asks_for(asked.waived, p)) || asks_for(asked.required, p) ||
           bound_of(p, asked.bounds);
  });
}

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

Form form_of(const Program& program) {
  return program.has_data ? Form::program : Form::bare_program;
}

Result<void> check_fit(const Requirements& asked, Form form) {
  if (form != Form::schedule && asked.bounds != Bounds())
    return usage_error(fmt::format("{} are about the steps of schedules; a program has none", bound_flags("and")));
  for (const Property& p : properties()) {
    const std::string_view why = misfit(p, form);
    const bool is_asked = asks_for(asked.required, p) || bound_of(p, asked.bounds);
    if (!why.empty() && is_asked) return usage_error(fmt::format("--require {}: {}", p.id, why));
    if (!asks_for(asked.waived, p) || is_default(p, form)) continue;
    return usage_error(fmt::format("--waive {}: {}", p.id, why.empty() ? "it isn't required unless asked for" : why));
  }
  if (is_any_required(asked, form)) return {};
  return usage_error(fmt::format("--waive {}: then nothing would be required", fmt::join(asked.waived, ",")));
}

Result<void> check_required(const Requirements& asked) {
  TRY(check_ids("--require", asked.required));
  TRY(check_ids("--waive", asked.waived));
  TRY(check_apart(asked));
  return check_bounds(asked.required, asked.bounds);
}

std::string explanation(const Property& property) {
  const std::string required = property.required_by_default ? "required" : "not required unless asked for";
  const std::string head = fmt::format("{} ({})\n{}\n\n{}\n\n", property.id, required, property.asks, property.matters);
  if (property.example.empty()) return head + fmt::format("{}\n", property.remedy);
  return head + fmt::format("A {} that violates it, {}:\n\n{}\n{}\n{}\n", kind_of(property), file_name(property),
                            property.example, judged_example(property), property.remedy);
}

}  // namespace onceover::subjects
