#include "formats/schedule_rules.h"

namespace onceover::formats {

std::vector<ListedSchedule::Builder::LandedRun> landed_runs(std::span<const Run> sent, std::span<const Run> into) {
  std::vector<ListedSchedule::Builder::LandedRun> runs;
  auto from = sent.begin();
  Block begun = 0;  // blocks of *from that have landed
  for (const Run to : into)
    for (Block first = to.first; first <= to.last;) {
      const Block count = std::min(to.last - first + 1, from->size() - begun);
      runs.push_back({{from->first + begun, from->first + begun + count - 1}, first});
      first += count;
      begun += count;
      if (begun == from->size()) ++from, begun = 0;
    }
  return runs;
}

}  // namespace onceover::formats
