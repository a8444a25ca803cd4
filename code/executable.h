// The program that makes calls of the code under test, compiled for SimGrid's SMPI.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/namespaces.h"
#include "base/result.h"
#include "code/compiled_headers.h"
#include "live/live_call.h"

namespace onceover::code {

struct DigitType;

/// What the elements of the vector are in the code.
enum class Elements : std::uint8_t {
  any,      // of the datatype and operator that it is given
  numbers,  // of a type that the code adds up itself; then it is compiled as C++
};

/// The code under test.
struct Sources {
  std::vector<std::string> files = {};  // C, C++, objects and libraries
  std::string build = {};               // a shell command that makes some of them; empty: none
  std::vector<std::string> includes = {};
  std::string flags = {};  // for the compiler, as in a shell
  std::string function = {};
  const live::LiveCollective* collective = nullptr;
  Elements elements = Elements::any;
  std::vector<NumberType> number_types = {};  // which are numbers; none: double and float
  const DigitType* digits = nullptr;  // not null: MPI's own type and MPI_SUM, with numbers that show who was added
};

/// A program that is ready to run, and where its parts are.
struct Executable {
  ScratchFolder folder;
  std::string path;
  const DigitType* digits = nullptr;  // as in the sources
};

/// Compiles the code together with what calls it (runtime/). Code that doesn't compile is malformed, with the
/// compiler's words; a compiler that isn't there is a usage error that says what to install.
Result<Executable> build(const Sources& sources);

/// Compiles the code into a library for an MPI that is there, openmpi or mpich, in which the function stands in for
/// MPI's own. The errors are those of `build`.
Result<Executable> build_stand_in(const Sources& sources, const std::string& mpi);

/// A place in the source.
struct SourceLine {
  std::string function;
  std::string file;  // empty if it isn't known
  int line = 0;

  /// "ring.c:41"
  std::string text() const;
};

/// The lines of calls that return to these addresses, in their order.
std::vector<SourceLine> lines_of(const Executable& program, const std::vector<std::uint64_t>& returns);

// Files that the program brings, as texts; embed_runtime.cmake writes them.

using NamedTexts = std::span<const std::pair<std::string_view, std::string_view>>;

/// The sources of the runtime, which are compiled together with the code under test, by name.
NamedTexts runtime_texts();

/// The files of libraries, by path: "mpich/library.toml".
NamedTexts library_texts();

}  // namespace onceover::code
