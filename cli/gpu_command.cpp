// A description is about several numbers of ranks and sizes; each pair is a launch, judged after the other. Mistakes in
// the description that only some of them show are found before anything is judged.

#include "cli/gpu_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/closest.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/telling.h"
#include "base/try.h"
#include "cli/colors.h"
#include "cli/output_files.h"
#include "gpu/judge.h"
#include "gpu/launch/concrete.h"
#include "gpu/launch/draft.h"
#include "gpu/launch/program.h"
#include "gpu/report.h"
#include "verifier/property.h"

namespace onceover::cli {

namespace {

tl::unexpected<Failure> malformed(const SourceError& error) {
  return tl::unexpected(Failure{ExitCode::malformed, error.render()});
}

/// PTX or CUDA, by the file's name.
Result<gpu::LoadedProgram> program_in(const std::string& path) {
  const bool is_source = path.ends_with(".cu") || path.ends_with(".cuh");
  return is_source ? gpu::load_source(path) : gpu::load_ptx(path);
}

bool is_program(std::string_view path) {
  return path.ends_with(".ptx") || path.ends_with(".cu");
}

Result<void> check_properties(const std::vector<std::string>& ids) {
  std::vector<std::string_view> known;
  for (const gpu::GpuProperty& row : gpu::gpu_properties()) known.push_back(row.property->id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end()) return no_such("gpu: no property", id, known);
  return {};
}

class GpuJudgement {
 public:
  explicit GpuJudgement(const GpuCommand& command) : command_(command) {}

  Result<ExitCode> run() {
    TRY(check(command_.json));
    TRY(check_distinct({{"FILE", command_.file}, {"--launch", command_.launch}}, {{"--json-out", command_.json.file}}));
    TRY(read());
    TRY(make_launches());
    judge();
    TRY(give_result(
        command_.json, [&] { return gpu::report_json(report_).dump(2) + "\n"; },
        [&] { return gpu::report_text(report_, command_.full); }));
    switch (gpu::overall(report_)) {
      case Verdict::pass: return ExitCode::ok;
      case Verdict::fail: return ExitCode::violated;
      case Verdict::unknown: break;
    }
    return ExitCode::unknown;
  }

 private:
  Result<void> read() {
    const bool has_program = !command_.launch.empty();
    const std::string& file = has_program ? command_.launch : command_.file;
    if (!has_program && is_program(file))
      return usage_error(
          fmt::format("gpu: say how {0} is launched: --launch FILE.toml; 'verify gpu --describe {0}' "
                      "drafts one",
                      file));
    const std::string text = TRY(read_file(file));
    gpu::DescriptionOverrides overrides{.has_program = has_program, .sizes = command_.sizes};
    if (command_.ranks) overrides.ranks = command_.ranks->value;
    auto description = gpu::read_description(file, text, overrides);
    if (!description) return malformed(description.error());
    description_ = *std::move(description);
    TRY(check_properties(command_.required));
    TRY(check_properties(command_.waived));
    TRY(check_properties(description_.required));
    TRY(check_properties(description_.waived));
    program_ = TRY(has_program ? program_in(command_.file) : gpu::load_program(description_));
    const std::string by = program_.compiler.empty() ? "" : fmt::format(", compiled by {}", program_.compiler);
    report_.file = file;
    report_.program = program_.module->name + by;
    std::vector<std::string> promises;
    for (const gpu::ExpectText& expect : description_.expects)
      promises.push_back(expect.input.empty() ? fmt::format("{} = {}", expect.output, expect.text) : expect.text);
    report_.promises = fmt::format("{}", fmt::join(promises, ", "));
    return {};
  }

  Result<void> make_launches() {
    for (const Rank p : description_.ranks)
      for (const std::int64_t n : description_.sizes) {
        const auto launch = gpu::concrete(description_, program_.module, p, n);
        if (!launch) return malformed(launch.error());
      }
    return {};
  }

  void judge() {
    gpu::GpuJudgeOptions options{.seeds = command_.seeds,
                                 .seed = command_.seed,
                                 .most_starved = command_.most_starved,
                                 .older_values = !command_.newest_values,
                                 .torn_vectors = !command_.newest_values,
                                 .exhaustive = command_.exhaustive,
                                 .most_runs = command_.most_runs,
                                 .most_instructions = command_.most_instructions,
                                 .required = command_.required,
                                 .waived = command_.waived};
    if (command_.strict) options.grants = gpu::Grants{};
    report_.grants = gpu::text(options.grants.value_or(description_.grants));
    const std::size_t all = description_.ranks.size() * description_.sizes.size();
    for (const Rank p : description_.ranks)
      for (const std::int64_t n : description_.sizes) {
        Progress::say(report_.runs.size(), all, fmt::format("p = {}, n = {}", p, n));
        const auto launch = gpu::concrete(description_, program_.module, p, n);
        report_.runs.push_back(gpu::judge(*launch, description_, options));
      }
  }

  const GpuCommand& command_;
  gpu::Description description_ = {};
  gpu::LoadedProgram program_ = {};
  gpu::GpuReport report_ = {};
};

}  // namespace

Result<ExitCode> run(const GpuCommand& command) {
  if (command.describe) {
    const auto program = TRY(program_in(command.file));
    TRY(print(gpu::draft(*program.module)));
    return ExitCode::ok;
  }
  return GpuJudgement(command).run();
}

}  // namespace onceover::cli
