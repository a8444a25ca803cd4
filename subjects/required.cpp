#include "subjects/required.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "base/rows.h"
#include "base/try.h"
#include "gpu/judge.h"

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

}  // namespace

Form form_of(const Program& program) {
  return program.has_data ? Form::program : Form::bare_program;
}

Result<void> check_fit(const Requirements& asked, Form form) {
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

}  // namespace onceover::subjects
