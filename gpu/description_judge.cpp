// A description is about several numbers of ranks and sizes; each pair is a launch, judged after the other. Mistakes in
// the description that only some of them show are found before anything is judged.

#include "gpu/description_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <utility>

#include "base/report_output.h"
#include "base/result.h"
#include "base/sentences.h"
#include "gpu/launch/concrete.h"
#include "verifier/property.h"

namespace onceover::gpu {

namespace {

Result<void> check_ranks(const std::vector<Rank>& ranks) {
  for (const Rank p : ranks)
    if (p > most_launch_ranks)
      return usage_error(fmt::format("--p: a launch has at most {} ranks, not {}", most_launch_ranks, p));
  return {};
}

Result<void> check_launches(const LoadedDescription& loaded) {
  for (const Rank p : loaded.description.ranks)
    for (const std::int64_t n : loaded.description.sizes)
      if (const auto launch = concrete(loaded.description, loaded.program.module, p, n); !launch)
        return tl::unexpected(malformed(launch.error()));
  return {};
}

/// "out = allreduce(in), rest = a rule".
std::string promises_of(const Description& description) {
  std::vector<std::string> promises;
  for (const ExpectText& expect : description.expects)
    promises.push_back(expect.input.empty() ? fmt::format("{} = {}", expect.output, expect.text) : expect.text);
  return fmt::format("{}", fmt::join(promises, ", "));
}

std::optional<Collective> collective_of(const std::vector<Expected>& outputs) {
  std::optional<Collective> found = outputs.front().promise->row().collective;
  for (const Expected& output : outputs)
    if (output.promise->row().collective != found) found.reset();
  return found;
}

}  // namespace

Result<void> check_gpu_properties(const std::vector<std::string>& ids) {
  std::vector<std::string_view> known;
  for (const GpuProperty& row : gpu_properties()) known.push_back(row.property->id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end()) return no_such("gpu: no property", id, known);
  return {};
}

Result<LoadedProgram> load_program_file(const std::string& path) {
  return path.ends_with(".cu") ? load_source(path) : load_ptx(path);
}

Result<LoadedDescription> load_description(const std::string& name, const std::string& text,
                                           DescriptionOverrides overrides, const std::string& program) {
  TRY(check_ranks(overrides.ranks));
  overrides.has_program = !program.empty();
  auto description = read_description(name, text, overrides);
  if (!description) return tl::unexpected(malformed(description.error()));
  LoadedDescription loaded{*std::move(description), {}};
  loaded.program = TRY(program.empty() ? load_program(loaded.description) : load_program_file(program));
  TRY(check_launches(loaded));
  return loaded;
}

GpuReport judge(const LoadedDescription& loaded, const GpuJudgeOptions& options) {
  const Description& description = loaded.description;
  const std::string by =
      loaded.program.compiler.empty() ? "" : fmt::format(", compiled by {}", loaded.program.compiler);
  GpuReport report{.file = description.file->name,
                   .program = loaded.program.module->name + by,
                   .module = loaded.program.module->name,
                   .promises = promises_of(description),
                   .grants = text(options.grants.value_or(description.grants)),
                   .runs = {}};
  const std::size_t all = description.ranks.size() * description.sizes.size();
  for (const Rank p : description.ranks)
    for (const std::int64_t n : description.sizes) {
      Progress::say(report.runs.size(), all, fmt::format("p = {}, n = {}", p, n));
      const auto launch = concrete(description, loaded.program.module, p, n);
      report.collective = collective_of(launch->expected);
      report.runs.push_back(judge(*launch, description, options));
    }
  return report;
}

std::size_t line_of_promise(const Description& description, const verifier::Counterexample& counterexample) {
  const auto* told = std::get_if<verifier::Counterexample::Told>(&counterexample.what);
  const auto* faulty = told == nullptr ? nullptr : std::any_cast<FaultyAccesses>(&told->own);
  if (faulty == nullptr || !faulty->sites.empty()) return 0;
  for (const ExpectText& expect : description.expects) {
    const std::string& text = description.file->text;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(expect.offset, text.size()));
    if (faulty->place.memory.starts_with(expect.output + " of rank "))
      return static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
  }
  return 0;
}

RunTrace trace_of(const LoadedDescription& loaded, const GpuRun& judged, const WatchedPlace& place) {
  RunOptions options;
  options.grants = loaded.description.grants;
  if (judged.failed_under) options = *judged.failed_under;
  options.watched = place;
  const auto launch = concrete(loaded.description, loaded.program.module, judged.ranks, judged.size);
  return run(launch->launch, options).trace;
}

}  // namespace onceover::gpu
