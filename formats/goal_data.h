// What the comments of a GOAL file say of its data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// A comment that is wrong, at an offset into it.
struct CommentFault {
  std::size_t at;
  std::string why;
};

/// `onceover 1 collective=allreduce chunks=4 root=0 in-place=1`: is it that comment, in whatever case its
/// first word is written, and of whatever version?
bool is_goal_header(std::string_view comment);

/// Fills in the program from such a comment.
std::optional<CommentFault> read_goal_header(std::string_view comment, Program& program);

/// `input=4 output=4 scratch=2`: input and output must be as large as the program's collective has them, so that what
/// is promised of each chunk is judged.
std::optional<CommentFault> read_goal_buffers(std::string_view comment, const Program& program, Buffers& sizes);

/// Does the comment tell the data of an operation?
bool is_goal_data(std::string_view comment);

/// Replaces `parts`, which holds a send, a receive or a wait (a `calc`), by one operation for each run of chunks that
/// the comment names, inside buffers of those sizes: `blocks=o2-3,o5 op=sum from=s0-1,s2`.
std::optional<CommentFault> read_goal_data(std::string_view comment, const Buffers& sizes,
                                           std::vector<Operation>& parts);

}  // namespace onceover::formats
