// A launch: what the ranks run, for one number of ranks and one size. Everything in it is concrete.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/element_type.h"
#include "gpu/launch/launch.h"
#include "gpu/ptx/module.h"
#include "schedules/types.h"

namespace onceover::gpu {

/// Memory of one rank, which every rank can access. The engine chooses its address, a multiple of 256.
struct DeviceBuffer {
  std::string name;  // "in"; the same on all ranks
  Rank rank;
  std::uint64_t bytes;
  ElementType type;
  /// Nobody writes it once the launch runs: accesses of it aren't tracked, and a write is a finding.
  bool is_constant = false;
};

/// What an address in bytes of a launch refers to.
enum class RelocationTarget : std::uint8_t {
  buffer,     // Launch::buffers[index]
  multicast,  // Launch::multicasts[index]
  global,     // Launch::module->variables[index], the copy of a rank
};

/// Eight bytes that hold an address: that many bytes behind the target's.
struct Relocation {
  std::uint64_t at;  // the offset of the eight bytes
  RelocationTarget target;
  std::size_t index;
  std::int64_t addend = 0;
  Rank rank = 0;  // of a global
};

/// Bytes with addresses in them. Bytes of a relocation are overwritten.
struct Bytes {
  std::vector<std::uint8_t> bytes;
  std::vector<Relocation> relocations;
};

/// Bytes that are in memory before the first call, or that a rank's stream writes.
struct MemoryWrite {
  RelocationTarget target;  // a buffer or a global
  std::size_t index;
  Rank rank = 0;  // of a global
  std::uint64_t offset = 0;
  Bytes content;
  /// The content is repeated this often, one after the other.
  std::uint64_t times = 1;
};

/// One address for the same offset in a buffer of each of several ranks.
struct Multicast {
  std::vector<std::size_t> buffers;  // of equal size
};

struct GridSize {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// A grid of one entry.
struct KernelRun {
  std::size_t entry;  // Launch::module->functions[entry]
  GridSize grid;
  GridSize block;
  GridSize cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  Bytes arguments;  // as the entry's parameters are laid out: Function::parameters
  /// Kernels of a call with the same number run one after the other. Those with different numbers run at the same time,
  /// and the call ends when all have.
  int stream = 0;
};

/// What a rank's stream does in one call: `writes`, `fills` and `poisons` in this order, the kernels, `reads`. It waits
/// for no other rank.
struct RankCall {
  std::vector<MemoryWrite> writes;   // flags that the host resets, and the like
  std::vector<std::size_t> fills;    // buffers that get new contributions
  std::vector<std::size_t> poisons;  // buffers whose elements then hold nothing
  std::vector<KernelRun> kernels;
  std::vector<std::size_t> reads;  // buffers that the host reads: outputs, and inputs that must be kept
};

struct Call {
  std::vector<RankCall> ranks;  // by rank
};

/// Offsets and sizes in it have been checked: they are inside their buffers, globals and arguments.
struct Launch {
  std::shared_ptr<const ptx::Module> module;
  Rank ranks = 0;
  std::vector<DeviceBuffer> buffers;
  std::vector<Multicast> multicasts;
  /// Before the first call. Other bytes of buffers are zero where `is_zeroed`, and hold nothing elsewhere.
  std::vector<MemoryWrite> initial;
  std::vector<bool> is_zeroed;  // by buffer
  std::vector<Call> calls;
};

/// The numbers of the streams that kernels of a rank run in, in order.
std::vector<int> streams_of(const Launch& launch, Rank rank);

/// Of the largest grid of a rank's stream.
std::uint32_t most_blocks(const Launch& launch, Rank rank, int stream);

/// Of the largest block of all, in whole warps.
std::uint32_t threads_of_seat(const Launch& launch);

}  // namespace onceover::gpu
