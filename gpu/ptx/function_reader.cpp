
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/rows.h"
#include "gpu/ptx/declarations.h"
#include "gpu/ptx/special_register.h"

namespace onceover::gpu::ptx {
namespace {

std::vector<std::string> words_of(std::string_view opcode) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', start), opcode.size());
    words.emplace_back(opcode.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

/// The body of one function. Blocks `{ .. }` in it are scopes of registers, variables and labels.
class BodyReader {
 public:
  BodyReader(Lexer& lexer, Module& module, Function& function) : lexer_(lexer), module_(module), function_(function) {
    for (std::size_t line = 0; line <= module.text.size(); ++line) {
      line_starts_.push_back(line);
      line = std::min(module.text.find('\n', line), module.text.size());
    }
  }

  void read() {
    open_scope();
    lexer_.expect("{");
    while (!lexer_.has_failed() && depth() > 0) {
      if (lexer_.at_end()) lexer_.fail("the function '" + function_.name + "' is never closed");
      read_statement();
    }
    resolve_labels();
  }

 private:
  struct Numbered {
    std::int32_t first;
    std::uint32_t count;
  };
  struct Scope {
    int parent;
    std::unordered_map<std::string, std::int32_t> registers;
    std::unordered_map<std::string, Numbered> numbered;      // %r<10>
    std::unordered_map<std::string, std::string> variables;  // to their unique names
    std::unordered_map<std::string, std::int32_t> labels;
    std::unordered_map<std::string, std::vector<std::string>> lists;  // .branchtargets
  };
  /// A label that an instruction names, to be found when all are known.
  struct LabelUse {
    std::size_t instruction;
    int scope;
    std::string label;
    std::size_t offset;
    bool is_list;
  };

  int depth() const { return depth_; }
  void open_scope() {
    scopes_.push_back({scope_, {}, {}, {}, {}, {}});
    scope_ = static_cast<int>(scopes_.size()) - 1;
    ++depth_;
  }
  void close_scope() {
    scope_ = scopes_[static_cast<std::size_t>(scope_)].parent;
    --depth_;
  }
  Scope& scope() { return scopes_[static_cast<std::size_t>(scope_)]; }

  /// What `find` gives for the innermost scope where it gives anything.
  template <class Find>
  auto innermost(int from, Find find) -> decltype(find(std::declval<Scope&>())) {
    for (int at = from; at >= 0; at = scopes_[static_cast<std::size_t>(at)].parent)
      if (auto found = find(scopes_[static_cast<std::size_t>(at)])) return found;
    return {};
  }

  void read_statement() {
    if (lexer_.take("{")) return open_scope();
    if (lexer_.take("}")) return close_scope();
    if (lexer_.take(";")) return;
    if (lexer_.peek().kind == TokenKind::directive) return read_directive();
    if (lexer_.peek().kind == TokenKind::word && lexer_.is_followed_by(':')) return read_label();
    read_instruction();
  }

  void read_directive() {
    const Token directive = lexer_.next();
    if (directive.is(".reg")) return read_registers();
    if (directive.is(".loc")) return read_location(directive.offset);
    if (directive.is(".pragma")) return read_pragma();
    if (const auto space = state_space(directive.text)) {
      declare(read_variables(lexer_, *space, false));
      return lexer_.expect(";");
    }
    lexer_.fail(directive.offset, "the directive '" + std::string(directive.text) + "' isn't supported in a function");
  }

  void read_pragma() {
    lexer_.expect(TokenKind::text, "the pragma's text");
    lexer_.expect(";");
  }

  void declare(std::vector<PtxVariable> variables) {
    for (PtxVariable& variable : variables) {
      const std::string name = variable.name;
      if (scope().variables.contains(name)) return lexer_.fail("'" + name + "' is declared twice");
      if (depth_ > 1) variable.name += "@" + std::to_string(scope_);
      scope().variables[name] = variable.name;
      function_.variables.push_back(std::move(variable));
    }
  }

  void read_registers() {
    const Token type = lexer_.expect(TokenKind::directive, "a type");
    if (lexer_.has_failed()) return;
    if (!bytes_of_type(type.text.substr(1)))
      return lexer_.fail(type.offset, "registers of the type '" + std::string(type.text) + "' aren't supported");
    do {
      const Token name = lexer_.expect(TokenKind::word, "a register");
      std::uint32_t count = 1;
      const bool is_numbered = lexer_.take("<");
      if (is_numbered) {
        const std::int64_t number = read_integer(lexer_);
        if (number < 0 || number > 1 << 20) return lexer_.fail(name.offset, "expected at most 2^20 registers");
        count = static_cast<std::uint32_t>(number);
        lexer_.expect(">");
      }
      const auto first = static_cast<std::int32_t>(function_.registers.size());
      function_.registers.insert(function_.registers.end(), count, {std::string(type.text.substr(1))});
      const bool is_new = is_numbered
                              ? scope().numbered.try_emplace(std::string(name.text), Numbered{first, count}).second
                              : scope().registers.try_emplace(std::string(name.text), first).second;
      if (!is_new) return lexer_.fail(name.offset, "'" + std::string(name.text) + "' is declared twice");
    } while (lexer_.take(","));
    lexer_.expect(";");
  }

  std::optional<std::int32_t> register_of(std::string_view text) {
    const std::string name(text);
    return innermost(scope_, [&](Scope& in) -> std::optional<std::int32_t> {
      if (const auto found = in.registers.find(name); found != in.registers.end()) return found->second;
      const std::size_t digits = name.find_last_not_of("0123456789") + 1;
      if (digits == name.size() || (name[digits] == '0' && digits + 1 < name.size()) || name.size() - digits > 7)
        return {};
      const auto prefix = in.numbered.find(name.substr(0, digits));
      if (prefix == in.numbered.end()) return {};
      const auto number = static_cast<std::uint32_t>(std::stoul(name.substr(digits)));
      if (number >= prefix->second.count) return {};
      return prefix->second.first + static_cast<std::int32_t>(number);
    });
  }

  void read_label() {
    const Token name = lexer_.next();
    lexer_.expect(":");
    if (lexer_.at(".branchtargets") || lexer_.at(".calltargets")) {
      lexer_.next();
      std::vector<std::string>& list = scope().lists[std::string(name.text)];
      do list.emplace_back(lexer_.expect(TokenKind::word, "a label").text);
      while (lexer_.take(","));
      return lexer_.expect(";");
    }
    if (lexer_.take(".callprototype")) {
      while (!lexer_.at_end() && !lexer_.at(";")) lexer_.next();
      scope().lists[std::string(name.text)];
      return lexer_.expect(";");
    }
    const auto here = static_cast<std::int32_t>(function_.instructions.size());
    if (!scope().labels.try_emplace(std::string(name.text), here).second)
      lexer_.fail(name.offset, "the label '" + std::string(name.text) + "' is there twice");
  }

  std::uint32_t read_small() {
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t number = read_integer(lexer_);
    if (number < 0 || number > INT32_MAX) lexer_.fail(offset, "expected a number below 2^31");
    return static_cast<std::uint32_t>(number);
  }

  void read_location(std::size_t /*offset*/) {
    Location location;
    location.file = read_small();
    location.line = read_small();
    location.column = read_small();
    while (lexer_.take(",")) {
      if (lexer_.at("function_name")) {
        lexer_.next();
        lexer_.expect(TokenKind::word, "a label");
        if (lexer_.at("+")) read_integer(lexer_);
      } else if (lexer_.at("inlined_at")) {
        lexer_.next();
        Location caller;
        caller.file = read_small();
        caller.line = read_small();
        caller.column = read_small();
        location.inlined_at = caller_of(caller);
      } else {
        return lexer_.fail("expected function_name or inlined_at");
      }
    }
    module_.locations.push_back(location);
    location_ = static_cast<std::int32_t>(module_.locations.size()) - 1;
  }

  /// The latest location of the same place: it says where that was inlined.
  std::int32_t caller_of(const Location& caller) {
    for (std::size_t at = module_.locations.size(); at-- > 0 && at + 1000 > module_.locations.size();) {
      const Location& known = module_.locations[at];
      if (known.file == caller.file && known.line == caller.line && known.column == caller.column)
        return static_cast<std::int32_t>(at);
    }
    module_.locations.push_back(caller);
    return static_cast<std::int32_t>(module_.locations.size()) - 1;
  }

  void read_instruction() {
    PtxInstruction instruction;
    instruction.offset = lexer_.peek().offset;
    instruction.location = location_;
    if (lexer_.take("@")) {
      instruction.guard_is_negated = lexer_.take("!");
      const Token guard = lexer_.expect(TokenKind::word, "a predicate");
      if (lexer_.has_failed()) return;
      const auto reg = register_of(guard.text);
      if (!reg) return lexer_.fail(guard.offset, "unknown predicate '" + std::string(guard.text) + "'");
      instruction.guard = *reg;
    }
    const Token opcode = lexer_.expect(TokenKind::word, "an instruction");
    if (lexer_.has_failed()) return;
    instruction.words = words_of(opcode.text);
    if (!lexer_.at(";")) {
      do instruction.operands.push_back(read_operand(instruction));
      while (lexer_.take(","));
    }
    instruction.length = lexer_.peek().offset - instruction.offset;
    place(instruction);
    lexer_.expect(";");
    function_.instructions.push_back(std::move(instruction));
  }

  void place(PtxInstruction& instruction) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), instruction.offset);
    instruction.line = static_cast<std::uint32_t>(after - line_starts_.begin());
    instruction.column = static_cast<std::uint32_t>(instruction.offset - *(after - 1) + 1);
  }

