// Writes schedules as C files that run them with MPI.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "formats/lowering.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// A schedule with more transfers isn't written: GCC takes about 900 bytes of memory for each.
inline constexpr std::uint64_t most_mpi_transfers = std::uint64_t{1} << 22;

/// What the file says besides the schedule.
struct MpiOptions {
  std::string function;                 // the name of the function
  std::vector<std::string> about = {};  // lines of the comment at the top; any text

  /// If the schedule keeps the order of the ranks: the blocks of each transfer, in the order of steps, whose arriving
  /// value is the right operand.
  std::optional<std::vector<std::vector<Run>>> from_right = {};
};

/// Why the schedule isn't written: it isn't an allreduce, or it is too large. O(transfers) if it is large.
std::optional<NotLowered> mpi_refusal(const Schedule& schedule);

/// Writes a well-formed allreduce that isn't refused as one file of C99: tables of what each rank sends and receives in
/// which step, and the code of mpi/allreduce.c that executes them. A transfer is one message. The same schedule always
/// gives the same bytes. Returns false if writing failed; errno says why.
///
/// The text has O(p + transfers + runs of different block sets) letters, because a set of blocks is written once for
/// all ranks and steps that send it. Time: O(n log n) for the n runs of all transfers; memory: O(n).
bool write_mpi(const Schedule& schedule, const MpiOptions& options, std::FILE* file);

/// "swing_allreduce_p7": a name in C that is never refused and that different schedules rarely share.
std::string mpi_function_name(const Header& header);

/// Why the file's function can't have this name: it isn't an identifier of C, or C, its library, MPI or the file itself
/// has it. Nothing if it can.
std::optional<std::string> mpi_name_refusal(const std::string& name);

}  // namespace onceover::formats
