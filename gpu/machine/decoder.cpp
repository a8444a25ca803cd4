#include "gpu/machine/decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/rows.h"
#include "gpu/machine/arithmetic.h"
#include "gpu/machine/slots.h"
#include "gpu/memory/device_memory.h"

namespace onceover::gpu {

namespace {

using enum NumberClass;

constexpr std::array ptx_types{
    std::pair{std::string_view("pred"), PtxType{ElementType::u8, predicate, 1, 1}},
    std::pair{std::string_view("b8"), PtxType{ElementType::u8, bits, 1, 1}},
    std::pair{std::string_view("b16"), PtxType{ElementType::u16, bits, 1, 2}},
    std::pair{std::string_view("b32"), PtxType{ElementType::u32, bits, 1, 4}},
    std::pair{std::string_view("b64"), PtxType{ElementType::u64, bits, 1, 8}},
    std::pair{std::string_view("b128"), PtxType{ElementType::u64, bits, 2, 16}},
    std::pair{std::string_view("u8"), PtxType{ElementType::u8, unsigned_integer, 1, 1}},
    std::pair{std::string_view("u16"), PtxType{ElementType::u16, unsigned_integer, 1, 2}},
    std::pair{std::string_view("u32"), PtxType{ElementType::u32, unsigned_integer, 1, 4}},
    std::pair{std::string_view("u64"), PtxType{ElementType::u64, unsigned_integer, 1, 8}},
    std::pair{std::string_view("s8"), PtxType{ElementType::s8, signed_integer, 1, 1}},
    std::pair{std::string_view("s16"), PtxType{ElementType::s16, signed_integer, 1, 2}},
    std::pair{std::string_view("s32"), PtxType{ElementType::s32, signed_integer, 1, 4}},
    std::pair{std::string_view("s64"), PtxType{ElementType::s64, signed_integer, 1, 8}},
    std::pair{std::string_view("f16"), PtxType{ElementType::f16, floating, 1, 2}},
    std::pair{std::string_view("bf16"), PtxType{ElementType::bf16, floating, 1, 2}},
    std::pair{std::string_view("f32"), PtxType{ElementType::f32, floating, 1, 4}},
    std::pair{std::string_view("f64"), PtxType{ElementType::f64, floating, 1, 8}},
    std::pair{std::string_view("f16x2"), PtxType{ElementType::f16, floating, 2, 4}},
    std::pair{std::string_view("bf16x2"), PtxType{ElementType::bf16, floating, 2, 4}},
    std::pair{std::string_view("f32x2"), PtxType{ElementType::f32, floating, 2, 8}},
    std::pair{std::string_view("e4m3"), PtxType{ElementType::e4m3, floating, 1, 1}},
    std::pair{std::string_view("e5m2"), PtxType{ElementType::e5m2, floating, 1, 1}},
    std::pair{std::string_view("e4m3x2"), PtxType{ElementType::e4m3, floating, 2, 2}},
    std::pair{std::string_view("e5m2x2"), PtxType{ElementType::e5m2, floating, 2, 2}},
    std::pair{std::string_view("e4m3x4"), PtxType{ElementType::e4m3, floating, 4, 4}},
    std::pair{std::string_view("e5m2x4"), PtxType{ElementType::e5m2, floating, 4, 4}},
};

constexpr std::array cache_words{"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

bool is_hint(const std::string& word) {
  return std::find(cache_words.begin(), cache_words.end(), word) != cache_words.end() || word.starts_with("L1::") ||
         word.starts_with("L2::");
}

}  // namespace

std::optional<PtxType> ptx_type(std::string_view word) {
  for (const auto& [name, type] : ptx_types)
    if (name == word) return type;
  return std::nullopt;
}

bool Modifiers::take(std::string_view word) {
  const auto at = std::find(words_.begin(), words_.end(), word);
  if (at == words_.end()) return false;
  words_.erase(at);
  return true;
}

std::optional<PtxType> Modifiers::take_type() {
  return take_from(ptx_types);
}

void Modifiers::take_hints() {
  std::erase_if(words_, is_hint);
}
namespace {

std::uint64_t masked(std::uint64_t bits, std::uint32_t bytes) {
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::uint64_t aligned_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// Puts variables of a space one after the other, from `end`.
void lay_out(const std::vector<ptx::PtxVariable>& variables, ptx::StateSpace space, std::uint64_t& end,
             Symbols& symbols) {
  for (const ptx::PtxVariable& variable : variables) {
    if (variable.space != space || variable.is_unsized) continue;
    end = aligned_up(end, std::max<std::uint32_t>(variable.alignment, space == ptx::StateSpace::shared ? 16 : 8));
    symbols.addresses[variable.name] = end;
    end += variable.bytes;
  }
}

void add_parameters(const ptx::Function& function, CodeFunction& code, Symbols& symbols) {
  for (const ptx::PtxVariable& parameter : function.parameters) symbols.addresses[parameter.name] = parameter.offset;
  code.parameter_bytes = function.parameter_bytes;
  lay_out(function.results, ptx::StateSpace::param, code.parameter_bytes, symbols);
  lay_out(function.variables, ptx::StateSpace::param, code.parameter_bytes, symbols);
}

/// Names of the module: for all functions.
Symbols module_symbols(const ptx::Module& module, std::uint64_t& shared_end) {
  Symbols symbols;
  symbols.functions = &module.function_by_name;
  for (std::size_t index = 0; index < module.variables.size(); ++index) {
    const ptx::PtxVariable& variable = module.variables[index];
    if (variable.space != ptx::StateSpace::shared)
      symbols.asked[variable.name] = {AskedOperand::Kind::variable, {}, index, 0};
    if (variable.is_unsized && variable.space == ptx::StateSpace::shared)
      symbols.asked[variable.name] = {AskedOperand::Kind::dynamic_shared, {}, index, 0};
  }
  lay_out(module.variables, ptx::StateSpace::shared, shared_end, symbols);
  return symbols;
}

}  // namespace

Decoder::Decoder(CodeModule& module, const ptx::Function& function, const Symbols& symbols, CodeFunction& into)
    : module_(module), function_(function), symbols_(symbols), into_(into) {
  for (const ptx::RegisterDeclaration& declared : function.registers) {
    slots_.push_back(static_cast<std::int32_t>(into_.slots));
    into_.slots += declared.type == "b128" ? 2 : 1;
  }
}

void Decoder::decode() {
  for (std::size_t at = 0; at < function_.instructions.size(); ++at) {
    instruction_ = &function_.instructions[at];
    code_ = Code{};
    Modifiers words(instruction_->words);
    const auto rule = rules().find(instruction_->words.front());
    if (rule == rules().end() || !(this->*rule->second)(words) || !words.empty()) code_ = Code{};
    if (can_be_plain(code_)) code_.flags |= Code::is_plain;
    code_.source = static_cast<std::uint32_t>(at);
    code_.guard = instruction_->guard < 0 ? -1 : slots_[static_cast<std::size_t>(instruction_->guard)];
    code_.guard_is_negated = instruction_->guard_is_negated;
    into_.code.push_back(code_);
  }
  // A function that doesn't end with a ret returns at its end.
  Code last;
  last.opcode = Opcode::leave;
  last.source = function_.instructions.empty() ? 0 : static_cast<std::uint32_t>(function_.instructions.size() - 1);
  into_.code.push_back(last);
}

OperandRef Decoder::constant(std::uint64_t bits) {
  const auto [known, is_new] =
      module_.constant_numbers.try_emplace(bits, static_cast<std::int32_t>(module_.constants.size()));
  if (is_new) module_.constants.push_back(concrete(bits));
  return static_cast<OperandRef>(-1 - known->second);
}

OperandRef Decoder::asked(const AskedOperand& what) {
  module_.asked.push_back(what);
  return static_cast<OperandRef>(first_asked - static_cast<std::int32_t>(module_.asked.size() - 1));
}

std::optional<OperandRef> Decoder::reference(const ptx::PtxOperand& operand, const PtxType& type) {
  using ptx::OperandKind;
  switch (operand.kind) {
    case OperandKind::reg: return static_cast<OperandRef>(slots_[static_cast<std::size_t>(operand.reg)]);
    case OperandKind::immediate:
      if (operand.is_double && type.is_floating() && type.element != ElementType::f64) {
        if (type.element != ElementType::f32 || type.scalars != 1) return std::nullopt;
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.immediate))));
      }
      return constant(masked(operand.immediate, type.bytes));
    case OperandKind::special: {
      const auto special = ptx::special_register(operand.name);
      if (!special) return std::nullopt;
      return asked({AskedOperand::Kind::special_register, *special, 0, 0});
    }
    case OperandKind::symbol:
    case OperandKind::address: {
      if (const auto found = symbols_.asked.find(operand.name); found != symbols_.asked.end()) {
        AskedOperand what = found->second;
        what.addend = operand.kind == OperandKind::symbol ? operand.immediate : 0;
        return asked(what);
      }
      const std::uint64_t addend = operand.kind == OperandKind::symbol ? operand.immediate : 0;
      if (const auto found = symbols_.addresses.find(operand.name); found != symbols_.addresses.end())
        return constant(found->second + addend);
      if (const auto found = symbols_.functions->find(operand.name); found != symbols_.functions->end())
        return constant(function_window | found->second);
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

bool Decoder::destination(std::size_t at) {
  if (at >= operands()) return false;
  const ptx::PtxOperand& to = operand(at);
  if (to.kind == ptx::OperandKind::reg)
    code_.to = static_cast<OperandRef>(slots_[static_cast<std::size_t>(to.reg)]);
  else if (to.kind != ptx::OperandKind::sink)
    return false;
  if (to.second >= 0) code_.also_to = static_cast<OperandRef>(slots_[static_cast<std::size_t>(to.second)]);
  return true;
}

bool Decoder::source(std::size_t slot, std::size_t at, const PtxType& type) {
  if (at >= operands() || operand(at).is_negated) return false;
  const auto found = reference(operand(at), type);
  if (!found) return false;
  code_.from[slot] = *found;
  return true;
}

bool Decoder::predicate(std::size_t slot, std::size_t at) {
  if (at >= operands()) return false;
  const auto found = reference(operand(at), PtxType{ElementType::u8, NumberClass::predicate, 1, 1});
  if (!found) return false;
  code_.from[slot] = *found;
  if (operand(at).is_negated) code_.flags |= Code::is_negated;
  return true;
}

bool Decoder::address(std::size_t slot, std::size_t at) {
  if (at >= operands()) return false;
  const ptx::PtxOperand& operand = this->operand(at);
  if (operand.kind != ptx::OperandKind::address || !operand.parts.empty()) return false;
  code_.offset = static_cast<std::int64_t>(operand.immediate);
  if (operand.reg >= 0) {
    code_.from[slot] = static_cast<OperandRef>(slots_[static_cast<std::size_t>(operand.reg)]);
    return true;
  }
  if (operand.name.empty()) {
    code_.from[slot] = constant(0);
    return true;
  }
  const auto found = reference(operand, PtxType{ElementType::u64, NumberClass::bits, 1, 8});
  if (!found) return false;
  code_.from[slot] = *found;
  return true;
}

bool Decoder::parts(std::size_t at, const PtxType& type, bool is_destination) {
  if (!is_vector(at)) return false;
  code_.parts = static_cast<std::uint32_t>(into_.references.size());
  code_.part_count = static_cast<std::uint32_t>(operand(at).parts.size());
  for (const ptx::PtxOperand& part : operand(at).parts) {
    const bool is_sink = part.kind == ptx::OperandKind::sink;
    if (is_destination && !is_sink && part.kind != ptx::OperandKind::reg) return false;
    const auto found = is_sink ? std::optional(no_operand) : reference(part, type);
    if (!found || (is_sink && !is_destination) || part.is_negated) return false;
    into_.references.push_back(*found);
  }
  return true;
}

bool Decoder::data(std::size_t at, const PtxType& type, bool is_destination) {
  if (code_.vector > 1) return parts(at, type, is_destination) && code_.part_count == code_.vector;
  if (at >= operands()) return false;
  code_.parts = static_cast<std::uint32_t>(into_.references.size());
  code_.part_count = 1;
  const bool is_sink = operand(at).kind == ptx::OperandKind::sink;
  if (is_destination && !is_sink && operand(at).kind != ptx::OperandKind::reg) return false;
  const auto found = is_sink ? std::optional(no_operand) : reference(operand(at), type);
  if (!found || (is_sink && !is_destination)) return false;
  into_.references.push_back(*found);
  return true;
}

bool Decoder::sources(std::size_t count, const PtxType& type) {
  if (operands() != count + 1 || !destination(0)) return false;
  for (std::size_t at = 0; at < count; ++at)
    if (!source(at, at + 1, type)) return false;
  return true;
}

CodeModule decoded(const ptx::Module& module) {
  CodeModule code;
  std::uint64_t shared_end = 0;
  std::uint32_t site = 0;
  Symbols shared = module_symbols(module, shared_end);
  std::vector<Symbols> symbols(module.functions.size(), shared);
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    if (module.functions[index].is_entry) continue;
    lay_out(module.functions[index].variables, ptx::StateSpace::shared, shared_end, symbols[index]);
  }
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    const ptx::Function& function = module.functions[index];
    CodeFunction into;
    into.function = index;
    into.first_site = site;
    site += static_cast<std::uint32_t>(function.instructions.size()) + 1;
    into.shared_bytes = shared_end;
    if (function.is_entry) lay_out(function.variables, ptx::StateSpace::shared, into.shared_bytes, symbols[index]);
    into.shared_bytes = aligned_up(into.shared_bytes, 128);
    lay_out(function.variables, ptx::StateSpace::local, code.local_bytes, symbols[index]);
    add_parameters(function, into, symbols[index]);
    code.functions.push_back(std::move(into));
    Decoder(code, function, symbols[index], code.functions.back()).decode();
    share_slots(code.functions.back());
  }
  return code;
}

}  // namespace onceover::gpu
