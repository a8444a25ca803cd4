#include "plain_thread.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace onceover::gpu {
namespace {

using ptx::OperandKind;
using ptx::PtxInstruction;
using ptx::PtxOperand;

constexpr int most_steps = 20'000;
constexpr std::uint64_t param_window = std::uint64_t{0xF0} << 56;

[[noreturn]] void cannot_judge(const PlainThread& thread) {
  std::string text;
  for (const std::string& word : instruction_of(thread).words) text += word + ".";
  throw PlainProblem{false, "unknown: " + text};
}

PlainValue plain(std::uint64_t bits) {
  return {{static_cast<std::uint32_t>(bits), 0}, {static_cast<std::uint32_t>(bits >> 32), 0}};
}

std::int64_t as_signed32(std::uint64_t bits) {
  return static_cast<std::int32_t>(bits);
}

float as_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

std::uint64_t special(const PlainThread& thread, const std::string& name) {
  if (name == "%tid.x") return thread.place.thread;
  if (name == "%ntid.x") return thread.run->block.x;
  if (name == "%ctaid.x") return thread.place.block;
  if (name == "%nctaid.x") return thread.run->grid.x;
  cannot_judge(thread);
}

std::uint64_t offset_of_parameter(const PlainThread& thread, const std::string& name) {
  for (const ptx::PtxVariable& parameter : thread.function->parameters)
    if (parameter.name == name) return parameter.offset;
  cannot_judge(thread);
}

/// Anything that isn't a sum or a copy.
PlainValue opaque(PlainTerms& terms, const PlainThread& thread, const std::vector<PlainValue>& from, std::uint64_t bits,
                  bool is_wide) {
  PlainValue result = plain(bits);
  if (std::none_of(from.begin(), from.end(), [](const PlainValue& value) { return value.has_term(); })) return result;
  PlainTerms::Node node{PlainTerms::Kind::other, {0}};
  for (const std::string& word : instruction_of(thread).words)
    for (const char letter : word) node.of.front() = node.of.front() * 31 + letter;
  for (const PlainValue& value : from)
    for (const std::int64_t of :
         {std::int64_t{value.low.term}, std::int64_t{value.high.term}, static_cast<std::int64_t>(value.bits())})
      node.of.push_back(of);
  result.low.term = terms.made(node);
  if (is_wide) result.high.term = result.low.term;
  return result;
}

PlainWord or_of(PlainWord a, PlainWord b, bool& is_plain) {
  if (a.term == 0 && a.bits == 0) return b;
  if (b.term == 0 && b.bits == 0) return a;
  if (a.term != 0 || b.term != 0) is_plain = false;
  return {a.bits | b.bits, 0};
}

bool compared(const std::string& relation, const std::string& type, std::uint64_t a, std::uint64_t b,
              const PlainThread& thread) {
  if (type == "f32") {
    const float x = as_float(static_cast<std::uint32_t>(a));
    const float y = as_float(static_cast<std::uint32_t>(b));
    if (relation == "eq") return x == y;
    if (relation == "neu") return x != y;
    cannot_judge(thread);
  }
  if (type == "s32") {
    a = static_cast<std::uint64_t>(as_signed32(a));
    b = static_cast<std::uint64_t>(as_signed32(b));
  } else if (type[1] == '3') {
    a = static_cast<std::uint32_t>(a);
    b = static_cast<std::uint32_t>(b);
  }
  const bool is_signed = type[0] == 's';
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  const bool is_less = is_signed ? x < y : a < b;
  if (relation == "eq") return a == b;
  if (relation == "ne") return a != b;
  if (relation == "lt") return is_less;
  if (relation == "ge") return !is_less;
  if (relation == "gt") return !is_less && a != b;
  if (relation == "le") return is_less || a == b;
  cannot_judge(thread);
}

/// Of 32 or 64 bits.
std::uint64_t computed(const PlainThread& thread, const std::vector<PlainValue>& from) {
  const auto& words = instruction_of(thread).words;
  const std::string& name = words.front();
  const std::string& type = words.back();
  const bool is_32 = type.ends_with("32");
  const auto operand = [&](std::size_t at) -> std::uint64_t {
    if (type == "s32") return static_cast<std::uint64_t>(as_signed32(from[at].bits()));
    return is_32 ? from[at].low.bits : from[at].bits();
  };
  const std::uint64_t a = operand(0);
  const std::uint64_t b = from.size() > 1 ? operand(1) : 0;
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  const bool is_signed = type[0] == 's';
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul" && (words[1] == "lo" || words[1] == "wide")) return a * b;
  if (name == "mul" && words[1] == "hi" && type == "u32") return a * b >> 32;
  if (name == "mad" && words[1] == "lo") return a * b + operand(2);
  if (name == "and") return a & b;
  if (name == "or") return a | b;
  if (name == "xor") return a ^ b;
  if (name == "not") return ~a;
  if (name == "neg") return 0 - a;
  const std::uint64_t by = from.size() > 1 ? from[1].low.bits : 0;
  if (name == "shl") return by >= (is_32 ? 32 : 64) ? 0 : a << by;
  if (name == "shr" && is_signed) return static_cast<std::uint64_t>(x >> std::min<std::uint64_t>(by, 63));
  if (name == "shr") return by >= (is_32 ? 32 : 64) ? 0 : a >> by;
  if (name == "min") return is_signed ? static_cast<std::uint64_t>(std::min(x, y)) : std::min(a, b);
  if (name == "max") return is_signed ? static_cast<std::uint64_t>(std::max(x, y)) : std::max(a, b);
  if ((name == "div" || name == "rem") && b == 0) throw PlainProblem{false, "a division by zero"};
  if (name == "div") return is_signed ? static_cast<std::uint64_t>(x / y) : a / b;
  if (name == "rem") return is_signed ? static_cast<std::uint64_t>(x % y) : a % b;
  cannot_judge(thread);
}

void set(PlainThread& thread, const PtxOperand& to, const PlainValue& value) {
  if (to.kind == OperandKind::reg) thread.registers[static_cast<std::size_t>(to.reg)] = value;
}

void load_parameter(PlainThread& thread, const PlainTerms& terms) {
  const PtxInstruction& instruction = instruction_of(thread);
  const std::uint64_t at = address_at(thread, terms, 1) & ~param_window;
  const std::uint64_t bytes = instruction.words.back().ends_with("64") ? 8 : 4;
  if (instruction.words.size() != 3 || at + bytes > thread.arguments.size()) cannot_judge(thread);
  std::uint64_t bits = 0;
  std::memcpy(&bits, thread.arguments.data() + at, bytes);
  set(thread, instruction.operands[0], plain(bits));
}

void compare(PlainThread& thread, const PlainTerms& terms) {
  const PtxInstruction& instruction = instruction_of(thread);
  if (instruction.words.size() != 3) cannot_judge(thread);
  const PlainValue a = value_at(thread, instruction.operands[1]);
  const PlainValue b = value_at(thread, instruction.operands[2]);
  for (const int term : {a.low.term, a.high.term, b.low.term, b.high.term})
    if (terms.is_unwritten(term)) throw PlainProblem{true, "memory that nobody wrote decides a branch"};
  const bool result = compared(instruction.words[1], instruction.words[2], a.bits(), b.bits(), thread);
  set(thread, instruction.operands[0], plain(result ? 1 : 0));
  if (instruction.operands[0].second >= 0)
    thread.registers[static_cast<std::size_t>(instruction.operands[0].second)] = plain(result ? 0 : 1);
}

/// Copies, and what moves halves; false if it is none of these.
bool moved(PlainThread& thread) {
  const PtxInstruction& instruction = instruction_of(thread);
  const auto& words = instruction.words;
  const std::string& name = words.front();
  const auto from = [&](std::size_t at) { return value_at(thread, instruction.operands[at]); };
  if (name == "mov" || name == "cvta") {
    set(thread, instruction.operands[0], from(1));
    return true;
  }
  if (name == "cvt" && words.size() == 3) {
    PlainValue value = from(1);
    const bool is_signed = words[2] == "s32";
    if (words[2].ends_with("32")) value.high = {is_signed && value.low.bits >> 31 != 0 ? ~std::uint32_t{0} : 0, 0};
    if (is_signed && words[1].ends_with("64") && value.low.term != 0) value.high.term = value.low.term;
    if (words[1].ends_with("32")) value.high = {};
    set(thread, instruction.operands[0], value);
    return true;
  }
  if (name == "selp") {
    set(thread, instruction.operands[0], (from(3).low.bits & 1) != 0 ? from(1) : from(2));
    return true;
  }
  if ((name == "shl" || name == "shr") && words.back().ends_with("64") && from(2).bits() == 32 && words[1] != "s64") {
    PlainValue value = from(1);
    value = name == "shl" ? PlainValue{{}, value.low} : PlainValue{value.high, {}};
    set(thread, instruction.operands[0], value);
    return true;
  }
  if (name == "or" && words.back() != "pred") {
    bool is_plain = true;
    const PlainValue value{or_of(from(1).low, from(2).low, is_plain), or_of(from(1).high, from(2).high, is_plain)};
    if (is_plain) set(thread, instruction.operands[0], value);
    return is_plain;
  }
  return false;
}

void compute(PlainThread& thread, PlainTerms& terms) {
  const PtxInstruction& instruction = instruction_of(thread);
  const auto& words = instruction.words;
  if (words.front() == "setp") return compare(thread, terms);
  if (moved(thread)) return;
  std::vector<PlainValue> from;
  for (std::size_t at = 1; at < instruction.operands.size(); ++at)
    from.push_back(value_at(thread, instruction.operands[at]));
  if (words.back() == "f32") {
    if (words.front() != "add" || words.size() != 2) cannot_judge(thread);
    return set(thread, instruction.operands[0], {added(terms, from[0].low, from[1].low), {}});
  }
  if (words.back() == "pred") {
    const std::uint64_t a = from[0].low.bits & 1;
    const std::uint64_t b = from.size() > 1 ? from[1].low.bits & 1 : 0;
    const std::string& name = words.front();
    if (name != "or" && name != "and" && name != "not") cannot_judge(thread);
    return set(thread, instruction.operands[0], plain(name == "or" ? a | b : name == "and" ? a & b : 1 - a));
  }
  const bool is_wide = has_word(instruction, "wide") || words.back().ends_with("64");
  std::uint64_t bits = computed(thread, from);
  if (!is_wide) bits = static_cast<std::uint32_t>(bits);
  set(thread, instruction.operands[0], opaque(terms, thread, from, bits, is_wide));
}

template <class Use>
void for_each_register(const PtxOperand& operand, Use use) {
  if (operand.reg >= 0) use(static_cast<std::size_t>(operand.reg));
  if (operand.second >= 0) use(static_cast<std::size_t>(operand.second));
  for (const PtxOperand& part : operand.parts) for_each_register(part, use);
}

bool writes_first(const PtxInstruction& instruction) {
  const std::string& name = instruction.words.front();
  const bool is_multimem_load = name == "multimem" && instruction.words[1] == "ld_reduce";
  return is_multimem_load || (name != "st" && name != "red" && name != "multimem" && name != "bar" && name != "bra");
}

}  // namespace

