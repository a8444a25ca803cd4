// The commands of `verify` as values, independent of how their options are written.
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
#include "formats/plan.h"
#include "gpu/judged_pointer.h"
#include "network/group_words.h"
#include "papers/presets.h"
#include "programs/blocking.h"
#include "proofs/theorem.h"
#include "subjects/comparison.h"
#include "subjects/input_kind.h"
#include "subjects/limit.h"
#include "subjects/network_options.h"
#include "subjects/subject.h"
#include "verifier/property.h"
#include "verifier/verify.h"

namespace onceover::cli {

using subjects::Shape;  // not that of code

/// A row of the formats that schedules are exported to.
struct ExportFormat;

enum class SolverName : std::uint8_t { z3, cvc5 };

struct VerifyCommand {
  SubjectOptions subject;
  std::vector<std::string> files = {};  // and folders; if it is one file, the subject's
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  bool json = false;
  std::string json_out = {};
  std::uint64_t budget = 0;
  Bounds bounds = {};
  LimitOptions metric_limits = {};
  bool full = false;                    // print all properties and metrics
  bool fail_fast = false;               // stop after the first failure
  bool symmetry = false;                // rest the verdict on a symmetry, if there is one, even of a small schedule
  bool no_symmetry = false;             // never rest it on a symmetry
  std::string counterexample_out = {};  // a file for a picture of the first failure
  bool repair = false;                  // look longer for a repair of what fails
  bool suggest = false;                 // look for right formulas near to that of the peers
  std::string repair_out = {};          // a file for the first failure's schedule, repaired
  std::optional<std::vector<CallOrder>> blocking = {};  // orders of blocking calls to judge instead of the schedule
  std::optional<std::uint32_t> fifo = {};               // programs: how many messages a connection holds
  std::optional<const MscclProfile*> profile = {};      // MSCCL XML: the runtime for which it is judged
  std::optional<PlanReading> reading = {};              // plans: as documented, or as a runtime runs them
  std::optional<Written<MessageSizes>> sizes = {};      // plans: sizes of messages to judge
  std::string certificate = {};                         // a file for the certificate, which verify-check reads
  bool distributed = false;                             // needs a team
  Team* team = nullptr;                                 // processes that run the command together; only number 0 prints
};

struct LintCommand {
  std::string file = {};
  LintProfile profile = {};
  JsonOutput json = {};
};

struct ProveCommand {
  const Theorem* theorem = nullptr;
  SubjectOptions subject = {};  // algorithms, or a formula; with ranks the proof is bounded
  bool all = false;
  std::vector<SolverName> solvers = {SolverName::z3};
  std::string smt2_folder = {};
  std::string coq_folder = {};
  bool full = false;
  JsonOutput json = {};
};

struct ContentionCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::optional<int> step = {};  // show the loads of one step, not of all
  std::string beside = {};       // another algorithm or file, compared step by step
  std::string csv = {};
  PlotFiles plot = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // links crossed by messages
};

struct BoundCommand {
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  Collective collective = Collective::allreduce;
  std::optional<Rank> root = {};
  NetworkOptions network = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // links that maximum flows look at
};

struct OptimumCommand {
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  std::optional<Collective> collective = {};
  std::optional<Rank> root = {};
  std::optional<std::uint64_t> steps = {};   // not given: the least
  std::optional<std::uint64_t> ports = {};   // messages that a rank sends, and receives, in a step
  std::optional<std::uint64_t> volume = {};  // blocks that a rank sends
  std::optional<std::uint64_t> blocks = {};
  const LetterSet* letters = nullptr;  // instead of all schedules: those that look alike from every rank
  NetworkOptions network = {};
  std::vector<SolverName> solvers = {SolverName::z3};
  std::string schedule_out = {};
  std::string smtlib_out = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // units of Z3's work on a question, or beginnings of words
};

