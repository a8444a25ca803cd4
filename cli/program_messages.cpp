#include "cli/program_messages.h"

#include <fmt/format.h>

#include "base/try.h"
#include "cli/contention_report.h"
#include "programs/message_steps.h"
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

Result<Sendable> messages_of(const Program& program, Verification run, const std::vector<Shape>& tori) {
  auto shape = TRY(shape_of(tori, program.ranks));
  run.header.shape = shape;
  auto steps = message_steps(program, std::move(shape));
  if (!steps) return tl::unexpected(Failure{ExitCode::violated, run.origin.text + ": " + steps.error()});
  return ProgramMessages{std::move(run), std::move(steps->schedule), steps->block_bytes};
}

Result<Sendable> sendable(std::vector<Subject> subjects, const SubjectOptions&) {
  return subjects;
}

Result<Sendable> sendable(const Program& program, const SubjectOptions& options) {
  return messages_of(program, judged(program, options.file, briefly()), options.tori);
}

Result<Sendable> sendable(const GoalFile& goal, const SubjectOptions& options) {
  if (const auto unclear = doubt(goal))
    return tl::unexpected(Failure{ExitCode::unknown, fmt::format("{}: {}", options.file, *unclear)});
  return messages_of(without_data(goal), judged(goal, options.file, briefly()), options.tori);
}

Result<Sendable> sendable(const ExecutionPlan&, const SubjectOptions& options) {
  return usage_error(options.file + ": the messages of MSCCL++ plans aren't known; 'verify' judges plans");
}

}  // namespace

Result<Sendable> resolve_sendable(const SubjectOptions& options) {
  auto named = TRY(resolve(options, ProgramsOnTori::yes));
  return std::visit([&](auto& what) { return sendable(std::move(what), options); }, named);
}

}  // namespace onceover::cli
