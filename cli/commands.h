// The commands of `verify`, apart from how their options are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "base/telling.h"
#include "cli/json_output.h"
#include "cli/plot_files.h"
#include "formats/msccl_profile.h"
#include "papers/presets.h"
#include "programs/blocking.h"
#include "proofs/theorem.h"
#include "subjects/comparison.h"
#include "subjects/metric_limits.h"
#include "subjects/network_options.h"
#include "subjects/subject.h"
#include "verifier/property.h"
#include "verifier/verify.h"

namespace onceover::cli {

/// A row of the formats that schedules are exported to.
struct ExportFormat;

enum class SolverName : std::uint8_t { z3, cvc5 };

struct VerifyCommand {
  SubjectOptions subject;  // without an algorithm
  std::vector<const Algorithm*> algorithms = {};
  std::vector<std::string> required = {};
  bool json = false;
  std::string json_out = {};
  std::uint64_t budget = 0;
  Bounds bounds = {};
  LimitOptions metric_limits = {};
  bool full = false;                    // print all properties and metrics
  bool fail_fast = false;               // stop after the first failure
  bool symmetry = false;                // rest the verdict on a symmetry, if there is one, however small the schedule
  bool no_symmetry = false;             // never do
  std::string counterexample_out = {};  // a picture of the first failure
  std::optional<std::vector<CallOrder>> blocking = {};  // of calls that are judged in place of the schedule
  Later<std::uint32_t> fifo = {};                       // programs: messages that a connection holds
  Later<const MscclProfile*> profile = {};              // MSCCL XML: the runtime that it is judged for
  std::string certificate = {};                         // a file for what verify-check can check
  bool distributed = false;                             // needs a team
  Team* team = nullptr;  // processes that carry out the command together; only number 0's is heard
};

struct LintCommand {
  std::string file = {};
  const MscclProfile* profile = nullptr;
  JsonOutput json = {};
};

struct ProveCommand {
  const Theorem* theorem = nullptr;
  const Algorithm* algorithm = nullptr;
  bool all = false;
  std::optional<Formula> peer = {};    // a formula of the user's
  std::optional<Formula> steps = {};   // its number of steps
  std::optional<RankList> ranks = {};  // a bounded proof for these p
  Result<std::vector<SolverName>> solvers = std::vector{SolverName::z3};
  std::string smt2_folder = {};
  std::string coq_folder = {};
  bool full = false;
  JsonOutput json = {};
};

struct ContentionCommand {
  SubjectOptions subject;
  NetworkOptions network;
  Later<int> step = {};  // one step's loads rather than all
  std::string csv = {};
  PlotFiles plot = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // links crossed by messages
};

struct CostCommand {
  SubjectOptions subject;  // without an algorithm
  Contenders contenders = {};
  NetworkOptions network;
  std::optional<std::vector<const Preset*>> presets = {};  // settings of papers
  Later<std::vector<double>> bytes = {};                   // of the vector
  Later<std::vector<double>> bytes_per_rank = {};          // in its place
  std::optional<Mode> mode = {};
  std::string csv = {};
  PlotFiles plot = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;
};

struct ExplainCommand {
  const Property* property = nullptr;
};

struct ExportCommand {
  SubjectOptions subject;
  const ExportFormat* format = nullptr;
  std::string output = {};                // empty or "-": standard output
  bool in_place = false;                  // programs: the result is made where the data lies
  Later<std::int32_t> channels = {};      // MSCCL XML: nothing: as few as its limits allow
  Later<std::string_view> protocol = {};  // MSCCL XML
  bool rccl_names = false;                // collectives as RCCL calls them
  std::uint64_t bytes = 0;                // GOAL: of the vector
  std::string name = {};                  // MPI: of the function
};

struct DrawCommand {
  SubjectOptions subject;
  NetworkOptions network = {};            // for views that show one
  std::string view = {};                  // of schedules or of programs: what the subject is says of which
  Later<std::uint32_t> fifo = {};         // programs: messages that a connection holds
  Later<std::string> format = {};         // nothing: by the name of the output
  std::string output = {};                // empty or "-": standard output
  Result<std::vector<int>> ranks = {};    // only what these send
  Later<std::pair<int, int>> steps = {};  // only these
  Result<std::vector<int>> blocks = std::vector{0};
  Later<double> width = {};  // inches
  std::string font = {};
  Later<double> font_size = {};  // points
  bool counts = false;
  bool no_wrap = false;
};

struct ReportCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::vector<std::string> required = {};
  Bounds bounds = {};
  std::uint64_t budget = 0;  // for each: block transfers judged, links crossed by messages
  std::string output = {};   // "-": standard output
};

struct ListCommand {
  const Algorithm* row = nullptr;  // null: all rows
  bool as_printed = false;         // of all rows, also those that are wrong as printed
  JsonOutput json = {};
};

struct CompletionCommand {
  std::string shell = {};
};

struct ManualCommand {};

struct HelpCommand {
  std::string about = {};  // the name of a command; empty: verify itself
};

/// Each prints what it has to say on standard output and returns how the program should end; a Failure's message is
/// for standard error.
Result<ExitCode> run(const VerifyCommand& command);
Result<ExitCode> run(const ExportCommand& command);
Result<ExitCode> run(const ContentionCommand& command);
Result<ExitCode> run(const CostCommand& command);
Result<ExitCode> run(const DrawCommand& command);
Result<ExitCode> run(const ReportCommand& command);
Result<ExitCode> run(const ExplainCommand& command);
Result<ExitCode> run(const ProveCommand& command);
Result<ExitCode> run(const ListCommand& command);
Result<ExitCode> run(const LintCommand& command);
Result<ExitCode> run(const CompletionCommand& command);
Result<ExitCode> run(const ManualCommand& command);
Result<ExitCode> run(const HelpCommand& command);

/// What the texts of options are that one command has; errors name the flag.
Result<std::vector<CallOrder>> parse_call_orders(const std::string& text);
Result<const Property*> parse_explained(const std::string& text);
Result<const Algorithm*> parse_listed(const std::string& text);
Result<const Theorem*> parse_theorem(const std::string& text);
Result<std::vector<SolverName>> parse_solvers(const std::string& text);
Result<int> parse_step(const std::string& text);
Result<const ExportFormat*> parse_export_format(const std::string& text);
Result<std::int32_t> parse_channels(const std::string& text);
Result<std::string_view> parse_protocol(const std::string& text);
Result<std::uint32_t> parse_drawn_fifo(const std::string& text);
Result<std::string> parse_picture_format(const std::string& text);
Result<std::vector<int>> parse_drawn_ranks(const std::string& text);
Result<std::vector<int>> parse_drawn_blocks(const std::string& text);
Result<std::pair<int, int>> parse_drawn_steps(const std::string& text);
Result<double> parse_width(const std::string& text);
Result<double> parse_font_size(const std::string& text);

/// `verify --blocking`: whether schedules as blocking calls end.
Result<ExitCode> run_blocking_orders(const VerifyCommand& command);

/// Draws the counterexample of a run that failed into a file, in the format that its name asks for.
Result<void> draw_counterexample(const Schedule& schedule, const Report& report, const std::string& path);

/// The formats of `verify export`: their names, and for --help "json, goal or mpi, which is C".
std::vector<std::string_view> export_format_names();
std::string export_formats_in_words();

/// The views, for `verify draw --help`.
std::string draw_help();

/// The format that a picture's file name asks for: svg, pdf, png or dot, which standard output gets.
Result<std::string> picture_format(const std::string& path);

}  // namespace onceover::cli
