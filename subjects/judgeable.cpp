#include "subjects/judgeable.h"

#include <fmt/format.h>

namespace onceover::subjects {

tl::expected<std::string, std::string> Judgeable::certificate(const JudgeOptions&) const {
  return tl::unexpected(fmt::format("{} has no certificates", kind().name));
}

tl::expected<MessageSteps, NoMessages> Judgeable::messages(Shape) const {
  return tl::unexpected(NoMessages{NoMessages::Kind::none, fmt::format("{} has no messages", kind().name)});
}

viz::Drawn<std::string> Judgeable::order(const viz::ProgramDrawOptions&) const {
  return viz::unsuitable(fmt::format("{} has no picture of what waits for what", kind().name));
}

Result<std::vector<LaunchShape>> Judgeable::launch_shapes(const std::vector<Rank>&) const {
  return std::vector<LaunchShape>{};
}

std::vector<std::optional<viz::PlacedSite>> Judgeable::placed(const std::vector<Counterexample::Site>& sites) const {
  return std::vector<std::optional<viz::PlacedSite>>(sites.size());
}

}  // namespace onceover::subjects