struct CostCommand {
  SubjectOptions subject;  // without algorithms
  Contenders contenders = {};
  NetworkOptions network;
  std::optional<std::vector<const Preset*>> presets = {};  // settings of papers
  std::optional<std::vector<double>> bytes = {};           // of the vector
  std::optional<std::vector<double>> bytes_per_rank = {};  // instead of the vector's size
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
  std::string output = {};                        // empty or "-": standard output
  bool in_place = false;                          // programs: the result replaces the input
  std::optional<std::int32_t> channels = {};      // MSCCL XML; not given: as few as its limits allow
  std::optional<std::string_view> protocol = {};  // MSCCL XML, MSCCL++
  bool rccl_names = false;                        // MSCCL XML: RCCL's names of collectives
  std::uint64_t bytes = 0;                        // GOAL: of the vector
  std::string name = {};                          // MPI: of the function
};

struct DrawCommand {
  SubjectOptions subject;
  NetworkOptions network = {};                    // for views that show a network
  std::string view = "steps";                     // of schedules or of programs, whichever the subject is
  std::optional<std::uint32_t> fifo = {};         // programs: how many messages a connection holds
  std::optional<std::vector<double>> bytes = {};  // of the vector: draw times
  std::optional<Mode> mode = {};                  // how they are computed
  std::optional<std::string> format = {};         // not given: by the name of the output
  std::string output = {};                        // empty or "-": standard output
  std::vector<int> ranks = {};                    // show only what these send
  std::optional<std::pair<int, int>> steps = {};  // show only these
  std::vector<int> blocks = {0};
  std::optional<double> width = {};   // inches
  std::optional<double> height = {};  // inches
  std::string font = {};
  std::optional<double> font_size = {};  // points
  bool counts = false;
  bool no_wrap = false;
  bool animate = false;     // a film of the steps; a .gif is one anyway
  std::string beside = {};  // another algorithm or file, drawn to the right
};

struct ReportCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  Bounds bounds = {};
  std::uint64_t budget = 0;  // at most, each: block transfers judged, links crossed by messages
  std::string output = {};   // "-": standard output
  std::string beside = {};   // another algorithm or file on the same page
};

struct ListCommand {
  const Algorithm* row = nullptr;  // null: all rows
  bool as_printed = false;         // list also the rows that are wrong as printed
  JsonOutput json = {};
};

struct CompletionCommand {
  std::string shell = {};
};

struct ManualCommand {};

struct HelpCommand {
  std::string about = {};  // the name of a command; empty: verify itself
};

/// Each function prints its results on standard output and returns the exit code. The message of a Failure is for
/// standard error.
Result<ExitCode> run(const VerifyCommand& command);
Result<ExitCode> run(const ExportCommand& command);
Result<ExitCode> run(const ContentionCommand& command);
Result<ExitCode> run(const BoundCommand& command);
Result<ExitCode> run(const OptimumCommand& command);
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

/// Parsers for options that only one command has; their errors name the option.
Result<std::vector<CallOrder>> parse_call_orders(const std::string& text);
Result<const Property*> parse_explained(const std::string& text);
Result<const Algorithm*> parse_listed(const std::string& text);
Result<const Theorem*> parse_theorem(const std::string& text);
Result<std::vector<SolverName>> parse_solvers(const std::string& text);
Result<const LetterSet*> parse_letters(const std::string& text);
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
Result<double> parse_height(const std::string& text);
Result<double> parse_font_size(const std::string& text);

/// `verify --blocking`: do schedules end as blocking calls?
Result<ExitCode> run_blocking_orders(const VerifyCommand& command);

/// Draws the counterexample of a failed run into a file, in the format that the file's name ends with.
Result<void> draw_counterexample(const Schedule& schedule, const Verification& run, const std::string& path);

/// Draws what goes wrong in the first launch that fails.
Result<void> draw_counterexample(const gpu::JudgedDescription& launches, const std::string& path);

/// The formats of `verify export`: their names, and in words for --help, "json, goal or mpi, which is C".
std::vector<std::string_view> export_format_names();
std::string export_formats_in_words();

/// The views, for `verify draw --help`.
std::string draw_help();

/// What names of pictures and of plots may end with: ".svg, .pdf, .eps, .png, .tikz, .tex or .dot".
std::string picture_suffixes();
std::string plot_suffixes();

/// The format that a picture's file name asks for: svg, pdf, ..; dot for standard output.
Result<std::string> picture_format(const std::string& path);

}  // namespace onceover::cli
