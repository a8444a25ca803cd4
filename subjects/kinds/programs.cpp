// Kinds of files that are read as programs of ranks, which wait for each other's messages: RanksProgram is what a
// Program is judged by, whatever format it was read from; then come MSCCL XML, a program of thread blocks, judged for a
// runtime, and GOAL, which says who sends how many bytes to whom, with data only if comments say so.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/xml_source.h"
#include "formats/foreign_formats.h"
#include "formats/goal_file.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "formats/program.h"
#include "programs/program_certificate.h"
#include "programs/program_faults.h"
#include "programs/verify_program.h"
#include "subjects/input_kind.h"
#include "subjects/judgeable.h"

namespace onceover::subjects {

namespace {

/// The header of a program's verification.
Header header_of(const Program& program) {
  return {.collective = program.collective,
          .ranks = program.ranks,
          .blocks = program.chunks,
          .root = program.root,
          .algorithm = program.name};
}

tl::expected<MessageSteps, NoMessages> messages_of(const Program& program, Shape shape) {
  return message_steps(program, std::move(shape)).map_error([](std::string&& why) {
    return NoMessages{NoMessages::Kind::never_ends, std::move(why)};
  });
}

/// Where the operations of a counterexample are, in words that all but plans share.
std::vector<std::optional<viz::PlacedSite>> placed_in(const Program& program,
                                                      const std::vector<Counterexample::Site>& sites) {
  const auto places = places_of(program, sites);
  std::vector<std::optional<viz::PlacedSite>> placed(sites.size());
  for (std::size_t k = 0; k < sites.size(); ++k)
    if (places[k]) placed[k] = {sites[k].rank, *places[k], text(sites[k])};
  return placed;
}

/// A Program, whatever format it was read from. Its operations are named by thread block and step, or by their lines if
/// `threads_are_ordered` is false. It has no certificate, since verify-check would have to read it, too.
class RanksProgram : public Judgeable {
 public:
  RanksProgram(const InputKind& kind, std::string file, Program program)
      : Judgeable(kind, std::move(file)), program_(std::move(program)) {}

  Form form() const override { return form_of(program_); }
  Rank ranks() const override { return program_.ranks; }
  Result<Verification> judge(const JudgeOptions& options) const override { return judged(program_, options.verify); }

  tl::expected<MessageSteps, NoMessages> messages(Shape shape) const override {
    return messages_of(program_, std::move(shape));
  }

  viz::OrderPictures order(const viz::ProgramDrawOptions& options) const override {
    return viz::happens_before(program_, options.fifo);
  }

  std::vector<std::optional<viz::PlacedSite>> placed(const std::vector<Counterexample::Site>& sites) const override {
    return placed_in(program_, sites);
  }

 protected:
  const Program& program() const { return program_; }

  Verification judged(const Program& program, const VerifyOptions& options) const {
    Verification run{Origin(Origin::Kind::file, file()), header_of(program), verify(program, options), {}, {}};
    run.runtime = program.runtime;
    for (const std::string& note : program.notes) run.notes.push_back({"program", note});
    return run;
  }

 private:
  Program program_;
};

class MscclXml final : public RanksProgram {
 public:
  MscclXml(std::string file, Program program) : RanksProgram(msccl_xml_kind, std::move(file), std::move(program)) {}

  Result<Verification> judge(const JudgeOptions& options) const override {
    return options.profile == nullptr ? RanksProgram::judge(options)
                                      : judged(on_profile(*options.profile), options.verify);
  }

  tl::expected<std::string, std::string> certificate(const JudgeOptions& options) const override {
    return program_certificate(options.profile == nullptr ? program() : on_profile(*options.profile),
                               options.verify.fifo);
  }

 private:
  Program on_profile(const MscclProfile& profile) const {
    Program chosen = program();
    set_profile(chosen, profile);
    return chosen;
  }
};

bool begins_with_algo(std::string_view text) {
  return begins_with_element(text, "algo");
}

tl::expected<FileContent, SourceError> read_msccl_xml(std::string_view name, std::string_view text) {
  return read_msccl(name, text).map([&](Program&& program) {
    return FileContent{.program = std::make_shared<MscclXml>(std::string(name), std::move(program))};
  });
}

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

  viz::OrderPictures order(const viz::ProgramDrawOptions& options) const override {
    return viz::happens_before(goal_.program, options.fifo);
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

const InputKind msccl_xml_kind{.name = "MSCCL XML",
                               .language = "XML",
                               .what = "MSCCL XML",
                               .example = "MSCCL XML, <algo ..>",
                               .holds_program = true,
                               .read_by = "'verify FILE' and 'verify lint FILE' read it",
                               .describes_gpus = true,
                               .takes = {.fifo = true, .profile = true},
                               .folds = true,
                               .looks_like = looks_like_xml,
                               .is_likely = begins_with_algo,
                               .read = read_msccl_xml};

const InputKind goal_kind{.name = "GOAL",
                          .language = "GOAL",
                          .what = "GOAL",
                          .example = "GOAL, num_ranks ..",
                          .ending = ".goal",
                          .holds_program = true,
                          .read_by = "'verify FILE' reads it",
                          .describes_gpus = false,
                          .takes = {.fifo = true},
                          .folds = true,
                          .looks_like = looks_like_goal,
                          .is_likely = looks_like_goal,
                          .read = read_goal_file};

}  // namespace onceover::subjects
