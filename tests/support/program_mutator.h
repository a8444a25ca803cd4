// Changes programs, one change at a time.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <string_view>

#include "formats/program.h"
#include "namespaces.h"

namespace onceover::support {

/// Ways to change a program, by name: "operation dropped".
std::span<const std::string_view> program_changes();

/// Seeded: the same mutants every time.
class ProgramMutator {
 public:
  explicit ProgramMutator(unsigned seed) : random_(seed) {}

  /// A copy that differs by one change of one kind, 0 .. program_changes-1; nothing if the kind can't be applied here,
  /// or changed nothing in several tries. It stays fixed which message goes where, as the readers of programs ensure:
  /// no connection has several messages that nothing orders. For programs whose messages are one part.
  std::optional<Program> mutant_of(const Program& original, std::size_t change);

 private:
  std::mt19937 random_;
};

}  // namespace onceover::support
