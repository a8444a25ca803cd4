#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/machine/machine.h"
#include "gpu/machine/numbers.h"

namespace onceover::gpu {
namespace {

bool has_property(std::uint8_t property, double number, ElementType type) {
  const double least = type == ElementType::f64 ? 0x1p-1022 : type == ElementType::f16 ? 0x1p-14 : 0x1p-126;
  switch (property) {
    case 0: return std::isfinite(number);
    case 1: return std::isinf(number);
    case 2: return !std::isnan(number);
    case 3: return std::isnan(number);
    case 4: return std::isfinite(number) && std::fabs(number) >= least;
    default: return number != 0 && std::fabs(number) < least;
  }
}

constexpr std::size_t most_frames = 256;

}  // namespace

const Value& GpuMachine::asked_value(BlockState& block, ThreadContext& thread, const AskedOperand& asked) {
  Value& answer = scratch_[scratch_at_++ % 4];
  switch (asked.kind) {
    case AskedOperand::Kind::special_register:
      if (asked.special == ptx::SpecialRegister::clock) {
        thread.has_read_clock = true;
        order_matters("the kernel reads a clock");
      }
      if (asked.special == ptx::SpecialRegister::envreg1) use_workspace(block, thread);
      answer = special(block, thread, asked.special);
      break;
    case AskedOperand::Kind::variable:
      answer = concrete(memory_.address(RelocationTarget::global, asked.variable, block.kernel->rank) + asked.addend);
      break;
    case AskedOperand::Kind::dynamic_shared: answer = concrete(block.kernel->entry->shared_bytes + asked.addend); break;
  }
  return answer;
}

/// The barrier of a grid counts in a workspace of the driver's. There is one for each rank here.
void GpuMachine::use_workspace(const BlockState& block, const ThreadContext& thread) {
  if (streams_[static_cast<std::size_t>(block.kernel->rank)].queues.size() > 1)
    fail(thread, FindingKind::unsupported, "barriers of grids aren't supported beside other streams");
  add_note("the kernel has barriers of its grid, for which it must be launched as a cooperative one");
}

Value GpuMachine::special(BlockState& block, const ThreadContext& thread, ptx::SpecialRegister special) const {
  const KernelRun& run = *block.kernel->run;
  const GridSize& grid = run.grid;
  const GridSize& extent = run.block;
  const GridSize& cluster = run.cluster;
  const std::uint32_t lane = thread.index % 32;
  const auto blocks_of_cluster = static_cast<std::uint32_t>(cluster.count());
  const auto seat_in_cluster = block.index % blocks_of_cluster;
  using enum ptx::SpecialRegister;
  const auto answer = [&]() -> std::uint64_t {
    switch (special) {
      case tid_x: return thread.index % extent.x;
      case tid_y: return thread.index / extent.x % extent.y;
      case tid_z: return thread.index / extent.x / extent.y;
      case ntid_x: return extent.x;
      case ntid_y: return extent.y;
      case ntid_z: return extent.z;
      case ctaid_x: return block.index % grid.x;
      case ctaid_y: return block.index / grid.x % grid.y;
      case ctaid_z: return block.index / grid.x / grid.y;
      case nctaid_x: return grid.x;
      case nctaid_y: return grid.y;
      case nctaid_z: return grid.z;
      case laneid: return lane;
      case warpid: return thread.index / 32;
      case nwarpid: return (extent.count() + 31) / 32;
      case smid: return block.index;
      case nsmid: return grid.count();
      case gridid: return block.kernel->call;
      case clock: return outcome_.instructions;
      case lanemask_eq: return std::uint64_t{1} << lane;
      case lanemask_le: return (std::uint64_t{2} << lane) - 1;
      case lanemask_lt: return (std::uint64_t{1} << lane) - 1;
      case lanemask_ge: return lowest(~((std::uint64_t{1} << lane) - 1), 4);
      case lanemask_gt: return lowest(~((std::uint64_t{2} << lane) - 1), 4);
      case is_explicit_cluster: return blocks_of_cluster > 1 ? 1 : 0;
      case clusterid_x: return block.index / blocks_of_cluster;
      case nclusterid_x: return grid.count() / blocks_of_cluster;
      case cluster_ctaid_x:
      case cluster_ctarank: return seat_in_cluster;
      case cluster_nctaid_x:
      case cluster_nctarank: return blocks_of_cluster;
      case nclusterid_y:
      case nclusterid_z:
      case cluster_nctaid_y:
      case cluster_nctaid_z: return 1;
      case clusterid_y:
      case clusterid_z:
      case cluster_ctaid_y:
      case cluster_ctaid_z: return 0;
      case dynamic_smem_size: return run.dynamic_shared_bytes;
      case total_smem_size: return block.shared->size();
      case envreg1: return memory_.workspace(block.kernel->rank).base() >> 32;
      case envreg2: return lowest(memory_.workspace(block.kernel->rank).base(), 4);
    }
    return 0;
  };
  return concrete(answer());
}

void GpuMachine::set(ThreadContext& thread, OperandRef reference, const Value& value) {
  if (reference != no_operand) thread.registers[static_cast<std::int32_t>(reference)] = value;
}

void GpuMachine::step(BlockState& block, ThreadContext& thread) {
  const Code& code = thread.function->code[thread.pc];
  ++outcome_.instructions;
  if (code.guard >= 0 && ((thread.registers[code.guard].bits & 1) != 0) == code.guard_is_negated) {
    ++thread.pc;
    return;
  }
  outcome_.ran[thread.function->first_site + code.source] = 1;
  switch (code.opcode) {
    case Opcode::unsupported: fail(thread, FindingKind::unsupported, "this instruction isn't supported");
    case Opcode::nothing:
    case Opcode::pause: break;
    case Opcode::launch_dependents:
      add_note("the kernel lets the next one start early (griddepcontrol), which starts after its end here");
      break;
    case Opcode::load: load(block, thread, code); break;
    case Opcode::store: store(block, thread, code); break;
    case Opcode::load_param: load_param(block, thread, code); break;
    case Opcode::store_param: store_param(block, thread, code); break;
    case Opcode::atomic:
    case Opcode::reduction: atomic(block, thread, code); break;
    case Opcode::fence: fence(thread, code); break;
    case Opcode::multimem_load:
    case Opcode::multimem_store:
    case Opcode::multimem_reduction: multimem(block, thread, code); break;
    case Opcode::barrier_sync:
    case Opcode::barrier_reduce:
    case Opcode::barrier_arrive: return come_to_barrier(block, thread, code);
    case Opcode::cluster_arrive: return arrive_in_cluster(block, thread, code);
    case Opcode::cluster_wait: return wait_in_cluster(block, thread);
    case Opcode::warp_barrier:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::warp_reduce:
    case Opcode::elect: return wait_in_warp(block, thread, code);
    case Opcode::active_mask: {
      order_matters("activemask tells which threads have ended");
      std::uint32_t mask = 0;
      const std::uint32_t first = thread.index / 32 * 32;
      for (std::uint32_t at = first; at < std::min<std::size_t>(first + 32, block.threads.size()); ++at)
        if (block.threads[at].state != ThreadState::ended) mask |= std::uint32_t{1} << (at - first);
      set(thread, code.to, concrete(mask));
      break;
    }
    case Opcode::branch: return branch(thread, code.target);
    case Opcode::branch_table: {
      use(value(block, thread, code.from[0]));
      const std::uint64_t index = lowest(value(block, thread, code.from[0]).bits, 4);
      if (index >= code.part_count)
        fail(thread, FindingKind::out_of_bounds, "the index of brx.idx is past the end of its list of targets");
      return branch(thread, static_cast<std::int32_t>(thread.function->references[code.parts + index]));
    }
    case Opcode::call:
    case Opcode::call_pointer: return call(block, thread, code);
    case Opcode::leave: return leave(block, thread);
    case Opcode::exit: return end_thread(block, thread);
    case Opcode::trap: fail(thread, FindingKind::trap, "the kernel stops itself");
    case Opcode::compare:
    case Opcode::compare_to_value: compare(block, thread, code); break;
    default:
      if (!code.has(Code::is_plain) || !compute_plain(block, thread, code)) compute(block, thread, code);
      break;
  }
  ++thread.pc;
}

/// Sets the result, if no input has a part in the operands.
bool GpuMachine::compute_plain(BlockState& block, ThreadContext& thread, const Code& code) {
  static const Value nothing;
  const Value& a = value(block, thread, code.from[0]);
  const Value& b = code.from[1] == no_operand ? nothing : value(block, thread, code.from[1]);
  const Value& c = code.from[2] == no_operand ? nothing : value(block, thread, code.from[2]);
  if (!a.is_concrete() || !b.is_concrete() || !c.is_concrete()) return false;
  const std::uint64_t bits = plain(code, a.bits, b.bits, c.bits);
  if (code.to != no_operand) thread.registers[static_cast<std::int32_t>(code.to)] = concrete(bits);
  return true;
}

void GpuMachine::compute(BlockState& block, ThreadContext& thread, const Code& code) {
  switch (code.opcode) {
    case Opcode::move:
      if (code.type.bytes == 16) {
        const auto from = static_cast<std::int32_t>(code.from[0]);
        if (from < 0)
          fail(thread, FindingKind::unsupported, "a move of 128 bits from what isn't a register isn't supported");
        const Value low = thread.registers[from];
        const Value high = thread.registers[from + 1];
        set(thread, code.to, low);
        if (code.to != no_operand) thread.registers[static_cast<std::int32_t>(code.to) + 1] = high;
        return;
      }
      return set(thread, code.to, value(block, thread, code.from[0]));
    case Opcode::pack: {
      const std::uint32_t part = code.source_type.bytes;
      std::array<Value, 2> packed;
      for (std::uint32_t at = 0; at < code.part_count; ++at) {
        const Value& from = value(block, thread, thread.function->references[code.parts + at]);
        Value& into = packed[at * part / 8];
        const std::uint32_t shift = at * part % 8;
        into.bits |= lowest(from.bits, part) << (8 * shift);
        if (part == 1) {
          if (!from.lanes[0].is_empty())
            arithmetic_.set_term(into, ElementType::u8, shift, arithmetic_.term(from, ElementType::u8, 0));
          continue;
        }
        for (std::uint32_t lane = 0; lane < part / 2; ++lane) into.lanes[shift / 2 + lane] = from.lanes[lane];
      }
      set(thread, code.to, packed[0]);
      if (code.type.bytes == 16 && code.to != no_operand)
        thread.registers[static_cast<std::int32_t>(code.to) + 1] = packed[1];
      return;
    }
    case Opcode::unpack: {
      const std::uint32_t part = code.source_type.bytes;
      std::array<Value, 2> whole{value(block, thread, code.from[0]), {}};
      if (code.type.bytes == 16) whole[1] = thread.registers[static_cast<std::int32_t>(code.from[0]) + 1];
      for (std::uint32_t at = 0; at < code.part_count; ++at) {
        const Value& from = whole[at * part / 8];
        const std::uint32_t shift = at * part % 8;
        Value into = concrete(lowest(from.bits >> (8 * shift), part));
        if (part == 1)
          arithmetic_.set_term(into, ElementType::u8, 0, arithmetic_.term(from, ElementType::u8, shift));
        else
          for (std::uint32_t lane = 0; lane < part / 2; ++lane) into.lanes[lane] = from.lanes[shift / 2 + lane];
        set(thread, thread.function->references[code.parts + at], into);
      }
      return;
    }
    case Opcode::to_generic: {
      Value address = value(block, thread, code.from[0]);
      if (code.space == ptx::StateSpace::shared) address.bits |= shared_window;
      if (code.space == ptx::StateSpace::local) address.bits |= local_window;
      if (code.space == ptx::StateSpace::param) address.bits |= param_window;
      return set(thread, code.to, address);
    }
    case Opcode::from_generic: {
      Value address = value(block, thread, code.from[0]);
      const bool has_window = code.space != ptx::StateSpace::global && code.space != ptx::StateSpace::constant;
      if (has_window) address.bits &= ~window_mask;
      return set(thread, code.to, address);
    }
    case Opcode::is_in_space: {
      const std::uint64_t window = value(block, thread, code.from[0]).bits & window_mask;
      const std::uint64_t wanted = code.space == ptx::StateSpace::shared  ? shared_window
                                   : code.space == ptx::StateSpace::local ? local_window
                                   : code.space == ptx::StateSpace::param ? param_window
                                                                          : 0;
      return set(thread, code.to, concrete(window == wanted ? 1 : 0));
    }
    case Opcode::map_to_block: {
      Value address = value(block, thread, code.from[0]);
      const std::uint64_t rank = lowest(value(block, thread, code.from[1]).bits, 4);
      if (rank >= block.kernel->run->cluster.count())
        fail(thread, FindingKind::out_of_bounds, "the cluster has no block with this number");
      address.bits = (address.bits & ~(std::uint64_t{0xFF} << 24)) | (rank + 1) << 24;
      return set(thread, code.to, address);
    }
    case Opcode::select: {
      const bool first = (value(block, thread, code.from[2]).bits & 1) != 0;
      return set(thread, code.to, value(block, thread, code.from[first ? 0 : 1]));
    }
    case Opcode::select_by_sign: {
      const Value& sign = value(block, thread, code.from[2]);
      use(sign);
      const bool first =
          code.source_type.is_floating() ? number_of(ElementType::f32, sign.bits) >= 0 : as_signed(sign.bits, 4) >= 0;
      return set(thread, code.to, value(block, thread, code.from[first ? 0 : 1]));
    }
    case Opcode::test_property: {
      use(value(block, thread, code.from[0]));
      const double number = number_of(code.type.element, value(block, thread, code.from[0]).bits);
      return set(thread, code.to, concrete(has_property(code.mode, number, code.type.element) ? 1 : 0));
    }
    default: break;
  }
  static const Value nothing;
  const auto operand = [&](std::size_t at) -> const Value& {
    return code.from[at] == no_operand ? nothing : value(block, thread, code.from[at]);
  };
  set(thread, code.to, arithmetic_.result(code, operand(0), operand(1), operand(2), operand(3)));
}

void GpuMachine::compare(BlockState& block, ThreadContext& thread, const Code& code) {
  const Value& a = value(block, thread, code.from[0]);
  const Value& b = value(block, thread, code.from[1]);
  if (!a.is_concrete() || !b.is_concrete()) {
    ++outcome_.data_branches;
    check_is_written(thread, a, "decides a branch");
    check_is_written(thread, b, "decides a branch");
    use(a);
    use(b);
  }
  if (code.opcode == Opcode::compare_to_value) {
    Value result;
    if (code.type.is_floating()) {
      const auto bytes = static_cast<std::uint32_t>(size_of(code.type.element));
      for (std::uint32_t scalar = 0; scalar < code.type.scalars; ++scalar)
        if (arithmetic_.holds(code, code.source_type, a, b, scalar))
          result.bits |= bits_of(code.type.element, 1) << (8 * bytes * scalar);
    } else if (arithmetic_.holds(code, code.source_type, a, b, 0)) {
      result.bits = lowest(~std::uint64_t{0}, code.type.bytes);
    }
    return set(thread, code.to, result);
  }
  bool first = arithmetic_.holds(code, code.type, a, b, 0);
  bool second = code.type.scalars == 2 ? arithmetic_.holds(code, code.type, a, b, 1) : !first;
  if (code.joining != 0) {
    const bool other = ((value(block, thread, code.from[2]).bits & 1) != 0) != code.has(Code::is_negated);
    const auto joined = [&](bool result) {
      return code.joining == 1 ? result && other : code.joining == 2 ? result || other : result != other;
    };
    first = joined(first);
    second = joined(second);
  }
  set(thread, code.to, concrete(first ? 1 : 0));
  set(thread, code.also_to, concrete(second ? 1 : 0));
}

void GpuMachine::check_is_written(const ThreadContext& thread, const Value& value, const char* use) {
  for (const Lane lane : value.lanes)
    if (!lane.is_empty() && terms_->has_unwritten(lane.term()))
      fail(thread, FindingKind::unwritten_value, std::string("memory that nobody wrote ") + use);
}

/// A thread that goes round a loop, reads the same as in the round before and does nothing else waits: for a change of
/// what it read. One more round shows whether it counts, too.
void GpuMachine::branch(ThreadContext& thread, std::int32_t target) {
  const auto from = static_cast<std::int64_t>(thread.pc);
  thread.pc = static_cast<std::uint32_t>(target);
  if (target > from || tries_all()) return;
  const bool repeats =
      thread.loop == from && !thread.has_acted && thread.loads == thread.loads_before && !thread.watched.empty();
  if (repeats && thread.patience == 0 && thread.is_in_last_round) {
    park(thread);
  } else {
    thread.is_in_last_round = repeats && thread.patience == 0;
    if (thread.is_in_last_round) thread.last_round.assign(thread.registers, thread.registers + thread.function->slots);
    if (thread.patience > 0) --thread.patience;
  }
  thread.loop = from;
  thread.loads_before = thread.loads;
  thread.loads = 0;
  thread.has_acted = false;
  thread.has_read_clock = false;
  thread.watched.clear();
}

void GpuMachine::park(ThreadContext& thread) {
  const std::vector<bool>& needed = needed_registers(*thread.function, thread.pc);
  thread.counts = thread.has_read_clock || thread.last_round.size() != thread.function->slots;
  for (std::size_t slot = 0; slot < needed.size() && !thread.counts; ++slot)
    thread.counts = needed[slot] && !(thread.last_round[slot] == thread.registers[slot]);
  thread.is_in_last_round = false;
  if (thread.counts && !thread.has_had_patience) counting_.push_back(thread.id);
  for (TrackedCell* cell : thread.watched) cell->synced().watchers.push_back(thread.id);
  set_state(thread, ThreadState::parked);
}

void GpuMachine::load_param(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint64_t at = address_of(block, thread, code);
  const std::uint32_t bytes = std::min<std::uint32_t>(code.type.bytes, 8);
  const std::uint32_t parts = code.part_count * (code.type.bytes / bytes);
  const std::uint64_t given = launch_.module->functions[thread.function->function].parameter_bytes;
  const bool is_argument = thread.frames.empty() && at < given;
  Region* region = is_argument ? block.kernel->arguments.get() : thread.params.get();
  if (region == nullptr || !region->has(at, std::uint64_t{bytes} * parts))
    fail(thread, FindingKind::out_of_bounds, "a parameter is read past its end");
  for (std::uint32_t part = 0; part < parts; ++part) {
    Value loaded = region->load(at + std::uint64_t{part} * bytes, bytes, *terms_);
    if (code.type.is_signed() && bytes < 4) loaded.bits = static_cast<std::uint64_t>(as_signed(loaded.bits, bytes));
    if (code.type.bytes == 16) {
      const auto to = static_cast<std::int32_t>(thread.function->references[code.parts + part / 2]);
      if (to >= 0) thread.registers[to + static_cast<std::int32_t>(part % 2)] = loaded;
    } else {
      set(thread, thread.function->references[code.parts + part], loaded);
    }
  }
}

void GpuMachine::store_param(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint64_t at = address_of(block, thread, code);
  const std::uint32_t bytes = code.type.bytes;
  if (bytes > 8) fail(thread, FindingKind::unsupported, "parameters of 128 bits aren't supported");
  if (thread.params == nullptr)
    thread.params = unset_memory(block, "parameters", thread.function->parameter_bytes, false);
  if (!thread.params->has(at, std::uint64_t{bytes} * code.part_count))
    fail(thread, FindingKind::out_of_bounds, "a parameter is written past its end");
  for (std::uint32_t part = 0; part < code.part_count; ++part)
    thread.params->store(at + std::uint64_t{part} * bytes, bytes,
                         value(block, thread, thread.function->references[code.parts + part]), *terms_);
}

void GpuMachine::call(BlockState& block, ThreadContext& thread, const Code& code) {
  std::size_t callee = static_cast<std::size_t>(code.target);
  if (code.opcode == Opcode::call_pointer) {
    const std::uint64_t pointer = value(block, thread, code.from[0]).bits;
    if ((pointer & window_mask) != function_window || (pointer & ~window_mask) >= code_.functions.size())
      fail(thread, FindingKind::wild_address, "a call through a pointer that isn't one of a function");
    callee = pointer & ~window_mask;
  }
  const ptx::Function& function = launch_.module->functions[callee];
  if (function.is_declared_only) return call_of_system(thread, function.name);
  const CodeFunction& target = code_.functions[callee];
  if (thread.frames.size() >= most_frames) fail(thread, FindingKind::unsupported, "calls are too deep");
  auto params = unset_memory(block, "parameters", target.parameter_bytes, false);
  if (code.part_count > function.parameters.size())
    fail(thread, FindingKind::unsupported, "the call has more arguments than the function");
  for (std::uint32_t at = 0; at < code.part_count; ++at) {
    const auto from = static_cast<std::uint64_t>(thread.function->references[code.parts + at]);
    copy_params(thread.params.get(), from, *params, function.parameters[at].offset, function.parameters[at].bytes);
  }
  CallFrame frame;
  frame.function = thread.function;
  frame.pc = thread.pc;
  frame.params = std::move(thread.params);
  const bool is_entry = thread.frames.empty();
  if (!is_entry) frame.registers = std::move(thread.own_registers);
  thread.frames.push_back(std::move(frame));
  thread.params = std::move(params);
  thread.function = &target;
  thread.own_registers.assign(target.slots, Value{});
  thread.registers = thread.own_registers.data();
  thread.pc = 0;
}

void GpuMachine::copy_params(const Region* from, std::uint64_t from_offset, Region& to, std::uint64_t to_offset,
                             std::uint64_t bytes) {
  if (from == nullptr || !from->has(from_offset, bytes) || !to.has(to_offset, bytes)) return;
  std::memcpy(to.bytes() + to_offset, from->bytes() + from_offset, bytes);
  for (std::uint64_t lane = 0; lane < (bytes + 1) / 2; ++lane)
    to.lanes()[to_offset / 2 + lane] = from->lanes()[from_offset / 2 + lane];
}

/// Functions that the driver provides.
void GpuMachine::call_of_system(ThreadContext& thread, const std::string& name) {
  if (name == "__assertfail") fail(thread, FindingKind::trap, "an assertion of the kernel fails");
  if (name != "vprintf") fail(thread, FindingKind::unsupported, "the function '" + name + "' isn't in the module");
  add_note("the kernel calls printf, which prints nothing here");
  ++thread.pc;
}

void GpuMachine::leave(BlockState& block, ThreadContext& thread) {
  if (thread.frames.empty()) return end_thread(block, thread);
  CallFrame frame = std::move(thread.frames.back());
  thread.frames.pop_back();
  const Code& call = frame.function->code[frame.pc];
  const ptx::Function& left = launch_.module->functions[thread.function->function];
  if (call.vector == 1 && !left.results.empty()) {
    const auto to = static_cast<std::uint64_t>(frame.function->references[call.parts + call.part_count]);
    if (frame.params == nullptr)
      frame.params = unset_memory(block, "parameters", frame.function->parameter_bytes, false);
    const std::uint64_t from = (left.parameter_bytes + 7) / 8 * 8;
    const std::uint64_t alignment = std::max<std::uint32_t>(left.results.front().alignment, 8);
    copy_params(thread.params.get(), (from + alignment - 1) / alignment * alignment, *frame.params, to,
                left.results.front().bytes);
  }
  thread.params = std::move(frame.params);
  thread.function = frame.function;
  thread.pc = frame.pc + 1;
  thread.own_registers = std::move(frame.registers);
  thread.registers = thread.frames.empty()
                         ? block.registers.data() + std::size_t{thread.index} * block.kernel->entry->slots
                         : thread.own_registers.data();
}

void GpuMachine::fence(ThreadContext& thread, const Code& code) {
  if (options_.older_values && code.order == Order::sc) fence_visibility(thread, code.scope);
  synchronization_.fence(thread.sync, thread.id, code.scope);
}

}  // namespace onceover::gpu
