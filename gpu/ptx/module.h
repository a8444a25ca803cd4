// A PTX module as it was read: variables, functions and instructions, with their places.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/namespaces.h"

namespace onceover::gpu::ptx {

enum class StateSpace : std::uint8_t { generic, global, shared, local, param, constant };

/// Where an instruction is from.
struct Location {
  std::uint32_t file = 0;  // Module::files; 0 if there is no .loc
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::int32_t inlined_at = -1;  // Module::locations, the call that was inlined
};

/// A variable or a parameter.
struct PtxVariable {
  std::string name;
  StateSpace space;
  std::string type;         // "u64", "b8", "pred"
  std::uint64_t bytes = 0;  // of all elements; 0 for an array without a size
  std::uint32_t alignment = 1;
  std::uint64_t offset = 0;           // of a parameter: in its function's parameters
  bool is_unsized = false;            // dynamic shared memory
  std::vector<std::uint8_t> initial;  // up to `bytes`; the rest is zero
  struct Reference {
    std::uint64_t at;
    std::string variable;
    std::int64_t addend;
    bool is_generic;
  };
  std::vector<Reference> references;  // addresses in `initial`
};

enum class OperandKind : std::uint8_t { reg, special, immediate, symbol, address, vector, sink, list };

/// An operand as written.
struct PtxOperand {
  OperandKind kind = OperandKind::sink;
  bool is_negated = false;      // !%p
  std::int32_t reg = -1;        // of `reg`, and of an address with a register
  std::int32_t second = -1;     // %p|%q
  bool is_double = false;       // an immediate written as 0d.. or 1.5, whose bits are a double's
  std::uint64_t immediate = 0;  // of `immediate`, and the offset of an address
  std::string name;             // of a symbol, an address' symbol, a special register
  std::vector<PtxOperand> parts;
};

struct PtxInstruction {
  std::size_t offset = 0;  // in Module::text
  std::size_t length = 0;
  std::vector<std::string> words;  // "ld", "global", "u32"
  std::vector<PtxOperand> operands;
  std::int32_t guard = -1;  // a register
  bool guard_is_negated = false;
  std::uint32_t line = 0;  // of the PTX text, from 1
  std::uint32_t column = 0;
  std::int32_t location = -1;         // Module::locations
  std::int32_t target = -1;           // of a branch: an instruction of the function
  std::vector<std::int32_t> targets;  // of brx.idx
};

struct RegisterDeclaration {
  std::string type;  // "pred", "b32"
};

/// In x, y and z.
using Sides = std::array<std::uint32_t, 3>;

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declared_only = false;
  std::vector<PtxVariable> results;
  std::vector<PtxVariable> parameters;
  std::uint64_t parameter_bytes = 0;
  std::vector<RegisterDeclaration> registers;
  std::vector<PtxVariable> variables;  // local, shared and param, of all its scopes, with unique names
  std::vector<PtxInstruction> instructions;
  std::uint32_t line = 0;                     // of the PTX text
  std::optional<std::uint32_t> most_threads;  // .maxntid, as a product
  std::optional<Sides> required_block;        // .reqntid
  std::optional<Sides> required_cluster;      // .reqnctapercluster
  std::optional<std::uint32_t> most_blocks_of_cluster;
  bool needs_cluster = false;            // .explicitcluster
  bool counts_grid_in_clusters = false;  // .blocksareclusters
};

struct Module {
  std::string name;  // the file's
  std::string text;
  int version_major = 0;
  int version_minor = 0;
  std::string target;              // "sm_90"
  std::vector<std::string> files;  // by the numbers of .file; empty where there is none
  std::vector<Location> locations;
  std::vector<PtxVariable> variables;  // global, const, and shared of the module
  std::vector<Function> functions;

  std::unordered_map<std::string, std::size_t> function_by_name;

  /// The instruction's text, in one line.
  std::string text_of(const PtxInstruction& instruction) const;
};

}  // namespace onceover::gpu::ptx
