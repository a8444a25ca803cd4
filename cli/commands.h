// The commands of `verify`, apart from how their options are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/telling.h"
#include "cli/plot_files.h"
#include "subjects/metric_limits.h"
#include "subjects/network_options.h"
#include "subjects/subject.h"
#include "verifier/property.h"
#include "verifier/verify.h"

namespace onceover::cli {

struct VerifyCommand {
  SubjectOptions subject;
  std::vector<std::string> required = {};
  bool json = false;
  std::string json_out = {};
  std::uint64_t budget = 0;
  Limits limits = {};
  LimitOptions metric_limits = {};
  bool full = false;                    // print all properties and metrics
  bool fail_fast = false;               // stop after the first failure
  bool symmetry = false;                // rest the verdict on a symmetry, if there is one, however small the schedule
  bool no_symmetry = false;             // never do
  std::string counterexample_out = {};  // a picture of the first failure
  std::string blocking = {};            // orders of blocking calls, to be judged in place of the schedule
  std::string fifo = {};                // programs: messages that a connection holds
  std::string profile = {};             // MSCCL XML: the runtime that it is judged for
  std::string certificate = {};         // a file for what verify-check can check
  bool distributed = false;             // needs a team
  Team* team = nullptr;                 // processes that carry out the command together; only number 0's is heard
};

struct LintCommand {
  std::string file = {};
  std::string profile = {};
  bool json = false;
};

struct ProveCommand {
  std::string theorem = {};
  std::string algorithm = {};
  bool all = false;
  std::string peer = {};     // a formula of the user's
  std::string steps = {};    // its number of steps
  std::string ranks = {};    // a bounded proof for these p
  std::string solvers = {};  // names, separated by commas
  std::string smt2_folder = {};
  std::string coq_folder = {};
  bool full = false;
  bool json = false;
};

struct ContentionCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::string step = {};  // one step's loads rather than all
  std::string csv = {};
  PlotFiles plot = {};
  bool json = false;
  std::uint64_t budget = 0;  // links crossed by messages
};

struct CostCommand {
  SubjectOptions subject;  // algorithm: contenders separated by commas, versions of one joined by +
  NetworkOptions network;
  std::string preset = {};  // a setting of a paper
  std::string bytes = {};
  std::string mode = {};
  std::string csv = {};
  PlotFiles plot = {};
  bool json = false;
  std::uint64_t budget = 0;
};

struct ExplainCommand {
  std::string id;
};

struct ExportCommand {
  SubjectOptions subject;
  std::string format = {};
  std::string output = {};    // empty or "-": standard output
  bool in_place = false;      // programs: the result is made where the data lies
  std::string channels = {};  // MSCCL XML: empty: as few as its limits allow
  std::string protocol = {};
  bool rccl_names = false;  // collectives as RCCL calls them
  std::uint64_t bytes = 0;  // GOAL: of the vector
  std::string name = {};    // MPI: of the function
};

struct DrawCommand {
  SubjectOptions subject;
  NetworkOptions network = {};  // for views that show one
  std::string view = {};
  std::string fifo = {};    // programs: messages that a connection holds
  std::string format = {};  // empty: by the name of the output
  std::string output = {};  // empty or "-": standard output
  std::string ranks = {};   // only what these send
  std::string steps = {};   // only these
  std::string blocks = "0";
  std::string width = {};  // 3.3in, 84mm
  std::string font = {};
  std::string font_size = {};
  bool counts = false;
  bool no_wrap = false;
};

struct ReportCommand {
  SubjectOptions subject;
  NetworkOptions network;
  std::vector<std::string> required = {};
  Limits limits = {};
  std::uint64_t budget = 0;  // for each: block transfers judged, links crossed by messages
  std::string output = {};   // "-": standard output
};

struct ListCommand {
  std::string name = {};    // empty: all rows
  bool as_printed = false;  // of all rows, also those that are wrong as printed
  bool json = false;
};

struct CompletionCommand {
  std::string shell = {};
};

struct ManualCommand {};

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

/// `verify --blocking`: whether schedules as blocking calls end.
Result<ExitCode> run_blocking_orders(const VerifyCommand& command);

/// Draws the counterexample of a run that failed into a file, in the format that its name asks for.
Result<void> draw_counterexample(const Schedule& schedule, const Report& report, const std::string& path);

/// The views, for `verify draw --help`.
std::string draw_help();

/// The format that a picture's file name asks for: svg, pdf, png or dot, which standard output gets.
Result<std::string> picture_format(const std::string& path);

}  // namespace onceover::cli
