#include "code/executable.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/files.h"
#include "base/process.h"
#include "base/try.h"
#include "base/words.h"
#include "code/runtime_texts.h"
#include "live/launcher.h"

namespace onceover::code {

namespace {

using live::CallKind;

constexpr std::string_view how_to_install =
    "SimGrid's SMPI runs the code, and isn't there; install it:\n"
    "  apt-get install libsimgrid-dev    Debian, Ubuntu";

constexpr std::string_view ledger_library = "libonceover-ledger.so";

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
              "const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm", "from, to, counts, type, op, comm"},
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
              "from, own_count, type, to, counts, begins, type, comm"},
    Signature{CallKind::gather, "Gather", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm",
              "from, n, type, to, n, type, root, comm"},
    Signature{CallKind::scatter, "Scatter", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm",
              "given, n, type, is_in_place ? MPI_IN_PLACE : to, n, type, root, comm"},
    Signature{CallKind::alltoall, "Alltoall", "const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm",
              "from, n, type, to, n, type, comm"},
    Signature{CallKind::alltoallv, "Alltoallv",
              "const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, "
              "MPI_Comm",
              "from, counts, begins, type, to, counts, begins, type, comm"},
};

const Signature& signature_of(CallKind kind) {
  for (const Signature& signature : signatures)
    if (signature.kind == kind) return signature;
  return signatures.front();
}

Result<void> write(const std::string& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  if (file.close(); !file)
    return tl::unexpected(Failure{ExitCode::internal, fmt::format("code: cannot write {}", path)});
  return {};
}

/// function.h declares the function, and says how the harness calls it.
std::string function_header(const Sources& sources) {
  const Signature& signature = signature_of(sources.collective->kind);
  return fmt::format(
      "#include <mpi.h>\n#ifdef __cplusplus\nextern \"C\"\n#endif\nint {0}({1});\n"
      "#define ONCEOVER_CALL onceover_error = {0}({2})\n#include \"elements.h\"\n",
      sources.function, signature.parameters, signature.arguments);
}

/// elements.h says what the collective's buffers hold.
std::string elements_header(const Sources& sources) {
  const live::LiveCollective& collective = *sources.collective;
  const bool has_numbers = sources.elements == Elements::numbers;
  const auto is = [&](std::initializer_list<CallKind> kinds) {
    return std::find(kinds.begin(), kinds.end(), collective.kind) != kinds.end() ? 1 : 0;
  };
  std::string text;
  const auto define = [&](std::string_view name, const auto& value) {
    text += fmt::format("#define ONCEOVER_{} {}\n", name, value);
  };
  define("HAS_ROOT", collective.has_root ? 1 : 0);
  define("STARTS_IN_RESULT", is({CallKind::broadcast}));
  define("CONCATENATES", is({CallKind::allgather, CallKind::allgatherv, CallKind::gather}));
  define("SCATTERS", is({CallKind::scatter}));
  define("TAKES_COUNTS", is({CallKind::reduce_scatter, CallKind::allgatherv, CallKind::alltoallv}));
  define("HALVES", is({CallKind::alltoallv}));
  define("ELEMENT", has_numbers ? "MPI_DOUBLE" : "MPI_BYTE");
  define("NEEDS_TYPE", has_numbers ? 0 : 1);
  define("NEEDS_OPERATOR", has_numbers ? 0 : 1);
  return text;
}

Result<void> write_headers(const Sources& sources, const TemporaryFolder& folder) {
  TRY(write(folder.file("function.h"), function_header(sources)));
  return write(folder.file("elements.h"), elements_header(sources));
}

std::string extension(const std::string& file) {
  return std::filesystem::path(file).extension().string();
}

bool is_cpp(const std::string& file) {
  const std::string end = extension(file);
  return end == ".cpp" || end == ".cc" || end == ".cxx" || end == ".C";
}

bool is_source(const std::string& file) {
  return is_cpp(file) || extension(file) == ".c";
}

/// The library with the ledger: beside the running program, or where it is installed.
Result<std::string> find_ledger() {
  if (const auto beside = live::find_program(std::string(ledger_library))) return *beside;
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto installed = self.parent_path().parent_path() / "lib" / "onceover" / ledger_library;
  if (std::filesystem::exists(installed, ignored)) return installed.string();
  return tl::unexpected(Failure{ExitCode::internal, fmt::format("code: {} isn't beside verify", ledger_library)});
}

