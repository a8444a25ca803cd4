// GOAL: who sends how many bytes to whom; with data only if comments say so.

#include <fmt/format.h>

#include <utility>

#include "formats/goal_file.h"
#include "programs/program_certificate.h"
#include "programs/verify_program.h"
#include "subjects/kinds/kinds.h"
#include "subjects/kinds/ranks_program.h"

namespace onceover::subjects {

namespace {

/// The line of a send that must be buffered, so that the program ends; 0 if none must.
std::uint32_t buffered_line(const GoalFile& goal, const Report& report) {
  const PropertyResult* unbuffered = report.find(unbuffered_property);
  const bool ends = report.find(deadlock_free_property)->verdict == Verdict::pass;
  if (!ends || unbuffered == nullptr || unbuffered->verdict != Verdict::fail) return 0;
  for (const Counterexample::Site& site : unbuffered->counterexample->facts().sites)
    for (const Operation& o : goal.program.operations)
      if (o.rank == site.rank && o.thread == site.thread && o.number == site.number && sends(o.instruction))
        return o.line;
  return 0;
}

class Goal final : public Judgeable {
 public:
  Goal(std::string file, GoalFile goal) : Judgeable(goal_kind, std::move(file)), goal_(std::move(goal)) {}

  Form form() const override { return form_of(goal_.program); }
  Rank ranks() const override { return goal_.program.ranks; }

  Result<Verification> judge(const JudgeOptions& options) const override {
    std::vector<Note> notes;
    if (!options.verify.fifo && goal_.program.guarantees.fifo == 0)
      notes.push_back(
          {"rendezvous", fmt::format("a message has more than {} bytes, which LogGOPSim sends only when its "
                                     "receiver is there; so must all (--fifo 1: none)",
                                     goal_eager_bytes)});
    Verification run{Origin(Origin::Kind::file, file()),
                     header_of(goal_.program),
                     verify(goal_, options.verify),
                     std::move(notes),
                     {}};
    if (const auto line = buffered_line(goal_, run.report); line > 0)
      run.report.scope += fmt::format("; relies on buffering: {}:{}", file(), line);
    if (!goal_.program.has_data)
      run.notes.push_back(
          {"data", "GOAL says who sends how much to whom, not which data: exactly-once is not applicable"});
    return run;
  }

  tl::expected<std::string, std::string> certificate(const JudgeOptions& options) const override {
    return program_certificate(goal_, options.verify.fifo);
  }

  tl::expected<MessageSteps, NoMessages> messages(Shape shape) const override {
    if (auto unclear = doubt(goal_)) return tl::unexpected(NoMessages{NoMessages::Kind::unknown, *std::move(unclear)});
    return messages_of(without_data(goal_), std::move(shape));
  }

  std::string why_not_drawn() const override {
    const bool is_fixed = goal_.wildcards.empty() && !goal_.ambiguity && !goal_.is_too_large;
    return is_fixed ? "" : "which message a receive takes isn't fixed, so there is nothing to draw; 'verify' says more";
  }

  viz::Drawn<std::string> order(const viz::ProgramDrawOptions& options) const override {
    return viz::draw_happens_before(goal_.program, options);
  }

  std::vector<std::optional<viz::PlacedSite>> placed(const std::vector<Counterexample::Site>& sites) const override {
    return placed_in(goal_.program, sites);
  }

 private:
  GoalFile goal_;
};

tl::expected<FileContent, SourceError> read_goal_file(std::string_view name, std::string_view text) {
  return read_goal(name, text).map([&](GoalFile&& goal) {
    return FileContent{.program = std::make_shared<Goal>(std::string(name), std::move(goal))};
  });
}

}  // namespace

const InputKind goal_kind{.name = "GOAL",
                          .language = "GOAL",
                          .what = "GOAL",
                          .example = "GOAL, num_ranks ..",
                          .ending = ".goal",
                          .holds_program = true,
                          .read_by = "'verify FILE' reads it",
                          .describes_gpus = false,
                          .takes = {.fifo = true},
                          .looks_like = looks_like_goal,
                          .is_likely = looks_like_goal,
                          .read = read_goal_file};

}  // namespace onceover::subjects
