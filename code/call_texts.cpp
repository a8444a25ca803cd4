#include "code/call_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/words.h"
#include "code/digits.h"

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

}  // namespace onceover::code
