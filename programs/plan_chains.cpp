#include "programs/plan_chains.h"

#include <algorithm>

#include "programs/plan_packets.h"

namespace onceover::programs {

namespace {

/// The first cell of a unit.
Cell cell_of(const Operand& o, std::uint32_t unit) {
  return o.cells.first + (o.content == CellContent::plain ? unit : 2 * unit);
}

}  // namespace

void PacketChains::build() {
  if (!movements_.empty()) return;
  for (std::uint32_t t = 0; t < graph_.tasks.size(); ++t) {
    movements_.push_back(movements_of(plan_, memory_, graph_.tasks[t]));
    for (std::uint32_t m = 0; m < movements_.back().size(); ++m) {
      const Movement& movement = movements_.back()[m];
      for (const Operand& o : movement.sources)
        if (o.content == CellContent::packets) add(awaiting_, o, t, m);
      for (const Operand& o : movement.targets)
        if (o.content != CellContent::plain && !stays(movement, o)) add(sending_, o, t, m);
    }
  }
}

void PacketChains::add(Packets& to, const Operand& operand, std::uint32_t task, std::uint32_t movement) const {
  for (std::uint32_t u = 0; u < operand.units(); ++u)
    to[key(cell_of(operand, u), graph_.tasks[task].site.call)].push_back({task, movement, u});
}

std::vector<PacketChains::Unit> PacketChains::units_at(std::uint32_t task, Cell cell, bool that_write) const {
  std::vector<Unit> units;
  for (std::uint32_t m = 0; m < movements_[task].size(); ++m)
    for (const Operand& o : that_write ? movements_[task][m].targets : movements_[task][m].sources)
      if (cell >= o.cells.first && cell < o.cells.first + o.cells.count)
        units.push_back({task, m, (cell - o.cells.first) / (o.content == CellContent::plain ? 1 : 2)});
  return units;
}

std::vector<PacketChains::Unit> PacketChains::reached(const Unit& from, bool forward) const {
  std::vector<Unit> seen{from};
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const Unit at = seen[k];
    const Movement& movement = movements_[at.task][at.movement];
    for (const Operand& o : forward ? movement.targets : movement.sources) {
      const bool is_sent =
          forward ? o.content != CellContent::plain && !stays(movement, o) : o.content == CellContent::packets;
      if (!is_sent) continue;
      const Packets& others = forward ? awaiting_ : sending_;
      const auto found = others.find(key(cell_of(o, at.unit), graph_.tasks[at.task].site.call));
      if (found == others.end()) continue;
      for (const Unit& next : found->second)
        if (std::find(seen.begin(), seen.end(), next) == seen.end()) seen.push_back(next);
    }
  }
  return seen;
}

bool PacketChains::is_before(const Unit& read, const Unit& written) const {
  const std::vector<Unit> after = reached(read, true), before = reached(written, false);
  return std::any_of(after.begin(), after.end(), [&](const Unit& a) {
    return std::any_of(before.begin(), before.end(), [&](const Unit& b) {
      return a == b || clocks_.is_ordered(graph_.tasks[a.task], graph_.tasks[b.task]);
    });
  });
}

bool PacketChains::is_read_before(std::uint32_t reader, std::uint32_t writer, Cell cell) {
  build();
  const std::vector<Unit> read = units_at(reader, cell, false), written = units_at(writer, cell, true);
  const auto is_before_all = [&](const Unit& r) {
    return std::all_of(written.begin(), written.end(), [&](const Unit& w) { return is_before(r, w); });
  };
  return !read.empty() && !written.empty() && std::all_of(read.begin(), read.end(), is_before_all);
}

}  // namespace onceover::programs
