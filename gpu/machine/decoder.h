// Decodes the instructions of one function, and types of PTX by their names.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/machine/code.h"

namespace onceover::gpu {

/// "u32", "bf16x2", "pred"; nothing for another word.
std::optional<PtxType> ptx_type(std::string_view word);

/// The modifiers of an instruction. What a decoder doesn't take makes the instruction unsupported.
class Modifiers {
 public:
  explicit Modifiers(const std::vector<std::string>& words) : words_(words.begin() + 1, words.end()) {}

  /// Takes the word, if it is there.
  bool take(std::string_view word);
  /// Takes the first type.
  std::optional<PtxType> take_type();
  /// Takes words that only advise caches.
  void take_hints();
  bool empty() const { return words_.empty(); }
  const std::vector<std::string>& words() const { return words_; }

  /// Takes the first word that a table of pairs has, and gives what is beside it.
  template <class Table>
  auto take_from(const Table& table) -> std::optional<std::decay_t<decltype(table.begin()->second)>> {
    for (std::size_t at = 0; at < words_.size(); ++at)
      for (const auto& [word, meaning] : table)
        if (words_[at] == word) {
          words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(at));
          return meaning;
        }
    return std::nullopt;
  }

 private:
  std::vector<std::string> words_;
};

/// What names in a function stand for, besides registers.
struct Symbols {
  std::unordered_map<std::string, AskedOperand> asked;       // variables of the module, dynamic shared memory
  std::unordered_map<std::string, std::uint64_t> addresses;  // shared and local variables, and parameters
  const std::unordered_map<std::string, std::size_t>* functions = nullptr;
};

/// An instruction that it doesn't understand to the last word is unsupported.
class Decoder {
 public:
  Decoder(CodeModule& module, const ptx::Function& function, const Symbols& symbols, CodeFunction& into);

  void decode();

 private:
  using Rule = bool (Decoder::*)(Modifiers&);
  static const std::unordered_map<std::string, Rule>& rules();

  // Operands (decoder.cpp). Each returns false if the operand isn't what is asked for.
  std::size_t operands() const { return instruction_->operands.size(); }
  const ptx::PtxOperand& operand(std::size_t at) const { return instruction_->operands[at]; }
  bool has_operands(std::size_t least, std::size_t most) const { return operands() >= least && operands() <= most; }
  bool is_vector(std::size_t at) const { return at < operands() && operand(at).kind == ptx::OperandKind::vector; }
  std::optional<OperandRef> reference(const ptx::PtxOperand& operand, const PtxType& type);
  OperandRef constant(std::uint64_t bits);
  OperandRef asked(const AskedOperand& what);
  bool destination(std::size_t at);
  bool source(std::size_t slot, std::size_t at, const PtxType& type);
  bool predicate(std::size_t slot, std::size_t at);
  bool address(std::size_t slot, std::size_t at);
  bool parts(std::size_t at, const PtxType& type, bool is_destination);
  bool data(std::size_t at, const PtxType& type, bool is_destination);
  bool sources(std::size_t count, const PtxType& type);

  // Rules, one of each instruction. They return false for what isn't supported.
  bool take_type(Modifiers& words);
  void take_space(Modifiers& words);
  void take_order(Modifiers& words);
  bool take_vector(Modifiers& words);
  bool take_rounding(Modifiers& words);
  bool load(Modifiers& words);
  bool store(Modifiers& words);
  bool atomic(Modifiers& words);
  bool take_atomic(Modifiers& words);
  bool fence(Modifiers& words);
  bool membar(Modifiers& words);
  bool multimem(Modifiers& words);
  bool barrier(Modifiers& words);
  bool cluster_barrier(Modifiers& words);
  bool shuffle(Modifiers& words);
  bool vote(Modifiers& words);
  bool match(Modifiers& words);
  bool redux(Modifiers& words);
  bool elect(Modifiers& words);
  bool active_mask(Modifiers& words);
  bool branch(Modifiers& words);
  bool branch_table(Modifiers& words);
  bool call(Modifiers& words);
  bool leave(Modifiers& words);
  bool stop(Modifiers& words);
  bool hint(Modifiers& words);
  bool policy(Modifiers& words);
  bool pause(Modifiers& words);
  bool dependent_grids(Modifiers& words);
  bool move(Modifiers& words);
  bool to_generic(Modifiers& words);
  bool is_in_space(Modifiers& words);
  bool map_to_block(Modifiers& words);
  bool arithmetic(Modifiers& words);
  bool multiply(Modifiers& words);
  bool unary(Modifiers& words);
  bool approximate(Modifiers& words);
  bool logic(Modifiers& words);
  bool logic3(Modifiers& words);
  bool shift(Modifiers& words);
  bool funnel_shift(Modifiers& words);
  bool bit_field(Modifiers& words);
  bool permute(Modifiers& words);
  bool count(Modifiers& words);
  bool compare(Modifiers& words);
  bool set(Modifiers& words);
  bool select(Modifiers& words);
  bool select_by_sign(Modifiers& words);
  bool convert(Modifiers& words);
  bool test_property(Modifiers& words);

  CodeModule& module_;
  const ptx::Function& function_;
  const Symbols& symbols_;
  CodeFunction& into_;
  std::vector<std::int32_t> slots_;  // by register
  const ptx::PtxInstruction* instruction_ = nullptr;
  Code code_;
};

}  // namespace onceover::gpu
