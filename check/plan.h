// A plan of MSCCL++ as its file describes it (docs/mscclpp.md), and its memory at one size of message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/certificate.h"

namespace check {

enum class Space : std::uint8_t { input, output, scratch };

/// Chunks of a buffer: of one rank, or of each rank of a multicast group.
struct Place {
  std::vector<std::uint32_t> ranks;
  Space space;
  std::uint64_t index, size;
  bool is_local, holds_packets;
};

/// What operations of a name take: letters of channels, memory, port and switch; and of places, L local, R remote, W of
/// a group; P, Q and M the same as packets. A plus lets the last letter repeat.
struct Kind {
  std::string_view name, channels, sources, targets;
  bool is_pairwise;  // the k-th source goes to the k-th target; otherwise the sum of all goes to each
};

struct Operation {
  std::string_view name;
  bool is_pairwise = false, is_port = false, is_relaxed = false;
  std::vector<Place> sources, targets;
  std::vector<std::uint32_t> ids;  // the GPU's channels or semaphores; thread k serves the k-th
  std::uint64_t part = 0, parts = 1;
  std::uint32_t barrier = 0, barrier_blocks = 1;

  bool meets_alone() const { return name == "nop" || (name == "barrier" && barrier_blocks == 1); }
};

struct Channel {
  std::uint32_t peer, occurrence;  // it pairs with the peer's channel to this rank of the same occurrence
};

struct Gpu {
  std::uint64_t chunks[3];  // by Space
  std::vector<Channel> memory, port;
  std::vector<std::uint64_t> semaphores;
  std::vector<std::vector<Operation>> blocks;
};

struct Plan {
  std::string_view collective;
  bool has_packet_room, is_in_place, has_halves;
  std::uint64_t alignment, least_bytes, most_bytes;
  std::vector<Gpu> gpus;

  /// Sizes of messages are multiples of this.
  std::uint64_t step() const { return alignment * gpus[0].chunks[collective == "allgather" ? 1 : 0]; }

  /// The least and largest message that the plan takes, below the limit. Throws if there is none.
  std::pair<std::uint64_t, std::uint64_t> messages() const;

  /// The sizes of a chunk, in units of alignment, that stand for all of these. Throws if one is more than 256.
  std::vector<std::uint64_t> sizes() const;

  /// From so many bytes of a message on, an offset may need more than the 32 bits that it has.
  std::uint64_t limit() const;

  /// In how many calls everything that can happen between calls has happened.
  std::uint64_t calls() const;
};

/// Cells first .. first + count - 1; of packets, two cells are a unit.
struct Cells {
  std::uint64_t first, count;
  bool are_packets;
};

/// A cell is a unit of memory. In place, an input and an output may have the same cells.
class Memory {
 public:
  /// Throws if there are more than 2^24 cells.
  Memory(const Plan& plan, std::uint64_t units);

  std::uint64_t cells() const { return first_.back(); }
  Cells whole(std::uint64_t rank, Space space) const;
  Cells at(const Operation& operation, const Place& place, std::uint64_t rank, std::uint64_t call) const;
  bool is_input(std::uint64_t cell) const;

 private:
  std::uint64_t begin_of(std::uint64_t rank, Space space) const;

  const Plan& plan_;
  std::uint64_t units_;
  std::vector<std::uint64_t> first_;  // by rank, and one past the last
};

/// Throws a malformed Outcome, or an unproven one if the plan has what certificates don't cover: pipelines, shared
/// scratch, and packets on port channels.
Plan read_plan(const Text& text);

}  // namespace check
