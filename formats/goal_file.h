// GOAL, the text format of LogGOPSim and ATLAHS: which rank sends how many bytes to which, and what waits for what.
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

/// The content of a GOAL file.
///
/// Each operation of the file is one of the program's; `calc` is a wait. An operation whose comment names several runs
/// of chunks becomes several in a row (`is_part`), equally many at both ends of a message if both ends have equally
/// many chunks. Each message has a connection of its own, whose channel is the tag. Only `requires` and `irequires`
/// order operations. Threads are chains of these, so they add no order.
struct GoalFile {
  Program program;
  std::vector<OperationId> wildcards = {};  // receives from any rank or of any tag; they have no connection
  std::optional<Ambiguity> ambiguity = {};  // messages whose receives aren't determined; taken in the file's order
  bool is_too_large = false;                // too large to find out whether there is an ambiguity
};

/// LogGOPSim sends a larger message only when its receiver is ready; it has room for any number of other messages. So a
/// file with a larger message is guaranteed only rendezvous, any other file room for all messages.
inline constexpr std::uint64_t goal_eager_bytes = 65535;

/// Reads a GOAL file called `name`.
///
/// It is strict: every rank has its block, in order; each label is defined once and before it is used; ranks are in
/// range; nothing follows the last block. A simulator may accept less, but it would lose operations or crash. Whether
/// messages and receives match is for the verifier to judge.
///
/// GOAL has no data. If a comment after `num_ranks` says so, the comments before operations describe it:
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
/// `i`, `o` and `s` are the input, output and scratch memory of the rank, divided into chunks as in `Program`; commas
/// separate several runs. In such a file every send and receive must have such a comment.
///
/// At most 8 million operations, 32 million dependencies and 32 million chunks of memory. O(text * log text) time;
/// memory: 200 bytes an operation, 40 a dependency, and the labels of one rank; no recursion.
tl::expected<GoalFile, SourceError> read_goal(std::string_view name, std::string_view text);

/// Does the text begin with `num_ranks`, after comments?
bool looks_like_goal(std::string_view text);

/// Writes a program as GOAL, with comments that describe its data if it has any; the same program always gives the same
/// bytes. The program must come from `lower` with requests. Returns false if writing failed; errno says why.
bool write_goal(const Program& program, std::FILE* file);

}  // namespace onceover::formats