int PlainTerms::made(const Node& node) {
  const auto [at, is_new] = known_.try_emplace(node, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return at->second;
}

bool PlainTerms::is_unwritten(int term) const {
  return (*this)[term].kind == Kind::unwritten;
}

bool has_word(const PtxInstruction& instruction, const char* word) {
  return std::find(instruction.words.begin(), instruction.words.end(), word) != instruction.words.end();
}

PlainWord added(PlainTerms& terms, PlainWord a, PlainWord b) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(as_float(a.bits) + as_float(b.bits));
  if (a.term == 0 && b.term == 0) return {bits, 0};
  if (a.term == 0 && a.bits << 1 == 0) return b;
  if (b.term == 0 && b.bits << 1 == 0) return a;
  return {bits, terms.made({PlainTerms::Kind::sum, {std::min(a.term, b.term), std::max(a.term, b.term)}})};
}

PlainValue value_at(const PlainThread& thread, const PtxOperand& operand) {
  switch (operand.kind) {
    case OperandKind::reg: {
      PlainValue value = thread.registers[static_cast<std::size_t>(operand.reg)];
      if (operand.is_negated) value.low.bits ^= 1;
      return value;
    }
    case OperandKind::immediate: {
      if (!operand.is_double) return plain(operand.immediate);
      return plain(std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.immediate))));
    }
    case OperandKind::special: return plain(special(thread, operand.name));
    case OperandKind::symbol:
      return plain(param_window | (offset_of_parameter(thread, operand.name) + operand.immediate));
    default: cannot_judge(thread);
  }
}

