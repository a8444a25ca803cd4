#include "check/plan_cells.h"

namespace check {

PlanCells::PlanCells(const Plan& plan, Number units, Number calls, const Cursor& at)
    : plan_(plan), memory_(plan, units), calls_(calls), at_(at), cells_(memory_.cells()) {
  count_packet_writers();
  check_packets();
}

/// Who waits for a packet takes any bytes with the right flag for it. So nothing else may be written there, ever.
void PlanCells::check_packets() const {
  std::vector<bool> is_awaited(memory_.cells(), false), is_plain(memory_.cells(), false);
  const auto mark = [](const std::vector<Cells>& all, bool are_packets, std::vector<bool>& marks) {
    for (const Cells& cells : all)
      if (cells.are_packets == are_packets)
        for (Number c = cells.first; c < cells.first + cells.count; ++c) marks[c] = true;
  };
  for (Number call = 0; call < calls_; ++call)
    for (const Gpu& gpu : plan_.gpus)
      for (const auto& block : gpu.blocks)
        for (const Operation& o : block)
          for (const Move& m : moves(o, call)) mark(m.sources, true, is_awaited), mark(m.targets, false, is_plain);
  for (Number c = 0; c < memory_.cells(); ++c)
    if (is_awaited[c] && is_plain[c]) at_.unproven("packets are awaited where plain data is written, too");
}

/// In which operations of a call each cell is written as a packet: none, one or several.
void PlanCells::count_packet_writers() {
  packet_writers_.assign(calls_, std::vector<std::uint8_t>(memory_.cells(), 0));
  for (Number call = 0; call < calls_; ++call)
    for (std::size_t r = 0; r < plan_.gpus.size(); ++r)
      for (const auto& block : plan_.gpus[r].blocks)
        for (const Operation& o : block)
          for (const Move& m : moves(o, call))
            for (const Cells& target : m.targets)
              if (target.are_packets && !stays(m, target))
                for (Number c = target.first; c < target.first + target.count; ++c)
                  if (packet_writers_[call][c] < 2) ++packet_writers_[call][c];
}

std::vector<Move> PlanCells::moves(const Operation& o, Number call) const {
  std::vector<Move> all(o.sources.empty() ? 0 : o.is_pairwise ? o.sources.size() : 1);
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    for (const std::uint32_t rank : o.sources[k].ranks)
      all[o.is_pairwise ? k : 0].sources.push_back(memory_.at(o, o.sources[k], rank, call));
  for (std::size_t k = 0; k < o.targets.size(); ++k)
    for (const std::uint32_t rank : o.targets[k].ranks)
      all[o.is_pairwise ? k : 0].targets.push_back(memory_.at(o, o.targets[k], rank, call));
  return all;
}

/// Is it a packet that is stored onto itself?
bool PlanCells::stays(const Move& m, const Cells& target) {
  return target.are_packets && m.sources.size() == 1 && m.sources[0].are_packets && m.sources[0].first == target.first;
}

std::uint32_t PlanCells::leaf(Number call, Number rank, Number unit) const {
  const Number units = memory_.whole(0, Space::input).count;
  return static_cast<std::uint32_t>((call * plan_.gpus.size() + rank) * units + unit);
}

/// What a unit of a rank's output must be.
PlanCells::Sum PlanCells::due(Number call, Number rank, Number unit) const {
  const Number n = plan_.gpus.size();
  const Number in = memory_.whole(rank, Space::input).count, out = memory_.whole(rank, Space::output).count;
  if (plan_.collective == "allgather") return {leaf(call, unit / in, unit % in)};
  if (plan_.collective == "alltoall") return {leaf(call, unit / (in / n), rank * (in / n) + unit % (in / n))};
  if (plan_.collective == "sendrecv") return {leaf(call, (rank + n - 1) % n, unit)};
  Sum sum;
  for (Number r = 0; r < n; ++r)
    sum.push_back(leaf(call, r, plan_.collective == "reducescatter" ? rank * out + unit : unit));
  return sum;
}

/// Moves data, if nothing of it can race. Packets go with the last of `sent_`.
void PlanCells::apply(const std::vector<Move>& all, Access access, const Knowledge& knowledge, Number call,
                      std::set<std::size_t>& awaited) {
  access.task = ++tasks_;
  check_alone(all);
  for (const Move& m : all) {
    for (const Cells& source : m.sources)
      for (Number c = source.first; c < source.first + source.count; ++c)
        source.are_packets ? wait_for(c, access, call, awaited) : read(c, access, knowledge);
    const Number units = m.sources[0].count / (m.sources[0].are_packets ? 2 : 1);
    for (Number u = 0; u < units; ++u) {
      const Sum sum = sum_of(m, u);
      for (const Cells& target : m.targets)
        if (!stays(m, target)) store(target, u, sum, access, knowledge, call);
    }
  }
}

/// Threads do their elements on their own: what an operation writes it may read only at the same element, and write
/// only once.
void PlanCells::check_alone(const std::vector<Move>& all) const {
  const auto meet = [](const Cells& a, const Cells& b) {
    return std::max(a.first, b.first) < std::min(a.first + a.count, b.first + b.count);
  };
  std::vector<Cells> written;
  for (const Move& m : all)
    for (const Cells& target : m.targets) {
      if (stays(m, target)) continue;
      for (const Cells& other : written)
        if (meet(target, other)) at_.unproven("the operation writes a unit twice");
      written.push_back(target);
      for (const Move& n : all)
        for (const Cells& source : n.sources) {
          const bool is_same = &n == &m && source.first == target.first && source.are_packets == target.are_packets;
          if (meet(target, source) && !is_same) at_.unproven("the operation reads what it writes elsewhere");
        }
    }
}

PlanCells::Sum PlanCells::sum_of(const Move& m, Number unit) const {
  Sum sum;
  for (const Cells& source : m.sources) {
    const Cell& cell = cells_[source.first + (source.are_packets ? 2 * unit : unit)];
    const Cell& other = source.are_packets ? cells_[source.first + 2 * unit + 1] : cell;
    const bool is_defined =
        !cell.value.empty() && cell.packet_of.has_value() == source.are_packets && cell.value == other.value;
    if (!is_defined) return {};
    sum.insert(sum.end(), cell.value.begin(), cell.value.end());
  }
  if (sum.size() > calls_ * plan_.gpus.size()) return {};  // a contribution is there twice, and no output may have it
  std::sort(sum.begin(), sum.end());
  return sum;
}

void PlanCells::store(const Cells& target, Number unit, const Sum& sum, Access access, const Knowledge& knowledge,
                      Number call) {
  access.is_packet = target.are_packets;
  const Number first = target.first + (target.are_packets ? 2 * unit : unit);
  for (Number c = first; c < first + (target.are_packets ? 2 : 1); ++c) {
    write(c, access, knowledge);
    cells_[c].value = sum;
    cells_[c].packet_of.reset();
    if (!target.are_packets) continue;
    cells_[c].packet_of = call;
    cells_[c].sender = sent_.size() - 1;
  }
}

/// A read must know that the last write is over, and see it.
void PlanCells::read(Number c, const Access& access, const Knowledge& knowledge) {
  Cell& cell = cells_[c];
  if (cell.writer) {
    const bool is_ordered = knowledge.over[cell.writer->chain] >= cell.writer->value;
    const bool is_seen = cell.writer->is_users || knowledge.seen[cell.writer->chain] >= cell.writer->value;
    if (!is_ordered || !is_seen) at_.unproven("a read isn't known to come after the write before it");
  }
  cell.readers.push_back(access);
}

/// A packet comes from the one operation of this call that writes it, which must be earlier in the order.
void PlanCells::wait_for(Number c, Access access, Number call, std::set<std::size_t>& awaited) {
  Cell& cell = cells_[c];
  if (packet_writers_[call][c] != 1) at_.unproven("a packet that is waited for isn't written once in the call");
  if (cell.packet_of != call) at_.unproven("a packet that is waited for comes later, or was replaced");
  awaited.insert(cell.sender);
  access.is_packet = true;
  cell.readers.push_back(access);
}

/// A write must know that the write before it and all reads since then are over, and see the former.
void PlanCells::write(Number c, const Access& access, const Knowledge& knowledge) {
  Cell& cell = cells_[c];
  bool was_awaited = false;
  for (const Access& r : cell.readers) {
    was_awaited = was_awaited || r.is_packet;
    if (r.task != access.task && knowledge.over[r.chain] < r.value)
      at_.unproven("a write isn't known to come after a read");
  }
  if (cell.writer) {
    const Access& w = *cell.writer;
    const bool is_ordered = knowledge.over[w.chain] >= w.value || (was_awaited && w.is_packet);
    const bool is_seen =
        w.is_users || (w.is_packet && (access.is_packet || was_awaited)) || knowledge.seen[w.chain] >= w.value;
    if (!is_ordered || !is_seen) at_.unproven("a write isn't known to come after the write before it");
  }
  if (!plan_.is_in_place && !access.is_users && memory_.is_input(c)) at_.unproven("an operation writes to an input");
  cell.readers.clear();
  cell.writer = access;
}

void PlanCells::start(Number rank, Number call, Access access, const Knowledge& knowledge) {
  access.task = ++tasks_;
  const Cells in = memory_.whole(rank, Space::input), out = memory_.whole(rank, Space::output);
  if (call > 0)
    for (Number c = out.first; c < out.first + out.count; ++c) read(c, access, knowledge);
  for (Number u = 0; u < in.count; ++u) {
    write(in.first + u, access, knowledge);
    cells_[in.first + u].value = {leaf(call, rank, u)};
    cells_[in.first + u].packet_of.reset();
  }
}

void PlanCells::end(Number rank, Number call, Access access, const Knowledge& knowledge) {
  access.task = ++tasks_;
  const Cells out = memory_.whole(rank, Space::output);
  for (Number u = 0; u < out.count; ++u) {
    read(out.first + u, access, knowledge);
    const Cell& cell = cells_[out.first + u];
    if (cell.packet_of || cell.value != due(call, rank, u))
      at_.unproven("unit " + std::to_string(u) + " of the output isn't what it must be");
  }
}

}  // namespace check