  PtxOperand read_operand(const PtxInstruction& instruction) {
    constexpr int deepest = 4;
    if (operand_depth_ == deepest) {
      lexer_.fail("operands are nested too deep");
      return {};
    }
    ++operand_depth_;
    PtxOperand operand = read_operand_inside(instruction);
    --operand_depth_;
    return operand;
  }

  PtxOperand read_operand_inside(const PtxInstruction& instruction) {
    if (lexer_.at("{")) return read_list("{", "}", OperandKind::vector, instruction);
    if (lexer_.at("(")) return read_list("(", ")", OperandKind::list, instruction);
    if (lexer_.at("[")) return read_address(instruction);
    const bool is_negated = lexer_.take("!");
    if (lexer_.peek().kind == TokenKind::word) {
      PtxOperand operand = read_name(instruction);
      operand.is_negated = is_negated;
      if (lexer_.take("|")) operand.second = read_second();
      if (operand.kind == OperandKind::symbol && (lexer_.at("+") || lexer_.at("-")))
        operand.immediate = static_cast<std::uint64_t>(read_integer(lexer_));
      return operand;
    }
    return read_immediate();
  }

  std::int32_t read_second() {
    const Token second = lexer_.expect(TokenKind::word, "a predicate");
    if (second.is("_")) return -1;
    const auto reg = register_of(second.text);
    if (!reg) lexer_.fail(second.offset, "unknown predicate '" + std::string(second.text) + "'");
    return reg.value_or(-1);
  }