std::uint64_t address_at(const PlainThread& thread, const PlainTerms& terms, std::size_t at) {
  const PtxOperand& operand = instruction_of(thread).operands[at];
  if (operand.reg < 0) return param_window | (offset_of_parameter(thread, operand.name) + operand.immediate);
  const PlainValue base = thread.registers[static_cast<std::size_t>(operand.reg)];
  if (terms.is_unwritten(base.low.term) || terms.is_unwritten(base.high.term))
    throw PlainProblem{true, "memory that nobody wrote is an address"};
  return base.bits() + operand.immediate;
}

void run_plainly(PlainThread& thread, PlainTerms& terms, std::set<std::uint32_t>& lines) {
  for (int step = 0; step < most_steps; ++step) {
    if (thread.pc == static_cast<std::int32_t>(thread.function->instructions.size())) return;
    const PtxInstruction& instruction = instruction_of(thread);
    lines.insert(instruction.line);
    const bool is_skipped =
        instruction.guard >= 0 && ((thread.registers[static_cast<std::size_t>(instruction.guard)].low.bits & 1) != 0) ==
                                      instruction.guard_is_negated;
    const std::string& name = instruction.words.front();
    const bool is_param = name == "ld" && has_word(instruction, "param");
    if (is_skipped) {
      ++thread.pc;
      continue;
    }
    if (name == "bra") {
      thread.pc = instruction.target;
      continue;
    }
    if (name == "ret" || name == "exit") thread.pc = static_cast<std::int32_t>(thread.function->instructions.size());
    if (name == "ret" || name == "exit") return;
    const bool is_access = name == "ld" || name == "st" || name == "atom" || name == "red" || name == "fence" ||
                           name == "bar" || name == "multimem";
    if (is_access && !is_param) return;
    if (is_param)
      load_parameter(thread, terms);
    else
      compute(thread, terms);
    ++thread.pc;
  }
  throw PlainProblem{false, "a thread runs without end"};
}

