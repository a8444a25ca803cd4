// The table of commands: what users may write after each.
//
// A command is a struct of values, a `describe` that binds an option to each of them, and a `run`. A row of the table
// names them, says what the command is for and has three examples. Help, completion and the manual page are made from
// the rows. schedule_options.cpp describes the options of commands that are about one schedule.
//
// Example: `verify cost --p 2^3`. The row makes a CostCommand; `describe` has bound --p to a field of it and to the
// parser of lists of ranks; CLI11 reads the line; run(CostCommand) finds the list with one number, 8.
//
// A text is parsed once, when the line is read. The first mistake is reported before the command runs. O(options).

#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/progress.h"
#include "base/rows.h"
#include "base/try.h"
#include "cli/colors.h"
#include "cli/command_line.h"
#include "cli/shared_options.h"
#include "cli/unfinished.h"
#include "subjects/input_kind.h"

namespace onceover::cli {

void describe(const CommandApp& app, ListCommand& command) {
  app.group(subject_group);
  app.add_parsed("NAME", command.row, parse_listed, "The algorithm to describe");
  app->add_flag("--as-printed", command.as_printed, "Also list the algorithms that are wrong as a paper prints them");
  app.group(output_group);
  add_json(app, command.json);
}

void describe(const CommandApp& app, ExplainCommand& command) {
  app.group(subject_group);
  app.add_parsed("ID", command.property, parse_explained, "The property: exactly-once, ports, ..")->required();
}

void describe(const CommandApp& app, ProveCommand& command) {
  app.group(subject_group);
  app.add_parsed("THEOREM", command.theorem, parse_theorem, "The theorem to prove; 'verify prove' alone lists them");
  SubjectOptions& subject = command.subject;
  app.add_parsed("--algo NAME", subject.algorithms, parse_algorithms,
                 "Prove the theorems that algorithms of the catalogue rest on, of one or several: a,b");
  app->add_flag("--all", command.all, "Prove all theorems");
  app.add_parsed("--peer FORMULA", subject.peer, parse_peer,
                 "Prove your own algorithm, a formula for the peer of rank r in step s, for every p");
  for (const char* name : {"peer-steps", "odd"})
    app.add(*row_with(subject_options(), &Option<SubjectOptions>::name, name), subject);
  app.add_parsed("--p LIST", subject.ranks, parse_ranks,
                 "Prove --peer for these numbers of ranks only, by bit-vectors: 7, 2..64");
  app.group("Solvers");
  app.add_parsed("--solver LIST", command.solvers, parse_solvers, "The solvers that must agree: z3 or z3,cvc5")
      ->default_str("z3");
  app.group(output_group);
  app->add_flag("--full", command.full, "Print every obligation");
  add_json(app, command.json);
  app.add_option("--emit-smt2 DIR", command.smt2_folder, "Write the solvers' queries into this folder, as SMT-LIB 2");
  app.add_option("--emit-coq DIR", command.coq_folder,
                 "Write all obligations into this folder, for coqc; with --peer, the formula's proof");
}

void describe(const CommandApp& app, BoundCommand& command) {
  app.group(subject_group);
  app.add_parsed("--p P", command.ranks, parse_ranks, "The number of ranks: 7, 2^10");
  add_tori(app, command.tori, "Ranks on a torus with these sides: 8x8, 4x6x2");
  app.add_parsed("--collective NAME", command.collective, parse_collective,
                 "allreduce, allgather, reduce-scatter, broadcast or reduce (default: allreduce)");
  app.add_parsed("--root R", command.root, parse_root, "The root of a broadcast or reduce (default: 0)");
  add_network(app, command.network);
  app.group(output_group);
  add_json(app, command.json);
  app.group(limits_group);
  add_flow_budget(app, command.budget);
}

void describe(const CommandApp& app, OptimumCommand& command) {
  const auto add_number = [&](const char* flag, std::optional<std::uint64_t>& number, const char* about) {
    app->add_option(flag, number, about)->type_name("N")->check(whole_number);
  };
  app.group(subject_group);
  app.add_parsed("--p P", command.ranks, parse_ranks, "The number of ranks: 5");
  add_tori(app, command.tori, "Ranks on a torus with these sides, which send to neighbours only: 2x3");
  app.add_parsed("--collective NAME", command.collective, parse_collective,
                 "What the schedule is to do (default: allreduce; with --group reduce-scatter)");
  app.add_parsed("--root R", command.root, parse_root, "The root of a rooted collective (default: 0)");
  add_number("--steps", command.steps, "Is there a schedule with this many steps or fewer? (default: find the least)");
  add_number("--ports", command.ports, "Messages that a rank sends at most, and receives, in a step (default: 1)");
  add_number("--volume", command.volume, "Blocks that a rank sends at most, in all steps (default: any number)");
  add_number("--blocks", command.blocks,
             "The number of blocks (default: 1 for each rank; 1 in all for allreduce, broadcast and reduce without "
             "--volume)");
  app.add_parsed(
      "--group NAME", command.letters, parse_letters,
      fmt::format("Search only reduce-scatters that look alike from every rank, for the least load of links: "
                  "{}; see docs/optimal.md",
                  fmt::join(mapped(letter_sets(), &LetterSet::name), ", ")));
  app.group(network_group);
  app.add_parsed("--topology NAME|FILE", command.network.topology, parse_topology_choice,
                 "Ranks send to their neighbours in this network only, see 'verify bound --help'; with --group, the "
                 "network whose links are loaded (default: a ring)");
  app.add_option("--map FILE", command.network.map,
                 "A file that says where in the network rank 0 is, rank 1, and so on");
  app.group("Solvers");
  app.add_parsed("--solver LIST", command.solvers, parse_solvers, "The solvers that must agree: z3 or z3,cvc5")
      ->default_str("z3");
  app.group(output_group);
  app.add_file("--out", command.schedule_out, "Write the schedule that is found to this file");
  app.add_file("--smt-lib", command.smtlib_out,
               "Write the last unsatisfiable query (otherwise the last query) as SMT-LIB 2");
  add_json(app, command.json);
  app.group(limits_group);
  add_search_budget(app, command.budget);
}

void describe(const CommandApp& app, LintCommand& command) {
  app.group(subject_group);
  app->add_option("FILE", command.file, "An MSCCL XML file, or a plan of MSCCL++")->required();
  app.add_parsed("--profile NAME", command.profile, parse_lint_profile,
                 "The runtime: msccl, rccl or azure of MSCCL XML, mscclpp of plans")
      ->required();
  app.group(output_group);
  add_json(app, command.json);
}

void describe(const CommandApp& app, GateCommand& command) {
  app.group(subject_group);
  app->add_option("FILE", command.file, "The gate file")->default_val(command.file);
  app.add_option("--filter PATTERN", command.filter,
                 "Judge only the units whose names, CHECK/ALGORITHM/COLLECTIVE/p=7, hold this text, or match it as a "
                 "whole if it has * ? or [")
      ->check(not_empty);
  app.add_parsed("--shard i/n", command.shard, parse_shard, "Judge only the i-th of n parts of the units")
      ->check(not_empty);
  app.group("Baseline");
  app.add_file("--baseline", command.baseline, "Fail what got worse than the metrics recorded in this file");
  app->add_flag("--update-baseline", command.update_baseline, "Record the metrics of what passes in the baseline");
  app.group(output_group);
  app->add_flag("--print-config", command.print_config, "Print the checks with all defaults filled in, judge nothing");
  app->add_flag("--json", command.json, "Print the result as JSON");
  app.add_file("--json-out", command.json_out, "Also write the result as JSON to this file");
  app.add_file("--junit-out", command.junit_out, "Also write the result as JUnit XML to this file");
  app.add_file("--sarif-out", command.sarif_out, "Also write the result as SARIF 2.1.0 to this file");
  app.add_file("--markdown-out", command.markdown_out, "Also write a summary in Markdown to this file");
  app.group("Way of working");
  app.add_parsed("--jobs N", command.jobs, parse_jobs, "Judge this many units at a time (default: one for each core)")
      ->check(not_empty);
  app->add_flag("--no-cache", command.no_cache, "Judge everything anew, even what an earlier run judged");
}

void describe(const CommandApp& app, ClaimsCommand& command) {
  app.group(subject_group);
  app->add_option("CLAIM", command.id, "The claim to check (default: all)");
  app.add_file("--from", command.from, "Check the claims of this file instead; see docs/claims-file.md");
  app.group(output_group);
  app->add_flag("--markdown", command.markdown, "Print the page docs/findings.md");
  add_json(app, command.json);
}

void describe(const CommandApp& app, WatchCommand& command) {
  app->prefix_command();
  command.line = app.operator->();
  app.group("Watch");
  app.add_option("--also FILE", command.also, "Run again when this file changes, too; may be repeated")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  app.add_parsed("--runs N", command.runs, parse_runs, "End after so many runs (default: at Ctrl-C)");
  app->footer(
      "The first word that is no option above begins a command line of 'verify',\n'verify code' or "
      "'verify gate'. Its files are watched, and those that a\ngate names or code includes.");
}

void describe(const CommandApp& app, CompletionCommand& command) {
  app.group(subject_group);
  app->add_option("SHELL", command.shell, "bash, zsh or fish")->required();
}

void describe(const CommandApp&, ManualCommand&) {}

void describe(const CommandApp& app, HelpCommand& command) {
  app.group(subject_group);
  app->add_option("COMMAND", command.about, "The command to explain (default: verify itself)");
}

namespace {

/// Is the command's result a report with verdicts, or JSON in its place?
template <class Options>
concept Reports = requires(const Options& options) {
  options.json;
};

/// The file of --json-out; empty if there is none, or if another process writes it.
template <class Options>
std::string json_file(const Options& options) {
  if constexpr (requires { options.team; })
    if (options.team != nullptr && options.team->number() != 0) return "";
  if constexpr (requires { options.json.file; }) return options.json.file;
  if constexpr (requires { options.json_out; }) return options.json_out;
  return "";
}

/// The line of progress. A command that waits for the user has none.
template <class Options>
std::optional<Progress> shown_progress(std::string_view name) {
  if constexpr (std::is_same_v<Options, WatchCommand>)
    return std::nullopt;
  else
    return std::optional<Progress>(std::in_place, name);
}

/// A command whose options fill in a copy of `defaults`, with which it then runs.
template <class Options>
Command command(std::string_view name, std::string_view about, std::string_view examples,
                const Options& defaults = {}) {
  return {name, about, examples, [name, defaults](CLI::App& cli_app) -> std::function<Result<ExitCode>()> {
            const auto options = std::make_shared<Options>(defaults);
            const auto limits = std::make_shared<ResourceLimits>();
            const auto colors = std::make_shared<Colors>();
            const CommandApp app(cli_app);
            describe(app, *options);
            app.group(output_group);
            if constexpr (Reports<Options>) add_colors(app, *colors);
            app.group(limits_group);
            add_resource_limits(app, *limits);
            return [name, options, limits, colors, app]() -> Result<ExitCode> {
              set_limits(*limits);
              TRY(app.check());
              set_colors(*colors);
              const std::optional<Progress> progress = shown_progress<Options>(name);
              return run_to_the_end([&] { return run(*options); }, json_file(*options));
            };
          }};
}

}  // namespace

Command verify_command(Team* team) {
  return command<VerifyCommand>("verify", "Check that a collective algorithm delivers every contribution exactly once",
                                R"(  # Is Swing right for 7 ranks?
  verify --algo swing --p 7
  # Is your own schedule right, and does no rank send two messages at a time?
  verify my-schedule.json --ports 1
  # Is your own algorithm right, written as a formula for each rank's peer?
  verify --peer 'r xor pow2(s)' --p 2^1..2^6
)",
                                {.subject = {}, .team = team});
}

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      command<ListCommand>("list", "See which algorithms are in the catalogue, or all about one of them",
                           R"(  # All algorithms
  verify list
  # One of them, with its parameters and its source
  verify list rabenseifner
  # As JSON, including the algorithms misprinted in papers
  verify list --as-printed --json
)"),
      command<ExplainCommand>("explain", "Learn what a property means, with an example that violates it",
                              R"(  # What every schedule must do
  verify explain exactly-once
  # What --ports asks for
  verify explain ports
  # What floating-point users may want
  verify explain bitwise-reproducible
)"),
      command<ExportCommand>("export", "Write a schedule as a file for another program or runtime",
                             R"(  # A schedule file
  verify export --algo swing --p 6 --to json -o s.json
  # A plan for MSCCL++
  verify export --algo ring --p 8 --to mscclpp -o ring.json
  # A C function that makes MPI calls
  verify export --algo swing --p 7 --to mpi -o swing.c
)"),
      command<DrawCommand>("draw", "Draw a schedule or program: who sends what to whom, step by step",
                           R"(  # Each step as a panel
  verify draw --view steps --algo swing --p 16 -o swing.pdf
  # The way of block 3 to its owner and back
  verify draw --view tree --algo swing --p 16 --blocks 3 -o tree.svg
  # The load of each link of a torus
  verify draw --view contention --algo swing --torus 4x4 --lanes all -o load.svg
)"),
      command<ReportCommand>("report", "Put everything about one schedule or program on one web page",
                             R"(  # Verdicts, steps, loads, times and proofs
  verify report --algo swing --p 16 -o report.html
  # The same of your own schedule
  verify report my-schedule.json -o report.html
  # On a network of your own, with a bound on messages at a time
  verify report --algo ring --p 8 --ports 1 --topology fat-tree:radix=8 -o report.html
)"),
      command<ProveCommand>("prove", "Prove that an algorithm is right for every number of ranks",
                            R"(  # All theorems, and what they are about
  verify prove
  # What Swing rests on
  verify prove --algo swing
  # Your own algorithm, written as a formula for each rank's peer
  verify prove --peer 'r xor pow2(s)'
)"),
      command<ContentionCommand>("contention", "See how much each link of a network carries, and which is the hottest",
                                 R"(  # Swing on a torus, each port in use
  verify contention --algo swing --torus 4x4 --lanes all
  # On a fat tree whose upper links are half as many
  verify contention --algo swing --p 16 --topology fat-tree:radix=8,taper=2
  # All links, for a spreadsheet
  verify contention --algo ring --p 8 --csv-out loads.csv
)"),
      command<BoundCommand>("bound", "See how few steps and how little time any algorithm could take on a network",
                            R"(  # An allreduce on a torus
  verify bound --torus 8x8
  # An allgather on a fat tree whose upper links are half as many
  verify bound --p 16 --topology fat-tree:radix=8,taper=2 --collective allgather
  # As JSON, with the whole certificate
  verify bound --torus 4x4 --topology mesh --json
)"),
      command<OptimumCommand>("optimum", "Find a schedule with the fewest steps for a few ranks, or show there is none",
                              R"(  # The fewest steps of an allreduce among 5 ranks
  verify optimum --p 5 --out fewest.json
  # Do 3 steps do, if each rank sends 6 blocks at most?
  verify optimum --p 4 --steps 3 --volume 6
  # Of all pairings on a ring, which loads its links least?
  verify optimum --group pairs --p 64
)"),
      command<CostCommand>("cost", "Compare how long algorithms take on a network",
                           R"(  # Swing and bucket on a torus, for vectors of many sizes
  verify cost --algo swing,bucket --torus 8x8 --lanes all
  # One size, on links of 100 Gb/s
  verify cost --algo ring,rabenseifner --p 16 --bytes 1Mi --bandwidth 100
  # A figure of a paper, beside what the paper says
  verify cost --preset swing-fig12
)"),
      command<LintCommand>("lint", "Check whether a runtime would load an MSCCL XML file or a plan of MSCCL++",
                           R"(  # Would RCCL load it?
  verify lint algo.xml --profile rccl
  # Would MSCCL++ load this plan, and run what it says?
  verify lint plan.json --profile mscclpp
  # The result for a program
  verify lint algo.xml --profile azure --json
)"),
      command<GateCommand>("gate", "Judge everything that a gate file lists, as CI does",
                           R"(  # Judge gate.toml, and tell the CI server
  verify gate gate.toml --junit-out gate.xml
  # Only the units of one algorithm
  verify gate gate.toml --filter swing
  # Record today's metrics; from now on --baseline fails what gets worse
  verify gate gate.toml --baseline baseline.json --update-baseline
)"),
      command<LiveCommand>("live", "Check what the collectives of this machine's MPI really compute",
                           R"(  # Every collective, on 4 ranks
  verify live
  # Which algorithm of the catalogue is this allreduce?
  verify live --p 7 --collective allreduce --match
  # Each algorithm that Open MPI can be told to use
  verify live --sweep openmpi --p 2..4
)"),
      command<CodeCommand>("code", "Judge a function that is written over MPI, in a simulator",
                           R"(  # An allreduce, for 2 to 16 ranks
  verify code examples/code/ring.c --function my_allreduce --p 2..16
  # What it sends, as a schedule file
  verify code examples/code/ring.c --function my_allreduce --p 7 --count 1000 --schedule-out ring.json
  # Code that adds up double itself
  verify code examples/code/ring_double.c --function my_allreduce --numbers --p 7
)"),
      command<GpuCommand>("gpu", "Judge GPU kernels from their PTX, without a GPU",
                          R"(  # A launch, for all numbers of ranks that it names
  verify gpu examples/gpu/two_shot.toml
  # The same of your own program
  verify gpu allreduce.ptx --launch allreduce.toml --p 2..4
  # What there is in a program, as a draft of a launch description
  verify gpu --describe allreduce.ptx
)"),
      command<WatchCommand>("watch", "Judge a file, program, code or gate again whenever it changes",
                            R"(  # A schedule file, while you edit it
  verify watch my-schedule.json
  # A program that prints schedules, and a module that it uses
  verify watch --also routes.py --exec 'examples/pairwise.py {p}' --p 2..16
  # A function that is written over MPI
  verify watch code examples/code/ring.c --function my_allreduce --p 2..8
)"),
      command<ClaimsCommand>("claims", "See what five papers claim, and whether it holds",
                             R"(  # All claims
  verify claims
  # One of them
  verify claims swing-least-steps
  # Claims of your own
  verify claims --from my-claims.toml
)"),
      command<CompletionCommand>("completion", "Let your shell complete these commands",
                                 R"(  # bash, for this shell
  source <(verify completion bash)
  # zsh, from now on
  verify completion zsh > ~/.zfunc/_verify
  # fish, from now on
  verify completion fish > ~/.config/fish/completions/verify.fish
)"),
      command<ManualCommand>("manual", "Print the manual page, in the format of man",
                             R"(  # Read it
  verify manual | man -l -
  # Keep it
  verify manual > verify.1
  # As plain text
  verify manual | man -l - | col -b
)"),
      command<HelpCommand>("help", "Explain a command, as its --help does",
                           R"(  # What verify can do
  verify help
  # What draw can do
  verify help draw
  # The same
  verify draw --help
)"),
  };
  return table;
}

}  // namespace onceover::cli
