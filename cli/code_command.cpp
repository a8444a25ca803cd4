#include "cli/code_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/telling.h"
#include "base/try.h"
#include "base/words.h"
#include "cli/colors.h"
#include "code/code_run.h"
#include "formats/schedule_file.h"

namespace onceover::cli {

namespace {

using code::CodeRun;

/// The options of the calls, as verify-mpi would read them.
Result<live::Options> options_for(const CodeCommand& command, Rank ranks) {
  std::vector<std::string> words{"--collective", command.collective};
  words.insert(words.end(), command.passed_on.begin(), command.passed_on.end());
  if (command.json) words.emplace_back("--json");
  if (command.full) words.emplace_back("--full");
  return live::read_options(std::move(words), ranks);
}

Result<const live::LiveCollective*> collective_of(const std::string& name) {
  std::vector<std::string_view> known;
  for (const live::LiveCollective& c : live::live_collectives()) {
    if (c.name == name) return &c;
    known.push_back(c.name);
  }
  return usage_error(
      fmt::format("--collective: no '{}'{}; there are {}", name, suggestion(name, known), fmt::join(known, ", ")));
}

/// The one call whose schedule is to be written.
Result<void> write_recovered(const std::string& path, const std::vector<CodeRun>& runs) {
  if (runs.size() != 1) return usage_error("code: --schedule-out is for one number of ranks and one count");
  const auto& schedule = runs[0].schedule;
  if (!schedule) return tl::unexpected(Failure{ExitCode::unknown, "code: the call didn't come to its end"});
  if (!*schedule)
    return tl::unexpected(
        Failure{ExitCode::unknown, fmt::format("code: no schedule is written: {}", schedule->error())});
  return write_file(path, [&](std::FILE* file) { return write_schedule(*(*schedule)->schedule, file); });
}

code::Machine machine_for(const CodeCommand& command, Rank ranks, Rank on_host) {
  return {.ranks = ranks, .ranks_on_host = on_host == 0 ? ranks : on_host, .buffers_sends = !command.waits};
}

}  // namespace

Result<Rank> parse_hosts(const std::string& text) {
  if (text == "one") return 0;
  if (text == "each") return 1;
  const auto list = parse_rank_list(text);
  if (list && list->size() == 1) return list->front();
  return usage_error(fmt::format("--hosts: expected one, each or a number of ranks, found '{}'", text));
}

Result<ExitCode> run(const CodeCommand& command) {
  const std::vector<Rank> ranks = command.ranks ? command.ranks->value : *parse_rank_list("2..8");
  code::Sources sources = command.sources;
  sources.collective = TRY(collective_of(command.collective));
  if (command.numbers) sources.elements = code::Elements::numbers;
  const Rank on_host = TRY(command.ranks_on_host).value_or(1);
  for (const Rank p : ranks) TRY(options_for(command, p));
  TRY(check_writable(command.schedule_out));
  const code::Executable program = TRY(code::build(sources));
  std::vector<CodeRun> runs;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    Progress::say(k, ranks.size(), fmt::format("p = {}", ranks[k]));
    const live::Options options = TRY(options_for(command, ranks[k]));
    auto judged =
        TRY(code::run_code(program, machine_for(command, ranks[k], on_host), options, !command.schedule_out.empty()));
    std::move(judged.begin(), judged.end(), std::back_inserter(runs));
  }
  std::vector<live::LiveRun> judged;
  for (const CodeRun& each : runs) judged.push_back(each.judged);
  const std::string title =
      fmt::format("{} of {}, by {}", sources.function, fmt::join(sources.files, ", "), code::simulator_name());
  TRY(print(command.json ? live::live_json(title, judged).dump(2) + "\n"
                         : painted(live::live_text(title, judged, command.full))));
  const Verdict verdict = live::overall(judged);
  const ExitCode end = verdict == Verdict::pass   ? ExitCode::ok
                       : verdict == Verdict::fail ? ExitCode::violated
                                                  : ExitCode::unknown;
  if (command.schedule_out.empty()) return end;
  return after_output(end, write_recovered(command.schedule_out, runs));
}

}  // namespace onceover::cli