std::vector<std::vector<bool>> needed_in(const ptx::Function& function) {
  const std::size_t count = function.instructions.size();
  std::vector<std::vector<bool>> needed(count + 1, std::vector<bool>(function.registers.size()));
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t at = count; at-- > 0;) {
      const PtxInstruction& instruction = function.instructions[at];
      const std::string& name = instruction.words.front();
      const bool ends = name == "ret" || name == "exit";
      std::vector<bool> now(function.registers.size());
      const auto add = [&](std::size_t next) {
        for (std::size_t reg = 0; reg < now.size(); ++reg) now[reg] = now[reg] || needed[next][reg];
      };
      if (name == "bra") add(static_cast<std::size_t>(instruction.target));
      if ((name != "bra" && !ends) || instruction.guard >= 0) add(at + 1);
      const bool writes = writes_first(instruction) && !instruction.operands.empty();
      if (writes && instruction.guard < 0)
        for_each_register(instruction.operands[0], [&](std::size_t reg) { now[reg] = false; });
      for (std::size_t operand = writes ? 1 : 0; operand < instruction.operands.size(); ++operand)
        for_each_register(instruction.operands[operand], [&](std::size_t reg) { now[reg] = true; });
      if (instruction.guard >= 0) now[static_cast<std::size_t>(instruction.guard)] = true;
      if (now == needed[at]) continue;
      needed[at] = now;
      changes = true;
    }
  }
  return needed;
}

}  // namespace onceover::gpu
