// What isn't in the module: other programs, threads that watch, and Boost's reader of DOT. Each says so, in place
// of the sources that CMakeLists.txt leaves out.

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "base/interrupts.h"
#include "base/process.h"
#include "cli/command_line.h"
#include "network/graph_text.h"

namespace onceover {

namespace base {

/// A page's worker is ended as a whole, with its files.
void handle_interrupts() {}

bool was_interrupted() {
  return false;
}

void end_interrupted_with(ExitCode) {}

ExitCode code_of_interrupt() {
  return ExitCode::interrupted;
}

void end_after_reports(ExitCode code, const std::string& message, std::chrono::milliseconds) {
  end_program(code, message);
}

void end_program(ExitCode code, std::string_view) {
  std::exit(static_cast<int>(code));
}

std::unique_lock<std::recursive_mutex> hold_interrupts() {
  static std::recursive_mutex mutex;
  return std::unique_lock(mutex);
}

RemovedOnInterrupt::RemovedOnInterrupt(std::string path) : path_(std::move(path)) {}
RemovedOnInterrupt::~RemovedOnInterrupt() = default;

/// No program runs here; what pictures lack without one is said in the playground's words.
tl::expected<ProcessEnd, int> run_process(const Invocation& invocation, const ProcessLimits&) {
  const auto lacks = [](std::string_view what) {
    return ProcessEnd{ProcessEnd::Exceeded::nothing, 1, 0, "", std::string(what)};
  };
  if (invocation.program == "dot")
    return lacks("this picture needs Graphviz to place its parts, and the playground has none");
  if (invocation.program == "rsvg-convert") return lacks("the playground draws SVG, TikZ and DOT only");
  return tl::unexpected(ENOENT);
}

std::optional<std::string> find_on_path(const std::string&) {
  return std::nullopt;
}

}  // namespace base

namespace network {

tl::expected<ReadGraph, SourceError> read_dot(std::string_view text, std::string_view name) {
  return tl::unexpected(source_error(
      name, text, 0, "networks in DOT can't be read in the playground; the program reads them, the playground GraphML"));
}

}  // namespace network

namespace cli {

Failure become_distributed(char**) {
  return {ExitCode::usage, "--distributed: there are no other processes in the playground"};
}

std::string completions(const CLI::App&, const std::vector<std::string>&) {
  return "";
}

namespace {

/// main.cpp refuses these commands before their options are read.
Runner not_here(std::string_view command) {
  return [=]() -> Result<ExitCode> {
    return usage_error(fmt::format("{} isn't in the playground: it runs other programs or keeps a solver", command));
  };
}

}  // namespace

Runner add_claims(CLI::App&) {
  return not_here("claims");
}

Runner add_code(CLI::App&) {
  return not_here("code");
}

Runner add_completion(CLI::App&) {
  return not_here("completion");
}

Runner add_gate(CLI::App&) {
  return not_here("gate");
}

Runner add_gpu(CLI::App&) {
  return not_here("gpu");
}

Runner add_live(CLI::App&) {
  return not_here("live");
}

Runner add_optimum(CLI::App&) {
  return not_here("optimum");
}

Runner add_watch(CLI::App&) {
  return not_here("watch");
}

}  // namespace cli

}  // namespace onceover
