// Plans of MSCCL++, for all sizes of messages.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/foreign_formats.h"
#include "formats/msccl_profile.h"
#include "formats/plan_file.h"
#include "programs/message_steps.h"
#include "programs/program_certificate.h"
#include "programs/verify_plan.h"
#include "subjects/input_kind.h"
#include "subjects/judgeable.h"

namespace onceover::subjects {

namespace {

std::string text_in_plan(const Counterexample::Site& site) {
  return fmt::format("gpu {}, block {}, operation {} (line {})", site.rank, site.thread, site.number, site.line);
}

class Plan final : public Judgeable {
 public:
  Plan(std::string file, ExecutionPlan plan) : Judgeable(plan_kind, std::move(file)), plan_(std::move(plan)) {}

  Form form() const override { return Form::plan; }
  Rank ranks() const override { return static_cast<Rank>(plan_.gpus.size()); }

  Result<Verification> judge(const JudgeOptions& options) const override {
    const bool is_executed = options.reading == PlanReading::executor;
    if (options.is_certified && (is_executed || options.verify.sizes))
      return usage_error("--certify is about a plan as intended, for all sizes: without --reading and --sizes");
    return is_executed ? judged(as_executed(plan_), options.verify) : judged(plan_, options.verify);
  }

  tl::expected<std::string, std::string> certificate(const JudgeOptions&) const override {
    return plan_certificate(plan_);
  }

  tl::expected<MessageSteps, NoMessages> messages(Shape shape) const override {
    return message_steps(plan_, std::move(shape)).map_error([](NoPlanSteps&& no) {
      return NoMessages{no.never_ends ? NoMessages::Kind::never_ends : NoMessages::Kind::unknown, std::move(no.why)};
    });
  }

  viz::OrderPictures order(const viz::ProgramDrawOptions&) const override { return viz::happens_before(plan_); }

  std::vector<std::optional<viz::PlacedSite>> placed(const std::vector<Counterexample::Site>& sites) const override {
    const auto places = places_of(plan_, sites);
    std::vector<std::optional<viz::PlacedSite>> placed(sites.size());
    for (std::size_t k = 0; k < sites.size(); ++k)
      if (places[k]) placed[k] = {sites[k].rank, *places[k], text_in_plan(sites[k])};
    return placed;
  }

 private:
  Verification judged(const ExecutionPlan& plan, const VerifyOptions& options) const {
    const auto known = msccl_collective(plan.collective);
    const Buffers& chunks = plan.gpus.front().chunks;
    const Header header{.collective = known.value_or(Collective::allreduce),
                        .ranks = ranks(),
                        .blocks = std::max(chunks.input, chunks.output),
                        .algorithm = plan.name};
    Verification run{Origin(Origin::Kind::file, file()), header, verify(plan, options), {}, {}};
    if (!known) run.report.program->collective = plan.collective;
    for (const std::string& note : plan.notes) run.notes.push_back({"program", note});
    return run;
  }

  ExecutionPlan plan_;
};

tl::expected<FileContent, SourceError> read_plan_file(std::string_view name, std::string_view text) {
  return read_plan(name, text).map([&](ExecutionPlan&& plan) {
    return FileContent{.program = std::make_shared<Plan>(std::string(name), std::move(plan))};
  });
}

}  // namespace

const InputKind plan_kind{.name = "MSCCL++",
                          .language = "an MSCCL++ plan",
                          .what = "a plan of MSCCL++",
                          .example = "MSCCL++, {\"name\":.., \"gpus\":..}",
                          .holds_program = true,
                          .read_by = "'verify FILE' reads it",
                          .describes_gpus = true,
                          .takes = {.sizes = true, .reading = true, .without_data = true},
                          .folds = true,
                          .looks_like = looks_like_plan,
                          .is_likely = has_key_of_ours,
                          .read = read_plan_file};

}  // namespace onceover::subjects
