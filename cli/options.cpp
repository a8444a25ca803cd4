// The table of commands: what users may write after each.
//
// A command is a struct of values, a `describe` that binds an option to each of them, and a `run`. A row of the table
// names them; help, completion and the manual page are made of the rows.
//
// Example: `verify cost --p 2^3`. The row makes a CostCommand, `describe` has bound --p to a field of it and to the
// parser of lists of ranks, CLI11 reads the line, and run(CostCommand) finds the list of one number, 8.
//
// A text is parsed once, when the line is read. A mistake is told before the command runs, but where the field is a
// Result: there the command tells it in its turn. O(options).

#include <memory>

#include "base/progress.h"
#include "cli/claims_command.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/gate_command.h"
#include "cli/live_command.h"
#include "cli/shared_options.h"
#include "subjects/profile.h"

namespace onceover::cli {

namespace {

void describe(const CommandApp& app, VerifyCommand& command) {
  add_subject(app, command.subject, "--steps", {.algorithms = &command.algorithms});
  add_required(app, command.required);
  add_bounds(app, command.bounds);
  app.add_each("--limit", command.metric_limits.limits, parse_limit,
               "A limit on metrics, such as 'steps <= 2*ceil(log2(p))'; see docs/gate.md")
      ->type_name("LIMIT");
  add_shape_of_network(app, command.metric_limits.network, "--network-ports");
  app->get_option("--topology")
      ->description("For limits on latency, bandwidth or congestion: the network, as for contention");
  app.add_parsed("--blocking", command.blocking, parse_call_orders,
                 "Judge the schedule as blocking calls in these orders: even-odd, all-send-first, sendrecv, or all")
      ->type_name("ORDER");
  app.add_parsed("--fifo", command.fifo, parse_fifo,
                 "For programs: messages that a connection holds; 0 is rendezvous [as runtimes do]")
      ->type_name("K")
      ->check(whole_number);
  app.add_parsed("--profile", command.profile, parse_profile,
                 "For MSCCL XML: the runtime, msccl, rccl or azure [the one that guarantees least]")
      ->type_name("NAME");
  app->add_flag("--fail-fast", command.fail_fast, "Of several schedules, stop after the first that fails");
  app->add_flag("--full", command.full, "Print all properties and metrics");
  app->add_flag("--json", command.json, "Print the result as JSON");
  app->add_option("--json-out", command.json_out, "Write the result as JSON to a file")
      ->type_name("FILE")
      ->check(file_name);
  app->add_option("--draw-counterexample", command.counterexample_out,
                  "Draw the first failure into a file: .svg, .pdf, .png or .dot")
      ->type_name("FILE")
      ->check(file_name);
  app->add_option("--certify", command.certificate, "Write a certificate of the verdict, for verify-check")
      ->type_name("FILE")
      ->check(file_name);
  auto* every_block =
      app->add_flag("--no-symmetry", command.no_symmetry, "Execute every block of large schedules, too");
  app->add_flag("--symmetry", command.symmetry,
                "Let one block stand for those that a symmetry takes it to in small ones, too")
      ->excludes(every_block);
  app->add_flag("--distributed", command.distributed,
                "Under mpirun: spread the blocks of a large schedule over the processes");
  add_block_budget(app, command.budget, "Block transfers and results to judge at most for one schedule");
}

void describe(const CommandApp& app, ListCommand& command) {
  app.add_parsed("NAME", command.row, or_null(parse_listed), "An algorithm");
  app->add_flag("--as-printed", command.as_printed, "Also the texts that are wrong as printed");
  app->add_flag("--json", command.json, "Print as JSON");
}

void describe(const CommandApp& app, ExplainCommand& command) {
  app.add_parsed("ID", command.property, parse_explained, "A property: exactly-once, ports, ..")->required();
}

void describe(const CommandApp& app, ExportCommand& command) {
  add_subject(app, command.subject);
  app.add_parsed("--to", command.format, parse_export_format, "The format: " + export_formats_in_words())
      ->type_name("FORMAT")
      ->required();
  app->add_option("-o,--output", command.output, "The file to write [standard output]")->type_name("FILE");
  app->add_flag("--inplace", command.in_place,
                "msccl-xml, goal: the result is made where the data lies, and the input lost");
  app.add_parsed("--channels", command.channels, parse_channels,
                 "msccl-xml: connections of each two ranks, used in turn [as few as the limits allow]")
      ->type_name("N");
  app.add_parsed("--proto", command.protocol, parse_protocol, "msccl-xml: Simple [the default], LL or LL128")
      ->type_name("NAME");
  app->add_flag("--rccl-names", command.rccl_names, "msccl-xml: reducescatter for reduce_scatter, as RCCL calls it");
  app->add_option("--bytes", command.bytes, "goal: bytes of the vector [1048576]")->type_name("N")->check(bytes);
  app->add_option("--name", command.name, "mpi: the name of the function [swing_allreduce_p7]")
      ->type_name("NAME")
      ->check(not_empty);
}

void describe(const CommandApp& app, DrawCommand& command) {
  app->footer(draw_help());
  add_subject(app, command.subject, "--peer-steps");
  add_network(app, command.network);
  app->add_option("--view", command.view, "What to show; see below")->type_name("VIEW")->required();
  app->add_option("-o,--output", command.output, "The picture: .svg, .pdf, .png or .dot [DOT, printed]")
      ->type_name("FILE");
  app.add_parsed("--format", command.format, parse_picture_format, "svg, pdf, png or dot [as the file is named]")
      ->type_name("FORMAT");
  app.add_parsed("--fifo", command.fifo, parse_drawn_fifo,
                 "happens-before: messages that a connection holds, 0 for rendezvous [as runtimes do]")
      ->type_name("K");
  app.add_parsed("--ranks", command.ranks, parse_drawn_ranks, "Only what these ranks send, or end with: 0,5 or 0..3")
      ->type_name("LIST");
  app.add_parsed("--steps", command.steps, parse_drawn_steps, "Only these steps: 2 or 0..2")->type_name("A..B");
  app.add_parsed("--block", command.blocks, parse_drawn_blocks, "The block to follow, or several [0]")
      ->type_name("B")
      ->check(not_empty);
  app->add_flag("--counts", command.counts, "How many blocks each message has");
  app->add_flag("--no-wrap", command.no_wrap, "Links around a ring or torus as lines across it");
  app.add_parsed("--width", command.width, parse_width, "Width of the picture: 3.3in, 84mm [3.3in]")->type_name("W");
  app->add_option("--font", command.font, "Family of the letters [Times]")->type_name("NAME");
  app.add_parsed("--font-size", command.font_size, parse_font_size, "Size of the letters in points [8]")
      ->type_name("PT");
}

void describe(const CommandApp& app, ReportCommand& command) {
  add_subject(app, command.subject);
  add_network(app, command.network);
  add_required(app, command.required);
  add_bounds(app, command.bounds, &ports_property);
  add_block_budget(app, command.budget, "Block transfers to judge, and links that messages may cross, at most");
  app->add_option("-o,--output", command.output, "The page to write, report.html; - prints it")
      ->type_name("FILE")
      ->required()
      ->check(file_name);
}

void describe(const CommandApp& app, ProveCommand& command) {
  app.add_parsed("THEOREM", command.theorem, or_null(parse_theorem), "A theorem; without anything, they are listed");
  app.add_parsed("--algo", command.algorithm, or_null(parse_algorithm), "The theorems that an algorithm rests on")
      ->type_name("NAME");
  app->add_flag("--all", command.all, "All theorems");
  app.add_parsed("--peer", command.peer, parse_peer, "A formula for the peer of rank r at step s, for every p")
      ->type_name("FORMULA");
  app.add_parsed("--p", command.ranks, parse_ranks,
                 "For --peer: prove it for these numbers of ranks only, by bit-vectors")
      ->type_name("LIST");
  app.add_parsed("--steps", command.steps, parse_steps, "For --peer: the number of steps [ceil(log2 p)]")
      ->type_name("FORMULA");
  app.add_parsed("--solver", command.solvers, parse_solvers, "Solvers that must agree: z3 or z3,cvc5")
      ->type_name("LIST")
      ->default_str("z3");
  app->add_option("--emit-smt2", command.smt2_folder, "Write the queries into a folder, as SMT-LIB 2")
      ->type_name("DIR");
  app->add_option("--emit-coq", command.coq_folder, "Write all theorems into a folder, for coqc")->type_name("DIR");
  app->add_flag("--full", command.full, "Print every obligation");
  app->add_flag("--json", command.json, "Print the result as JSON");
}

void describe(const CommandApp& app, ContentionCommand& command) {
  add_subject(app, command.subject);
  add_network(app, command.network);
  app.add_parsed("--step", command.step, parse_step, "The loads of this step only")->type_name("S");
  app->add_option("--csv", command.csv, "Write the loads of all links to a file; - prints them")
      ->type_name("FILE")
      ->check(file_name);
  app->add_flag("--json", command.json, "Print the result as JSON");
  add_plot(app, command.plot, "the load of each step; of several schedules, their deficiencies");
  add_link_budget(app, command.budget);
}

void describe(const CommandApp& app, CostCommand& command) {
  add_subject(app, command.subject, "--steps", {.contenders = &command.contenders});
  app->get_option("--algo")->description(
      "Algorithms to compare: a,b,c; versions of one, of which the faster counts: a+b");
  add_network(app, command.network);
  app.add_parsed("--bytes", command.bytes, parse_sizes, "Sizes of the vector: 2Ki, 1Mi,4Mi, or 32..512Mi by fours")
      ->type_name("LIST")
      ->default_str("32..512Mi");
  app.add_parsed(
         "--bytes-per-rank", command.bytes_per_rank, parse_sizes_per_rank,
         "In place of --bytes: sizes of what one rank brings or gets, of an allgather the p-th part of the vector")
      ->type_name("LIST");
  app.add_parsed("--mode", command.mode, parse_mode,
                 "synchronous: all ranks wait after each step; asynchronous: each for its own receives")
      ->type_name("MODE")
      ->default_str("synchronous");
  app.add_parsed("--preset", command.presets, presets_named,
                 "A setting of a paper and what the paper says of it: swing-fig7, .., or all")
      ->type_name("NAME");
  app->add_option("--csv", command.csv, "Write all times to a file; - prints them")
      ->type_name("FILE")
      ->check(file_name);
  app->add_flag("--json", command.json, "Print the result as JSON");
  add_plot(app, command.plot, "goodput over the vector's size");
  add_link_budget(app, command.budget);
}

void describe(const CommandApp& app, LintCommand& command) {
  app->add_option("FILE", command.file, "An MSCCL XML file")->required();
  app.add_parsed("--profile", command.profile, parse_profile, "The runtime: msccl, rccl or azure")
      ->type_name("NAME")
      ->required();
  app->add_flag("--json", command.json, "Print the result as JSON");
}

/// What `verify live` passes on as it is.
void pass_on(const CommandApp& app, LiveCommand& command, const std::string& option, const std::string& type,
             const std::string& about) {
  app->add_option_function<std::string>(
         option,
         [&command, option](const std::string& value) {
           command.passed_on.insert(command.passed_on.end(), {option, value});
         },
         about)
      ->type_name(type);
}

void pass_flag_on(const CommandApp& app, LiveCommand& command, const std::string& flag, const std::string& about) {
  app->add_flag_callback(
      flag, [&command, flag] { command.passed_on.push_back(flag); }, about);
}

void describe(const CommandApp& app, LiveCommand& command) {
  app.add_parsed("--p", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..16 [4; of a sweep 2..8]")
      ->type_name("LIST");
  app.add_parsed("--mpi", command.mpi, parse_mpi, "openmpi or mpich [the first that is there]")->type_name("NAME");
  app->add_option("--preload", command.preload, "A library that defines collectives of its own, such as MPI_Allreduce")
      ->type_name("FILE");
  app->add_flag("--yes", command.yes, "Start more processes than 8 for each core without asking");
  app.add_parsed("--sweep", command.sweep, parse_swept_mpi,
                 "Force each algorithm that openmpi or mpich offers, one after the other")
      ->type_name("NAME");
  pass_on(app, command, "--collective", "LIST", "Names: allreduce, ireduce, .., or all, reductions, movements [all]");
  pass_on(app, command, "--count", "LIST", "Elements of the vector: numbers, p, 2p, p-1 .. [0,1,p-1,p,p+1,1000]");
  pass_on(app, command, "--root", "R", "The root of rooted collectives [0]");
  pass_on(app, command, "--repeat", "K", "Call each so often [2]");
  pass_on(app, command, "--require", "LIST", "Require properties: order-preserving, deterministic, ..");
  pass_on(app, command, "--call-limit", "S", "Seconds that a call may take [60; of a sweep 20]");
  pass_on(app, command, "--schedule", "FILE", "A schedule file whose terms the library's must be");
  pass_flag_on(app, command, "--non-commutative", "Declare the operator as one that doesn't commute");
  pass_flag_on(app, command, "--both-operators", "Call reductions with either kind of operator");
  pass_flag_on(app, command, "--in-place", "Use MPI_IN_PLACE where the collective has it");
  pass_flag_on(app, command, "--match", "Name the algorithm of the catalogue that has the same terms");
  pass_flag_on(app, command, "--terms", "Print the terms of reductions");
  pass_flag_on(app, command, "--full", "Print every property");
  pass_flag_on(app, command, "--markdown", "Of a sweep: print the table as Markdown");
  pass_on(app, command, "--json-out", "FILE", "Of a sweep: write the table as JSON, too");
  app->add_flag("--json", command.json, "Print the result as JSON");
}

void describe(const CommandApp& app, GateCommand& command) {
  app->add_option("FILE", command.file, "The gate file")->default_val(command.file);
  app->add_flag("--print-config", command.print_config, "Print the checks with all defaults filled in");
  app->add_option("--filter", command.filter,
                  "Only units that match, CHECK/ALGORITHM/COLLECTIVE/p=7: a part of that, or all of it with * ? [")
      ->type_name("PATTERN")
      ->check(not_empty);
  app.add_parsed("--shard", command.shard, parse_shard, "Only the i-th of n parts of the units")
      ->type_name("i/n")
      ->check(not_empty);
  app.add_parsed("--jobs", command.jobs, parse_jobs, "Units to judge at a time [as many as there are cores]")
      ->type_name("N")
      ->check(not_empty);
  app->add_option("--baseline", command.baseline, "Recorded metrics; what got worse fails")
      ->type_name("FILE")
      ->check(file_name);
  app->add_flag("--update-baseline", command.update_baseline, "Record the metrics of what passes in the baseline");
  app->add_flag("--no-cache", command.no_cache, "Judge everything anew");
  app->add_option("--json-out", command.json_out, "Write the result as JSON")->type_name("FILE")->check(file_name);
  app->add_option("--junit-out", command.junit_out, "Write the result as JUnit XML")
      ->type_name("FILE")
      ->check(file_name);
  app->add_option("--sarif-out", command.sarif_out, "Write the result as SARIF 2.1.0")
      ->type_name("FILE")
      ->check(file_name);
  app->add_option("--markdown-out", command.markdown_out, "Write a summary in Markdown")
      ->type_name("FILE")
      ->check(file_name);
}

void describe(const CommandApp& app, ClaimsCommand& command) {
  app->add_option("CLAIM", command.id, "One of them; without it, all");
  app->add_option("--from", command.from, "A file of further claims, to be tried instead (docs/claims-file.md)")
      ->type_name("FILE")
      ->check(file_name);
  app->add_flag("--markdown", command.markdown, "Print the page docs/findings.md");
  app->add_flag("--json", command.json, "Print the result as JSON");
}

void describe(const CommandApp& app, CompletionCommand& command) {
  app->add_option("SHELL", command.shell, "bash, zsh or fish")->required();
}

void describe(const CommandApp&, ManualCommand&) {}

/// A command whose options fill in a copy of `defaults`, which is then run.
template <class Options>
Command command(std::string_view name, std::string_view about, const Options& defaults = {}) {
  return {name, about, [name, defaults](CLI::App& cli_app) -> std::function<Result<ExitCode>()> {
            const auto options = std::make_shared<Options>(defaults);
            const auto limits = std::make_shared<ResourceLimits>();
            const CommandApp app(cli_app);
            describe(app, *options);
            add_resource_limits(app, *limits);
            return [name, options, limits, mistake = app.mistake()]() -> Result<ExitCode> {
              set_limits(*limits);
              if (*mistake) return tl::unexpected(**mistake);
              const Progress progress(name);
              return run(*options);
            };
          }};
}

}  // namespace

Command verify_command(Team* team) {
  return command<VerifyCommand>("verify",
                                "Proves that a schedule of a collective communication delivers every contribution "
                                "exactly once.",
                                {.subject = {}, .team = team});
}

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      command<ListCommand>("list", "The algorithms of the catalogue, or one of them in full"),
      command<ExplainCommand>("explain", "What a property means, with an example that violates it"),
      command<ExportCommand>("export", "Write a schedule as a file"),
      command<DrawCommand>("draw", "Draw a schedule, with Graphviz"),
      command<ReportCommand>("report", "Write one page about a schedule: verdicts, steps, costs and proofs"),
      command<ProveCommand>("prove", "Prove theorems about all p, with Z3"),
      command<ContentionCommand>("contention", "Which links of a network carry how much"),
      command<CostCommand>("cost", "How long algorithms take on a network"),
      command<LintCommand>("lint", "Would a runtime load an MSCCL XML file?"),
      command<GateCommand>("gate", "Judge what a gate file lists, as CI does"),
      command<LiveCommand>("live", "What the collectives of this machine's MPI really compute"),
      command<ClaimsCommand>("claims", "What five papers claim, and what is so"),
      command<CompletionCommand>("completion", "Print what makes a shell complete these commands"),
      command<ManualCommand>("manual", "Print the manual page"),
  };
  return table;
}

}  // namespace onceover::cli
