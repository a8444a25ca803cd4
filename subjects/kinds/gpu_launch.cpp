// Launches of GPU kernels: descriptions in TOML, which name the PTX or CUDA that runs.
//
// A description is about several launches, one for each number of ranks and size. Their reports are joined: of each
// property the worst finding counts.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "gpu/description_judge.h"
#include "subjects/input_kind.h"
#include "subjects/judgeable.h"
#include "viz/program_view.h"

namespace onceover::subjects {

namespace {

/// The notes of all launches, each once.
std::vector<Note> notes_of(const gpu::GpuReport& report) {
  std::vector<std::string> texts;
  for (const gpu::GpuRun& run : report.runs)
    for (const std::string& note : run.notes) add_new(texts, note);
  return mapped(texts, [](const std::string& text) { return Note{"launch", text}; });
}

Header header_of(const gpu::GpuReport& report) {
  Header header{.ranks = report.runs.back().ranks};
  if (report.collective) header.collective = *report.collective;
  return header;
}

class GpuLaunch final : public Judgeable {
 public:
  GpuLaunch(std::string file, std::string text) : Judgeable(gpu_launch_kind, std::move(file)), text_(std::move(text)) {}

  Form form() const override { return Form::launch; }

  /// The most that the description says.
  Rank ranks() const override {
    const auto description = gpu::read_description(file(), text_);
    return description ? description->ranks.back() : 1;
  }

  Result<Verification> judge(const JudgeOptions& options) const override {
    auto judged = std::make_shared<gpu::JudgedDescription>();
    judged->loaded = TRY(load(options.launches));
    judged->report = gpu::judge(judged->loaded, asked_in(options));
    const gpu::GpuReport& report = judged->report;
    Verification run{
        Origin(Origin::Kind::file, file()), header_of(report), gpu::joint_report(report), notes_of(report), {}};
    run.launches = std::move(judged);
    return run;
  }

  tl::expected<MessageSteps, NoMessages> messages(Shape) const override {
    return tl::unexpected(NoMessages{NoMessages::Kind::none,
                                     "this is a launch of GPU kernels, which read and write each other's memory: it "
                                     "has no messages; 'verify FILE' judges it, and 'verify draw --view "
                                     "happens-before FILE' draws it"});
  }

  viz::OrderPictures order(const viz::ProgramDrawOptions& asked) const override {
    return [run = judge({.launches = {.ranks = asked.launch_ranks}})](
               const viz::ProgramDrawOptions& options) -> viz::Drawn<viz::Picture> {
      if (!run) return viz::unsuitable(run.error().message);
      return viz::draw_launches(run->launches->loaded, run->launches->report, options);
    };
  }

  Result<std::vector<LaunchShape>> launch_shapes(const std::vector<Rank>& ranks) const override {
    const auto description = gpu::read_description(file(), text_, {.ranks = ranks});
    if (!description) return tl::unexpected(malformed(description.error()));
    std::vector<LaunchShape> shapes;
    for (const Rank p : description->ranks)
      for (const std::int64_t n : description->sizes)
        shapes.push_back({p, description->has_sizes ? std::optional(n) : std::nullopt});
    return shapes;
  }

  std::vector<std::string> files_beside() const override {
    const auto description = gpu::read_description(file(), text_, {.ranks = {1}});
    return description ? std::vector{gpu::program_path(*description)} : std::vector<std::string>{};
  }

  std::optional<std::string> text_beside() const override {
    const auto description = gpu::read_description(file(), text_, {.ranks = {1}});
    if (!description) return "";
    if (description->ptx.empty()) return std::nullopt;  // CUDA may include any file
    auto ptx = read_file(gpu::program_path(*description));
    return ptx ? std::optional(*std::move(ptx)) : std::nullopt;
  }

 private:
  Result<gpu::LoadedDescription> load(const LaunchOptions& options) const {
    return gpu::load_description(file(), text_, {.ranks = options.ranks, .sizes = options.sizes});
  }

  static gpu::GpuJudgeOptions asked_in(const JudgeOptions& options) {
    gpu::GpuJudgeOptions asked{
        .required = options.verify.required, .waived = options.verify.waived, .threads = options.verify.threads};
    asked.seed = options.launches.seed.value_or(asked.seed);
    asked.most_instructions = std::min(asked.most_instructions, options.verify.budget);
    return asked;
  }

  std::string text_;
};

/// With --p, a description needn't say for how many ranks it is. Without, that is found when it is judged.
tl::expected<FileContent, SourceError> read_launch(std::string_view name, std::string_view text) {
  const auto read = gpu::read_description(std::string(name), std::string(text), {.ranks = {1}});
  if (!read) return tl::unexpected(read.error());
  return FileContent{.program = std::make_shared<GpuLaunch>(std::string(name), std::string(text))};
}

}  // namespace

const InputKind gpu_launch_kind{.name = "GPU launch",
                                .language = "a launch of GPU kernels",
                                .what = "a launch of GPU kernels",
                                .example = "a launch of GPU kernels, ptx = \"..\"",
                                .holds_program = true,
                                .read_by = "'verify FILE' and 'verify gpu FILE' read it",
                                .describes_gpus = true,
                                .takes = {.ranks = true},
                                .looks_like = gpu::looks_like_description,
                                .is_likely = gpu::looks_like_description,
                                .read = read_launch,
                                .names_files = true};

}  // namespace onceover::subjects
