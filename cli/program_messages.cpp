#include "cli/program_messages.h"

#include <fmt/format.h>

#include "base/result.h"
#include "cli/contention_report.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

ExitCode code_of(NoMessages::Kind kind) {
  switch (kind) {
    case NoMessages::Kind::none: return ExitCode::usage;
    case NoMessages::Kind::never_ends: return ExitCode::violated;
    case NoMessages::Kind::unknown: break;
  }
  return ExitCode::unknown;
}

Result<ProgramMessages> sendable(const Judgeable& program, const SubjectOptions& options) {
  auto steps = TRY(messages_of(program, options.tori));
  auto run = TRY(program.judge({.verify = briefly()}));
  run.header.shape = steps.schedule->header().shape;
  return ProgramMessages{std::move(run), std::move(steps.schedule), steps.block_bytes, program.kind().describes_gpus};
}

}  // namespace

NetworkOptions network_of(const NetworkOptions& network, const SubjectOptions& subject, bool is_of_gpus) {
  NetworkOptions chosen = network;
  if (is_of_gpus && !network.topology && subject.tori.empty()) chosen.topology = topology_choice("full");
  return chosen;
}

Result<Shape> shape_of(const std::vector<Shape>& tori, Rank ranks) {
  if (tori.empty()) return Shape{};
  if (tori.size() > 1) return usage_error("--torus: a program has its ranks; give one torus");
  const Shape& shape = tori.front();
  const Rank places = Request{.shape = shape}.ranks();
  if (places != ranks)
    return usage_error(fmt::format("--torus: {} has {} ranks, the program {}", torus_text(shape), places, ranks));
  return shape;
}

Failure no_messages(const Judgeable& program, const NoMessages& no) {
  return {code_of(no.kind), fmt::format("{}: {}", program.file(), no.why)};
}

Result<MessageSteps> messages_of(const Judgeable& program, const std::vector<Shape>& tori) {
  auto shape = TRY(shape_of(tori, program.ranks()));
  return program.messages(std::move(shape)).map_error([&](const NoMessages& no) { return no_messages(program, no); });
}

Result<void> check_mode_of_program(Mode mode) {
  if (mode == Mode::synchronous) return {};
  return usage_error(
      "--mode asynchronous: its ranks go on when a step's messages are in; a program's messages wait for what the "
      "program says, which only --mode synchronous stands for, by the steps that follow from it");
}

Result<Sendable> resolve_sendable(const SubjectOptions& options) {
  auto named = TRY(resolve(options, ProgramsOnTori::yes));
  if (!named.program) return Sendable{.schedules = std::move(named.schedules)};
  return Sendable{.program = TRY(sendable(*named.program, options))};
}

}  // namespace onceover::cli
