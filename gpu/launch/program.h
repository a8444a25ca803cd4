// The program that a description names: read, or compiled first.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "gpu/launch/description.h"
#include "gpu/ptx/module.h"

namespace onceover::gpu {

/// A module, and how it was made.
struct LoadedProgram {
  std::shared_ptr<const ptx::Module> module;
  std::string compiler = {};  // "nvcc", "clang"; empty: PTX was read
};

/// Reads the PTX file at this path.
Result<LoadedProgram> load_ptx(const std::string& path);

/// Compiles a CUDA source by nvcc, or if there is none by clang, with lines.
Result<LoadedProgram> load_source(const std::string& path);

/// The path of the PTX or CUDA that a description names.
std::string program_path(const Description& description);

/// The program of a description, whose paths are relative to its file.
Result<LoadedProgram> load_program(const Description& description);

}  // namespace onceover::gpu
