// Code that the machine runs: PTX, decoded once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/memory/synchronization.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/special_register.h"
#include "gpu/value.h"

namespace onceover::gpu {

enum class Opcode : std::uint8_t {
  unsupported,
  nothing,  // hints, such as prefetches
  pause,    // nanosleep
  launch_dependents,
  load,
  store,
  load_param,
  store_param,
  atomic,
  reduction,
  fence,
  multimem_load,
  multimem_store,
  multimem_reduction,
  barrier_sync,
  barrier_arrive,
  barrier_reduce,
  cluster_arrive,
  cluster_wait,
  warp_barrier,
  shuffle,
  vote,
  match,
  warp_reduce,
  elect,
  active_mask,
  branch,
  branch_table,
  call,
  call_pointer,
  leave,
  exit,
  trap,
  move,
  pack,
  unpack,
  to_generic,
  from_generic,
  is_in_space,
  map_to_block,
  add,
  subtract,
  multiply,
  multiply_add,
  fused,
  divide,
  remainder,
  minimum,
  maximum,
  absolute,
  negate,
  absolute_difference,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  is_zero,
  shift_left,
  shift_right,
  funnel_shift,
  extract_bits,
  insert_bits,
  logic3,
  permute,
  count_ones,
  leading_zeros,
  find_highest,
  reverse_bits,
  square_root,
  reverse_square_root,
  reciprocal,
  exponential,
  logarithm,
  sine,
  cosine,
  hyperbolic_tangent,
  copy_sign,
  test_property,
  compare,
  compare_to_value,
  select,
  select_by_sign,
  convert,
};

enum class NumberClass : std::uint8_t { bits, unsigned_integer, signed_integer, floating, predicate };

/// A type of PTX: a class, and the size of a scalar; two scalars side by side in f16x2 and the like.
struct PtxType {
  ElementType element = ElementType::u32;  // of one scalar
  NumberClass number = NumberClass::bits;
  std::uint8_t scalars = 1;
  std::uint8_t bytes = 4;  // of all

  bool is_floating() const { return number == NumberClass::floating; }
  bool is_signed() const { return number == NumberClass::signed_integer; }
  std::uint32_t bits() const { return 8u * bytes; }
};

/// eq .. nan as in PTX; lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers.
enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class AtomicOperation : std::uint8_t {
  add,
  increment,
  decrement,
  exchange,
  compare_and_swap,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor
};
enum class ShuffleMode : std::uint8_t { up, down, butterfly, index };
enum class VoteMode : std::uint8_t { all, any, uniform, ballot };
enum class Rounding : std::uint8_t {
  none,
  nearest,
  zero,
  down,
  up,
  nearest_integer,
  zero_integer,
  down_integer,
  up_integer
};
enum class BarrierReduction : std::uint8_t { popc, bit_and, bit_or };

/// Where an operand is: a register of the thread (from 0), a constant of the code, or something that depends on who
/// asks.
enum class OperandRef : std::int32_t {};
inline constexpr OperandRef no_operand = static_cast<OperandRef>(INT32_MIN);

inline constexpr std::int32_t first_asked = -(1 << 28);  // references below are Code::asked

/// What an operand that depends on the thread is.
struct AskedOperand {
  enum class Kind : std::uint8_t { special_register, variable, dynamic_shared } kind;
  ptx::SpecialRegister special{};
  std::size_t variable = 0;  // Module::variables
  std::uint64_t addend = 0;
};

/// One instruction.
struct Code {
  static constexpr std::uint16_t is_wide = 1;
  static constexpr std::uint16_t is_high = 2;
  static constexpr std::uint16_t saturates = 4;
  static constexpr std::uint16_t is_non_coherent = 8;
  static constexpr std::uint16_t flushes = 16;  // .ftz
  static constexpr std::uint16_t is_left = 32;  // of a funnel shift
  static constexpr std::uint16_t wraps = 64;
  static constexpr std::uint16_t is_negated = 128;  // a predicate operand !%p
  static constexpr std::uint16_t has_result = 256;
  static constexpr std::uint16_t propagates_nan = 512;
  static constexpr std::uint16_t adds_numbers = 1024;  // an atomic or multimem addition of floats
  static constexpr std::uint16_t relu = 2048;
  static constexpr std::uint16_t is_aligned = 8192;  // a barrier where threads of a warp come together
  static constexpr std::uint16_t is_plain = 4096;    // of concrete integers: Arithmetic::plain

  Opcode opcode = Opcode::unsupported;
  std::uint8_t mode = 0;     // Relation, AtomicOperation, ShuffleMode, VoteMode, Rounding, BarrierReduction ..
  std::uint8_t joining = 0;  // of a comparison: 0 none, 1 and, 2 or, 3 xor
  std::uint8_t vector = 1;
  ptx::StateSpace space = ptx::StateSpace::generic;
  Order order = Order::weak;
  Scope scope = Scope::none;
  std::uint16_t flags = 0;
  bool guard_is_negated = false;
  std::int32_t guard = -1;
  PtxType type;
  PtxType source_type;  // of conversions, comparisons to values and the like
  OperandRef to = no_operand;
  OperandRef also_to = no_operand;  // the second predicate
  std::array<OperandRef, 4> from{no_operand, no_operand, no_operand, no_operand};
  std::uint32_t parts = 0;  // of a vector operand: where its references begin in CodeFunction::references
  std::uint32_t part_count = 0;
  std::int64_t offset = 0;   // added to an address
  std::int32_t target = -1;  // an instruction, or a function
  std::uint32_t source = 0;  // Function::instructions

  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
};

/// A function. Register `r` of the text has one slot, or two if it has 128 bits.
struct CodeFunction {
  std::size_t function = 0;  // Module::functions
  std::vector<Code> code;
  std::vector<OperandRef> references;
  std::uint32_t slots = 0;
  bool may_read_unset = false;        // is there a way to an instruction that reads a register before any has set it?
  std::uint64_t shared_bytes = 0;     // of an entry; dynamic shared memory begins there
  std::uint64_t parameter_bytes = 0;  // of parameters, and behind them results and variables in the space param
  std::uint32_t first_site = 0;       // sites of its instructions: first_site + source
};

/// All code of a module.
struct CodeModule {
  std::vector<CodeFunction> functions;                               // by Module::functions
  std::unordered_map<std::uint64_t, std::int32_t> constant_numbers;  // by their bits
  std::vector<Value> constants;                                      // by references -1, -2, ..
  std::vector<AskedOperand> asked;                                   // by references first_asked, first_asked - 1, ..
  std::uint64_t local_bytes = 0;                                     // of all functions, one after the other
};

CodeModule decoded(const ptx::Module& module);

}  // namespace onceover::gpu
