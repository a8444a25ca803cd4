#include "subjects/run.h"

#include <fmt/format.h>

#include "base/sentences.h"
#include "formats/msccl_profile.h"
#include "gpu/description_judge.h"
#include "proofs/theorem.h"
#include "subjects/measures.h"

namespace onceover::subjects {

namespace {

/// A line that says for which runtime the verdict is.
std::string runtime_text(const Runtime& runtime) {
  if (runtime.is_chosen) return fmt::format("  judged for {}\n", text(runtime));
  if (is_alike_on_all(runtime))
    return fmt::format("  judged for {}, for which all profiles guarantee the same\n", runtime.protocol);
  return fmt::format("  judged for {}, which guarantees least of all profiles (--profile)\n", text(runtime));
}

}  // namespace

std::string subject_text(const Verification& run) {
  if (run.launches) return run.origin.text;
  if (run.report.program && !run.report.program->has_data) return run.origin.text;
  const bool has_own = run.report.program && !run.report.program->collective.empty();
  const std::string_view collective = has_own ? run.report.program->collective : name(run.header.collective);
  const std::string what =
      run.header.algorithm.empty() ? std::string(collective) : fmt::format("{} {}", run.header.algorithm, collective);
  switch (run.origin.kind) {
    case Origin::Kind::catalogue: return what;
    case Origin::Kind::file:
    case Origin::Kind::command: return fmt::format("{} ({})", run.origin.text, what);
    case Origin::Kind::formula: return fmt::format("peer {} ({})", run.origin.text, what);
  }
  return what;
}

std::string scope_of(const Verification& run) {
  return run.as.empty() ? run.report.scope : fmt::format("{}; {}", run.report.scope, run.as);
}

Verdict Verification::verdict() const {
  Verdict all = report.verdict;
  for (const JudgedLimit& limit : limits) all = worse(all, limit.finding.verdict);
  return all;
}

std::string headline(const PropertyResult& p) {
  return fmt::format("{}: {}", p.id, p.counterexample ? describe(*p.counterexample).front() : p.summary);
}

ExitCode exit_code(Verdict verdict) {
  return verdict == Verdict::pass ? ExitCode::ok : verdict == Verdict::fail ? ExitCode::violated : ExitCode::unknown;
}

Verdict overall(std::span<const Verification> runs) {
  Verdict all = Verdict::pass;
  for (const Verification& run : runs) all = worse(all, run.verdict());
  return all;
}

Verification unfinished_run(const Subject& subject, const std::string& why) {
  Report report{.verdict = Verdict::unknown, .scope = "nothing", .properties = {}, .metrics = {}};
  for (const Property& p : schedule_properties())
    report.properties.push_back({{Verdict::unknown, why}, p.id, p.required_by_default});
  Header header = subject.known;
  header.ranks = subject.ranks;
  header.shape = subject.shape;
  return {subject.origin, std::move(header), std::move(report), {}, {}};
}

Verification failed_run(const Subject& subject, Failure failure) {
  Verification run = unfinished_run(subject, failure.message);
  run.failure = std::move(failure);
  return run;
}

std::string shape_of(const Verification& run) {
  if (run.launches) return gpu::shapes_text(run.launches->report);
  const Header& h = run.header;
  const std::string shape = shape_text(h.sides());
  return h.lanes == 1 ? shape : fmt::format("{}, {} lanes", shape, h.lanes);
}

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
