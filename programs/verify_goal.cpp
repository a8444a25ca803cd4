#include <fmt/format.h>

#include "base/sentences.h"
#include "programs/program_result.h"
#include "programs/verify_program.h"

namespace onceover::programs {

namespace {

/// Makes every property except well-formed unknown, for that reason.
void set_unknown(Report& report, const std::string& why) {
  for (PropertyResult& p : report.properties)
    if (p.id != well_formed_property.id) static_cast<Finding&>(p) = {Verdict::unknown, why};
}

/// Without operations everything holds, and nothing is shown.
void set_hollow(Report& report) {
  for (PropertyResult& p : report.properties)
    static_cast<Finding&>(p) = {Verdict::unknown, "there is no operation, so nothing is judged"};
}

/// Properties of data don't apply, and weigh only if the user asks for them.
void set_not_applicable(Report& report) {
  const std::string why = "not applicable: GOAL says who sends how much to whom, not which data";
  for (const Property* property :
       {&exactly_once_property, &race_free_property, &order_preserving_property, &bitwise_reproducible_property})
    if (PropertyResult* p = report.find(*property)) static_cast<Finding&>(*p) = {Verdict::unknown, why};
  if (report.find(exactly_once_property) == nullptr)
    report.properties.push_back({{Verdict::unknown, why}, exactly_once_property.id, false});
}

/// Does the program end if each send waits for its receiver? `by_bytes` is the report for sends as LogGOPSim has them.
Finding unbuffered(const GoalFile& goal, const Report& by_bytes, VerifyOptions options) {
  if (by_bytes.find(deadlock_free_property)->verdict == Verdict::fail)
    return {Verdict::unknown, "not judged: it doesn't end with the room that there is"};
  const auto smallest = by_bytes.program->fifo_depth;
  if (!smallest) return {Verdict::unknown, "not judged: it never ends, however many sends are buffered"};
  if (*smallest == 0) return {Verdict::pass, "ends if each send waits for its receiver"};
  options.fifo = 0;
  options.required.clear();
  return *verify(without_data(goal), options).find(deadlock_free_property);
}

void set_unbuffered(Report& report, Finding finding, bool is_required) {
  if (PropertyResult* known = report.find(unbuffered_property))
    static_cast<Finding&>(*known) = std::move(finding);
  else
    report.properties.push_back({std::move(finding), unbuffered_property.id, is_required});
}

/// How much room sends have: "sends buffered or not", "room for 2 messages".
std::string buffering_text(const GoalFile& goal, const Report& report, const VerifyOptions& options) {
  if (report.find(unbuffered_property)->verdict == Verdict::pass) return "sends buffered or not";
  const auto room = options.fifo ? options.fifo : goal.program.guarantees.fifo;
  if (!room) return "sends buffered";
  return *room == 0 ? "no send buffered" : fmt::format("room for {} of each tag", counted(*room, "message"));
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
        "not judged: {} receives from any rank or any tag, so which message it takes depends on the timing",
        place(goal.wildcards.front()));
  if (goal.ambiguity)
    return fmt::format(
        "not judged: {} and {} have the same peer and tag, and nothing orders them, so which message goes "
        "where depends on the timing",
        place(goal.ambiguity->first), place(goal.ambiguity->second));
  if (goal.is_too_large) return "not judged: it would take too long to tell in which order messages of one tag go";
  return std::nullopt;
}

Report verify(const GoalFile& goal, const VerifyOptions& options) {
  const auto unclear = doubt(goal);
  const bool has_data = goal.program.has_data;
  Report by_bytes = verify(without_data(goal), options);
  Report report = has_data && goal.wildcards.empty() ? verify(goal.program, options) : by_bytes;
  PropertyResult* deadlock = report.find(deadlock_free_property);
  const PropertyResult* deadlock_by_bytes = by_bytes.find(deadlock_free_property);
  if (deadlock_by_bytes->verdict == Verdict::fail && deadlock->verdict != Verdict::fail) *deadlock = *deadlock_by_bytes;
  report.program->has_data = has_data;
  report.program->threads = 0;
  set_unbuffered(report, unbuffered(goal, by_bytes, options), asks_for(options.required, unbuffered_property));
  if (!has_data) {
    report.scope = "every operation";
    set_not_applicable(report);
    if (goal.program.operations.empty()) set_hollow(report);
  }
  report.scope += ", " + buffering_text(goal, report, options);
  report.not_tried = {has_data ? "whether messages have the data that the comments name"
                               : "the data, of which the file says nothing"};
  if (has_data && report.find(exactly_once_property) == nullptr)
    report.properties.push_back(result_on(exactly_once_property, {Verdict::unknown, "not judged"}, options));
  if (unclear) set_unknown(report, *unclear);
  if (unclear && !has_data) set_not_applicable(report);
  report.verdict = required_verdict(report.properties);
  return report;
}

}  // namespace onceover::programs
