#include "code/user_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/try.h"
#include "base/words.h"
#include "code/call_texts.h"
#include "code/number_types.h"

namespace onceover::code {

namespace {

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

}  // namespace

Result<void> run_compiler(const std::string& command, ExitCode blame, const std::string& what,
                          const std::string& file) {
  const auto end = run_process(shell(command), compiler_limits);
  if (!end) return tl::unexpected(Failure{ExitCode::internal, fmt::format("code: cannot start '{}'", command)});
  if (!complaint(*end, compiler_limits)) return {};
  return tl::unexpected(
      Failure{blame, fmt::format("code: {}:\n{}{}", what, end->out, end->errors), complained_place(end->errors, file)});
}

Result<std::vector<std::string>> compile_sources(const Sources& sources, const Compilers& compilers,
                                                 const ScratchFolder& folder) {
  return UserCompiler(sources, compilers, folder).run();
}

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

}  // namespace onceover::code
