#include "code/executable.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

#include "base/files.h"
#include "base/process.h"
#include "base/try.h"
#include "base/words.h"
#include "code/call_texts.h"
#include "code/runtime_texts.h"
#include "code/user_objects.h"
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

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += " " + shell_word(word);
  return text;
}

/// What the linker says names the function as we do.
Failure in_users_names(Failure failure, const std::string& function) {
  for (std::size_t at = 0; (at = failure.message.find(tested_function, at)) != std::string::npos; at += function.size())
    failure.message.replace(at, tested_function.size(), function);
  return failure;
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
  TRY(run_compiler(fmt::format("{} -shared{} -lstdc++ -o {}", compilers.c, words(objects), shell_word(path)),
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
                                       shell_word(folder.file("recorder.o")), words(objects), shell_word(ledger),
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
