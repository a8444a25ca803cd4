#include "gpu/ptx/declarations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "base/rows.h"

namespace onceover::gpu::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  std::uint32_t bytes;
};

constexpr std::array type_rows{
    TypeRow{"pred", 1},   TypeRow{"b8", 1},     TypeRow{"u8", 1},     TypeRow{"s8", 1},    TypeRow{"b16", 2},
    TypeRow{"u16", 2},    TypeRow{"s16", 2},    TypeRow{"f16", 2},    TypeRow{"bf16", 2},  TypeRow{"b32", 4},
    TypeRow{"u32", 4},    TypeRow{"s32", 4},    TypeRow{"f32", 4},    TypeRow{"f16x2", 4}, TypeRow{"bf16x2", 4},
    TypeRow{"b64", 8},    TypeRow{"u64", 8},    TypeRow{"s64", 8},    TypeRow{"f64", 8},   TypeRow{"f32x2", 8},
    TypeRow{"b128", 16},  TypeRow{"e4m3x2", 2}, TypeRow{"e5m2x2", 2}, TypeRow{"tf32", 4},  TypeRow{"e4m3x4", 4},
    TypeRow{"e5m2x4", 4},
};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36;

/// What `.type` of a declaration says, and `.v2` before it.
struct DeclaredType {
  std::string name;
  std::uint32_t bytes = 1;
  std::uint32_t elements = 1;
};

DeclaredType read_type(Lexer& lexer) {
  DeclaredType type;
  if (lexer.take(".v2")) type.elements = 2;
  if (type.elements == 1 && lexer.take(".v4")) type.elements = 4;
  const Token token = lexer.expect(TokenKind::directive, "a type");
  if (lexer.has_failed()) return type;
  const auto bytes = bytes_of_type(token.text.substr(1));
  if (!bytes) {
    lexer.fail(token.offset, "unknown type '" + std::string(token.text) + "'");
    return type;
  }
  type.name = token.text.substr(1);
  type.bytes = *bytes;
  return type;
}

/// .align, .ptr and .attribute, wherever they may be.
void read_attributes(Lexer& lexer, PtxVariable& variable) {
  for (;;) {
    if (lexer.take(".align")) {
      const std::size_t offset = lexer.peek().offset;
      const std::int64_t alignment = read_integer(lexer);
      if (alignment <= 0 || alignment > 1 << 16 || !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
        return lexer.fail(offset, "an alignment is a power of two");
      variable.alignment = static_cast<std::uint32_t>(alignment);
    } else if (lexer.take(".ptr")) {
      state_space(lexer.peek().text).has_value() ? static_cast<void>(lexer.next()) : static_cast<void>(0);
      if (lexer.take(".align")) read_integer(lexer);
    } else if (lexer.take(".attribute")) {
      while (!lexer.at_end() && !lexer.at(")")) lexer.next();
      lexer.expect(")");
    } else {
      return;
    }
  }
}

/// The dimensions of an array, in elements.
std::uint64_t read_dimensions(Lexer& lexer, bool& is_unsized) {
  std::uint64_t elements = 1;
  while (lexer.take("[")) {
    if (lexer.take("]")) {
      is_unsized = true;
      continue;
    }
    const std::size_t offset = lexer.peek().offset;
    const std::int64_t extent = read_integer(lexer);
    lexer.expect("]");
    if (extent < 0 || (extent > 0 && elements > most_bytes / static_cast<std::uint64_t>(extent))) {
      lexer.fail(offset, "an array has at most 2^36 elements");
      return 0;
    }
    elements *= static_cast<std::uint64_t>(extent);
  }
  return elements;
}

/// Appends the value of one element.
void read_element(Lexer& lexer, const DeclaredType& type, PtxVariable& variable) {
  const std::uint64_t at = variable.initial.size();
  std::uint64_t bits = 0;
  const Token token = lexer.peek();
  if (token.kind == TokenKind::word) {
    lexer.next();
    PtxVariable::Reference reference{at, std::string(token.text), 0, false};
    if (token.text == "generic") {
      lexer.expect("(");
      reference.variable = lexer.expect(TokenKind::word, "a variable").text;
      reference.is_generic = true;
      lexer.expect(")");
    }
    if (lexer.at("+") || lexer.at("-")) reference.addend = read_integer(lexer);
    if (type.bytes != 8) return lexer.fail(token.offset, "an address has 8 bytes, a '" + type.name + "' doesn't");
    variable.references.push_back(std::move(reference));
  } else {
    bool is_negative = false;
    while (lexer.at("-") || lexer.at("+")) is_negative ^= lexer.next().is("-");
    const Token number = lexer.expect(TokenKind::number, "a value");
    const auto read = literal(number.text);
    if (!read) return lexer.fail(number.offset, "this number doesn't fit into 64 bits");
    bits = read->bits;
    if (read->is_double) {
      double value = std::bit_cast<double>(bits);
      if (is_negative) value = -value;
      bits = type.name == "f32" ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                : std::bit_cast<std::uint64_t>(value);
    } else if (is_negative) {
      bits = 0 - bits;
    }
  }
  for (std::uint32_t byte = 0; byte < type.bytes; ++byte)
    variable.initial.push_back(static_cast<std::uint8_t>(byte < 8 ? bits >> (8 * byte) : 0));
}

/// A value, or values in braces; nested braces only group them.
void read_initial(Lexer& lexer, const DeclaredType& type, PtxVariable& variable) {
  if (!lexer.at("{")) return read_element(lexer, type, variable);
  int depth = 0;
  do {
    if (lexer.take("{")) {
      ++depth;
    } else if (lexer.take("}")) {
      --depth;
    } else if (!lexer.take(",")) {
      read_element(lexer, type, variable);
    }
  } while (depth > 0 && !lexer.at_end());
  if (depth > 0) lexer.fail("this initial value is never closed");
}

}  // namespace

