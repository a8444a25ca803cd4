#include "check/plan.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace check {

namespace {

constexpr std::uint64_t most_units = 256, most_calls = 8, most_plan_cells = 1 << 24;

/// Where a rank's buffers begin, in chunks. In place, the smaller of input and output is the rank's share of the other.
std::uint64_t chunk_of(const Plan& plan, std::uint64_t rank, Space space) {
  const std::uint64_t in = plan.gpus[rank].chunks[0], out = plan.gpus[rank].chunks[1];
  if (space == Space::scratch) return plan.is_in_place ? std::max(in, out) : in + out;
  if (!plan.is_in_place) return space == Space::input ? 0 : in;
  const bool is_smaller = space == Space::input ? in < out : out < in;
  return is_smaller ? rank * std::min(in, out) : 0;
}

}  // namespace

std::uint64_t Plan::limit() const {
  const std::uint64_t message = gpus[0].chunks[collective == "allgather" ? 1 : 0];
  std::uint64_t most = message;
  for (const Gpu& gpu : gpus)
    for (const auto& block : gpu.blocks)
      for (const Operation& o : block)
        for (const auto* places : {&o.sources, &o.targets})
          for (const Place& place : *places) {
            std::uint64_t end = (place.index + place.size) * (place.holds_packets ? 2 : 1);
            if (place.space == Space::scratch && has_halves) end += gpu.chunks[2] * (has_packet_room ? 2 : 1);
            most = std::max(most, end);
          }
  return (std::uint64_t{1} << 32) * message / most;
}

std::vector<std::uint64_t> Plan::sizes() const {
  std::uint64_t common = 1, most_parts = 1;
  for (const Gpu& gpu : gpus)
    for (const auto& block : gpu.blocks)
      for (const Operation& o : block) {
        common = std::lcm(common, o.parts);
        most_parts = std::max(most_parts, o.parts);
        if (common > most_units) throw Outcome{Outcome::Kind::unproven, "blocks divide places in too many ways"};
      }
  // From this many units on, the ends of two slices, affine in the quotient by `common`, keep their order.
  const std::uint64_t enough = common == 1 ? 1 : common * (most_parts / 2 + 1);
  const auto [least, most] = messages();
  std::set<std::uint64_t> all;
  for (std::uint64_t units = least / step(); units <= most / step(); ++units) {
    const std::uint64_t as = units < enough ? units : enough + (units - enough) % common;
    if (as > most_units) throw Outcome{Outcome::Kind::unproven, "there are too many sizes"};
    if (!all.insert(as).second) break;  // from here on, all come again
  }
  return {all.begin(), all.end()};
}

std::pair<std::uint64_t, std::uint64_t> Plan::messages() const {
  const std::uint64_t most = std::min(most_bytes, limit() - 1) / step();
  const std::uint64_t least = std::max<std::uint64_t>(1, least_bytes / step() + (least_bytes % step() == 0 ? 0 : 1));
  if (most < least) throw Outcome{Outcome::Kind::unproven, "no message fits the plan"};
  return {least * step(), most * step()};
}

std::uint64_t Plan::calls() const {
  std::uint64_t calls = has_halves ? 4 : 2;
  for (const Gpu& gpu : gpus)
    for (std::uint32_t id = 0; id < gpu.semaphores.size(); ++id) {
      std::uint64_t acquires = 0;
      for (const auto& block : gpu.blocks)
        for (const Operation& o : block)
          if (o.name == "sem_acquire")
            acquires += static_cast<std::uint64_t>(std::count(o.ids.begin(), o.ids.end(), id));
      if (acquires > 0 && gpu.semaphores[id] > 0) calls = std::max(calls, 3 + (gpu.semaphores[id] - 1) / acquires);
    }
  if (calls > most_calls) throw Outcome{Outcome::Kind::unproven, "there are too many calls to judge"};
  return calls;
}

Memory::Memory(const Plan& plan, std::uint64_t units) : plan_(plan), units_(units), first_{0} {
  for (std::uint64_t r = 0; r < plan.gpus.size(); ++r) {
    const std::uint64_t copies = (plan.has_packet_room ? 2 : 1) * (plan.has_halves ? 2 : 1);
    const std::uint64_t chunks = chunk_of(plan, r, Space::scratch) + copies * plan.gpus[r].chunks[2];
    first_.push_back(first_.back() + chunks * units);
  }
  if (cells() > most_plan_cells) throw Outcome{Outcome::Kind::unproven, "the plan has more than 2^24 units of memory"};
}

std::uint64_t Memory::begin_of(std::uint64_t rank, Space space) const {
  return first_[rank] + chunk_of(plan_, rank, space) * units_;
}

Cells Memory::whole(std::uint64_t rank, Space space) const {
  return {begin_of(rank, space), plan_.gpus[rank].chunks[static_cast<int>(space)] * units_, false};
}

/// In every other call the second half of scratch is used, except by plain accesses to a peer's and by port channels.
Cells Memory::at(const Operation& o, const Place& place, std::uint64_t rank, std::uint64_t call) const {
  std::uint64_t begin = begin_of(rank, place.space);
  const bool knows_halves = place.holds_packets || (place.is_local && !o.is_port);
  if (place.space == Space::scratch && plan_.has_halves && call % 2 == 1 && knows_halves)
    begin += plan_.gpus[place.ranks[0]].chunks[2] * units_ * (plan_.has_packet_room ? 2 : 1);
  const std::uint64_t all = place.size * units_, least = all / o.parts, more = all % o.parts;
  const std::uint64_t skipped = o.part * least + std::min(o.part, more);
  const std::uint64_t width = place.holds_packets ? 2 : 1;
  return {begin + width * (place.index * units_ + skipped), width * (least + (o.part < more ? 1 : 0)),
          place.holds_packets};
}

bool Memory::is_input(std::uint64_t cell) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), cell);
  const Cells input = whole(static_cast<std::uint64_t>(after - first_.begin()) - 1, Space::input);
  return cell >= input.first && cell < input.first + input.count;
}

}  // namespace check
