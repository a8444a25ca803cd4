#include "gpu/launch/program.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/result.h"
#include "gpu/ptx/reader.h"

namespace onceover::gpu {

namespace {

constexpr ProcessLimits compiler_limits{.seconds = 300, .bytes = std::size_t{64} << 20};

Result<LoadedProgram> module_of(const std::string& name, std::string text, std::string compiler) {
  auto module = ptx::read_module(name, std::move(text));
  if (!module) return tl::unexpected(malformed(module.error()));
  return LoadedProgram{std::make_shared<const ptx::Module>(*std::move(module)), std::move(compiler)};
}

/// A compiler, and its arguments without the source and the output. The output is a file: nvcc's own assembler reads it
/// again, and would wait for ever for the end of a pipe.
struct CudaCompiler {
  std::string name;
  std::vector<std::string> arguments;
};

const std::vector<CudaCompiler>& compilers() {
  static const std::vector<CudaCompiler> known{
      {"nvcc", {"-ptx", "-std=c++17", "-lineinfo", "-arch=sm_90"}},
      {"clang",
       {"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80", "-Xclang",
        "-target-feature", "-Xclang", "+ptx75", "-Wno-unknown-cuda-version", "-std=c++17", "-O2",
        "-gline-directives-only", "-S"}}};
  return known;
}

}  // namespace

Result<LoadedProgram> load_ptx(const std::string& path) {
  auto text = TRY(read_file(path));
  return module_of(path, std::move(text), "");
}

Result<LoadedProgram> load_source(const std::string& path) {
  TRY(read_file(path));
  for (const CudaCompiler& compiler : compilers()) {
    if (!find_on_path(compiler.name)) continue;
    Invocation invocation{.program = compiler.name, .arguments = compiler.arguments};
    const ScratchFolder folder = TRY(ScratchFolder::make());
    const std::string ptx = folder.file("program.ptx");
    invocation.arguments.insert(invocation.arguments.end(), {"-o", ptx, path});
    const auto end = run_process(invocation, compiler_limits);
    if (!end)
      return tl::unexpected(Failure{
          ExitCode::internal, fmt::format("gpu: cannot start {}: {}", compiler.name, std::strerror(end.error()))});
    if (const auto why = complaint(*end, compiler_limits))
      return tl::unexpected(
          Failure{ExitCode::malformed, fmt::format("{}: {} {}{}", path, compiler.name, *why, last_words(end->errors))});
    return module_of(path, TRY(read_file(ptx)), compiler.name);
  }
  return usage_error(fmt::format(
      "gpu: {} is CUDA, and there is neither nvcc nor clang here; compile it elsewhere: nvcc -ptx -lineinfo", path));
}

std::string program_path(const Description& description) {
  const std::string& file = description.ptx.empty() ? description.source : description.ptx;
  return (std::filesystem::path(description.file->name).parent_path() / file).string();
}

Result<LoadedProgram> load_program(const Description& description) {
  const std::string path = program_path(description);
  return description.ptx.empty() ? load_source(path) : load_ptx(path);
}

}  // namespace onceover::gpu
