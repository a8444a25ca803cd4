// GOAL, the text format of LogGOPSim and ATLAHS: who sends how many bytes to whom, and what waits for what.
#pragma once

#include <cstdio>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"
#include "formats/goal_matching.h"
#include "formats/program.h"

namespace onceover::formats {

/// What a GOAL file says.
///
/// Each operation is one of the program's, `calc` a wait; an operation whose comment names several runs of chunks is as
/// many, one after another (`is_part`), and the same number at both ends of a message if both have as many chunks. Each
/// message has a connection of its own, whose channel is the tag. Nothing is ordered but by `requires` and `irequires`;
/// threads are chains of those, so they say nothing more.
struct GoalFile {
  Program program;
  std::vector<OperationId> wildcards = {};  // receives from any rank or of any tag: they have no connection
  std::optional<Ambiguity> ambiguity = {};  // messages whose receives aren't fixed; the program takes them as written
  bool is_too_large = false;                // to tell whether there is an ambiguity
};

/// LogGOPSim sends larger messages only when their receiver is there, and has room for as many others as come. What a
/// file with a larger one is guaranteed is therefore rendezvous, of all others room.
inline constexpr std::uint64_t goal_eager_bytes = 65535;

/// Reads a GOAL file called `name`.
///
/// Strict: every rank has its block, in order, each label is defined once and before it is used, ranks are in range,
/// and nothing stands after the last block. A simulator may take less; it would lose operations or crash. Whether
/// messages and receives fit each other is for the verifier to say.
///
/// GOAL has no data. If the file says so in a comment after `num_ranks`, the comments before operations tell it:
///   num_ranks 2
///   /* onceover 1 collective=allreduce chunks=4 root=0 in-place=1 */
///   rank 0 {
///   /* input=4 output=4 scratch=2 */
///   /* blocks=o2-3 */
///   a: send 16b to 1 tag 0
///   /* blocks=s0-1 op=copy */
///   b: recv 16b from 1 tag 0
///   /* blocks=o0-1 op=sum from=s0-1 */
///   c: calc 0
/// `i`, `o` and `s` are input, output and scratch memory of the rank, cut into chunks as in `Program`; several runs are
/// separated by commas. In such a file every send and receive must have one.
///
/// At most 8 million operations, 32 million dependencies and 32 million chunks of memory. O(text * log text) time;
/// memory: 200 bytes an operation, 40 a dependency, and the labels of one rank; no recursion.
tl::expected<GoalFile, SourceError> read_goal(std::string_view name, std::string_view text);

/// Does the text begin with `num_ranks`, comments aside?
bool looks_like_goal(std::string_view text);

/// Writes a program as GOAL, with comments that tell its data if it has any; the same bytes every time. The program is
/// one of `lower` with requests. Returns false if writing failed (errno tells why).
bool write_goal(const Program& program, std::FILE* file);

}  // namespace onceover::formats