/// A function that stands in for MPI's and calls the one under test; what that calls in turn is MPI's own.
std::string stand_in(const Sources& sources) {
  const Signature& signature = signature_of(sources.collective->kind);
  std::string declared, passed;
  for (const std::string_view parameter : split(signature.parameters, ',')) {
    const auto number = std::count(declared.begin(), declared.end(), ',') + (declared.empty() ? 0 : 1);
    const std::string_view separator = declared.empty() ? "" : ", ";
    declared += fmt::format("{}{} a{}", separator, parameter, number);
    passed += fmt::format("{}a{}", separator, number);
  }
  return fmt::format(
      "#include \"function.h\"\n"
      "int MPI_{0}({1}) {{\n"
      "  static int is_inside;\n"
      "  if (is_inside) return PMPI_{0}({2});\n"
      "  is_inside = 1;\n"
      "  const int error = {3}({2});\n"
      "  is_inside = 0;\n"
      "  return error;\n"
      "}}\n",
      signature.name, declared, passed, sources.function);
}

/// Runs a compiler; `whose` code it is decides who is to blame.
Result<void> compile(const std::string& command, ExitCode blame, const std::string& what) {
  const ProcessLimits limits{.seconds = 600};
  const auto end = run_process(shell(command), limits);
  if (!end) return tl::unexpected(Failure{ExitCode::internal, fmt::format("code: cannot start '{}'", command)});
  if (!complaint(*end, limits)) return {};
  return tl::unexpected(Failure{blame, fmt::format("code: {}:\n{}{}", what, end->out, end->errors)});
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += " " + shell_word(word);
  return text;
}

/// The compilers of an MPI: the simulator's, or those of one that is there.
struct Compilers {
  std::string c;
  std::string cpp;
  std::string options;
};

/// The command that compiles one of the user's files.
std::string compilation(const Sources& sources, const Compilers& compilers, const TemporaryFolder& folder,
                        const std::string& file, const std::string& object) {
  const bool has_numbers = sources.elements == Elements::numbers;
  const bool as_cpp = is_cpp(file) || has_numbers;
  std::string command = as_cpp ? compilers.cpp : compilers.c;
  command += " -O1 -g " + compilers.options + " -I" + shell_word(folder.file("."));
  if (as_cpp) command += " -include " + shell_word(folder.file("function.h"));
  if (has_numbers) command += " -x c++ -fpermissive -w -include " + shell_word(folder.file("sum.h"));
  for (const std::string& include : sources.includes) command += " -I" + shell_word(include);
  return fmt::format("{} {} -c {} -o {}", command, sources.flags, shell_word(file), shell_word(object));
}

Result<std::vector<std::string>> compile_sources(const Sources& sources, const Compilers& compilers,
                                                 const TemporaryFolder& folder) {
  std::vector<std::string> objects;
  for (const std::string& file : sources.files) {
    if (!is_source(file)) {
      objects.push_back(file);
      continue;
    }
    const std::string object = folder.file(fmt::format("user{}.o", objects.size()));
    TRY(compile(compilation(sources, compilers, folder, file, object), ExitCode::malformed,
                fmt::format("{} doesn't compile", file)));
    objects.push_back(object);
  }
  return objects;
}

