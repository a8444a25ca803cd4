// `verify gpu`: judges GPU kernels from their PTX.

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "cli/colors.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "gpu/description_judge.h"
#include "gpu/ptx/module.h"
#include "gpu/report.h"
#include "subjects/option_values.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

/// A line for an argument, with what is known about it.
std::string argument_line(std::size_t position, const gpu::ptx::PtxVariable& parameter) {
  const bool is_scalar = parameter.bytes <= 8 && parameter.type != "b8";
  if (!is_scalar)
    return fmt::format("{} = {{ 0 = \"?\" }}          # a struct of {} bytes: items by their offsets\n", position,
                       parameter.bytes);
  if (parameter.bytes == 8)
    return fmt::format("{} = \"?\"                  # .{}: an address, such as \"in@r\", or a number\n", position,
                       parameter.type);
  return fmt::format("{} = \"?\"                  # .{}: a number, such as \"n\", \"r\", \"p\" or \"k + 1\"\n",
                     position, parameter.type);
}

std::string kernel_text(const gpu::ptx::Function& entry) {
  std::string text = fmt::format("[[kernel]]                 # line {}\nentry = \"{}\"\ngrid = \"?\"\nblock = \"?\"\n",
                                 entry.line, entry.name);
  for (const gpu::ptx::PtxVariable& variable : entry.variables)
    if (variable.is_unsized) text += "shared = \"?\"               # bytes of dynamic shared memory\n";
  text += "[kernel.arguments]\n";
  for (std::size_t k = 0; k < entry.parameters.size(); ++k) text += argument_line(k, entry.parameters[k]);
  return text;
}

/// A description with the module's entries, their parameters and their variables, for people to complete. Where they
/// must, it has a '?', so that it isn't a description yet.
std::string draft(const gpu::ptx::Module& module) {
  std::string text = fmt::format(
      "# A draft: put something in the place of each '?', and remove the kernels that a call doesn't run.\n"
      "ptx = \"{}\"\nranks = \"2..4\"\nn = \"?\"\ncalls = 3\n\n"
      "[buffer.in]\ntype = \"?\"                # f32, bf16, f16, ..\ncount = \"n\"\nrole = \"input\"\n\n"
      "[buffer.out]\ntype = \"?\"\ncount = \"n\"\nrole = \"output\"\n\n"
      "[buffer.flags]\ntype = \"u32\"\ncount = \"?\"\nrole = \"memory\"\nfill = 0\n\n"
      "[expect]\nout = \"?\"                 # allreduce(in), reduce-scatter(in), allgather(in), broadcast(in, root = "
      "0), ..\n",
      module.name);
  for (const gpu::ptx::PtxVariable& variable : module.variables) {
    if (variable.is_unsized)
      text +=
          fmt::format("\n# {} is dynamic shared memory: give its size, shared = \"?\", to the kernels that use it.\n",
                      variable.name);
    else if (variable.space == gpu::ptx::StateSpace::global || variable.space == gpu::ptx::StateSpace::constant)
      text += fmt::format("\n# {} is a variable of {} bytes on each rank; its address is \"{}@r\".\n", variable.name,
                          variable.bytes, variable.name);
  }
  for (const gpu::ptx::Function& function : module.functions)
    if (function.is_entry && !function.is_declared_only) text += "\n" + kernel_text(function);
  return text;
}

struct GpuCommand {
  std::string file = {};    // a launch description, or with --launch a program: PTX or CUDA
  std::string launch = {};  // a launch description, for that program
  std::optional<RankList> ranks = {};
  std::vector<std::int64_t> sizes = {};
  std::optional<std::uint32_t> seeds = {};
  std::uint64_t seed = 1;
  std::uint32_t most_starved = 64;
  std::uint64_t most_instructions = 1'000'000'000;
  bool newest_values = false;
  bool exhaustive = false;
  std::uint64_t most_runs = 10'000;
  bool describe = false;
  bool strict = false;  // without the grants of the description
  bool full = false;
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  JsonOutput json = {};
  std::string counterexample_out = {};
};

bool is_program(std::string_view path) {
  return path.ends_with(".ptx") || path.ends_with(".cu");
}

gpu::GpuJudgeOptions options_of(const GpuCommand& command) {
  gpu::GpuJudgeOptions options{.seeds = command.seeds,
                               .seed = command.seed,
                               .most_starved = command.most_starved,
                               .older_values = !command.newest_values,
                               .torn_vectors = !command.newest_values,
                               .exhaustive = command.exhaustive,
                               .most_runs = command.most_runs,
                               .most_instructions = command.most_instructions,
                               .required = command.required,
                               .waived = command.waived};
  if (command.strict) options.grants = gpu::Grants{};
  return options;
}

Result<gpu::LoadedDescription> load(const GpuCommand& command) {
  const bool has_program = !command.launch.empty();
  const std::string& file = has_program ? command.launch : command.file;
  if (!has_program && is_program(file))
    return usage_error(
        fmt::format("gpu: say how {0} is launched: --launch FILE.toml; 'verify gpu --describe {0}' "
                    "drafts one",
                    file));
  const std::string text = TRY(read_file(file));
  gpu::DescriptionOverrides overrides{.sizes = command.sizes};
  if (command.ranks) overrides.ranks = command.ranks->value;
  return gpu::load_description(file, text, std::move(overrides), has_program ? command.file : "");
}

