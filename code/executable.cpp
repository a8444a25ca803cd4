// The user's files become objects, in which MPI's second names and the functions that allocate are ours, so that the
// runtime sees what they do. They are linked with the runtime, which is compiled beside them.

#include "code/executable.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

#include "base/files.h"
#include "base/process.h"
#include "base/result.h"
#include "base/text.h"
#include "live/launcher.h"

namespace onceover::code {

namespace {

constexpr std::string_view how_to_install =
    "SimGrid's SMPI runs the code, and isn't there; install it:\n"
    "  apt-get install libsimgrid-dev    Debian, Ubuntu";

constexpr std::string_view ledger_library = "libonceover-ledger.so";

Result<void> write_headers(const Sources& sources, const ScratchFolder& folder) {
  TRY(folder.write("function.h", function_header(sources)));
  TRY(folder.write("tested.h", tested_header(sources)));
  TRY(folder.write("number_types.h", NumberTypes::header(sources.number_types)));
  return folder.write("elements.h", elements_header(sources));
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

/// What the linker says names the function as we do.
Failure in_users_names(Failure failure, const std::string& function) {
  failure.message = replaced(std::move(failure.message), tested_function, function);
  return failure;
}

/// The compilers of an MPI: the simulator's, or those of one that is there.
struct Compilers {
  std::string c;
  std::string cpp;
  std::string options;
};

constexpr ProcessLimits compiler_limits{.seconds = 600};

/// What stands in for the functions that allocate (runtime/recorder.c): those of C, and those by which SMPI's headers
/// replace them.
constexpr std::string_view allocation_names =
    "'malloc onceover_malloc' 'calloc onceover_calloc' 'realloc onceover_realloc' 'free onceover_free' "
    "'smpi_shared_malloc_intercept onceover_smpi_malloc' 'smpi_shared_calloc_intercept onceover_smpi_calloc' "
    "'smpi_shared_realloc_intercept onceover_smpi_realloc' 'smpi_shared_free onceover_smpi_free'";

/// The first place in `file` that a compiler names, by its name or its whole path: "a.c:3:21: error: ..".
SourcePlace complained_place(const std::string& complaint, const std::string& file) {
  const std::string whole = file.empty() ? "" : std::filesystem::absolute(file).lexically_normal().string();
  for (const std::string_view line : split(complaint, '\n'))
    for (const std::string& name : {file, whole})
      if (std::size_t number = 0; !name.empty() && line.starts_with(name + ":")) {
        std::from_chars(line.data() + name.size() + 1, line.data() + line.size(), number);
        if (number > 0) return {file, number};
      }
  return {};
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

/// The failure of a compiler that a signal or a limit stopped, which says nothing of what it was to compile. A shell
/// between us ends with 128 and the signal.
std::optional<Failure> stopped_compiler(const ProcessEnd& end, const std::string& what) {
  std::optional<std::string> why;
  if (end.exceeded != ProcessEnd::Exceeded::nothing || end.signal != 0) why = complaint(end, compiler_limits);
  if (end.exit_code > 128) why = fmt::format("was killed by signal {}", end.exit_code - 128);
  if (!why) return std::nullopt;
  return Failure{ExitCode::unknown,
                 fmt::format("code: {}, since the compiler {}:\n{}{}", what, *why, end.out, end.errors)};
}

/// Runs a compiler; `what` says what fails if it does, and `blame` whose code that is. A failure's place is the first
/// in `file` that the compiler names. One that is stopped leaves unknown what it would have said.
Result<void> run_compiler(const std::string& command, ExitCode blame, const std::string& what,
                          const std::string& file = "") {
  const auto end = run_process(shell(command), compiler_limits);
  if (!end) return tl::unexpected(Failure{ExitCode::internal, fmt::format("code: cannot start '{}'", command)});
  if (!complaint(*end, compiler_limits)) return {};
  if (auto stopped = stopped_compiler(*end, what)) return tl::unexpected(*std::move(stopped));
  return tl::unexpected(
      Failure{blame, fmt::format("code: {}:\n{}{}", what, end->out, end->errors), complained_place(end->errors, file)});
}

/// Compiles the user's files, one after the other.
class UserCompiler {
 public:
  UserCompiler(const Sources& sources, const Compilers& compilers, const ScratchFolder& folder)
      : sources_(sources), compilers_(compilers), folder_(folder), own_types_(sources.number_types) {}

  Result<std::vector<std::string>> run() {
    std::vector<std::string> objects;
    for (const std::string& file : sources_.files) {
      const std::string object = folder_.file(fmt::format("user{}.o", objects.size()));
      if (is_source(file)) TRY(compile(file, object));
      objects.push_back(is_source(file) ? object : file);
    }
    if (const auto missing = own_types_.missing())
      return usage_error(fmt::format("code: --number-type: no file has a type '{}'", *missing));
    return objects;
  }

 private:
  bool has_numbers() const { return sources_.elements == Elements::numbers; }

  Result<void> compile(const std::string& file, const std::string& object) {
    const std::string what = fmt::format("{} doesn't compile", file);
    if (!is_cpp(file) && !has_numbers()) TRY(check_signature(file));
    if (sources_.number_types.empty())
      return run_compiler(command(file, "-c", file, object), ExitCode::malformed, what, file);
    const std::string preprocessed = folder_.file("preprocessed.ii");
    TRY(preprocess(file, preprocessed));
    return run_compiler(fmt::format("{} -O1 -g -fpermissive -w {} {} -x c++-cpp-output -c {} -o {}", compilers_.cpp,
                                    compilers_.options, sources_.flags, shell_word(preprocessed), shell_word(object)),
                        ExitCode::malformed, what, file);
  }

  /// The file with elements in the place of the user's types of numbers.
  Result<void> preprocess(const std::string& file, const std::string& preprocessed) {
    const auto end = run_process(shell(command(file, "-E", file, preprocessed)), compiler_limits);
    if (end)
      if (auto stopped = stopped_compiler(*end, file + " isn't preprocessed"))
        return tl::unexpected(*std::move(stopped));
    if (!end || complaint(*end, compiler_limits))
      return tl::unexpected(Failure{ExitCode::malformed, fmt::format("code: {} isn't preprocessed:\n{}", file,
                                                                     end ? end->errors : "no compiler starts")});
    if (const auto macro = own_types_.macro_in(end->errors))
      return tl::unexpected(
          Failure{ExitCode::malformed,
                  fmt::format("code: --number-type: a macro can't be replaced; make it a typedef:\n{}", *macro)});
    return folder_.write("preprocessed.ii", own_types_.replaced(TRY(read_file(preprocessed))));
  }

  std::string command(const std::string& file, std::string_view mode, const std::string& input,
                      const std::string& output) const {
    const bool as_cpp = is_cpp(file) || has_numbers();
    std::string command = as_cpp ? compilers_.cpp : compilers_.c;
    command += " -O1 -g " + compilers_.options + includes();
    if (as_cpp) command += " -include " + shell_word(folder_.file("function.h"));
    if (has_numbers()) command += " -x c++ -fpermissive -include " + shell_word(folder_.file("sum.h"));
    if (has_numbers() && sources_.number_types.empty()) command += " -w";
    if (!sources_.number_types.empty())
      command += " -DONCEOVER_OWN_NUMBERS -include " + shell_word(folder_.file("number_types.h"));
    return fmt::format("{} {} {} {} -o {}", command, sources_.flags, mode, shell_word(input), shell_word(output));
  }

  std::string includes() const {
    std::string text = " -I" + shell_word(folder_.file("."));
    for (const std::string& include : sources_.includes) text += " -I" + shell_word(include);
    return text;
  }

  /// C links functions by their names alone, so the compiler compares the declarations. Those that differ in `const`
  /// alone are called alike. Whatever else it says, it says again when the file is compiled.
  Result<void> check_signature(const std::string& file) const {
    const auto end = run_process(shell(fmt::format("LC_ALL=C {} {}{} {} -w -fsyntax-only -Dconst= -include {} {}",
                                                   compilers_.c, compilers_.options, includes(), sources_.flags,
                                                   shell_word(folder_.file("function.h")), shell_word(file))),
                                 compiler_limits);
    if (!end) return {};
    const std::size_t at = end->errors.find(fmt::format("error: conflicting types for '{}'", sources_.function));
    if (at == std::string::npos) return {};
    const std::size_t line = end->errors.rfind('\n', at) + 1;  // 0 if there is none before
    return tl::unexpected(Failure{
        ExitCode::malformed,
        fmt::format("code: {} has another signature than MPI's {}:\n{}\nexpected {}\nwrite an adapter that has it, and "
                    "calls yours",
                    sources_.function, sources_.collective->name,
                    end->errors.substr(line, end->errors.find('\n', at) - line), declaration(sources_)),
        complained_place(end->errors.substr(line), file)});
  }

  const Sources& sources_;
  const Compilers& compilers_;
  const ScratchFolder& folder_;
  NumberTypes own_types_;
};

/// The objects and libraries of the user's files, in their order. The folder has function.h and, for numbers, sum.h.
/// Code that doesn't compile is malformed, and so is a function in C that is declared in another way than MPI's.
Result<std::vector<std::string>> compile_sources(const Sources& sources, const Compilers& compilers,
                                                 const ScratchFolder& folder) {
  return UserCompiler(sources, compilers, folder).run();
}

/// Copies of the objects in which the function under test has our name for it, and PMPI_Send is MPI_Send, and so on for
/// all that recorder.o in the folder defines. So calls under MPI's second names are written down, too.
Result<std::vector<std::string>> with_our_names(const std::vector<std::string>& objects, const Sources& sources,
                                                const ScratchFolder& folder) {
  const std::string names = folder.file("second_names");
  TRY(run_compiler(fmt::format("nm -g --defined-only {} | sed -n 's/.* [TW] \\(MPI_.*\\)/P\\1 \\1/p' > {}",
                               shell_word(folder.file("recorder.o")), shell_word(names)),
                   ExitCode::internal, "the names of MPI's functions can't be read"));
  // A main beside the function under test is a user's own program, and isn't run.
  const std::string main = sources.function == "main" ? "" : "\nmain onceover_users_main";
  TRY(run_compiler(fmt::format("echo '{} {}{}' >> {}", sources.function, tested_function, main, shell_word(names)),
                   ExitCode::internal, "the names of MPI's functions can't be written"));
  const bool has_allocator = allocation_names.find(fmt::format("'{} ", sources.function)) != std::string_view::npos;
  TRY(run_compiler(fmt::format("printf '%s\\n' {} >> {}", has_allocator ? "" : allocation_names, shell_word(names)),
                   ExitCode::internal, "the names of the allocation functions can't be written"));
  std::vector<std::string> copies;
  for (const std::string& object : objects) {
    copies.push_back(folder.file(fmt::format("recorded{}{}", copies.size(), extension(object))));
    TRY(run_compiler(fmt::format("objcopy --redefine-syms={} {} {}", shell_word(names), shell_word(object),
                                 shell_word(copies.back())),
                     ExitCode::malformed, fmt::format("{} is no object or library", object)));
  }
  return copies;
}

Result<void> compile_runtime(const ScratchFolder& folder) {
  for (const auto& [name, text] : runtime_texts()) TRY(folder.write(std::string(name), text));
  const std::string in = shell_word(folder.file("."));
  return run_compiler(
      fmt::format(
          "cd {} && smpicc -O1 -fno-omit-frame-pointer -DSMPI_NO_OVERRIDE_MALLOC -c harness.c probes.c recorder.c", in),
      ExitCode::internal, "what calls the function doesn't compile");
}

}  // namespace

Result<Executable> build_stand_in(const Sources& sources, const std::string& mpi) {
  if (sources.elements == Elements::numbers)
    return usage_error("code: --with: --numbers needs elements that all ranks share, and MPI's ranks are processes");
  if (sources.digits != nullptr) return usage_error("code: --with goes with neither --numbers nor --digits");
  const std::string suffix = find_on_path("mpicc." + mpi) ? "." + mpi : "";
  ScratchFolder folder = TRY(ScratchFolder::make());
  const std::string path = folder.file("stand_in.so");
  const std::string own = folder.file("stand_in.c");
  TRY(write_headers(sources, folder));
  TRY(folder.write("stand_in.c", stand_in(sources)));
  const Compilers compilers{"mpicc" + suffix, "mpicxx" + suffix, "-fPIC"};
  Sources with_own = sources;
  with_own.files.push_back(own);
  const auto objects = TRY(compile_sources(with_own, compilers, folder));
  TRY(run_compiler(fmt::format("{} -shared{} -lstdc++ -o {}", compilers.c, shell_words(objects), shell_word(path)),
                   ExitCode::malformed, fmt::format("the code doesn't link with {}", mpi)));
  return Executable{std::move(folder), path};
}

Result<Executable> build(const Sources& sources) {
  if (sources.digits != nullptr && sources.elements == Elements::numbers)
    return usage_error("code: --digits is for MPI_SUM, and --numbers for code that adds up itself; choose one");
  if (sources.digits != nullptr && !sources.collective->reduces())
    return usage_error(fmt::format("code: --digits is for reductions, and {} is none", sources.collective->name));
  if (!find_on_path("smpicc") || !find_on_path("smpirun")) return usage_error(fmt::format("code: {}", how_to_install));
  const std::string ledger = TRY(find_ledger());
  ScratchFolder folder = TRY(ScratchFolder::make());
  if (!sources.build.empty())
    TRY(run_compiler(sources.build, ExitCode::malformed, fmt::format("'{}' fails", sources.build)));
  for (const std::string& file : sources.files) {
    TRY(check_readable(file));
    if (file.ends_with(".so"))
      return usage_error(
          fmt::format("code: {}: all ranks would share a shared library; give its objects or a static one", file));
  }
  TRY(write_headers(sources, folder));
  TRY(compile_runtime(folder));
  // Frames tell who called; and which functions ran is written down, except those of headers.
  const Compilers compilers{"smpicc", "smpicxx",
                            "-fno-omit-frame-pointer -fno-inline -fno-optimize-sibling-calls -finstrument-functions "
                            "-finstrument-functions-exclude-file-list=/usr/," +
                                folder.file("")};
  const auto compiled = TRY(compile_sources(sources, compilers, folder));
  const auto objects = TRY(with_our_names(compiled, sources, folder));
  const std::string path = folder.file("program");
  const std::string ledger_folder = std::filesystem::path(ledger).parent_path().string();
  const std::string link = fmt::format("smpicxx {} {} {}{} -Wl,--no-as-needed {} -Wl,-rpath,{} -lm -o {}",
                                       shell_word(folder.file("harness.o")), shell_word(folder.file("probes.o")),
                                       shell_word(folder.file("recorder.o")), shell_words(objects), shell_word(ledger),
                                       shell_word(ledger_folder), shell_word(path));
  const auto linked =
      run_compiler(link, ExitCode::malformed,
                   fmt::format("the program doesn't link; is there a function {}, extern \"C\" in C++?\nexpected {}",
                               sources.function, declaration(sources)));
  if (!linked) return tl::unexpected(in_users_names(linked.error(), sources.function));
  return Executable{std::move(folder), path, sources.digits};
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
