// `verify live --sweep`: not a rank, but the process that starts runs of ranks.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files.h"
#include "base/report_output.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "live/launcher.h"
#include "live/live_call.h"
#include "live/options.h"
#include "live/sweep.h"
#include "subjects/option_values.h"
#include "subjects/run.h"

namespace onceover::live {

namespace {

constexpr const char* usual_collectives = "allreduce,reduce,reduce-scatter,reduce-scatter-block,allgather,bcast";

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
  const auto file = find_program("verify-mpi-" + library);
  if (!file) return usage_error(fmt::format("--sweep: no verify-mpi-{0}; it is built where {0} is found", library));
  if (!is_one_process(library) && !starter(library))
    return usage_error(fmt::format("--sweep: no mpirun of {} on the PATH", library));
  return *file;
}

/// Refuses options of calls that a sweep doesn't take.
Result<void> refuse_others(const CallWords& calls) {
  constexpr std::array<std::string_view, 3> taken{"collective", "count", "call-time-limit"};
  for (const Setting& call : calls.given)
    if (!has(taken, call.name)) return usage_error(fmt::format("live: --{} does not go with --sweep", call.name));
  return {};
}

Result<SweepOptions> options_of(const SweepCommand& command) {
  if (command.json && command.markdown) return usage_error("--json excludes --markdown; see 'verify live --help'");
  const CallWords& calls = command.calls;
  TRY(refuse_others(calls));
  SweepOptions options{
      .library = command.library, .program = {}, .ranks = command.ranks, .counts = std::string(usual_counts)};
  if (calls.has("call-time-limit"))
    options.seconds = TRY(parse_seconds("--call-time-limit", calls.value("call-time-limit")));
  if (calls.has("count")) options.counts = calls.value("count");
  for (const Rank p : command.ranks) TRY(parse_counts(options.counts, p));
  options.collectives = TRY(collective_names(calls.has("collective") ? calls.value("collective") : usual_collectives));
  TRY(check_writable(command.json_out));
  options.program = TRY(program_for(command.library));
  return options;
}

}  // namespace

Result<ExitCode> run_sweep(const SweepCommand& command) {
  const auto options = TRY(options_of(command));
  const auto swept = TRY(sweep(options));
  const std::string json = sweep_json(options, swept).dump(2) + "\n";
  const std::string text = command.json ? json : command.markdown ? sweep_markdown(swept) : sweep_text(swept);
  const ExitCode code = exit_code(verdict_of(swept));
  const bool is_taken = is_standard_stream(command.json_out);
  const ExitCode ends = after_output(code, is_taken ? Result<void>() : print(text));
  return command.json_out.empty() ? ends : after_output(ends, write_text(command.json_out, json));
}

}  // namespace onceover::live
