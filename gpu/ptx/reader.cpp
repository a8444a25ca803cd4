#include "gpu/ptx/reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/rows.h"
#include "gpu/ptx/declarations.h"
#include "gpu/ptx/lexer.h"

namespace onceover::gpu::ptx {
namespace {

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// The directives of a module, in any order after its head.
class ModuleReader {
 public:
  ModuleReader(Lexer& lexer, Module& module) : lexer_(lexer), module_(module) {}

  void read() {
    read_head();
    while (!lexer_.at_end() && !lexer_.has_failed()) read_directive();
  }

 private:
  void read_head() {
    const std::size_t offset = lexer_.peek().offset;
    lexer_.expect(".version");
    const Token version = lexer_.expect(TokenKind::number, "a version");
    if (lexer_.has_failed()) return;
    const std::string_view minor = version.text.substr(std::min<std::size_t>(2, version.text.size()));
    const bool is_number =
        !minor.empty() && minor.size() <= 2 && minor.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number || version.text[1] != '.' || version.text[0] < '7' || version.text[0] > '9')
      return lexer_.fail(offset,
                         "expected a version from 7.0 to 9.x, found " + std::string(version.text.substr(0, 40)));
    module_.version_major = version.text[0] - '0';
    module_.version_minor = std::stoi(std::string(minor));
    lexer_.expect(".target");
    module_.target = lexer_.expect(TokenKind::word, "a target").text;
    while (lexer_.take(",")) lexer_.expect(TokenKind::word, "a target");
    if (!lexer_.take(".address_size")) return;
    const std::size_t size = lexer_.peek().offset;
    if (read_integer(lexer_) != 64) lexer_.fail(size, "only addresses of 64 bits are supported");
  }

  void read_directive() {
    const Token directive = lexer_.expect(TokenKind::directive, "a directive of a module");
    if (lexer_.has_failed()) return;
    static constexpr std::array linkage{".visible", ".extern", ".weak", ".common"};
    if (std::find(linkage.begin(), linkage.end(), directive.text) != linkage.end()) {
      is_external_ = directive.is(".extern");
      return;
    }
    if (directive.is(".file")) return read_file();
    if (directive.is(".entry")) return read_function(true, directive.offset);
    if (directive.is(".func")) return read_function(false, directive.offset);
    if (directive.is(".section")) {
      lexer_.next();
      if (lexer_.peek().kind != TokenKind::punctuation) lexer_.next();
      return lexer_.skip_braces();
    }
    if (directive.is(".pragma")) {
      lexer_.expect(TokenKind::text, "the pragma's text");
      return lexer_.expect(";");
    }
    const auto space = state_space(directive.text);
    if (!space || *space == StateSpace::local || *space == StateSpace::param)
      return lexer_.fail(directive.offset, "the directive '" + std::string(directive.text) + "' isn't supported");
    declare(read_variables(lexer_, *space, false), directive.offset);
    lexer_.expect(";");
    is_external_ = false;
  }

  void declare(std::vector<PtxVariable> variables, std::size_t offset) {
    for (PtxVariable& variable : variables) {
      if (is_external_ && variable.space != StateSpace::shared)
        return lexer_.fail(offset, "'" + variable.name + "' is defined in another module; link them into one");
      if (row_with(module_.variables, &PtxVariable::name, variable.name) != nullptr)
        return lexer_.fail(offset, "'" + variable.name + "' is declared twice");
      module_.variables.push_back(std::move(variable));
    }
  }

  void read_file() {
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t number = read_integer(lexer_);
    const Token name = lexer_.expect(TokenKind::text, "a file's name");
    while (lexer_.take(",")) read_integer(lexer_);
    if (number < 0 || number > 1 << 20) return lexer_.fail(offset, "expected a number of a file below 2^20");
    const auto file = static_cast<std::size_t>(number);
    if (module_.files.size() <= file) module_.files.resize(file + 1);
    module_.files[file] = name.text;
  }