Result<void> check_outputs(const GpuCommand& command, const std::string& reader, const std::string& file) {
  return check_distinct({{reader, file}, {"--launch", command.launch}},
                        {{"--json-out", command.json.file}, {"--draw-counterexample", command.counterexample_out}});
}

Result<void> check_picture(const GpuCommand& command) {
  const std::string& path = command.counterexample_out;
  if (path.empty()) return {};
  if (is_standard_stream(path) && command.json.takes_output())
    return usage_error("either --json or --draw-counterexample -, not both");
  TRY(picture_format(path));
  return check_writable(path);
}

/// A picture on standard output is alone there.
Result<void> give_report(const GpuCommand& command, const gpu::GpuReport& report) {
  const auto json = [&] { return gpu::report_json(report).dump(2) + "\n"; };
  if (!is_standard_stream(command.counterexample_out))
    return give_result(command.json, json, [&] { return gpu::report_text(report, command.full); });
  return command.json.file.empty() ? Result<void>() : write_text(command.json.file, json());
}

/// The verdict is the same with or without a picture.
void draw_failure(const GpuCommand& command, const gpu::JudgedDescription& launches) {
  if (command.counterexample_out.empty() || gpu::overall(launches.report) != Verdict::fail) return;
  const auto drawn = within_limits([&] { return draw_counterexample(launches, command.counterexample_out); });
  if (!drawn || !*drawn) warn("not drawn: " + (drawn ? drawn->error().message : drawn.error()));
}

Result<ExitCode> judge(const GpuCommand& command) {
  TRY(check(command.json));
  TRY(check_picture(command));
  TRY(check_outputs(command, "FILE", command.file));
  TRY(gpu::check_gpu_properties(command.required));
  TRY(gpu::check_gpu_properties(command.waived));
  gpu::JudgedDescription launches{TRY(load(command)), {}};
  TRY(check_outputs(command, "the program", launches.loaded.program.module->name));
  launches.report = gpu::judge(launches.loaded, options_of(command));
  const gpu::GpuReport& report = launches.report;
  TRY(give_report(command, report));
  draw_failure(command, launches);
  return exit_code(gpu::overall(report));
}

/// The least and most of a number, for CLI11.
CLI::Range between(std::uint64_t least, std::uint64_t most) {
  return {least, most};
}

Result<std::string> parse_property_id(const std::string& text) {
  if (!text.empty()) return text;
  return usage_error("--require, --waive: expected a property");
}

void describe(const CommandApp& app, GpuCommand& command) {
  app.group(subject_group);
  app.add_option("FILE", command.file, "A launch description (TOML); with --launch or --describe PTX, or CUDA")
      ->required()
      ->check(not_empty);
  app.add_file("--launch", command.launch, "The launch description by which the PTX or CUDA in FILE runs");
  app->add_flag("--describe", command.describe, "Draft a launch description of the PTX or CUDA in FILE, judge nothing");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks, instead of the description's: 2..8");
  app.add_option("--n N", command.sizes, "Sizes n, instead of the description's; may be repeated")
      ->check(between(1, 1'000'000'000));
  app.group("Interleavings");
  app.add_option("--seeds N", command.seeds,
                 "Random interleavings (default: the description's, which is 8 unless it says)")
      ->check(between(0, 1'000'000));
  app.add_option("--seed S", command.seed, "The first of their seeds (default: 1)");
  app.add_option("--starve N", command.most_starved,
                 "Starve at most so many warps, and so many blocks, each in an interleaving of its own (default: 64)")
      ->check(between(0, 1'000'000));
  CLI::Option* newest_values =
      app->add_flag("--newest-values", command.newest_values,
                    "Reads return the newest values only, and vectors as a whole, also in random interleavings");
  CLI::Option* exhaustive =
      app->add_flag("--exhaustive", command.exhaustive,
                    "Then all interleavings of strong accesses, with all older values: for two ranks and few threads")
          ->excludes(newest_values);
  app->add_flag("--strict", command.strict, "Without the grants of the description: PTX as it is written");
  app.group(property_group);
  app.add_list("--require LIST", command.required, parse_property_id,
               "Require properties besides the usual ones: order-preserving");
  app.add_list("--waive LIST", command.waived, parse_property_id,
               "Don't require these properties, which are by default: bitwise-reproducible, ..");
  app.group(output_group);
  app->add_flag("--full", command.full, "Print every property");
  add_json(app, command.json);
  app.add_file("--draw-counterexample", command.counterexample_out,
               fmt::format("Draw the first launch that fails into this file: {}", picture_suffixes()));
  app.group(limits_group);
  app.add_option("--instructions N", command.most_instructions,
                 "Give up on an interleaving after this many instructions (default: 1000000000)")
      ->check(between(1, 1'000'000'000'000));
  app.add_option("--runs N", command.most_runs,
                 "Give up on all interleavings after this many runs (default: 10000); with --exhaustive")
      ->needs(exhaustive)
      ->check(between(1, 1'000'000'000'000));
}

Result<ExitCode> run(const GpuCommand& command) {
  if (command.describe) {
    const auto program = TRY(gpu::load_program_file(command.file));
    TRY(print(draft(*program.module)));
    return ExitCode::ok;
  }
  return judge(command);
}

}  // namespace

Runner add_gpu(CLI::App& app) {
  return run_with<GpuCommand>(app);
}

}  // namespace onceover::cli
