#include "check/program.h"

#include "check/cursor.h"

namespace check {

std::optional<ProgramFile::Due> ProgramFile::due(std::uint64_t rank, std::uint64_t k) const {
  const bool is_asked = rank == root || (collective != "reduce" && collective != "gather");
  if (!is_asked) return std::nullopt;
  if (collective == "reduce-scatter") return Due{rank * share() + k, {}};
  if (collective == "allgather" || collective == "gather") return Due{k % share(), k / share()};
  if (collective == "broadcast") return Due{k, root};
  if (collective == "scatter") return Due{rank * share() + k, root};
  if (collective == "alltoall") return Due{rank * share() + k % share(), k / share()};
  return Due{k, {}};
}

void ProgramFile::size_buffers(const Cursor& at) {
  constexpr std::uint64_t most_cells = std::uint64_t{1} << 24;
  bool is_known = false;
  for (const char* name :
       {"allreduce", "reduce", "broadcast", "allgather", "gather", "reduce-scatter", "scatter", "alltoall"})
    is_known = is_known || collective == name;
  if (!is_known) at.unproven("not covered: nothing says what " + collective + " promises");
  const bool is_whole = collective == "allreduce" || collective == "reduce" || collective == "broadcast";
  if (!is_whole && chunks % ranks.size() != 0) at.malformed("expected chunks that the ranks can share");
  if (chunks * ranks.size() > most_cells) at.unproven("not covered: so many chunks");
  for (RankSteps& rank : ranks) {
    rank.chunks[0] = collective == "allgather" || collective == "gather" ? share() : chunks;
    rank.chunks[1] = collective == "reduce-scatter" || collective == "scatter" ? share() : chunks;
  }
}

}  // namespace check