  PtxOperand read_list(std::string_view open, std::string_view close, OperandKind kind,
                       const PtxInstruction& instruction) {
    PtxOperand operand;
    operand.kind = kind;
    lexer_.expect(open);
    if (lexer_.take(close)) return operand;
    do operand.parts.push_back(read_operand(instruction));
    while (lexer_.take(",") && !lexer_.has_failed());
    lexer_.expect(close);
    return operand;
  }

  PtxOperand read_immediate() {
    PtxOperand operand;
    operand.kind = OperandKind::immediate;
    bool is_negative = false;
    bool is_inverted = false;
    while (lexer_.at("-") || lexer_.at("+") || lexer_.at("~")) {
      const Token sign = lexer_.next();
      if (sign.is("~")) is_inverted = true;
      is_negative ^= sign.is("-");
    }
    const Token number = lexer_.expect(TokenKind::number, "an operand");
    if (lexer_.has_failed()) return operand;
    const auto read = literal(number.text);
    if (!read) {
      lexer_.fail(number.offset, "this number doesn't fit into 64 bits");
      return operand;
    }
    operand.is_double = read->is_double;
    operand.immediate = read->bits;
    if (is_negative) operand.immediate = read->is_double ? read->bits ^ std::uint64_t{1} << 63 : 0 - read->bits;
    if (is_inverted) operand.immediate = ~operand.immediate;
    return operand;
  }

