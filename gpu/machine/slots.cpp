#include "gpu/machine/slots.h"

#include <algorithm>
#include <bit>

namespace onceover::gpu {
namespace {

using Bits = std::vector<std::uint64_t>;

void add(Bits& bits, std::int32_t at) {
  bits[static_cast<std::size_t>(at) / 64] |= std::uint64_t{1} << (at % 64);
}
void remove(Bits& bits, std::int32_t at) {
  bits[static_cast<std::size_t>(at) / 64] &= ~(std::uint64_t{1} << (at % 64));
}

/// Where an instruction may lead to.
std::vector<std::size_t> successors(const CodeFunction& function, std::size_t at) {
  const Code& code = function.code[at];
  std::vector<std::size_t> next;
  if (code.opcode == Opcode::branch) next.push_back(static_cast<std::size_t>(code.target));
  if (code.opcode == Opcode::branch_table)
    for (std::uint32_t part = 0; part < code.part_count; ++part)
      next.push_back(static_cast<std::size_t>(function.references[code.parts + part]));
  const bool ends = code.opcode == Opcode::branch || code.opcode == Opcode::branch_table ||
                    code.opcode == Opcode::exit || code.opcode == Opcode::leave;
  if ((!ends || code.guard >= 0) && at + 1 < function.code.size()) next.push_back(at + 1);
  return next;
}

/// Which registers are needed at the start of each instruction.
std::vector<Bits> needed_at(CodeFunction& function) {
  const std::size_t words = function.slots / 64 + 1;
  std::vector<Bits> needed(function.code.size(), Bits(words));
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t at = function.code.size(); at-- > 0;) {
      Bits bits(words);
      for (const std::size_t next : successors(function, at))
        for (std::size_t word = 0; word < words; ++word) bits[word] |= needed[next][word];
      Code& code = function.code[at];
      for_each_register(function, code, [&](std::int32_t slot, bool writes) {
        if (writes && code.guard < 0) remove(bits, slot);
      });
      for_each_register(function, code, [&](std::int32_t slot, bool writes) {
        if (!writes) add(bits, slot);
      });
      if (bits == needed[at]) continue;
      needed[at] = std::move(bits);
      changes = true;
    }
  }
  return needed;
}

struct Interval {
  std::int32_t slot;
  std::size_t first;
  std::size_t last;
};

std::vector<Interval> intervals(CodeFunction& function, const std::vector<Bits>& needed) {
  std::vector<Interval> all(function.slots, Interval{0, SIZE_MAX, 0});
  const auto extend = [&](std::int32_t slot, std::size_t at) {
    Interval& interval = all[static_cast<std::size_t>(slot)];
    interval.first = std::min(interval.first, at);
    interval.last = std::max(interval.last, at);
  };
  for (std::size_t at = 0; at < function.code.size(); ++at) {
    for (std::size_t word = 0; word < needed[at].size(); ++word)
      for (std::uint64_t bits = needed[at][word]; bits != 0; bits &= bits - 1)
        extend(static_cast<std::int32_t>(64 * word) + std::countr_zero(bits), at);
    for_each_register(function, function.code[at], [&](std::int32_t slot, bool) { extend(slot, at); });
  }
  // A value that goes round a loop is needed at its start, so its interval spans the loop.
  std::vector<Interval> used;
  for (std::size_t slot = 0; slot < all.size(); ++slot)
    if (all[slot].first != SIZE_MAX) used.push_back({static_cast<std::int32_t>(slot), all[slot].first, all[slot].last});
  std::sort(used.begin(), used.end(), [](const Interval& a, const Interval& b) { return a.first < b.first; });
  return used;
}

bool has_wide_registers(const CodeFunction& function) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [](const Code& code) { return code.type.bytes == 16 || code.source_type.bytes == 16; });
}

}  // namespace

void share_slots(CodeFunction& function) {
  constexpr std::size_t most_words = 1 << 24;  // of which registers are needed where
  if (function.code.size() * (function.slots / 64 + 1) > most_words) return;
  const std::vector<Bits> needed = needed_at(function);
  function.may_read_unset = !needed.empty() && std::any_of(needed.front().begin(), needed.front().end(),
                                                           [](std::uint64_t word) { return word != 0; });
  if (has_wide_registers(function)) return;
  std::vector<std::int32_t> shared(function.slots, 0);
  std::vector<Interval> active;
  std::vector<std::int32_t> free;
  std::int32_t end = 0;
  for (const Interval& interval : intervals(function, needed)) {
    std::erase_if(active, [&](const Interval& other) {
      const bool is_over = other.last < interval.first;
      if (is_over) free.push_back(other.slot);
      return is_over;
    });
    std::int32_t slot = end;
    if (free.empty()) {
      ++end;
    } else {
      slot = free.back();
      free.pop_back();
    }
    shared[static_cast<std::size_t>(interval.slot)] = slot;
    active.push_back({slot, interval.first, interval.last});
  }
  for (Code& code : function.code)
    for_each_register(function, code, [&](std::int32_t& slot, bool) { slot = shared[static_cast<std::size_t>(slot)]; });
  function.slots = static_cast<std::uint32_t>(end);
}

std::vector<std::vector<bool>> registers_needed(const CodeFunction& function) {
  std::vector<std::vector<bool>> answer(function.code.size(),
                                        std::vector<bool>(function.slots, has_wide_registers(function)));
  if (has_wide_registers(function)) return answer;
  CodeFunction copy = function;
  const std::vector<Bits> needed = needed_at(copy);
  for (std::size_t at = 0; at < answer.size(); ++at)
    for (std::size_t slot = 0; slot < function.slots; ++slot)
      answer[at][slot] = (needed[at][slot / 64] >> (slot % 64) & 1) != 0;
  return answer;
}

}  // namespace onceover::gpu