Result<void> compile_runtime(const TemporaryFolder& folder) {
  for (const auto& [name, text] : runtime_texts()) TRY(write(folder.file(std::string(name)), text));
  const std::string in = shell_word(folder.file("."));
  return compile(
      fmt::format("cd {} && smpicc -O1 -fno-omit-frame-pointer -DSMPI_NO_OVERRIDE_MALLOC -c harness.c recorder.c", in),
      ExitCode::internal, "what calls the function doesn't compile");
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  const auto held = hold_interrupts();
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "onceover-XXXXXX").string();
  if (error || mkdtemp(path.data()) == nullptr)
    return tl::unexpected(Failure{ExitCode::internal, fmt::format("cannot make a temporary folder like {}", path)});
  return TemporaryFolder(path);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), removed_(std::move(other.removed_)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<Executable> build_stand_in(const Sources& sources, const std::string& mpi) {
  if (sources.elements == Elements::numbers)
    return usage_error("code: --with: --numbers needs elements that all ranks share, and MPI's ranks are processes");
  const std::string suffix = find_on_path("mpicc." + mpi) ? "." + mpi : "";
  TemporaryFolder folder = TRY(TemporaryFolder::make());
  const std::string path = folder.file("stand_in.so");
  const std::string own = folder.file("stand_in.c");
  TRY(write_headers(sources, folder));
  TRY(write(own, stand_in(sources)));
  const Compilers compilers{"mpicc" + suffix, "mpicxx" + suffix, "-fPIC"};
  Sources with_own = sources;
  with_own.files.push_back(own);
  const auto objects = TRY(compile_sources(with_own, compilers, folder));
  TRY(compile(fmt::format("{} -shared{} -lstdc++ -o {}", compilers.c, words(objects), shell_word(path)),
              ExitCode::malformed, fmt::format("the code doesn't link with {}", mpi)));
  return Executable{std::move(folder), path};
}

Result<Executable> build(const Sources& sources) {
  if (!find_on_path("smpicc") || !find_on_path("smpirun")) return usage_error(fmt::format("code: {}", how_to_install));
  const std::string ledger = TRY(find_ledger());
  TemporaryFolder folder = TRY(TemporaryFolder::make());
  if (!sources.build.empty())
    TRY(compile(sources.build, ExitCode::malformed, fmt::format("'{}' fails", sources.build)));
  for (const std::string& file : sources.files) {
    TRY(check_readable(file));
    if (extension(file) == ".so")
      return usage_error(
          fmt::format("code: {}: all ranks would share a shared library; give its objects or a static one", file));
  }
  TRY(write_headers(sources, folder));
  TRY(compile_runtime(folder));
  const Compilers compilers{"smpicc", "smpicxx", "-fno-omit-frame-pointer -fno-inline -fno-optimize-sibling-calls"};
  const auto objects = TRY(compile_sources(sources, compilers, folder));
  const std::string path = folder.file("program");
  const std::string ledger_folder = std::filesystem::path(ledger).parent_path().string();
  const std::string link = fmt::format("smpicxx {} {}{} -Wl,--no-as-needed {} -Wl,-rpath,{} -lm -o {}",
                                       shell_word(folder.file("harness.o")), shell_word(folder.file("recorder.o")),
                                       words(objects), shell_word(ledger), shell_word(ledger_folder), shell_word(path));
  TRY(compile(
      link, ExitCode::malformed,
      fmt::format("the program doesn't link; is there a function {} with the signature of MPI's {}, extern \"C\" "
                  "in C++?",
                  sources.function, sources.collective->name)));
  return Executable{std::move(folder), path};
}

std::string SourceLine::text() const {
  return file.empty() ? "an unknown place" : fmt::format("{}:{}", file, line);
}

std::vector<SourceLine> lines_of(const Executable& program, const std::vector<std::uint64_t>& returns) {
  std::vector<SourceLine> found(returns.size());
  Invocation invocation{.program = "addr2line", .arguments = {"-f", "-C", "-e", program.path}};
  // The call is before the place that it returns to.
  for (const std::uint64_t at : returns) invocation.arguments.push_back(fmt::format("{:#x}", at == 0 ? 0 : at - 1));
  const auto end = run_process(invocation, {});
  if (!end || end->exit_code != 0) return found;
  const std::string here = std::filesystem::current_path().string() + "/";
  std::size_t at = 0;
  const auto next_line = [&] {
    const std::size_t stop = std::min(end->out.find('\n', at), end->out.size());
    std::string line = end->out.substr(at, stop - at);
    at = std::min(stop + 1, end->out.size());
    return line;
  };
  for (SourceLine& place : found) {
    place.function = next_line();
    std::string where = next_line();
    where = where.substr(0, where.find(" (discriminator"));
    const std::size_t colon = where.rfind(':');
    if (colon == std::string::npos || where.starts_with("??")) continue;
    std::from_chars(where.data() + colon + 1, where.data() + where.size(), place.line);
    place.file = where.substr(0, colon);
    if (place.file.starts_with(here)) place.file = place.file.substr(here.size());
  }
  return found;
}

}  // namespace onceover::code
