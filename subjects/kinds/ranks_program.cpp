#include "subjects/kinds/ranks_program.h"

#include "programs/program_faults.h"
#include "programs/verify_program.h"

namespace onceover::subjects {

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

std::vector<std::optional<viz::PlacedSite>> placed_in(const Program& program,
                                                      const std::vector<Counterexample::Site>& sites) {
  const auto places = places_of(program, sites);
  std::vector<std::optional<viz::PlacedSite>> placed(sites.size());
  for (std::size_t k = 0; k < sites.size(); ++k)
    if (places[k]) placed[k] = {sites[k].rank, *places[k], text(sites[k])};
  return placed;
}

Verification RanksProgram::judged(const Program& program, const VerifyOptions& options) const {
  Verification run{Origin(Origin::Kind::file, file()), header_of(program), verify(program, options), {}, {}};
  run.runtime = program.runtime;
  for (const std::string& note : program.notes) run.notes.push_back({"program", note});
  return run;
}

tl::expected<MessageSteps, NoMessages> RanksProgram::messages(Shape shape) const {
  return messages_of(program_, std::move(shape));
}

viz::Drawn<std::string> RanksProgram::order(const viz::ProgramDrawOptions& options) const {
  return viz::draw_happens_before(program_, options);
}

std::vector<std::optional<viz::PlacedSite>> RanksProgram::placed(const std::vector<Counterexample::Site>& sites) const {
  return placed_in(program_, sites);
}

}  // namespace onceover::subjects
