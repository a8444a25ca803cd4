// RanksProgram: what a Program is judged by, whatever format it was read from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/program.h"
#include "subjects/judgeable.h"

namespace onceover::subjects {

/// The header of a program's verification.
Header header_of(const Program& program);

tl::expected<MessageSteps, NoMessages> messages_of(const Program& program, Shape shape);

/// Where the operations of a counterexample are, in words that all but plans share.
std::vector<std::optional<viz::PlacedSite>> placed_in(const Program& program,
                                                      const std::vector<Counterexample::Site>& sites);

/// A file of a kind that is read as a Program. It has no certificate, since verify-check would have to read it, too.
class RanksProgram : public Judgeable {
 public:
  RanksProgram(const InputKind& kind, std::string file, Program program)
      : Judgeable(kind, std::move(file)), program_(std::move(program)) {}

  Form form() const override { return form_of(program_); }
  Rank ranks() const override { return program_.ranks; }
  Result<Verification> judge(const JudgeOptions& options) const override { return judged(program_, options.verify); }
  tl::expected<MessageSteps, NoMessages> messages(Shape shape) const override;
  viz::Drawn<std::string> order(const viz::ProgramDrawOptions& options) const override;
  std::vector<std::optional<viz::PlacedSite>> placed(const std::vector<Counterexample::Site>& sites) const override;

 protected:
  const Program& program() const { return program_; }
  Verification judged(const Program& program, const VerifyOptions& options) const;

 private:
  Program program_;
};

}  // namespace onceover::subjects
