// Example: value_t is a typedef of int. number_types.h makes it a macro, so what the preprocessor writes has
//   typedef int onceover_value_t;
// in the place of the typedef. That becomes blank, and onceover_value_t is the element of sum.h. Elements have eight
// bytes, so the datatype that sends them becomes MPI_DOUBLE, which has eight, too.

#include "code/compiled_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/rows.h"
#include "base/text.h"
#include "code/digits.h"
#include "code/executable.h"

namespace onceover::code {

namespace {

using live::CallKind;

/// How a function with the signature of an MPI collective is declared and called (MPI 4.0, chapter 6).
struct Signature {
  CallKind kind;
  std::string_view name;  // behind MPI_
  std::string_view parameters;
  std::string_view arguments;
};

constexpr std::array signatures{
    Signature{CallKind::allreduce, "Allreduce", "const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm",
              "from, to, n, type, op, comm"},
    Signature{CallKind::reduce, "Reduce", "const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm",
              "from, to, n, type, op, root, comm"},
    Signature{CallKind::reduce_scatter, "Reduce_scatter",
              "const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm",
              "from, to, received.counts, type, op, comm"},
    Signature{CallKind::reduce_scatter_block, "Reduce_scatter_block",
              "const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm", "from, to, n, type, op, comm"},
    Signature{CallKind::scan, "Scan", "const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm",
              "from, to, n, type, op, comm"},
    Signature{CallKind::exscan, "Exscan", "const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm",
              "from, to, n, type, op, comm"},
    Signature{CallKind::broadcast, "Bcast", "void *, int, MPI_Datatype, int, MPI_Comm", "to, n, type, root, comm"},
    Signature{CallKind::allgather, "Allgather", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm",
              "from, n, type, to, n, type, comm"},
    Signature{CallKind::allgatherv, "Allgatherv",
              "const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm",
              "from, gives, type, to, received.counts, received.begins, type, comm"},
    Signature{CallKind::gather, "Gather", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm",
              "from, n, type, to, n, type, root, comm"},
    Signature{CallKind::gatherv, "Gatherv",
              "const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm",
              "from, gives, type, to, received.counts, received.begins, type, root, comm"},
    Signature{CallKind::scatter, "Scatter", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm",
              "given, n, type, is_in_place ? MPI_IN_PLACE : to, n, type, root, comm"},
    Signature{CallKind::scatterv, "Scatterv",
              "const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm",
              "given, sent.counts, sent.begins, type, is_in_place ? MPI_IN_PLACE : to, gets, type, root, comm"},
    Signature{CallKind::alltoall, "Alltoall", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm",
              "from, n, type, to, n, type, comm"},
    Signature{CallKind::alltoallv, "Alltoallv",
              "const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, "
              "MPI_Comm",
              "from, sent.counts, sent.begins, type, to, received.counts, received.begins, type, comm"},
};

const Signature& signature_of(CallKind kind) {
  for (const Signature& signature : signatures)
    if (signature.kind == kind) return signature;
  return signatures.front();
}

constexpr std::string_view prefix = "onceover_";

struct Known {
  std::string_view name;
  std::string_view datatype;
};

/// Types of stdint.h, which no code defines itself.
constexpr std::array known_types{
    Known{"int8_t", "MPI_INT8_T"},     Known{"int16_t", "MPI_INT16_T"},   Known{"int32_t", "MPI_INT32_T"},
    Known{"int64_t", "MPI_INT64_T"},   Known{"uint8_t", "MPI_UINT8_T"},   Known{"uint16_t", "MPI_UINT16_T"},
    Known{"uint32_t", "MPI_UINT32_T"}, Known{"uint64_t", "MPI_UINT64_T"},
};

const Known* known_type(std::string_view name) {
  return row_with(known_types, &Known::name, name);
}

bool is_keyword(std::string_view name) {
  constexpr std::array<std::string_view, 10> keywords{"int",  "long",   "short", "unsigned", "signed",
                                                      "char", "double", "float", "bool",     "void"};
  return has(keywords, name);
}

bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
  const bool begins = at == 0 || !is_in_name(text[at - 1]);
  return begins && (at + word.size() >= text.size() || !is_in_name(text[at + word.size()]));
}

/// The name that a declaration without its semicolon defines: the last word of a typedef, the first of a using.
std::string_view defined_name(std::string_view declaration) {
  if (declaration.starts_with("using"))
    declaration = declaration.substr(0, std::min(declaration.find('='), declaration.size()));
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!declaration.empty() && is_blank(declaration.back())) declaration.remove_suffix(1);
  std::size_t begin = declaration.size();
  while (begin > 0 && is_in_name(declaration[begin - 1])) --begin;
  return declaration.substr(begin);
}