  PtxOperand read_address(const PtxInstruction& instruction) {
    lexer_.expect("[");
    PtxOperand operand;
    if (lexer_.peek().kind == TokenKind::word)
      operand = read_name(instruction);
    else
      operand = read_immediate();
    const PtxOperand base = operand;
    operand.kind = OperandKind::address;
    if (base.kind == OperandKind::special) lexer_.fail("a special register can't be an address");
    if (lexer_.at("+") || lexer_.at("-")) operand.immediate += static_cast<std::uint64_t>(read_integer(lexer_));
    while (lexer_.take(",")) operand.parts.push_back(read_operand(instruction));
    lexer_.expect("]");
    return operand;
  }

  PtxOperand read_name(const PtxInstruction& instruction) {
    const Token token = lexer_.next();
    PtxOperand operand;
    if (token.is("_")) return operand;
    if (const auto reg = register_of(token.text)) {
      operand.kind = OperandKind::reg;
      operand.reg = *reg;
      return operand;
    }
    operand.name = token.text;
    if (is_special(token.text)) {
      operand.kind = OperandKind::special;
      return operand;
    }
    if (token.is("WARP_SZ")) {
      operand.kind = OperandKind::immediate;
      operand.immediate = 32;
      return operand;
    }
    operand.kind = OperandKind::symbol;
    const std::string& base = instruction.words.front();
    if (base == "bra" || base == "brx") {
      uses_.push_back({function_.instructions.size(), scope_, operand.name, token.offset, base == "brx"});
    } else if (!resolve_symbol(operand)) {
      lexer_.fail(token.offset, "unknown name '" + operand.name + "'");
    }
    return operand;
  }

  /// Gives the operand the unique name of what it names, if there is any.
  bool resolve_symbol(PtxOperand& operand) {
    const auto unique = innermost(scope_, [&](Scope& in) -> std::optional<std::string> {
      if (const auto found = in.variables.find(operand.name); found != in.variables.end()) return found->second;
      if (in.lists.contains(operand.name)) return operand.name;
      return std::nullopt;
    });
    if (unique) {
      operand.name = *unique;
      return true;
    }
    return row_with(function_.parameters, &PtxVariable::name, operand.name) != nullptr ||
           row_with(function_.results, &PtxVariable::name, operand.name) != nullptr ||
           row_with(module_.variables, &PtxVariable::name, operand.name) != nullptr || function_.name == operand.name ||
           module_.function_by_name.contains(operand.name);
  }

  void resolve_labels() {
    for (const LabelUse& use : uses_) {
      if (lexer_.has_failed()) return;
      PtxInstruction& instruction = function_.instructions[use.instruction];
      if (!use.is_list) {
        instruction.target = target_of(use, use.label);
        continue;
      }
      const auto list = innermost(use.scope, [&](Scope& in) -> std::vector<std::string>* {
        const auto found = in.lists.find(use.label);
        return found == in.lists.end() ? nullptr : &found->second;
      });
      if (list == nullptr) return lexer_.fail(use.offset, "unknown list of labels '" + use.label + "'");
      for (const std::string& label : *list) instruction.targets.push_back(target_of(use, label));
    }
  }

  std::int32_t target_of(const LabelUse& use, const std::string& label) {
    const auto target = innermost(use.scope, [&](Scope& in) -> std::optional<std::int32_t> {
      const auto found = in.labels.find(label);
      if (found == in.labels.end()) return std::nullopt;
      return found->second;
    });
    if (!target) lexer_.fail(use.offset, "unknown label '" + label + "'");
    return target.value_or(-1);
  }

  Lexer& lexer_;
  Module& module_;
  Function& function_;
  std::vector<std::size_t> line_starts_;
  std::vector<Scope> scopes_;
  std::vector<LabelUse> uses_;
  int scope_ = -1;
  int depth_ = 0;
  int operand_depth_ = 0;
  std::int32_t location_ = -1;
};

}  // namespace

void read_body(Lexer& lexer, Module& module, Function& function) {
  BodyReader(lexer, module, function).read();
}

}  // namespace onceover::gpu::ptx
