#include "live/mpi/sweep_main.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string_view>

#include "cli/files.h"
#include "cli/interrupts.h"
#include "cli/rank_list.h"
#include "live/launcher.h"
#include "live/live_call.h"
#include "live/mpi/options.h"
#include "live/sweep.h"

namespace onceover::live {

namespace {

using cli::ExitCode;
using cli::Result;
using cli::usage_error;

/// What the command line asks for.
struct Asked {
  SweepOptions sweep;
  bool json = false;
  bool markdown = false;
  std::string json_out = {};
};

Result<std::vector<std::string>> collective_names(const std::string& text) {
  std::vector<std::string> list;
  for (const std::string& name : CLI::detail::split(text, ',')) {
    const auto rows = live_collectives();
    if (std::none_of(rows.begin(), rows.end(), [&](const LiveCollective& c) { return c.name == name; }))
      return usage_error(
          fmt::format("--collective: '{}' can't be swept; write allreduce, reduce, reduce-scatter, ..", name));
    list.push_back(name);
  }
  if (list.empty()) return usage_error("--collective: expected names separated by commas");
  return list;
}

Result<std::string> program_for(const std::string& library) {
  if (library != "openmpi" && library != "mpich")
    return usage_error(fmt::format("--sweep: expected openmpi or mpich, found '{}'", library));
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::string file = (here / ("verify-mpi-" + library)).string();
  if (access(file.c_str(), X_OK) != 0)
    return usage_error(fmt::format("--sweep: no {}; it is built where {} is found", file, library));
  if (!starter(library)) return usage_error(fmt::format("--sweep: no mpirun of {} on the PATH", library));
  return file;
}

Result<Asked> read(int argc, char** argv) {
  Asked asked;
  std::string ranks = "2..8", collectives = "allreduce,reduce,reduce-scatter,reduce-scatter-block,allgather,bcast";
  asked.sweep.counts = "0,1,p-1,p,p+1,1000";
  CLI::App app("Runs each algorithm that a library offers, and judges what it computes", "verify-mpi --sweep");
  app.add_option("--sweep", asked.sweep.library, "openmpi or mpich")->type_name("LIBRARY")->required();
  app.add_option("--p", ranks, "Numbers of ranks [2..8]")->type_name("LIST");
  app.add_option("--collective", collectives, "Names separated by commas")->type_name("LIST")->capture_default_str();
  app.add_option("--count", asked.sweep.counts, "As without --sweep")->type_name("LIST")->capture_default_str();
  app.add_option("--call-limit", asked.sweep.seconds,
                 "Seconds that a call may take; a run may take six times that [20]")
      ->type_name("S")
      ->check(CLI::Range(1, 3600));
  app.add_flag("--json", asked.json, "Print the table as JSON, with the command of every row");
  app.add_flag("--markdown", asked.markdown, "Print the table as Markdown");
  app.add_option("--json-out", asked.json_out, "Write the table as JSON, too")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    std::exit(0);
  } catch (const CLI::ParseError& e) {
    return usage_error(fmt::format("{}; see 'verify-mpi --sweep --help'", e.what()));
  }
  auto program = program_for(asked.sweep.library);
  if (!program) return tl::unexpected(program.error());
  asked.sweep.program = *program;
  auto list = cli::parse_rank_list(ranks);
  if (!list) return tl::unexpected(list.error());
  asked.sweep.ranks = *list;
  for (const Rank p : *list)
    if (auto counts = parse_counts(asked.sweep.counts, p); !counts) return tl::unexpected(counts.error());
  auto names = collective_names(collectives);
  if (!names) return tl::unexpected(names.error());
  asked.sweep.collectives = *names;
  return asked;
}

/// A line for each run, for a person who waits.
void show_progress(const SweepRow& row) {
  if (isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "\r\033[K{} {}, p = {}", row.choice.collective, row.choice.algorithm, row.ranks);
}

}  // namespace

bool asks_for_sweep(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](std::string_view word) { return word == "--sweep" || word.substr(0, 8) == "--sweep="; });
}

Result<ExitCode> run_sweep(int argc, char** argv) {
  const auto asked = read(argc, argv);
  if (!asked) return tl::unexpected(asked.error());
  cli::handle_interrupts();
  const auto rows = sweep(asked->sweep, show_progress);
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
  if (!rows) return tl::unexpected(rows.error());
  const std::string json = sweep_json(asked->sweep, *rows).dump(2) + "\n";
  fmt::print("{}", asked->json ? json : asked->markdown ? sweep_markdown(*rows) : sweep_text(*rows));
  if (!asked->json_out.empty())
    if (auto written = cli::write_text(asked->json_out, json); !written) return tl::unexpected(written.error());
  return all_pass(*rows) ? ExitCode::ok : ExitCode::violated;
}

}  // namespace onceover::live
