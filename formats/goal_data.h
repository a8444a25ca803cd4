// The comments of a GOAL file that describe its data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// What is wrong in a comment, and at which offset.
struct CommentFault {
  std::size_t at;
  std::string why;
};

/// Is this a comment such as `onceover 1 collective=allreduce chunks=4 root=0 in-place=1`, of any version, with its
/// first word in any case?
bool is_goal_header(std::string_view comment);

/// Fills in the program from such a comment.
std::optional<CommentFault> read_goal_header(std::string_view comment, Program& program);

/// Reads `input=4 output=4 scratch=2`. Input and output must have the sizes of the program's collective, so that
/// everything that it promises of each chunk is judged.
std::optional<CommentFault> read_goal_buffers(std::string_view comment, const Program& program, Buffers& sizes);

/// Does the comment describe the data of an operation?
bool is_goal_data(std::string_view comment);

/// Replaces `parts`, which holds a send, a receive or a wait (a `calc`), with one operation for each run of chunks that
/// the comment names, inside buffers of these sizes: `blocks=o2-3,o5 op=sum from=s0-1,s2`.
std::optional<CommentFault> read_goal_data(std::string_view comment, const Buffers& sizes,
                                           std::vector<Operation>& parts);

}  // namespace onceover::formats