/// Is a line marker, # 12 "file.h" 1 3, the beginning of a header of the system's?
bool begins_system(std::string_view line) {
  const std::size_t quote = line.rfind('"');
  return quote != std::string_view::npos && line.find(" 3", quote) != std::string_view::npos;
}

/// The next `typedef` or `using` from a place on.
std::size_t next_definition(std::string_view text, std::size_t from) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view word : {"typedef", "using"})
    for (std::size_t at = text.find(word, from); at < first; at = text.find(word, at + 1))
      if (is_word_at(text, at, word)) {
        first = at;
        break;
      }
  return first;
}

}  // namespace

std::string declaration(const Sources& sources) {
  return fmt::format("int {}({})", sources.function, signature_of(sources.collective->kind).parameters);
}

std::string function_header(const Sources& sources) {
  return fmt::format("#include <mpi.h>\n#ifdef __cplusplus\nextern \"C\"\n#endif\n{};\n", declaration(sources));
}

std::string tested_header(const Sources& sources) {
  const Signature& signature = signature_of(sources.collective->kind);
  return fmt::format(
      "#include <mpi.h>\nint {0}({1});\n#define ONCEOVER_CALL onceover_error = {0}({2})\n#include \"elements.h\"\n",
      tested_function, signature.parameters, signature.arguments);
}

std::string elements_header(const Sources& sources) {
  const live::LiveCollective& collective = *sources.collective;
  const bool has_numbers = sources.elements == Elements::numbers;
  std::string text;
  const auto define = [&](std::string_view name, const auto& value) {
    text += fmt::format("#define ONCEOVER_{} {}\n", name, value);
  };
  define("HAS_ROOT", collective.has_root() ? 1 : 0);
  define("TAKES_COUNTS", collective.has_counts ? 1 : 0);
  const DigitType* digits = sources.digits;
  const bool has_own = !has_numbers && digits == nullptr;
  define("ELEMENT", digits != nullptr ? digits->datatype : has_numbers ? "MPI_DOUBLE" : "MPI_BYTE");
  define("NEEDS_TYPE", has_own ? 1 : 0);
  define("NEEDS_OPERATOR", has_own ? 1 : 0);
  define("ADDS_NUMBERS", has_numbers ? 1 : 0);
  define("DIGITS", digits != nullptr ? 1 : 0);
  if (digits == nullptr) return text;
  define("NUMBER", digits->in_c);
  define("BLANK", digits->blank);
  define("RANK_DIGITS", digits->ranks);
  define("POSITION_DIGITS", digits->positions);
  return text;
}

std::string stand_in(const Sources& sources) {
  const Signature& signature = signature_of(sources.collective->kind);
  std::string declared, passed;
  for (const std::string_view parameter : split(signature.parameters, ',')) {
    const auto number = std::count(declared.begin(), declared.end(), ',') + (declared.empty() ? 0 : 1);
    const std::string_view separator = declared.empty() ? "" : ", ";
    declared += fmt::format("{}{} onceover_{}", separator, parameter, number);
    passed += fmt::format("{}onceover_{}", separator, number);
  }
  return fmt::format(
      "#include \"function.h\"\n"
      "int MPI_{0}({1}) {{\n"
      "  static int onceover_is_inside;\n"
      "  if (onceover_is_inside) return PMPI_{0}({2});\n"
      "  onceover_is_inside = 1;\n"
      "  const int onceover_error = {3}({2});\n"
      "  onceover_is_inside = 0;\n"
      "  return onceover_error;\n"
      "}}\n",
      signature.name, declared, passed, sources.function);
}

