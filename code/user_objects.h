// The user's files, compiled so that the runtime sees what they do.
#pragma once

#include <string>
#include <vector>

#include "code/executable.h"

namespace onceover::code {

/// The compilers of an MPI: the simulator's, or those of one that is there.
struct Compilers {
  std::string c;
  std::string cpp;
  std::string options;
};

/// Runs a compiler; `what` says what fails if it does, and `blame` whose code that is. A failure's place is the first
/// in `file` that the compiler names.
Result<void> run_compiler(const std::string& command, ExitCode blame, const std::string& what,
                          const std::string& file = "");

/// The objects and libraries of the user's files, in their order. The folder has function.h and, for numbers, sum.h.
/// Code that doesn't compile is malformed, and so is a function in C that is declared in another way than MPI's.
Result<std::vector<std::string>> compile_sources(const Sources& sources, const Compilers& compilers,
                                                 const ScratchFolder& folder);

/// Copies of the objects in which the function under test has our name for it, and PMPI_Send is MPI_Send, and so on for
/// all that recorder.o in the folder defines. So calls under MPI's second names are written down, too.
Result<std::vector<std::string>> with_our_names(const std::vector<std::string>& objects, const Sources& sources,
                                                const ScratchFolder& folder);

}  // namespace onceover::code
