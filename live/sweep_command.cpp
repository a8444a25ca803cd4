// `verify live --sweep` and `verify-mpi --sweep`: not a rank, but the process that starts runs of ranks.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/files.h"
#include "base/report_output.h"
#include "base/result.h"
#include "base/text.h"
#include "live/launcher.h"
#include "live/live_call.h"
#include "live/options.h"
#include "live/sweep.h"
#include "subjects/option_values.h"
#include "subjects/rank_list.h"
#include "subjects/run.h"

namespace onceover::live {

namespace {

/// What the command line asks for.
struct Asked {
  SweepOptions sweep;
  bool json = false;
  bool markdown = false;
  std::string json_out = {};
};

Result<std::vector<std::string>> collective_names(const std::string& text) {
  std::vector<std::string> list;
  for (const std::string_view name : split(text, ',')) {
    const auto rows = live_collectives();
    if (std::none_of(rows.begin(), rows.end(), [&](const LiveCollective& c) { return c.name == name; }))
      return usage_error(
          fmt::format("--collective: '{}' can't be swept; write allreduce, reduce, reduce-scatter, ..", name));
    list.emplace_back(name);
  }
  return list;
}

Result<std::string> program_for(const std::string& library) {
  const auto known = swept_libraries();
  if (std::find(known.begin(), known.end(), library) == known.end())
    return usage_error(fmt::format("--sweep: expected {}, found '{}'", fmt::join(known, ", "), library));
  const auto file = find_program("verify-mpi-" + library);
  if (!file) return usage_error(fmt::format("--sweep: no verify-mpi-{0}; it is built where {0} is found", library));
  if (!is_one_process(library) && !starter(library))
    return usage_error(fmt::format("--sweep: no mpirun of {} on the PATH", library));
  return *file;
}

Result<Asked> read(std::vector<std::string> words, const std::optional<std::vector<Rank>>& known_ranks) {
  TRY(refuse_old_names(words));
  Asked asked;
  std::string ranks = "2..8", collectives = "allreduce,reduce,reduce-scatter,reduce-scatter-block,allgather,bcast";
  std::string call_limit;
  asked.sweep.counts = "0,1,p-1,p,p+1,1000";
  CLI::App app("Make an MPI use each algorithm that it offers, and check what they compute.", "verify-mpi --sweep");
  app.add_option("--sweep", asked.sweep.library, "openmpi, mpich, simgrid or gloo")->type_name("LIBRARY")->required();
  app.add_option("--p", ranks, "Numbers of ranks (default: 2..8)")->type_name("LIST");
  app.add_option("--collective", collectives, "Names separated by commas")->type_name("LIST")->capture_default_str();
  app.add_option("--count", asked.sweep.counts, "As without --sweep")->type_name("LIST")->capture_default_str();
  app.add_option("--call-time-limit", call_limit,
                 "Give up when a call takes longer than this, or a run six times as long (default: 20s)")
      ->type_name("TIME");
  auto* json = app.add_flag("--json", asked.json, "Print the table as JSON, with the command of every row");
  app.add_flag("--markdown", asked.markdown, "Print the table as Markdown")->excludes(json);
  app.add_option("--json-out", asked.json_out, "Also write the table as JSON to this file")->type_name("FILE");
  try {
    std::reverse(words.begin(), words.end());  // the order that CLI11 takes
    app.parse(std::move(words));
  } catch (const CLI::Success& e) {
    app.exit(e);
    std::exit(0);
  } catch (const CLI::ParseError& e) {
    return usage_error(fmt::format("{}; see 'verify live --help'", e.what()));
  }
  if (!call_limit.empty()) {
    const int seconds = TRY(parse_seconds("--call-time-limit", call_limit));
    asked.sweep.seconds = seconds;
  }
  auto list = TRY(known_ranks ? Result<std::vector<Rank>>(*known_ranks) : parse_rank_list(ranks));
  asked.sweep.ranks = list;
  for (const Rank p : list) TRY(parse_counts(asked.sweep.counts, p));
  auto names = TRY(collective_names(collectives));
  asked.sweep.collectives = names;
  TRY(check_writable(asked.json_out));
  auto program = TRY(program_for(asked.sweep.library));
  asked.sweep.program = program;
  return asked;
}

}  // namespace

bool asks_for_sweep(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](std::string_view word) { return word == "--sweep" || word.substr(0, 8) == "--sweep="; });
}

Result<ExitCode> run_sweep(std::vector<std::string> words, const std::optional<std::vector<Rank>>& ranks) {
  const auto asked = TRY(read(std::move(words), ranks));
  const auto swept = TRY(sweep(asked.sweep));
  const std::string json = sweep_json(asked.sweep, swept).dump(2) + "\n";
  const std::string text = asked.json ? json : asked.markdown ? sweep_markdown(swept) : sweep_text(swept);
  const ExitCode code = exit_code(verdict_of(swept));
  const bool is_taken = is_standard_stream(asked.json_out);
  const ExitCode ends = after_output(code, is_taken ? Result<void>() : print(text));
  return asked.json_out.empty() ? ends : after_output(ends, write_text(asked.json_out, json));
}

}  // namespace onceover::live