bool is_name_in_c(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_in_name);
}

Result<NumberType> parse_number_type(const std::string& text) {
  const std::size_t equals = text.find('=');
  NumberType type{text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)};
  if (!is_name_in_c(type.name))
    return usage_error(fmt::format("--number-type: expected NAME=MPI_TYPE, such as value_t=MPI_INT, found '{}'", text));
  if (is_keyword(type.name))
    return usage_error(fmt::format(
        "--number-type: '{}' is more than the elements, such as loop counters; give those a name: typedef {} value_t;",
        type.name, type.name));
  if (const Known* known = known_type(type.name); known != nullptr && equals == std::string::npos)
    type.datatype = known->datatype;
  if (!type.datatype.starts_with("MPI_") || !is_name_in_c(type.datatype))
    return usage_error(fmt::format("--number-type: say which MPI datatype sends {}: {}=MPI_INT", type.name, type.name));
  return type;
}

NumberTypes::NumberTypes(const std::vector<NumberType>& types) {
  for (const NumberType& type : types) types_.push_back({type.name, false});
}

std::string NumberTypes::header(const std::vector<NumberType>& types) {
  std::string text;
  for (const NumberType& type : types)
    text += fmt::format("#define {0} {1}{0}\ntypedef onceover_number {1}{0};\n#undef {2}\n#define {2} MPI_DOUBLE\n",
                        type.name, prefix, type.datatype);
  return text;
}

std::optional<std::string> NumberTypes::macro_in(const std::string& warnings) const {
  for (const Type& type : types_) {
    const std::size_t at = warnings.find(fmt::format("warning: \"{}\" redefined", type.name));
    if (at == std::string::npos) continue;
    const std::size_t line = at == 0 ? 0 : warnings.rfind('\n', at) + 1;
    return warnings.substr(line, warnings.find('\n', at) - line);
  }
  return std::nullopt;
}

bool NumberTypes::is_element(std::string_view name) const {
  return name.starts_with(prefix) && std::any_of(types_.begin(), types_.end(), [&](const Type& type) {
           return type.name == name.substr(prefix.size());
         });
}

/// number_types.h itself has each name once.
void NumberTypes::find_used(std::string_view text) {
  for (Type& type : types_) {
    const std::string element = std::string(prefix) + type.name;
    const std::size_t first = text.find(element);
    type.is_used =
        type.is_used || (first != std::string_view::npos && text.find(element, first + 1) != std::string_view::npos);
  }
}

std::string NumberTypes::replaced(std::string text) {
  find_used(text);
  bool is_system = false;
  for (std::size_t begin = 0; begin < text.size();) {
    if (text[begin] == '#') {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      is_system = begins_system(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
      continue;
    }
    const std::size_t marker = std::min(text.find("\n#", begin), text.size());
    const std::string_view part = std::string_view(text).substr(0, marker);
    for (std::size_t at = begin; !is_system && (at = next_definition(part, at)) < marker;) {
      const std::size_t end = std::min(part.find(';', at), marker);
      const std::string_view definition = part.substr(at, end - at);
      // The typedef of number_types.h itself stays.
      if (is_element(defined_name(definition)) && definition.find("onceover_number ") == std::string_view::npos) {
        for (std::size_t k = at; k < std::min(end + 1, marker); ++k)
          if (text[k] != '\n') text[k] = ' ';
      }
      at = end;
    }
    begin = marker + 1;
  }
  return text;
}

std::optional<std::string> NumberTypes::missing() const {
  for (const Type& type : types_)
    if (!type.is_used) return type.name;
  return std::nullopt;
}

}  // namespace onceover::code
