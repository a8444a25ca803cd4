#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_types.h"
#include "programs/verify_goal.h"
#include "programs/verify_plan.h"
#include "programs/verify_program.h"
#include "subjects/measures.h"
#include "subjects/run.h"

namespace onceover::subjects {

Header header_of(const Program& program) {
  return {.collective = program.collective,
          .ranks = program.ranks,
          .blocks = program.chunks,
          .root = program.root,
          .algorithm = program.name};
}

Verification judged(const Program& program, const std::string& file, const VerifyOptions& options) {
  Verification run{Origin(Origin::Kind::file, file), header_of(program), verify(program, options), {}, {}};
  run.runtime = program.runtime;
  for (const std::string& note : program.notes) run.notes.push_back({"program", note});
  return run;
}

namespace {

/// The line of a send that must be buffered, so that the program ends; 0 if none must.
std::uint32_t buffered_line(const GoalFile& goal, const Report& report) {
  const PropertyResult* unbuffered = report.find(unbuffered_property);
  const bool ends = report.find(deadlock_free_property)->verdict == Verdict::pass;
  if (!ends || unbuffered == nullptr || unbuffered->verdict != Verdict::fail) return 0;
  for (const Counterexample::Site& site : unbuffered->counterexample->facts().sites)
    for (const Operation& o : goal.program.operations)
      if (o.rank == site.rank && o.thread == site.thread && o.number == site.number && sends(o.instruction))
        return o.line;
  return 0;
}

}  // namespace

Verification judged(const GoalFile& goal, const std::string& file, const VerifyOptions& options) {
  std::vector<Note> notes;
  if (!options.fifo && goal.program.guarantees.fifo == 0)
    notes.push_back({"rendezvous", fmt::format("a message has more than {} bytes, which LogGOPSim sends only when its "
                                               "receiver is there; so must all (--fifo 1: none)",
                                               goal_eager_bytes)});
  Verification run{
      Origin(Origin::Kind::file, file), header_of(goal.program), verify(goal, options), std::move(notes), {}};
  if (const auto line = buffered_line(goal, run.report); line > 0)
    run.report.scope += fmt::format("; relies on buffering: {}:{}", file, line);
  if (!goal.program.has_data)
    run.notes.push_back(
        {"data", "GOAL says who sends how much to whom, not which data: exactly-once is not applicable"});
  return run;
}

Verification judged(const ExecutionPlan& plan, const std::string& file, const VerifyOptions& options) {
  const auto known = msccl_collective(plan.collective);
  const Buffers& chunks = plan.gpus.front().chunks;
  const Header header{.collective = known.value_or(Collective::allreduce),
                      .ranks = static_cast<Rank>(plan.gpus.size()),
                      .blocks = std::max(chunks.input, chunks.output),
                      .algorithm = plan.name};
  Verification run{Origin(Origin::Kind::file, file), header, verify(plan, options), {}, {}};
  if (!known) run.report.program->collective = plan.collective;
  for (const std::string& note : plan.notes) run.notes.push_back({"program", note});
  return run;
}

namespace {

/// A line that says for which runtime the verdict is.
std::string runtime_text(const Runtime& runtime) {
  if (runtime.is_chosen) return fmt::format("  judged for {}\n", text(runtime));
  if (is_alike_on_all(runtime))
    return fmt::format("  judged for {}, for which all profiles guarantee the same\n", runtime.protocol);
  return fmt::format("  judged for {}, which guarantees least of all profiles (--profile)\n", text(runtime));
}

}  // namespace

std::string program_headline(const Verification& run) {
  const ProgramMetrics& m = *run.report.program;
  const std::uint64_t moved = run.report.metrics.block_transfers;
  if (!m.has_data)
    return fmt::format("{}, p = {}: {}, {}, {}\n", subject_text(run), run.header.ranks,
                       counted(m.operations, "operation"), counted(run.report.metrics.messages, "message"),
                       counted(moved, "byte"));
  const std::string runtime = run.runtime ? runtime_text(*run.runtime) : "";
  const std::string threads = m.threads == 0 ? "" : " in " + counted(m.threads, "thread block");
  return fmt::format("{}, p = {}: {}{}, {}, {}\n{}", subject_text(run), run.header.ranks,
                     counted(m.operations, "operation"), threads, counted(run.report.metrics.messages, "message"),
                     counted(moved, "chunk transfer"), runtime);
}

std::string program_metrics_text(const Verification& run) {
  const Metrics& m = run.report.metrics;
  const ProgramMetrics& p = *run.report.program;
  if (!p.has_data)
    return fmt::format("  bytes sent by a rank   {} to {}\n  messages in a row      at most {}\n", m.blocks_sent_min,
                       m.blocks_sent_max, p.rounds);
  return fmt::format(
      "  chunks sent by a rank  {} to {}, of {}\n"
      "  connections            {}\n"
      "{}"
      "  depth of a sum         {}\n",
      m.blocks_sent_min, m.blocks_sent_max, run.header.blocks, p.connections,
      is_of_plan(run.report) ? "" : fmt::format("  messages in a row      at most {}\n", p.rounds), m.term_depth);
}

Json program_json(const Verification& run) {
  const Metrics& m = run.report.metrics;
  const ProgramMetrics& p = *run.report.program;
  if (!p.has_data)
    return {{"operations", p.operations},          {"messages", m.messages},
            {"bytes", m.block_transfers},          {"bytes_sent_max", m.blocks_sent_max},
            {"bytes_sent_min", m.blocks_sent_min}, {"messages_in_a_row", p.rounds}};
  Json json{{"operations", p.operations},           {"thread_blocks", p.threads},
            {"connections", p.connections},         {"messages", m.messages},
            {"chunk_transfers", m.block_transfers}, {"chunks_sent_max", m.blocks_sent_max},
            {"chunks_sent_min", m.blocks_sent_min}};
  const bool is_plan = is_of_plan(run.report);
  if (!is_plan) json["messages_in_a_row"] = p.rounds;
  json["term_depth"] = m.term_depth;
  if (!is_plan) json["fifo_depth"] = p.fifo_depth ? Json(*p.fifo_depth) : Json(nullptr);
  return json;
}

}  // namespace onceover::subjects
