// `verify`: reads the command line, carries out one command, and ends with its exit code.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/interrupts.h"
#include "schedules/closest.h"

namespace onceover::cli {

namespace {

constexpr std::string_view examples = R"(Examples:
  verify --algo swing --p 7                      is Swing right for 7 ranks?
  verify --algo ring --collective allgather --p 2..64
  verify --algo rabenseifner --set order=far --p 2^1..2^10
  verify --algo swing --torus 8x8 --lanes all
  verify my-schedule.json --json                 your own schedule, the result as JSON
  verify --exec './my-generator {p}' --p 2..32   your own program that prints schedules
  verify --peer 'r xor pow2(s)' --p 2^1..2^6     your own algorithm as a formula
  verify --algo swing-latency --p 8 --require bitwise-reproducible
  verify export --algo swing --p 6 --to json -o s.json
  verify draw --view steps --algo swing --p 16 -o swing.pdf
  verify report --algo swing --p 16 -o report.html           all of it on one page
  verify prove --algo swing                      for every p
  verify contention --algo swing --torus 4x4 --lanes all     who shares which link
  verify cost --algo swing,bucket --torus 64x64 --lanes all  how long it takes
  verify list                                    the algorithms of the catalogue
  verify explain ports                           what a property means
  verify algo.xml                                what ranks run, as MSCCL XML
  verify program.goal                            what ranks send and wait for, as GOAL
  verify lint algo.xml --profile rccl            would RCCL load it?

Exit codes: 0 all required properties hold, 1 one is violated, 2 usage,
3 malformed input file, 4 unknown (a budget ran out), 5 internal error.)";

constexpr std::uint64_t default_budget = 100'000'000'000;
constexpr std::uint64_t default_link_budget = 10'000'000'000;

std::string whole_number(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : fmt::format("expected a whole number, found '{}'", text);
}

std::string bytes(const std::string& text) {
  const bool fits = whole_number(text).empty() && std::stoll(text) >= 1;
  return fits ? "" : fmt::format("expected a number of bytes, from 1 to 10^18, found '{}'", text);
}

std::string seconds(const std::string& text) {
  const bool fits = whole_number(text).empty() && text.size() <= 5 && std::stoi(text) >= 1 && std::stoi(text) <= 86400;
  return fits ? "" : fmt::format("expected 1 to 86400 seconds, found '{}'", text);
}

void add_subject(CLI::App& app, SubjectOptions& subject, const std::string& steps_flag = "--steps") {
  app.add_option("FILE", subject.file, "A schedule file; for verify itself, contention and cost MSCCL XML or GOAL, too");
  app.add_option("--algo", subject.algorithm, "An algorithm of the catalogue")->type_name("NAME");
  app.add_option("--exec", subject.command,
                 "A program that prints a schedule file; {p} and {shape} stand for the ranks and the torus")
      ->type_name("COMMAND");
  app.add_option("--exec-timeout", subject.generator.seconds, "Seconds that the program may run")
      ->type_name("S")
      ->default_val(subject.generator.seconds)
      ->check(seconds);
  app.add_option("--peer", subject.peer,
                 "A formula for the peer of rank r at step s among p ranks; see docs/your-own-algorithm.md")
      ->type_name("FORMULA");
  app.add_option(steps_flag, subject.steps, "For --peer: the number of steps, a formula in p [ceil(log2 p)]")
      ->type_name("FORMULA");
  app.add_option("--p", subject.ranks, "Numbers of ranks: 7, 2..64, 3,5,7, 2^1..2^14")->type_name("LIST");
  app.add_option("--torus", subject.tori, "A torus of ranks, by its sides: 8x8, 4x6x2; may be given several times")
      ->type_name("AxB..")
      ->take_all()
      ->expected(1);
  app.add_option("--lanes", subject.lanes, "Parts of the vector, one for each port in use: 1 [the default] or all")
      ->type_name("1|all");
  app.add_option("--set", subject.settings, "A parameter of the algorithm; 'verify list NAME' shows them")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->expected(1);
  app.add_option("--collective", subject.collective, "What the algorithm should do [allreduce, where it can]")
      ->type_name("NAME");
}

void add_network(CLI::App& app, NetworkOptions& network) {
  app.add_option("--topology", network.topology,
                 "torus [the default, of the schedule's shape], mesh, hyperx, hx2mesh, hx4mesh, hxmesh, fat-tree, "
                 "dragonfly, full, with settings like fat-tree:radix=16,taper=2; or a GraphML or DOT file")
      ->type_name("NAME|FILE");
  app.add_option("--map", network.map, "A file with the place of rank 0, of rank 1, ..")->type_name("FILE");
  app.add_option("--routing", network.routing, "minimal [the default], ecmp or dimension-order")->type_name("NAME");
  app.add_option("--ports", network.ports, "Messages that a rank can send at a time [as the topology says]")
      ->type_name("K");
  app.add_option("--bandwidth", network.bandwidth, "Of a link, in Gb/s [400]")->type_name("X");
  app.add_option("--latency", network.latency, "Of a link, in ns [100]")->type_name("X");
  app.add_option("--hop-latency", network.hop_latency, "To process a packet at the end of each link, in ns [300]")
      ->type_name("X");
  app.add_option("--overhead", network.overhead, "For a rank to send one message, in ns [0]")->type_name("X");
  app.add_option("--reduction", network.reduction, "Speed at which a rank reduces, in Gb/s [unlimited]")
      ->type_name("X");
}

void add_plot(CLI::App& app, PlotFiles& plot, const std::string& what) {
  app.add_option("--plot", plot.picture, "Plot " + what + ", with Gnuplot: .svg, .pdf or .png")->type_name("FILE");
  app.add_option("--gnuplot", plot.script, "Write the plot's script and data, for Gnuplot")->type_name("FILE");
}

void add_link_budget(CLI::App& app, std::uint64_t& budget) {
  app.add_option("--budget", budget,
                 "Links that messages may cross, or that may be searched for their ways, all together")
      ->type_name("N")
      ->default_val(default_link_budget)
      ->check(whole_number);
}

std::string not_empty(const std::string& text) {
  return text.empty() ? "expected a value" : "";
}

std::string file_name(const std::string& text) {
  return text.empty() ? "expected a file name" : "";
}

/// The command line: what the user may write, and the command that was chosen.
class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag("--version", "onceover " ONCEOVER_VERSION);
    app_.footer(std::string(examples));
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.allow_extras();
    add_verify_options();
    add_list();
    add_explain();
    add_export();
    add_draw();
    add_report();
    add_prove();
    add_contention();
    add_cost();
    add_lint();
  }

  Result<ExitCode> run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& e) {
      app_.exit(e);
      if (auto printed = print(""); !printed) return tl::unexpected(printed.error());
      return ExitCode::ok;
    } catch (const CLI::ArgumentMismatch& e) {
      const std::string what = e.what();
      return usage_error(fmt::format("{} takes one value; see 'verify --help'", what.substr(0, what.find(':'))));
    } catch (const CLI::ParseError& e) {
      return usage_error(fmt::format("{}; see 'verify --help'", e.what()));
    }
    const bool has_command = !app_.get_subcommands().empty();
    const CLI::App& chosen = has_command ? *app_.get_subcommands().front() : app_;
    if (auto clean = has_command ? refuse_early_options(chosen) : Result<void>(); !clean)
      return tl::unexpected(clean.error());
    if (auto clean = refuse_extras(chosen); !clean) return tl::unexpected(clean.error());
    if (list_->parsed()) return cli::run(list_command_);
    if (explain_->parsed()) return cli::run(explain_command_);
    if (prove_->parsed()) return cli::run(prove_command_);
    if (export_->parsed()) return cli::run(export_command_);
    if (contention_->parsed()) return cli::run(contention_command_);
    if (cost_->parsed()) return cli::run(cost_command_);
    if (draw_->parsed()) return cli::run(draw_command_);
    if (report_->parsed()) return cli::run(report_command_);
    if (lint_->parsed()) return cli::run(lint_command_);
    if (auto meant = refuse_mistyped_command(); !meant) return tl::unexpected(meant.error());
    return cli::run(verify_command_);
  }

 private:
  void add_verify_options() {
    add_subject(app_, verify_command_.subject);
    app_.add_option("--require", verify_command_.required, "A property that must hold besides the usual ones")
        ->type_name("ID")
        ->take_all()
        ->expected(1);
    app_.add_option("--ports", verify_command_.limits.ports,
                    "Messages that a rank may send, and receive, in a step; requires it")
        ->type_name("K")
        ->check(whole_number);
    app_.add_option("--staging", verify_command_.limits.staging,
                    "Blocks that a rank may hold for others after a step; requires it")
        ->type_name("K")
        ->check(whole_number);
    app_.add_option("--blocking", verify_command_.blocking,
                    "Judge the schedule as blocking calls in this order: even-odd, all-send-first, sendrecv, or all")
        ->type_name("ORDER");
    app_.add_option("--fifo", verify_command_.fifo,
                    "For programs: messages that a connection holds; 0 is rendezvous [1]")
        ->type_name("K")
        ->check(whole_number);
    app_.add_flag("--fail-fast", verify_command_.fail_fast, "Of several schedules, stop after the first that fails");
    app_.add_flag("--full", verify_command_.full, "Print all properties and metrics");
    app_.add_flag("--json", verify_command_.json, "Print the result as JSON");
    app_.add_option("--json-out", verify_command_.json_out, "Write the result as JSON to a file")
        ->type_name("FILE")
        ->check(file_name);
    app_.add_option("--draw-counterexample", verify_command_.counterexample_out,
                    "Draw the first failure into a file: .svg, .pdf, .png or .dot")
        ->type_name("FILE")
        ->check(file_name);
    app_.add_option("--budget", verify_command_.budget, "Block transfers and results to judge at most for one schedule")
        ->type_name("N")
        ->default_val(default_budget)
        ->check(whole_number);
  }

  void add_list() {
    list_ = app_.add_subcommand("list", "The algorithms of the catalogue, or one of them in full")->allow_extras();
    list_->add_option("NAME", list_command_.name, "An algorithm");
    list_->add_flag("--as-printed", list_command_.as_printed, "Also the texts that are wrong as printed");
    list_->add_flag("--json", list_command_.json, "Print as JSON");
  }

  void add_explain() {
    explain_ =
        app_.add_subcommand("explain", "What a property means, with an example that violates it")->allow_extras();
    explain_->add_option("ID", explain_command_.id, "A property: exactly-once, ports, ..")->required();
  }

  void add_prove() {
    prove_ = app_.add_subcommand("prove", "Prove theorems about all p, with Z3")->allow_extras();
    prove_->add_option("THEOREM", prove_command_.theorem, "A theorem; without anything, they are listed");
    prove_->add_option("--algo", prove_command_.algorithm, "The theorems that an algorithm rests on")
        ->type_name("NAME");
    prove_->add_flag("--all", prove_command_.all, "All theorems");
    prove_->add_option("--peer", prove_command_.peer, "A formula for the peer of rank r at step s, for every p")
        ->type_name("FORMULA");
    prove_
        ->add_option("--p", prove_command_.ranks,
                     "For --peer: prove it for these numbers of ranks only, by bit-vectors")
        ->type_name("LIST");
    prove_->add_option("--steps", prove_command_.steps, "For --peer: the number of steps [ceil(log2 p)]")
        ->type_name("FORMULA");
    prove_->add_option("--solver", prove_command_.solvers, "Solvers that must agree: z3 or z3,cvc5")
        ->type_name("LIST")
        ->default_val("z3");
    prove_->add_option("--emit-smt2", prove_command_.smt2_folder, "Write the queries into a folder, as SMT-LIB 2")
        ->type_name("DIR");
    prove_->add_option("--emit-coq", prove_command_.coq_folder, "Write all theorems into a folder, for coqc")
        ->type_name("DIR");
    prove_->add_flag("--full", prove_command_.full, "Print every obligation");
    prove_->add_flag("--json", prove_command_.json, "Print the result as JSON");
  }

  void add_export() {
    export_ = app_.add_subcommand("export", "Write a schedule as a file")->allow_extras();
    add_subject(*export_, export_command_.subject);
    export_->add_option("--to", export_command_.format, "The format: json, msccl-xml or goal")
        ->type_name("FORMAT")
        ->required();
    export_->add_option("-o,--output", export_command_.output, "The file to write [standard output]")
        ->type_name("FILE");
    export_->add_flag("--inplace", export_command_.in_place,
                      "msccl-xml, goal: the result is made where the data lies, and the input lost");
    export_
        ->add_option("--channels", export_command_.channels,
                     "msccl-xml: connections of each two ranks, used in turn [as few as the limits allow]")
        ->type_name("N");
    export_->add_option("--proto", export_command_.protocol, "msccl-xml: Simple [the default], LL or LL128")
        ->type_name("NAME");
    export_->add_flag("--rccl-names", export_command_.rccl_names,
                      "msccl-xml: reducescatter for reduce_scatter, as RCCL calls it");
    export_->add_option("--bytes", export_command_.bytes, "goal: bytes of the vector [1048576]")
        ->type_name("N")
        ->check(bytes);
  }

  void add_lint() {
    lint_ = app_.add_subcommand("lint", "Would a runtime load an MSCCL XML file?")->allow_extras();
    lint_->add_option("FILE", lint_command_.file, "An MSCCL XML file")->required();
    lint_->add_option("--profile", lint_command_.profile, "The runtime: msccl, rccl or azure")
        ->type_name("NAME")
        ->required();
    lint_->add_flag("--json", lint_command_.json, "Print the result as JSON");
  }

  void add_contention() {
    contention_ = app_.add_subcommand("contention", "Which links of a network carry how much")->allow_extras();
    add_subject(*contention_, contention_command_.subject);
    add_network(*contention_, contention_command_.network);
    contention_->add_option("--step", contention_command_.step, "The loads of this step only")->type_name("S");
    contention_->add_option("--csv", contention_command_.csv, "Write the loads of all links to a file; - prints them")
        ->type_name("FILE")
        ->check(file_name);
    contention_->add_flag("--json", contention_command_.json, "Print the result as JSON");
    add_plot(*contention_, contention_command_.plot, "the load of each step; of several schedules, their deficiencies");
    add_link_budget(*contention_, contention_command_.budget);
  }

  void add_cost() {
    cost_ = app_.add_subcommand("cost", "How long algorithms take on a network")->allow_extras();
    add_subject(*cost_, cost_command_.subject);
    cost_->get_option("--algo")->description(
        "Algorithms to compare: a,b,c; versions of one, of which the faster counts: a+b");
    add_network(*cost_, cost_command_.network);
    cost_->add_option("--bytes", cost_command_.bytes, "Sizes of the vector: 2Ki, 1Mi,4Mi, or 32..512Mi by fours")
        ->type_name("LIST")
        ->default_str("32..512Mi");
    cost_
        ->add_option("--mode", cost_command_.mode,
                     "synchronous: all ranks wait after each step; asynchronous: each for its own receives")
        ->type_name("MODE")
        ->default_str("synchronous");
    cost_
        ->add_option("--preset", cost_command_.preset,
                     "A setting of a paper and what the paper says of it: swing-fig7, .., or all")
        ->type_name("NAME");
    cost_->add_option("--csv", cost_command_.csv, "Write all times to a file; - prints them")
        ->type_name("FILE")
        ->check(file_name);
    cost_->add_flag("--json", cost_command_.json, "Print the result as JSON");
    add_plot(*cost_, cost_command_.plot, "goodput over the vector's size");
    add_link_budget(*cost_, cost_command_.budget);
  }

  void add_draw() {
    draw_ = app_.add_subcommand("draw", "Draw a schedule, with Graphviz")->allow_extras();
    draw_->footer(draw_help());
    add_subject(*draw_, draw_command_.subject, "--peer-steps");
    add_network(*draw_, draw_command_.network);
    draw_->add_option("--view", draw_command_.view, "What to show; see below")->type_name("VIEW")->required();
    draw_->add_option("-o,--output", draw_command_.output, "The picture: .svg, .pdf, .png or .dot [DOT, printed]")
        ->type_name("FILE");
    draw_->add_option("--format", draw_command_.format, "svg, pdf, png or dot [as the file is named]")
        ->type_name("FORMAT");
    draw_
        ->add_option("--fifo", draw_command_.fifo,
                     "happens-before: messages that a connection holds, 0 for rendezvous [1]")
        ->type_name("K");
    draw_->add_option("--ranks", draw_command_.ranks, "Only what these ranks send, or end with: 0,5 or 0..3")
        ->type_name("LIST");
    draw_->add_option("--steps", draw_command_.steps, "Only these steps: 2 or 0..2")->type_name("A..B");
    draw_->add_option("--block", draw_command_.blocks, "The block to follow, or several [0]")
        ->type_name("B")
        ->check(not_empty);
    draw_->add_flag("--counts", draw_command_.counts, "How many blocks each message has");
    draw_->add_flag("--no-wrap", draw_command_.no_wrap, "Links around a ring or torus as lines across it");
    draw_->add_option("--width", draw_command_.width, "Width of the picture: 3.3in, 84mm [3.3in]")->type_name("W");
    draw_->add_option("--font", draw_command_.font, "Family of the letters [Times]")->type_name("NAME");
    draw_->add_option("--font-size", draw_command_.font_size, "Size of the letters in points [8]")->type_name("PT");
  }

  void add_report() {
    report_ = app_.add_subcommand("report", "Write one page about a schedule: verdicts, steps, costs and proofs")
                  ->allow_extras();
    add_subject(*report_, report_command_.subject);
    add_network(*report_, report_command_.network);
    report_->add_option("--require", report_command_.required, "A property that must hold besides the usual ones")
        ->type_name("ID")
        ->take_all()
        ->expected(1);
    report_
        ->add_option("--staging", report_command_.limits.staging,
                     "Blocks that a rank may hold for others after a step; requires it")
        ->type_name("K")
        ->check(whole_number);
    report_
        ->add_option("--budget", report_command_.budget,
                     "Block transfers to judge, and links that messages may cross, at most")
        ->type_name("N")
        ->default_val(default_budget)
        ->check(whole_number);
    report_->add_option("-o,--output", report_command_.output, "The page to write, report.html; - prints it")
        ->type_name("FILE")
        ->required()
        ->check(file_name);
  }

  /// `verify --json list` would lose the option.
  Result<void> refuse_early_options(const CLI::App& command) const {
    for (const CLI::Option* option : app_.get_options())
      if (option->count() > 0)
        return usage_error(fmt::format("write {} after '{}'", option->get_name(), command.get_name()));
    return {};
  }

  static Result<void> refuse_extras(const CLI::App& command) {
    const auto extras = command.remaining();
    if (extras.empty()) return {};
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    const std::vector<std::string_view> known(flags.begin(), flags.end());
    return usage_error(fmt::format("unexpected argument '{}'{}; see 'verify --help'", extras.front(),
                                   suggestion(extras.front(), known)));
  }

  /// `verify lst` reads as a file name; if there is no such file, a command was probably meant.
  Result<void> refuse_mistyped_command() const {
    const std::string& file = verify_command_.subject.file;
    constexpr std::array<std::string_view, 9> commands{"list",  "explain",    "export", "draw", "report",
                                                       "prove", "contention", "cost",   "lint"};
    const auto near = closest(file, commands);
    if (!near || read_file(file)) return {};
    return usage_error(fmt::format("'{}' is no file and no command; did you mean 'verify {}'?", file, *near));
  }

  CLI::App app_{"Proves that a schedule of a collective communication delivers every contribution exactly once.",
                "verify"};
  CLI::App* list_ = nullptr;
  CLI::App* explain_ = nullptr;
  CLI::App* export_ = nullptr;
  CLI::App* draw_ = nullptr;
  CLI::App* report_ = nullptr;
  CLI::App* lint_ = nullptr;
  CLI::App* prove_ = nullptr;
  CLI::App* contention_ = nullptr;
  CLI::App* cost_ = nullptr;
  VerifyCommand verify_command_;
  ListCommand list_command_;
  ExplainCommand explain_command_;
  ExportCommand export_command_;
  DrawCommand draw_command_;
  ReportCommand report_command_;
  LintCommand lint_command_;
  ProveCommand prove_command_;
  ContentionCommand contention_command_;
  CostCommand cost_command_;
};

int run_program(int argc, char** argv) {
  handle_interrupts();
  const Result<ExitCode> end = CommandLine().run(argc, argv);
  if (end) return static_cast<int>(*end);
  fmt::print(stderr, "{}{}\n", end.error().code == ExitCode::malformed ? "" : "verify: ", end.error().message);
  return static_cast<int>(end.error().code);
}

}  // namespace

}  // namespace onceover::cli

int main(int argc, char** argv) {
  try {
    return onceover::cli::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "verify: out of memory\n");
    return static_cast<int>(onceover::cli::ExitCode::unknown);
  } catch (const std::exception& e) {
    fmt::print(stderr, "verify: internal error: {}\n", e.what());
    return static_cast<int>(onceover::cli::ExitCode::internal);
  }
}
