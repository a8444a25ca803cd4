#include "programs/plan_chains.h"

#include <algorithm>

#include "programs/plan_packets.h"

namespace onceover::programs {

namespace {

/// The first cell of a unit.
Cell cell_of(const Operand& o, std::uint32_t unit) {
  return o.cells.first + (o.content == Content::plain ? unit : 2 * unit);
}

}  // namespace

void PacketChains::build() {
  if (!movements_.empty()) return;
  for (std::uint32_t t = 0; t < graph_.tasks.size(); ++t) {
    movements_.push_back(movements_of(plan_, memory_, graph_.tasks[t]));
    for (std::uint32_t m = 0; m < movements_.back().size(); ++m)
      for (const Operand& o : movements_.back()[m].sources)
        if (o.content == Content::packets)
          for (std::uint32_t u = 0; u < o.units(); ++u)
            awaiting_[key(cell_of(o, u), graph_.tasks[t].site.call)].push_back({t, m, u});
  }
}

std::vector<PacketChains::Unit> PacketChains::units_at(std::uint32_t task, Cell cell, bool that_write) const {
  std::vector<Unit> units;
  for (std::uint32_t m = 0; m < movements_[task].size(); ++m)
    for (const Operand& o : that_write ? movements_[task][m].targets : movements_[task][m].sources)
      if (cell >= o.cells.first && cell < o.cells.first + o.cells.count)
        units.push_back({task, m, (cell - o.cells.first) / (o.content == Content::plain ? 1 : 2)});
  return units;
}

bool PacketChains::leads_to(const Unit& from, std::uint32_t writer, const std::vector<Unit>& written) const {
  std::vector<Unit> seen{from};
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const Unit at = seen[k];
    for (const Operand& o : movements_[at.task][at.movement].targets) {
      if (o.content == Content::plain || stays(movements_[at.task][at.movement], o)) continue;
      const auto found = awaiting_.find(key(cell_of(o, at.unit), graph_.tasks[at.task].site.call));
      if (found == awaiting_.end()) continue;
      for (const Unit& next : found->second) {
        if (clocks_.is_ordered(graph_.tasks[next.task], graph_.tasks[writer])) return true;
        if (std::find(seen.begin(), seen.end(), next) == seen.end()) seen.push_back(next);
      }
    }
    const bool is_last = at.task == writer && std::find(written.begin(), written.end(), at) != written.end();
    if (k > 0 && is_last) return true;
  }
  return false;
}

bool PacketChains::is_read_before(std::uint32_t reader, std::uint32_t writer, Cell cell) {
  build();
  const std::vector<Unit> read = units_at(reader, cell, false), written = units_at(writer, cell, true);
  return !read.empty() &&
         std::all_of(read.begin(), read.end(), [&](const Unit& unit) { return leads_to(unit, writer, written); });
}

}  // namespace onceover::programs
