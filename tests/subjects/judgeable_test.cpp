#include "subjects/judgeable.h"

#include <catch2/catch.hpp>

#include "subjects/input_kind.h"

namespace onceover::subjects {

namespace {

constexpr InputKind bare_kind{.name = "bare",
                              .language = "bare",
                              .what = "a bare file",
                              .example = "bare",
                              .holds_program = true,
                              .read_by = "",
                              .describes_gpus = false,
                              .takes = {.fifo = true},
                              .looks_like = nullptr,
                              .is_likely = nullptr,
                              .read = nullptr};

/// What has nothing but a verdict.
class Bare final : public Judgeable {
 public:
  Bare() : Judgeable(bare_kind, "bare.txt") {}
  Form form() const override { return Form::program; }
  Rank ranks() const override { return 2; }
  Result<Verification> judge(const JudgeOptions&) const override { return usage_error("not judged"); }
};

std::string refusal(const InputKind& kind, const SpecialOptions& given) {
  const auto refused = refuse_special(kind, given);
  return refused ? "" : refused.error().message;
}

}  // namespace

TEST_CASE("judgeable: what a kind doesn't have is refused by its name") {
  const Bare bare;
  CHECK(bare.messages({}).error().kind == NoMessages::Kind::none);
  CHECK(bare.messages({}).error().why == "bare has no messages");
  CHECK(bare.certificate({}).error() == "bare has no certificates");
  CHECK(bare.order({})({}).error().message == "bare has no picture of what waits for what");
  CHECK(bare.placed(std::vector<Counterexample::Site>(2)).size() == 2);
  CHECK_FALSE(bare.placed(std::vector<Counterexample::Site>(2)).front());
}

TEST_CASE("judgeable: options that a kind doesn't take are refused by name") {
  CHECK(refusal(bare_kind, {.fifo = true}) == "");
  CHECK(refusal(bare_kind, {.profile = true}) == "--profile is about MSCCL XML; this is a bare file");
  CHECK(refusal(goal_kind, {.profile = true}) == "--profile is about MSCCL XML; this is GOAL");
  CHECK(refusal(msccl_xml_kind, {.fifo = true, .profile = true}) == "");
  CHECK(refusal(msccl_xml_kind, {.sizes = true}) == "--sizes is about plans of MSCCL++; this is MSCCL XML");
  CHECK(refusal(plan_kind, {.sizes = true, .reading = true}) == "");
  CHECK(refusal(plan_kind, {.fifo = true}) ==
        "--fifo is about connections that hold messages; this is a plan of MSCCL++");
  CHECK(refusal(schedule_file_kind, {.reading = true}) == "--reading is about plans of MSCCL++; this is a schedule");
}

}  // namespace onceover::subjects