  void read_function(bool is_entry, std::size_t offset) {
    Function function;
    function.is_entry = is_entry;
    function.line = static_cast<std::uint32_t>(std::count(
                        module_.text.begin(), module_.text.begin() + static_cast<std::ptrdiff_t>(offset), '\n')) +
                    1;
    while (!is_entry && lexer_.take(".attribute")) {
      while (!lexer_.at_end() && !lexer_.at(")")) lexer_.next();
      lexer_.expect(")");
    }
    if (!is_entry && lexer_.at("(")) function.results = read_parameters();
    const Token name = lexer_.expect(TokenKind::word, "a function's name");
    function.name = name.text;
    if (lexer_.at("(")) function.parameters = read_parameters();
    function.parameter_bytes = lay_out(function.parameters);
    lay_out(function.results);
    read_performance_directives(function);
    if (lexer_.has_failed()) return;
    is_external_ = false;
    if (lexer_.take(";")) {
      function.is_declared_only = true;
      if (!module_.function_by_name.contains(function.name)) add(std::move(function));
      return;
    }
    const auto known = module_.function_by_name.find(function.name);
    if (known != module_.function_by_name.end() && !module_.functions[known->second].is_declared_only)
      return lexer_.fail(name.offset, "the function '" + function.name + "' is defined twice");
    read_body(lexer_, module_, function);
    if (known == module_.function_by_name.end())
      add(std::move(function));
    else
      module_.functions[known->second] = std::move(function);
  }

  void add(Function function) {
    module_.function_by_name[function.name] = module_.functions.size();
    module_.functions.push_back(std::move(function));
  }

  static std::uint64_t lay_out(std::vector<PtxVariable>& variables) {
    std::uint64_t end = 0;
    for (PtxVariable& variable : variables) {
      variable.offset = aligned(end, variable.alignment);
      end = variable.offset + variable.bytes;
    }
    return end;
  }

  std::vector<PtxVariable> read_parameters() {
    std::vector<PtxVariable> parameters;
    lexer_.expect("(");
    if (lexer_.take(")")) return parameters;
    do {
      if (lexer_.at(".reg")) lexer_.fail("parameters in registers aren't supported");
      lexer_.expect(".param");
      for (PtxVariable& parameter : read_variables(lexer_, StateSpace::param, true))
        parameters.push_back(std::move(parameter));
    } while (lexer_.take(","));
    lexer_.expect(")");
    return parameters;
  }

  void read_performance_directives(Function& function) {
    static constexpr std::array without_meaning{".maxnreg", ".minnctapersm", ".maxnctapersm", ".abi_preserve",
                                                ".abi_preserve_control"};
    while (lexer_.peek().kind == TokenKind::directive) {
      const Token directive = lexer_.next();
      if (directive.is(".noreturn")) continue;
      if (directive.is(".explicitcluster")) {
        function.needs_cluster = true;
      } else if (directive.is(".blocksareclusters")) {
        function.counts_grid_in_clusters = true;
      } else if (directive.is(".pragma")) {
        lexer_.expect(TokenKind::text, "the pragma's text");
        lexer_.expect(";");
      } else if (directive.is(".maxntid")) {
        const Sides sides = read_sides();
        const std::uint64_t product = std::uint64_t{sides[0]} * sides[1] * sides[2];
        function.most_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, 1 << 16));
      } else if (directive.is(".reqntid")) {
        function.required_block = read_sides();
      } else if (directive.is(".reqnctapercluster")) {
        function.required_cluster = read_sides();
      } else if (directive.is(".maxclusterrank")) {
        function.most_blocks_of_cluster = read_sides()[0];
      } else if (std::find(without_meaning.begin(), without_meaning.end(), directive.text) != without_meaning.end()) {
        read_sides();
      } else {
        return lexer_.fail(directive.offset,
                           "the directive '" + std::string(directive.text) + "' isn't supported for a function");
      }
    }
  }

  /// One to three numbers; those that are left out are 1. Further ones have no meaning here.
  Sides read_sides() {
    Sides sides{1, 1, 1};
    std::size_t k = 0;
    do {
      const auto side = static_cast<std::uint32_t>(std::clamp<std::int64_t>(read_integer(lexer_), 0, 1 << 16));
      if (k < sides.size()) sides[k++] = side;
    } while (lexer_.take(","));
    return sides;
  }

  Lexer& lexer_;
  Module& module_;
  bool is_external_ = false;
};

}  // namespace

std::string Module::text_of(const PtxInstruction& instruction) const {
  std::string line;
  for (const char c : std::string_view(text).substr(instruction.offset, instruction.length)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

tl::expected<Module, SourceError> read_module(std::string name, std::string text) {
  Module module;
  module.name = std::move(name);
  module.text = std::move(text);
  Lexer lexer(module.name, module.text);
  ModuleReader(lexer, module).read();
  if (lexer.has_failed()) return tl::unexpected(*lexer.error());
  return module;
}

}  // namespace onceover::gpu::ptx
