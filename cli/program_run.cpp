#include <fmt/format.h>

#include <charconv>

#include "cli/run.h"
#include "verifier/verify_program.h"

namespace onceover::cli {

Header header_of(const Program& program) {
  return {.collective = program.collective,
          .ranks = program.ranks,
          .blocks = program.chunks,
          .root = program.root,
          .algorithm = program.name};
}

Run judged(const Program& program, const std::string& file, const VerifyOptions& options) {
  Run run{Origin(Origin::Kind::file, file), header_of(program), verify(program, options), {}, {}};
  for (const std::string& note : program.notes) run.notes.push_back({"program", note});
  return run;
}

std::string program_headline(const Run& run) {
  const ProgramMetrics& m = *run.report.program;
  auto counted = [](std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  return fmt::format("{}, p = {}: {} in {}, {}, {}\n", subject_text(run), run.header.ranks,
                     counted(m.operations, "operation"), counted(m.threads, "thread block"),
                     counted(run.report.metrics.messages, "message"),
                     counted(run.report.metrics.block_transfers, "chunk transfer"));
}

std::string program_metrics_text(const Run& run) {
  const Metrics& m = run.report.metrics;
  const ProgramMetrics& p = *run.report.program;
  return fmt::format(
      "  chunks sent by a rank  {} to {}, of {}\n"
      "  connections            {}\n"
      "  messages in a row      at most {}\n"
      "  depth of a sum         {}\n",
      m.blocks_sent_min, m.blocks_sent_max, run.header.blocks, p.connections, p.rounds, m.term_depth);
}

nlohmann::ordered_json program_json(const Run& run) {
  const Metrics& m = run.report.metrics;
  const ProgramMetrics& p = *run.report.program;
  nlohmann::ordered_json json{{"operations", p.operations},
                              {"thread_blocks", p.threads},
                              {"connections", p.connections},
                              {"messages", m.messages},
                              {"chunk_transfers", m.block_transfers},
                              {"chunks_sent_max", m.blocks_sent_max},
                              {"chunks_sent_min", m.blocks_sent_min},
                              {"messages_in_a_row", p.rounds},
                              {"term_depth", m.term_depth}};
  json["fifo_depth"] = p.fifo_depth ? nlohmann::ordered_json(*p.fifo_depth) : nlohmann::ordered_json(nullptr);
  return json;
}

}  // namespace onceover::cli
