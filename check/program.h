// A program of MSCCL XML or GOAL as its file describes it (docs/msccl-xml.md, docs/goal.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/certificate.h"

namespace check {

enum class ChunksOf : std::uint8_t { input, output, scratch };

/// Chunks first .. first + count - 1 of a rank's memory.
struct Chunks {
  ChunksOf memory;
  std::uint64_t first, count;
};

/// What a step waits for: another step of its rank, to have ended, or only to have begun.
struct StepWait {
  std::size_t thread, step;
  bool until_begun;
};

/// A run of chunks that a step moves: from a source, to a target, or both.
struct Part {
  std::optional<Chunks> source, target;
};

inline constexpr std::size_t no_way = SIZE_MAX;

/// It takes a message, adds, stores, and passes on, as far as it does each. Without a message it copies, or adds the
/// source to the target.
struct Step {
  bool adds = false;
  std::vector<Part> parts = {};            // in the order of the message
  std::size_t from = no_way, to = no_way;  // ways of the program
  std::uint64_t bytes = 0;                 // of the message; 0 in MSCCL XML, which counts chunks
  std::vector<StepWait> waits = {};
  bool receives() const { return from != no_way; }
  bool sends() const { return to != no_way; }
};

struct RankSteps {
  std::uint64_t chunks[3] = {0, 0, 0};          // by ChunksOf
  std::vector<std::vector<Step>> threads = {};  // of GOAL one, whose steps aren't ordered
};

struct ProgramFile {
  bool is_goal = false;
  bool has_data = true;  // false: nothing says what messages hold
  std::string collective;
  std::uint64_t chunks = 0, root = 0;  // chunks of a whole buffer
  std::vector<bool> places;            // true: input and output share memory; it must be right at each
  std::string_view protocol;           // of MSCCL XML: Simple, LL, LL128, or empty
  std::size_t ways = 0;                // each from one rank to another; the k-th message sent is the k-th received
  std::vector<RankSteps> ranks;

  std::uint64_t share() const { return chunks / ranks.size(); }

  /// Does the rank's input begin with data?
  bool begins_with_data(std::uint64_t rank) const {
    return rank == root || (collective != "broadcast" && collective != "scatter");
  }

  /// What chunk k of the rank's output must hold: chunk `input` of one rank, or of all, added up; nothing: anything.
  struct Due {
    std::uint64_t input;
    std::optional<std::uint64_t> rank;
  };
  std::optional<Due> due(std::uint64_t rank, std::uint64_t k) const;

  /// Sets the sizes of inputs and outputs. Throws what is wrong at the place.
  void size_buffers(const class Cursor& at);
};

/// Throws a malformed Outcome, or an unproven one if the file has what certificates don't cover.
ProgramFile read_msccl(const Text& text);
ProgramFile read_goal(const Text& text);

}  // namespace check
