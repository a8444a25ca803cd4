// Schedules as C files that run them with MPI.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::formats {

/// The most transfers that are written: GCC takes some 900 bytes of memory for each.
inline constexpr std::uint64_t most_mpi_transfers = std::uint64_t{1} << 22;

/// What the file says beside the schedule.
struct MpiOptions {
  std::string function;                                          // the name of what it defines
  std::vector<std::string> about = {};                           // lines of the comment at its head; any text
  std::optional<std::vector<std::vector<Run>>> from_right = {};  // the schedule keeps the order of the ranks: of each
                                                                 // transfer, in the order of steps, the blocks whose
                                                                 // arriving value is the right operand
};

/// Why the schedule isn't written: no allreduce, or too large. O(transfers) where the schedule is large.
std::optional<std::string> mpi_refusal(const Schedule& schedule);

/// Writes an allreduce that isn't refused and is well-formed as one file of C99, the same bytes every time: tables of
/// what each rank sends and receives in which step, and the code of mpi/allreduce.c that goes through them. A transfer
/// is one message. Returns false if writing failed (errno tells why).
///
/// The text is O(p + transfers + runs of different block sets) long: a set of blocks is written once, whoever sends it
/// at whatever step. Time: O(n log n) for the n runs of all transfers; memory: O(n).
bool write_mpi(const Schedule& schedule, const MpiOptions& options, std::FILE* file);

}  // namespace onceover::formats