std::optional<std::uint32_t> bytes_of_type(std::string_view type) {
  const TypeRow* row = row_with(type_rows, &TypeRow::name, type);
  if (row == nullptr) return std::nullopt;
  return row->bytes;
}

std::optional<StateSpace> state_space(std::string_view directive) {
  using enum StateSpace;
  static constexpr std::array spaces{
      std::pair{std::string_view(".global"), global}, std::pair{std::string_view(".shared"), shared},
      std::pair{std::string_view(".local"), local}, std::pair{std::string_view(".param"), param},
      std::pair{std::string_view(".const"), constant}};
  for (const auto& [word, space] : spaces)
    if (word == directive) return space;
  return std::nullopt;
}

std::vector<PtxVariable> read_variables(Lexer& lexer, StateSpace space, bool is_one) {
  PtxVariable shape;
  shape.space = space;
  read_attributes(lexer, shape);
  const DeclaredType type = read_type(lexer);
  shape.type = type.name;
  read_attributes(lexer, shape);
  shape.alignment = std::max(shape.alignment, type.bytes * type.elements);
  std::vector<PtxVariable> variables;
  do {
    PtxVariable variable = shape;
    const Token name = lexer.expect(TokenKind::word, "a name");
    variable.name = name.text;
    if (lexer.at("<")) {
      lexer.fail("expected one variable; only registers are declared by number");
      break;
    }
    variable.bytes = type.bytes * type.elements * read_dimensions(lexer, variable.is_unsized);
    if (lexer.take("=")) read_initial(lexer, type, variable);
    if (variable.is_unsized) variable.bytes = variable.initial.size();
    if (variable.initial.size() > variable.bytes)
      lexer.fail(name.offset, "there are more initial values than elements");
    variables.push_back(std::move(variable));
  } while (!is_one && lexer.take(","));
  return variables;
}

std::int64_t read_integer(Lexer& lexer) {
  bool is_negative = false;
  while (lexer.at("-") || lexer.at("+")) is_negative ^= lexer.next().is("-");
  const Token token = lexer.expect(TokenKind::number, "a number");
  if (lexer.has_failed()) return 0;
  const auto read = literal(token.text);
  if (!read || read->is_double) {
    lexer.fail(token.offset, "expected a whole number of at most 64 bits");
    return 0;
  }
  const auto number = static_cast<std::int64_t>(read->bits);
  return is_negative ? -number : number;
}

}  // namespace onceover::gpu::ptx
