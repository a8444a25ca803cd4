// Lets registers that aren't needed at the same time share a slot.
#pragma once

#include <vector>

#include "gpu/machine/code.h"

namespace onceover::gpu {

/// PTX has a register for nearly every value; most are needed for a few instructions. A register keeps its slot from
/// its first to its last use in the order of the text, or as far as a loop may bring its value. Registers of 128 bits
/// keep two slots of their own. Also finds out whether the function may read one that nothing has set. O(instructions *
/// registers / 64), a few times over.
void share_slots(CodeFunction& function);

/// For each instruction and slot: is the register's value still needed when the instruction begins? If the function has
/// registers of 128 bits, all are taken to be.
std::vector<std::vector<bool>> registers_needed(const CodeFunction& function);

/// The registers that an instruction reads or writes; `use(slot, writes)` may change the slot.
template <class Use>
void for_each_register(CodeFunction& function, Code& code, Use use) {
  const auto visit = [&](OperandRef& reference, bool writes) {
    auto slot = static_cast<std::int32_t>(reference);
    if (slot < 0) return;
    use(slot, writes);
    reference = static_cast<OperandRef>(slot);
  };
  if (code.guard >= 0) use(code.guard, false);
  for (OperandRef& from : code.from) visit(from, false);
  visit(code.to, true);
  visit(code.also_to, true);
  const bool writes_parts = code.opcode == Opcode::load || code.opcode == Opcode::load_param ||
                            code.opcode == Opcode::unpack || code.opcode == Opcode::multimem_load;
  const bool has_other_parts =
      code.opcode == Opcode::branch_table || code.opcode == Opcode::call || code.opcode == Opcode::call_pointer;
  if (has_other_parts) return;
  for (std::uint32_t part = 0; part < code.part_count; ++part)
    visit(function.references[code.parts + part], writes_parts);
  if (!code.has(Code::has_result)) return;
  for (std::uint32_t part = 0; part < code.part_count; ++part)
    visit(function.references[code.parts + code.part_count + part], true);
}

}  // namespace onceover::gpu
