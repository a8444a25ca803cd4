#include "cli/program_messages.h"

#include <fmt/format.h>

#include "base/try.h"
#include "cli/contention_report.h"
#include "programs/message_steps.h"
#include "programs/plan_messages.h"
#include "programs/verify_goal.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

/// The shape that --torus gives the program's ranks; empty: a line.
Result<Shape> shape_of(const std::vector<Shape>& tori, Rank ranks) {
  if (tori.empty()) return Shape{};
  if (tori.size() > 1) return usage_error("--torus: a program has its ranks; give one torus");
  const Shape& shape = tori.front();
  const Rank places = Request{.shape = shape}.ranks();
  if (places != ranks)
    return usage_error(fmt::format("--torus: {} has {} ranks, the program {}", torus_text(shape), places, ranks));
  return shape;
}

tl::unexpected<Failure> failure_of(const std::string& why, const SubjectOptions& options, ExitCode code) {
  return tl::unexpected(Failure{code, fmt::format("{}: {}", options.file, why)});
}

Result<Sendable> sendable(std::vector<Subject> subjects, const SubjectOptions&) {
  return subjects;
}

/// `program` is a Program, a GoalFile or an ExecutionPlan.
template <class AnyProgram>
Result<Sendable> sendable(const AnyProgram& program, const SubjectOptions& options) {
  auto steps = TRY(messages_of(program, options));
  auto run = judged(program, options.file, briefly());
  run.header.shape = steps.schedule->header().shape;
  return ProgramMessages{std::move(run), std::move(steps.schedule), steps.block_bytes, describes_gpus<AnyProgram>};
}

}  // namespace

NetworkOptions network_of(const NetworkOptions& network, const SubjectOptions& subject, bool is_of_gpus) {
  NetworkOptions chosen = network;
  if (is_of_gpus && !network.topology && subject.tori.empty()) chosen.topology = topology_choice("full");
  return chosen;
}

Result<MessageSteps> messages_of(const Program& program, const SubjectOptions& options) {
  auto shape = TRY(shape_of(options.tori, program.ranks));
  auto steps = message_steps(program, std::move(shape));
  if (!steps) return failure_of(steps.error(), options, ExitCode::violated);
  return *std::move(steps);
}

Result<MessageSteps> messages_of(const GoalFile& goal, const SubjectOptions& options) {
  if (const auto unclear = doubt(goal)) return failure_of(*unclear, options, ExitCode::unknown);
  return messages_of(without_data(goal), options);
}

Result<MessageSteps> messages_of(const ExecutionPlan& plan, const SubjectOptions& options) {
  auto shape = TRY(shape_of(options.tori, static_cast<Rank>(plan.gpus.size())));
  auto steps = message_steps(plan, std::move(shape));
  if (!steps)
    return failure_of(steps.error().why, options, steps.error().never_ends ? ExitCode::violated : ExitCode::unknown);
  return *std::move(steps);
}

Result<void> check_mode_of_program(Mode mode) {
  if (mode == Mode::synchronous) return {};
  return usage_error(
      "--mode asynchronous: its ranks go on when a step's messages are in; a program's messages wait for what the "
      "program says, which only --mode synchronous stands for, by the steps that follow from it");
}

Result<Sendable> resolve_sendable(const SubjectOptions& options) {
  auto named = TRY(resolve(options, ProgramsOnTori::yes));
  return std::visit([&](auto& what) { return sendable(std::move(what), options); }, named);
}

}  // namespace onceover::cli
