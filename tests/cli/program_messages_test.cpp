#include "cli/program_messages.h"

#include <catch2/catch.hpp>

#include "subjects/input_kind.h"

namespace onceover::cli {

namespace {

/// Two ranks that say nothing of messages.
class Mute final : public Judgeable {
 public:
  Mute() : Judgeable(goal_kind, "mute.goal") {}
  Form form() const override { return Form::bare_program; }
  Rank ranks() const override { return 2; }
  Result<Verification> judge(const JudgeOptions&) const override { return usage_error("not judged"); }
};

Failure refusal(const std::vector<Shape>& tori) {
  return messages_of(Mute(), tori).error();
}

}  // namespace

TEST_CASE("program messages: what has none is refused by name, wherever its ranks are") {
  CHECK(refusal({}).message == "mute.goal: GOAL has no messages");
  CHECK(refusal({}).code == ExitCode::usage);
  CHECK(refusal({{1, 2}}).message == "mute.goal: GOAL has no messages");
  CHECK(refusal({{2, 2}}).message == "--torus: 2x2 has 4 ranks, the program 2");
}

}  // namespace onceover::cli
