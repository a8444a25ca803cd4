#include "programs/verify_goal.h"

#include <fmt/format.h>

#include <algorithm>

#include "programs/program_result.h"
#include "programs/verify_program.h"

namespace onceover::programs {

namespace {

PropertyResult* find(Report& report, const Property& property) {
  const auto found = std::find_if(report.properties.begin(), report.properties.end(),
                                  [&](const PropertyResult& p) { return p.id == property.id; });
  return found == report.properties.end() ? nullptr : &*found;
}

/// Everything but well-formed is unknown, for that reason.
void set_unknown(Report& report, const std::string& why) {
  for (PropertyResult& p : report.properties)
    if (p.id != well_formed_property.id) static_cast<Finding&>(p) = {Verdict::unknown, why};
}

/// What is about data doesn't apply, and weighs only if it was asked for.
void set_not_applicable(Report& report) {
  const std::string why = "not applicable: GOAL says who sends how much to whom, not which data";
  for (const Property* property :
       {&exactly_once_property, &race_free_property, &order_preserving_property, &bitwise_reproducible_property})
    if (PropertyResult* p = find(report, *property)) static_cast<Finding&>(*p) = {Verdict::unknown, why};
  if (find(report, exactly_once_property) == nullptr)
    report.properties.push_back({{Verdict::unknown, why}, exactly_once_property.id, false});
}

void sum_up(Report& report) {
  auto any = [&](Verdict verdict) {
    return std::any_of(report.properties.begin(), report.properties.end(),
                       [&](const PropertyResult& p) { return p.required && p.verdict == verdict; });
  };
  report.verdict = any(Verdict::fail) ? Verdict::fail : any(Verdict::unknown) ? Verdict::unknown : Verdict::pass;
}

}  // namespace

Program without_data(const GoalFile& goal) {
  Program program = goal.program;
  program.has_data = false;
  for (Operation& operation : program.operations) {
    operation.source.count = operation.target.count = 0;
    const bool has_message = sends(operation.instruction) || receives(operation.instruction);
    if (!has_message || operation.is_part) operation.instruction = Instruction::wait;
    operation.is_part = false;
  }
  for (const OperationId id : goal.wildcards)
    program.operations[static_cast<std::size_t>(id)].instruction = Instruction::wait;
  return program;
}

std::optional<std::string> doubt(const GoalFile& goal) {
  auto place = [&](OperationId id) { return place_text(goal.program, id); };
  if (!goal.wildcards.empty())
    return fmt::format(
        "not judged: {} receives from any rank or any tag, so which message it takes depends on the time",
        place(goal.wildcards.front()));
  if (goal.ambiguity)
    return fmt::format(
        "not judged: {} and {} have the same peer and tag, and nothing orders them, so which message goes "
        "where depends on the time",
        place(goal.ambiguity->first), place(goal.ambiguity->second));
  if (goal.is_too_large) return "not judged: it would take too long to tell in which order messages of one tag go";
  return std::nullopt;
}

Report verify(const GoalFile& goal, const VerifyOptions& options) {
  const auto unclear = doubt(goal);
  const bool has_data = goal.program.has_data;
  Report by_bytes = verify(without_data(goal), options);
  Report report = has_data && goal.wildcards.empty() ? verify(goal.program, options) : by_bytes;
  PropertyResult* deadlock = find(report, deadlock_free_property);
  const PropertyResult* deadlock_by_bytes = find(by_bytes, deadlock_free_property);
  if (deadlock_by_bytes->verdict == Verdict::fail && deadlock->verdict != Verdict::fail) *deadlock = *deadlock_by_bytes;
  report.program->has_data = has_data;
  report.program->threads = 0;
  if (!has_data) {
    report.scope = "every operation";
    set_not_applicable(report);
  }
  if (has_data && find(report, exactly_once_property) == nullptr)
    report.properties.push_back({{Verdict::unknown, "not judged"}, exactly_once_property.id, true});
  if (unclear) set_unknown(report, *unclear);
  if (unclear && !has_data) set_not_applicable(report);
  sum_up(report);
  return report;
}

}  // namespace onceover::programs
