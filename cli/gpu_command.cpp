#include "cli/gpu_command.h"

#include <fmt/format.h>

#include <utility>

#include "base/files.h"
#include "base/resource_limits.h"
#include "base/telling.h"
#include "base/try.h"
#include "cli/colors.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "gpu/description_judge.h"
#include "gpu/launch/draft.h"
#include "gpu/report.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

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
Result<void> give(const GpuCommand& command, const gpu::GpuReport& report) {
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
  TRY(give(command, report));
  draw_failure(command, launches);
  return exit_code(gpu::overall(report));
}

}  // namespace

Result<ExitCode> run(const GpuCommand& command) {
  if (command.describe) {
    const auto program = TRY(gpu::load_program_file(command.file));
    TRY(print(gpu::draft(*program.module)));
    return ExitCode::ok;
  }
  return judge(command);
}

}  // namespace onceover::cli
